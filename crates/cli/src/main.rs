//! The entry point: arguments in, a result and an exit code out.
//!
//! ```text
//!  args ─▶ commands ─▶ output
//!            │ run_context (the machine, the store), keep (the store), signals, progress, report (record → bytes)
//!            └─ failure (any error → words and exit code)
//! ```
//!
//! Deliberately absent: everything that measures, judges, stores or lays out. This is the only room that reads
//! the environment and signals, and the only one that writes to standard output and error.

mod args;
mod book;
mod commands;
mod environment;
mod evidence;
mod failure;
mod journal_file;
mod keep;
mod kept_trace;
mod kinds;
mod live;
mod options;
mod output;
mod parser;
mod progress;
mod registry;
mod report;
mod run_context;
mod seed;
mod signals;
mod subcommand;
mod sweep_progress;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;

use commands::Line;
use environment::Environment;
use failure::Ending;
use model::CommandError;
use parser::Cli;
use registry::COMMANDS;
use std::process::ExitCode;
use subcommand::{Entry, Subcommand};

/// Notices of the libraries that are linked in; `cargo xtask licenses` writes them.
const THIRD_PARTY: &str = include_str!("../assets/third-party.txt");

fn licenses() -> ExitCode {
    match output::print(THIRD_PARTY.as_bytes()) {
        Ok(()) => Ending::Good.exit_code(),
        Err(failure) => failure::tell(&failure),
    }
}

fn main() -> ExitCode {
    let began = session::clock::utc();
    let code = on_enough_stack(program);
    commands::hosts::before_early_end(began);
    code
}

/// Calls `program` on a thread of its own where the limit on the stack of the first one (`ulimit -s`) is too small for it: the
/// kernel ends a process whose stack cannot grow. Source: setrlimit(2), RLIMIT_STACK.
fn on_enough_stack(program: fn() -> ExitCode) -> ExitCode {
    const ENOUGH: u64 = 4 << 20;
    let soft = host::stack_limit();
    if soft.is_none_or(|soft| soft >= ENOUGH) {
        return program();
    }
    let thread = std::thread::Builder::new().stack_size(2 * ENOUGH as usize);
    match thread.spawn(program).map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(_) => program(),
    }
}

fn program() -> ExitCode {
    let words = parser::of_help(commands::of_links(std::env::args_os().collect()));
    system::prepare();
    host::watch_for_silence(give_up);
    gate::while_input_waits(gate::WhileWaiting {
        report: |path| output::tell(&format!("{}: waiting for data", path.display())),
        is_ended: signals::is_ended,
    });
    for tool in COMMANDS {
        if let Entry::Line(run) = &tool.run
            && let Some(line) = Line::of(&words, tool.name)
        {
            let environment = Environment::read();
            let allowed = refuse_many(tool, &environment);
            return exit_code(allowed.and_then(|()| run(&line, &environment)));
        }
    }
    if words.len() == 2 && words[1] == "--licenses" {
        return licenses();
    }
    let cli = match Cli::read(&words) {
        Ok(cli) => cli,
        Err(error) => return failure::parser_says(error),
    };
    if cli.licenses {
        return failure::tell(&CommandError::refused(
            "--licenses cannot be combined with a command; hint: run fathom --licenses",
        ));
    }
    let environment = Environment::read().coloured(!cli.no_color);
    let allowed = refuse_many(cli.command, &environment);
    exit_code(allowed.and_then(|()| match cli.command.run {
        Entry::Options(run) => run(&cli.words, &environment),
        Entry::Description(run) => run(&cli.words, parser::program()),
        Entry::Line(_) => unreachable!("a line of another tool's is not read by this parser"),
    }))
}

fn exit_code(ending: Result<Ending, CommandError>) -> ExitCode {
    match ending {
        Ok(ending) => ending.exit_code(),
        Err(failure) => failure::tell(&failure),
    }
}

/// Ends the program while its main thread waits for an answer that never comes.
#[allow(
    clippy::disallowed_methods,
    reason = "the thread that would return an exit code is in the kernel"
)]
fn give_up(why: &str) {
    output::tell(why);
    std::process::exit(1);
}

/// Refuses to do by several processes at once what one does.
fn refuse_many(command: &Subcommand, environment: &Environment) -> Result<(), CommandError> {
    match command.has_ranks {
        true => Ok(()),
        false => commands::hosts::refuse_many(&format!("fathom {}", command.name), environment),
    }
}
