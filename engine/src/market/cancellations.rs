//! Cancellations of many offers of a lender.

use domain::{Command, GroupId, OfferId, UserId};

use super::Market;
use crate::{
    Refusal,
    book_actor::ReadRequest,
    wire::{LoanProcessType, MyOffer},
};

/// The number of times that the offers of a book are read, and cancelled together if they have not changed since.
const ATTEMPTS: usize = 5;

/// The maximum number of offers of a lost connection in one command.
const OFFERS_PER_COMMAND_MAX: usize = 1_000;

impl Market {
    /// Cancels all manual offers of a lender, or those in one group, book by book; returns their number. Offers that a
    /// borrower is signing for stay.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`]: the offers of some books may be cancelled then.
    pub async fn cancel_all_manual(&self, lender: UserId, only: Option<GroupId>) -> Result<usize, Refusal> {
        let groups = self.shared.ledger.lock().state().quoting(lender);
        let mut cancelled = 0;
        for group in groups.into_iter().filter(|group| only.is_none_or(|only| only == *group)) {
            cancelled += self.cancel_all_manual_in(group, lender).await?;
        }
        Ok(cancelled)
    }

    async fn cancel_all_manual_in(&self, group: GroupId, lender: UserId) -> Result<usize, Refusal> {
        for _ in 0..ATTEMPTS {
            let offers = self.read_book(group, |reply| ReadRequest::MyOffers(lender, reply)).await?;
            let open = offers.iter().filter(|offer| is_cancellable(offer));
            let cancels: Vec<Command> = open.map(|offer| Command::Cancel { lender, offer: offer.offer_id.0 }).collect();
            if cancels.is_empty() {
                return Ok(0);
            }
            let count = cancels.len();
            match self.commands(group, cancels, None).await {
                // An offer was cancelled, used up or reserved since it was read.
                Err(Refusal::Book(_)) => {}
                applied => return applied.map(|_| count),
            }
        }
        Err(Refusal::Overloaded { retry_after_s: 1 })
    }

    /// Cancels the offers of a lost connection, of those that depend on it. One that a borrower is signing for is paused.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Following`], [`Refusal::Closed`]: some may be cancelled then, and the process
    /// that decides next cancels the others.
    pub async fn end_connection(&self, offers: &[OfferId]) -> Result<(), Refusal> {
        let mut offers = offers.to_vec();
        offers.sort_unstable();
        for of_group in offers.chunk_by(|left, right| left.group() == right.group()) {
            for offers in of_group.chunks(OFFERS_PER_COMMAND_MAX) {
                let Some(first) = offers.first() else { continue };
                let command = Command::EndConnection { offers: offers.to_vec() };
                self.command(first.group(), command, None).await?;
            }
        }
        Ok(())
    }
}

/// Whether a manual offer is not reserved.
fn is_cancellable(offer: &MyOffer) -> bool {
    offer.loan_process_type == LoanProcessType::Manual
        && offer.principal == offer.used_principal.saturating_add(offer.available_principal)
}
