//! Default size of the survey's own file.
//!
//! Unbuffered I/O goes past the system's cache, so the file need not be larger than the memory; but it must
//! outgrow the caches of devices and arrays, which are from tens of megabytes to a few gigabytes. The memory is
//! taken as a hint at the size of the machine: a quarter of it, from 1 to 8 GiB, and never more than a quarter
//! of the free space. A controller with a larger cache needs `--size`; no fact shows how large such a cache is.

use analysis::say;
use model::{Bytes, CacheMode};

/// Smallest file that a survey works on: room for 64 blocks of the largest workload.
pub(crate) const SIZE_MIN: Bytes = Bytes::mib(64);
const WISH_MIN: Bytes = Bytes::gib(1);
const WISH_MAX: Bytes = Bytes::gib(8);
const UNIT: Bytes = Bytes::mib(1);

/// A size and the sentence that explains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) size: Bytes,
    pub(crate) reason: String,
}

/// The size for this machine; `free` is `None` if the file system does not report it. `Err` is the sentence that
/// refuses: not even the smallest fits.
pub(crate) fn choose(ram: Bytes, free: Option<Bytes>, cache: CacheMode) -> Result<Choice, String> {
    let wish = Bytes(ram.0 / 4).clamp(WISH_MIN, WISH_MAX).floor_to(UNIT);
    let room = free.map(|free| Bytes(free.0 / 4).floor_to(UNIT));
    if let (Some(free), Some(room)) = (free, room)
        && room < SIZE_MIN
    {
        let more = if free >= SIZE_MIN {
            format!(", or specify --size {SIZE_MIN} to take more of it")
        } else {
            String::new()
        };
        return Err(format!(
            "{} are free, and the file may take a quarter of that: a survey needs a file of {SIZE_MIN}, so \
             make room up to {} free{more}",
            say::bytes(free.0),
            say::bytes(SIZE_MIN.0 * 4),
        ));
    }
    let (size, because) = match room {
        Some(room) if room < wish => (room, "1/4 of the free space".to_owned()),
        _ if wish == WISH_MAX => (wish, "the largest default".to_owned()),
        _ if wish == WISH_MIN => (wish, "the smallest default".to_owned()),
        _ => (wish, format!("1/4 of the {} RAM", say::bytes(ram.0))),
    };
    let purpose = match cache {
        CacheMode::Unbuffered | CacheMode::LocalOff => "more than the caches of most devices",
        CacheMode::Cached => "it fits the page cache, which is measured",
    };
    Ok(Choice {
        size,
        reason: format!("{because}: {purpose}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(ram: Bytes, free: Option<Bytes>) -> Bytes {
        choose(ram, free, CacheMode::Unbuffered).unwrap().size
    }

    #[test]
    fn the_size_follows_the_memory_between_its_limits() {
        for (ram_gib, size_gib) in [(0, 1), (2, 1), (4, 1), (8, 2), (16, 4), (32, 8), (512, 8)] {
            assert_eq!(
                size(Bytes::gib(ram_gib), None),
                Bytes::gib(size_gib),
                "{ram_gib}"
            );
        }
        assert_eq!(size(Bytes(7_999_999_999), None), Bytes::mib(1907));
    }

    #[test]
    fn never_more_than_a_quarter_of_the_free_space() {
        assert_eq!(size(Bytes::gib(64), Some(Bytes::gib(4))), Bytes::gib(1));
        assert_eq!(
            size(Bytes::gib(64), Some(Bytes(1_234_567_890))),
            Bytes::mib(294)
        );
        assert_eq!(size(Bytes::gib(64), Some(Bytes::mib(256))), Bytes::mib(64));
    }

    #[test]
    fn too_little_room_is_refused_with_what_there_is() {
        let reported = choose(
            Bytes::gib(8),
            Some(Bytes(200_000_000)),
            CacheMode::Unbuffered,
        );
        assert_eq!(
            reported.unwrap_err(),
            "191 MiB are free, and the file may take a quarter of that: a survey needs a file of 64M, so make room \
            up to 256 MiB free, or specify --size 64M to take more of it"
        );
    }

    #[test]
    fn what_cannot_fit_is_not_offered() {
        let reported =
            choose(Bytes::gib(8), Some(Bytes::mib(4)), CacheMode::Unbuffered).unwrap_err();
        assert!(
            reported.ends_with("make room up to 256 MiB free"),
            "{reported}"
        );
    }

    #[test]
    fn the_cache_is_named_when_it_is_measured() {
        let reported = choose(Bytes::gib(16), None, CacheMode::Cached)
            .unwrap()
            .reason;
        assert_eq!(
            reported,
            "1/4 of the 16 GiB RAM: it fits the page cache, which is measured"
        );
    }
}
