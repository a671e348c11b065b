//! IOmeter's results: two access specifications as 1.1 writes them, the columns of 2006, a spreadsheet's copy.

use super::desk::{mib, one, reading, runs, trouble, us};
use model::{Bytes, Nanos, Ratio};

const COLUMNS: &str = "'Target Type,Target Name,Access Specification Name,# Managers,# Workers,# Disks,IOps,Read IOps,Write IOps,MBps (Binary),Read MBps (Binary),Write MBps (Binary),MBps (Decimal),Read MBps (Decimal),Write MBps (Decimal),Transactions per Second,Connections per Second,Average Response Time,Average Read Response Time,Average Write Response Time,Average Transaction Time,Average Connection Time,Maximum Response Time,Maximum Read Response Time,Maximum Write Response Time,Maximum Transaction Time,Maximum Connection Time,Errors,Read Errors,Write Errors,Bytes Read,Bytes Written,Read I/Os,Write I/Os,Connections,Transactions per Connection,Total Raw Read Response Time,Total Raw Write Response Time,Total Raw Transaction Time,Total Raw Connection Time,Maximum Raw Read Response Time,Maximum Raw Write Response Time,Maximum Raw Transaction Time,Maximum Raw Connection Time,Total Raw Run Time,Starting Sector,Maximum Size,Queue Depth,% CPU Utilization,% User Time,% Privileged Time,% DPC Time,% Interrupt Time,Processor Speed,Interrupts per Second,CPU Effectiveness,Packets/Second,Packet Errors,Segments Retransmitted/Second";

fn table(spec: &str, rate: &str) -> String {
    let figures = format!(
        "{rate},700.250000,300.250000,3.908203,2.735352,1.172852,4.098048,2.868224,1.229824,{rate},0.000000,7.994000,6.500000,11.477000,7.994000,0.000000,120.500000,98.250000,120.500000,120.500000,0.000000,0,0,0,86046720,36894720,21007,9007,0,-1"
    );
    let cpu =
        "12.500000,4.250000,8.250000,0.500000,0.750000,,9001.500000,80.040000,0.000000,0,0.000000";
    format!(
        "'Results\n{COLUMNS}\n\
         ALL,All,{spec},1,2,2,{figures},,,,,,,,,,0,2097152,16,{cpu}\n\
         MANAGER,HOST01,{spec},,2,2,{figures},,,,,,,,,,0,2097152,16,{cpu}\n\
         PROCESSOR,CPU 0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,{cpu}\n\
         WORKER,Worker 1,{spec},,,1,{figures},,,,,,,,,,0,2097152,16,,,,,,,,,,,\n\
         DISK,C: \"System\",,,,,{figures},,,,,,,,,,0,2097152,,,,,,,,,,,,\n\
         'Time Stamp\n2014-11-03 13:42:36:012\n"
    )
}

fn sample() -> String {
    let head = "'Test Type,Test Description\n0,\"a test\"\n'Version\n1.1.0\n'Time Stamp\n2014-11-03 13:41:36:012\n'Access specifications\n'Access specification name,default assignment\n4 KiB; 70% Read; 100% random,1\n'size,% of size,% reads,% random,delay,burst,align,reply\n4096,100,70,100,0,1,4096,0\n'Access specification name,default assignment\nmix,1\n'size,% of size,% reads,% random,delay,burst,align,reply\n4096,50,100,100,0,1,0,0\n65536,50,0,100,0,1,0,0\n'End access specifications\n";
    let (first, second) = ("4 KiB; 70% Read; 100% random", "mix");
    format!(
        "{head}{}{}",
        table(first, "1000.500000"),
        table(second, "900.000000")
    )
}

#[test]
fn each_row_of_all_is_a_run() {
    let text = sample();
    let runs = runs(&text);
    assert_eq!(runs.len(), 2);
    let run = &runs[0];
    assert_eq!(run.tool_version.as_deref(), Some("1.1.0"));
    assert_eq!(run.name.as_deref(), Some("4 KiB; 70% Read; 100% random"));
    let total = &run.figures.total;
    assert_eq!(
        (total.ios_per_s, total.bytes_per_s),
        (Some(1000.5), mib(3.908_203))
    );
    assert_eq!(
        (total.latency.mean, total.latency.max),
        (us(7994), us(120_500))
    );
    assert_eq!((total.ios, total.errors), (Some(30_014), Some(0)));
    assert_eq!(run.figures.read.bytes, Some(Bytes(86_046_720)));
    assert_eq!(run.figures.write.latency.mean, us(11_477));
    let work = &run.workload;
    assert_eq!(
        (work.block, work.write_percent),
        (Some(Bytes::kib(4)), Ratio::percent(30))
    );
    assert_eq!(work.random_percent, Some(Ratio::ALL));
    assert_eq!((work.threads, work.queue_depth), (Some(2), Some(16)));
    assert_eq!(work.targets, ["C: \"System"]);
    assert_eq!(run.cpu.unwrap().usage_percent, Some(12.5));
    assert_eq!(run.started_utc, None);
    assert_eq!(run.rows.len(), 3);
    assert_eq!(runs[1].workload.block, None);
    assert_eq!(runs[1].workload.random_percent, Some(Ratio::ALL));
    assert_eq!(runs[1].figures.total.ios_per_s, Some(900.0));
    let whole: String = runs.iter().map(|run| run.text.as_str()).collect();
    assert_eq!(whole, text);
}

#[test]
fn the_columns_of_2006_are_read_by_name() {
    let text = sample().replace("1.1.0", "2006.07.27").replace("MBps (Binary),Read MBps (Binary),Write MBps (Binary),MBps (Decimal),Read MBps (Decimal),Write MBps (Decimal)", "MBps,Read MBps,Write MBps,x,y,z");
    assert_eq!(runs(&text)[0].figures, runs(&sample())[0].figures);
}

#[test]
fn a_spreadsheet_with_semicolons_and_commas_reads_alike() {
    let mut text = String::new();
    for line in sample().lines() {
        let is_name = line.starts_with("4 KiB;");
        let row = |line: &str| {
            line.replace(';', "/")
                .replace(',', ";")
                .replace(".5", ",5")
                .replace(".9", ",9")
        };
        text += &if is_name {
            "4 KiB/ 70% Read/ 100% random;1".to_owned()
        } else {
            row(line)
        };
        text.push('\n');
    }
    let run = &runs(&text)[0];
    assert_eq!(run.figures.total.ios_per_s, Some(1000.5));
    assert_eq!(run.workload.block, Some(Bytes::kib(4)));
    assert!(run.notes.iter().any(|note| note.contains("decimal commas")));
}

#[test]
fn a_row_that_breaks_off_is_named_with_its_line() {
    let text = sample();
    let second = text.rfind("ALL,All,mix").unwrap();
    let cut = &text[..second + 40];
    let (line, what) = trouble(cut);
    assert_eq!(reading(cut).runs.len(), 1);
    assert_eq!(line as usize, cut.lines().count());
    assert!(what.contains("breaks off"), "{what}");
    let (line, what) = trouble(&text[..text.find("'Results").unwrap()]);
    assert_eq!(line, 17);
    assert!(what.contains("before any row `ALL`"), "{what}");
    assert_eq!(one(&table("mix", "1.5")).workload.block, None);
    assert_eq!(Nanos::micros(1), Nanos(1000));
}
