//! The market's terms, for a signer in the same process.

use std::collections::BTreeMap;

use domain::{CollateralType, CollectionGroup, SubCollection};
use engine::Market;
use engine::wire::TermChangeView;
use signer::term_sheet::{Listing, Term, TermSheet};

/// Returns every term of instant offers, with the announced changes.
pub(super) fn sheet(market: &Market) -> TermSheet {
    let groups = market.groups();
    let instant = |group: &CollectionGroup| {
        let listed = |sub: &SubCollection| Some((sub.slug.to_string(), listing(group, sub)?));
        group.sub_collections.iter().filter(|sub| sub.instant).filter_map(listed).collect::<Vec<_>>()
    };
    let listings: BTreeMap<String, Listing> = groups.iter().flat_map(|group| instant(group)).collect();
    let mut sheet = TermSheet::new(listings);
    for group in groups {
        let row = market.row(group.id);
        for sub in row.iter().flat_map(|row| &row.sub_collections) {
            if let Some((id, term)) = sub.new_term_change_request.as_ref().and_then(changed) {
                sheet = sheet.with_change(sub.slug.as_str(), id, term);
            }
        }
    }
    sheet
}

/// Returns the terms of a slug against whose collateral vaults lend; a rune with an invalid id is omitted, so no vault
/// lends against it.
fn listing(group: &CollectionGroup, sub: &SubCollection) -> Option<Listing> {
    let rune = match &group.collateral {
        CollateralType::Inscription => None,
        CollateralType::Rune { rune_id, .. } => Some(rune_id.parse().ok()?),
        CollateralType::Brc20 { .. } => return None,
    };
    Some(Listing { days: sub.term.0, interest_bps: sub.interest.basis_points(), rune })
}

fn changed(change: &TermChangeView) -> Option<(String, Term)> {
    let interest_bps = u32::try_from(change.new_interest_rate.hundredths()).ok()?;
    Some((change.new_term_id.0.to_string(), Term { days: change.new_days, interest_bps }))
}
