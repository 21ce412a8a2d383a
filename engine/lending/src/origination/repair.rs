//! The repair of a loan that waits for its lender, after an output of it was spent.

use bitcoin::OutPoint;
use domain::{CancelledBy, LoanAccount, LoanRejection};
use engine::Refusal;
use escrow::contract::transaction::spend::Spend;

use crate::lookups::ports::Ports;
use crate::records::contract::{Contract, Pledged, Source};
use crate::records::outpoint;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::{BORROWER_SIGNING_MS, LENDER_SIGNING_MS};

impl<P: Ports> LoanService<P> {
    /// Repairs a loan of which an output was spent: a coin of the lender is replaced and the transaction rebuilt;
    /// without one of the borrower's the loan is cancelled. Returns the error for the caller.
    pub(crate) async fn repair_loan(
        &self,
        loan: &LoanAccount,
        contract: &Contract,
        gone: OutPoint,
    ) -> Result<LoanServiceError, LoanServiceError> {
        if matches!(contract.source, Source::Rollover { .. }) {
            self.market.cancel_loan(loan.id, CancelledBy::Market).await?;
            return Ok(LoanServiceError::ExtensionCoinSpent(gone));
        }
        let is_lenders =
            matches!(&contract.source, Source::Coins(coins) if coins.iter().any(|coin| coin.outpoint == gone));
        if !is_lenders {
            // An output of the borrower: the collateral, or the loan to be replaced and the coins that pay for that.
            let is_collateral = contract.pledged.coins().iter().any(|coin| coin.coin.outpoint == gone);
            let by = if is_collateral { CancelledBy::CollateralMoved } else { CancelledBy::Market };
            self.market.cancel_loan(loan.id, by).await?;
            return Ok(LoanServiceError::CollateralSpent(gone));
        }
        let until = self.signing_deadline(LENDER_SIGNING_MS, loan.sign_by());
        if until < self.market.now().plus_ms(BORROWER_SIGNING_MS) {
            // The claim time is fixed in the script: another signing round would cut the term.
            self.market.cancel_loan(loan.id, CancelledBy::Time).await?;
            return Ok(Refusal::from(LoanRejection::TooLate(until)).into());
        }
        let spends: Vec<_> = contract.pledged.coins().iter().map(|coin| Spend::Coin(&coin.coin)).collect();
        let fee = contract.platform_fee.as_ref().map_or(bitcoin::Amount::ZERO, |output| output.value);
        let amount = contract.principal.checked_add(fee).ok_or(LoanServiceError::OutOfRange)?;
        let is_exact = matches!(contract.pledged, Pledged::Note { .. });
        let coins =
            self.lender_coins(&contract.lender, amount, is_exact, contract.fee_rate, &spends, Some(loan.id)).await?;
        let rebuilt = Contract { source: Source::Coins(coins), ..contract.clone() };
        let beginning = rebuilt.build()?;
        self.check_inputs(&rebuilt, &beginning).await?;
        let reserved = rebuilt.reserved_outputs().into_iter().map(outpoint::to_domain).collect();
        self.market.rebuild_loan(loan.id, rebuilt.to_record(), reserved, until).await?;
        Ok(LoanServiceError::Rebuilt)
    }
}
