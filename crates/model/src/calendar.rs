//! Days of the Gregorian calendar.
//!
//! Omitted: zones, and times as text, which are of those who read or print them.

/// Returns the days from 1970-01-01 to a date; `None` for a date that there is not. Years from 1970 to 2553, which is where
/// nanoseconds end. Source: the rule of leap years.
pub fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let in_february = if leap(year) { 29 } else { 28 };
    let months = [31, in_february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let fits = (1970..=2553).contains(&year) && (1..=12).contains(&month);
    let length = *months.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if !fits || !(1..=length).contains(&day) {
        return None;
    }
    let years: u64 = (1970..year)
        .map(|year| if leap(year) { 366 } else { 365 })
        .sum();
    let before: u64 = months[..(month - 1) as usize].iter().sum();
    Some(years + before + day - 1)
}
