//! The market of the benches: one collection of inscriptions, and the offer drafts of its lenders.

use std::sync::Arc;

use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Ltv, OfferDraft, ProcessType, Quantity, Sats,
    SubCollection, SubCollectionId, TermDays, UnitPrice,
};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// The floor price at the start of every log, 0.05 BTC.
pub const FLOOR: Sats = Sats::new(5_000_000);

/// The terms in days with their interest; each takes manual and instant offers, so there are twice as many rankings.
const TERMS: [(u16, u32); 4] = [(7, 150), (14, 275), (30, 525), (90, 1_400)];

/// The principals, between 30 % and 85 % of the floor, in steps of 1,000 sats.
const PRINCIPAL_STEPS: std::ops::RangeInclusive<u64> = 1_500..=4_250;
const PRINCIPAL_STEP_SATS: u64 = 1_000;

/// The number of rankings of a group: one per term and process type.
pub const RANKINGS: usize = TERMS.len() * 2;

/// The number of rankings of manual offers: one per term.
pub const MANUAL_RANKINGS: usize = TERMS.len();

/// The slug of a sub-collection of a group, by its place.
#[must_use]
pub fn slug(group: u32, sub_collection: usize) -> String {
    format!("group-{group}-{}d", TERMS[sub_collection].0)
}

/// Draws the principal of a manual offer in sats, as [`draft`] does.
pub fn manual_principal(rng: &mut ChaCha8Rng) -> u64 {
    let steps = rng.random_range(PRINCIPAL_STEPS).max(rng.random_range(PRINCIPAL_STEPS));
    steps * PRINCIPAL_STEP_SATS
}

/// A group of inscriptions with every term.
#[must_use]
pub fn group(id: u32) -> Arc<CollectionGroup> {
    let sub_collections = TERMS.iter().zip(0_u16..).map(|((days, interest), place)| SubCollection {
        id: SubCollectionId(place),
        slug: format!("group-{id}-{days}d").parse().expect("a plain slug"),
        term: TermDays(*days),
        interest: InterestRate::from_basis_points(*interest),
        bundle: Bundle::Fixed(Quantity::inscriptions(1)),
        manual: true,
        instant: true,
    });
    Arc::new(CollectionGroup {
        id: GroupId(id),
        slug: format!("group-{id}").parse().expect("a plain slug"),
        name: format!("Group {id}").into(),
        symbol: format!("G{id}").into(),
        image: "".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: sub_collections.collect(),
    })
}

/// The index of a draft's ranking among [`RANKINGS`].
#[must_use]
pub fn ranking_of(draft: &OfferDraft) -> usize {
    usize::from(draft.sub_collection.0) * 2 + usize::from(draft.process == ProcessType::Instant)
}

/// The sub-collection and process type of a ranking.
#[must_use]
pub fn place_of(ranking: usize) -> (SubCollectionId, ProcessType) {
    let sub_collection = SubCollectionId(u16::try_from(ranking / 2).expect("few rankings"));
    (sub_collection, if ranking % 2 == 1 { ProcessType::Instant } else { ProcessType::Manual })
}

/// The floor price as the book keeps it.
#[must_use]
pub fn floor_price() -> UnitPrice {
    UnitPrice::from_sats(FLOOR).expect("the floor is a price")
}

/// Draws a draft for a ranking at this price, with this balance in the vault; the book accepts it.
///
/// More lenders quote high than low, because only the best offers are taken.
pub fn draft(ranking: usize, price: UnitPrice, usable: Sats, rng: &mut ChaCha8Rng) -> OfferDraft {
    let (sub_collection, process) = place_of(ranking);
    let wanted = Sats::new(manual_principal(rng));
    let is_instant = process == ProcessType::Instant;
    let covered = Sats::new(usable.get() / PRINCIPAL_STEP_SATS * PRINCIPAL_STEP_SATS);
    let principal = if is_instant { wanted.min(covered) } else { wanted };
    // Up to 15 points above the LTV; the dialog proposes 10.
    let max_ltv = is_instant.then(|| {
        let ltv = price.ltv_of(UnitPrice::quoted(principal, Quantity::inscriptions(1)));
        Ltv::from_basis_points(ltv.basis_points() + rng.random_range(0..=1_500)).min(Ltv::CEILING)
    });
    OfferDraft { max_ltv, accepts_next_term: rng.random(), ..OfferDraft::plain(sub_collection, process, principal) }
}
