//! An offer's view for its lender.

use domain::{
    CollateralType, LoanTerms, Offer, OfferId, OrderBook, PauseReasons, ProcessType, Sats, SubCollection, TermChangeId,
    UnitPrice, UnixMs,
};

use crate::{
    book_state::BookState,
    offer_notice_times::is_pause_notified,
    wire::{AsString, ConditionsView, MyOffer, NoticeView, OfferTag, PegView, Percent, ProcessName},
};

use super::{collateral, offer_notices, terms};

/// The state that a lender's view of an offer depends on, small enough to compare after every change of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OfferFingerprint {
    rank: Option<usize>,
    ranked: usize,
    /// The best offer, and the part of it that can be taken.
    best: Option<(OfferId, Sats)>,
    price: Option<UnitPrice>,
    used: Sats,
    held: Sats,
    paused: PauseReasons,
    open_change: Option<TermChangeId>,
    updated_at: UnixMs,
    terms_version: u64,
}

impl OfferFingerprint {
    /// Returns the state of an offer, O(log n) in the offers of the book.
    pub(crate) fn at(state: &BookState, offer: &Offer) -> Self {
        let (sub, process) = (offer.sub_collection, offer.process);
        Self {
            rank: state.book.rank(offer.id),
            ranked: state.book.ranked_count(sub, process),
            best: state.book.best(sub, process).map(|best| (best.id, best.takeable())),
            price: state.book.price(),
            used: offer.used,
            held: offer.held,
            paused: offer.paused,
            open_change: offer_notices::open_change(state, offer),
            updated_at: offer.updated_at,
            terms_version: state.terms_version,
        }
    }

    /// The lender's notices about the change from `self` to `now`.
    pub(crate) fn notices(&self, now: &Self, state: &BookState, offer: &Offer) -> [Option<NoticeView>; 2] {
        let is_paused_now = is_pause_notified(now.paused) && !is_pause_notified(self.paused);
        let is_change_new = now.open_change.is_some() && now.open_change != self.open_change;
        [
            is_paused_now.then(|| offer_notices::paused(state, offer)).flatten(),
            is_change_new.then(|| offer_notices::term_change(state, offer)).flatten(),
        ]
    }
}

/// The lender's view of an offer; `None` if its sub-collection does not exist, which never happens.
pub(crate) fn my_offer(book: &OrderBook, offer: &Offer) -> Option<MyOffer> {
    let group = book.group();
    let sub = group.sub_collection(offer.sub_collection)?;
    let (rank, best) = (book.rank(offer.id), book.best(sub.id, offer.process));
    let (rune_id, rune_name) = collateral::rune(&group.collateral);
    let process = ProcessName::from(offer.process);
    let LoanTerms { interest, days } = signed_terms(book, sub, offer);
    let is_best_offer = rank == Some(1);
    Some(MyOffer {
        offer_id: AsString(offer.id),
        canister_instant_id: (offer.process == ProcessType::Instant).then_some(AsString(offer.id)),
        group_id: AsString(group.id),
        group_slug: group.slug.clone(),
        collection_name: group.name.clone(),
        collection_symbol: group.symbol.clone(),
        collection_img_url: group.image.clone(),
        collateral_type: collateral::name(&group.collateral),
        sub_collection_id: AsString(sub.id.0),
        collection_slug: sub.slug.clone(),
        loan_process_type: process.capitalised(),
        principal: offer.principal,
        used_principal: offer.used,
        available_principal: offer.available(),
        available_collateral: collateral::raw_for(offer, offer.available()),
        fungible_amount: AsString(offer.quantity().raw),
        bundle_size: collateral::bundle_size(sub),
        is_best_offer,
        offer_ranking: rank,
        ranked_offers: book.ranked_count(sub.id, offer.process),
        best_offer: best.map(Offer::takeable),
        best_offer_id: best.map(|best| AsString(best.id)),
        best_offer_gap_sats: rank.and(best).map(|best| principal_to_best(offer, best)),
        min_ltv: None,
        max_ltv: offer.max_ltv.map(Percent::from),
        max_instant_ltv: offer.max_ltv.map(Percent::from),
        ltv: book.price().map(|price| offer.current_ltv(price).into()),
        apy: Percent::apy(interest, days),
        interest: interest.into(),
        term: days.0,
        floor: collateral::floor(&group.collateral, book.price()),
        unit_price: book.price().map(AsString),
        rune_id,
        rune_name,
        rune_decimals: collateral::decimals(&group.collateral),
        instant_best_offer_range: best.and_then(|best| collateral::range(sub, best)),
        tags: tags(&group.collateral, offer, is_best_offer, process),
        ltv_paused: offer.paused.contains(PauseReasons::LTV),
        balance_paused: offer.paused.contains(PauseReasons::BALANCE),
        is_paused_from_max_ltv: offer.paused.contains(PauseReasons::LTV),
        is_paused_from_insufficient_balance: offer.paused.contains(PauseReasons::BALANCE),
        is_paused_from_terms: offer.paused.contains(PauseReasons::TERMS),
        is_paused_from_missing_funds: offer.paused.contains(PauseReasons::FUNDING),
        is_paused_by_lender: offer.paused.contains(PauseReasons::LENDER),
        is_paused_from_limits: offer.paused.contains(PauseReasons::LIMITS),
        is_paused_from_absence: offer.paused.contains(PauseReasons::ABSENCE),
        is_expired: offer.paused.contains(PauseReasons::EXPIRED),
        conditions: book.conditions(offer.id).map(|conditions| ConditionsView::for_lender(conditions)),
        good_until: offer.good_until(),
        is_time_signed: offer.is_time_signed(),
        is_agreed: offer.is_conditional() && book.is_agreed(offer.id),
        peg: book.peg(offer.id).zip(book.price()).map(|(peg, price)| PegView::at(&peg, price)),
        accepts_next_term: offer.accepts_next_term(),
        new_term_change_request: terms::open_request(book, sub, offer),
        created_at: offer.created_at,
        updated_at: offer.updated_at,
    })
}

/// The terms that the lender agreed to: those before a change that is not accepted yet.
fn signed_terms(book: &OrderBook, sub: &SubCollection, offer: &Offer) -> LoanTerms {
    let unaccepted = book.effective_change(sub.id).filter(|_| offer.paused.contains(PauseReasons::TERMS));
    let before = unaccepted.map(|passed| LoanTerms { interest: passed.previous_interest, days: passed.previous_term });
    before.or_else(|| book.loan_terms(offer)).unwrap_or_else(|| sub.loan_terms())
}

/// The additional principal, for the same collateral, that would rank this offer before the best one.
fn principal_to_best(offer: &Offer, best: &Offer) -> Sats {
    if offer.id == best.id {
        return Sats::ZERO;
    }
    // A tie goes to the earlier offer, and a raised offer is a later one: it needs a sat more than the best quote.
    let needed = best.quote.value_floor(offer.quantity()).saturating_add(Sats::new(1));
    needed.saturating_sub(offer.principal)
}

fn tags(collateral: &CollateralType, offer: &Offer, is_best: bool, process: ProcessName) -> Vec<OfferTag> {
    let asset = match collateral {
        CollateralType::Inscription => OfferTag::Ordinal,
        CollateralType::Rune { .. } => OfferTag::Rune,
        CollateralType::Brc20 { .. } => OfferTag::Brc20,
    };
    let mut tags = vec![process.into(), asset];
    tags.extend(is_best.then_some(OfferTag::BestOffer));
    tags.extend((offer.held > Sats::ZERO).then_some(OfferTag::UnderOffer));
    tags.extend((!offer.paused.is_empty()).then_some(OfferTag::Paused));
    tags
}

#[cfg(test)]
mod tests {
    use domain::{GroupId, OfferTerms, Quantity, SubCollectionId, UserId};

    use super::*;

    fn offer(sequence: u64, principal: u64, quantity: Quantity) -> Offer {
        let id = OfferId::new(GroupId(1), sequence).unwrap();
        let terms = OfferTerms {
            sub_collection: SubCollectionId(0),
            process: ProcessType::Manual,
            principal: Sats::new(principal),
            quantity,
            smallest_take: Sats::new(principal),
            max_ltv: None,
            accepts_next_term: false,
        };
        Offer::new(id, UserId(1), terms, UnixMs(0))
    }

    #[test]
    fn raising_by_the_missing_principal_makes_the_best_offer_and_a_sat_less_does_not() {
        for quantity in [Quantity::inscriptions(1), Quantity::tokens(7_777_777, 3), Quantity::tokens(u128::MAX, 38)] {
            let (own, best) = (offer(1, 50_000, quantity), offer(2, 70_003, quantity));
            let raised = own.principal.saturating_add(principal_to_best(&own, &best));
            assert!(UnitPrice::quoted(raised, quantity) > best.quote, "{quantity:?}");
            let short = raised.saturating_sub(Sats::new(1));
            assert!(UnitPrice::quoted(short, quantity) <= best.quote, "{quantity:?}");
        }
    }
}
