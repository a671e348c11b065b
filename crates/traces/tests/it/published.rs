//! The head of a trace of each format, as published sets and recorders have them, and the records in it.

use crate::{Files, described, options, read, refusal};
use model::Nanos;
use model::trace::{TraceFlags, TraceOperation, TraceRecord};
use traces::Trace;

/// A text of a format, the labels of its devices, and its records as `ns device op offset+length flags thread latency`.
struct Case {
    format: &'static str,
    text: &'static str,
    devices: &'static [&'static str],
    records: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        format: "msr",
        text: "128166372003061629,hm,1,Read,3154152448,4096,41286\n\
               128166372016382155,hm,1,Write,2822144,16384,1963\n\
               128166372026382245,hm,0,Write,2822145,512,1000\n",
        devices: &["hm:1", "hm:0"],
        records: &[
            "0 0 read 3154152448+4096 0 0 4128600",
            "1332052600 0 write 2822144+16384 0 0 196300",
            "2332061600 1 write 2822145+512 0 0 100000",
        ],
    },
    Case {
        format: "alibaba",
        text: "419,W,8792731648,16384,1577808000000046\n725,R,1235,4096,1577808000000067\n",
        devices: &["419", "725"],
        records: &[
            "0 0 write 8792731648+16384 0 0 -",
            "21000 1 read 1235+4096 0 0 -",
        ],
    },
    Case {
        format: "tencent",
        text: "1538323200,12910952,128,0,1063\n1538323200,6338688,8,1,1627\n1538323201,8,8,1,1063\n",
        devices: &["1063", "1627"],
        records: &[
            "0 0 read 6610407424+65536 0 0 -",
            "0 1 write 3245408256+4096 0 0 -",
            "1000000000 0 write 4096+4096 0 0 -",
        ],
    },
    Case {
        format: "systor",
        text: "Timestamp,Response,IOType,LUN,Offset,Size\n\
               1455592865.018165000,0.000206000,R,4,1073741824,4096\n\
               1455592865.018265,.000103,W,5,0,512\n1455592866,,R,4,512,512\n",
        devices: &["4", "5"],
        records: &[
            "0 0 read 1073741824+4096 0 0 206000",
            "100000 1 write 0+512 0 0 103000",
            "981835000 0 read 512+512 0 0 -",
        ],
    },
    Case {
        format: "spc",
        text: "0,20941264,8192,W,0.551706\n0,20939840,8192,w,0.554041\n1,3072,1536,r,1.551706\n",
        devices: &["0", "1"],
        records: &[
            "0 0 write 10721927168+8192 0 0 -",
            "2335000 0 write 10721198080+8192 0 0 -",
            "1000000000 1 read 1572864+1536 0 0 -",
        ],
    },
    Case {
        format: "fiu",
        text: "89966321 4892 syslogd 904265560 8 W 6 0 531e779d12c7c1e5a6d5a7b1b5a5d7d3\n\
               89967321 2559 kjournald 909898544 16 R 6 0 4fd0a0d26a5cbe7ca7cd4f9e9a5ba4a5\n",
        devices: &["6:0"],
        records: &[
            "0 0 write 462983966720+4096 0 4892 -",
            "1000 0 read 465868054528+8192 0 2559 -",
        ],
    },
    Case {
        format: "fio2",
        text: "fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n/dev/sdb read 0 4096\n/dev/sdb wait 50 0\n\
               /dev/sdb write 4096 8192\n/dev/sdb wait 1000 0\n/dev/sdb trim 65536 65536\n/dev/sdb datasync 0 0\n\
               /dev/sdb close\n",
        devices: &["/dev/sdb"],
        records: &[
            "0 0 read 0+4096 0 0 -",
            "50000 0 write 4096+8192 0 0 -",
            "1050000 0 discard 65536+65536 0 0 -",
            "1050000 0 flush 0+0 0 0 -",
        ],
    },
    Case {
        format: "fio3",
        text: "fio version 3 iolog\n0 a add\n0 a open\n10 a read 0 4096\n25 b write 512 512\n30 a sync 0 0\n31 a close\n",
        devices: &["a", "b"],
        records: &[
            "0 0 read 0+4096 0 0 -",
            "15000 1 write 512+512 0 0 -",
            "20000 0 flush 0+0 0 0 -",
        ],
    },
    Case {
        format: "msps",
        text: "BeginHeader\nDiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset\nEndHeader\n\
               OS Version: 6.0\n\
               DiskReadInit, 990, System (   4), 12, 0xfffffa8003c39010\n\
               DiskRead, 1500, System (   4), 12, 0xfffffa8003c39010, 0x0000001000, 0x00001000, 500, 0, 0x060043, 480, 2, 1, 0x0, \"Unknown\"\n\
               DiskWrite, 1600, store.exe ( 99), 13, 0xfffffa8003c39011, 0x2000, 0x200, 700, 1, 0x060043, 680\n\
               DiskFlush, 2000, System (   4), 12, 0xfffffa8003c39010, 100, 0, 0x0\n",
        devices: &["0", "1"],
        records: &[
            "0 1 write 8192+512 0 13 700000",
            "100000 0 read 4096+4096 0 12 500000",
            "1000000 0 flush 0+0 0 12 100000",
        ],
    },
    Case {
        format: "blkparse",
        text: "  8,16   1        1     0.000000000   697  Q  WS 223490 + 8 [kjournald]\n\
               \u{20} 8,16   1        2     0.000001829   697  G  WS 223490 + 8 [kjournald]\n\
               \u{20} 8,16   1        3     0.000004000   697  D  WS 223490 + 8 [kjournald]\n\
               \u{20} 8,16   0        4     0.000010000   700  Q FWFSM 8 + 16 [fsync]\n\
               \u{20} 8,16   0        5     0.000020000     0  C  WS 223490 + 8 [0]\n\
               \u{20} 8,16   0        6     0.000030000   700  Q FWS [fsync]\n\
               \u{20} 8,16   0        7     0.000035000   700  m N cfq workload slice\n\
               CPU0 (8,16):\n Reads Queued:           0,        0KiB\t Writes Queued:           1,        4KiB\n",
        devices: &["8:16"],
        records: &[
            "0 0 write 114426880+4096 1 697 20000",
            "10000 0 write 4096+8192 7 700 -",
            "30000 0 flush 0+0 1 700 -",
        ],
    },
    Case {
        format: "kernel",
        text: "fio  2204 [001]  1187.123456789: block:block_bio_queue: 7,0 RA 2048 + 8 [fio]\n\
               kworker/0:1-ev   55/55   [000]  1187.123457: block:block_rq_issue: 7,0 RA 4096 () 2048 + 8 none,0,0 [kworker/0:1-ev]\n\
               fio  2204 [001]  1187.123460: sched:sched_switch: prev_comm=fio\n\
               fio  2204 [001]  1187.124456789: block:block_rq_complete: 7,0 RA () 2048 + 8 none,0,0 [0]\n",
        devices: &["7:0"],
        records: &["0 0 read 1048576+4096 8 2204 1000000"],
    },
    Case {
        format: "kernel",
        text: "# tracer: nop\n#\n\
               CPU:1 [LOST 12 EVENTS]\n\
               \u{20}          dd-1234    [001] d..1.  100.000001: block_rq_issue: 8,0 WS 512 () 16 + 1 [dd]\n\
               \u{20} a b-c [x-1235  (  1200) [000] .....  100.000500: block_bio_queue: 8,0 D 0 + 2048 [a b-c [x]\n\
               \u{20}      <idle>-0       [001] d.h1.  100.001001: block_rq_complete: 8,0 WS () 16 + 1 [0]\n",
        devices: &["8:0"],
        records: &[
            "0 0 write 8192+512 1 1234 1000000",
            "499000 0 discard 0+1048576 0 1235 -",
        ],
    },
    Case {
        format: "csv",
        text: "time_ns,device,op,offset,length,flags,thread,latency_ns\n5,a:1,read,512,512,SM,9,77\n6,b,flush,0,0,,0,\n",
        devices: &["a:1", "b"],
        records: &["0 0 read 512+512 5 9 77", "1 1 flush 0+0 0 0 -"],
    },
];

fn text_of(record: &TraceRecord) -> String {
    let latency = record
        .latency
        .map_or("-".to_owned(), |latency| latency.0.to_string());
    format!(
        "{} {} {} {}+{} {} {} {latency}",
        record.at.0,
        record.device,
        record.operation.name(),
        record.offset,
        record.length,
        record.flags.0,
        record.thread
    )
}

#[test]
fn each_text_format_is_recognised_and_read_column_by_column() {
    for case in CASES {
        let found =
            read(case.text, None).unwrap_or_else(|error| panic!("{}: {error}", case.format));
        assert_eq!(found.format, case.format);
        assert_eq!(found.devices, case.devices, "{}", case.format);
        let records: Vec<String> = found.records.iter().map(text_of).collect();
        assert_eq!(records, case.records, "{}", case.format);
        let named = read(case.text, Some(case.format)).unwrap();
        assert_eq!(named.records, found.records);
    }
}

#[test]
fn lines_that_end_as_on_windows_are_read() {
    for case in CASES {
        let found = read(case.text.replace('\n', "\r\n"), None).unwrap();
        assert_eq!(found.records.len(), case.records.len(), "{}", case.format);
    }
}

#[test]
fn columns_that_the_user_names_are_read() {
    let text = "when;x\n".replace(';', ",") + "10.5,x,r,3,8\n11,x,w,4,8\n";
    let found = read(text, Some("csv:time=s,-,op,offset=sectors,length=sectors")).unwrap();
    let records: Vec<String> = found.records.iter().map(text_of).collect();
    assert_eq!(
        records,
        [
            "0 0 read 1536+4096 0 0 -",
            "500000000 0 write 2048+4096 0 0 -"
        ]
    );
    for columns in [
        "",
        "time=s",
        "time,offset=bytes,length=bytes",
        "time=s,offset=bytes,length=bytes,what",
    ] {
        let refused = refusal("1,2,3\n", Some(&format!("csv:{columns}")));
        assert!(
            refused.starts_with(&format!(
                "invalid value 'csv:{columns}' for --format: must be "
            )),
            "{refused}"
        );
    }
}

fn vscsi(version: u16, command: u16, block: u64, time: u64) -> Vec<u8> {
    let mut record = Vec::new();
    let code = (version << 8).to_le_bytes();
    let numbers = [7u32, 4096, 1].map(u32::to_le_bytes).concat();
    let places = [block, time].map(u64::to_le_bytes).concat();
    if version == 1 {
        record.extend([&numbers[..], &command.to_le_bytes(), &code, &places].concat());
    } else {
        record.extend(
            [
                &command.to_le_bytes()[..],
                &code,
                &numbers,
                &places,
                &250u64.to_le_bytes(),
            ]
            .concat(),
        );
    }
    record
}

#[test]
fn both_versions_of_vscsi_are_read() {
    for (version, latency) in [(1, None), (2, Some(Nanos::micros(250)))] {
        let bytes = [
            vscsi(version, 0x28, 8, 5),
            vscsi(version, 0x00, 0, 5),
            vscsi(version, 0x8a, 16, 7),
        ]
        .concat();
        let found = read(bytes, None).unwrap();
        let expected = |at, offset, operation| TraceRecord {
            at,
            offset,
            length: 4096,
            operation,
            latency,
            ..TraceRecord::default()
        };
        assert_eq!(found.format, "vscsi");
        assert_eq!(
            found.records,
            [
                expected(Nanos(0), 4096, TraceOperation::Read),
                expected(Nanos::micros(2), 8192, TraceOperation::Write)
            ]
        );
    }
}

/// One record of blktrace, of the processor `cpu`.
fn blktrace(action: u32, at: u64, sector: u64, bytes: u32) -> Vec<u8> {
    let mut record = 0x6561_7407u32.to_le_bytes().to_vec();
    record.extend(1u32.to_le_bytes());
    record.extend([at, sector].map(u64::to_le_bytes).concat());
    record.extend(
        [bytes, action, 77, 8 << 20 | 16, 3]
            .map(u32::to_le_bytes)
            .concat(),
    );
    record.extend([0, 0, 2, 0, 0xaa, 0xbb]); // two bytes follow
    record
}

#[test]
fn records_of_either_byte_order_are_the_same() {
    let little = blktrace(1 | 2 << 16, 5, 8, 4096);
    let mut big = Vec::new();
    let mut at = 0;
    for width in [4, 4, 8, 8, 4, 4, 4, 4, 4, 2, 2] {
        big.extend(little[at..at + width].iter().rev());
        at += width;
    }
    big.extend([0xaa, 0xbb]);
    let (little, big) = (read(little, None).unwrap(), read(big, None).unwrap());
    assert_eq!((big.format, big.records), ("blktrace", little.records));
}

#[test]
fn files_of_several_processors_are_one_trace() {
    const WRITE: u32 = 2 << 16;
    let files = Files::new();
    let first = [
        blktrace(1 | WRITE, 1000, 8, 4096),
        blktrace(1, 3000, 0, 512),
    ]
    .concat();
    let second = [
        blktrace(1 | 0x8002 << 16, 2000, 16, 4096),
        blktrace(8 | WRITE, 9000, 8, 12288),
    ]
    .concat();
    let paths = [
        files.add("t.blktrace.0", first),
        files.add("t.blktrace.1", second),
    ];
    let mut trace = Trace::open(&paths, &options(None)).unwrap();
    let found: Vec<TraceRecord> = trace.by_ref().map(Result::unwrap).collect();
    let plain: Vec<(u64, u64, Option<Nanos>)> = found
        .iter()
        .map(|one| (one.at.0, one.offset, one.latency))
        .collect();
    assert_eq!(
        plain,
        [
            (0, 4096, Some(Nanos(8000))),
            (1000, 8192, Some(Nanos(7000))),
            (2000, 0, None)
        ]
    );
    assert!(found[1].flags.has(TraceFlags::FUA));
    assert_eq!(trace.devices(), ["8:16"]);
}

#[test]
fn a_wrong_value_is_reported_with_file_line_and_what_is_accepted() {
    for (text, message) in [
        ("", "trace:byte 0: the file is empty: must be a trace"),
        (
            "0,1,2,3\n",
            "trace:byte 0: unknown format, and its content is not printed: must begin as one of the formats ",
        ),
        (
            "419,W,1,16384,5\n419,X,1,1,6\n",
            "trace:2: invalid value 'X' for opcode: must be a read (R, Read) or a write (W, Write)",
        ),
        (
            "419,W,1,16384,5\n419,W,1\n",
            "trace:2: invalid value '419,W,1' for line: must be device_id,opcode,offset,length,timestamp",
        ),
        (
            "419,W,1,16384,5\n419,W,1,2147483648,6\n",
            "trace:2: invalid value '2147483648' for length: must be at most 1GiB",
        ),
        (
            "419,W,1,16384,5\n419,W,9223372036854775807,512,6\n",
            "trace:2: invalid value '9223372036854775807' for offset: must end below 2^63 bytes",
        ),
        (
            "419,W,1,16384,5000000\n419,W,1,512,9000000\n419,W,1,512,1\n",
            "trace:3: invalid value '0.000001' for time (s): must be at most 1 s before",
        ),
        (
            "fio version 2 iolog\nf read 0\n",
            "trace:2: invalid value '' for LENGTH: must be a whole number",
        ),
        (
            "fio version 3 iolog\n5 f punch 0 0\n",
            "trace:2: invalid value 'punch' for ACTION: must be add, open",
        ),
        ("\u{1f}\u{8b}", "trace:byte 0: unknown format"),
    ] {
        let refused = refusal(text, None);
        assert!(refused.starts_with(message), "{refused}");
    }
    let refused = refusal(b"\xfd7zXZ\x00", None);
    assert!(
        refused.starts_with("trace:byte 0: the file is compressed: must be "),
        "{refused}"
    );
    let refused = refusal(b"\x1f\x8b\x08\x00", None);
    assert!(
        refused.ends_with("trace:byte 0: the gzip data is cut off: must be whole"),
        "{refused}"
    );
    let refused = refusal(b"\x28\xb5\x2f\xfd\x00\xf8\x00\x00\x00", None);
    assert!(refused.contains("needs more than 32 MiB"), "{refused}");
    let refused = refusal(b"\x28\xb5\x2f\xfd\x00\x00\xff", None);
    assert!(
        refused.ends_with("damaged or cut off: must be whole"),
        "{refused}"
    );
    let refused = refusal("1,2,3\n", Some("blkprase"));
    assert!(
        refused.starts_with("invalid value 'blkprase' for --format: must be iotrace, "),
        "{refused}"
    );
}

#[test]
fn a_summary_counts_what_the_trace_contains() {
    let text: String = (0..1000u64)
        .map(|n| {
            let (op, size) = if n % 4 == 3 {
                ("write", 8192)
            } else {
                ("read", 4096)
            };
            let offset = if n % 4 == 3 {
                n * 8192
            } else {
                n / 4 * 12288 + n % 4 * 4096
            };
            format!("{},d,{op},{offset},{size},,1,1000000\n", n * 10_000_000)
        })
        .collect();
    let files = Files::new();
    let head = "time_ns,device,op,offset,length,flags,thread,latency_ns\n";
    let found = described(files.add("t.csv", head.to_owned() + &text));
    assert_eq!((found.ios, found.duration_ns), (1000, Nanos(9_990_000_000)));
    let read = &found.operations[0];
    assert_eq!(
        (read.ios, read.bytes, read.sequential),
        (750, 750 * 4096, 749)
    );
    assert_eq!(
        (read.sizes[0].bytes, read.sizes[0].ios, read.other_sizes),
        (4096, 750, 0)
    );
    let write = &found.operations[1];
    assert_eq!((write.ios, write.sequential), (250, 0));
    assert_eq!(
        (
            found.arrivals.busiest_second_ios,
            found.arrivals.busiest_second_at_ns
        ),
        (100, Nanos(0))
    );
    assert!(found.arrivals.dispersion_10ms.unwrap() < 0.01);
    assert_eq!(
        found.arrivals.dispersion_1s, None,
        "nine whole seconds are too few"
    );
    assert_eq!(found.latency.unwrap().max_ns, Nanos::millis(1));
    assert!((found.mean_in_flight.unwrap() - 0.1).abs() < 0.001);
    assert_eq!(found.working_set.read_bytes, 750 * 4096);
    assert_eq!(found.devices[0].end_bytes, 999 * 8192 + 8192);
}
