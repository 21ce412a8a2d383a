//! Placing requests: a borrower whose collateral no offer suits asks for a loan.

use domain::{CollateralType, GroupId, UnitPrice};
use escrow::action::{NewRequest, RequestedPledge};
use rand::RngExt as _;

use super::Borrower;
use crate::action_counters::CountedAction;
use crate::api_client::CallError;
use crate::borrow_request::{BorrowRequest, RequestState};
use crate::clock;
use crate::demo_group::DemoGroup;
use crate::operator::Operator;

/// The probability that a borrower with an inscription asks for more than the best offer gives.
const REQUEST_PROBABILITY: f64 = 0.3;
/// The probability that it asks against several inscriptions together, if it holds several.
const TOGETHER_PROBABILITY: f64 = 0.6;
/// The most inscriptions that it pledges together.
const TOGETHER_MAX: usize = 5;
/// The time for which a request is good, in seconds.
const GOOD_FOR_S: u64 = 12 * 3_600;
/// The range of LTVs that are asked for, in percent.
const LTV_PERCENT: std::ops::RangeInclusive<u64> = 45..=80;

impl<O: Operator> Borrower<O> {
    /// Takes the offer of a lender who has filled one of the borrower's requests; returns whether there was one.
    pub(super) async fn take_filled_request(&mut self) -> Result<bool, CallError> {
        let own = self.own_requests().await?;
        let Some(filled) = own.iter().find(|request| request.state == RequestState::Filled) else { return Ok(false) };
        let offers = self.session.offers_for_me().await?;
        let offer = offers.iter().find(|offer| offer.request_id.as_ref() == Some(&filled.request_id));
        let Some(offer) = offer else { return Ok(false) };
        let id = offer.offer.offer.to_string();
        let loan = self.session.take_with_inscriptions(offer.offer.process, &id, &filled.inscription_ids).await?;
        self.shared.counters.count(CountedAction::Loan);
        self.open.insert(loan);
        for inscription in &filled.inscription_ids {
            self.holdings.drop_inscription(inscription);
        }
        Ok(true)
    }

    /// Asks lenders for a loan against inscriptions, at times; returns whether it did.
    pub(super) async fn ask_for_loan(&mut self, group: GroupId, height: u32) -> Result<bool, CallError> {
        let held = self.holdings.inscriptions(group, height).take(TOGETHER_MAX);
        let mut inscriptions: Vec<String> = held.map(str::to_owned).collect();
        if inscriptions.is_empty() {
            return Ok(false);
        }
        if !self.rng.random_bool(TOGETHER_PROBABILITY) {
            inscriptions.truncate(1);
        }
        if !self.rng.random_bool(REQUEST_PROBABILITY) || !self.own_requests().await?.is_empty() {
            return Ok(false);
        }
        let price = self.shared.view.book(group).and_then(|book| book.price);
        let Some((demo, price)) = self.shared.market.group(group).zip(price) else { return Ok(false) };
        let percent = self.rng.random_range(LTV_PERCENT);
        let Some(request) = new_request(demo, price, percent, inscriptions) else { return Ok(false) };
        self.session.place_request(&request).await?;
        self.shared.counters.count(CountedAction::Request);
        Ok(true)
    }

    /// The requests against inscriptions that the borrower holds.
    async fn own_requests(&mut self) -> Result<Vec<BorrowRequest>, CallError> {
        let mut requests = self.session.borrow_requests().await?;
        let is_own = |ids: &[String]| !ids.is_empty() && ids.iter().all(|id| self.holdings.holds(id));
        requests.retain(|request| is_own(&request.inscription_ids));
        Ok(requests)
    }
}

/// A request at this LTV for any term and interest of a group of inscriptions.
fn new_request(demo: &DemoGroup, price: UnitPrice, percent: u64, inscriptions: Vec<String>) -> Option<NewRequest> {
    if demo.group.collateral != CollateralType::Inscription {
        return None;
    }
    let subs = &demo.group.sub_collections;
    let value_sats = price.scaled() / 100_000_000 * u64::try_from(inscriptions.len()).ok()?;
    let principal_sats = value_sats * percent / 100 / 1_000 * 1_000;
    Some(NewRequest {
        collection_slug: demo.group.slug.to_string(),
        collateral: RequestedPledge::Inscriptions(inscriptions),
        principal_sats,
        interest_max: subs.iter().map(|sub| sub.interest.basis_points()).max()?,
        term_min_days: subs.iter().map(|sub| sub.term.0).min()?,
        term_max_days: subs.iter().map(|sub| sub.term.0).max()?,
        good_until_s: clock::now().seconds() + GOOD_FOR_S,
    })
}
