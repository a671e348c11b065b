//! What must be true for any text that the fuzzers come up with. The fuzz targets are these functions and nothing else;
//! the tests of `dialects` include this file too and run them on the seeds, and on seeds that were damaged.

use tools::diskspd::{
    Action, Compat, Environment, Extra, Purpose, XML_LOST, build, parse, print_text, read_xml,
    validate, write_xml,
};

/// Any arguments, one a line: read, or refused in words. What is read survives its document, and means the same.
pub(crate) fn diskspd_args(text: &str) {
    let args: Vec<String> = text.lines().map(str::to_owned).collect();
    let request = match parse(&args, &Environment::BARE) {
        Ok(request) => request,
        Err(refusal) => {
            assert!(
                refusal
                    .iter()
                    .all(|problem| !problem.to_string().is_empty())
            );
            return;
        }
    };
    let (Action::Run(profile) | Action::Print(profile)) = request.action else {
        return;
    };
    print_text(&profile, text, Compat::V2_2);
    print_text(&profile, text, Compat::V2_0);
    let document = write_xml(&profile, 0, Compat::V2_2);
    let again = read_xml(&document).expect("what is written can be read");
    if !document.contains(XML_LOST) {
        assert_eq!(again, profile);
        assert_eq!(
            build(&again, &Extra::default()),
            build(&profile, &Extra::default())
        );
    }
}

/// Any arguments of SQLIO, one a line; `-Fp` is a parameter file. What is read is printed as words that mean the same.
pub(crate) fn sqlio_args(text: &str) {
    use tools::sqlio;
    const PARAMS: &str = "a 1 0x1 5\n\"b c\" 2\n";
    let args: Vec<String> = text.lines().map(str::to_owned).collect();
    let read = |params: &str, args: &[String]| {
        let text = |_: &str| Ok(params.to_owned());
        sqlio::parse(args, &sqlio::Environment { read: &text })
    };
    let request = match read(PARAMS, &args) {
        Ok(request) => request.without_notes(),
        Err(refusal) => {
            assert!(
                refusal
                    .iter()
                    .all(|problem| !problem.to_string().is_empty())
            );
            return;
        }
    };
    let sqlio::Action::Run(profile) = &request.action else {
        return;
    };
    let words = sqlio::print_words(profile, &request.extra);
    let params = match &profile.files {
        sqlio::Files::Listed { lines, .. } => sqlio::print_params(lines),
        sqlio::Files::Named { .. } => String::new(),
    };
    let again = read(&params, &words).expect("what is printed can be read");
    assert_eq!(again.without_notes(), request);
    let found = vec![None; profile.targets().len()];
    if let Ok(built) = sqlio::build(profile, &request.extra, &found) {
        sqlio::head(profile, &built.sizes);
    }
}

/// Any text as a parameter file: read, or refused in words with the number of the line. What is read survives being
/// printed.
pub(crate) fn sqlio_params(text: &str) {
    use tools::sqlio::{PARAMS_MAX, print_params, read_params};
    let lines = match read_params("p", text) {
        Ok(lines) => lines,
        Err(problems) => {
            assert!(!problems.is_empty() && problems.len() < 100);
            assert!(problems.iter().all(|one| one.to_string().starts_with('p')));
            return;
        }
    };
    let printed = print_params(&lines);
    if printed.len() as u64 <= PARAMS_MAX {
        let again = read_params("p", &printed).expect("what is printed can be read");
        assert_eq!(again, lines);
    }
}

/// Any text as the plan of a sweep: read, or refused in words with the place. What is read stays within the size of a
/// sweep, and its first cell can be built and written for elsewhere, or reports why not; a script's words mean that
/// cell.
pub(crate) fn sweep_plan(text: &str) {
    use tools::sweep::{Base, build_cell, from_plan, script_cell};
    let plan = match from_plan(text) {
        Ok(plan) => plan,
        Err(refusal) => {
            assert!(refusal.iter().count() > 0);
            let mut reported = refusal.iter().map(ToString::to_string);
            assert!(reported.all(|problem| !problem.is_empty()));
            return;
        }
    };
    let sizes = |axes: &[tools::sweep::Axis]| axes.iter().map(|axis| axis.values.len()).max();
    let cells: Vec<usize> = plan
        .groups
        .iter()
        .filter_map(|group| sizes(&group.axes))
        .collect();
    assert!(!plan.groups.is_empty() && cells.iter().sum::<usize>() <= 10_000);
    for group in &plan.groups {
        let values: Vec<(String, String)> = group
            .axes
            .iter()
            .filter_map(|axis| Some((axis.name.clone(), axis.values.first()?.clone())))
            .collect();
        let built = build_cell(&plan.base, &values, 0, &Environment::BARE);
        let script = script_cell(&plan.base, &values, 0);
        match (built, &plan.base) {
            (Ok(built), Base::Native(_)) => {
                let script = script.expect("a cell that can be run can be written down");
                assert_eq!(script.fathom, built.words);
            }
            (Ok(built), Base::Diskspd(_) | Base::Script(_)) => assert!(!built.words.is_empty()),
            (Err(refusal), _) => assert!(refusal.iter().count() > 0),
        }
    }
}

/// Any text as a profile: read, or refused in few words with its place. What is read and valid survives being written.
pub(crate) fn diskspd_xml(text: &str) {
    let profile = match read_xml(text) {
        Ok(profile) => profile,
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1);
            assert!(!error.what.is_empty() && error.what.len() < 2000, "{error}");
            return;
        }
    };
    let _ = build(&profile, &Extra::default());
    // Nothing else is ever printed.
    if validate(&profile, Purpose::Print).is_ok() {
        let again =
            read_xml(&write_xml(&profile, 0, Compat::V2_2)).expect("what is written can be read");
        assert_eq!(again, profile);
    }
}

/// Any text as a job file of fio's: read, or refused in words with the place; what is read becomes a profile, or is
/// refused in the same way.
pub(crate) fn fio_jobs(text: &str) {
    use tools::fio;
    let read = |path: &str| match path {
        "j" => Ok(text.to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let environment = fio::Environment {
        read: &read,
        ..fio::Environment::BARE
    };
    let reported = |refusal: &fio::Refusal| {
        assert!(refusal.iter().count() > 0);
        assert!(refusal.iter().all(|one| !one.why.is_empty()));
    };
    match fio::parse(&["j".to_owned()], &environment) {
        Err(refusal) => reported(&refusal),
        Ok(request) => match fio::build(&request, &|_| None) {
            Err(refusal) => reported(&refusal),
            Ok(built) => {
                let spans = &built.profile.timespans;
                assert!(spans.iter().all(|span| !span.targets.is_empty()));
                assert!(built.parts.iter().all(|part| part.span < spans.len()));
            }
        },
    }
}

/// Any text as a configuration of IOmeter's: read, or refused in words with lines; what is read survives being printed.
pub(crate) fn iometer_icf(text: &str) {
    use tools::iometer::{Config, Wishes, build, decode, print, read};
    let bytes: Vec<u8> = text.chars().map(|letter| letter as u8).collect(); // any bytes at all
    let _ = read(&decode(&bytes));
    let config = match read(text) {
        Ok(config) => config,
        Err(problems) => {
            assert!(!problems.is_empty() && problems.iter().all(|one| !one.what.is_empty()));
            return;
        }
    };
    let bare = |mut config: Config| {
        config.specs.iter_mut().for_each(|spec| spec.at = 0);
        for worker in config.managers.iter_mut().flat_map(|one| &mut one.workers) {
            worker.at = 0;
            worker.pattern = Some(worker.pattern.unwrap_or(0));
        }
        config
    };
    let again = read(&print(&config)).expect("what is printed can be read");
    assert_eq!(bare(again), bare(config.clone()));
    if let Err(problems) = build(&config, &Wishes::default(), &|_| None) {
        assert!(!problems.is_empty());
    }
}

/// Any operands of dd, one a line: read, or refused in words. What is read fits into memory, and is read as the same again.
pub(crate) fn dd_operands(text: &str) {
    use tools::dd::{DdRequest, read};
    let words: Vec<String> = text.lines().map(str::to_owned).collect();
    let request = match read(&words) {
        Ok(request) => request,
        Err(problems) => {
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|one| !one.to_string().is_empty()));
            return;
        }
    };
    for end in [&request.input, &request.output] {
        assert!((1..=1 << 30).contains(&end.block.0));
    }
    assert_eq!(read(&request.operands), Ok(request.clone()));
    let mut twice = words.clone();
    twice.extend(words);
    let again = read(&twice).expect("the last of two counts, and both are the same");
    assert_eq!(
        DdRequest {
            operands: request.operands.clone(),
            ..again
        },
        request
    );
}
