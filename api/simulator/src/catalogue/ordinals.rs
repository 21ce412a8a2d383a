//! The inscription collections of the catalogue.

use domain::{Bundle, CollateralType, Quantity, Sats, TermDays, UnitPrice};

use super::{Draft, SubDraft};
use crate::market_traits::{Activity, Volatility};
use crate::motif::Motif;

struct Row {
    name: &'static str,
    symbol: &'static str,
    slug: &'static str,
    motif: Motif,
    floor_sats: u32,
    terms: &'static [u16],
    yearly_percent: u32,
    points: u16,
    volatility: Volatility,
    activity: Activity,
    month_btc: u64,
}

/// The collection that the demo shows as closed to new offers.
const CLOSED: &str = "stray-comets";

#[rustfmt::skip]
const ROWS: [Row; 22] = [
    Row { name: "Lantern Foxes", symbol: "LFOX", slug: "lantern-foxes", motif: Motif::Fox, floor_sats: 2_150_000,
          terms: &[7, 14, 30, 60], yearly_percent: 42, points: 25,
          volatility: Volatility::Normal, activity: Activity::High, month_btc: 38 },
    Row { name: "Nine Gates", symbol: "GATE", slug: "nine-gates", motif: Motif::Arch, floor_sats: 11_800_000,
          terms: &[14, 30, 90], yearly_percent: 31, points: 40,
          volatility: Volatility::Low, activity: Activity::High, month_btc: 61 },
    Row { name: "Hollow Kings", symbol: "KING", slug: "hollow-kings", motif: Motif::King, floor_sats: 60_000_000,
          terms: &[30, 60, 90], yearly_percent: 24, points: 50,
          volatility: Volatility::Low, activity: Activity::Normal, month_btc: 88 },
    Row { name: "Tidewater Choir", symbol: "TIDE", slug: "tidewater-choir", motif: Motif::Wave, floor_sats: 3_360_000,
          terms: &[7, 14, 30, 90], yearly_percent: 36, points: 20,
          volatility: Volatility::Normal, activity: Activity::High, month_btc: 29 },
    Row { name: "First Light Engravings", symbol: "FLE", slug: "first-light-engravings", motif: Motif::Strata, floor_sats: 28_500_000,
          terms: &[14, 30, 60, 90], yearly_percent: 27, points: 40,
          volatility: Volatility::Low, activity: Activity::Normal, month_btc: 47 },
    Row { name: "Origami Court", symbol: "FOLD", slug: "origami-court", motif: Motif::Prism, floor_sats: 7_200_000,
          terms: &[14, 30, 60], yearly_percent: 33, points: 30,
          volatility: Volatility::Normal, activity: Activity::High, month_btc: 33 },
    Row { name: "Quiet Moons", symbol: "QMOON", slug: "quiet-moons", motif: Motif::Orbit, floor_sats: 820_000,
          terms: &[7, 14, 30], yearly_percent: 46, points: 10,
          volatility: Volatility::Normal, activity: Activity::High, month_btc: 14 },
    Row { name: "Paper Herons", symbol: "HERON", slug: "paper-herons", motif: Motif::Prism, floor_sats: 1_470_000,
          terms: &[7, 30, 60], yearly_percent: 41, points: 15,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 11 },
    Row { name: "Glass Orchard", symbol: "GLASS", slug: "glass-orchard", motif: Motif::Bloom, floor_sats: 4_420_000,
          terms: &[14, 30, 60, 90], yearly_percent: 35, points: 20,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 22 },
    Row { name: "Kiln and Cobalt", symbol: "KILN", slug: "kiln-and-cobalt", motif: Motif::Tiles, floor_sats: 1_260_000,
          terms: &[7, 14, 30, 60], yearly_percent: 44, points: 10,
          volatility: Volatility::Low, activity: Activity::Normal, month_btc: 9 },
    Row { name: "Ember Owls", symbol: "EMBR", slug: "ember-owls", motif: Motif::Owl, floor_sats: 1_630_000,
          terms: &[7, 14, 30], yearly_percent: 48, points: 15,
          volatility: Volatility::High, activity: Activity::High, month_btc: 26 },
    Row { name: "Velvet Arcade", symbol: "VLVT", slug: "velvet-arcade", motif: Motif::Tiles, floor_sats: 2_050_000,
          terms: &[14, 30], yearly_percent: 40, points: 10,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 12 },
    Row { name: "Night Masons", symbol: "MASON", slug: "night-masons", motif: Motif::Arch, floor_sats: 930_000,
          terms: &[7, 14, 30, 90], yearly_percent: 45, points: 5,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 7 },
    Row { name: "Meridian Maps", symbol: "MRDN", slug: "meridian-maps", motif: Motif::Orbit, floor_sats: 680_000,
          terms: &[14, 30, 60], yearly_percent: 43, points: 5,
          volatility: Volatility::Low, activity: Activity::Low, month_btc: 4 },
    Row { name: "Copper Gardens", symbol: "COPR", slug: "copper-gardens", motif: Motif::Bloom, floor_sats: 510_000,
          terms: &[7, 14, 30], yearly_percent: 52, points: 5,
          volatility: Volatility::High, activity: Activity::Normal, month_btc: 8 },
    Row { name: "Sunday Alpinists", symbol: "ALPS", slug: "sunday-alpinists", motif: Motif::Strata, floor_sats: 450_000,
          terms: &[7, 30], yearly_percent: 47, points: 0,
          volatility: Volatility::Normal, activity: Activity::Normal, month_btc: 5 },
    Row { name: "Low Tide Relics", symbol: "RELIC", slug: "low-tide-relics", motif: Motif::Wave, floor_sats: 370_000,
          terms: &[7, 14, 30], yearly_percent: 50, points: 0,
          volatility: Volatility::Normal, activity: Activity::Low, month_btc: 3 },
    Row { name: "Saffron Dunes", symbol: "SAFF", slug: "saffron-dunes", motif: Motif::Strata, floor_sats: 290_000,
          terms: &[7, 14, 30, 60], yearly_percent: 54, points: 0,
          volatility: Volatility::High, activity: Activity::Normal, month_btc: 6 },
    Row { name: "Block Menagerie", symbol: "MNGR", slug: "block-menagerie", motif: Motif::Beast, floor_sats: 190_000,
          terms: &[7, 14], yearly_percent: 58, points: 0,
          volatility: Volatility::High, activity: Activity::Low, month_btc: 2 },
    Row { name: "Halfway Houses of the Upper Valley", symbol: "HALF", slug: "halfway-houses-of-the-upper-valley", motif: Motif::Arch, floor_sats: 150_000,
          terms: &[14, 30], yearly_percent: 49, points: 0,
          volatility: Volatility::Normal, activity: Activity::Low, month_btc: 1 },
    Row { name: "Stray Comets", symbol: "STRAY", slug: "stray-comets", motif: Motif::Orbit, floor_sats: 110_000,
          terms: &[7, 14, 30], yearly_percent: 62, points: 0,
          volatility: Volatility::High, activity: Activity::Inactive, month_btc: 2 },
    Row { name: "Bramble Saints", symbol: "BRMB", slug: "bramble-saints", motif: Motif::Bloom, floor_sats: 80_000,
          terms: &[7, 30], yearly_percent: 60, points: 0,
          volatility: Volatility::High, activity: Activity::Low, month_btc: 1 },
];

pub(super) fn drafts() -> impl Iterator<Item = Draft> {
    ROWS.iter().map(|row| Draft {
        name: row.name.to_owned(),
        symbol: row.symbol.to_owned(),
        slug: row.slug.to_owned(),
        collateral: CollateralType::Inscription,
        start_price: UnitPrice::from_scaled(u64::from(row.floor_sats) * UnitPrice::ONE_SAT),
        subs: row.terms.iter().copied().map(term).collect(),
        usual_month: Sats::new(row.month_btc * Sats::ONE_BTC.get()),
        yearly_percent: row.yearly_percent,
        points_multiplier: row.points,
        motif: row.motif,
        volatility: row.volatility,
        activity: row.activity,
        is_lending_allowed: row.slug != CLOSED,
    })
}

fn term(days: u16) -> SubDraft {
    SubDraft {
        suffix: format!("{days}d"),
        term: TermDays(days),
        bundle: Bundle::Fixed(Quantity::inscriptions(1)),
        manual: true,
        instant: true,
    }
}
