//! `-S`, `-h`, `-N`: which letters go together.
//!
//! Whether mapped I/O can be with the rest of the request is checked when all is read.

use super::{Command, Word};
use crate::diskspd::Problem;
use crate::diskspd::profile::{Bypass, Cache, Flush};

const CACHE_GIVEN: &str = "the use of the system's cache is specified already; specify it once, by one of b, u, r, h or -h";
const WRITE_THROUGH_GIVEN: &str = "write-through is on already; specify it once, by w, h or -h";
const MAPPED: &str = "mapped I/O (m) goes through the system's cache; omit u, h and -h";
const BYPASS_GIVEN: &str = "the bypass of filters is specified already; specify it once, by y or Y";
const MAPPED_GIVEN: &str = "mapped I/O is requested already; specify m once";

pub(in crate::diskspd) fn caching(command: &mut Command, word: &Word) -> Result<(), Problem> {
    if word.value.is_empty() {
        return letter(command, word, 'u');
    }
    word.value
        .chars()
        .try_for_each(|c| letter(command, word, c))
}

fn letter(command: &mut Command, word: &Word, letter: char) -> Result<(), Problem> {
    match letter {
        'b' => set_cache(command, word, Cache::Cached),
        'r' => set_cache(command, word, Cache::LocalOff),
        'u' => {
            unless(command.own.caching.mapped, word, MAPPED)?;
            set_cache(command, word, Cache::Unbuffered)
        }
        'w' => set_write_through(command, word),
        'h' => {
            unless(command.own.caching.mapped, word, MAPPED)?;
            both_off(command, word)
        }
        'm' => {
            let caching = &mut command.own.caching;
            unless(caching.mapped, word, MAPPED_GIVEN)?;
            unless(caching.cache == Some(Cache::Unbuffered), word, MAPPED)?;
            caching.mapped = true;
            Ok(())
        }
        'y' => set_bypass(command, word, Bypass::Partial),
        'Y' => set_bypass(command, word, Bypass::Full),
        _ => Err(word.value(
            "must be letters of b, u, r, w, h, m, y, Y: cached, unbuffered, remote cache only, \
                            write-through, u and w, mapped, past filters where possible, past all filters",
        )),
    }
}

/// `-h`: as `-Sh`, but what it contradicts is found later.
pub(in crate::diskspd) fn all_off(command: &mut Command, word: &Word) -> Result<(), Problem> {
    command.bare(word);
    both_off(command, word)
}

fn both_off(command: &mut Command, word: &Word) -> Result<(), Problem> {
    unless(command.own.caching.write_through, word, WRITE_THROUGH_GIVEN)?;
    set_cache(command, word, Cache::Unbuffered)?;
    set_write_through(command, word)
}

fn set_cache(command: &mut Command, word: &Word, cache: Cache) -> Result<(), Problem> {
    unless(command.own.caching.cache.is_some(), word, CACHE_GIVEN)?;
    command.own.caching.cache = Some(cache);
    Ok(())
}

fn set_write_through(command: &mut Command, word: &Word) -> Result<(), Problem> {
    unless(command.own.caching.write_through, word, WRITE_THROUGH_GIVEN)?;
    command.own.caching.write_through = true;
    Ok(())
}

fn set_bypass(command: &mut Command, word: &Word, bypass: Bypass) -> Result<(), Problem> {
    unless(command.own.caching.bypass.is_some(), word, BYPASS_GIVEN)?;
    command.own.caching.bypass = Some(bypass);
    Ok(())
}

fn unless(wrong: bool, word: &Word, why: &'static str) -> Result<(), Problem> {
    if wrong { Err(word.clash(why)) } else { Ok(()) }
}

pub(in crate::diskspd) fn flush(command: &mut Command, word: &Word) -> Result<(), Problem> {
    command.own.caching.flush = Some(match word.value {
        "v" | "V" => Flush::ViewOfFile,
        "n" | "N" => Flush::NonVolatileMemory,
        "i" | "I" => Flush::NonVolatileMemoryNoDrain,
        _ => return Err(word.value(
            "must be v (flush the view), n (flush persistent memory) or i (as n, without waiting)",
        )),
    });
    Ok(())
}
