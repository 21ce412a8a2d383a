//! Pauses of all offers of a lender.

use domain::{Command, GroupId, UserId};

use super::Market;
use crate::{Refusal, book_actor::ReadRequest};

/// The number of times that the offers of a book are read, and paused together if they have not changed since.
const ATTEMPTS: usize = 5;

impl Market {
    /// Pauses all offers of a lender, or those in one group, book by book; returns the number of those that the lender
    /// had not paused before.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`]: the offers of some books may be paused then.
    pub async fn pause_all(&self, lender: UserId, only: Option<GroupId>) -> Result<usize, Refusal> {
        let groups = self.shared.ledger.lock().state().quoting(lender);
        let mut paused = 0;
        for group in groups.into_iter().filter(|group| only.is_none_or(|only| only == *group)) {
            paused += self.pause_all_in(group, lender).await?;
        }
        Ok(paused)
    }

    async fn pause_all_in(&self, group: GroupId, lender: UserId) -> Result<usize, Refusal> {
        for _ in 0..ATTEMPTS {
            let offers = self.read_book(group, |reply| ReadRequest::MyOffers(lender, reply)).await?;
            let open = offers.iter().filter(|offer| !offer.is_paused_by_lender);
            let pauses: Vec<Command> = open.map(|offer| Command::Pause { lender, offer: offer.offer_id.0 }).collect();
            if pauses.is_empty() {
                return Ok(0);
            }
            let count = pauses.len();
            match self.commands(group, pauses, None).await {
                // An offer was cancelled, used up or paused since it was read.
                Err(Refusal::Book(_)) => {}
                applied => return applied.map(|_| count),
            }
        }
        Err(Refusal::Overloaded { retry_after_s: 1 })
    }
}
