//! The collections that are lent against.

use std::collections::BTreeMap;

use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Quantity, Sats, SubCollection, SubCollectionId,
    TermDays, UnitPrice,
};
use ordinals::RuneId;
use signer::term_sheet::{Listing, TermSheet};

/// Inscriptions.
pub const FROGS: GroupId = GroupId(1);
/// A rune.
pub const GOLD: GroupId = GroupId(2);
/// A BRC-20 token.
pub const NEWTS: GroupId = GroupId(3);
/// The price of an inscription, and of a token of either kind.
pub const FLOOR: Sats = Sats::new(2_000_000);
/// The price of a whole token.
pub const TOKEN: Sats = Sats::new(10);
/// The rune of the gold collection until a test etches one.
pub const NOWHERE: RuneId = RuneId { block: 840_000, tx: 1 };

fn sub(sub_collection: u16, slug: &str, days: u16, bundle: Bundle, manual: bool, instant: bool) -> SubCollection {
    SubCollection {
        id: SubCollectionId(sub_collection),
        slug: slug.parse().unwrap(),
        term: TermDays(days),
        interest: InterestRate::from_basis_points(120 + u32::from(sub_collection) * 60),
        bundle,
        manual,
        instant,
    }
}

fn group(id: GroupId, slug: &str, collateral: CollateralType, sub_collections: Vec<SubCollection>) -> CollectionGroup {
    CollectionGroup {
        id,
        slug: slug.parse().unwrap(),
        name: slug.into(),
        symbol: slug.to_uppercase().into(),
        image: format!("/{slug}.svg").into(),
        external_link: None,
        collateral,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections,
    }
}

/// Inscriptions for 7 and 30 days, a rune for 14, and a BRC-20 token for 7.
pub fn groups(gold: RuneId) -> Vec<CollectionGroup> {
    let one = Bundle::Fixed(Quantity::inscriptions(1));
    let rune = CollateralType::Rune { rune_id: gold.to_string(), rune_name: "MORE•GOLD".to_owned(), decimals: 2 };
    let bars = Bundle::Fixed(Quantity::tokens(10_000_000, 2));
    let newts = Bundle::Fixed(Quantity::tokens(100_000 * 10_u128.pow(18), 18));
    let brc20 = CollateralType::Brc20 { ticker: "newt".to_owned(), decimals: 18 };
    vec![
        group(
            FROGS,
            "frogs",
            CollateralType::Inscription,
            vec![sub(0, "frogs-7d", 7, one, true, true), sub(1, "frogs-30d", 30, one, true, true)],
        ),
        group(
            GOLD,
            "gold",
            rune,
            vec![sub(0, "gold-14d", 14, Bundle::Open, false, true), sub(1, "gold-bars", 14, bars, true, false)],
        ),
        group(NEWTS, "newts", brc20, vec![sub(0, "newts-7d", 7, newts, true, false)]),
    ]
}

/// The price of a collection.
pub fn price(group: GroupId) -> UnitPrice {
    UnitPrice::from_sats(if group == FROGS { FLOOR } else { TOKEN }).unwrap()
}

/// The signer's term sheet: the meaning of the slugs of instant offers.
pub fn sheet(gold: RuneId) -> TermSheet {
    let mut listings = BTreeMap::new();
    for group in groups(gold) {
        let rune = match group.collateral {
            CollateralType::Inscription => None,
            CollateralType::Rune { .. } => Some(gold),
            CollateralType::Brc20 { .. } => continue,
        };
        for sub in group.sub_collections.into_iter().filter(|sub| sub.instant) {
            let listing = Listing { days: sub.term.0, interest_bps: sub.interest.basis_points(), rune };
            listings.insert(sub.slug.to_string(), listing);
        }
    }
    TermSheet::new(listings)
}
