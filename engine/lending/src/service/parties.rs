//! The parties of a loan: the keys of a user, and the loans of one.

use domain::{LoanAccount, LoanId, Role, UserId};

use crate::lookups::ports::Ports;
use crate::records::party::Party;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

impl<P: Ports> LoanService<P> {
    /// Returns a user's keys for one side of a loan.
    pub(crate) async fn party(&self, user: UserId, role: Role) -> Result<Party, LoanServiceError> {
        let account = self.market.account(user).await;
        let party = account.and_then(|account| Party::of(&account.addresses, self.rules.network));
        party.ok_or(LoanServiceError::UnsupportedAddresses(role))
    }

    /// Returns a loan of this borrower.
    pub(crate) async fn loan_of_borrower(&self, borrower: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        loan.ok_or(LoanServiceError::UnknownLoan(id))
    }

    /// Returns a loan of this lender.
    pub(crate) async fn loan_of_lender(&self, lender: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.lender == lender);
        loan.ok_or(LoanServiceError::UnknownLoan(id))
    }
}
