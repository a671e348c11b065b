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
mod progress;
mod report;
mod run_context;
mod seed;
mod signals;
mod sweep_progress;

use args::{Cli, Command};
use environment::Environment;
use failure::Ending;
use model::CommandError;
use std::ffi::OsString;
use std::process::ExitCode;

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
    let words = args::of_help(commands::of_links(std::env::args_os().collect()));
    signals::outlive_file_size_limit();
    host::watch_for_silence(give_up);
    gate::while_input_waits(gate::WhileWaiting {
        report: |path| output::tell(&format!("{}: waiting for data", path.display())),
        is_ended: signals::is_ended,
    });
    if let Err(failure) = refuse_many_of_dialect(&words) {
        return failure::tell(&failure);
    }
    if let Some(line) = commands::diskspd::line_of(&words) {
        return commands::diskspd::diskspd(&line, &Environment::read()).exit_code();
    }
    for tool in &commands::OTHER_TOOLS {
        if let Some(line) = tool.line(&words) {
            return match (tool.run)(&line, &Environment::read()) {
                Ok(ending) => ending.exit_code(),
                Err(failure) => failure::tell(&failure),
            };
        }
    }
    if words.len() == 2 && words[1] == "--licenses" {
        return licenses();
    }
    let mut cli = match Cli::read(&words) {
        Ok(cli) => cli,
        Err(error) => return failure::parser_says(error),
    };
    if cli.licenses {
        return failure::tell(&CommandError::refused(
            "--licenses cannot be combined with a command; hint: run fathom --licenses",
        ));
    }
    let environment = Environment::read().coloured(!cli.no_color);
    if let Err(failure) = refuse_many(&cli.command, &words, &environment) {
        return failure::tell(&failure);
    }
    seed::choose(&mut cli.command);
    match carry_out(&cli.command, &environment) {
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

/// Refuses a dialect that a launcher started several times.
fn refuse_many_of_dialect(words: &[OsString]) -> Result<(), CommandError> {
    let mut tools = commands::OTHER_TOOLS.iter();
    let tool = tools.find(|tool| tool.line(words).is_some());
    let name = match tool {
        Some(tool) if !tool.has_ranks => tool.name,
        _ => return Ok(()),
    };
    commands::hosts::refuse_many(&format!("fathom {name}"), &Environment::read())
}

/// Refuses to do by several processes at once what one does.
fn refuse_many(
    command: &Command,
    words: &[OsString],
    environment: &Environment,
) -> Result<(), CommandError> {
    let has_ranks = match command {
        Command::Run(args) => args.profile.profile.is_none() || args.hosts.all.alone,
        Command::Sweep(_) | Command::Survey(_) | Command::Check(_) | Command::Files(_) => true,
        _ => false,
    };
    let mut names = words.iter().skip(1).map(|word| word.to_string_lossy());
    let name = names
        .find(|word| !word.starts_with('-'))
        .unwrap_or_default();
    let more = match command {
        Command::Run(_) => " --profile",
        _ => "",
    };
    match has_ranks {
        true => Ok(()),
        false => commands::hosts::refuse_many(&format!("fathom {name}{more}"), environment),
    }
}

fn carry_out(command: &Command, environment: &Environment) -> Result<Ending, CommandError> {
    match command {
        Command::Survey(args) => commands::survey::survey(args, environment),
        Command::Sweep(args) => commands::sweep::sweep(args, environment),
        Command::Pts(args) => commands::pts::pts(args, environment),
        Command::Run(args) => match &args.profile.profile {
            Some(path) => commands::learned::run(path, args, environment),
            None => commands::run::run(args, environment),
        },
        Command::Verify(args) => commands::verify::verify(args, environment),
        Command::Check(args) => commands::check::check(args, environment),
        Command::Watch(args) => commands::watch::watch(args, environment),
        Command::Quick(args) => commands::looks::quick(args, environment),
        Command::Layers(args) => commands::looks::layers(args, environment),
        Command::Files(args) => commands::files::files(args, environment),
        Command::Dd(args) => commands::dd::dd(args, environment),
        Command::Lmdd(args) => commands::dd::lmdd(args, environment),
        Command::SgpDd(args) => commands::dd::sgp_dd(args, environment),
        Command::Diskspd(_)
        | Command::Sqlio(_)
        | Command::Fio(_)
        | Command::Ior(_)
        | Command::Mdtest(_)
        | Command::Xdd(_) => {
            unreachable!("a line of another tool's is not read by this parser")
        }
        Command::Iometer(args) => commands::iometer::iometer(args, environment),
        Command::Import(args) => commands::import::import(args, environment),
        Command::Trace(args) => commands::trace::trace(args, environment),
        Command::Replay(args) => commands::replay::replay(args, environment),
        Command::Learn(args) => commands::learn::learn(args, environment),
        Command::Fidelity(args) => commands::fidelity::fidelity(args, environment),
        Command::List(args) => commands::list::list(args, environment),
        Command::Show(args) => commands::show::show(args, environment),
        Command::Report(args) => commands::report::report(args, environment),
        Command::Table(args) => commands::table::table(args, environment),
        Command::Compare(args) => commands::compare::compare(args, environment),
        Command::Baseline(args) => commands::baseline::baseline(args, environment),
        Command::Export(args) => commands::export::export(args, environment),
        Command::Tag(args) => commands::tag::tag(args, environment),
        Command::Note(args) => commands::note::note(args, environment),
        Command::Delete(args) => commands::delete::delete(args, environment),
        Command::Db(args) => commands::db::db(args, environment),
        Command::Explain(args) => commands::explain::explain(args, environment),
        Command::Devices(args) => commands::devices::devices(args, environment),
        Command::Completions(args) => commands::shell::completions(args),
        Command::Man(args) => commands::shell::man(args),
    }
}
