//! [`Config`] → the file that IOmeter 1.1.0 opens, and [`super::read`] reads as the same.

use super::config::{Config, Cycling, Spec, Worker};
use std::fmt::Write;

const RULE: usize = 80;

/// The whole text, with the line ends of Windows.
pub fn print(config: &Config) -> String {
    let mut text = format!("Version {} \n", config.version);
    setup(config, &mut text);
    text.push_str(DISPLAY);
    specs(&config.specs, &mut text);
    managers(config, &mut text);
    let _ = writeln!(text, "Version {} ", config.version);
    text.replace('\n', "\r\n")
}

fn head(name: &str, text: &mut String) {
    let line = format!("'{name} ");
    let _ = writeln!(text, "{line:=<RULE$}");
}

fn setup(config: &Config, text: &mut String) {
    head("TEST SETUP", text);
    let (hours, minutes, seconds) = (
        config.run_s / 3600,
        config.run_s / 60 % 60,
        config.run_s % 60,
    );
    let Cycling {
        start,
        end,
        step,
        exponential,
    } = config.depths;
    let kind = if exponential { "EXPONENTIAL" } else { "LINEAR" };
    let _ = write!(
        text,
        "'Test Description\n\t{}\n'Run Time\n'\thours      minutes    seconds\n\t{hours:<11}{minutes:<11}{seconds}\n\
         'Ramp Up Time (s)\n\t{}\n'Default Disk Workers to Spawn\n\tNUMBER_OF_CPUS\n\
         'Default Network Workers to Spawn\n\t0\n'Record Results\n\tALL\n'Worker Cycling\n\
         '\tstart      step       step type\n\t1          1          LINEAR\n'Disk Cycling\n\
         '\tstart      step       step type\n\t1          1          LINEAR\n'Queue Depth Cycling\n\
         '\tstart      end        step       step type\n\t{start:<11}{end:<11}{step:<11}{kind}\n'Test Type\n\t{}\n'END test setup\n",
        config.description, config.ramp_s, config.test_type
    );
}

/// What IOmeter's window shows while a test runs.
const DISPLAY: &str = "\
'RESULTS DISPLAY ===============================================================
'Record Last Update Results,Update Frequency,Update Type
\tDISABLED,1,LAST_UPDATE
'Bar chart 1 statistic
\tTotal I/Os per Second
'Bar chart 2 statistic
\tTotal MBs per Second (Decimal)
'Bar chart 3 statistic
\tAverage I/O Response Time (ms)
'Bar chart 4 statistic
\tMaximum I/O Response Time (ms)
'Bar chart 5 statistic
\t% CPU Utilization (total)
'Bar chart 6 statistic
\tTotal Error Count
'END results display
";

fn specs(specs: &[Spec], text: &mut String) {
    head("ACCESS SPECIFICATIONS", text);
    for spec in specs {
        let _ = write!(
            text,
            "'Access specification name,default assignment\n\t{},{}\n'size,% of size,% reads,% random,delay,burst,align,reply\n",
            spec.name, spec.assignment
        );
        for line in &spec.lines {
            let _ = writeln!(
                text,
                "\t{},{},{},{},{},{},{},{}",
                line.size,
                line.of_size,
                line.reads,
                line.random,
                line.delay_ms,
                line.burst,
                line.align,
                line.reply
            );
        }
    }
    text.push_str("'END access specifications\n");
}

fn managers(config: &Config, text: &mut String) {
    head("MANAGER LIST", text);
    for (manager, number) in config.managers.iter().zip(1..) {
        let _ = write!(
            text,
            "'Manager ID, manager name\n\t{number},{}\n'Manager network address\n\t\n",
            manager.name
        );
        for one in &manager.workers {
            worker(one, text);
        }
        text.push_str("'End manager\n");
    }
    text.push_str("'END manager list\n");
}

fn worker(worker: &Worker, text: &mut String) {
    let (fixed, seed) = match worker.seed {
        Some(seed) => ("ENABLED", seed),
        None => ("DISABLED", 0),
    };
    let _ = write!(
        text,
        "'Worker\n\t{}\n'Worker type\n\t{}\n'Default target settings for worker\n\
         'Number of outstanding IOs,test connection rate,transactions per connection,use fixed seed,fixed seed value\n\
         \t{},DISABLED,1,{fixed},{seed}\n'Disk maximum size,starting sector,Data pattern\n\t{},{},{}\n\
         'End default target settings for worker\n'Assigned access specs\n",
        worker.name,
        worker.kind,
        worker.outstanding,
        worker.sectors,
        worker.start,
        worker.pattern.unwrap_or(0)
    );
    for spec in &worker.specs {
        let _ = writeln!(text, "\t{spec}");
    }
    text.push_str("'End assigned access specs\n'Target assignments\n");
    for target in &worker.targets {
        let _ = write!(
            text,
            "'Target\n\t{target}\n'Target type\n\tDISK\n'End target\n"
        );
    }
    text.push_str("'End target assignments\n'End worker\n");
}
