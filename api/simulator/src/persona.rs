//! Personas of simulated lenders.

use std::ops::RangeInclusive;

use domain::Sats;

/// The behaviour of a lender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persona {
    /// Low LTV, few changes.
    Conservative,
    /// High LTV, for the interest.
    Aggressive,
    /// Competes for the best bid by the smallest margin.
    Sniper,
    /// Large amounts against the best collections.
    Whale,
    /// Instant quotes everywhere, moved with the price.
    MarketMaker,
    /// A few small offers.
    Hobbyist,
}

/// The parameters of a persona. Ratios are in basis points of LTV, probabilities for one visit to a book.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonaParameters {
    /// The range of the highest LTV that such lenders quote a calm collection.
    pub(crate) cap: (u32, u32),
    /// The usual distance of a first quote below the cap.
    pub(crate) quote_margin: u32,
    /// The percentage of a collection's volatility discount that they apply.
    pub(crate) volatility_discount_percent: u32,
    /// The probability of outbidding a better offer.
    pub(crate) outbids: f64,
    /// The probability of lowering a best bid to just above the second best.
    pub(crate) trims: f64,
    /// The probability of moving an offer along with the price.
    pub(crate) follows: f64,
    /// The probability of quoting where they have room.
    pub(crate) quotes: f64,
    /// The probability that an offer is instant.
    pub(crate) instant: f64,
    /// The range of the number of offers.
    pub(crate) offers: (usize, usize),
    /// The smallest and the largest principal of one offer.
    pub(crate) principal_range: (Sats, Sats),
    /// The shortest and the longest term, in days.
    pub(crate) terms: (u16, u16),
    /// The frequency of visits to a book, relative to other lenders.
    pub(crate) visit_frequency: f64,
}

impl Persona {
    /// A dozen personas, assigned in turn: there are more hobbyists than whales.
    const ROTATION: [Self; 12] = [
        Self::MarketMaker,
        Self::Conservative,
        Self::Sniper,
        Self::Hobbyist,
        Self::Aggressive,
        Self::Whale,
        Self::MarketMaker,
        Self::Hobbyist,
        Self::Sniper,
        Self::Conservative,
        Self::Aggressive,
        Self::Hobbyist,
    ];

    /// The persona of the lender with that number.
    pub(crate) const fn of(index: usize) -> Self {
        Self::ROTATION[index % Self::ROTATION.len()]
    }

    /// The parameters of this persona.
    pub(crate) const fn parameters(self) -> PersonaParameters {
        const fn range(from: u64, to: u64) -> (Sats, Sats) {
            (Sats::new(from), Sats::new(to))
        }
        let usual = PersonaParameters {
            cap: (5_300, 6_300),
            quote_margin: 1_200,
            volatility_discount_percent: 100,
            outbids: 0.2,
            trims: 0.1,
            follows: 0.35,
            quotes: 0.55,
            instant: 0.3,
            offers: (4, 9),
            principal_range: range(100_000, 8_000_000),
            terms: (7, 90),
            visit_frequency: 1.0,
        };
        match self {
            Self::Conservative => PersonaParameters {
                cap: (4_600, 5_600),
                quote_margin: 900,
                volatility_discount_percent: 130,
                outbids: 0.06,
                trims: 0.25,
                follows: 0.15,
                terms: (14, 90),
                visit_frequency: 0.5,
                ..usual
            },
            Self::Aggressive => PersonaParameters {
                cap: (6_700, 7_900),
                quote_margin: 1_500,
                volatility_discount_percent: 60,
                outbids: 0.4,
                principal_range: range(50_000, 4_000_000),
                terms: (7, 30),
                ..usual
            },
            Self::Sniper => PersonaParameters {
                cap: (6_100, 7_300),
                quote_margin: 1_400,
                volatility_discount_percent: 80,
                outbids: 0.8,
                trims: 0.3,
                instant: 0.4,
                offers: (5, 10),
                principal_range: range(50_000, 12_000_000),
                visit_frequency: 1.7,
                ..usual
            },
            Self::Whale => PersonaParameters {
                cap: (5_200, 6_400),
                quote_margin: 900,
                outbids: 0.3,
                instant: 0.45,
                offers: (6, 12),
                principal_range: range(2_500_000, 60_000_000),
                terms: (14, 90),
                visit_frequency: 0.7,
                ..usual
            },
            Self::MarketMaker => PersonaParameters {
                cap: (5_500, 6_800),
                quote_margin: 1_100,
                outbids: 0.45,
                trims: 0.35,
                follows: 0.8,
                quotes: 0.8,
                instant: 1.0,
                offers: (8, 12),
                principal_range: range(100_000, 15_000_000),
                terms: (7, 60),
                visit_frequency: 1.6,
                ..usual
            },
            Self::Hobbyist => PersonaParameters {
                cap: (4_900, 6_700),
                quote_margin: 1_300,
                volatility_discount_percent: 70,
                outbids: 0.25,
                instant: 0.15,
                offers: (1, 4),
                principal_range: range(50_000, 1_500_000),
                terms: (7, 30),
                visit_frequency: 0.6,
                ..usual
            },
        }
    }
}

impl PersonaParameters {
    /// The range of terms, in days.
    pub(crate) const fn term_range(&self) -> RangeInclusive<u16> {
        self.terms.0..=self.terms.1
    }
}
