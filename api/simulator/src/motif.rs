//! The motifs of collection pictures.

/// The composition of a picture. Runes and BRC-20 tokens have one each, so that the kinds are distinguished at a
/// glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Motif {
    /// A fox's face.
    Fox,
    /// An owl's face.
    Owl,
    /// A crown above an empty hood.
    King,
    /// A creature of mirrored squares.
    Beast,
    /// Rings of petals.
    Bloom,
    /// Ranges of hills before a sun.
    Strata,
    /// Planets on their rings.
    Orbit,
    /// A floor of quarter circles.
    Tiles,
    /// A faceted stone.
    Prism,
    /// Nested gates.
    Arch,
    /// Overlapping scales.
    Wave,
    /// Runes: a coin with a carved sign.
    Coin,
    /// BRC-20 tokens: stacked blocks.
    Blocks,
}

impl Motif {
    /// All motifs.
    pub const ALL: [Self; 13] = [
        Self::Fox,
        Self::Owl,
        Self::King,
        Self::Beast,
        Self::Bloom,
        Self::Strata,
        Self::Orbit,
        Self::Tiles,
        Self::Prism,
        Self::Arch,
        Self::Wave,
        Self::Coin,
        Self::Blocks,
    ];
}
