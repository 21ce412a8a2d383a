//! The return that a rule for quoting would have had on a recorded market.
//!
//! ```text
//! book events -> domain's book -> acceptances that the rule's offer outranks -> budget, in the order of time -> report
//! ```
//!
//! The rule keeps one offer in each sub-collection that it chooses, as long as its budget lasts: at a fixed principal, or at
//! a share of the floor, which it follows. Each recorded acceptance of an offer that anyone could take goes to the rule's
//! offer if that one ranks before the offer that was taken, by the book's own ranking. Its loan then ends as the recorded
//! one did.
//!
//! **The market does not react.** Other lenders quote, and borrowers accept, repay and default, as recorded, also where the
//! rule's better offers would have changed that. An offer that lost its borrower to the rule takes no other one. Offers
//! with conditions, negotiated ones and those that fill a borrow request are left out: they were for their borrowers alone.
//! Interest is not lent again. A default keeps its part of the budget until the end, and counts with the collateral's floor
//! at the time of the claim.

mod acceptance;
mod book_reader;
mod budget;
mod deal_terms;
mod figures;
mod filled_loan;
mod history;
mod report;
mod rule;
mod run;
mod tape;

pub use acceptance::Acceptance;
pub use deal_terms::DealTerms;
pub use figures::{Defaults, Figures, Running};
pub use filled_loan::{FilledLoan, FilledLoanEnd};
pub use history::History;
pub use report::{CollectionReport, Report};
pub use rule::{Principal, Rule};
pub use run::{BacktestError, run, run_on_acceptances};
pub use tape::{Tape, TapeBounds};
