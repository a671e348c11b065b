//! `-r`, `-rs`, `-rd`, `-s`, `-si`: where the next I/O goes, and which of them can be together.
//!
//! The order counts, as in the original: an alignment is given once, by `-r` or by `-s`; `-rs` sets the share of
//! random I/Os with `-r` and never with `-s`. A test checks the table of all pairs.

use super::{Command, Word};
use crate::diskspd::{Problem, distribution, number};

const GIVEN: &str = "a stride or alignment is given already, by -s or -r; give it once";
const BESIDE_RANDOM: &str =
    "-r requests random I/O and -s sequential; use one, or -rs for a mix of both";
const BESIDE_MIXED: &str =
    "-rs mixes both already and uses the stride of -r, as in -rs50 -r8k; omit -s";

pub(in crate::diskspd) fn random(command: &mut Command, word: &Word) -> Result<(), Problem> {
    if command.own.align_given {
        return Err(word.clash(GIVEN));
    }
    let bytes = if word.value.is_empty() {
        u64::from(command.own.target.block_bytes)
    } else {
        command.size(word, word.value)?
    };
    if bytes == 0 {
        return Err(word.value("must be above 0"));
    }
    if command.own.target.random_percent == 0 {
        command.own.target.random_percent = 100;
    }
    align(command, bytes);
    Ok(())
}

pub(in crate::diskspd) fn mixed(command: &mut Command, word: &Word) -> Result<(), Problem> {
    let before = command.own.target.random_percent;
    if before == 0 && command.own.align_given {
        return Err(word.clash(BESIDE_MIXED));
    }
    if (1..100).contains(&before) {
        return Err(word.clash("the share of random I/Os is given already; give it once"));
    }
    let percent = command.number(
        word,
        1..=100,
        "must be the percentage of random I/Os, from 1 to 100",
    )?;
    command.own.target.random_percent = u8::try_from(percent).expect("at most 100");
    Ok(())
}

pub(in crate::diskspd) fn sequential(command: &mut Command, word: &Word) -> Result<(), Problem> {
    match command.own.target.random_percent {
        0 => {}
        100 => return Err(word.clash(BESIDE_RANDOM)),
        _ => return Err(word.clash(BESIDE_MIXED)),
    }
    if command.own.align_given {
        return Err(word.clash(GIVEN));
    }
    let bytes = if word.value.is_empty() {
        u64::from(command.own.target.block_bytes)
    } else {
        command.size(word, word.value)?
    };
    align(command, bytes);
    Ok(())
}

pub(in crate::diskspd) fn interlocked(command: &mut Command, word: &Word) -> Result<(), Problem> {
    sequential(command, word)?;
    command.own.target.interlocked = true;
    Ok(())
}

/// `-s0` leaves it open, so that another switch may still give it.
fn align(command: &mut Command, bytes: u64) {
    command.own.align_given = bytes != 0;
    command.own.target.align_bytes = bytes;
}

pub(in crate::diskspd) fn ranges(command: &mut Command, word: &Word) -> Result<(), Problem> {
    let block = u64::from(command.own.target.block_bytes);
    let distribution = distribution::read(word.value, |text| number::size(text, block));
    command.own.target.distribution = distribution.map_err(|accepted| word.value(accepted))?;
    Ok(())
}
