//! Times in readable form.

const SECONDS_OF_DAY: u32 = 86_400;

/// A Unix time in seconds as date and time of day: `2030-03-17 17:46:40 UTC`.
#[must_use]
pub fn utc(unix_seconds: u32) -> String {
    let (mut day, of_day) = (unix_seconds / SECONDS_OF_DAY, unix_seconds % SECONDS_OF_DAY);
    let mut year = 1970;
    // At most 136 iterations: 32 bits of seconds hold no more years.
    while day >= days_of_year(year) {
        day -= days_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while day >= days_of_month(year, month) {
        day -= days_of_month(year, month);
        month += 1;
    }
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{:02} {hour:02}:{minute:02}:{second:02} UTC", day + 1)
}

const fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn days_of_year(year: u32) -> u32 {
    if is_leap(year) { 366 } else { 365 }
}

const fn days_of_month(year: u32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_times_have_their_usual_text() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_231_006_505, "2009-01-03 18:15:05 UTC"),
            (1_709_210_096, "2024-02-29 12:34:56 UTC"),
            (u32::MAX, "2106-02-07 06:28:15 UTC"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }

    proptest! {
        #[test]
        fn a_later_time_is_a_greater_text(one in any::<u32>(), other in any::<u32>()) {
            prop_assert_eq!(one.cmp(&other), utc(one).cmp(&utc(other)));
        }
    }
}
