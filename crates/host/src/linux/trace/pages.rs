//! The kernel's trace pages, binary as `trace_pipe_raw` gives them: events of the block layer with their times.
//!
//! Sources: the kernel's `Documentation/trace/ring-buffer-map.rst`, `include/linux/ring_buffer.h` (the kinds of entries)
//! and libtraceevent's kbuffer. Where a field lies is read from each event's `format` file, never assumed. Hostile bytes
//! end a page early and do nothing else. Deliberately absent: files.

use model::Nanos;

/// What happened to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Happened {
    pub(super) at: Nanos,
    /// Major and minor number.
    pub(super) device: (u32, u32),
    pub(super) sector: u64,
    /// Handed to the driver, or completed.
    pub(super) issued: bool,
}

/// Returns the number of an event, from its `format` file.
pub(super) fn event_id(format: &str) -> Option<u16> {
    let id = format.lines().find_map(|line| line.strip_prefix("ID: "))?;
    id.trim().parse().ok()
}

/// Where one field of an event lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) offset: usize,
    pub(super) size: usize,
}

/// Finds a field in the event's `format` file; that of an array has its length behind its name.
pub(super) fn field(format: &str, name: &str) -> Option<Field> {
    let line = format.lines().find(|line| {
        let declared = line.split(';').next().unwrap_or_default();
        let declared = declared.split('[').next().unwrap_or_default();
        declared.ends_with(&format!(" {name}"))
    })?;
    let mut words = line.split(';').map(str::trim).skip(1);
    Some(Field {
        offset: words.next()?.strip_prefix("offset:")?.parse().ok()?,
        size: words.next()?.strip_prefix("size:")?.parse().ok()?,
    })
}

/// Where the fields of one kind of event lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    id: u16,
    device: usize,
    sector: usize,
    /// Sectors that it moves; a flush has none.
    count: usize,
}

impl Layout {
    /// From the event's `format` file.
    pub(super) fn read(format: &str) -> Option<Self> {
        let offset = |name: &str, size: usize| {
            let found = field(format, name)?;
            (found.size == size).then_some(found.offset)
        };
        Some(Layout {
            id: event_id(format)?,
            device: offset("dev", 4)?,
            sector: offset("sector", 8)?,
            count: offset("nr_sector", 4)?,
        })
    }

    fn happened(&self, event: &[u8], at: Nanos, issued: bool) -> Option<Happened> {
        let device = number(event, self.device)?;
        let moves = number(event, self.count)? > 0;
        moves.then_some(Happened {
            at,
            device: (device >> 20, device & 0xF_FFFF),
            sector: u64::from_ne_bytes(event.get(self.sector..self.sector + 8)?.try_into().ok()?),
            issued,
        })
    }
}

/// How pages and the two events look on this machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// Where a page's entries begin: behind its time and its length.
    pub(super) data: usize,
    pub(super) issue: Layout,
    pub(super) complete: Layout,
}

/// The length of a page's entries stands in its low bits; above them, that events were lost before it.
const LENGTH_MASK: u64 = 0xF_FFFF;
const LOST: u64 = 1 << 31;
/// Their number follows the entries.
const LOST_STORED: u64 = 1 << 30;
/// Kinds of entries; what is below is an event of so many words of four bytes.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
const DELTA_BITS: u32 = 27;

/// Everything on a page goes to `sink`. Answers whether events before it were lost.
pub(super) fn page(bytes: &[u8], format: &Format, sink: &mut dyn FnMut(Happened)) -> bool {
    let lost = entries(bytes, format.data, &mut |data, at| {
        event(data, at, format, sink);
    });
    lost.is_some()
}

/// Passes on all events of a page. Returns how many events before it were lost; at least 1 if any was.
pub(super) fn entries(
    bytes: &[u8],
    begin: usize,
    sink: &mut dyn FnMut(&[u8], Nanos),
) -> Option<u64> {
    let (mut at, length) = (wide(bytes, 0)?, wide(bytes, 8)?);
    let data_end = begin + (length & LENGTH_MASK) as usize;
    let end = bytes.len().min(data_end);
    let mut place = begin;
    while place + 4 <= end {
        let Some((entry, next)) = entry(&bytes[..end], place) else {
            break;
        };
        place = next;
        match entry {
            Entry::Later(by) => at = at.wrapping_add(by),
            Entry::Stamp(stamp) => at = stamp,
            Entry::Event { later, data } => {
                at = at.wrapping_add(later);
                sink(data, Nanos(at));
            }
        }
    }
    let counted = (length & LOST_STORED != 0).then(|| wide(bytes, data_end));
    (length & LOST != 0).then(|| counted.flatten().unwrap_or(0).max(1))
}

enum Entry<'a> {
    Later(u64),
    Stamp(u64),
    Event { later: u64, data: &'a [u8] },
}

/// The entry at a place and where the next one is; `None` where the rest of the page is empty or makes no sense.
fn entry(bytes: &[u8], place: usize) -> Option<(Entry<'_>, usize)> {
    let head = number(bytes, place)?;
    // The bit field fills from the low end where numbers do.
    let (kind, delta) = match cfg!(target_endian = "little") {
        true => (head & 31, head >> 5),
        false => (head >> DELTA_BITS, head & ((1 << DELTA_BITS) - 1)),
    };
    let delta = u64::from(delta);
    let place = place + 4;
    let word = || number(bytes, place).map(u64::from);
    match kind {
        PADDING if delta == 0 => None,
        PADDING => Some((Entry::Later(delta), place.checked_add(word()? as usize)?)),
        TIME_EXTEND => Some((Entry::Later((word()? << DELTA_BITS) + delta), place + 4)),
        TIME_STAMP => Some((Entry::Stamp((word()? << DELTA_BITS) + delta), place + 4)),
        0 => {
            let length = (word()? as usize).checked_sub(4)?.next_multiple_of(4);
            let data = bytes.get(place + 4..place + 4 + length)?;
            Some((Entry::Event { later: delta, data }, place + 4 + length))
        }
        words => {
            let next = place + words as usize * 4;
            let data = bytes.get(place..next)?;
            Some((Entry::Event { later: delta, data }, next))
        }
    }
}

fn event(data: &[u8], at: Nanos, format: &Format, sink: &mut dyn FnMut(Happened)) {
    let Some(id) = data.get(..2).map(|id| u16::from_ne_bytes([id[0], id[1]])) else {
        return;
    };
    let (layout, issued) = match id {
        id if id == format.issue.id => (format.issue, true),
        id if id == format.complete.id => (format.complete, false),
        _ => return,
    };
    if let Some(happened) = layout.happened(data, at, issued) {
        sink(happened);
    }
}

pub(super) fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

pub(super) fn wide(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMAT: Format = Format {
        data: 16,
        issue: layout(7),
        complete: layout(8),
    };

    const fn layout(id: u16) -> Layout {
        Layout {
            id,
            device: 8,
            sector: 16,
            count: 24,
        }
    }

    fn event_of(id: u16, delta: u32, sector: u64) -> Vec<u8> {
        let mut bytes = ((delta << 5) | 7).to_le_bytes().to_vec();
        bytes.extend(id.to_le_bytes());
        bytes.extend([0; 6]);
        bytes.extend(((7 << 20) | 3u32).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(sector.to_le_bytes());
        bytes.extend(8u32.to_le_bytes());
        bytes
    }

    fn page_of(entries: &[Vec<u8>], flags: u64) -> Vec<u8> {
        let data = entries.concat();
        let mut bytes = 1_000u64.to_le_bytes().to_vec();
        bytes.extend((data.len() as u64 | flags).to_le_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: &[u8]) -> (Vec<(u64, u64, bool)>, bool) {
        let mut found = Vec::new();
        let lost = page(bytes, &FORMAT, &mut |happened| {
            assert_eq!(happened.device, (7, 3));
            found.push((happened.at.0, happened.sector, happened.issued));
        });
        (found, lost)
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn times_add_up_over_events_and_extensions() {
        let extend = [
            ((5u32 << 5) | TIME_EXTEND).to_le_bytes(),
            1u32.to_le_bytes(),
        ]
        .concat();
        let entries = [event_of(7, 10, 64), extend, event_of(8, 20, 64)];
        let (found, lost) = read(&page_of(&entries, 0));
        let second = 1_010 + (1 << 27) + 5 + 20;
        assert_eq!(found, [(1_010, 64, true), (second, 64, false)]);
        assert!(!lost);
        assert!(read(&page_of(&[], LOST)).1);
    }

    #[test]
    fn where_fields_lie_is_read_from_the_format() {
        let format = "name: block_rq_issue\nID: 2104\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n";
        assert_eq!(Layout::read(format), Some(layout(2104)));
        assert_eq!(Layout::read("ID: 1\n"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_stumble(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            page(&bytes, &FORMAT, &mut |_| ());
        }
    }
}
