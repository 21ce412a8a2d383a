//! The BRC-20 tokens of the catalogue, lent against in bundles.

use domain::{Bundle, CollateralType, Quantity, Sats, TermDays, UnitPrice};

use super::{Draft, SubDraft, abbreviated, raw_units};
use crate::market_traits::{Activity, Volatility};
use crate::motif::Motif;

/// The protocol's default number of decimals, with which each of these tokens was deployed.
const DECIMALS: u8 = 18;

struct Row {
    name: &'static str,
    symbol: &'static str,
    slug: &'static str,
    ticker: &'static str,
    /// The price of a whole token in hundred-millionths of a sat.
    price_scaled: u64,
    /// Whole tokens.
    bundles: [u64; 3],
    term: u16,
    yearly_percent: u32,
    points: u16,
    volatility: Volatility,
    activity: Activity,
    month_btc: u64,
}

#[rustfmt::skip]
const ROWS: [Row; 7] = [
    Row { name: "Vesperine", symbol: "VESP", slug: "vesperine", ticker: "vesp", price_scaled: 1_940_000_000_000, bundles: [50, 250, 1_000],
          term: 30, yearly_percent: 38, points: 25,
          volatility: Volatility::Low, activity: Activity::Normal, month_btc: 14 },
    Row { name: "Lumenfall", symbol: "LUMN", slug: "lumenfall", ticker: "lumn", price_scaled: 560_000_000_000, bundles: [200, 1_000, 4_000],
          term: 30, yearly_percent: 42, points: 15,
          volatility: Volatility::Normal, activity: Activity::High, month_btc: 17 },
    Row { name: "Tarnwater", symbol: "TARN", slug: "tarnwater", ticker: "tarn", price_scaled: 94_000_000_000, bundles: [1_000, 5_000, 20_000],
          term: 30, yearly_percent: 40, points: 10,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 8 },
    Row { name: "Mosuri", symbol: "MOSU", slug: "mosuri", ticker: "mosu", price_scaled: 18_500_000_000, bundles: [5_000, 20_000, 100_000],
          term: 14, yearly_percent: 49, points: 10,
          volatility: Volatility::High, activity: Activity::High, month_btc: 11 },
    Row { name: "Fjordmark", symbol: "FJRD", slug: "fjordmark", ticker: "fjrd", price_scaled: 1_240_000_000, bundles: [50_000, 250_000, 1_000_000],
          term: 30, yearly_percent: 44, points: 5,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 5 },
    Row { name: "Oxbow", symbol: "OXBO", slug: "oxbow", ticker: "oxbo", price_scaled: 290_000_000, bundles: [250_000, 1_000_000, 5_000_000],
          term: 14, yearly_percent: 52, points: 0,
          volatility: Volatility::High, activity: Activity::Low, month_btc: 3 },
    Row { name: "Quillfeather", symbol: "QUIL", slug: "quillfeather", ticker: "quil", price_scaled: 52_000_000, bundles: [1_000_000, 5_000_000, 25_000_000],
          term: 30, yearly_percent: 46, points: 0,
          volatility: Volatility::Normal, activity: Activity::Low, month_btc: 2 },
];

pub(super) fn drafts() -> impl Iterator<Item = Draft> {
    ROWS.iter().map(|row| Draft {
        name: row.name.to_owned(),
        symbol: row.symbol.to_owned(),
        slug: row.slug.to_owned(),
        collateral: CollateralType::Brc20 { ticker: row.ticker.to_owned(), decimals: DECIMALS },
        start_price: UnitPrice::from_scaled(row.price_scaled),
        subs: row.bundles.iter().map(|tokens| bundle(*tokens, row.term)).collect(),
        usual_month: Sats::new(row.month_btc * Sats::ONE_BTC.get()),
        yearly_percent: row.yearly_percent,
        points_multiplier: row.points,
        motif: Motif::Blocks,
        volatility: row.volatility,
        activity: row.activity,
        is_lending_allowed: true,
    })
}

fn bundle(tokens: u64, days: u16) -> SubDraft {
    SubDraft {
        suffix: abbreviated(tokens),
        term: TermDays(days),
        bundle: Bundle::Fixed(Quantity::tokens(raw_units(tokens, DECIMALS), DECIMALS)),
        manual: true,
        instant: false,
    }
}
