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

/// The column behind the others, on a machine with several kinds of cores.
const CLASS_TITLE: &str = "Class | ";

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
    if compat >= Compat::V2_2 {
        return write_2_2(measured, system, out);
    }
    let groups = compat >= Compat::V2_0_21 && system.groups() > 1;
    write_old(measured, groups, out)
}

fn write_2_2(measured: &Measured, system: &System, out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| (column.shown)(system))
        .collect();
    let best = system.best_class();
    let classes = if best > 0 { CLASS_TITLE.len() } else { 0 };
    let extra = columns.iter().map(|column| column.width + 2).sum::<usize>() + classes;
    let mut titles: String = columns
        .iter()
        .map(|column| format!("{} | ", column.title))
        .collect();
    titles += if best > 0 { CLASS_TITLE } else { "" };
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
        if best > 0 {
            let mark = if cpu.place.class == best { 'P' } else { ' ' };
            write!(out, "{:5}{mark}| ", cpu.place.class)?;
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

/// Before 2.2; from 2.0.20 on with the group where there are several.
fn write_old(measured: &Measured, groups: bool, out: &mut dyn Write) -> io::Result<()> {
    let rule = "-".repeat(43);
    let title = if groups { "Group | " } else { "" };
    writeln!(
        out,
        "\n{title}CPU |  Usage |  User  |  Kernel |  Idle\n{rule}"
    )?;
    for cpu in &measured.cpus {
        let shares = shares(&cpu.shares, 7);
        match groups {
            true => writeln!(
                out,
                "{:6}| {:4}|{shares}",
                cpu.place.group, cpu.place.number
            )?,
            false => writeln!(out, "{:4}|{shares}", cpu.place.cpu)?,
        }
    }
    let indent = if groups { "        " } else { "" };
    writeln!(
        out,
        "{rule}\n{indent}avg.|{}",
        shares(&measured.cpu_average, 7)
    )
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
