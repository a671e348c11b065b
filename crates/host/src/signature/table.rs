//! The table of marks. Sources: each format's own published layout; the Linux kernel's headers under
//! `include/uapi/linux` and `fs/*`; UEFI 2.10 section 5 for GPT. Adding a format is one row, and one
//! row of its test.

use super::Ends;
use super::confirm::{
    always, ext_journal, ext2, ext3, ext4, hfs_plus, lvm_label, md_version_1, partition_entry,
    same_sector_ends_a_boot_record,
};

/// One mark of one format.
pub(super) struct Row {
    /// As a person calls it.
    pub(super) what: &'static str,
    /// Where it may stand.
    pub(super) places: &'static [Place],
    /// Its bytes.
    pub(super) mark: &'static [u8],
    /// What must be true as well; the offset is that of the mark.
    pub(super) confirm: fn(&Ends, u64) -> bool,
}

/// Where a mark stands, in bytes.
pub(super) enum Place {
    /// From the start.
    At(u64),
    /// At `count` places from the start.
    Every { from: u64, step: u64, count: u64 },
    /// The last multiple of `align` that leaves `back` bytes.
    BeforeEnd { back: u64, align: u64 },
    /// `plus` behind the place that is `back` before the last multiple of `align`.
    EndAligned { align: u64, back: u64, plus: u64 },
    /// At `count` places from `back` before the last multiple of `align`.
    EndEvery {
        align: u64,
        back: u64,
        step: u64,
        count: u64,
    },
}

use Place::{At, BeforeEnd, EndAligned, EndEvery, Every};

const KIB: u64 = 1 << 10;

const fn row(what: &'static str, places: &'static [Place], mark: &'static [u8]) -> Row {
    Row {
        what,
        places,
        mark,
        confirm: always,
    }
}

const fn row_if(
    what: &'static str,
    places: &'static [Place],
    mark: &'static [u8],
    confirm: fn(&Ends, u64) -> bool,
) -> Row {
    Row {
        what,
        places,
        mark,
        confirm,
    }
}

/// The primary header is the second block, its copy the last one; blocks are of 512 or 4096 bytes.
const GPT: &[Place] = &[
    At(512),
    At(4096),
    BeforeEnd {
        back: 512,
        align: 512,
    },
    BeforeEnd {
        back: 4096,
        align: 4096,
    },
];
/// The last ten bytes of the first page, whose size is the machine's.
const SWAP: &[Place] = &[
    At(4 * KIB - 10),
    At(8 * KIB - 10),
    At(16 * KIB - 10),
    At(32 * KIB - 10),
    At(64 * KIB - 10),
];
/// Rings of uberblocks, 1 KiB each at the least, in the second half of four labels of 256 KiB.
const ZFS: &[Place] = &[
    Every {
        from: 128 * KIB,
        step: KIB,
        count: 128,
    },
    Every {
        from: 384 * KIB,
        step: KIB,
        count: 128,
    },
    EndEvery {
        align: 256 * KIB,
        back: 384 * KIB,
        step: KIB,
        count: 128,
    },
    EndEvery {
        align: 256 * KIB,
        back: 128 * KIB,
        step: KIB,
        count: 128,
    },
];
const MD_0_90: &[Place] = &[EndAligned {
    align: 64 * KIB,
    back: 64 * KIB,
    plus: 0,
}];
const MD_1_0: &[Place] = &[BeforeEnd {
    back: 8 * KIB,
    align: 4 * KIB,
}];
const DRBD: &[Place] = &[EndAligned {
    align: 4 * KIB,
    back: 4 * KIB,
    plus: 60,
}];
const EXT: &[Place] = &[At(KIB + 56)];
const REISERFS: &[Place] = &[At(64 * KIB + 52), At(8 * KIB + 52)];
/// The super block stands at one of four places, its mark 1372 bytes into it.
const UFS: &[Place] = &[
    At(1372),
    At(8 * KIB + 1372),
    At(64 * KIB + 1372),
    At(256 * KIB + 1372),
];
const OCFS2: &[Place] = &[At(KIB), At(2 * KIB), At(4 * KIB), At(8 * KIB)];
const LUKS2_COPIES: &[Place] = &[
    At(16 * KIB),
    At(32 * KIB),
    At(64 * KIB),
    At(128 * KIB),
    At(256 * KIB),
];
const LVM: &[Place] = &[Every {
    from: 0,
    step: 512,
    count: 4,
}];
const LAST_SECTOR: &[Place] = &[BeforeEnd {
    back: 512,
    align: 512,
}];
const LAST_BUT_ONE: &[Place] = &[BeforeEnd {
    back: 1024,
    align: 512,
}];

const MD: &str = "member of an md array";
const ZFS_NAME: &str = "member of a ZFS pool";
const UFS_NAME: &str = "UFS file system";
const LUKS: &str = "LUKS encrypted volume";
const SWAP_NAME: &str = "swap space";
const REISER: &str = "ReiserFS file system";
const DRBD_NAME: &str = "DRBD volume";

/// Every mark that is known, tables of partitions first.
pub(super) const ROWS: &[Row] = &[
    row("GPT partition table", GPT, b"EFI PART"),
    row_if(
        "MBR partition table",
        &[At(510)],
        b"\x55\xaa",
        partition_entry,
    ),
    row("Apple partition map", &[At(512)], b"PM\0\0"),
    row_if("LVM physical volume", LVM, b"LABELONE", lvm_label),
    row(MD, MD_0_90, &0xa92b_4efc_u32.to_le_bytes()),
    row(MD, MD_0_90, &0xa92b_4efc_u32.to_be_bytes()),
    row_if(MD, MD_1_0, &0xa92b_4efc_u32.to_le_bytes(), md_version_1),
    row_if(
        MD,
        &[At(0), At(4 * KIB)],
        &0xa92b_4efc_u32.to_le_bytes(),
        md_version_1,
    ),
    row(
        "member of an Intel RAID",
        LAST_BUT_ONE,
        b"Intel Raid ISM Cfg Sig. ",
    ),
    row("member of a DDF RAID", LAST_SECTOR, b"\xde\x11\xde\x11"),
    row(LUKS, &[At(0)], b"LUKS\xba\xbe"),
    row(LUKS, LUKS2_COPIES, b"SKUL\xba\xbe"),
    row("BitLocker volume", &[At(3)], b"-FVE-FS-"),
    row("dm-integrity volume", &[At(0)], b"integrt\0"),
    row("dm-verity hashes", &[At(0)], b"verity\0\0"),
    row("VDO volume", &[At(0)], b"dmvdo001"),
    row(
        "Stratis pool",
        &[At(516), At(4612)],
        b"!Stra0tis\x86\xff\x02^\x41rh",
    ),
    row(
        "bcache device",
        &[At(4 * KIB + 24)],
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
    ),
    row(DRBD_NAME, DRBD, &0x8374_026b_u32.to_be_bytes()),
    row(DRBD_NAME, DRBD, &0x8374_026c_u32.to_be_bytes()),
    row(DRBD_NAME, DRBD, &0x8374_026d_u32.to_be_bytes()),
    row("Ceph BlueStore device", &[At(0)], b"bluestore block device"),
    row("Oracle ASM disk", &[At(32)], b"ORCLDISK"),
    row(SWAP_NAME, SWAP, b"SWAPSPACE2"),
    row(SWAP_NAME, SWAP, b"SWAP-SPACE"),
    row("hibernation image", SWAP, b"S1SUSPEND\0"),
    row("hibernation image", SWAP, b"S2SUSPEND\0"),
    row("hibernation image", SWAP, b"LINHIB0001"),
    row_if("ext2 file system", EXT, b"\x53\xef", ext2),
    row_if("ext3 file system", EXT, b"\x53\xef", ext3),
    row_if("ext4 file system", EXT, b"\x53\xef", ext4),
    row_if("ext journal", EXT, b"\x53\xef", ext_journal),
    row("XFS file system", &[At(0)], b"XFSB"),
    row("XFS log", &[At(0)], b"\xfe\xed\xba\xbe"),
    row("Btrfs file system", &[At(64 * KIB + 64)], b"_BHRfS_M"),
    row(
        "F2FS file system",
        &[At(KIB), At(5 * KIB)],
        &0xf2f5_2010_u32.to_le_bytes(),
    ),
    row(
        "bcachefs file system",
        &[At(4 * KIB + 24)],
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
    ),
    row(ZFS_NAME, ZFS, &0x00ba_b10c_u64.to_le_bytes()),
    row(ZFS_NAME, ZFS, &0x00ba_b10c_u64.to_be_bytes()),
    row("NTFS file system", &[At(3)], b"NTFS    "),
    row("ReFS file system", &[At(3)], b"ReFS\0\0\0\0"),
    row("exFAT file system", &[At(3)], b"EXFAT   "),
    row_if(
        "FAT file system",
        &[At(54)],
        b"FAT12   ",
        same_sector_ends_a_boot_record,
    ),
    row_if(
        "FAT file system",
        &[At(54)],
        b"FAT16   ",
        same_sector_ends_a_boot_record,
    ),
    row_if(
        "FAT file system",
        &[At(54)],
        b"FAT     ",
        same_sector_ends_a_boot_record,
    ),
    row_if(
        "FAT file system",
        &[At(82)],
        b"FAT32   ",
        same_sector_ends_a_boot_record,
    ),
    row("ISO 9660 file system", &[At(32 * KIB + 1)], b"CD001"),
    row(
        "UDF file system",
        &[At(32 * KIB + 1), At(34 * KIB + 1), At(36 * KIB + 1)],
        b"NSR02",
    ),
    row(
        "UDF file system",
        &[At(32 * KIB + 1), At(34 * KIB + 1), At(36 * KIB + 1)],
        b"NSR03",
    ),
    row("SquashFS file system", &[At(0)], b"hsqs"),
    row("SquashFS file system", &[At(0)], b"sqsh"),
    row(
        "EROFS file system",
        &[At(KIB)],
        &0xe0f5_e1e2_u32.to_le_bytes(),
    ),
    row(
        "cramfs file system",
        &[At(0), At(512)],
        &0x28cd_3d45_u32.to_le_bytes(),
    ),
    row(REISER, REISERFS, b"ReIsErFs"),
    row(REISER, REISERFS, b"ReIsEr2Fs"),
    row(REISER, REISERFS, b"ReIsEr3Fs"),
    row("Reiser4 file system", &[At(64 * KIB)], b"ReIsEr4\0"),
    row("JFS file system", &[At(32 * KIB)], b"JFS1"),
    row("OCFS2 file system", OCFS2, b"OCFSV2"),
    row(
        "GFS2 file system",
        &[At(64 * KIB)],
        b"\x01\x16\x19\x70\0\0\0\x01",
    ),
    row("APFS container", &[At(32)], b"NXSB"),
    row_if("HFS+ file system", &[At(KIB)], b"H+", hfs_plus),
    row_if("HFS+ file system", &[At(KIB)], b"HX", hfs_plus),
    row(UFS_NAME, UFS, &0x0001_1954_u32.to_le_bytes()),
    row(UFS_NAME, UFS, &0x0001_1954_u32.to_be_bytes()),
    row(UFS_NAME, UFS, &0x1954_0119_u32.to_le_bytes()),
    row(UFS_NAME, UFS, &0x1954_0119_u32.to_be_bytes()),
];
