//! RGB colours.

use std::fmt;

/// Red, green and blue, formatted for SVG: `#1b1f3b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl Colour {
    /// The colour `percent` of the way to `other`.
    pub(super) fn mixed(self, other: Self, percent: u16) -> Self {
        let percent = percent.min(100);
        let channel = |from: u8, to: u8| {
            let mixed = (u16::from(from) * (100 - percent) + u16::from(to) * percent) / 100;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        Self(channel(self.0, other.0), channel(self.1, other.1), channel(self.2, other.2))
    }

    /// The colour mixed with `percent` of near black.
    pub(super) fn darker(self, percent: u16) -> Self {
        self.mixed(Self(6, 8, 20), percent)
    }

    /// The colour mixed with `percent` of near white.
    pub(super) fn lighter(self, percent: u16) -> Self {
        self.mixed(Self(255, 250, 240), percent)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}
