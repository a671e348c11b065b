//! The command that decides next, for each cause: from the rule that names it and the figures of its document.

use crate::documents::Figures;

/// A line of fathom, with the block size and the depth of the guilty document where they matter.
pub(crate) fn command(rule: &str, guilty: &str) -> String {
    let (tool, rest) = guilty.split_once(' ').unwrap_or((guilty, ""));
    let words = rest.split_whitespace().filter(|word| word.contains('='));
    let f = Figures::read(&words.collect::<Vec<_>>().join(" "));
    let depth = ["iodepth", "o", "depth"].map(|name| f.number(name, 0.0));
    let depth = depth.into_iter().fold(0.0, f64::max);
    let depth = if depth > 0.0 { depth } else { 32.0 };
    let writes = f.number("w", 0.0) > 0.0 || f.word("rw", "").contains("write");
    let write = if writes { " -w 100" } else { "" };
    let sequential = match f.word("rw", f.word("access", "")) {
        "read" | "write" | "rw" | "sequential" => " --pattern sequential",
        _ => "",
    };
    let bytes = match f.word("bs", f.word("b", "4k")) {
        plain if plain.bytes().all(|byte| byte.is_ascii_digit()) => plain.parse().unwrap_or(4096),
        text => kib(text) * 1024,
    };
    let work = |bytes: u64| {
        let block = match bytes >> 20 {
            0 => format!("{}K", (bytes >> 10).max(1)),
            mib => format!("{mib}M"),
        };
        format!("fathom run TARGET -b {block}{write}{sequential}")
    };
    match rule {
        "iops-limit" => format!("{} -o {depth}", work(bytes * 4)),
        "bandwidth-limit" if ["cdm", "hdparm", "jobs"].contains(&tool) => {
            "fathom survey TARGET".to_owned()
        }
        "bandwidth-limit" => format!("{} -o {depth}", work((bytes / 4).max(4096))),
        "uneven-disks" => format!("fathom run /dev/sda /dev/sdb -o {depth}"),
        "synchronous-submission"
            if f.word("direct", "1") == "0" || f.word("cache", "") == "buffered" =>
        {
            format!("{} -o {depth}", work(bytes))
        }
        "synchronous-submission" => format!("{} -o 1 -t {}", work(bytes), depth.min(64.0)),
        "queue-depth-ignored" => format!("{} -o {depth}", work(bytes)),
        "queue-not-full" => format!("{} -o {depth} -t 4", work(bytes)),
        "saturated" => format!("fathom sweep TARGET -o 1..{depth}"),
        "slow-reads" => "fathom watch sda".to_owned(),
        "stall" => "fathom watch sdb".to_owned(),
        "cpu-bound" => format!("{} -o {depth} -t 4", work(bytes)),
        "short-run" => format!("{} -o {depth} -d 60s", work(bytes)),
        "commit-latency" => format!("{} -o 1", work(bytes)),
        "no-device" => "fathom run FILE --create 4G".to_owned(),
        "requested-rate" => format!("{} -o {depth}", work(bytes)),
        "same-place" => format!("{} -o {depth}", work(bytes)),
        "compressible-data" => format!("{} -o {depth} --create 4G", work(bytes)),
        "zero-data" if tool == "dd" => {
            "fathom dd if=/dev/zero of=FILE bs=1M count=4096 oflag=direct".to_owned()
        }
        "zero-data" if tool == "sqlio" => "fathom run FILE --create 20G -o 32".to_owned(),
        "zero-data" => format!("{} -o {depth} --create 4G", work(bytes)),
        "loop-page-cache" => "fathom layers TARGET".to_owned(),
        "not-steady" => format!("{} -o {depth} -d 10m", work(bytes)),
        "one-at-a-time" => format!("{} -o 1", work(1 << 20)),
        "source-bound" => "fathom dd if=/dev/urandom of=/dev/null bs=1M count=1024".to_owned(),
        "write-penalty" => format!("{} -o 1", work(1 << 20)),
        "inconsistent-figures" => "fathom import FILE --dry-run --json".to_owned(),
        "tool-warning" => format!("{} -o {depth}", work(bytes)),
        "page-cache" if writes => format!("{} -o {depth} --write-through", work(bytes)),
        _ => "fathom survey TARGET --cache-check".to_owned(),
    }
}

fn kib(text: &str) -> u64 {
    let end = text
        .trim_end_matches(|c: char| c.is_ascii_alphabetic())
        .len();
    let number = text[..end].parse().unwrap_or(4);
    match text[end..].to_ascii_lowercase().as_str() {
        "m" => number * 1024,
        _ => number,
    }
}
