//! Profiles as documents: the cases of the list by id, bounds, and what is written.

use crate::facts::{facts, profile, read};
use crate::xml_cases::{CASES, POOL};
use tools::diskspd::{
    Action, Cache, Compat, Content, Distribution, Environment, Extra, Flush, Precreate, Profile,
    Purpose, ResultFormat, build, parse, read_xml, validate, write_xml,
};

fn document(span: &str, target: &str) -> String {
    format!(
        "<Profile>\n<TimeSpans><TimeSpan>{span}<Targets><Target><Path>f</Path>{target}</Target></Targets></TimeSpan></TimeSpans></Profile>"
    )
}

fn accepted(span: &str, target: &str) -> Result<Profile, String> {
    let profile = read_xml(&document(span, target)).map_err(|error| error.to_string())?;
    validate(&profile, Purpose::Print).map_err(|refusal| refusal.to_string())?;
    Ok(profile)
}

#[test]
fn every_case_of_the_list_is_read_as_it_says() {
    let mut wrong = Vec::new();
    for (id, span, target, expected) in CASES {
        let read = accepted(span, target);
        let found = match &read {
            Ok(profile) => facts(&Action::Run(profile.clone()))
                .replace("; pool requests=6; pool threads=4", ""),
            Err(_) => "refused".to_owned(),
        };
        if found != *expected {
            wrong.push(format!(
                "{id}: expected {expected}, found {found}: {:?}",
                read.err()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn x001_a_profile_has_a_time_span() {
    assert!(read_xml("<Profile><TimeSpans/></Profile>").is_err());
    assert!(read_xml("<Profile/>").is_err());
}

#[test]
fn x005_one_is_true() {
    let text = document("", "").replace("<Profile>", "<Profile><Verbose>1</Verbose>");
    assert!(read_xml(&text).unwrap().verbose);
}

#[test]
fn x025_files_are_made_in_one_of_three_ways() {
    let with = |word: &str| {
        let element = format!("<Profile><PrecreateFiles>{word}</PrecreateFiles>");
        read_xml(&document("", "").replace("<Profile>", &element)).map(|profile| profile.precreate)
    };
    assert_eq!(with("UseMaxSize"), Ok(Some(Precreate::UseMaxSize)));
    assert_eq!(
        with("CreateOnlyFilesWithConstantSizes"),
        Ok(Some(Precreate::OnlyFilesWithConstantSizes))
    );
    assert_eq!(
        with("CreateOnlyFilesWithConstantOrZeroSizes"),
        Ok(Some(Precreate::OnlyFilesWithConstantOrZeroSizes))
    );
    assert!(with("Always").is_err());
}

#[test]
fn x026_threads_of_a_pool_have_weights() {
    let list = "<ThreadTargets><ThreadTarget><Thread>0</Thread><Weight>200</Weight></ThreadTarget>\
                <ThreadTarget><Weight>50</Weight><Thread>1</Thread></ThreadTarget>\
                <ThreadTarget><Thread>2</Thread></ThreadTarget></ThreadTargets><Weight>100</Weight>";
    let profile = accepted(POOL, list).unwrap();
    let target = &profile.time_spans[0].targets[0];
    assert_eq!(target.thread_targets, [(0, 200), (1, 50), (2, 0)]);
    assert_eq!(target.weight, 100);
}

fn with_paths(paths: &[&str]) -> String {
    let spans: String = paths
        .iter()
        .map(|path| {
            format!("<TimeSpan><Targets><Target><Path>{path}</Path></Target></Targets></TimeSpan>")
        })
        .collect();
    format!("<Profile><ResultFormat>xml</ResultFormat><TimeSpans>{spans}</TimeSpans></Profile>")
}

fn run(line: &str, paths: &[&str]) -> Result<Profile, String> {
    let text = with_paths(paths);
    let environment = Environment {
        read: &|_| Ok(text.clone()),
        ..Environment::BARE
    };
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match parse(&args, &environment)
        .map_err(|refusal| refusal.to_string())?
        .action
    {
        Action::Run(profile) | Action::Print(profile) => Ok(profile),
        other => panic!("{other:?}"),
    }
}

fn paths(profile: &Profile) -> Vec<&str> {
    profile
        .time_spans
        .iter()
        .map(|span| span.targets[0].path.as_str())
        .collect()
}

#[test]
fn templates_take_the_targets_of_the_line() {
    let both = run("-Xp.xml -v -vs -z7 -W1 -C2 -:1 a b", &["*1", "*2"]).unwrap(); // C253
    assert_eq!(paths(&both), ["a", "b"]);
    assert!(both.verbose && both.verbose_stats && both.experiment_flags == 1);
    assert!(
        both.time_spans
            .iter()
            .all(|span| (span.seed, span.warmup_s, span.cooldown_s) == (7, 1, 2))
    );
    assert!(run("-Xp.xml a", &["f"]).is_err()); // C254, X042
    assert!(run("-Xp.xml", &["*1"]).is_err()); // C256
    let printed = run("-Xp.xml -Rp", &["*1"]).unwrap(); // C257
    assert_eq!(
        (paths(&printed), printed.result_format),
        (vec!["*1"], ResultFormat::Xml)
    );
    assert_eq!(paths(&run("-Xp.xml a", &["*1", "*1"]).unwrap()), ["a", "a"]); // C258
    assert!(run("-Xp.xml a", &["*1", "*2"]).is_err()); // X040
    assert!(run("-Xp.xml a b", &["*1"]).is_err()); // X041
    for template in ["*", "*0", "*foo", "*1foo", "**1", "*-1"] {
        assert!(run("-Xp.xml -Rp", &[template]).is_err(), "X038 {template}");
    }
    assert_eq!(
        run("-Xp.xml -Rtext", &["f"]).unwrap().result_format,
        ResultFormat::Text
    );
}

#[test]
fn beside_a_profile_only_what_it_leaves_open() {
    for line in [
        "-Xp.xml -b4K",
        "-b4K -Xp.xml",
        "-Xp.xml -yra",
        "-Xp.xml -?",
        "-Xa.xml -Xb.xml",
        "-X",
    ] {
        let refusal = run(line, &["f"]).unwrap_err();
        let is_of_a_switch = refusal.starts_with('-') || refusal.starts_with("no value for -");
        assert!(is_of_a_switch, "{line}: {refusal}");
    }
    assert!(
        run("-b4K -Xp.xml", &["f"])
            .unwrap_err()
            .contains("multiple XML profiles")
    );
    assert!(run("-Xp.xml --overwrite --json x", &["f"]).is_ok());
    assert!(
        read("-Xp.xml")
            .unwrap_err()
            .to_string()
            .contains("-Xp.xml: no such file")
    );
}

#[test]
fn x044_the_profile_inside_of_results_is_taken() {
    let written = write_xml(&profile("-b4k -r f"), 2, Compat::V2_2);
    let text = format!(
        "<Results>\n  <System><ComputerName>x</ComputerName><Deep><Deeper/></Deep></System>\n{written}  <TimeSpan><Thread><Id>0</Id></Thread></TimeSpan>\n</Results>"
    );
    assert_eq!(read_xml(&text).unwrap(), profile("-b4k -r f"));
    assert!(read_xml("<Results><System/></Results>").is_err());
}

#[test]
fn what_is_written_is_what_the_original_writes() {
    let line =
        "-Rpxml -b8K -t4 -o32 -r -w30 -Suw -L -D -Z10M -B5G -g1500i -rdpct95/5:4/10 /data/t.dat";
    expect_test::expect_file!["expect/profile.xml"].assert_eq(&write_xml(
        &profile(line),
        0,
        Compat::V2_2,
    ));
}

#[test]
fn single_elements_are_written_as_the_list_of_cases_says() {
    for (id, line, with, without) in [
        (
            "X045",
            "f",
            "<StrideSize>65536</StrideSize>\n          <InterlockedSequential>false</InterlockedSequential>",
            "<Random>",
        ),
        ("X046", "-r f", "<Random>65536</Random>", "StrideSize"),
        (
            "X048",
            "-g1000i f",
            "<Throughput unit=\"IOPS\">1000</Throughput>",
            "<FileSize>",
        ),
        (
            "X049",
            "-g1000 f",
            "<Throughput>1000</Throughput>",
            "ExperimentFlags",
        ),
        ("X050", "-c0 f", "<FileSize>0</FileSize>", "VerboseStats"),
        (
            "X052",
            "-Zr f",
            "<RandomWriteData>true</RandomWriteData>",
            "ETW",
        ),
        (
            "X053",
            "-rdabs10/1G -r f",
            "<Range IO=\"90\">0</Range>",
            "Percent",
        ),
        (
            "X054",
            "-:1 -vs f",
            "<ExperimentFlags>1</ExperimentFlags>",
            "RandomWriteData",
        ),
        (
            "X054",
            "-:1 -vs f",
            "<VerboseStats>true</VerboseStats>",
            "<Affinity>",
        ),
        ("X056", "a&b", "<Path>a&amp;b</Path>", "a&b"),
    ] {
        let xml = write_xml(&profile(line), 0, Compat::V2_2);
        assert!(xml.contains(with) && !xml.contains(without), "{id}: {xml}");
    }
}

/// Through the command line both ways, unlike the law over generated profiles.
#[test]
fn x057_a_printed_profile_is_the_request_it_was_printed_from() {
    let line =
        "-b8K -t4 -o32 -r -w30 -Suw -L -D -Z10M -B5G -g1500i -rdpct95/5:4/10 -Zr /data/t.dat b";
    let Action::Print(printed) = read(&format!("-Rpxml {line}")).unwrap().action else {
        panic!("a profile is printed");
    };
    let text = write_xml(&printed, 0, Compat::V2_2);
    let environment = Environment {
        read: &|_| Ok(text.clone()),
        ..Environment::BARE
    };
    let fed_back = parse(&["-Xp.xml".to_owned()], &environment).unwrap().action;
    let asked = read(&format!("-Rxml {line}")).unwrap().action;
    assert_eq!(fed_back, asked);
}

#[test]
fn hostile_documents_are_refused_with_their_place() {
    let deep = "<a>".repeat(100_000);
    let wide = format!("<Profile>{}</Profile>", "<Verbose/>".repeat(200_000));
    let bomb = "<!DOCTYPE p [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<Profile>&b;</Profile>";
    for (text, place, what) in [
        (deep.as_str(), "line 1, column 49", "nested deeper"),
        (wide.as_str(), "line 1, column", "more than 100000 elements"),
        (bomb, "line 1, column 1", "document type"),
        (
            "<Profile>\n  <TimeSpans>\n",
            "line 3, column 1",
            "ends inside of <TimeSpans>",
        ),
        (
            "<Profile>\n  <Verbose>maybe</Verbose></Profile>",
            "line 2, column 3",
            "'maybe'",
        ),
        (
            "<Profile>\n <Verbose>&x;</Verbose></Profile>",
            "line 2, column 2",
            "x",
        ),
        ("<Profile></Profil>", "line 1, column", "well-formed"),
        (
            "<Profile/><Profile/>",
            "line 1, column 11",
            "second document",
        ),
        ("diskspd", "line 1, column 1", "outside"),
        ("", "line 1, column 1", "no element"),
        ("<Job/>", "line 1, column 1", "not a profile"),
    ] {
        let error = read_xml(text).unwrap_err().to_string();
        let front: String = text.chars().take(50).collect();
        assert!(
            error.starts_with(place) && error.contains(what),
            "{front}: {error}"
        );
    }
}

#[test]
fn a_document_with_everything_reaches_the_plan() {
    let text = include_str!("../../../../fuzz/seeds/diskspd_xml/everything.xml");
    let mut profile = read_xml(text).unwrap();
    assert_eq!(profile.time_spans.len(), 2);
    assert!(std::mem::take(&mut profile.verbose_stats), "not to be run");
    let first = &profile.time_spans[0].targets[0];
    assert_eq!(
        (first.cache, first.mapped),
        (Cache::Cached, Some(Flush::ViewOfFile))
    );
    assert_eq!(
        first.content,
        Content::Source {
            bytes: 1_048_576,
            file: Some("/data/random&more.bin".to_owned())
        }
    );
    assert!(matches!(first.distribution, Distribution::Absolute(_)));
    let built = build(&profile, &Extra::default()).unwrap().profile;
    assert_eq!(built.timespans.len(), 2);
    assert_eq!(
        built.timespans[1].pool,
        Some(model::Pool {
            threads: 4,
            outstanding: Some(6),
            draw: model::PoolDraw::ByWeight
        })
    );
}
