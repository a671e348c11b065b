//! What a copy would do, for `--dry-run`.

use analysis::say::bytes;
use engine::{CopyEnd, CopyJob};
use std::path::{Path, PathBuf};

/// Three or more lines. `names` are those of both ends.
pub(super) fn job(job: &CopyJob, [from, to]: [PathBuf; 2]) -> String {
    let mut lines = vec![
        "dry run: nothing is read or written".to_owned(),
        format!("  from    {}", end(&job.input, &from)),
        format!("  to      {}", end(&job.output, &to)),
    ];
    let amount = match (job.count, job.count_bytes) {
        (_, Some(most)) => bytes(most.0),
        (Some(count), None) => bytes(count.saturating_mul(job.input.block.0)),
        (None, None)
            if job
                .transfers
                .as_ref()
                .is_some_and(|work| work.time_limit.is_some()) =>
        {
            "until the time is over, or to the end of the source".to_owned()
        }
        (None, None) => "to the end of the source".to_owned(),
    };
    lines.push(format!("  amount  {amount}"));
    if let Some(work) = &job.transfers {
        lines.push(format!("  threads {}", work.threads));
        if let Some(random) = &work.random {
            lines.push(format!("  random  within {}", bytes(random.length.0)));
        }
        if let Some(limit) = work.time_limit {
            lines.push(format!("  time    {limit}"));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn end(end: &CopyEnd, name: &Path) -> String {
    let mut words = vec![
        name.display().to_string(),
        format!("{} per I/O", bytes(end.block.0)),
    ];
    if end.offset.0 > 0 {
        words.push(format!("from {}", bytes(end.offset.0)));
    }
    let flags = [
        (end.direct, "direct I/O"),
        (end.sync, "O_SYNC"),
        (end.dsync, "O_DSYNC"),
        (end.append, "at the end"),
    ];
    let set = flags.iter().filter(|(is, _)| *is);
    words.extend(set.map(|(_, word)| (*word).to_owned()));
    words.join(", ")
}
