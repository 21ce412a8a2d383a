//! The runes of the catalogue: bundles for manual offers, terms for instant ones.

use domain::{Bundle, CollateralType, Quantity, Sats, TermDays, UnitPrice};
use ordinals::RuneId;

use super::{Draft, SubDraft, abbreviated, raw_units};
use crate::market_traits::{Activity, Volatility};
use crate::motif::Motif;

/// The block that etches the runes of the catalogue, in its order.
const ETCHING_HEIGHT: u32 = 163;

struct Row {
    name: &'static str,
    symbol: &'static str,
    slug: &'static str,
    decimals: u8,
    /// The price of a whole token in hundred-millionths of a sat.
    price_scaled: u64,
    /// Whole tokens.
    bundles: [u64; 3],
    bundle_term: u16,
    instant_terms: &'static [u16],
    yearly_percent: u32,
    points: u16,
    volatility: Volatility,
    activity: Activity,
    month_btc: u64,
}

#[rustfmt::skip]
const ROWS: [Row; 11] = [
    Row { name: "MIDNIGHT•GROCERY", symbol: "☾", slug: "midnight-grocery", decimals: 0, price_scaled: 2_460_000_000,
          bundles: [10_000, 50_000, 250_000], bundle_term: 30, instant_terms: &[7, 14, 30], yearly_percent: 44, points: 25,
          volatility: Volatility::Normal, activity: Activity::High, month_btc: 19 },
    Row { name: "COPPER•KETTLE•DREAM", symbol: "♨", slug: "copper-kettle-dream", decimals: 0, price_scaled: 142_000_000,
          bundles: [500_000, 2_000_000, 10_000_000], bundle_term: 30, instant_terms: &[7, 14, 30], yearly_percent: 41, points: 20,
          volatility: Volatility::Normal, activity: Activity::High, month_btc: 27 },
    Row { name: "PATIENT•MARBLE•WHALE", symbol: "◐", slug: "patient-marble-whale", decimals: 2, price_scaled: 8_300_000,
          bundles: [5_000_000, 20_000_000, 100_000_000], bundle_term: 30, instant_terms: &[14, 30], yearly_percent: 36, points: 30,
          volatility: Volatility::Low, activity: Activity::High, month_btc: 35 },
    Row { name: "HONEST•THUNDER•COMPANY", symbol: "ϟ", slug: "honest-thunder-company", decimals: 5, price_scaled: 39_800_000_000,
          bundles: [1_000, 5_000, 25_000], bundle_term: 30, instant_terms: &[7, 14, 30, 60], yearly_percent: 39, points: 15,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 12 },
    Row { name: "GRAND•TURNIP•PARADE", symbol: "♣", slug: "grand-turnip-parade", decimals: 0, price_scaled: 11_200_000_000,
          bundles: [5_000, 25_000, 100_000], bundle_term: 14, instant_terms: &[7, 14, 30], yearly_percent: 48, points: 10,
          volatility: Volatility::High, activity: Activity::High, month_btc: 16 },
    Row { name: "UNCOMMON•WEATHER", symbol: "☂", slug: "uncommon-weather", decimals: 2, price_scaled: 680_000_000,
          bundles: [50_000, 250_000, 1_000_000], bundle_term: 30, instant_terms: &[7, 14], yearly_percent: 43, points: 10,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 6 },
    Row { name: "SEVEN•SLEEPY•TIGERS", symbol: "♠", slug: "seven-sleepy-tigers", decimals: 0, price_scaled: 315_000_000,
          bundles: [100_000, 500_000, 2_500_000], bundle_term: 14, instant_terms: &[7, 14, 30], yearly_percent: 51, points: 5,
          volatility: Volatility::High, activity: Activity::Normal, month_btc: 9 },
    Row { name: "WINDMILL•KEEPERS", symbol: "✣", slug: "windmill-keepers", decimals: 3, price_scaled: 74_000_000,
          bundles: [1_000_000, 5_000_000, 25_000_000], bundle_term: 30, instant_terms: &[14, 30], yearly_percent: 40, points: 5,
          volatility: Volatility::Low, activity: Activity::Normal, month_btc: 4 },
    Row { name: "LITTLE•ANVIL•CHOIR", symbol: "♪", slug: "little-anvil-choir", decimals: 1, price_scaled: 37_000_000,
          bundles: [2_000_000, 10_000_000, 50_000_000], bundle_term: 30, instant_terms: &[7, 30], yearly_percent: 46, points: 0,
          volatility: Volatility::Normal, activity: Activity::Low, month_btc: 3 },
    Row { name: "BRASS•PARAKEET•CLUB", symbol: "▲", slug: "brass-parakeet-club", decimals: 0, price_scaled: 5_950_000,
          bundles: [10_000_000, 50_000_000, 250_000_000], bundle_term: 14, instant_terms: &[7, 14], yearly_percent: 53, points: 0,
          volatility: Volatility::High, activity: Activity::Normal, month_btc: 5 },
    Row { name: "EVERY•LAMP•BURNING", symbol: "✦", slug: "every-lamp-burning", decimals: 8, price_scaled: 2_100_000,
          bundles: [25_000_000, 100_000_000, 500_000_000], bundle_term: 30, instant_terms: &[7, 14, 30], yearly_percent: 47, points: 0,
          volatility: Volatility::Normal, activity: Activity::Low, month_btc: 2 },
];

pub(super) fn drafts() -> impl Iterator<Item = Draft> {
    (1_u32..).zip(&ROWS).map(|(place, row)| Draft {
        name: row.name.to_owned(),
        symbol: row.symbol.to_owned(),
        slug: row.slug.to_owned(),
        collateral: CollateralType::Rune {
            rune_id: RuneId { block: ETCHING_HEIGHT.into(), tx: place }.to_string(),
            rune_name: row.name.to_owned(),
            decimals: row.decimals,
        },
        start_price: UnitPrice::from_scaled(row.price_scaled),
        subs: row
            .bundles
            .iter()
            .map(|tokens| bundle(row, *tokens))
            .chain(row.instant_terms.iter().copied().map(term))
            .collect(),
        usual_month: Sats::new(row.month_btc * Sats::ONE_BTC.get()),
        yearly_percent: row.yearly_percent,
        points_multiplier: row.points,
        motif: Motif::Coin,
        volatility: row.volatility,
        activity: row.activity,
        is_lending_allowed: true,
    })
}

fn bundle(row: &Row, tokens: u64) -> SubDraft {
    SubDraft {
        suffix: abbreviated(tokens),
        term: TermDays(row.bundle_term),
        bundle: Bundle::Fixed(Quantity::tokens(raw_units(tokens, row.decimals), row.decimals)),
        manual: true,
        instant: false,
    }
}

fn term(days: u16) -> SubDraft {
    SubDraft { suffix: format!("{days}d"), term: TermDays(days), bundle: Bundle::Open, manual: false, instant: true }
}
