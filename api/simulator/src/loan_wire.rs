//! The API's views of loans, as far as the simulation reads them.

use std::fmt;

use domain::GroupId;
use serde::Deserialize;

use crate::wire::{parsed, parsed_if_any};

/// The stage of a loan, as far as it matters to the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// The borrower has yet to sign.
    Prepared,
    /// The lender has yet to sign.
    AwaitingLender,
    /// The origination is unconfirmed.
    Broadcast,
    /// The term is running.
    Active,
    /// The term is over.
    Expired,
    /// The repayment is unconfirmed.
    Repaying,
    /// Repaid.
    Repaid,
    /// The lender has claimed the collateral.
    Claimed,
    /// Any other: cancelled, or in transition to that.
    #[serde(other)]
    Other,
}

/// The action that a loan waits for the account to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitsFor {
    CounterSignature,
    Claim,
    #[serde(other)]
    Other,
}

/// A loan of the account.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MyLoan {
    pub(crate) loan_id: String,
    pub(crate) stage: Stage,
    /// The offer that was taken.
    pub(crate) offer_id: String,
    /// The action that the loan waits for.
    pub(crate) waits_for: Option<WaitsFor>,
    #[serde(deserialize_with = "parsed")]
    pub(crate) group_id: GroupId,
    /// The pledged inscriptions; none with tokens.
    #[serde(default)]
    pub(crate) inscription_ids: Vec<String>,
    /// The pledged amount in raw units.
    #[serde(default, deserialize_with = "parsed_if_any")]
    pub(crate) fungible_amount: Option<u128>,
    /// The repayment, in sats.
    pub(crate) payout_sats: u64,
    /// The time of preparation, in Unix milliseconds.
    pub(crate) prepared_at: u64,
    /// The time of the borrower's acceptance, in Unix milliseconds.
    pub(crate) accepted_date: Option<u64>,
    /// The start of the term, in Unix milliseconds.
    pub(crate) started_at: Option<u64>,
    /// The due date, in Unix milliseconds.
    pub(crate) due_at: Option<u64>,
    /// The time from which on the lender may claim, in Unix milliseconds.
    pub(crate) claim_after: u64,
    /// The loan that this one replaces.
    pub(crate) follows: Option<String>,
    /// The loan that replaces this one.
    pub(crate) followed_by: Option<String>,
}

/// Shows the loan's id and stage.
impl fmt::Debug for MyLoan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?})", self.loan_id, self.stage)
    }
}

/// A page of the account's loans.
#[derive(Debug, Deserialize)]
pub(crate) struct LoansPage {
    pub(crate) data: Vec<MyLoan>,
}

/// A prepared loan for its borrower to sign.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreparedLoan {
    /// The PSBT in base64.
    pub(crate) transaction_base64: String,
    /// The id of the loan request until it is accepted.
    pub(crate) offer_accept_request_id: String,
    /// The id of the loan that it becomes.
    pub(crate) loan_id: String,
}

/// A transaction to sign.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToSign {
    /// The PSBT in base64.
    pub(crate) transaction_base64: String,
}

/// The coin that an offer of the account against BRC-20 spends.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FundingCoin {
    /// The value of the coin in sats; `None` if any coins will do.
    pub(crate) funding_sats: Option<u64>,
    /// Whether the coin is confirmed.
    pub(crate) is_there: bool,
}

/// The transactions that a lender signs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreparedCountersignature {
    /// The PSBT of the origination in base64.
    pub(crate) transaction_base64: String,
    /// The repayments.
    pub(crate) payouts: Vec<ToSign>,
}

/// The response of `/api/v1/chain`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainResponse {
    /// The height of the best block.
    pub(crate) height: u32,
    /// The median time past, in Unix milliseconds.
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
    #[serde(rename = "offerId")]
    pub(crate) offer_id: String,
    /// The remaining principal, in sats.
    pub(crate) available_sats: u64,
    /// The numbers of tokens that it can be taken for.
    pub(crate) valid_range: TokenRange,
}

/// A range of whole tokens, both ends included.
#[derive(Debug, Deserialize)]
pub(crate) struct TokenRange {
    /// The least, as a decimal string.
    pub(crate) min: String,
    /// The most, as a decimal string.
    pub(crate) max: String,
}
