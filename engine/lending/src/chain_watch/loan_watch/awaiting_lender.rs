//! The watch over loans that await their lender: spent coins are noticed before the lender looks.

use bitcoin::OutPoint;
use domain::LoanAccount;
use engine::chain::Chain as _;

use super::observation::TxStatus;
use crate::lookups::ports::Ports;
use crate::records::contract::Contract;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

impl<P: Ports> LoanService<P> {
    /// Checks all outputs that a loan spends, and repairs the loan as the lender's request would. If the borrower has
    /// moved the collateral, the loan is cancelled before it could lapse, which would count against the lender.
    pub(super) async fn watch_awaiting_lender(&self, loan: &LoanAccount) -> Result<(), LoanServiceError> {
        let contract = Contract::from_record(&loan.contract)?;
        for outpoint in contract.reserved_outputs() {
            if self.ports.chain().confirmed_unspent(outpoint).await?.is_some() {
                // Only the borrower can have spent the collateral: the lender need not wait for the block.
                let is_collateral = contract.pledged.coins().iter().any(|coin| coin.coin.outpoint == outpoint);
                if !is_collateral || self.ports.chain().unspent(outpoint).await?.is_some() {
                    continue;
                }
                return self.repair_awaiting(loan, &contract, outpoint).await;
            }
            // If the output's own transaction is not confirmed, nothing is known: the node is behind, or after a reorg.
            if !matches!(self.tx_status(outpoint.txid).await?, TxStatus::Confirmed(_)) {
                continue;
            }
            return self.repair_awaiting(loan, &contract, outpoint).await;
        }
        Ok(())
    }

    async fn repair_awaiting(
        &self,
        loan: &LoanAccount,
        contract: &Contract,
        gone: OutPoint,
    ) -> Result<(), LoanServiceError> {
        match self.repair_loan(loan, contract, gone).await {
            Ok(outcome) => {
                tracing::info!(loan = %loan.id, %gone, %outcome, "an output was spent before the lender signed");
                Ok(())
            }
            // As long as the lender lacks coins the loan stays unchanged, and lapses at its deadline.
            Err(LoanServiceError::LenderFundsInsufficient(_) | LoanServiceError::NoExactLenderCoin { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
