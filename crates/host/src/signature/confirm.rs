//! What else must be true where a mark is too short to be believed, or means several formats.

use super::Ends;

/// Type of the entry that keeps older tools off a GPT. // UEFI 2.10, 5.2.3
const GUARDS_A_GPT: u8 = 0xee;

/// The mark alone proves it.
pub(super) fn always(_: &Ends, _: u64) -> bool {
    true
}

/// A boot record is a partition table when its four entries are sound and at least one is used.
/// Entry: a status byte (0 or 0x80), the type in byte 4, first sector and length in bytes 8 to 15.
/// The entry that only guards a GPT is not a partition, as long as there is a GPT.
pub(super) fn partition_entry(ends: &Ends, mark_at: u64) -> bool {
    let has_gpt = [512, 4096]
        .iter()
        .any(|&at| ends.bytes(at, 8) == Some(b"EFI PART"));
    let mut used = false;
    for at in (0..4).map(|i| mark_at - 64 + i * 16) {
        let (Some([status]), Some([kind]), Some(length)) =
            (ends.array(at), ends.array(at + 4), ends.le32(at + 12))
        else {
            return false;
        };
        if status & 0x7f != 0 {
            return false;
        }
        used |= kind != 0 && length != 0 && !(kind == GUARDS_A_GPT && has_gpt);
    }
    used
}

/// The FAT mark stands in a sector that ends as a boot record does.
pub(super) fn same_sector_ends_a_boot_record(ends: &Ends, _: u64) -> bool {
    ends.le16(510) == Some(0xaa55)
}

/// An LVM label names its type 24 bytes on.
pub(super) fn lvm_label(ends: &Ends, mark_at: u64) -> bool {
    ends.bytes(mark_at + 24, 5) == Some(b"LVM2 ")
}

/// The major version follows the mark.
pub(super) fn md_version_1(ends: &Ends, mark_at: u64) -> bool {
    ends.le32(mark_at + 4) == Some(1)
}

/// Versions 4 and 5, big end first.
pub(super) fn hfs_plus(ends: &Ends, mark_at: u64) -> bool {
    matches!(ends.array(mark_at + 2), Some([0, 4 | 5]))
}

#[derive(PartialEq, Eq)]
enum Ext {
    Two,
    Three,
    Four,
    Journal,
}

const HAS_JOURNAL: u32 = 0x4;
const IS_JOURNAL: u32 = 0x8;
/// Features that ext3 does not know: extents, 64-bit, flexible groups and what came after them.
const EXT4_INCOMPATIBLE: u32 = !0x1f;
/// Features of the read-only kind that ext3 does not know.
const EXT4_READ_ONLY: u32 = !0x7;

/// The mark is two bytes long, so the block size and the revision must be sound too. Fields from the
/// super block's start, which is 56 bytes before the mark: 4 blocks, 24 block size, 32 blocks per group,
/// 76 revision, 92, 96 and 100 features.
fn ext(ends: &Ends, mark_at: u64) -> Option<Ext> {
    let field = |offset| ends.le32(mark_at - 56 + offset);
    let sound = field(24)? <= 6 && field(76)? <= 1 && field(4)? != 0 && field(32)? != 0;
    let (compatible, incompatible, read_only) = (field(92)?, field(96)?, field(100)?);
    Some(match sound {
        false => return None,
        _ if incompatible & IS_JOURNAL != 0 => Ext::Journal,
        _ if incompatible & EXT4_INCOMPATIBLE != 0 || read_only & EXT4_READ_ONLY != 0 => Ext::Four,
        _ if compatible & HAS_JOURNAL != 0 => Ext::Three,
        _ => Ext::Two,
    })
}

pub(super) fn ext2(ends: &Ends, mark_at: u64) -> bool {
    ext(ends, mark_at) == Some(Ext::Two)
}

pub(super) fn ext3(ends: &Ends, mark_at: u64) -> bool {
    ext(ends, mark_at) == Some(Ext::Three)
}

pub(super) fn ext4(ends: &Ends, mark_at: u64) -> bool {
    ext(ends, mark_at) == Some(Ext::Four)
}

pub(super) fn ext_journal(ends: &Ends, mark_at: u64) -> bool {
    ext(ends, mark_at) == Some(Ext::Journal)
}
