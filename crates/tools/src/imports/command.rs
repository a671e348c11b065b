//! Command lines as people post them: behind a prompt of any shape, in a script, in prose or in code marks.

/// Returns a command line in a line, from the name of its tool on: `~$dd if=…`, `PS C:\> .\diskspd.exe -b4K`, `` `iozone -a` ``.
/// It ends with the command: at a mark of code, or where another one follows.
pub(crate) fn in_line<'t>(line: &'t str, tool: &str) -> Option<&'t str> {
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&line.as_bytes()[from..], tool.as_bytes()) {
        let at = from + found;
        let behind = line[at + tool.len()..].strip_prefix(".exe");
        let behind = behind.unwrap_or(&line[at + tool.len()..]);
        let before = line[..at].chars().next_back();
        let alone = before
            .is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '=' | ',')));
        if alone && behind.starts_with(' ') {
            return Some(without_next(&line[at..]));
        }
        from = at + tool.len();
    }
    None
}

/// Returns the last command line of a tool in a text.
pub(crate) fn last_of<'t>(text: &'t str, tool: &str) -> Option<&'t str> {
    text.lines().rev().find_map(|line| in_line(line, tool))
}

/// Up to the end of the command; what it is piped to belongs to it.
fn without_next(command: &str) -> &str {
    let ends = ["`", "; ", " && ", " || ", "</"].iter();
    let end = ends.filter_map(|end| command.find(end)).min();
    command[..end.unwrap_or(command.len())].trim_end_matches([';', ' ', '\t', '\r'])
}

/// Returns the value of an option of one letter: `-s 4g`, `-s4g`; empty where it stands alone, as among `-tT`.
pub(crate) fn option(command: &str, letter: char) -> Option<&str> {
    let mut words = command.split_whitespace().skip(1).peekable();
    while let Some(word) = words.next() {
        let Some(flags) = word
            .strip_prefix('-')
            .filter(|flags| !flags.starts_with('-'))
        else {
            continue;
        };
        let Some(at) = flags.find(letter) else {
            continue;
        };
        let value = &flags[at + letter.len_utf8()..];
        let is_value = at == 0 && value.starts_with(|c: char| c.is_ascii_digit() || c == '/');
        if at > 0 && !flags.chars().all(|c| c.is_ascii_alphabetic()) {
            continue; // a letter of another option's value
        }
        return match (value.is_empty(), words.peek()) {
            (true, Some(next)) if !next.starts_with('-') => words.next(),
            _ if is_value => Some(value),
            _ => Some(""),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{in_line, last_of, option};

    #[test]
    fn a_command_is_found_behind_any_prompt() {
        for (line, command) in [
            ("$dd if=a of=b", Some("dd if=a of=b")),
            ("root@h:~#dd if=a", Some("dd if=a")),
            ("❯ /usr/bin/dd if=a; sync", Some("dd if=a")),
            ("I ran `dd if=a bs=1M` twice", Some("dd if=a bs=1M")),
            ("sync && dd if=a && sync", Some("dd if=a")),
            ("dd if=a | nc h 1", Some("dd if=a | nc h 1")),
            ("dd of=add dd", Some("dd of=add dd")),
            ("git add x", None),
            ("/dev/sdd is odd ", None),
        ] {
            assert_eq!(in_line(line, "dd"), command, "{line}");
        }
        assert_eq!(
            in_line(r"PS C:\> .\diskspd.exe -b4K x", "diskspd"),
            Some("diskspd.exe -b4K x")
        );
        assert_eq!(
            last_of("$ iozone -a\n$ iozone -I -a\nx", "iozone"),
            Some("iozone -I -a")
        );
    }

    #[test]
    fn options_of_one_letter_are_read_alone_and_together() {
        let command = "iozone -I -e -s 4g -r1m -i 0 -f /mnt/It";
        assert_eq!(option(command, 'I'), Some(""));
        assert_eq!(option(command, 's'), Some("4g"));
        assert_eq!(option(command, 'r'), Some("1m"));
        assert_eq!(option(command, 't'), None);
        assert_eq!(option("hdparm -tT --direct /dev/sda", 'T'), Some(""));
    }
}
