//! The coins of a lender's payment address that fund a manual loan.

use bitcoin::{Amount, FeeRate};
use domain::LoanId;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::SelectionTarget;
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;

use crate::lookups::ports::Ports;
use crate::records::outpoint;
use crate::records::party::Party;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::SOFT_RESERVATION_MS;

impl<P: Ports> LoanService<P> {
    /// Returns the sum at the lender's payment address that can fund a loan now: confirmed, unreserved coins without
    /// assets.
    ///
    /// # Errors
    /// [`LoanServiceError::Lookup`] when the holdings are unknown.
    pub async fn spendable(&self, lender: &Party) -> Result<Amount, LoanServiceError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let free = holdings.plain().map(|held| &held.coin).filter(|coin| self.is_free(coin.outpoint, None));
        Ok(free.map(|coin| coin.output.value).sum())
    }

    /// Returns confirmed coins without assets of the lender's payment address that are reserved for no other loan,
    /// preferring those without a soft reservation.
    pub(super) async fn lender_coins(
        &self,
        lender: &Party,
        amount: Amount,
        is_exact: bool,
        fee_rate: FeeRate,
        inputs: &[Spend<'_>],
        loan: Option<LoanId>,
    ) -> Result<Vec<Coin>, LoanServiceError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let is_free = |coin: &Coin| self.is_free(coin.outpoint, loan);
        let now = self.market.now();
        if is_exact {
            let fits = |coin: &&Coin| coin.output.value == amount && is_free(coin);
            let exact: Vec<&Coin> = holdings.plain().map(|held| &held.coin).filter(fits).collect();
            return self.soft_reservations.choose(now, now.plus_ms(SOFT_RESERVATION_MS), |reserved| {
                let fresh = exact.iter().find(|coin| !reserved.contains(&outpoint::to_domain(coin.outpoint)));
                let coin = fresh.or(exact.first()).map(|coin| vec![(*coin).clone()]);
                coin.ok_or(LoanServiceError::NoExactLenderCoin { wanted: amount })
            });
        }
        let mut candidates = holdings.candidates();
        candidates.retain(|candidate| match &candidate.spend {
            Spend::Coin(coin) => is_free(coin),
            Spend::Script { .. } => false,
        });
        let change = lender.payment_script();
        let wanted =
            SelectionTarget { amount, fee_payer: FeePayer::Others, fee_rate, inputs, outputs: &[], change: &change };
        self.soft_reservations.choose(now, now.plus_ms(SOFT_RESERVATION_MS), |reserved| {
            let mut fresh = candidates.clone();
            fresh.retain(|candidate| !reserved.contains(&outpoint::to_domain(candidate.spend.outpoint())));
            let choice = wanted
                .select(&fresh)
                .or_else(|_| wanted.select(&candidates))
                .map_err(LoanServiceError::LenderFundsInsufficient)?;
            let coins = choice.spends.into_iter().filter_map(|spend| match spend {
                Spend::Coin(coin) => Some(coin.clone()),
                Spend::Script { .. } => None,
            });
            Ok(coins.collect())
        })
    }
}
