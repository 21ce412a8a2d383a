//! The information about a loan that each side has before the signature, and ever after.

use bitcoin::FeeRate;
use domain::{LenderReturn, LoanCost, LoanDeal, LoanId, Role, Sats, UnixMs, UserId};

use crate::lookups::ports::Ports;
use crate::records::contract::{Contract, Source};
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

/// The terms of a loan and their cost. They follow from what was journaled when it was prepared, so that they are the same
/// before the signature and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanInformation {
    /// The side it is for.
    pub role: Role,
    /// The agreement.
    pub deal: LoanDeal,
    /// The due time of an extension, whatever block it begins in.
    pub extended_until: Option<UnixMs>,
    /// The interest of the running term, which an extension pays to the lender at its beginning.
    pub interest_now: Option<Sats>,
    /// The cost to the borrower.
    pub cost: LoanCost,
    /// The return to the lender.
    pub lender_return: LenderReturn,
    /// The fee rate of the transactions that originate it.
    pub fee_rate: FeeRate,
}

impl<P: Ports> LoanService<P> {
    /// Returns the information about a loan for one of its two sides.
    ///
    /// # Errors
    /// [`LoanServiceError::UnknownLoan`] for other users, and for the lender before the borrower has signed;
    /// [`LoanServiceError::WrongStage`] for a loan that was cancelled or has lapsed before both had signed.
    pub async fn information(&self, user: UserId, id: LoanId) -> Result<LoanInformation, LoanServiceError> {
        let loan = self.market.loan(id).await.ok_or(LoanServiceError::UnknownLoan(id))?;
        let role = loan.role_of(user).ok_or(LoanServiceError::UnknownLoan(id))?;
        if loan.contract.is_empty() {
            return Err(LoanServiceError::WrongStage { stage: loan.stage });
        }
        let contract = Contract::from_record(&loan.contract)?;
        let cost = contract.cost(&loan.deal, &contract.build()?).ok_or(LoanServiceError::OutOfRange)?;
        let lender_return = LenderReturn::of(&loan.deal).ok_or(LoanServiceError::OutOfRange)?;
        let interest_now = match contract.source {
            Source::Rollover { interest } => Some(Sats::new(interest.to_sat())),
            Source::Coins(_) | Source::Vault(_) => None,
        };
        let (extended_until, fee_rate) = (loan.extended_until, contract.fee_rate);
        Ok(LoanInformation { role, deal: loan.deal, extended_until, interest_now, cost, lender_return, fee_rate })
    }
}
