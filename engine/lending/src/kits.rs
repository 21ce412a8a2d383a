//! The file that each side of a loan keeps: with it a loan ends without this server.

use domain::{LoanId, Role, UserId};
use escrow::kit::Kit;

use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::ports::Ports;
use crate::running_record::Running;

/// A kit, and whose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanKit {
    /// Which side it is for.
    pub role: Role,
    /// The file.
    pub text: String,
}

impl<P: Ports> Desk<P> {
    /// The kit of a party of a loan that runs.
    ///
    /// # Errors
    /// [`DeskError::UnknownLoan`] for everybody else, [`DeskError::WrongStage`] before everybody has signed and after the
    /// end, [`DeskError::GoesOn`] when another loan has its collateral.
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
