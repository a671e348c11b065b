//! Lists of hosts as people write them: `a,b`, `n[001-128,200]`, `a:2`.
//!
//! Omitted: whether a host exists.

use std::collections::HashSet;

/// Ranks of a list at most.
const RANKS_MAX: usize = 65_536;

/// Returns the host of each rank, in order; `a:2` is two ranks on one host.
///
/// # Errors
/// Why the list is none, with its place.
pub fn host_list(text: &str) -> Result<Vec<String>, String> {
    let (mut hosts, mut known) = (Vec::new(), HashSet::new());
    for (place, entry) in entries(text)?.into_iter().enumerate() {
        let wrong = |why: &str| format!("entry {} ('{entry}'): {why}", place + 1);
        let (name, ranks) = match entry.rsplit_once(':') {
            Some((name, ranks)) => (name, ranks.parse::<usize>().ok().filter(|ranks| *ranks > 0)),
            None => (entry, Some(1)),
        };
        let ranks = ranks.ok_or_else(|| wrong("the number of ranks must be 1 or more"))?;
        for host in expanded(name).map_err(|why| wrong(&why))? {
            valid(&host).map_err(|why| wrong(&why))?;
            if !known.insert(host.clone()) {
                return Err(wrong(&format!(
                    "{host} is listed twice; {host}:2 is two ranks on it"
                )));
            }
            if hosts.len() + ranks > RANKS_MAX {
                return Err(wrong(&format!("a job has at most {RANKS_MAX} ranks")));
            }
            hosts.extend(std::iter::repeat_n(host, ranks));
        }
    }
    Ok(hosts)
}

/// Splits at commas outside of brackets.
fn entries(text: &str) -> Result<Vec<&str>, String> {
    let (mut found, mut begin, mut depth) = (Vec::new(), 0, 0u32);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[begin..]);
    match found.iter().position(|entry| entry.is_empty()) {
        Some(place) => Err(format!("entry {} is empty", place + 1)),
        None => Ok(found),
    }
}

/// `n[1-3,7]` is n1, n2, n3, n7; zeros before a number are kept.
fn expanded(name: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = name.split_once('[') else {
        return Ok(vec![name.to_owned()]);
    };
    let (ranges, behind) = rest.split_once(']').ok_or("a bracket is not closed")?;
    if behind.contains('[') {
        return Err("only one range per entry".to_owned());
    }
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| {
            text.parse::<usize>()
                .map_err(|_| format!("'{text}' is no number"))
        };
        let (from, to) = (number(first)?, number(last)?);
        if from > to {
            return Err(format!("the range {range} ends before it begins"));
        }
        if to - from >= RANKS_MAX - all.len() {
            return Err(format!(
                "the ranges up to {range} have more than {RANKS_MAX} hosts"
            ));
        }
        let width = first.len();
        all.extend((from..=to).map(|number| format!("{before}{number:0width$}{behind}")));
    }
    Ok(all)
}

/// A name goes into a command line, where it must not be an option or a path.
fn valid(host: &str) -> Result<(), String> {
    let bad = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '/';
    match host.is_empty() || host.starts_with('-') || host.chars().any(bad) {
        true => Err(
            "a host name is not empty, does not begin with '-' and has no blank and no '/'"
                .to_owned(),
        ),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_their_zeros_and_ranks_are_repeated() {
        assert_eq!(host_list("a,b").unwrap(), ["a", "b"]);
        assert_eq!(
            host_list("n[008-010,200].lan").unwrap(),
            ["n008.lan", "n009.lan", "n010.lan", "n200.lan"]
        );
        assert_eq!(host_list("a:2,b").unwrap(), ["a", "a", "b"]);
        assert_eq!(host_list("n[1-2]:2").unwrap(), ["n1", "n1", "n2", "n2"]);
    }

    #[test]
    fn lists_that_are_none_are_refused_with_the_place() {
        let refused = [
            ("a,,b", "entry 2 is empty"),
            ("", "entry 1 is empty"),
            ("n[3-1]", "ends before it begins"),
            ("n[1-999999]", "more than 65536"),
            ("n[1-65536,1-65536]", "more than 65536"),
            ("n[1-65536],x", "at most 65536 ranks"),
            ("a,a", "listed twice"),
            ("a:0", "1 or more"),
            ("a:x", "1 or more"),
            ("-oProxyCommand=x", "does not begin with '-'"),
            ("a b", "no blank"),
            ("a/b", "no '/'"),
            ("n[1-2", "not closed"),
            ("n[x]", "no number"),
        ];
        for (text, why) in refused {
            let error = host_list(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
