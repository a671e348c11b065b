//! Classes of devices and what bounds them: rotation for disks, the link for all. Facts alone, each with its source.
//!
//! A figure beyond such a bound came from somewhere else, usually a cache. Omitted: what a device is expected to do within its
//! bounds, which no class decides.

/// What moves the data of one device, and how fast at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkClass {
    /// As it is reported: `SATA 6 Gbit/s`.
    pub name: &'static str,
    /// Most payload, in one direction. // above 0
    pub bytes_per_s: f64,
    /// Source.
    pub source: &'static str,
}

const SATA: &str = "Serial ATA Revision 3.5: 8b/10b, 10 bits on the wire a byte";
const SAS: &str = "Serial Attached SCSI: SPL and SAS-4 of INCITS T10; 8b/10b at 3, 6 and 12 Gbit/s, 128b/150b at 22.5 Gbit/s";
const PCIE: &str = "PCI Express Base Specification 6.0: 8b/10b at 2.5 and 5 GT/s, 128b/130b from 8 GT/s, flits at 64 GT/s";

const fn link(name: &'static str, mb_per_s: f64, source: &'static str) -> LinkClass {
    LinkClass {
        name,
        bytes_per_s: mb_per_s * 1e6,
        source,
    }
}

/// Links of one device, of each kind the slowest first. A bound never lies below what the link carries: headers of packets are not
/// subtracted.
pub const LINKS: &[LinkClass] = &[
    link("SATA 1.5 Gbit/s", 150.0, SATA),
    link("SATA 3 Gbit/s", 300.0, SATA),
    link("SATA 6 Gbit/s", 600.0, SATA),
    link("SAS 3 Gbit/s", 300.0, SAS),
    link("SAS 6 Gbit/s", 600.0, SAS),
    link("SAS 12 Gbit/s", 1_200.0, SAS),
    link("SAS 22.5 Gbit/s", 2_400.0, SAS),
];

/// A port of one device, by what large sequential I/Os move over it in practice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortClass {
    /// As it is reported: `SATA 3 Gbit/s`.
    pub name: &'static str,
    /// Least payload of a disk that is faster than the port.
    pub from_bytes_per_s: f64,
    /// Most payload.
    pub to_bytes_per_s: f64,
    /// Disks of today have such a port by design, so that it limits as usual.
    pub usual: bool,
    /// Source of the most that it can carry; headers, handshakes and commands are the rest.
    pub source: &'static str,
}

impl PortClass {
    /// Returns whether so many bytes per second are what it moves in practice.
    pub fn carries(&self, bytes_per_s: f64) -> bool {
        (self.from_bytes_per_s..=self.to_bytes_per_s).contains(&bytes_per_s)
    }
}

const USB_2: &str = "Universal Serial Bus Specification 2.0, 5.8.4: 13 packets of 512 bytes in 125 µs, 53.2 MB/s; Mass Storage Class, Bulk-Only Transport 1.0: a command and a status around each transfer";

const fn port(name: &'static str, from_mb: f64, to_mb: f64, source: &'static str) -> PortClass {
    PortClass {
        name,
        from_bytes_per_s: from_mb * 1e6,
        to_bytes_per_s: to_mb * 1e6,
        usual: false,
        source,
    }
}

/// Ports that are slower than disks of today, and the one that most SATA disks have; the slowest first.
pub const PORTS: &[PortClass] = &[
    port("USB 2.0", 28.0, 46.0, USB_2),
    port("SATA 3 Gbit/s", 250.0, 290.0, SATA),
    port(
        "5 Gbit/s (USB 3, or one lane of PCI Express 2)",
        380.0,
        450.0,
        PCIE,
    ),
    PortClass {
        usual: true,
        ..port("SATA 6 Gbit/s", 480.0, 570.0, SATA)
    },
    port("one lane of PCI Express 3", 780.0, 930.0, PCIE),
];

const IEEE_802_3: &str = "IEEE 802.3, clauses 4 and 46: 38 bytes of preamble, header, check and gap around each packet; 40 bytes of IP and TCP headers in it (RFC 791, RFC 9293), packets of 9000 bytes";

/// Ethernet links, the slowest first; payload of TCP in packets of 9000 bytes. With 1500 bytes it is 4% less.
pub const ETHERNET: &[LinkClass] = &[
    link("1 Gbit/s Ethernet", 123.9, IEEE_802_3),
    link("2.5 Gbit/s Ethernet", 309.8, IEEE_802_3),
    link("5 Gbit/s Ethernet", 619.6, IEEE_802_3),
    link("10 Gbit/s Ethernet", 1_239.0, IEEE_802_3),
    link("25 Gbit/s Ethernet", 3_098.0, IEEE_802_3),
    link("40 Gbit/s Ethernet", 4_957.0, IEEE_802_3),
    link("100 Gbit/s Ethernet", 12_393.0, IEEE_802_3),
];

/// A generation of PCI Express.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcieGeneration {
    /// 1 to 6.
    pub number: u32,
    /// Transfers of one lane, in GT/s, as the kernel prints them.
    pub gt_per_s: f64,
    /// Most payload of one lane, in one direction. // above 0
    pub lane_bytes_per_s: f64,
    /// Source.
    pub source: &'static str,
}

const fn pcie(number: u32, gt_per_s: f64, lane_mb_per_s: f64) -> PcieGeneration {
    PcieGeneration {
        number,
        gt_per_s,
        lane_bytes_per_s: lane_mb_per_s * 1e6,
        source: PCIE,
    }
}

/// Every generation; one lane.
pub const PCIE_GENERATIONS: &[PcieGeneration] = &[
    pcie(1, 2.5, 250.0),
    pcie(2, 5.0, 500.0),
    pcie(3, 8.0, 984.6),
    pcie(4, 16.0, 1_969.2),
    pcie(5, 32.0, 3_938.5),
    pcie(6, 64.0, 7_877.0),
];

/// The most that a link carries, by its speed as the system prints it: `16.0 GT/s x4`, `6.0 Gbit/s` of SATA,
/// `SAS 12.0 Gbit/s`, with ` x2` behind it where a port is of several links.
pub fn link_bytes_per_s(speed: &str) -> Option<f64> {
    if let Some(speed) = speed.strip_prefix("SAS ") {
        let name = format!("SAS {} Gbit/s", number(speed)?);
        let link = LINKS.iter().find(|link| link.name == name)?;
        let links = match speed.split_once(" x") {
            Some((_, links)) => links.parse::<f64>().ok()?,
            None => 1.0,
        };
        return Some(link.bytes_per_s * links);
    }
    if let Some(lanes) = speed.split(" x").nth(1) {
        let (gt_per_s, lanes) = (number(speed)?, lanes.parse::<f64>().ok()?);
        let mut all = PCIE_GENERATIONS.iter();
        let one = all.find(|one| (one.gt_per_s - gt_per_s).abs() < 0.1)?;
        return Some(one.lane_bytes_per_s * lanes);
    }
    let name = format!("SATA {} Gbit/s", number(speed)?);
    let link = LINKS.iter().find(|link| link.name == name);
    link.map(|link| link.bytes_per_s)
}

fn number(speed: &str) -> Option<f64> {
    speed.split(' ').next()?.parse().ok()
}

/// A speed of rotating disks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Rotations per minute.
    pub per_minute: f64,
    /// Most random I/Os of one disk with a deep queue: one per quarter of a turn, and never below [`RANDOM_IOPS`].
    pub random_iops_max: f64,
    /// Source.
    pub source: &'static str,
}

/// Bound for any rotating disk: short seeks in a small range with 32 queued I/Os reach hundreds.
pub const RANDOM_IOPS: f64 = 500.0;

const QUARTER: &str = "One turn is 60 s over the speed; four I/Os per turn where the nearest of 32 queued places (NCQ, TCQ) is \
                       next, and never below the bound for any rotating disk";

const fn rotation(per_minute: f64) -> Rotation {
    Rotation {
        per_minute,
        random_iops_max: (per_minute / 60.0 * 4.0).max(RANDOM_IOPS),
        source: QUARTER,
    }
}

/// Speeds that disks are sold with, the fastest first.
pub const ROTATIONS: &[Rotation] = &[
    rotation(15_000.0),
    rotation(10_000.0),
    rotation(7_200.0),
    rotation(5_400.0),
];

/// A family of rotating disks, known by the beginning of its model names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskFamily {
    /// Whose and which: `Seagate Exos, BarraCuda and IronWolf`.
    pub name: &'static str,
    /// A model's name as the kernel prints it: `#` is a digit, `@` a letter.
    pub pattern: &'static str,
    /// Rotations per minute, where it is the same for the whole family.
    pub per_minute: Option<f64>,
    /// Source.
    pub source: &'static str,
}

const DRIVEDB: &str = "smartmontools, drivedb.h, families whose models report a rotation rate";

const fn family(name: &'static str, pattern: &'static str, per_minute: Option<f64>) -> DiskFamily {
    DiskFamily {
        name,
        pattern,
        per_minute,
        source: DRIVEDB,
    }
}

/// Families of rotating disks. A name that fits none of them decides nothing.
pub const DISK_FAMILIES: &[DiskFamily] = &[
    family(
        "Seagate Savvio and Enterprise Performance 15K",
        "ST###MP###",
        Some(15_000.0),
    ),
    family(
        "Seagate Savvio and Enterprise Performance 10K",
        "ST###MM###",
        Some(10_000.0),
    ),
    family(
        "Seagate Enterprise Performance 10K",
        "ST####MM###",
        Some(10_000.0),
    ),
    family(
        "Seagate Exos, IronWolf Pro and Constellation",
        "ST####NM###",
        Some(7_200.0),
    ),
    family(
        "Seagate Exos and IronWolf Pro",
        "ST#####NM###",
        Some(7_200.0),
    ),
    family("Seagate Barracuda", "ST###DM###", None),
    family("Seagate Barracuda and BarraCuda", "ST####DM###", None),
    family("Seagate IronWolf and NAS HDD", "ST####VN###", None),
    family("Seagate IronWolf", "ST#####VN###", None),
    family("Seagate SkyHawk and Video", "ST####VX###", None),
    family("Seagate Mobile HDD", "ST####LM035", None),
    family(
        "Western Digital disks of 3.5 inches, in GB",
        "WDC WD####A@@@",
        None,
    ),
    family(
        "Western Digital disks of 2.5 inches, in GB",
        "WDC WD####B@@@",
        None,
    ),
    family(
        "Western Digital disks of 3.5 inches, in TB",
        "WDC WD##E@@@",
        None,
    ),
    family(
        "Western Digital disks of 3.5 inches, from 10 TB",
        "WDC WD###E@@@",
        None,
    ),
    family(
        "Western Digital disks of 3.5 inches, of 4096-byte blocks",
        "WDC WD##F@@@",
        None,
    ),
    family(
        "Western Digital Gold and Ultrastar, from 10 TB",
        "WDC WD###K@@@",
        None,
    ),
    family("Western Digital Ultrastar", "WUH72####", Some(7_200.0)),
    family("HGST Ultrastar He", "HUH72####", Some(7_200.0)),
    family("HGST Ultrastar", "HUS72####", Some(7_200.0)),
    family("Hitachi and HGST Deskstar", "HDS72####", Some(7_200.0)),
    family("Hitachi and HGST Travelstar 7K", "HTS72####", Some(7_200.0)),
    family("Hitachi and HGST Travelstar 5K", "HTS54####", Some(5_400.0)),
    family("Toshiba MG", "MG##ACA", None),
    family("Toshiba MG, air-filled", "MG##ADA", None),
    family("Toshiba DT01", "DT01ACA", Some(7_200.0)),
    family("Toshiba P300", "HDWD###", None),
    family("Toshiba X300", "HDWE###", None),
    family("Toshiba X300 and N300", "HDWF###", None),
];

/// The family whose models are called so.
pub fn disk_family(model: &str) -> Option<&'static DiskFamily> {
    let bare = without_maker(model.trim());
    DISK_FAMILIES
        .iter()
        .find(|family| fits(without_maker(family.pattern), bare))
}

/// The kernel prints a maker before the names of SCSI models, and some makers do so themselves.
fn without_maker(model: &str) -> &str {
    const MAKERS: [&str; 8] = [
        "ATA ", "WDC ", "SEAGATE ", "Seagate ", "HGST ", "Hitachi ", "TOSHIBA ", "WD ",
    ];
    let mut rest = model;
    while let Some(bare) = MAKERS.iter().find_map(|maker| rest.strip_prefix(maker)) {
        rest = bare.trim_start();
    }
    rest
}

/// Whether a name begins like this.
fn fits(pattern: &str, name: &str) -> bool {
    let mut letters = name.chars();
    pattern.chars().all(|wanted| {
        letters.next().is_some_and(|is| match wanted {
            '#' => is.is_ascii_digit(),
            '@' => is.is_ascii_uppercase(),
            letter => is == letter,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotating_disks_are_known_by_name_and_others_are_not() {
        for (model, speed) in [
            ("ST4000NM0035", Some(7200.0)),
            ("ATA ST1000DM003-1CH162", None),
            ("WDC WD40EFRX-68N32N0", None),
            ("ST16000NM001G-2KK103", Some(7200.0)),
            ("SEAGATE ST600MM0009", Some(10_000.0)),
            ("ST8000NM000A-2KE", Some(7200.0)),
            ("HGST HUH721212ALE604", Some(7200.0)),
            ("TOSHIBA MG08ACA16TE", None),
            ("Hitachi HTS545050A7E380", Some(5400.0)),
        ] {
            let family = disk_family(model).unwrap_or_else(|| panic!("{model}"));
            assert_eq!(family.per_minute, speed, "{model}");
        }
        for model in [
            "Samsung SSD 870 EVO 1TB",
            "WDC WDS100T2B0A-00SM50", // an SSD
            "WD_BLACK SN850X 2000GB",
            "INTEL SSDPE2KX010T8",
            "ST480HM000", // Seagate's SSDs
            "XS3840SE70014",
            "QEMU HARDDISK",
            "TOSHIBA KXG60ZNV512G",
            "MZ7LH960HAJR-00005",
            "",
        ] {
            assert_eq!(disk_family(model), None, "{model}");
        }
    }

    #[test]
    fn a_link_is_bounded_by_generation_and_lanes() {
        for (speed, wanted) in [
            ("16.0 GT/s x4", Some(7_876_800_000.0)),
            ("8.0 GT/s x2", Some(1_969_200_000.0)),
            ("6.0 Gbit/s", Some(600e6)),
            ("1.5 Gbit/s", Some(150e6)),
            ("Unknown x0", None),
            ("7.0 Gbit/s", None),
            ("", None),
        ] {
            assert_eq!(link_bytes_per_s(speed), wanted, "{speed}");
        }
    }

    #[test]
    fn every_bound_is_a_figure_with_a_source() {
        let all = LINKS.iter().map(|link| (link.bytes_per_s, link.source));
        let all = all.chain(
            PCIE_GENERATIONS
                .iter()
                .map(|one| (one.lane_bytes_per_s, one.source)),
        );
        let all = all.chain(
            ROTATIONS
                .iter()
                .map(|one| (one.random_iops_max, one.source)),
        );
        for (bound, source) in all {
            assert!(bound > 0.0 && !source.is_empty());
        }
        assert!(
            ROTATIONS
                .windows(2)
                .all(|pair| pair[0].per_minute > pair[1].per_minute)
        );
    }
}
