//! Moments on the command line and in reports: RFC 3339, such as 2026-11-27T10:00:00Z.

use domain::UnixMs;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Parses a moment, to the millisecond.
///
/// # Errors
/// Fails if it is no such text, or before 1970.
pub(super) fn parse(text: &str) -> Result<UnixMs, String> {
    let moment = OffsetDateTime::parse(text, &Rfc3339)
        .map_err(|_| "expected a moment such as 2026-11-27T10:00:00Z or 2026-11-27T11:00:00+01:00".to_owned())?;
    let milliseconds = moment.unix_timestamp_nanos().div_euclid(1_000_000);
    u64::try_from(milliseconds).map(UnixMs).map_err(|_| "there was no market before 1970".to_owned())
}

/// Formats a moment, to the millisecond.
pub(super) fn shown(moment: UnixMs) -> String {
    let nanoseconds = i128::from(moment.0) * 1_000_000;
    let formatted = OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok().and_then(|at| at.format(&Rfc3339).ok());
    formatted.unwrap_or_else(|| format!("{} ms after 1970", moment.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_it_is_shown() {
        let at = |text: &str| parse(text).map(|moment| moment.0);
        assert_eq!(at("2026-11-27T10:00:00Z"), Ok(1_795_773_600_000));
        assert_eq!(at("2026-11-27T11:00:00.25+01:00"), Ok(1_795_773_600_250));
        for moment in [0, 1, 999, 1_795_773_600_000, 1_795_773_600_007] {
            assert_eq!(at(&shown(UnixMs(moment))), Ok(moment));
        }
        assert_eq!(shown(UnixMs(1_795_773_600_000)), "2026-11-27T10:00:00Z");
        assert_eq!(shown(UnixMs(u64::MAX)), "18446744073709551615 ms after 1970");
        for text in ["", "now", "2026-11-27", "2026-11-27T10:00:00", "1795773600", "1969-12-31T23:59:59Z"] {
            assert!(at(text).is_err(), "{text}");
        }
    }
}
