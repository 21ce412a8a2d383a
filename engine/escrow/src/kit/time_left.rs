//! Formatting of durations.

/// Formats seconds in days, hours and minutes: at most the two largest units.
#[must_use]
pub fn in_words(seconds: u32) -> String {
    let parts = [(seconds / 86_400, "day"), (seconds / 3_600 % 24, "hour"), (seconds / 60 % 60, "minute")];
    let words = parts.iter().skip_while(|(count, _)| *count == 0).take(2).filter(|(count, _)| *count > 0);
    let words: Vec<String> =
        words.map(|(count, unit)| if *count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }).collect();
    if words.is_empty() { "less than a minute".to_owned() } else { words.join(" and ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_at_most_two_units() {
        for (seconds, words) in [
            (0, "less than a minute"),
            (59, "less than a minute"),
            (60, "1 minute"),
            (3_600, "1 hour"),
            (7_320, "2 hours and 2 minutes"),
            (86_400, "1 day"),
            (86_400 + 59, "1 day"),
            (3 * 86_400 + 5 * 3_600 + 59 * 60, "3 days and 5 hours"),
        ] {
            assert_eq!(in_words(seconds), words);
        }
    }
}
