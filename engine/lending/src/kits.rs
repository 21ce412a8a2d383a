//! The kit of each side of a loan: the file with which the loan can be ended without this server.

use domain::{LoanId, Role, UserId};
use escrow::kit::Kit;

use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::ports::Ports;
use crate::running_record::Running;

/// A kit and its side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanKit {
    /// The side it is for.
    pub role: Role,
    /// The file's text.
    pub text: String,
}

impl<P: Ports> Desk<P> {
    /// Returns the kit of a party of a running loan.
    ///
    /// # Errors
    /// [`DeskError::UnknownLoan`] for other users, [`DeskError::WrongStage`] before all have signed and after the end,
    /// [`DeskError::GoesOn`] when another loan has its collateral.
    pub async fn kit(&self, user: UserId, id: LoanId) -> Result<LoanKit, DeskError> {
        let loan = self.market.loan(id).await.ok_or(DeskError::UnknownLoan(id))?;
        let role = match user {
            user if user == loan.deal.borrower => Role::Borrower,
            user if user == loan.deal.lender => Role::Lender,
            _ => return Err(DeskError::UnknownLoan(id)),
        };
        if let Some(follower) = loan.follower() {
            return Err(DeskError::GoesOn(follower));
        }
        if !loan.stage.is_running() {
            return Err(DeskError::WrongStage { stage: loan.stage });
        }
        let (running, due_at) = (Running::of(&loan)?, loan.due_at());
        let kit = match role {
            Role::Borrower => Kit::Borrower(Box::new(running.borrower_kit(due_at)?)),
            Role::Lender => Kit::Lender(Box::new(running.lender_kit(due_at)?)),
        };
        Ok(LoanKit { role, text: kit.write() })
    }
}
