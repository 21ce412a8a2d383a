//! The return that an offer would have had.

use std::collections::BTreeMap;

use backtest::{DealTerms, Report, Rule, run_on_acceptances};
use domain::{GroupId, LoanId};

use super::Market;
use crate::{Refusal, book_actor::ReadRequest};

/// The number of loans that are looked up under one lock of the ledger.
const LOANS_PER_LOCK: usize = 500;

impl Market {
    /// Tests a rule for quoting on the acceptances of the last 90 days in the book of a group. It sees what is durable.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn backtest(&self, group: GroupId, rule: &Rule) -> Result<Report, Refusal> {
        let tape = self.read_book(group, ReadRequest::Tape).await?;
        let listed = self.group(group).ok_or(Refusal::UnknownGroup)?;
        let now = self.shared.clock.now();
        let loans: Vec<LoanId> = tape.acceptances().iter().flat_map(backtest::Acceptance::loans).collect();
        let mut deals = BTreeMap::new();
        for some in loans.chunks(LOANS_PER_LOCK) {
            let ledger = self.shared.ledger.lock();
            let known = some.iter().filter_map(|id| Some((*id, DealTerms::from(&ledger.state().loan(*id)?.deal))));
            deals.extend(known);
        }
        let began = tape.began().unwrap_or(now);
        Ok(run_on_acceptances(rule, &listed, tape.acceptances(), &deals, began, now))
    }
}
