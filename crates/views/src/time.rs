//! Moments as text, in UTC and in the zone of the reader.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::LazyLock;

/// A time zone for reading.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// UTC only.
    pub fn utc() -> Zone {
        Zone(TimeZone::UTC)
    }

    /// The zone of this machine; UTC where it does not report it.
    pub fn system() -> Zone {
        static ZONE: LazyLock<TimeZone> = LazyLock::new(system_zone);
        Zone(ZONE.clone())
    }

    /// A zone a fixed time ahead of UTC, for tests. // hours in [-25, 25]
    pub fn fixed(hours: i8) -> Zone {
        Zone(TimeZone::fixed(jiff::tz::offset(hours)))
    }
}

/// That of `TZ`, or of the file of this machine. By the name of that file, the library would first list the folders of all
/// zones, which takes longer than the rest of a result.
#[expect(clippy::disallowed_methods, reason = "the library reads TZ, too")]
fn system_zone() -> TimeZone {
    let file = match std::env::var_os("TZ") {
        None => std::fs::read("/etc/localtime").ok(),
        Some(_) => None,
    };
    let zone = file.and_then(|data| TimeZone::tzif("", &data).ok());
    zone.unwrap_or_else(|| TimeZone::try_system().unwrap_or(TimeZone::UTC))
}

/// A moment in nanoseconds since 1970: `2026-11-21 11:05:17 UTC (12:05:17 +01)`, with the date again where
/// it is another day there, and without the bracket where the zone is UTC.
pub fn write_time(utc_ns: u64, zone: &Zone) -> String {
    let Ok(moment) = Timestamp::from_nanosecond(i128::from(utc_ns)) else {
        return "a time beyond the calendar".to_owned();
    };
    let utc = moment.to_zoned(TimeZone::UTC);
    let local = moment.to_zoned(zone.0.clone());
    let reported = utc.strftime("%Y-%m-%d %H:%M:%S UTC").to_string();
    if local.offset() == utc.offset() {
        return reported;
    }
    let form = if local.date() == utc.date() {
        "%H:%M:%S %Z"
    } else {
        "%Y-%m-%d %H:%M:%S %Z"
    };
    format!("{reported} ({})", local.strftime(form))
}

/// The short form of lists: local date and minute.
pub(crate) fn minute(utc_ns: u64, zone: &Zone) -> String {
    // A list may have many: a form that is parsed again for each takes as long as all else of a line.
    Timestamp::from_nanosecond(i128::from(utc_ns)).map_or_else(
        |_| "-".to_owned(),
        |moment| {
            let local = zone.0.to_datetime(moment);
            let (year, month, day) = (local.year(), local.month(), local.day());
            let (hour, minute) = (local.hour(), local.minute());
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
        },
    )
}

/// For programs: `2026-11-21T11:05:17.25Z`, with as many decimals as there are.
pub(crate) fn utc_text(utc_ns: u64) -> String {
    Timestamp::from_nanosecond(i128::from(utc_ns))
        .map_or_else(|_| String::new(), |moment| moment.to_string())
}

/// Local date and time to the second, as logs have it: `2026-11-21T12:05:17`.
pub fn local_stamp(utc_ns: u64, zone: &Zone) -> String {
    Timestamp::from_nanosecond(i128::from(utc_ns)).map_or_else(
        |_| "-".to_owned(),
        |moment| {
            let local = moment.to_zoned(zone.0.clone());
            local.strftime("%Y-%m-%dT%H:%M:%S").to_string()
        },
    )
}

/// The local time as ctime(3) writes it: `Sat Nov 21 12:05:17 2026`.
pub fn ctime_stamp(utc_ns: u64, zone: &Zone) -> String {
    Timestamp::from_nanosecond(i128::from(utc_ns)).map_or_else(
        |_| "-".to_owned(),
        |moment| {
            let local = moment.to_zoned(zone.0.clone());
            local.strftime("%a %b %e %H:%M:%S %Y").to_string()
        },
    )
}

/// The local time as mdtest writes it: `11/21/2026 12:05:17`.
pub fn date_stamp(utc_ns: u64, zone: &Zone) -> String {
    Timestamp::from_nanosecond(i128::from(utc_ns)).map_or_else(
        |_| "-".to_owned(),
        |moment| {
            moment
                .to_zoned(zone.0.clone())
                .strftime("%m/%d/%Y %H:%M:%S")
                .to_string()
        },
    )
}

/// The local date without separators, as names of files have it: `20261121`.
pub fn local_day(utc_ns: u64, zone: &Zone) -> String {
    let stamp = local_stamp(utc_ns, zone);
    let digits = stamp.chars().take_while(|letter| *letter != 'T');
    digits.filter(char::is_ascii_digit).collect()
}

/// How long a person waits, in two units at most: `45 s`, `2 min 05 s`, `3 h 10 min`, `2 d 04 h`.
pub(crate) fn waiting(ns: u64) -> String {
    let seconds = ns.div_ceil(1_000_000_000);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {:02} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_reported_in_utc_and_in_the_readers_zone() {
        let ns = 1_795_259_117_000_000_000;
        assert_eq!(write_time(ns, &Zone::utc()), "2026-11-21 11:05:17 UTC");
        assert_eq!(
            write_time(ns, &Zone::fixed(1)),
            "2026-11-21 11:05:17 UTC (12:05:17 +01)"
        );
        let other_day = write_time(ns, &Zone::fixed(14));
        assert_eq!(
            other_day,
            "2026-11-21 11:05:17 UTC (2026-11-22 01:05:17 +14)"
        );
        assert_eq!(minute(ns, &Zone::fixed(1)), "2026-11-21 12:05");
        assert_eq!(local_stamp(ns, &Zone::fixed(1)), "2026-11-21T12:05:17");
        assert_eq!(local_day(ns, &Zone::fixed(14)), "20261122");
        let first = ns - 20 * 86_400_000_000_000;
        assert_eq!(ctime_stamp(ns, &Zone::fixed(1)), "Sat Nov 21 12:05:17 2026");
        assert_eq!(ctime_stamp(first, &Zone::utc()), "Sun Nov  1 11:05:17 2026");
        assert!(write_time(u64::MAX, &Zone::utc()).starts_with("2554-"));
    }

    #[test]
    fn waiting_is_reported_in_two_units_at_most() {
        let reported = |seconds: u64| waiting(seconds * 1_000_000_000);
        assert_eq!(reported(0), "0 s");
        assert_eq!(waiting(1), "1 s");
        assert_eq!(reported(125), "2 min 05 s");
        assert_eq!(reported(7_497), "2 h 04 min");
        assert_eq!(reported(200_000), "2 d 07 h");
    }
}
