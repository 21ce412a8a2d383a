//! The kit of each side of a loan: the file with which the loan can be ended without this server.

use domain::{LoanId, Role, UserId};
use escrow::kit::Kit;

use crate::lookups::ports::Ports;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

/// A kit and its side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanKit {
    /// The side it is for.
    pub role: Role,
    /// The file's text.
    pub text: String,
}

impl<P: Ports> LoanService<P> {
    /// Returns the kit of a party of a running loan.
    ///
    /// # Errors
    /// [`LoanServiceError::UnknownLoan`] for other users, [`LoanServiceError::WrongStage`] before all have signed and
    /// after the end, [`LoanServiceError::Replaced`] when another loan has its collateral.
    pub async fn kit(&self, user: UserId, id: LoanId) -> Result<LoanKit, LoanServiceError> {
        let loan = self.market.loan(id).await.ok_or(LoanServiceError::UnknownLoan(id))?;
        let role = match user {
            user if user == loan.deal.borrower => Role::Borrower,
            user if user == loan.deal.lender => Role::Lender,
            _ => return Err(LoanServiceError::UnknownLoan(id)),
        };
        if let Some(follower) = loan.successor() {
            return Err(LoanServiceError::Replaced(follower));
        }
        if !loan.stage.is_running() {
            return Err(LoanServiceError::WrongStage { stage: loan.stage });
        }
        let (running, due_at) = (Running::of(&loan)?, loan.due_at());
        let kit = match role {
            Role::Borrower => Kit::Borrower(Box::new(running.borrower_kit(due_at)?)),
            Role::Lender => Kit::Lender(Box::new(running.lender_kit(due_at)?)),
        };
        Ok(LoanKit { role, text: kit.write() })
    }
}
