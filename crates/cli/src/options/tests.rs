//! Every problem in the options of every tool: no message names an option that the tool does not have.

use super::{dd, looks, survey};
use crate::parser::program;
use model::check::{Remedy, Rule};
use model::{
    Bytes, Claim, Content, EngineChoice, Field, FileSystem, Flaw, ForeignName, Nanos, Options,
    Problem,
};
use tools::{diskspd, fio, iometer, ior, native, sqlio, xdd};

/// Makes one of each variant. The `match` keeps the list complete.
macro_rules! each {
    ($kind:ident: $($name:ident { $($field:tt: $value:expr),* })*) => {{
        let _ = |one: $kind| match one { $($kind::$name { .. } => (),)* };
        vec![$($kind::$name { $($field: $value),* }),*]
    }};
}

fn fields() -> Vec<Field> {
    each!(Field:
        Block {} QueueDepth {} Threads {} FileSize {} Create {} Duration {} Interval {} Amount {} Base {} Length {}
        Stride {} ThreadStride {} Distribution {} Rate {} Source {} Buffered {} Unbuffered {} ReadOnly {} Engine {}
        Passthrough {} CompletionPolling {} SubmissionPolling {} Pool {} VerifyMemory {} Overwrite {} Destroy {})
}

const SIZE: Bytes = Bytes::kib(4);

fn rules() -> Vec<Rule> {
    each!(Rule:
        LongerThanNothing {} AtLeast { 0: Nanos(1) } StepsOver { 0: Nanos(1) } BlockSize {} MultipleOf { 0: SIZE }
        Aligned { to: SIZE, path: "f".into() } OneBlock { 0: SIZE } Range { most: 2, of: "for each" }
        OneOutstanding {} BelowEnd { path: "f".into(), size: SIZE } OneCommand { path: "f".into(), most: SIZE })
}

fn claims() -> Vec<Claim> {
    let device = || "sdb".to_owned();
    each!(Claim:
        Mounted { device: device(), at: "/mnt".into() } Swap { device: device() } Busy { device: device() }
        OpenForWriting { file: device() } Placed { file: device(), user: "1000".to_owned() }
        Holder { device: device(), by: "md0".to_owned() } Signature { device: device(), what: "xfs".to_owned() })
}

fn foreign() -> ForeignName {
    ForeignName {
        path: "f".into(),
        is_link: true,
        why: "it is".to_owned(),
    }
}

#[rustfmt::skip] // a table
fn problems() -> Vec<Problem> {
    let path = || "f".into();
    let (why, instead) = ("this".to_owned(), Some(Remedy::Omit(Field::Engine)));
    let kind = Some("ext4".to_owned());
    let mut all = each!(Problem:
        NoTimespan {} NoTarget {} Verify { why: why.clone(), instead: Vec::new() } Mix { why: why.clone() } MixLine { line: 1, why: why.clone() }
        Polling { field: Field::CompletionPolling, what: "it", instead: instead.clone() } NullMismatch {}
        Value { field: Field::Block, read: why.clone(), rule: Rule::BlockSize }
        Missing { path: path() } Gone { path: path() } Shrunk { path: path() } NoDevice { path: path() }
        MissingFolder { path: path() } Folder { path: path() } NotStorage { path: path() } Unreachable { path: path(), why: why.clone() } Forbidden { path: path(), why: None }
        NotWritable { path: path(), file_system: Some(FileSystem::default()), obstacle: None }
        DeviceNotWritable { path: path(), read_only: true }
        TooSmall { path: path(), size: SIZE, base: SIZE, block: SIZE }
        FewerBlocksThanThreads { path: path(), blocks: 1, threads: 2 }
        RangeBeyondEnd { path: path(), base: SIZE, end: SIZE, size: SIZE }
        RateCannot { what: "it" } PaceZero { what: "it" } Walk { why: "this" } StripeThreads { columns: 1, threads: 2 }
        NoRoomForThread { path: path(), thread: 1, start: SIZE, block: SIZE, length: SIZE }
        NothingToDraw { path: path(), length: SIZE } Mapped { what: "it", instead: "do not" } MappedDevice { path: path() }
        SimulatedMixed {} SimulatedCannot { what: "it", instead: "do not" } NullCannot { what: "it" }
        LocalOff { path: path(), file_system: kind.clone() } NoCores {} PoolThreads { read: 2 }
        PoolThreadNumber { read: 2, threads: 2 } PoolIdle { thread: 1 } WeightZero {} ShareWithoutPool {}
        PoolCannot { what: "it" } PoolTurns {} PoolMixed {} CreateDevice { path: path() }
        NoSpace { path: path(), needed: SIZE, free: SIZE, size: SIZE, mount_point: path() }
        NoDirectIo { path: path(), file_system: Some(FileSystem::default()) } Memory { needed: SIZE, available: SIZE }
        GroupMemory { needed: SIZE, limit: SIZE, used: SIZE, group: path() }
        OnlyPassthrough { path: path(), engine: EngineChoice::Sync } NoNamespace { path: path() }
        NamespaceUnknown { path: path() } PassthroughMixed {}
        PassthroughInUse { path: path(), block_device: path(), uses: claims() }
        PassthroughCannot { what: "it", instead: instead.clone() } InUse { path: path(), uses: claims() }
        Setting { path: path(), kind: why.clone() } Unchecked { path: path(), what: vec![why.clone()] }
        ForeignName { path: path(), name: foreign() } ForeignFile { path: path(), size: SIZE, signatures: claims() }
        FlawedFile { path: path(), size: SIZE, offset: SIZE, flaw: Flaw::Torn }
        UnprovenFile { path: path(), size: SIZE, flaw: Flaw::Torn } UnseenFile { path: path(), size: SIZE }
        ForeignDevice { path: path(), size: SIZE, signatures: Vec::new(), content: Content::Unknown });
    for field in fields() {
        let read = || "1".to_owned();
        all.extend(rules().into_iter().map(|rule| Problem::Value { field, read: read(), rule }));
        let remedies = [Remedy::Smaller(field), Remedy::Larger(field), Remedy::Omit(field)];
        let used = Remedy::Use(field, "value".into(), "");
        all.extend(remedies.into_iter().chain([used]).map(|one| Problem::Polling { field, what: "it", instead: Some(one) }));
    }
    all
}

/// A tool, how it spells fields, and whether it has an option of this name.
type Tool = (&'static str, Options, fn(&str, &str) -> bool);

const TOOLS: [Tool; 12] = [
    ("run", native::option, of_command),
    ("sweep", native::option, of_command),
    ("survey", survey, of_command),
    ("quick", looks, of_command),
    ("layers", looks, of_command),
    ("dd", dd, of_command),
    ("iometer", iometer::option, of_command),
    ("diskspd", diskspd::option, |_, word| {
        let mut flags = diskspd::FLAGS.iter();
        flags.any(|flag| is_switch(word, flag.name, flag.long))
    }),
    ("sqlio", sqlio::option, |_, word| {
        let mut flags = sqlio::FLAGS.iter();
        flags.any(|flag| is_switch(word, flag.name, flag.long))
    }),
    ("fio", fio::option, |_, word| {
        let job = |name: &str| fio::rows().any(|row| row.names.contains(&name));
        match word.strip_prefix("--") {
            Some(long) => fio::MAIN.iter().any(|row| row.name == long),
            None => word.split_once('=').is_some_and(|(name, _)| job(name)),
        }
    }),
    ("ior", ior::option, |_, word| {
        is_in(&ior::usage("ior"), word)
    }),
    ("xdd", xdd::option, |_, word| {
        is_in(&xdd::usage("xdd"), word)
    }),
];

/// Whether the help has it as a word.
fn is_in(help: &str, word: &str) -> bool {
    help.split_whitespace().any(|one| one == word)
}

/// Letters count as they are written, and what belongs to a switch follows it.
fn is_switch(word: &str, name: &str, long: bool) -> bool {
    match (word.strip_prefix("--"), long) {
        (Some(word), true) => word == name,
        (None, false) => word
            .strip_prefix('-')
            .is_some_and(|word| word.starts_with(name)),
        _ => false,
    }
}

fn of_command(command: &str, word: &str) -> bool {
    let cli = program();
    let command = cli.find_subcommand(command).expect("a command of fathom");
    let is = |arg: &clap::Arg| {
        let long = arg.get_long().map(|long| format!("--{long}"));
        let short = arg.get_short().map(|short| format!("-{short}"));
        long.as_deref() == Some(word) || short.as_deref() == Some(word)
    };
    command.get_arguments().any(is)
}

/// The words of a message that look like options, those of the system's own commands omitted.
fn options_in(message: &str) -> Vec<String> {
    let mut message = message.to_owned();
    for command in [
        "mount -o remount,rw",
        "fuser -v",
        "blockdev --setrw",
        "readlink -f",
    ] {
        message = message.replace(command, "");
    }
    let ends = |c: char| c.is_whitespace() || "(),;:'".contains(c);
    let looks_so = |word: &&str| {
        let letter = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
        letter(word.trim_start_matches('-')) && (word.starts_with('-') || word.contains('='))
    };
    let words = message.split(ends).filter(looks_so);
    words.map(str::to_owned).collect()
}

#[test]
fn no_message_names_an_option_that_its_tool_does_not_have() {
    let problems = problems();
    for (tool, options, has) in TOOLS {
        for problem in &problems {
            // Names another command with its option, which `run` has.
            let message = problem
                .message(options)
                .replace("fathom run --cache cached", "");
            for word in options_in(&message) {
                assert!(has(tool, &word), "{tool} has no {word}: {message}");
            }
        }
        let refused = Problem::ForeignFile {
            path: "f".into(),
            size: SIZE,
            signatures: Vec::new(),
        };
        let named = options_in(&refused.message(options));
        assert!(named.ends_with(&["--overwrite".to_owned()]), "{tool}");
    }
}

#[test]
fn a_value_is_named_in_the_options_of_its_tool() {
    let refused = Problem::Value {
        field: Field::Block,
        read: "1000".to_owned(),
        rule: Rule::BlockSize,
    };
    for (tool, named) in [
        ("run", "value '1000' for --block: "),
        ("survey", "block size '1000': "),
        ("iometer", "value '1000' for Transfer Request Size: "),
        ("diskspd", "value '1000' for -b: "),
        ("fio", "value '1000' for bs=: "),
    ] {
        let (_, options, _) = TOOLS.iter().find(|one| one.0 == tool).unwrap();
        let message = refused.message(*options);
        assert!(message.contains(named), "{message}");
    }
}
