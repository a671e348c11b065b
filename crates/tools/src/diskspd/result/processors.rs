//! The table of processors. Columns of the topology are shown where they distinguish anything.

use crate::diskspd::Compat;
use crate::diskspd::figures::{CpuPlace, CpuShares, Measured, System};
use std::io::{self, Write};

/// A column of the topology.
struct Column {
    title: &'static str,
    /// Of the cell, up to its bar.
    width: usize,
    shown: fn(&System) -> bool,
    cell: fn(&CpuPlace) -> u32,
}

/// In the order of the table.
const COLUMNS: [Column; 4] = [
    Column {
        title: "Socket",
        width: 7,
        shown: |s| s.sockets() > 1,
        cell: |cpu| cpu.socket,
    },
    Column {
        title: "Node",
        width: 5,
        shown: |s| s.nodes() > 1,
        cell: |cpu| cpu.node,
    },
    Column {
        title: "Group",
        width: 6,
        shown: |s| s.groups() > 1,
        cell: |cpu| cpu.group,
    },
    Column {
        title: "Core",
        width: 5,
        shown: System::shares_cores,
        cell: |cpu| cpu.core,
    },
];

/// The table with the blank line before it.
pub(super) fn write(
    measured: &Measured,
    system: &System,
    compat: Compat,
    out: &mut dyn Write,
) -> io::Result<()> {
    match compat {
        Compat::V2_2 => write_2_2(measured, system, out),
        Compat::V2_0 => write_2_0(measured, out),
    }
}

fn write_2_2(measured: &Measured, system: &System, out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| (column.shown)(system))
        .collect();
    let extra: usize = columns.iter().map(|column| column.width + 2).sum();
    let titles: String = columns
        .iter()
        .map(|column| format!("{} | ", column.title))
        .collect();
    let rule = "-".repeat(40 + extra);
    writeln!(
        out,
        "\n{titles}CPU |  Usage |  User  | Kernel |  Idle\n{rule}"
    )?;
    for cpu in &measured.cpus {
        for column in &columns {
            write!(
                out,
                "{:>width$}| ",
                (column.cell)(&cpu.place),
                width = column.width
            )?;
        }
        writeln!(out, "{:4}|{}", cpu.place.number, shares(&cpu.shares, 6))?;
    }
    writeln!(
        out,
        "{rule}\n{:extra$}avg.|{}",
        "",
        shares(&measured.cpu_average, 6)
    )
}

fn write_2_0(measured: &Measured, out: &mut dyn Write) -> io::Result<()> {
    let rule = "-".repeat(43);
    writeln!(out, "\nCPU |  Usage |  User  |  Kernel |  Idle\n{rule}")?;
    for cpu in &measured.cpus {
        writeln!(out, "{:4}|{}", cpu.place.cpu, shares(&cpu.shares, 7))?;
    }
    writeln!(out, "{rule}\navg.|{}", shares(&measured.cpu_average, 7))
}

/// The four cells; the kernel's has its own width.
fn shares(of: &CpuShares, kernel_width: usize) -> String {
    let CpuShares {
        usage,
        user,
        kernel,
        idle,
    } = of;
    format!(" {usage:6.2}%| {user:6.2}%| {kernel:kernel_width$.2}%| {idle:6.2}%")
}
