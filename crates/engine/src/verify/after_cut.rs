//! What one block contains after a power cut, compared with what it may contain.
//!
//! Allowed is the durable version or any newer one, whole, or in parts where writes were in flight: the parts of a block
//! that a device writes at once are each of one version. Without a durable version what was there before is allowed, too.
//! Of the parts of a block only the first has its version; the others have the number of their write. So a block whose
//! first sector is allowed and whose others are of this run is not accused. Omitted: blocks that no cut can have met
//! (`check`).

use super::check::{Block, Compared, FLIPPED_MAX, Place, Wrong};
use super::map::CutRule;
use model::CorruptKind;
use model::block_header::{self, BlockHeader, Flaw, SECTOR, TAGS};
use model::journal::Age;

/// Whose a sector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Of a write of the journal's run, by its number.
    Run(u64),
    Zero,
    Other,
}

impl Place {
    pub(super) fn compare_after_cut(
        &self,
        data: &Block,
        read: Result<BlockHeader, Flaw>,
        rule: CutRule,
    ) -> Compared {
        let lost = |found| Compared::Wrong(not_durable(found));
        match (read, rule.durable) {
            (Ok(header), durable) if self.is_own(&header) => match durable {
                Some(durable) if durable.age(&header) == Age::Older => lost(Some(header)),
                _ => Compared::Right,
            },
            (Ok(header), _) if header.block != self.block() || header.run == self.run => {
                Compared::Wrong(Wrong {
                    kind: CorruptKind::Misdirected,
                    found: Some(header),
                    other_sectors: 0,
                })
            }
            (Ok(_), None) => Compared::OlderData,
            (Ok(header), Some(_)) => lost(Some(header)),
            (Err(_), None) if block_header::is_zero(data) => Compared::Zeros,
            (Err(_), Some(_)) if block_header::is_zero(data) => lost(None),
            (Err(_), _) => self.compare_parts(data, rule),
        }
    }

    /// Compares a block that is not whole.
    fn compare_parts(&self, data: &Block, rule: CutRule) -> Compared {
        let header = BlockHeader::of(data).filter(|_| block_header::has_magic(data));
        let owners = self.owners(data, header.as_ref());
        let damaged = || Compared::Wrong(self.flawed(data));
        let of_run = |owner: &Owner| matches!(owner, Owner::Run(_));
        let is_one_write = owners
            .iter()
            .all(|owner| *owner == owners[0] && of_run(owner));
        // All sectors of one write and another body, or a header with flipped bits: no cut leaves that.
        if is_one_write || header.is_none() && block_header::has_magic(data) {
            return damaged();
        }
        if !owners.iter().any(of_run) {
            return match rule.durable {
                None => damaged(), // as without a cut: it was so before, or it is damage
                Some(_) if header.is_none_or(|header| header.run != self.run) => {
                    Compared::Wrong(not_durable(header))
                }
                Some(_) => damaged(),
            };
        }
        if rule.splits(&owners) {
            return damaged();
        }
        let Some(durable) = rule.durable else {
            return Compared::Undecided;
        };
        let older = match header {
            Some(header) if self.is_own(&header) => durable.age(&header) == Age::Older,
            _ => true, // the first sector is not of the run, and the durable write was
        };
        match () {
            () if header.is_some_and(|header| has_flipped_tag(&header, data, &owners)) => damaged(),
            () if older || owners.contains(&Owner::Zero) || owners.contains(&Owner::Other) => {
                Compared::Wrong(not_durable(header))
            }
            () => Compared::Undecided,
        }
    }

    fn owners(&self, data: &Block, header: Option<&BlockHeader>) -> [Owner; TAGS + 1] {
        let here = BlockHeader {
            run: self.run,
            block: self.block(),
            target: self.target,
            ..BlockHeader::default()
        };
        let serials = here.sector_serials(data);
        std::array::from_fn(|number| {
            let sector = &data[number * SECTOR..][..SECTOR];
            let serial = match number {
                0 => header
                    .filter(|header| self.is_own(header))
                    .map(|header| header.serial),
                number => Some(serials[number - 1]).filter(|one| block_header::is_serial(*one)),
            };
            match serial {
                Some(serial) => Owner::Run(serial),
                None if block_header::is_zero(sector) => Owner::Zero,
                None => Owner::Other,
            }
        })
    }
}

impl CutRule {
    /// Whether sectors that are written together are of different writes. Without tags of its own, other content may be of one
    /// write everywhere.
    fn splits(&self, owners: &[Owner]) -> bool {
        let unit = usize::from(self.atomic_sectors);
        unit > 1
            && owners
                .chunks(unit)
                .any(|unit| unit.iter().any(|owner| *owner != unit[0]))
    }
}

/// Whether a tag is that of the header with a few bits flipped.
fn has_flipped_tag(header: &BlockHeader, data: &Block, owners: &[Owner; TAGS + 1]) -> bool {
    let distances = header.tag_distances(data);
    let mut tags = distances.iter().zip(&owners[1..]);
    tags.any(|(bits, owner)| *owner == Owner::Other && (1..=FLIPPED_MAX).contains(bits))
}

const fn not_durable(found: Option<BlockHeader>) -> Wrong {
    Wrong {
        kind: CorruptKind::NotDurable,
        found,
        other_sectors: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::check::Before;
    use crate::verify::map::Expected;
    use model::block_header::BLOCK_BYTES;
    use model::journal::Durable;
    use proptest::prelude::*;

    const RUN: u64 = 11;
    const EARLIER: u64 = 22;

    fn place() -> Place {
        Place {
            run: RUN,
            target: 0,
            offset: 5 * 4096,
            before: Before::Unknown,
        }
    }

    fn block(run: u64, generation: u16, serial: u64, ms: u64) -> Block {
        let mut data = [serial as u8; BLOCK_BYTES];
        let header = BlockHeader {
            serial,
            run,
            block: 5,
            generation,
            issued_ns: ms * 1_000_000,
            ..BlockHeader::default()
        };
        block_header::write_blocks(&mut data, &header);
        data
    }

    fn compare(data: &Block, durable: Option<u16>, atomic_sectors: u8) -> Compared {
        let rule = CutRule {
            durable: durable.map(|generation| Durable {
                generation,
                ms: u64::from(generation) * 10 + 5,
            }),
            atomic_sectors,
        };
        place().compare(data, Expected::AfterCut(rule), true)
    }

    /// Version n of the run, issued at n × 10 ms and complete 5 ms later.
    fn version(generation: u16) -> Block {
        block(
            RUN,
            generation,
            u64::from(generation),
            u64::from(generation) * 10,
        )
    }

    fn mixed(one: &Block, other: &Block, from: usize) -> Block {
        let mut mixed = *one;
        mixed[from * SECTOR..].copy_from_slice(&other[from * SECTOR..]);
        mixed
    }

    fn kind(compared: Compared) -> Option<CorruptKind> {
        match compared {
            Compared::Wrong(wrong) => Some(wrong.kind),
            _ => None,
        }
    }

    #[test]
    fn whole_blocks_are_right_from_the_durable_version_on() {
        for (found, is_lost) in [(6, true), (7, false), (8, false)] {
            let lost = kind(compare(&version(found), Some(7), 0));
            assert_eq!(lost, is_lost.then_some(CorruptKind::NotDurable), "{found}");
        }
        let earlier = block(EARLIER, 1, 9, 3);
        assert_eq!(compare(&earlier, None, 0), Compared::OlderData);
        assert_eq!(compare(&[0; BLOCK_BYTES], None, 0), Compared::Zeros);
        for lost in [earlier, [0; BLOCK_BYTES]] {
            let lost = kind(compare(&lost, Some(1), 0));
            assert_eq!(lost, Some(CorruptKind::NotDurable));
        }
        assert_eq!(compare(&version(3), None, 0), Compared::Right);
    }

    #[test]
    fn parts_of_allowed_versions_are_allowed_down_to_the_atomic_unit() {
        for from in 1..8 {
            for (one, other) in [(7, 8), (8, 7), (8, 9)] {
                let torn = mixed(&version(one), &version(other), from);
                assert_eq!(compare(&torn, Some(7), 1), Compared::Undecided);
                assert_eq!(kind(compare(&torn, Some(7), 8)), Some(CorruptKind::Torn));
            }
            let older_head = mixed(&version(6), &version(8), from);
            let lost = kind(compare(&older_head, Some(7), 1));
            assert_eq!(lost, Some(CorruptKind::NotDurable));
            let zero_tail = mixed(&version(8), &[0; BLOCK_BYTES], from);
            assert!(kind(compare(&zero_tail, Some(7), 1)).is_some());
            assert_eq!(compare(&zero_tail, None, 1), Compared::Undecided);
            let over_earlier = mixed(&version(1), &block(EARLIER, 1, 9, 3), from);
            assert_eq!(compare(&over_earlier, None, 1), Compared::Undecided);
            let under_earlier = mixed(&block(EARLIER, 1, 9, 3), &version(1), from);
            assert_eq!(compare(&under_earlier, None, 1), Compared::Undecided);
        }
    }

    proptest! {
        /// Bits flip in no power cut: a body that differs is damage, with any promise.
        #[test]
        fn flipped_bits_are_damage_after_a_cut_too(
            byte in 64usize..BLOCK_BYTES, bit in 0u8..8, durable in proptest::option::of(1u16..9),
        ) {
            prop_assume!(byte % SECTOR >= 8);
            let mut data = version(8);
            data[byte] ^= 1 << bit;
            prop_assert_eq!(kind(compare(&data, durable, 1)), Some(CorruptKind::BitRot));
        }
    }
}
