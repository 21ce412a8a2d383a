//! The names of pieces: first and last commit, and the time of the last one, in the order of the commits.

use std::{fmt, str::FromStr};

use domain::UnixMs;
use time::{OffsetDateTime, UtcDateTime, format_description::FormatItem, macros::format_description};

/// The suffix of every piece.
pub(super) const SUFFIX: &str = ".lienbook-piece";

/// The digits of a position, so that names sort like commits.
const POSITION_DIGITS: usize = 20;
const TIME: &[FormatItem<'_>] = format_description!("[year][month][day]T[hour][minute][second]Z");
const TIME_BYTES: usize = "20261127T100000Z".len();

/// The name of a piece, such as
/// `00000000000000000001-00000000000000000042-20261127T100000Z.lienbook-piece`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceName {
    /// The first commit.
    pub first: u64,
    /// The last commit.
    pub last: u64,
    time: String,
}

impl PieceName {
    /// The name of a piece whose last commit is of a time.
    pub(crate) fn new(first: u64, last: u64, at: UnixMs) -> Self {
        let seconds = i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX);
        // A time that has no text form, after the year 9999, is named by the beginning of time.
        let time = UtcDateTime::from_unix_timestamp(seconds).unwrap_or(UtcDateTime::UNIX_EPOCH);
        let time = OffsetDateTime::from(time).format(TIME).unwrap_or_default();
        Self { first, last, time }
    }

    /// The time of the last commit, to the second.
    #[must_use]
    pub fn time(&self) -> &str {
        &self.time
    }
}

impl fmt::Display for PieceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last, time } = self;
        write!(f, "{first:0POSITION_DIGITS$}-{last:0POSITION_DIGITS$}-{time}{SUFFIX}")
    }
}

impl FromStr for PieceName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.strip_suffix(SUFFIX).ok_or(())?.split('-');
        let mut part = || parts.next().ok_or(());
        let position = |text: &str| {
            let is_whole = text.len() == POSITION_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
            if is_whole { text.parse::<u64>().map_err(|_| ()) } else { Err(()) }
        };
        let (first, last) = (position(part()?)?, position(part()?)?);
        let time = part()?.to_owned();
        let is_time =
            time.len() == TIME_BYTES && time.bytes().all(|byte| byte.is_ascii_digit() || b"TZ".contains(&byte));
        if !is_time || parts.next().is_some() || first == 0 || last < first {
            return Err(());
        }
        Ok(Self { first, last, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_round_trips_and_sorts_like_its_commits() {
        let name = |first, last| PieceName::new(first, last, UnixMs(1_795_773_600_999));
        assert_eq!(
            name(1, 42).to_string(),
            "00000000000000000001-00000000000000000042-20261127T100000Z.lienbook-piece"
        );
        let names = [name(1, 9), name(10, 99), name(100, u64::MAX)];
        assert!(names.iter().map(ToString::to_string).is_sorted());
        for name in names {
            assert_eq!(name.to_string().parse(), Ok(name));
        }
        PieceName::new(1, 1, UnixMs(u64::MAX)).to_string().parse::<PieceName>().unwrap();
    }

    #[test]
    fn other_names_are_refused() {
        let sound = PieceName::new(7, 42, UnixMs(0)).to_string();
        let others = [
            sound.replacen('7', "0", 1),
            sound.replacen('0', "", 1),
            sound.replacen('0', "+", 1),
            sound.replacen('7', "9", 1).replacen("42", "08", 1),
            sound.replacen('T', "/", 1),
            sound.replacen("Z.", "Z-1.", 1),
            sound.replacen(SUFFIX, ".unfinished", 1),
            String::new(),
        ];
        for other in others {
            assert!(other.parse::<PieceName>().is_err(), "{other}");
        }
    }
}
