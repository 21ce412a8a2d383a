//! The execution of orders that arrived together: checked each by itself, then sent to their books in order and without
//! waiting for each other.

use actix_web::http::Method;
use domain::{AccountRejection, Command, GroupId, KeyQuote, OfferId, Sats, UnixMs};
use engine::{Applied, NonceUse, Refusal};
use futures_util::future::join_all;

use super::answer::{CommandResult, OfferChange};
use super::client_frame::{EditOrder, Order, PlaceOrder};
use crate::app::App;
use crate::bot_check::{Guarded, Visitor};
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::offers::manual_offer::{AskedEdit, AskedOffer, Bounds};
use crate::offers::own_offer::{own_manual_offer, parse_id};

/// The outcome of one order.
pub(super) type OrderResult = Result<CommandResult, ApiError>;

/// The caller of a run of orders.
pub(super) struct OrderRun<'a> {
    /// The state of the server.
    pub(super) app: &'a App,
    /// The caller.
    pub(super) caller: &'a SignedIn,
    /// The caller, for the bot check.
    pub(super) visitor: Visitor,
    /// Whether new offers are cancelled when the connection is lost.
    pub(super) cancels_on_disconnect: bool,
}

/// An order that passed the checks before its book decides.
#[derive(Clone, Debug)]
struct Prepared {
    group: GroupId,
    command: Command,
    /// The offers that it creates, as limits of API keys count them, and the one that it replaces.
    quote: Option<KeyQuote>,
    replaced: Option<OfferId>,
    nonce_use: Option<NonceUse>,
}

/// The nonce that the orders of a batch share: the first offer that is created consumes it.
#[derive(Clone, Copy, Debug)]
enum SharedNonce {
    /// Each order has its own, or none.
    None,
    Unused(NonceUse),
    /// An execution of the same batch before a restart has used it.
    Spent,
}

/// Refuses an order that the caller's API key does not permit, as the route that does the same.
pub(super) fn check_scope(caller: &SignedIn, order: &Order) -> Result<(), ApiError> {
    match order {
        Order::Place(_) => caller.check_route(&Method::POST, Some("/api/v1/offers/manual")),
        Order::Edit(_) => caller.check_route(&Method::PATCH, Some("/api/v1/offers/manual/{offer_id}")),
        Order::Cancel(_) => check_cancel_scope(caller),
    }
}

/// Refuses an API key that does not cancel.
pub(super) fn check_cancel_scope(caller: &SignedIn) -> Result<(), ApiError> {
    caller.check_route(&Method::POST, Some("/api/v1/offers/manual/cancel"))
}

impl OrderRun<'_> {
    /// Executes orders that are answered each by itself, each with the nonce of its command.
    pub(super) async fn run_each(&self, orders: &[(&Order, Option<NonceUse>)]) -> Vec<OrderResult> {
        let mut prepared = self.prepare_all(orders.iter().map(|(order, _)| *order)).await;
        for (prepared, (order, nonce_use)) in prepared.iter_mut().zip(orders) {
            let token = match order {
                Order::Place(order) => &order.cf_turnstile_response,
                Order::Edit(order) => &order.cf_turnstile_response,
                Order::Cancel(_) => continue,
            };
            if let Ok(ready) = prepared {
                ready.nonce_use = *nonce_use;
                if let Err(refusal) = self.app.admit(Guarded::Offer, self.visitor, token.as_deref()).await {
                    *prepared = Err(refusal);
                }
            }
        }
        self.execute(prepared, SharedNonce::None).await
    }

    /// Executes the orders of a batch.
    ///
    /// # Errors
    /// The codes of the bot check, for all of them.
    pub(super) async fn run_batch(
        &self,
        orders: &[Order],
        nonce_use: NonceUse,
        token: Option<&str>,
    ) -> Result<Vec<OrderResult>, ApiError> {
        let prepared = self.prepare_all(orders.iter()).await;
        if prepared.iter().flatten().any(|ready| ready.quote.is_some()) {
            self.app.admit(Guarded::Offer, self.visitor, token).await?;
        }
        Ok(self.execute(prepared, SharedNonce::Unused(nonce_use)).await)
    }

    async fn prepare_all<'o>(&self, orders: impl Iterator<Item = &'o Order>) -> Vec<Result<Prepared, ApiError>> {
        join_all(orders.map(|order| self.prepare(order))).await
    }

    async fn prepare(&self, order: &Order) -> Result<Prepared, ApiError> {
        check_scope(self.caller, order)?;
        match order {
            Order::Place(order) => self.prepare_place(order).await,
            Order::Edit(order) => self.prepare_edit(order).await,
            Order::Cancel(order) => {
                let (lender, offer) = (self.caller.user(), parse_id(&order.offer_id)?);
                own_manual_offer(self.app, lender, offer).await?;
                let command = Command::Cancel { lender, offer };
                Ok(Prepared { group: offer.group(), command, quote: None, replaced: None, nonce_use: None })
            }
        }
    }

    async fn prepare_place(&self, order: &PlaceOrder) -> Result<Prepared, ApiError> {
        let asked = AskedOffer {
            collection_slug: &order.collection_slug,
            bounds: Bounds::new(order.principal_amount, order.principal_min_amount, order.ltv_max),
            quantity: order.quantity,
            good_until: order.good_until.map(UnixMs),
            conditions: order.conditions.as_ref(),
            cancels_on_disconnect: self.cancels_on_disconnect,
        };
        let checked = asked.check(self.app, self.caller.user()).await?;
        let (group, quote) = (checked.group(), Some(checked.quote()));
        let command = checked.command(self.caller.user());
        Ok(Prepared { group, command, quote, replaced: None, nonce_use: None })
    }

    async fn prepare_edit(&self, order: &EditOrder) -> Result<Prepared, ApiError> {
        let offer = parse_id(&order.offer_id)?;
        let asked = AskedEdit {
            offer,
            bounds: Bounds::new(order.principal_amount, order.principal_min_amount, order.ltv_max),
            good_until: order.good_until.map(UnixMs),
            cancels_on_disconnect: self.cancels_on_disconnect,
        };
        let checked = asked.check(self.app, self.caller.user()).await?;
        let quote = Some(checked.quote());
        let command = checked.command(self.caller.user());
        Ok(Prepared { group: offer.group(), command, quote, replaced: Some(offer), nonce_use: None })
    }

    /// Executes the orders that passed their checks.
    async fn execute(&self, checked: Vec<Result<Prepared, ApiError>>, mut nonce: SharedNonce) -> Vec<OrderResult> {
        let ready: Vec<Prepared> = checked.iter().flatten().cloned().collect();
        let mut done = self.within_limits(ready, &mut nonce).await.into_iter();
        let missing = || Err(ApiError::plain(ErrorCode::Internal));
        let mut outcome = |prepared: Result<Prepared, ApiError>| match prepared {
            Ok(_) => done.next().unwrap_or_else(missing),
            Err(refusal) => Err(refusal),
        };
        checked.into_iter().map(&mut outcome).collect()
    }

    /// Executes orders within the limits of the caller's API key: together if all of them are within, otherwise one after
    /// the other.
    async fn within_limits(&self, orders: Vec<Prepared>, nonce: &mut SharedNonce) -> Vec<OrderResult> {
        let quotes: Vec<KeyQuote> = orders.iter().filter_map(|order| order.quote).collect();
        if quotes.is_empty() || self.caller.key().is_none() {
            return self.submit(orders, nonce).await;
        }
        let replaced: Vec<OfferId> = orders.iter().filter_map(|order| order.replaced).collect();
        let together = orders.clone();
        let submit = async { Ok(self.submit_counted(together, nonce).await) };
        let refusal = match self.caller.quote_within_limits(self.app, &quotes, &replaced, submit).await {
            Ok(outcomes) => return outcomes,
            Err(refusal) => refusal,
        };
        // Nothing was done so far. One of them may be beyond a limit, or be within it after a cancellation before it.
        if let [_] = orders.as_slice() {
            return vec![Err(refusal)];
        }
        let mut outcomes = Vec::with_capacity(orders.len());
        for order in orders {
            let (quotes, replaced) = (Vec::from_iter(order.quote), Vec::from_iter(order.replaced));
            let outcome = if quotes.is_empty() {
                self.submit(vec![order], nonce).await
            } else {
                let submit = async { Ok(self.submit_counted(vec![order], nonce).await) };
                let done = self.caller.quote_within_limits(self.app, &quotes, &replaced, submit).await;
                done.unwrap_or_else(|refusal| vec![Err(refusal)])
            };
            outcomes.extend(outcome);
        }
        outcomes
    }

    /// Submits orders, and returns the principal of those that were refused beside their outcomes. An unknown outcome
    /// counts.
    async fn submit_counted(&self, orders: Vec<Prepared>, nonce: &mut SharedNonce) -> (Vec<OrderResult>, Sats) {
        let quotes: Vec<Option<KeyQuote>> = orders.iter().map(|order| order.quote).collect();
        let outcomes = self.submit(orders, nonce).await;
        let is_refused = |outcome: &OrderResult| outcome.as_ref().is_err_and(|it| it.code().status() < 500);
        let refused = quotes.iter().zip(&outcomes).filter(|(_, outcome)| is_refused(outcome));
        let refused = refused.filter_map(|(quote, _)| quote.as_ref()).map(KeyQuote::sum).sum();
        (outcomes, refused)
    }

    /// Sends orders to their books, in order. A nonce that they share goes to the first that creates; the others wait until
    /// it is consumed, so that a repetition after a restart creates nothing twice.
    async fn submit(&self, orders: Vec<Prepared>, nonce: &mut SharedNonce) -> Vec<OrderResult> {
        let mut outcomes = Vec::with_capacity(orders.len());
        let mut rest = orders;
        while !rest.is_empty() {
            let is_creation = |order: &Prepared| matches!(order.command, Command::Create { .. });
            let first = rest.iter().position(is_creation);
            let run = match (*nonce, first) {
                (SharedNonce::None, _) | (_, None) => rest.len(),
                (SharedNonce::Unused(_) | SharedNonce::Spent, Some(first)) => first + 1,
            };
            let later = rest.split_off(run);
            let (mut run, carried) = (std::mem::replace(&mut rest, later), *nonce);
            let is_carrier = first.is_some();
            match (carried, run.last_mut()) {
                (SharedNonce::Unused(nonce_use), Some(last)) if is_carrier => last.nonce_use = Some(nonce_use),
                (SharedNonce::Spent, Some(_)) if is_carrier => drop(run.pop()),
                _ => {}
            }
            outcomes.extend(join_all(run.into_iter().map(|order| self.decide(order))).await);
            match carried {
                SharedNonce::Spent if is_carrier => outcomes.push(Err(ApiError::plain(ErrorCode::IdempotencySpent))),
                SharedNonce::Unused(_) if is_carrier => match outcomes.last() {
                    Some(Ok(_)) => *nonce = SharedNonce::None,
                    Some(Err(refusal)) if refusal.code() == ErrorCode::IdempotencySpent => *nonce = SharedNonce::Spent,
                    _ => {}
                },
                _ => {}
            }
        }
        outcomes
    }

    async fn decide(&self, order: Prepared) -> OrderResult {
        let Prepared { group, command, nonce_use, .. } = order;
        let cancelled = match command {
            Command::Cancel { offer, .. } => Some(offer),
            _ => None,
        };
        let is_edit = matches!(command, Command::Edit { .. });
        let applied = match self.app.market.command(group, command, nonce_use).await {
            Ok(applied) => applied,
            Err(Refusal::Account(AccountRejection::NonceUsed)) => {
                return Err(ApiError::plain(ErrorCode::IdempotencySpent));
            }
            Err(refusal) => return Err(refusal.into()),
        };
        let Applied { sequence: seq, offers, .. } = applied;
        let created = offers.iter().map(|offer| offer.offer_id.0);
        let offer_ids = cancelled.into_iter().chain(created).map(|id| id.to_string()).collect();
        let change = OfferChange { offer_ids, seq };
        Ok(match (cancelled, is_edit) {
            (Some(_), _) => CommandResult::Cancelled(change),
            (None, true) => CommandResult::Edited(change),
            (None, false) => CommandResult::Placed(change),
        })
    }
}
