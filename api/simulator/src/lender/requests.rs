//! The borrow requests that a lender fills.

use std::sync::Arc;

use domain::{Quantity, Sats, SubCollection, UnitPrice};
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;

use super::Lender;
use crate::action_counters::CountedAction;
use crate::api_client::CallError;
use crate::borrow_request::{BorrowRequest, RequestState};
use crate::operator::Operator;

/// The probability that a lender looks at the requests while visiting a book.
const LOOK_PROBABILITY: f64 = 0.08;
/// The probability that a lender looks at counter-offers while visiting a book.
const NEGOTIATE_PROBABILITY: f64 = 0.1;
/// The highest LTV that lenders fill, in basis points.
const LTV_MAX_BPS: u32 = 7_000;

impl<O: Operator> Lender<O> {
    /// Fills one of the open requests in the groups that this lender prefers, at times.
    pub(super) async fn fill_request(&mut self) -> Result<(), CallError> {
        if !self.rng.random_bool(LOOK_PROBABILITY) {
            return Ok(());
        }
        let requests = self.client.session.borrow_requests().await?;
        let fitting: Vec<(String, String)> = requests.iter().filter_map(|request| self.filling(request)).collect();
        let Some((request, slug)) = fitting.choose(&mut self.rng) else { return Ok(()) };
        match self.client.session.fill_request(request, slug).await {
            Ok(()) => {
                self.shared.counters.count(CountedAction::Fill);
                self.review().await
            }
            // Another lender was faster, or the collateral is gone.
            Err(CallError::Refused { .. }) => {
                self.shared.counters.count(CountedAction::Refusal);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Answers counter-offers, at times.
    pub(super) async fn negotiate(&mut self) -> Result<(), CallError> {
        if !self.rng.random_bool(NEGOTIATE_PROBABILITY) {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        self.client.session.answer_negotiations(|group| shared.usual_terms(group)).await.map(drop)
    }

    /// The request's id and the slug of the term to fill it with, if this lender would.
    fn filling(&self, request: &BorrowRequest) -> Option<(String, String)> {
        let is_preferred = self.profile.preferred_groups.iter().any(|(group, _)| *group == request.group_id);
        if request.state != RequestState::Open || request.inscription_ids.is_empty() || !is_preferred {
            return None;
        }
        let demo = self.shared.market.group(request.group_id)?;
        let price = self.shared.view.book(request.group_id)?.price?;
        let sub = demo.group.sub_collections.iter().find(|sub| fits(request, sub))?;
        let quantity = Quantity::inscriptions(u32::try_from(request.inscription_ids.len()).ok()?);
        let quote = UnitPrice::quoted(Sats::new(request.principal_amount_sats), quantity);
        let is_safe = price.ltv_of(quote).basis_points() <= LTV_MAX_BPS;
        is_safe.then(|| (request.request_id.clone(), sub.slug.to_string()))
    }
}

/// Whether a loan of a sub-collection is within a request.
fn fits(request: &BorrowRequest, sub: &SubCollection) -> bool {
    let interest = f64::from(sub.interest.basis_points()) / 100.0;
    let is_in_term = (request.term_min_days..=request.term_max_days).contains(&sub.term.0);
    sub.manual && is_in_term && interest <= request.interest_max_percentage
}
