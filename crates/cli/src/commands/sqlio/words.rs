//! What stands against a request, where fathom's own words name options that SQLIO's command line does not have.
//!
//! Deliberately absent: the rules (`model::check`), and all words that are the same for both.

use model::check::{BLOCK_MAX, BLOCK_MIN, QUEUE_DEPTH_MAX};
use model::{Bytes, Problem};

/// The problem in SQLIO's switches.
pub(super) fn of(problem: &Problem) -> String {
    match problem {
        Problem::BlockSize { read } => format!(
            "-b: read {read}; here a block is from {BLOCK_MIN} to {BLOCK_MAX}: -b8 and -b64 are usual"
        ),
        Problem::BlockUnaligned {
            read,
            alignment,
            path,
        } => format!(
            "-b: read {read}; I/O past the file cache (-BN, -BH) on {} needs multiples of {alignment}: take such a size, or \
             go through the cache with -BY or -BS",
            path.display()
        ),
        Problem::BaseUnaligned { read, alignment } => format!(
            "-S: the I/Os would begin at {read}; here it has to be a multiple of {alignment}: take another number of blocks"
        ),
        Problem::QueueDepth { read } => format!(
            "-o: read {read} for each thread over all files; here it is from 1 to {QUEUE_DEPTH_MAX}"
        ),
        other => of_target(other),
    }
}

/// The same for what depends on the target.
fn of_target(problem: &Problem) -> String {
    match problem {
        Problem::Missing { path } => format!(
            "{}: there is nothing under this name: check the spelling; or give it a size, so that it is made, in a parameter \
             file (-F): {} 1 0x0 1024",
            path.display(),
            path.display()
        ),
        Problem::TooSmall {
            path,
            size: Bytes(size),
            base,
            block,
        } => format!(
            "{}: its {size} bytes hold no whole block of {block} from byte {base} on: take a smaller block (-b), begin \
             sooner (-S), or give it a size in a parameter file (-F)",
            path.display()
        ),
        Problem::FewerBlocksThanThreads {
            path,
            blocks,
            threads,
        } => format!(
            "{}: {threads} threads would share {blocks} blocks: each needs at least one; take fewer threads, a smaller block \
             (-b) or a larger size",
            path.display()
        ),
        Problem::BaseBeyondEnd { path, base, size } => format!(
            "{}: -S: the I/Os would begin at {base}, at or beyond the end at {size}: say fewer blocks",
            path.display()
        ),
        Problem::LengthTooShort {
            path,
            length,
            block,
        } => format!(
            "{}: {length} are left to use, and that holds at least one block (-b) of {block}",
            path.display()
        ),
        Problem::RangeBeyondEnd {
            path, end, size, ..
        } => format!(
            "{}: the I/Os would go up to {end}, and it ends at {size}: take a smaller size field, or smaller -b, -f, -i or -S",
            path.display()
        ),
        Problem::NoDirectIo { path, file_system } => format!(
            "{}: the file system{} takes no I/O past the file cache (O_DIRECT): say -BY and measure the cache with it, or \
             name a file on another file system",
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
            Problem::BaseUnaligned {
                read: size,
                alignment: Bytes(512),
            },
            Problem::QueueDepth { read: 0 },
            Problem::Missing { path: path.clone() },
            Problem::TooSmall {
                path: path.clone(),
                size,
                base: Bytes(0),
                block,
            },
            Problem::FewerBlocksThanThreads {
                path: path.clone(),
                blocks: 1,
                threads: 2,
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
            Problem::RangeBeyondEnd {
                path: path.clone(),
                base: block,
                end: block,
                size,
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
