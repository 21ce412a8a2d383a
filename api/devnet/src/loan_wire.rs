//! What the API says about loans, as far as simulated people listen.

use std::fmt;

use domain::GroupId;
use serde::Deserialize;

use crate::wire::{parsed, parsed_if_any};

/// Where a loan stands, as far as it matters to simulated people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// The borrower is to sign.
    Prepared,
    /// The lender is to sign.
    AwaitingLender,
    /// It waits for its block.
    Broadcast,
    /// The term runs.
    Active,
    /// The term is over.
    Expired,
    /// The repayment waits for its block.
    Repaying,
    /// Repaid.
    Repaid,
    /// The lender has the collateral.
    Claimed,
    /// Called off in one way or another, or on the way there.
    #[serde(other)]
    Other,
}

/// What a loan waits for the reader to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitsFor {
    /// The lender's signature.
    CounterSignature,
    /// The lender may take the collateral.
    Claim,
    /// Something else.
    #[serde(other)]
    Other,
}

/// A loan of one's own.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MyLoan {
    /// Its id.
    pub(crate) loan_id: String,
    /// Where it stands.
    pub(crate) stage: Stage,
    /// Which offer was taken.
    pub(crate) offer_id: String,
    /// What it waits for the reader to do.
    pub(crate) waits_for: Option<WaitsFor>,
    /// In which group.
    #[serde(deserialize_with = "parsed")]
    pub(crate) group_id: GroupId,
    /// The inscription that is pledged.
    pub(crate) inscription_id: Option<String>,
    /// What is pledged in raw units.
    #[serde(default, deserialize_with = "parsed_if_any")]
    pub(crate) fungible_amount: Option<u128>,
    /// What is paid back, in sats.
    pub(crate) payout_sats: u64,
    /// When it was prepared, in unix milliseconds.
    pub(crate) prepared_at: u64,
    /// When the borrower accepted.
    pub(crate) accepted_date: Option<u64>,
    /// When the term began.
    pub(crate) started_at: Option<u64>,
    /// When it is to be repaid.
    pub(crate) due_at: Option<u64>,
    /// From when on the lender may claim.
    pub(crate) claim_after: u64,
    /// The loan that this one replaces.
    pub(crate) follows: Option<String>,
    /// The loan that replaces this one.
    pub(crate) followed_by: Option<String>,
}

/// Shows which loan it is, and where it stands.
impl fmt::Debug for MyLoan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?})", self.loan_id, self.stage)
    }
}

/// A page of own loans.
#[derive(Debug, Deserialize)]
pub(crate) struct LoansPage {
    /// The loans.
    pub(crate) data: Vec<MyLoan>,
}

/// A loan to sign for its borrower.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreparedLoan {
    /// The transaction.
    pub(crate) transaction_base64: String,
    /// Names the loan until it is accepted.
    pub(crate) offer_accept_request_id: String,
    /// The loan that it becomes.
    pub(crate) loan_id: String,
}

/// A transaction to sign.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToSign {
    /// The transaction.
    pub(crate) transaction_base64: String,
}

/// The coin that an own offer against BRC-20 takes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FundingCoin {
    /// What it holds, in sats; `None` where any coins do.
    pub(crate) funding_sats: Option<u64>,
    /// Whether a block has it.
    pub(crate) is_there: bool,
}

/// What a lender signs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreparedCountersignature {
    /// The transaction that begins the loan.
    pub(crate) transaction_base64: String,
    /// Its repayments.
    pub(crate) payouts: Vec<ToSign>,
}

/// `/api/v1/chain`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainAnswer {
    /// The height of the best block.
    pub(crate) height: u32,
    /// Median time past, in unix milliseconds.
    pub(crate) median_time: u64,
}

/// The instant offers of one term of a rune.
#[derive(Debug, Deserialize)]
pub(crate) struct RuneQuotes {
    /// The offers, best first.
    pub(crate) offers: Vec<RuneQuote>,
}

/// An instant offer against runes.
#[derive(Debug, Deserialize)]
pub(crate) struct RuneQuote {
    /// Which.
    #[serde(rename = "offerId")]
    pub(crate) offer_id: String,
    /// What is left of it, in sats.
    pub(crate) available_sats: u64,
    /// For how many tokens.
    pub(crate) valid_range: TokenRange,
}

/// Amounts of whole tokens, both ends included.
#[derive(Debug, Deserialize)]
pub(crate) struct TokenRange {
    /// The least, as a decimal string.
    pub(crate) min: String,
    /// The most, as a decimal string.
    pub(crate) max: String,
}
