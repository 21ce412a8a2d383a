//! The exact coins that loans against BRC-20 spend: an offer without one is not ranked.

use std::sync::Arc;
use std::time::Duration;

use domain::{CollateralType, OfferId, ProcessType, UnixMs};
use tokio::time::Instant;

use super::Lender;
use crate::action_counters::CountedAction;
use crate::api_client::CallError;
use crate::clock;
use crate::offer_action::OfferAction;
use crate::operator::Operator;
use crate::own_offer::OwnOffer;

/// The interval between checks: a new coin counts only once it is confirmed, and so does its change.
const COINS_EVERY: Duration = Duration::from_secs(25);
/// The time for which an offer against BRC-20 is kept, in milliseconds: another principal needs another coin.
const KEPT_MS: u64 = 600_000;

impl<O: Operator> Lender<O> {
    /// Creates the coin of one offer that lacks it.
    pub(super) async fn create_exact_coins(&mut self) -> Result<(), CallError> {
        if Instant::now() < self.schedule.exact_coins_due {
            return Ok(());
        }
        self.schedule.exact_coins_due = Instant::now() + COINS_EVERY;
        let offers: Vec<OfferId> = self.own.iter().filter(|own| self.takes_exact_coin(own)).map(|own| own.id).collect();
        for offer in offers {
            match self.client.session.make_exact_coin(offer).await {
                Ok(false) => {}
                // The next coin is made from the change.
                Ok(true) => return Ok(()),
                // The offer is gone, or the money is spent: the next check sees the new state.
                Err(CallError::Refused { status, code, detail }) => {
                    self.shared.counters.count(CountedAction::Refusal);
                    tracing::debug!(lender = self.profile.index, %status, code, detail, "no exact coin");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether an action would replace an offer whose coin was made recently.
    pub(super) fn wastes_exact_coin(&self, action: &OfferAction) -> bool {
        let OfferAction::Edit { offer, .. } = action else { return false };
        let edited = self.own.iter().find(|own| own.id == *offer);
        edited.is_some_and(|own| {
            self.takes_exact_coin(own) && clock::now() < UnixMs(own.created_at.0.saturating_add(KEPT_MS))
        })
    }

    fn takes_exact_coin(&self, own: &OwnOffer) -> bool {
        let market = Arc::clone(&self.shared.market);
        let is_brc20 =
            market.group(own.group).is_some_and(|demo| matches!(demo.group.collateral, CollateralType::Brc20 { .. }));
        is_brc20 && own.process == ProcessType::Manual && !own.is_reserved && !own.is_paused_by_hand
    }
}
