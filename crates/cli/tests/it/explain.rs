//! `fathom explain` and `fathom docs`: every id, the nearest one to a misspelt id, its document; the pages of the book.

use crate::bench::Bench;
use crate::terminals::shell_on_terminal;

#[test]
fn every_id_of_the_list_is_explained() {
    let bench = Bench::new();
    let all = bench.line("explain --json").good().json();
    let all = all["explanations"].as_array().unwrap();
    assert!(all.len() > 60, "{}", all.len());
    let list = bench.line("explain").good().out;
    for one in all {
        let id = one["id"].as_str().unwrap();
        assert!(list.contains(&format!("  {id} ")), "{id}");
    }
    let one = bench.line("explain iops-limit").good().out;
    for part in [
        "iops-limit (finding, limit)",
        "How it is found",
        "Evidence",
        "What to do",
        "Source",
    ] {
        assert!(one.contains(part), "{part}: {one}");
    }
}

#[test]
fn words_of_a_report_are_ids_too() {
    let bench = Bench::new();
    for (words, id) in [
        ("NOT CHECKED", "not-checked"),
        ("CAUTION", "caution"),
        ("not ready", "not-ready"),
    ] {
        let one = bench.line(&format!("explain {words} --json")).good().json();
        assert_eq!(one["explanations"][0]["id"], id);
    }
}

#[test]
fn other_words_are_searched_in_texts_and_in_the_glossary() {
    let bench = Bench::new();
    for (line, part) in [
        ("p99", "percentile: the latency that"),
        ("latency", "I/O latency: from submission to completion"),
        ("limited by", "limited by: what keeps"),
        ("slow", "fathom explain ID explains one of them."),
        ("queue", "queue-not-full"),
    ] {
        let found = bench.line(&format!("explain {line}")).good().out;
        assert!(found.contains(part), "{line}: {found}");
    }
    let found = bench.line("explain slow --json").good().json();
    assert!(found["explanations"].as_array().unwrap().len() > 2);
}

#[test]
fn an_unknown_id_is_refused_with_the_nearest() {
    let bench = Bench::new();
    bench
        .line("explain iops-limt")
        .refused("hint: fathom explain iops-limit");
    bench
        .line("explain NONSENSE")
        .refused("hint: fathom explain");
    bench
        .line("explain zzz")
        .refused("hint: fathom explain lists all ids");
}

#[test]
fn the_book_is_in_the_program() {
    let bench = Bench::new();
    let contents = bench.line("docs").good().out;
    assert!(contents.contains("\nSymptoms\n  too-fast "), "{contents}");
    let page = bench.line("docs too-fast").good().out;
    let source = include_str!("../../../../docs/symptoms/too-fast.md");
    assert_eq!(page, source, "Markdown where there is no terminal");
    assert_eq!(bench.line("docs Too fast to be true").good().out, source);
    let found = bench.line("docs etcd").good().out;
    for name in ["database-slow", "kubernetes-node"] {
        assert!(
            found.contains(&format!("\n{name} ")) || found.starts_with(name),
            "{found}"
        );
    }
    let id = bench.line("docs iops-limit").good().out;
    assert_eq!(id, bench.line("explain iops-limit").good().out);
    let pages = ["\nPages of fathom docs\n", "\n  cloud-limits "];
    assert!(pages.iter().all(|part| id.contains(part)), "{id}");
    let found = bench.line("explain etcd").good().out;
    assert!(found.contains("\n  database-slow "), "{found}");
    bench
        .line("docs coutnerfeit")
        .refused("hint: the nearest pages are fake-drive, counterfeit, ");
}

#[test]
fn on_a_terminal_the_pager_shows_a_page_without_marks() {
    let bench = Bench::new();
    let of = |pager: &str, line: &str| {
        let line = format!("fathom docs too-fast {line}");
        shell_on_terminal(&bench, 60, &line, &[("PAGER", pager)])
    };
    let Some(screen) = of("grep -c true", "") else {
        return; // the reason was printed
    };
    assert_eq!(screen.trim(), "1", "the title alone");
    let text = of("", "").unwrap();
    let widest = text.lines().map(|line| line.trim_end().chars().count());
    assert!(text.starts_with("# Too fast to be true") && !text.contains("<!--"));
    assert!(
        text.contains("page-cache: ") && !text.contains("| `page-cache`"),
        "{text}"
    );
    assert!(
        widest.filter(|width| *width > 60).count() < 20,
        "samples alone are wider: {text}"
    );
    assert_eq!(of("no-such-pager", "").unwrap(), text);
    let failed = of("false", "; echo code $?").unwrap();
    assert!(
        failed.contains("the pager false failed") && failed.contains("code 1"),
        "{failed}"
    );
}
