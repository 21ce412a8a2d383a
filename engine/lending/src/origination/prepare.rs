//! The preparation of a manual loan: its outputs are looked up, and its transactions are stored and returned for
//! signing.

use domain::ProcessType;
use escrow::contract::transaction::spend::Spend;

use crate::lookups::ports::Ports;
use crate::origination::loan_request::LoanRequest;
use crate::records::contract::{Pledged, Source};
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::{BORROWER_SIGNING_MS, LENDER_SIGNING_MS};
use crate::service::unsigned_transactions::UnsignedLoan;

impl<P: Ports> LoanService<P> {
    /// Prepares a manual loan. Idempotent for the same borrower and request while it can be signed.
    ///
    /// # Errors
    /// [`domain::HaltRejection::NewLoans`], and those of the checks of offer, collateral and coins.
    pub async fn prepare(&self, request: &LoanRequest) -> Result<UnsignedLoan, LoanServiceError> {
        self.market.check_new_loan().await?;
        if let Some(unsigned) = self.existing_prepared(request).await? {
            return Ok(unsigned);
        }
        let draft =
            self.validate_loan_request(request, ProcessType::Manual, BORROWER_SIGNING_MS + LENDER_SIGNING_MS).await?;
        let spends: Vec<_> = draft.pledged.coins().iter().map(|coin| Spend::Coin(&coin.coin)).collect();
        let is_exact = matches!(draft.pledged, Pledged::Note { .. });
        let coins =
            self.lender_coins(&draft.lender, draft.lender_pays()?, is_exact, request.fee_rate, &spends, None).await?;
        let contract = self.contract(&draft, self.loan_ids.next(), Source::Coins(coins), request.fee_rate)?;
        let contract = self.with_borrower_coins(contract).await?;
        self.store_prepared(draft, &contract).await
    }
}
