//! How old a file is, and what follows from it: a date until 2008, such as `2006.07.27`, then `1.1.0`.
//!
//! Source: IOmeter's `ICF_ifstream::GetVersion`, `AccessSpecList::LoadConfig` and `CPageSetup::LoadConfig`, which define
//! these ages apart.

/// What its lines are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    /// As of today's.
    Usual,
    /// The section of the test setup may have no end.
    Unended,
}

/// From this day on access specifications have names.
const NAMED: (u32, u32, u32) = (1998, 5, 21);
/// From this day on every section has its end.
const ENDED: (u32, u32, u32) = (1999, 2, 17);
/// The first of a year; versions before are no dates.
const YEAR_MIN: u32 = 1900;

/// Format of the version; `Err` is what is accepted, and what to do.
pub(super) fn age(version: &str) -> Result<Age, &'static str> {
    let mut numbers = version.split('.').map(leading);
    let mut next = || numbers.next().flatten();
    match (next(), next().unwrap_or(0), next().unwrap_or(0)) {
        (Some(1 | 2), ..) => Ok(Age::Usual),
        (Some(year), month, day) if year > YEAR_MIN => match (year, month, day) {
            date if date < NAMED => Err(
                "versions from 1998.05.21 to 1.1.0 are read; earlier ones give access specifications no names: open the file \
                 in a later IOmeter, and save it there",
            ),
            date if date < ENDED => Ok(Age::Unended),
            _ => Ok(Age::Usual),
        },
        _ => Err(
            "versions from 1998.05.21 to 1.1.0 are read: open the file in such an IOmeter, and save it there",
        ),
    }
}

/// The number that a part begins with: `0-rc1` is 0.
fn leading(part: &str) -> Option<u32> {
    let part = part.trim();
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    part[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_dates_first_and_numbers_later() {
        for usual in [
            "1.1.0",
            "1.1.0-rc1",
            "2006.07.27",
            "2008.06.18-RC2",
            "1999.02.17",
            "2.0",
        ] {
            assert_eq!(age(usual), Ok(Age::Usual), "{usual}");
        }
        for unended in ["1998.05.21", "1998.10.08", "1999.02.16"] {
            assert_eq!(age(unended), Ok(Age::Unended), "{unended}");
        }
        for foreign in ["1998.05.20", "1998.02.01", "3.26.97", "", "x", "0.9"] {
            assert!(
                age(foreign)
                    .unwrap_err()
                    .starts_with("versions from 1998.05.21 to 1.1.0"),
                "{foreign}"
            );
        }
    }
}
