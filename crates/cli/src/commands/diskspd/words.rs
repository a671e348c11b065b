//! What stands against a request, where fathom's own words name options that DISKSPD's command line does not have.
//!
//! Deliberately absent: the rules (`model::check`), and all words that are the same for both.

use model::check::{BLOCK_MAX, BLOCK_MIN, QUEUE_DEPTH_MAX, THREADS_MAX};
use model::{Bytes, Problem};

/// The problem in DISKSPD's switches.
pub(super) fn of(problem: &Problem) -> String {
    match problem {
        Problem::BlockSize { read } => format!(
            "-b: read {read}; here a block is a multiple of {BLOCK_MIN} bytes up to {BLOCK_MAX}: -b4K, -b64K and -b1M are usual"
        ),
        Problem::BlockUnaligned {
            read,
            alignment,
            path,
        } => format!(
            "-b: read {read}; I/O past the cache (-Su, -Sh) on {} needs multiples of {alignment}: take such a size, or \
             go through the cache with -Sb",
            path.display()
        ),
        Problem::QueueDepth { read } => format!(
            "-o: read {read}; here it is from 1 to {QUEUE_DEPTH_MAX} outstanding I/Os for each thread"
        ),
        Problem::Threads { read } => {
            format!("-t or -F: read {read}; here it is from 1 to {THREADS_MAX} threads")
        }
        Problem::Missing { path } => format!(
            "{}: there is nothing under this name: check the spelling, or say -c and a size to make a file filled with \
             data, as in -c1G",
            path.display()
        ),
        Problem::TooSmall {
            path,
            size: Bytes(size),
            base,
            block,
        } => format!(
            "{}: its {size} bytes hold no whole block of {block} from byte {base} on: take a smaller block (-b), or a \
             larger target (-c)",
            path.display()
        ),
        Problem::BaseBeyondEnd { path, base, size } => format!(
            "{}: -B: read {base}, at or beyond the end at {size}: say a smaller base",
            path.display()
        ),
        Problem::LengthTooShort {
            path,
            length,
            block,
        } => format!(
            "{}: -f or -B leaves {length} to use, and that holds at least one block of {block}",
            path.display()
        ),
        Problem::LocalOff { path, file_system } => format!(
            "{}: -Sr is for network file systems (nfs, cifs), and this is {}: go past the system's cache with -Su",
            path.display(),
            file_system.as_deref().unwrap_or("none")
        ),
        Problem::NoDirectIo { path, file_system } => format!(
            "{}: the file system{} takes no unbuffered I/O (O_DIRECT): say -Sb and measure the page cache with it, or name \
             a target on another file system",
            path.display(),
            file_system
                .as_deref()
                .map_or_else(String::new, |kind| format!(" {kind}"))
        ),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use model::{Bytes, Problem};

    #[test]
    fn no_option_of_another_command_line_is_named() {
        let path = std::path::PathBuf::from("f");
        let (block, size) = (Bytes::kib(4), Bytes(3));
        let all = [
            Problem::BlockSize { read: size },
            Problem::BlockUnaligned {
                read: size,
                alignment: Bytes(512),
                path: path.clone(),
            },
            Problem::QueueDepth { read: 0 },
            Problem::Threads { read: 0 },
            Problem::Missing { path: path.clone() },
            Problem::TooSmall {
                path: path.clone(),
                size,
                base: Bytes(0),
                block,
            },
            Problem::BaseBeyondEnd {
                path: path.clone(),
                base: block,
                size,
            },
            Problem::LengthTooShort {
                path: path.clone(),
                length: size,
                block,
            },
            Problem::LocalOff {
                path: path.clone(),
                file_system: None,
            },
            Problem::NoDirectIo {
                path,
                file_system: None,
            },
        ];
        for problem in &all {
            let words = of(problem);
            assert!(!words.contains("--"), "{words}");
            let named = [" -", "(-"].iter().any(|before| words.contains(before));
            assert!(named || words.starts_with('-'), "{words}");
        }
    }
}
