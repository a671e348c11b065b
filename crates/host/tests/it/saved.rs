//! Saved trees: what is read from other people's machines.

use expect_test::{Expect, expect};
use host::{CounterReader, Root, device_chain, devices, host_record};
use model::{BlockDevice, Bytes, Claim, CpuFacts, HostRecord, Nanos};
use std::fmt::Write;
use std::path::Path;

fn saved(name: &str) -> Root {
    Root::at(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(name),
    )
}

/// One line a claim, as short as can be.
pub(crate) fn in_words(claim: &Claim) -> String {
    match claim {
        Claim::Mounted { device, at } => format!("{device} mounted at {}", at.display()),
        Claim::Swap { device } => format!("{device} is swap"),
        Claim::Holder { device, by } => format!("{device} used by {by}"),
        Claim::Busy { device } => format!("{device} busy"),
        Claim::Placed { file, user } => format!("{file} of user {user}"),
        Claim::OpenForWriting { file } => format!("{file} open for writing"),
        Claim::Signature { device, what } => format!("{device} carries {what}"),
    }
}

fn list(name: &str) -> String {
    let mut text = String::new();
    for listing in devices(&saved(name)) {
        let device = &listing.device;
        let parent = listing.parent.as_deref().unwrap_or("-");
        let detail = device.detail.as_deref().unwrap_or("-");
        let (path, kind, size) = (listing.path.display(), &device.kind, device.size.0);
        writeln!(text, "{path} {kind} on {parent}, {size} bytes, {detail}").unwrap();
        if let Some(name) = &listing.known_as {
            writeln!(text, "    known as {name}").unwrap();
        }
        for claim in &listing.claims {
            writeln!(text, "    {}", in_words(claim)).unwrap();
        }
    }
    text
}

fn chain(name: &str, (major, minor): (u32, u32), expected: &Expect) {
    let names: Vec<String> = device_chain(&saved(name), major, minor)
        .into_iter()
        .map(|device| device.name)
        .collect();
    expected.assert_eq(&names.join(" > "));
}

#[test]
fn kinds_of_cores_are_classes_and_equal_cores_have_none() {
    let classes = |name: &str| -> Vec<Option<u32>> {
        let cpus = host_record(&saved(name)).cpus.into_iter();
        cpus.map(|facts| facts.efficiency_class).collect()
    };
    let known =
        |classes: &[u32]| -> Vec<Option<u32>> { classes.iter().map(|&c| Some(c)).collect() };
    assert_eq!(classes("laptop_hybrid"), known(&[1, 1, 1, 1, 0, 0]));
    assert_eq!(classes("board_arm"), known(&[0, 0, 1, 1, 2]));
    assert!(classes("server_nvme").iter().all(Option::is_none));
}

#[test]
fn a_server_s_processor_memory_and_system_are_read() {
    let found = host_record(&saved("server_nvme"));
    assert_eq!(found.hostname, "db07");
    assert_eq!(found.kernel, "Linux 6.1.0-28-amd64");
    let distribution = found.distribution.as_deref();
    assert_eq!(distribution, Some("Debian GNU/Linux 12 (bookworm)"));
    let model = found.cpu_model.as_deref();
    assert_eq!(model, Some("Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz"));
    assert_eq!(found.ram, Bytes(263_847_140 << 10));
    assert_eq!(found.ram_available, Bytes(251_112_340 << 10));
    let core = |cpu, core, both| CpuFacts {
        cpu,
        core: Some(core),
        socket: Some(both),
        node: Some(both),
        governor: Some("performance".to_owned()),
        efficiency_class: None,
    };
    let expected = [core(0, 0, 0), core(1, 0, 1), core(2, 1, 0), core(3, 1, 1)];
    assert_eq!(found.cpus, expected);
}

#[test]
fn a_hypervisor_is_seen_in_the_processor_s_flags() {
    let found = |name| host_record(&saved(name)).virtualization;
    assert_eq!(found("vm_virtio").as_deref(), Some("unnamed hypervisor"));
    assert_eq!(found("laptop_crypt"), None);
    assert_eq!(found("server_nvme"), None);
}

#[test]
fn a_partition_has_the_queue_of_its_disk() {
    let chain = device_chain(&saved("server_nvme"), 259, 2);
    let disk = BlockDevice {
        name: "nvme0n1".to_owned(),
        number: (259, 0),
        kind: "disk".to_owned(),
        size: Bytes(3_750_748_848 * 512),
        model: Some("SAMSUNG MZQL21T9HCJR-00A07".to_owned()),
        firmware: Some("GDC5602Q".to_owned()),
        rotational: Some(false),
        removable: false,
        read_only: false,
        scheduler: Some("none".to_owned()),
        queue_size: Some(1023),
        request_max: Some(Bytes::kib(256)),
        logical_block: Some(Bytes(512)),
        physical_block: Some(Bytes(512)),
        write_cache: Some("write through".to_owned()),
        memory_node: None,
        interrupt_cores: Vec::new(),
        start: None,
        queues: None,
        device_queue: None,
        fua: None,
        transport: Some("nvme".to_owned()),
        link: None,
        diskseq: None,
        counted: Some(true),
        detail: None,
        segments_max: None,
        read_ahead: None,
        file_direct: None,
        file_allocated: None,
        file_on: None,
        paths: Vec::new(),
    };
    let partition = BlockDevice {
        name: "nvme0n1p2".to_owned(),
        number: (259, 2),
        kind: "partition".to_owned(),
        size: Bytes(3_749_697_536 * 512),
        ..disk.clone()
    };
    assert_eq!(chain, [partition, disk]);
}

#[test]
fn a_rotating_disk_names_its_maker_and_scheduler_and_a_garbled_one_nothing() {
    let chain = device_chain(&saved("raid_lvm_xfs"), 8, 16);
    let found = &chain[0];
    assert_eq!(found.model.as_deref(), Some("ST8000NM000A-2KE"));
    assert_eq!(found.firmware.as_deref(), Some("SN02"));
    assert_eq!(found.scheduler.as_deref(), Some("mq-deadline"));
    assert_eq!(found.rotational, Some(true));
    assert_eq!(found.physical_block, Some(Bytes(4096)));
    let expected = BlockDevice {
        name: "sda".to_owned(),
        number: (8, 0),
        kind: "disk".to_owned(),
        write_cache: Some("write back".to_owned()),
        ..BlockDevice::default()
    };
    assert_eq!(device_chain(&saved("garbled"), 8, 0), [expected]);
}

#[test]
fn a_disk_whose_ios_are_not_counted_says_so() {
    let counted = |major, minor| device_chain(&saved("vm_virtio"), major, minor)[0].counted;
    assert_eq!(counted(254, 0), Some(false));
    assert_eq!(counted(7, 3), None);
}

/// Of a controller by its speed and width, of a SATA port by its speed.
#[test]
fn the_link_of_a_disk_has_its_speed() {
    let link = |disk: &str, files: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let devices = folder.path().join("sys/devices/pci0000:40/0000:41:00.0");
        let disk = devices.join(disk);
        std::fs::create_dir_all(&disk).unwrap();
        std::fs::write(disk.join("dev"), "8:0\n").unwrap();
        for (file, text) in files {
            let file = devices.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let numbers = folder.path().join("sys/dev/block");
        std::fs::create_dir_all(&numbers).unwrap();
        let up = "../../devices/pci0000:40/0000:41:00.0";
        let name = disk.strip_prefix(&devices).unwrap();
        std::os::unix::fs::symlink(Path::new(up).join(name), numbers.join("8:0")).unwrap();
        device_chain(&Root::at(folder.path().to_owned()), 8, 0)[0]
            .link
            .clone()
    };
    let pcie = [
        ("current_link_speed", "16.0 GT/s PCIe\n"),
        ("current_link_width", "4\n"),
    ];
    assert_eq!(
        link("nvme/nvme0/nvme0n1", &pcie).as_deref(),
        Some("16.0 GT/s x4")
    );
    let unknown = [
        ("current_link_speed", "Unknown\n"),
        ("current_link_width", "0\n"),
    ];
    assert_eq!(link("nvme/nvme0/nvme0n1", &unknown), None);
    let sata = [("ata3/link3/ata_link/link3/sata_spd", "3.0 Gbps\n")];
    let disk = "ata3/host2/target2:0:0/2:0:0:0/block/sda";
    assert_eq!(link(disk, &sata).as_deref(), Some("3.0 Gbit/s"));
    let sas = "host0/port-0:1/end_device-0:1/target0:0:1/0:0:1:0/block/sdb";
    let phy = |number: u32| {
        format!("host0/port-0:1/phy-0:{number}/sas_phy/phy-0:{number}/negotiated_linkrate")
    };
    let (first, second) = (phy(1), phy(2));
    let one = [(first.as_str(), "12.0 Gbit\n")];
    assert_eq!(link(sas, &one).as_deref(), Some("SAS 12.0 Gbit/s"));
    let wide = [(first.as_str(), "12.0 Gbit\n"), (&second, "6.0 Gbit\n")];
    assert_eq!(link(sas, &wide).as_deref(), Some("SAS 6.0 Gbit/s x2"));
    let unknown = [(first.as_str(), "Unknown\n")];
    assert_eq!(link(sas, &unknown), None);
    let virtio = [
        ("current_link_speed", "2.5 GT/s PCIe\n"),
        ("current_link_width", "1\n"),
    ];
    assert_eq!(link("virtio0/block/vda", &virtio), None);
}

/// The attribute of a controller on a bus, above its disks. -1 means that the machine has but one node.
#[test]
fn the_memory_node_is_that_of_the_controller_on_its_bus() {
    let node = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let bus = "sys/devices/pci0000:40/0000:41:00.0";
        let disk = folder.path().join(bus).join("nvme/nvme0/nvme0n1");
        std::fs::create_dir_all(&disk).unwrap();
        std::fs::write(folder.path().join(bus).join("numa_node"), text).unwrap();
        std::fs::write(disk.join("dev"), "259:0\n").unwrap();
        let numbers = folder.path().join("sys/dev/block");
        std::fs::create_dir_all(&numbers).unwrap();
        let link = Path::new("../../devices/pci0000:40/0000:41:00.0/nvme/nvme0/nvme0n1");
        std::os::unix::fs::symlink(link, numbers.join("259:0")).unwrap();
        let chain = device_chain(&Root::at(folder.path().to_owned()), 259, 0);
        chain[0].memory_node
    };
    assert_eq!(node("1\n"), Some(1));
    assert_eq!(node("-1\n"), None);
}

/// Of each vector the core that took most; one that never came counts for none.
#[test]
fn the_cores_of_interrupts_are_those_of_the_controller_on_its_bus() {
    let folder = tempfile::tempdir().unwrap();
    let place = |path: &str| folder.path().join(path);
    let disk = place("sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda");
    std::fs::create_dir_all(&disk).unwrap();
    std::fs::write(disk.join("dev"), "254:0\n").unwrap();
    let vectors = place("sys/devices/pci0000:00/0000:00:02.0/msi_irqs");
    std::fs::create_dir_all(&vectors).unwrap();
    for (number, counts) in [(35, "0,0,0\n"), (36, "7,0,1616410\n"), (37, "9,0,8\n")] {
        std::fs::write(vectors.join(number.to_string()), "msix\n").unwrap();
        let folder = place(&format!("sys/kernel/irq/{number}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("per_cpu_count"), counts).unwrap();
    }
    let numbers = place("sys/dev/block");
    std::fs::create_dir_all(&numbers).unwrap();
    let link = Path::new("../../devices/pci0000:00/0000:00:02.0/virtio1/block/vda");
    std::os::unix::fs::symlink(link, numbers.join("254:0")).unwrap();
    let chain = device_chain(&Root::at(folder.path().to_owned()), 254, 0);
    assert_eq!(chain[0].interrupt_cores, [0, 2]);
}

#[test]
fn chains_go_down_through_mappings_arrays_partitions_and_files() {
    chain("server_nvme", (259, 2), &expect!["nvme0n1p2 > nvme0n1"]);
    chain(
        "raid_lvm_xfs",
        (253, 0),
        &expect!["dm-0 > md127 > sda1 > sda > sdb1 > sdb"],
    );
    chain(
        "laptop_crypt",
        (252, 0),
        &expect!["dm-0 > nvme0n1p3 > nvme0n1"],
    );
    chain("vm_virtio", (7, 3), &expect!["loop3 > vda"]);
    chain("vm_virtio", (99, 99), &expect![[r#""#]]);
    chain("garbled", (252, 0), &expect!["dm-0 > dm-1"]);
}

#[test]
fn a_server_s_devices_and_who_claims_them() {
    expect![[r#"
        /dev/nvme0n1 disk on -, 1920383410176 bytes, -
            nvme0n1p1 mounted at /boot/efi
            nvme0n1p2 mounted at /
        /dev/nvme0n1p1 partition on nvme0n1, 536870912 bytes, -
            nvme0n1p1 mounted at /boot/efi
        /dev/nvme0n1p2 partition on nvme0n1, 1919845138432 bytes, -
            nvme0n1p2 mounted at /
    "#]]
    .assert_eq(&list("server_nvme"));
}

#[test]
fn a_disk_is_claimed_by_what_stands_on_it_however_far_up() {
    expect![[r#"
        /dev/dm-0 dm on md127, 53687091200 bytes, vg0-root (LVM)
            known as vg0-root
            dm-0 mounted at /
        /dev/md127 md on -, 7992837668864 bytes, raid1, 2 disks, 1 missing
            dm-0 mounted at /
            md127 used by dm-0
        /dev/sda disk on -, 8001563222016 bytes, -
            dm-0 mounted at /
            sda2 is swap
            sda1 used by md127
        /dev/sda1 partition on sda, 7992972935168 bytes, -
            dm-0 mounted at /
            sda1 used by md127
        /dev/sda2 partition on sda, 8589934592 bytes, -
            sda2 is swap
        /dev/sdb disk on -, 8001563222016 bytes, -
            dm-0 mounted at /
            sdb1 used by md127
        /dev/sdb1 partition on sdb, 7992972935168 bytes, -
            dm-0 mounted at /
            sdb1 used by md127
        /dev/sdb2 partition on sdb, 8589934592 bytes, -
    "#]]
    .assert_eq(&list("raid_lvm_xfs"));
}

#[test]
fn a_laptop_s_encrypted_disk_is_claimed_through_its_mapping() {
    expect![[r#"
        /dev/dm-0 dm on nvme0n1p3, 1022498963456 bytes, luks-5f0e (CRYPT)
            known as luks-5f0e
            dm-0 mounted at /
            dm-0 mounted at /home
        /dev/nvme0n1 disk on -, 1024209543168 bytes, -
            dm-0 mounted at /
            dm-0 mounted at /home
            nvme0n1p2 mounted at /boot
            nvme0n1p3 used by dm-0
        /dev/nvme0n1p2 partition on nvme0n1, 1073741824 bytes, -
            nvme0n1p2 mounted at /boot
        /dev/nvme0n1p3 partition on nvme0n1, 1022515740672 bytes, -
            dm-0 mounted at /
            dm-0 mounted at /home
            nvme0n1p3 used by dm-0
    "#]]
    .assert_eq(&list("laptop_crypt"));
}

#[test]
fn a_virtual_machine_s_unused_loop_device_is_left_out() {
    expect![[r#"
        /dev/loop3 loop on vda, 104857600 bytes, /srv/my image.img
            loop3 mounted at /mnt/image
        /dev/vda disk on -, 274877906944 bytes, -
            vda mounted at /
        /dev/zram0 zram on -, 4294967296 bytes, -
            zram0 is swap
    "#]]
    .assert_eq(&list("vm_virtio"));
}

#[test]
fn a_garbled_machine_is_unknown_and_nothing_stumbles() {
    expect![[r#"
        /dev/sda1 partition on sda, 18446744073709551615 bytes, -
            sda1 mounted at /data
            sda1 is swap
        /dev/dm-0 dm on dm-1, 4096 bytes, -
            dm-0 used by dm-1
            dm-0 used by gone
        /dev/dm-1 dm on dm-0, 4096 bytes, -
            dm-0 used by gone
            dm-1 used by dm-0
        /dev/loop0 loop on -, 8192 bytes, relative
    "#]]
    .assert_eq(&list("garbled"));
    let found = host_record(&saved("garbled"));
    let expected = HostRecord {
        hostname: "half".to_owned(),
        cpus: vec![CpuFacts {
            cpu: 1,
            ..CpuFacts::default()
        }],
        ..HostRecord::default()
    };
    assert_eq!(found, expected);
    let names = ["sda", "sda1", "gone"].map(str::to_owned);
    let read = CounterReader::open(&saved("garbled"), &names).read(&mut || Nanos(0));
    assert!(read.devices.is_empty());
    assert_eq!(read.cpus.len(), 1);
}

#[test]
fn counters_of_disk_and_partition_are_read_in_bytes_and_nanoseconds() {
    let names = ["nvme0n1p2", "nvme0n1", "gone"].map(str::to_owned);
    let mut reader = CounterReader::open(&saved("server_nvme"), &names);
    let mut clock = 0;
    let read = reader.read(&mut || {
        clock += 10;
        Nanos(clock)
    });
    assert_eq!((read.begun, read.ended), (Nanos(10), Nanos(20)));
    let found: Vec<&str> = read.devices.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(found, ["nvme0n1p2", "nvme0n1"]);
    assert_eq!(read.devices[0].read_bytes, Bytes(23_000 * 512));
    assert_eq!(read.devices[1].flushes, 25);
    assert_eq!(read.cpus.len(), 2);
}

#[test]
fn an_empty_tree_knows_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::at(folder.path().to_owned());
    assert_eq!(host_record(&root), model::HostRecord::default());
    assert!(devices(&root).is_empty());
}
