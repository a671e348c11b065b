//! The formats that are read: a row each. The first lines of a file decide its format, from the top of the table.
//!
//! Omitted: how each is read, which is in the file of the format.

use crate::error::Flaw;
use crate::event::Decoder;
use crate::parse::header_is;
use crate::text::{
    alibaba, blkparse, csv, fio2, fio3, fiu, kernel, msps, msr, spc, systor, tencent,
};
use crate::{blktrace, iotrace, vscsi};
use model::Nanos;

/// One format.
pub struct Format {
    /// As options and reports name it.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// The smallest difference of time that it can express.
    pub resolution: Nanos,
    /// How far the times of a file may be out of order.
    pub disorder: Nanos,
    /// Returns whether a file that begins so may be of this format.
    pub(crate) begins: fn(&[u8]) -> bool,
    pub(crate) decoder: fn() -> Decoder,
}

/// Times that are in the order of the file.
const SORTED: Nanos = Nanos(0);
/// Times that processors or a server wrote at nearly the same time.
const NEARLY: Nanos = Nanos::seconds(1);
/// Times that were computed from those of the completions, in whose order the file is.
const BY_COMPLETION: Nanos = Nanos::seconds(30);

/// Every format.
pub const FORMATS: &[Format] = &[
    Format {
        name: "iotrace",
        title: "fathom's own, binary (.iotrace)",
        resolution: Nanos(1),
        disorder: SORTED,
        begins: iotrace::begins,
        decoder: || Decoder::Frames(Box::new(iotrace::Reader::default())),
    },
    Format {
        name: "blktrace",
        title: "blktrace, one file per CPU, or blkparse -d",
        resolution: Nanos(1),
        disorder: NEARLY,
        begins: blktrace::begins,
        decoder: || Decoder::Frames(Box::new(blktrace::Reader)),
    },
    Format {
        name: "fio2",
        title: "fio version 2 iolog",
        resolution: Nanos::micros(1),
        disorder: SORTED,
        begins: |head| head.starts_with(fio2::HEAD),
        decoder: || Decoder::Lines(Box::new(fio2::Reader::default())),
    },
    Format {
        name: "fio3",
        title: "fio version 3 iolog",
        resolution: Nanos::micros(1),
        disorder: NEARLY,
        begins: |head| head.starts_with(fio3::HEAD),
        decoder: || lines(fio3::line),
    },
    Format {
        name: "msps",
        title: "Microsoft production servers, Exchange, TPC: xperf's text",
        resolution: Nanos::micros(1),
        disorder: BY_COMPLETION,
        begins: |head| head.starts_with(msps::HEAD),
        decoder: || Decoder::Lines(Box::new(msps::Reader::default())),
    },
    Format {
        name: "csv",
        title: "fathom's own CSV, or --format csv:COLUMNS",
        resolution: Nanos(1),
        disorder: NEARLY,
        begins: |head| head.starts_with(csv::HEAD.as_bytes()),
        decoder: || Decoder::Lines(Box::new(csv::Reader::own())),
    },
    Format {
        name: "kernel",
        title: "perf script, ftrace or trace-cmd report with block events",
        resolution: Nanos(1),
        disorder: NEARLY,
        begins: kernel::begins,
        decoder: || lines(kernel::line),
    },
    Format {
        name: "blkparse",
        title: "blkparse's text",
        resolution: Nanos(1),
        disorder: NEARLY,
        begins: blkparse::begins,
        decoder: || Decoder::Lines(Box::new(blkparse::Reader::default())),
    },
    Format {
        name: "msr",
        title: "MSR Cambridge (SNIA IOTTA 388)",
        resolution: Nanos(100),
        disorder: BY_COMPLETION,
        begins: |head| is_line(head, msr::HEAD, msr::line),
        decoder: || lines(msr::line),
    },
    Format {
        name: "alibaba",
        title: "Alibaba block traces 2020",
        resolution: Nanos::micros(1),
        disorder: NEARLY,
        begins: |head| is_line(head, alibaba::HEAD, alibaba::line),
        decoder: || lines(alibaba::line),
    },
    Format {
        name: "tencent",
        title: "Tencent CBS",
        resolution: Nanos::seconds(1),
        disorder: NEARLY,
        begins: |head| is_line(head, tencent::HEAD, tencent::line),
        decoder: || lines(tencent::line),
    },
    Format {
        name: "systor",
        title: "SYSTOR '17 (SNIA IOTTA 4928)",
        resolution: Nanos(1),
        disorder: BY_COMPLETION,
        begins: |head| is_line(head, systor::HEAD, systor::line),
        decoder: || lines(systor::line),
    },
    Format {
        name: "spc",
        title: "SPC 1.0.1 (UMass Financial, WebSearch)",
        resolution: Nanos(1),
        disorder: NEARLY,
        begins: |head| is_line(head, spc::HEAD, spc::line),
        decoder: || lines(spc::line),
    },
    Format {
        name: "fiu",
        title: "FIU (IODedup, SRCMap)",
        resolution: Nanos(1),
        disorder: NEARLY,
        begins: |head| is_line(head, fiu::HEAD, fiu::line),
        decoder: || lines(fiu::line),
    },
    Format {
        name: "vscsi",
        title: "CloudPhysics vscsi, versions 1 and 2",
        resolution: Nanos::micros(1),
        disorder: NEARLY,
        begins: vscsi::begins,
        decoder: || Decoder::Frames(Box::new(vscsi::Reader::default())),
    },
];

/// The function that reads one line of a format without state.
type ReadLine = fn(&[u8], &mut crate::event::Out<'_>) -> Result<(), Flaw>;

fn lines(read: ReadLine) -> Decoder {
    Decoder::Lines(Box::new(read))
}

/// Returns whether the first line is the format's header, or one of its lines.
fn is_line(head: &[u8], header: &str, read: ReadLine) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    let Some(first) = lines.next().map(<[u8]>::trim_ascii) else {
        return false;
    };
    if header_is(first, header) {
        return true;
    }
    let (mut events, mut devices) = (Vec::new(), crate::event::Devices::default());
    let mut counts = crate::event::Counts::default();
    let mut out = crate::event::Out {
        events: &mut events,
        devices: &mut devices,
        counts: &mut counts,
    };
    !first.is_empty() && read(first, &mut out).is_ok()
}

/// Returns the format of this name.
pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
