// Generated from api/openapi.json by the test `generated`; do not edit.

use serde::{Deserialize, Serialize};

/// The transactions that the borrower's wallet signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptLoan {
    /// `offerAcceptRequestId` of the prepared loan.
    #[serde(rename = "acceptRequest")]
    pub accept_request: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    pub base64: String,
    /// The second signed transaction, if there is one.
    #[serde(rename = "revealBase64", default, skip_serializing_if = "Option::is_none")]
    pub reveal_base64: Option<String>,
    /// The wallet's name.
    #[serde(rename = "walletName")]
    pub wallet_name: String,
}

/// The proposal to accept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptProposal {
    /// Its number, from 1: the number of proposals that the caller has seen.
    pub round: u64,
}

/// A lender's agreement to a changed term of one offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptTerm {
    /// The id of the offer.
    pub instant_offer_id: String,
    /// The complete signed text, which authorizes the vault signer to lend at the new term.
    pub message: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
    /// `newTermId` of the change.
    pub term_id: String,
}

/// A loan that waits for its lender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptedLoan {
    /// The id that the loan's transaction will have.
    pub loan_transaction_id: String,
}

/// `AddressView`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddressView {
    /// `address`.
    pub address: String,
    /// `pubKey`.
    #[serde(rename = "pubKey")]
    pub pub_key: String,
}

/// `AddressesView`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddressesView {
    /// `ordinals`.
    pub ordinals: AddressView,
    /// `payment`.
    pub payment: AddressView,
}

/// The state of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ApiKeyState {
    /// `open`.
    #[serde(rename = "open")]
    Open,
    /// `expired`.
    #[serde(rename = "expired")]
    Expired,
    /// `revoked`.
    #[serde(rename = "revoked")]
    Revoked,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiKeyView {
    /// The networks that it may be used from, in CIDR notation; `null` for any.
    pub addresses: Option<Vec<String>>,
    /// The slugs of the collections that it may quote in; `null` for all.
    pub collections: Option<Vec<String>>,
    /// The time of its creation, in unix milliseconds.
    #[serde(rename = "createdAt")]
    pub created_at: u64,
    /// The largest sum of principals quoted in a UTC day.
    #[serde(rename = "dailyMaxSats")]
    pub daily_max_sats: u64,
    /// The id of the key.
    #[serde(rename = "keyId")]
    pub key_id: String,
    /// The time of its last use, in unix milliseconds; `null` if this server has seen none since its start.
    #[serde(rename = "lastUsedAt")]
    pub last_used_at: Option<u64>,
    /// The user's name for it.
    pub name: String,
    /// The largest sum of the principals of all open offers and running loans of the user at once.
    #[serde(rename = "outstandingMaxSats")]
    pub outstanding_max_sats: u64,
    /// The largest principal of one offer.
    #[serde(rename = "principalMaxSats")]
    pub principal_max_sats: u64,
    /// The sum of principals quoted in this UTC day.
    #[serde(rename = "quotedTodaySats")]
    pub quoted_today_sats: u64,
    /// The time of its revocation, in unix milliseconds; `null` if it was not revoked.
    #[serde(rename = "revokedAt")]
    pub revoked_at: Option<u64>,
    /// The permitted groups of requests: `read`, `quote`, `cancel`, `lend`, `borrow`, `vault`.
    pub scopes: Vec<String>,
    /// Whether it can be used.
    pub state: ApiKeyState,
    /// The time from which it is refused, in unix milliseconds.
    #[serde(rename = "validUntil")]
    pub valid_until: u64,
}

/// Conditions of an offer for borrowers; all of them have to be satisfied.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AskedConditions {
    /// The payment address of the only borrower who can take it, who has signed in before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub borrower_address: Option<String>,
    /// The number of days for which no lender must have taken the borrower's collateral.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_free_days: Option<u32>,
    /// The only inscriptions that can be pledged, all of the collection, beside those in `numbers`; any can if both are
    /// empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inscriptions: Vec<String>,
    /// Ranges of the numbers, as ord counts inscriptions, of those that can be pledged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<NumberRangeView>,
    /// The least number of loans that the borrower has repaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repaid_min: Option<u32>,
    /// Whether it is left out of the public book and can be taken by its link alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlisted: Option<bool>,
}

/// The reason why an attempt got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AttemptFailure {
    /// `address_refused`.
    #[serde(rename = "address_refused")]
    AddressRefused,
    /// `unreachable`.
    #[serde(rename = "unreachable")]
    Unreachable,
    /// `timed_out`.
    #[serde(rename = "timed_out")]
    TimedOut,
    /// `no_answer`.
    #[serde(rename = "no_answer")]
    NoAnswer,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// An attribute of an inscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributeView {
    /// The name of the attribute.
    #[serde(rename = "traitType")]
    pub trait_type: String,
    /// The value of the attribute.
    pub value: String,
}

/// A loan that the offer would have made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BacktestLoan {
    /// The time at which it began.
    #[serde(rename = "beganAt")]
    pub began_at: u64,
    /// Its state then.
    pub end: BacktestLoanEnd,
    /// Its principal, in sats.
    #[serde(rename = "principalSats")]
    pub principal_sats: u64,
    /// Its result, in sats.
    #[serde(rename = "resultSats")]
    pub result_sats: i64,
    /// The time at which it ended; for one that runs, now.
    pub until: u64,
}

/// The state of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BacktestLoanEnd {
    /// `repaid`.
    #[serde(rename = "repaid")]
    Repaid,
    /// `claimed`.
    #[serde(rename = "claimed")]
    Claimed,
    /// `running`.
    #[serde(rename = "running")]
    Running,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The return that an offer would have had, if it had stood all the time and been placed again after each loan. The market
/// is assumed not to react.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BacktestView {
    /// The number of acceptances that the rest of the budget did not cover.
    #[serde(rename = "beyondBudget")]
    pub beyond_budget: u64,
    /// The value of their collateral at the floor when it was claimed, in sats.
    #[serde(rename = "defaultCollateralSats")]
    pub default_collateral_sats: u64,
    /// The number of loans that were not repaid.
    #[serde(rename = "defaultCount")]
    pub default_count: u64,
    /// Their principal, in sats.
    #[serde(rename = "defaultPrincipalSats")]
    pub default_principal_sats: u64,
    /// The platform's fees, in sats.
    #[serde(rename = "feesSats")]
    pub fees_sats: u64,
    /// The first time at which the offer stood.
    pub from: u64,
    /// The interest that borrowers paid, in sats.
    #[serde(rename = "interestSats")]
    pub interest_sats: u64,
    /// The principal lent, in sats; a part of the budget that was lent twice counts twice.
    #[serde(rename = "lentSats")]
    pub lent_sats: u64,
    /// The number of loans.
    #[serde(rename = "loanCount")]
    pub loan_count: u64,
    /// The latest loans in the order in which they ended, those that run last; at most 500.
    pub loans: Vec<BacktestLoan>,
    /// The interest less fees, and the gain or loss of defaults, in sats.
    #[serde(rename = "resultSats")]
    pub result_sats: i64,
    /// The number of loans that still run; their interest is not counted.
    #[serde(rename = "runningCount")]
    pub running_count: u64,
    /// Their principal, in sats.
    #[serde(rename = "runningPrincipalSats")]
    pub running_principal_sats: u64,
    /// The end of the time.
    pub until: u64,
    /// The result per year on the whole budget, in percent; `null` without any time.
    #[serde(rename = "yieldOnBudget")]
    pub yield_on_budget: Option<f64>,
    /// The result per year of the loans that have ended, on their principal for the time for which it was lent, in
    /// percent; `null` without any.
    #[serde(rename = "yieldOnLent")]
    pub yield_on_lent: Option<f64>,
}

/// Offers to cancel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchCancel {
    /// The id of the vault signer, which is `Vault` in the message.
    #[serde(rename = "canisterId")]
    pub canister_id: String,
    /// The complete signed text.
    pub message: String,
    /// `Nonce` of the message.
    pub nonce: String,
    /// Offers against inscriptions.
    #[serde(rename = "ordinalOfferIds")]
    pub ordinal_offer_ids: Vec<String>,
    /// The public key of the payment address.
    #[serde(rename = "publicKey")]
    pub public_key: String,
    /// Offers against runes.
    #[serde(rename = "runeOfferIds")]
    pub rune_offer_ids: Vec<String>,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    #[serde(rename = "signatureTimestamp")]
    pub signature_timestamp: u64,
    /// The payment address of the session.
    #[serde(rename = "userAddress")]
    pub user_address: String,
}

/// An edit of an instant offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchEdit {
    /// The id of the vault signer.
    #[serde(rename = "canisterId")]
    pub canister_id: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The edit, for inscriptions.
    #[serde(rename = "editOrdinalOffer", default, skip_serializing_if = "Option::is_none")]
    pub edit_ordinal_offer: Option<EditOrdinal>,
    /// The edit, for runes.
    #[serde(rename = "editRuneOffer", default, skip_serializing_if = "Option::is_none")]
    pub edit_rune_offer: Option<EditRune>,
    /// The complete signed text.
    pub message: String,
    /// `Nonce` of the message.
    pub nonce: String,
    /// Selects which of the two edits is given.
    #[serde(rename = "offerType")]
    pub offer_type: OfferType,
    /// The public key of the payment address.
    #[serde(rename = "publicKey")]
    pub public_key: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    #[serde(rename = "signatureTimestamp")]
    pub signature_timestamp: u64,
    /// The payment address of the session.
    #[serde(rename = "userAddress")]
    pub user_address: String,
    /// The caller's own vault.
    #[serde(rename = "vaultAddress")]
    pub vault_address: String,
}

/// An offer as its borrower would take it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestQuoteView {
    /// The interest for the whole term, in percent.
    pub interest: f64,
    /// The same interest in sats.
    #[serde(rename = "interestSats")]
    pub interest_sats: u64,
    /// The LTV at the floor price, in percent; `null` while the price is unknown.
    pub ltv: Option<f64>,
    /// Its id.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// The principal that the borrower receives, in sats, before the network's fee.
    #[serde(rename = "principalSats")]
    pub principal_sats: u64,
    /// Its process type.
    pub process: ProcessName,
    /// The sum that ends the loan, in sats.
    #[serde(rename = "repaymentSats")]
    pub repayment_sats: u64,
    /// The days until the loan is due.
    #[serde(rename = "termDays")]
    pub term_days: u32,
}

/// A row with its unit price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookCollection {
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// Sats per token with eight decimals; `null` for inscriptions.
    pub fungible_floor_price_sats: Option<String>,
}

/// A running loan in the order book.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookLoan {
    /// The time at which the offer was accepted.
    pub accepted_date: u64,
    /// The borrower.
    pub borrower_id: String,
    /// The collateral: an amount in raw units, or the number of several inscriptions; `null` for one inscription.
    pub fungible_amount: Option<String>,
    /// Its id.
    pub id: String,
    /// The lender.
    pub lender_id: String,
    /// The principal.
    pub principal_amount_sats: u64,
    /// The sub-collection of its offer.
    #[serde(rename = "subCollectionId")]
    pub sub_collection_id: String,
}

/// An offer in the order book. Paused offers are not public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookOffer {
    /// The principal that is already lent.
    pub auto_principal_amount_used_sats: u64,
    /// The collateral for what can be taken now, in raw units; `null` for inscriptions.
    pub available_collateral: Option<String>,
    /// The principal that can be taken now.
    pub available_sats: u64,
    /// Its conditions for borrowers; `null` if anyone can take it.
    pub conditions: Option<ConditionsView>,
    /// The time at which it was created.
    pub created_at: u64,
    /// The same id, under the name that signed messages use.
    pub external_id: String,
    /// The collateral for the total principal: an amount in raw units, or the number of several inscriptions; `null` for
    /// one inscription.
    pub fungible_amount: Option<String>,
    /// The time from which it cannot be taken, in unix milliseconds; `null` if it is good until it is cancelled.
    #[serde(rename = "goodUntil")]
    pub good_until: Option<u64>,
    /// Interest for the whole term.
    pub interest_rate_percentage: f64,
    /// Whether its terms were agreed on with the borrower that it names; they need not be those of its sub-collection.
    #[serde(rename = "isAgreed")]
    pub is_agreed: bool,
    /// Whether its principal follows the floor.
    #[serde(rename = "isPegged")]
    pub is_pegged: bool,
    /// The share of requests that the lender counter-signed; `null` for a new lender.
    #[serde(rename = "lenderAcceptanceRate")]
    pub lender_acceptance_rate: Option<f64>,
    /// The lender.
    pub lender_id: String,
    /// The days until the loan is due.
    pub loan_term_days: u32,
    /// The LTV above which it is paused automatically, in percent times 100; `null` for manual offers.
    pub ltv_max: Option<u32>,
    /// Its id.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// The total principal.
    pub principal_amount_sats: u64,
    /// The process type.
    pub process: ProcessName,
    /// Whether it can be taken.
    pub state: OfferState,
    /// The number of its sub-collection in the group.
    #[serde(rename = "subCollectionId")]
    pub sub_collection_id: String,
    /// The time of its last change by its lender or a borrower.
    pub updated_at: u64,
}

/// The outcomes of a borrower's loans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BorrowerRecordView {
    /// Loans whose collateral the lender claimed.
    pub claimed: u32,
    /// Loans whose collateral the borrower spent before the lender had signed.
    #[serde(rename = "collateralMoved")]
    pub collateral_moved: u32,
    /// Repaid loans.
    pub repaid: u32,
}

/// The totals of a user as a borrower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BorrowerTotals {
    /// The principal of overdue loans, whose collateral can be claimed.
    #[serde(rename = "atRiskSats")]
    pub at_risk_sats: u64,
    /// The principal of running loans.
    #[serde(rename = "borrowedSats")]
    pub borrowed_sats: u64,
    /// The number of loans whose collateral was claimed.
    #[serde(rename = "claimedLoans")]
    pub claimed_loans: u64,
    /// The principal of loans whose collateral was claimed.
    #[serde(rename = "claimedSats")]
    pub claimed_sats: u64,
    /// The principal of all loans so far.
    #[serde(rename = "everBorrowedSats")]
    pub ever_borrowed_sats: u64,
    /// The interest of running loans.
    #[serde(rename = "interestOwedSats")]
    pub interest_owed_sats: u64,
    /// The interest of repaid loans.
    #[serde(rename = "interestPaidSats")]
    pub interest_paid_sats: u64,
    /// The number of overdue loans.
    #[serde(rename = "overdueLoans")]
    pub overdue_loans: u64,
    /// The number of repaid loans.
    #[serde(rename = "repaidLoans")]
    pub repaid_loans: u64,
    /// The number of running loans.
    #[serde(rename = "runningLoans")]
    pub running_loans: u64,
}

/// The caller's BRC-20 balances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brc20Collateral {
    /// Every token that is accepted as collateral and of which the caller's ordinals address has a balance.
    pub brc20: Vec<Brc20Token>,
}

/// A BRC-20 transfer inscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brc20Note {
    /// In whole tokens.
    pub amount: String,
    /// The id of the inscription.
    #[serde(rename = "inscriptionId")]
    pub inscription_id: String,
    /// Whether it can still be moved; its first move consumes it.
    #[serde(rename = "isValid")]
    pub is_valid: bool,
    /// In lower case.
    pub ticker: String,
}

/// The caller's balance and transfer inscriptions for one bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brc20Panel {
    /// The caller's balance.
    #[serde(flatten)]
    pub brc20_token: Brc20Token,
    /// The amount that the transfer inscription must have, in whole tokens.
    #[serde(rename = "bundleSize")]
    pub bundle_size: String,
    /// The transfer inscription that a loan can take.
    pub note: Option<Brc20Note>,
    /// The transfer inscription that is not usable yet.
    pub pending: Option<PendingTransfer>,
    /// The next step.
    pub state: Brc20State,
}

/// The caller's next step towards pledging one bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Brc20State {
    /// `insufficient`.
    #[serde(rename = "insufficient")]
    Insufficient,
    /// `note_pending`.
    #[serde(rename = "note_pending")]
    NotePending,
    /// `needs_consolidation`.
    #[serde(rename = "needs_consolidation")]
    NeedsConsolidation,
    /// `note_available`.
    #[serde(rename = "note_available")]
    NoteAvailable,
    /// `no_note`.
    #[serde(rename = "no_note")]
    NoNote,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The balance of one token, in whole tokens as decimal strings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brc20Token {
    /// The part that can be inscribed into transfer inscriptions.
    #[serde(rename = "availableBalance")]
    pub available_balance: String,
    /// The whole balance.
    #[serde(rename = "overallBalance")]
    pub overall_balance: String,
    /// In lower case.
    pub ticker: String,
    /// The part in transfer inscriptions that have not been moved yet.
    #[serde(rename = "transferrableBalance")]
    pub transferrable_balance: String,
}

/// The transfer inscriptions of a transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brc20Transfers {
    /// In the order of the inscriptions; empty when the transaction reveals none that the indexer accepted.
    pub transfers: Vec<Brc20Note>,
}

/// A transaction that waits for the next block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BroadcastAnswer {
    /// The id of the transaction.
    pub txid: String,
}

/// A transaction that was made elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BroadcastRequest {
    /// The signed transaction, in hexadecimal.
    pub transaction: String,
}

/// The sources and files that the running program was built from. A server that lies can lie here as well: compare with a published release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// The SHA-256 of the program; `null` in the first moments, and where the program cannot be read.
    #[serde(rename = "binarySha256")]
    pub binary_sha256: Option<String>,
    /// The commit of the sources; `null` if the build did not name one.
    pub commit: Option<String>,
    /// The version of Lienbook.
    pub version: String,
    /// The files of the web app, in the order of paths; none if it was not built.
    #[serde(rename = "webFiles")]
    pub web_files: Vec<WebFile>,
    /// The SHA-256 of the list of files of the web app, with the lines that `sha256sum` writes, in the order of paths.
    #[serde(rename = "webSha256")]
    pub web_sha256: String,
}

/// Cancelled offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CancelledOffers {
    /// Those that were cancelled now; one that a borrower is signing for is paused. Offers that had ended before are left
    /// out, so a repeated request has an empty list.
    #[serde(rename = "cancelledOfferIds")]
    pub cancelled_offer_ids: Vec<String>,
}

/// The state of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainStatus {
    /// The hash of the best block.
    #[serde(rename = "blockHash")]
    pub block_hash: String,
    /// Recommended fee rates.
    #[serde(rename = "feeRates")]
    pub fee_rates: FeeRates,
    /// The height of the best block.
    pub height: u32,
    /// The height of the last block that the indexer has read; `null` while the indexer does not answer.
    #[serde(rename = "indexerHeight")]
    pub indexer_height: Option<u32>,
    /// The lowest fee rates at which a loan can be prepared, in sats per virtual byte; a lower limit applies to a loan
    /// that is already prepared.
    #[serde(rename = "loanRatesMin")]
    pub loan_rates_min: LoanRatesMin,
    /// The median time past in unix milliseconds, with which timelocks are compared.
    #[serde(rename = "medianTime")]
    pub median_time: u64,
    /// A Bitcoin network
    pub network: String,
}

/// The setting of one kind of event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Whether the caller has selected it.
    #[serde(rename = "isChosen")]
    pub is_chosen: bool,
    /// Whether missing the event can cost money, collateral or a deal; such events are sent only with `criticalAlerts`.
    #[serde(rename = "isCritical")]
    pub is_critical: bool,
    /// The kind.
    pub kind: NoticeKind,
}

/// The type of a group's collateral, by its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CollateralName {
    /// `inscription`.
    #[serde(rename = "inscription")]
    Inscription,
    /// `rune`.
    #[serde(rename = "rune")]
    Rune,
    /// `brc20`.
    #[serde(rename = "brc20")]
    Brc20,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A collection's budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionBudget {
    /// The maximum principal of manual loans outstanding at a time.
    #[serde(rename = "budgetSats")]
    pub budget_sats: u64,
    /// Id or slug of a collection.
    pub collection: String,
}

/// A collection's budget, or the principal outstanding in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionBudgetView {
    /// The maximum principal of manual loans outstanding at a time; `null` without a budget of its own.
    #[serde(rename = "budgetSats")]
    pub budget_sats: Option<u64>,
    /// The collection.
    #[serde(rename = "groupId")]
    pub group_id: String,
    /// The principal of manual loans outstanding.
    #[serde(rename = "outstandingSats")]
    pub outstanding_sats: u64,
}

/// The type of a collection, by the process type of its loans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CollectionType {
    /// `MANUAL_FIXED`.
    #[serde(rename = "MANUAL_FIXED")]
    ManualFixed,
    /// `INSTANT_PARTIAL`.
    #[serde(rename = "INSTANT_PARTIAL")]
    InstantPartial,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A page of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectionsPage {
    /// The rows.
    pub data: Vec<Row>,
    /// The cursor of the next page; `null` on the last page.
    #[serde(rename = "nextCursor")]
    pub next_cursor: Option<String>,
}

/// The signed transaction of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitTransfer {
    /// The id of the order.
    #[serde(rename = "orderId")]
    pub order_id: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    #[serde(rename = "signedBase64")]
    pub signed_base64: String,
}

/// A transfer inscription that was broadcast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommittedTransfer {
    /// The id of the transaction that reveals it.
    #[serde(rename = "revealTransaction")]
    pub reveal_transaction: String,
}

/// The conditions of an offer for borrowers. A value that the reader may not see is `null`: the key of the link is for
/// the lender alone, the address for the lender and the borrower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionsView {
    /// The payment address of the only borrower who can take it.
    #[serde(rename = "borrowerAddress")]
    pub borrower_address: Option<String>,
    /// The number of days for which no lender must have taken the borrower's collateral; 0 asks for none.
    #[serde(rename = "defaultFreeDays")]
    pub default_free_days: u32,
    /// The number of inscriptions that the lender chose by their ids. Any can be pledged if it is 0 and `numbers` is empty.
    #[serde(rename = "inscriptionCount")]
    pub inscription_count: u64,
    /// The key in the link of an unlisted offer: 32 hexadecimal digits.
    #[serde(rename = "linkKey")]
    pub link_key: Option<String>,
    /// The ranges of inscription numbers that can be pledged as well.
    pub numbers: Vec<NumberRangeView>,
    /// The least number of loans that the borrower has repaid; 0 asks for none.
    #[serde(rename = "repaidMin")]
    pub repaid_min: u32,
}

/// A coin that a contract spends, and the assets in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractCoinView {
    /// For each inscription, the number of the coin's sats that precede it.
    pub inscriptions: Vec<u64>,
    /// The key that spends it.
    pub key: ContractKeyView,
    /// Its runes.
    pub runes: Vec<ContractRuneView>,
    /// Its value.
    pub sats: u64,
    /// The transaction.
    pub txid: String,
    /// The index of the output.
    pub vout: u32,
}

/// A key, and the kind of address that it spends from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractKeyView {
    /// `p2tr`, `p2wpkh` or `p2sh_p2wpkh`.
    pub kind: String,
    /// The public key in hexadecimal, of taproot the internal one.
    #[serde(rename = "publicKey")]
    pub public_key: String,
}

/// An output of a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractOutputView {
    /// Its value.
    pub sats: u64,
    /// Its script in hexadecimal.
    pub script: String,
}

/// The keys of one side of a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractPartyView {
    /// The ordinals key, which is part of the escrow: 32 bytes in hexadecimal.
    #[serde(rename = "ordinalsKey")]
    pub ordinals_key: String,
    /// The key of the payment address.
    #[serde(rename = "paymentKey")]
    pub payment_key: ContractKeyView,
}

/// A single-use key that has pre-signed the repayment of an instant loan; its private key is destroyed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractRepayKeyView {
    /// The key: 32 bytes in hexadecimal.
    pub key: String,
    /// The signature of a repayment of version 3.
    #[serde(rename = "signatureTruc")]
    pub signature_truc: String,
    /// The signature of a repayment of version 2, with its sighash type, in hexadecimal.
    #[serde(rename = "signatureTwo")]
    pub signature_two: String,
}

/// An amount of a rune.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractRuneView {
    /// The amount in raw units.
    #[serde(rename = "amountRaw")]
    pub amount_raw: String,
    /// The rune's id, block and transaction.
    pub id: String,
}

/// The content of a BRC-20 transfer inscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractTransferView {
    /// The amount in raw units of 18 decimals.
    #[serde(rename = "amountRaw")]
    pub amount_raw: String,
    /// The token's ticker.
    pub ticker: String,
}

/// An output of a vault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractVaultOutputView {
    /// Its value.
    pub sats: u64,
    /// The transaction.
    pub txid: String,
    /// The index of the output.
    pub vout: u32,
}

/// The vault that pays a principal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractVaultView {
    /// The number of outputs in which the rest returns to the vault.
    #[serde(rename = "changeOutputs")]
    pub change_outputs: u32,
    /// The vault's owner, whose id is part of its address.
    #[serde(rename = "lenderId")]
    pub lender_id: String,
    /// The outputs spent, in the order of the inputs.
    pub outputs: Vec<ContractVaultOutputView>,
    /// The single-use keys that have pre-signed the repayment, with their signatures.
    #[serde(rename = "repayKeys")]
    pub repay_keys: Vec<ContractRepayKeyView>,
    /// The signers' keys for the vault, each of 32 bytes in hexadecimal.
    #[serde(rename = "signerKeys")]
    pub signer_keys: Vec<String>,
    /// The number of these keys that sign for an output of the vault.
    #[serde(rename = "signersRequired")]
    pub signers_required: u64,
}

/// Everything that the transactions of a loan are built of. A client that builds them again need not believe the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractView {
    /// The coins that the borrower adds to replace or extend a running loan.
    #[serde(rename = "addedCoins")]
    pub added_coins: Vec<ContractCoinView>,
    /// The party that brings the collateral.
    pub borrower: ContractPartyView,
    /// The time from which the lender may claim, in unix seconds, as in the script of the escrow.
    #[serde(rename = "claimAfterSeconds")]
    pub claim_after_seconds: u32,
    /// The coins that carry the collateral, in the order of the inputs; empty where it comes from a running loan.
    #[serde(rename = "collateralCoins")]
    pub collateral_coins: Vec<ContractCoinView>,
    /// The fee rate, in sats per 1,000 weight units.
    #[serde(rename = "feeRateSatPerKwu")]
    pub fee_rate_sat_per_kwu: u64,
    /// The lender's coins that pay the principal; empty for an instant loan and an extension.
    #[serde(rename = "fundingCoins")]
    pub funding_coins: Vec<ContractCoinView>,
    /// The interest that an extension pays now, in sats; absent for all other loans.
    #[serde(rename = "interestNowSats", default, skip_serializing_if = "Option::is_none")]
    pub interest_now_sats: Option<u64>,
    /// The party that brings the principal.
    pub lender: ContractPartyView,
    /// The loan.
    #[serde(rename = "loanId")]
    pub loan_id: String,
    /// Principal and interest, which the repayment pays to the lender's payment key, in sats.
    #[serde(rename = "payoutSats")]
    pub payout_sats: u64,
    /// The output that pays the platform fee; absent where there is none.
    #[serde(rename = "platformFee", default, skip_serializing_if = "Option::is_none")]
    pub platform_fee: Option<ContractOutputView>,
    /// The principal, in sats.
    #[serde(rename = "principalSats")]
    pub principal_sats: u64,
    /// The borrower's kit of the running loan that this one replaces or extends.
    #[serde(rename = "replacedKit", default, skip_serializing_if = "Option::is_none")]
    pub replaced_kit: Option<String>,
    /// The pledged rune; absent for other collateral.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rune: Option<ContractRuneView>,
    /// The pledged BRC-20 balance; absent for other collateral.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<ContractTransferView>,
    /// The vault that pays the principal of an instant loan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault: Option<ContractVaultView>,
}

/// The balance of a rune.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountedRune {
    /// The balance in whole tokens.
    pub amount: String,
    /// The balance in raw units, as a decimal string.
    pub raw: String,
    /// The block and transaction index of its etching, `840000:1`.
    #[serde(rename = "runeId")]
    pub rune_id: String,
    /// Its name with spacers.
    #[serde(rename = "runeName")]
    pub rune_name: String,
}

/// A counter-proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterProposal {
    /// The time from which it cannot be accepted, in unix milliseconds, 10 minutes to 72 hours from now.
    #[serde(rename = "goodUntil")]
    pub good_until: u64,
    /// The proposed interest for the whole term, in percent times 100.
    pub interest: u32,
    /// The proposed principal.
    #[serde(rename = "principalAmountSats")]
    pub principal_amount_sats: u64,
    /// The number of the proposal that is answered, from 1: the number of proposals that the caller has seen.
    pub round: u64,
    /// The proposed term, in days.
    #[serde(rename = "termDays")]
    pub term_days: u32,
}

/// The transactions that the lender's wallet signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Countersign {
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    pub base64: String,
    /// The signed repayments, in the order of `payouts` of the preparation.
    pub payouts: Vec<String>,
    /// The wallet's name.
    #[serde(rename = "walletName")]
    pub wallet_name: String,
}

/// A key to create: everything about it is in the signed message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateApiKey {
    /// The complete signed text, a `create api key`.
    pub message: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
}

/// A delegation to create: everything about it is in the signed message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateDelegation {
    /// The complete signed text, a `delegate quotes`.
    pub message: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
}

/// Offers to create.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateManualOffers {
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// 1 to 20 items.
    pub offers: Vec<ManualItem>,
}

/// An instant offer against an inscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateOrdinalOffer {
    /// Whether an announced term change is accepted in advance.
    pub accept_next_term: bool,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The slug of the sub-collection.
    pub collection_slug: String,
    /// The conditions of the offer for borrowers; absent if anyone can take it. A borrower named here is the `Borrower`
    /// of the message, and the vault signer lends to no other; the order book alone checks the other conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<AskedConditions>,
    /// The time from which nothing is lent, in unix milliseconds and whole seconds, 10 minutes to a year from now, as
    /// `Good until` of the message says; absent if the offer is good until it is cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_until: Option<u64>,
    /// The maximum LTV in hundredths of a percent.
    pub ltv_max: u32,
    /// The complete signed text.
    pub message: String,
    /// The principal in sats; the largest one if it follows the floor.
    pub principal_amount_sats: u64,
    /// The least principal in sats of an offer whose principal follows the floor, at the LTV `ltv_max`, as `Min principal
    /// sats` of the message says; the vault signer lends nothing outside these bounds. Absent if the principal is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal_min_amount_sats: Option<u64>,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
    /// The caller's own vault.
    pub vault_address: String,
}

/// An instant offer against runes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateRuneOffer {
    /// Whether an announced term change is accepted in advance.
    pub accept_next_term: bool,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The slug of the sub-collection.
    pub collection_slug: String,
    /// The conditions of the offer for borrowers; absent if anyone can take it. A borrower named here is the `Borrower`
    /// of the message, and the vault signer lends to no other; the order book alone checks the other conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<AskedConditions>,
    /// The largest collateral that is taken, in raw units as a decimal string.
    pub fungible_amount: String,
    /// The time from which nothing is lent, in unix milliseconds and whole seconds, 10 minutes to a year from now, as
    /// `Good until` of the message says; absent if the offer is good until it is cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_until: Option<u64>,
    /// The maximum LTV in hundredths of a percent.
    pub ltv_max: u32,
    /// The complete signed text.
    pub message: String,
    /// The principal in sats.
    pub principal_amount_sats: u64,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
    /// The caller's own vault.
    pub vault_address: String,
}

/// A created key with its secret, which is shown this once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreatedApiKey {
    /// The key.
    pub key: ApiKeyView,
    /// The secret for `Authorization: Bearer`, beginning with `lbk_`. The server keeps only its hash.
    pub secret: String,
}

/// The created offers, and the items that were refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreatedOffers {
    /// The offers, in the order of the items.
    pub offers: Vec<MyOffer>,
    /// Items that were refused although they had passed all checks, because the market moved in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedItem>,
}

/// A cancellation that a program signed under a delegation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DelegatedCancellation {
    /// The complete signed text, a `cancel offers`.
    pub message: String,
    /// The BIP-340 signature of the tagged hash of `message`, in 128 hexadecimal digits.
    pub signature: String,
}

/// A text that a program signed under a delegation: everything about the offer is in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DelegatedQuote {
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The complete signed text: a `create offer`, or an `edit offer` of an offer under the same delegation.
    pub message: String,
    /// The BIP-340 signature of the tagged hash of `message`, in 128 hexadecimal digits.
    pub signature: String,
}

/// The state of a delegation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DelegationState {
    /// `open`.
    #[serde(rename = "open")]
    Open,
    /// `expired`.
    #[serde(rename = "expired")]
    Expired,
    /// `revoking`.
    #[serde(rename = "revoking")]
    Revoking,
    /// `revoked`.
    #[serde(rename = "revoked")]
    Revoked,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A delegation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DelegationView {
    /// The slugs that its offers may name; `null` for all.
    pub collections: Option<Vec<String>>,
    /// The time at which the vault signer confirmed the revocation, in unix milliseconds.
    #[serde(rename = "confirmedAt")]
    pub confirmed_at: Option<u64>,
    /// The time of its creation, in unix milliseconds.
    #[serde(rename = "createdAt")]
    pub created_at: u64,
    /// The largest sum of the principals of loans within 24 hours.
    #[serde(rename = "dailyMaxSats")]
    pub daily_max_sats: u64,
    /// Its id: 32 hexadecimal digits.
    #[serde(rename = "delegationId")]
    pub delegation_id: String,
    /// The least interest for the whole term, in hundredths of a percent of the principal.
    #[serde(rename = "interestMinBps")]
    pub interest_min_bps: u32,
    /// The highest number that its program has used; the next text has a higher one.
    #[serde(rename = "latestNumber")]
    pub latest_number: u64,
    /// The sum within the last 24 hours, as the vault signer counts it; `null` if the signer does not answer, or does not
    /// know the delegation.
    #[serde(rename = "lentWithinDaySats")]
    pub lent_within_day_sats: Option<u64>,
    /// The open offers under it.
    #[serde(rename = "offerIds")]
    pub offer_ids: Vec<String>,
    /// The largest principal of one loan.
    #[serde(rename = "principalMaxSats")]
    pub principal_max_sats: u64,
    /// The x-only public key of the program, in hexadecimal.
    #[serde(rename = "programKey")]
    pub program_key: String,
    /// The time of its revocation, in unix milliseconds; `null` if it was not revoked.
    #[serde(rename = "revokedAt")]
    pub revoked_at: Option<u64>,
    /// Whether its program can quote.
    pub state: DelegationState,
    /// The longest term, in days.
    #[serde(rename = "termMaxDays")]
    pub term_max_days: u32,
    /// The time from which nothing is lent by it, in unix milliseconds.
    #[serde(rename = "validUntil")]
    pub valid_until: u64,
    /// The policies of the vaults that it may lend from; `null` for all.
    pub vaults: Option<Vec<String>>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DeliveryStateName {
    /// `waiting`.
    #[serde(rename = "waiting")]
    Waiting,
    /// `in_flight`.
    #[serde(rename = "in_flight")]
    InFlight,
    /// `delivered`.
    #[serde(rename = "delivered")]
    Delivered,
    /// `failed`.
    #[serde(rename = "failed")]
    Failed,
    /// `dropped`.
    #[serde(rename = "dropped")]
    Dropped,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A delivery of an event to a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeliveryView {
    /// The first 512 bytes of the last answer as plain text; `null` if it was empty, or this server does not keep it any
    /// more.
    pub answer: Option<String>,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The id of the delivery.
    #[serde(rename = "deliveryId")]
    pub delivery_id: String,
    /// The duration of the last attempt, in milliseconds.
    #[serde(rename = "durationMs")]
    pub duration_ms: Option<u32>,
    /// The id of the event, as in the header `webhook-id`.
    #[serde(rename = "eventId")]
    pub event_id: String,
    /// The reason why the last attempt got no answer.
    pub failure: Option<AttemptFailure>,
    /// The kind of the event; `null` for a test event.
    pub kind: Option<NoticeKind>,
    /// The time of the last attempt, in unix milliseconds.
    #[serde(rename = "lastAttemptAt")]
    pub last_attempt_at: Option<u64>,
    /// The earliest time of the next attempt, in unix milliseconds, while it waits.
    #[serde(rename = "nextAttemptAt")]
    pub next_attempt_at: Option<u64>,
    /// The time at which it was queued, in unix milliseconds.
    #[serde(rename = "queuedAt")]
    pub queued_at: u64,
    /// The state.
    pub state: DeliveryStateName,
    /// The HTTP status of the last answer.
    pub status: Option<u32>,
}

/// The bot's messages to the caller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoChat {
    /// Newest first, as far as the demo keeps them.
    pub data: Vec<DemoChatMessage>,
}

/// A message of the bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoChatMessage {
    /// The time of arrival, in unix milliseconds.
    pub at: u64,
    /// The text.
    pub text: String,
}

/// A mail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoMail {
    /// The time of arrival, in unix milliseconds.
    pub at: u64,
    /// The id of the message, which is the same when it is sent again.
    #[serde(rename = "messageId")]
    pub message_id: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The recipient's address.
    pub to: String,
}

/// The mails that were sent to the caller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoMails {
    /// Newest first, as far as the demo keeps them.
    pub data: Vec<DemoMail>,
}

/// A new principal of an offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditManualOffer {
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The new time from which the offer cannot be taken, in unix milliseconds. Absent if it stays; an offer that has
    /// expired is then good until it is cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_until: Option<u64>,
    /// The new LTV at which it follows the floor, in hundredths of a percent; only with `principal_min_amount`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ltv_max: Option<u32>,
    /// The id of the offer, which must be that of the path if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer_id: Option<String>,
    /// The new principal in sats; the largest one if it follows the floor.
    pub principal_amount: u64,
    /// The new least principal in sats; absent if the principal is fixed from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal_min_amount: Option<u64>,
}

/// An edit of an offer against an inscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditOrdinal {
    /// `deleteOfferExternalId`.
    #[serde(rename = "deleteOfferExternalId")]
    pub delete_offer_external_id: String,
    /// `newOffer`.
    #[serde(rename = "newOffer")]
    pub new_offer: NewOrdinal,
}

/// An edit of a rune offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditRune {
    /// `deleteOfferExternalId`.
    #[serde(rename = "deleteOfferExternalId")]
    pub delete_offer_external_id: String,
    /// `newOffer`.
    #[serde(rename = "newOffer")]
    pub new_offer: NewRune,
}

/// The e-mail channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmailWay {
    /// The caller's address.
    pub address: Option<String>,
    /// Whether this server sends mail.
    #[serde(rename = "isAvailable")]
    pub is_available: bool,
    /// Whether the caller has proven to receive mail there.
    #[serde(rename = "isVerified")]
    pub is_verified: bool,
    /// The time since which its mail server has refused it permanently, in unix milliseconds. No mail is sent there
    /// until the address is set again.
    #[serde(rename = "refusedAt")]
    pub refused_at: Option<u64>,
    /// The time until which it can be verified, in unix milliseconds, while it is not.
    #[serde(rename = "verifyUntil")]
    pub verify_until: Option<u64>,
}

/// The kind of transaction that ends a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EndingName {
    /// `repayment`.
    #[serde(rename = "repayment")]
    Repayment,
    /// `claim`.
    #[serde(rename = "claim")]
    Claim,
    /// `refinance`.
    #[serde(rename = "refinance")]
    Refinance,
    /// `extension`.
    #[serde(rename = "extension")]
    Extension,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// `ErrorCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorCode {
    /// `malformed_json`.
    #[serde(rename = "malformed_json")]
    MalformedJson,
    /// `invalid_query`.
    #[serde(rename = "invalid_query")]
    InvalidQuery,
    /// `invalid_cursor`.
    #[serde(rename = "invalid_cursor")]
    InvalidCursor,
    /// `invalid_idempotency_key`.
    #[serde(rename = "invalid_idempotency_key")]
    InvalidIdempotencyKey,
    /// `invalid_body`.
    #[serde(rename = "invalid_body")]
    InvalidBody,
    /// `invalid_field`.
    #[serde(rename = "invalid_field")]
    InvalidField,
    /// `request_timeout`.
    #[serde(rename = "request_timeout")]
    RequestTimeout,
    /// `payload_too_large`.
    #[serde(rename = "payload_too_large")]
    PayloadTooLarge,
    /// `unsupported_media_type`.
    #[serde(rename = "unsupported_media_type")]
    UnsupportedMediaType,
    /// `not_found`.
    #[serde(rename = "not_found")]
    NotFound,
    /// `method_not_allowed`.
    #[serde(rename = "method_not_allowed")]
    MethodNotAllowed,
    /// `not_acceptable`.
    #[serde(rename = "not_acceptable")]
    NotAcceptable,
    /// `origin_not_allowed`.
    #[serde(rename = "origin_not_allowed")]
    OriginNotAllowed,
    /// `rate_limited`.
    #[serde(rename = "rate_limited")]
    RateLimited,
    /// `overloaded`.
    #[serde(rename = "overloaded")]
    Overloaded,
    /// `not_ready`.
    #[serde(rename = "not_ready")]
    NotReady,
    /// `no_writer`.
    #[serde(rename = "no_writer")]
    NoWriter,
    /// `node_unavailable`.
    #[serde(rename = "node_unavailable")]
    NodeUnavailable,
    /// `internal`.
    #[serde(rename = "internal")]
    Internal,
    /// `unauthenticated`.
    #[serde(rename = "unauthenticated")]
    Unauthenticated,
    /// `session_expired`.
    #[serde(rename = "session_expired")]
    SessionExpired,
    /// `session_invalid`.
    #[serde(rename = "session_invalid")]
    SessionInvalid,
    /// `session_ended`.
    #[serde(rename = "session_ended")]
    SessionEnded,
    /// `unknown_session`.
    #[serde(rename = "unknown_session")]
    UnknownSession,
    /// `refresh_reused`.
    #[serde(rename = "refresh_reused")]
    RefreshReused,
    /// `api_key_invalid`.
    #[serde(rename = "api_key_invalid")]
    ApiKeyInvalid,
    /// `api_key_expired`.
    #[serde(rename = "api_key_expired")]
    ApiKeyExpired,
    /// `api_key_revoked`.
    #[serde(rename = "api_key_revoked")]
    ApiKeyRevoked,
    /// `api_key_address`.
    #[serde(rename = "api_key_address")]
    ApiKeyAddress,
    /// `api_key_scope`.
    #[serde(rename = "api_key_scope")]
    ApiKeyScope,
    /// `api_key_not_accepted`.
    #[serde(rename = "api_key_not_accepted")]
    ApiKeyNotAccepted,
    /// `api_key_collection`.
    #[serde(rename = "api_key_collection")]
    ApiKeyCollection,
    /// `api_key_principal`.
    #[serde(rename = "api_key_principal")]
    ApiKeyPrincipal,
    /// `api_key_outstanding`.
    #[serde(rename = "api_key_outstanding")]
    ApiKeyOutstanding,
    /// `api_key_daily`.
    #[serde(rename = "api_key_daily")]
    ApiKeyDaily,
    /// `too_many_api_keys`.
    #[serde(rename = "too_many_api_keys")]
    TooManyApiKeys,
    /// `unknown_api_key`.
    #[serde(rename = "unknown_api_key")]
    UnknownApiKey,
    /// `unknown_delegation`.
    #[serde(rename = "unknown_delegation")]
    UnknownDelegation,
    /// `delegation_ended`.
    #[serde(rename = "delegation_ended")]
    DelegationEnded,
    /// `too_many_delegations`.
    #[serde(rename = "too_many_delegations")]
    TooManyDelegations,
    /// `delegation_limit`.
    #[serde(rename = "delegation_limit")]
    DelegationLimit,
    /// `delegation_number`.
    #[serde(rename = "delegation_number")]
    DelegationNumber,
    /// `address_malformed`.
    #[serde(rename = "address_malformed")]
    AddressMalformed,
    /// `address_wrong_network`.
    #[serde(rename = "address_wrong_network")]
    AddressWrongNetwork,
    /// `address_unsupported`.
    #[serde(rename = "address_unsupported")]
    AddressUnsupported,
    /// `public_key_malformed`.
    #[serde(rename = "public_key_malformed")]
    PublicKeyMalformed,
    /// `public_key_mismatch`.
    #[serde(rename = "public_key_mismatch")]
    PublicKeyMismatch,
    /// `message_malformed`.
    #[serde(rename = "message_malformed")]
    MessageMalformed,
    /// `message_wrong_action`.
    #[serde(rename = "message_wrong_action")]
    MessageWrongAction,
    /// `message_wrong_domain`.
    #[serde(rename = "message_wrong_domain")]
    MessageWrongDomain,
    /// `message_wrong_network`.
    #[serde(rename = "message_wrong_network")]
    MessageWrongNetwork,
    /// `message_wrong_address`.
    #[serde(rename = "message_wrong_address")]
    MessageWrongAddress,
    /// `message_field_mismatch`.
    #[serde(rename = "message_field_mismatch")]
    MessageFieldMismatch,
    /// `message_expired`.
    #[serde(rename = "message_expired")]
    MessageExpired,
    /// `message_times`.
    #[serde(rename = "message_times")]
    MessageTimes,
    /// `nonce_unknown`.
    #[serde(rename = "nonce_unknown")]
    NonceUnknown,
    /// `nonce_used`.
    #[serde(rename = "nonce_used")]
    NonceUsed,
    /// `signature_malformed`.
    #[serde(rename = "signature_malformed")]
    SignatureMalformed,
    /// `signature_wrong_key`.
    #[serde(rename = "signature_wrong_key")]
    SignatureWrongKey,
    /// `signature_invalid`.
    #[serde(rename = "signature_invalid")]
    SignatureInvalid,
    /// `ordinals_signature_missing`.
    #[serde(rename = "ordinals_signature_missing")]
    OrdinalsSignatureMissing,
    /// `ordinals_unproven`.
    #[serde(rename = "ordinals_unproven")]
    OrdinalsUnproven,
    /// `unknown_collection`.
    #[serde(rename = "unknown_collection")]
    UnknownCollection,
    /// `unknown_offer`.
    #[serde(rename = "unknown_offer")]
    UnknownOffer,
    /// `unknown_reservation`.
    #[serde(rename = "unknown_reservation")]
    UnknownReservation,
    /// `unknown_loan`.
    #[serde(rename = "unknown_loan")]
    UnknownLoan,
    /// `unknown_term_change`.
    #[serde(rename = "unknown_term_change")]
    UnknownTermChange,
    /// `vault_not_found`.
    #[serde(rename = "vault_not_found")]
    VaultNotFound,
    /// `vault_signer_unset`.
    #[serde(rename = "vault_signer_unset")]
    VaultSignerUnset,
    /// `signer_unavailable`.
    #[serde(rename = "signer_unavailable")]
    SignerUnavailable,
    /// `signer_refused`.
    #[serde(rename = "signer_refused")]
    SignerRefused,
    /// `offer_not_admitted`.
    #[serde(rename = "offer_not_admitted")]
    OfferNotAdmitted,
    /// `signature_needed`.
    #[serde(rename = "signature_needed")]
    SignatureNeeded,
    /// `not_owner`.
    #[serde(rename = "not_owner")]
    NotOwner,
    /// `own_offer`.
    #[serde(rename = "own_offer")]
    OwnOffer,
    /// `not_your_vault`.
    #[serde(rename = "not_your_vault")]
    NotYourVault,
    /// `lending_not_allowed`.
    #[serde(rename = "lending_not_allowed")]
    LendingNotAllowed,
    /// `process_not_taken`.
    #[serde(rename = "process_not_taken")]
    ProcessNotTaken,
    /// `no_price`.
    #[serde(rename = "no_price")]
    NoPrice,
    /// `below_min_offer`.
    #[serde(rename = "below_min_offer")]
    BelowMinOffer,
    /// `above_max_offer`.
    #[serde(rename = "above_max_offer")]
    AboveMaxOffer,
    /// `wrong_quantity`.
    #[serde(rename = "wrong_quantity")]
    WrongQuantity,
    /// `ltv_above_ceiling`.
    #[serde(rename = "ltv_above_ceiling")]
    LtvAboveCeiling,
    /// `max_ltv_missing`.
    #[serde(rename = "max_ltv_missing")]
    MaxLtvMissing,
    /// `max_ltv_not_taken`.
    #[serde(rename = "max_ltv_not_taken")]
    MaxLtvNotTaken,
    /// `max_ltv_below_current`.
    #[serde(rename = "max_ltv_below_current")]
    MaxLtvBelowCurrent,
    /// `max_ltv_above_ceiling`.
    #[serde(rename = "max_ltv_above_ceiling")]
    MaxLtvAboveCeiling,
    /// `insufficient_vault_balance`.
    #[serde(rename = "insufficient_vault_balance")]
    InsufficientVaultBalance,
    /// `good_until_out_of_range`.
    #[serde(rename = "good_until_out_of_range")]
    GoodUntilOutOfRange,
    /// `count_out_of_range`.
    #[serde(rename = "count_out_of_range")]
    CountOutOfRange,
    /// `too_many_offers`.
    #[serde(rename = "too_many_offers")]
    TooManyOffers,
    /// `collection_full`.
    #[serde(rename = "collection_full")]
    CollectionFull,
    /// `over_lending_limits`.
    #[serde(rename = "over_lending_limits")]
    OverLendingLimits,
    /// `too_many_favourites`.
    #[serde(rename = "too_many_favourites")]
    TooManyFavourites,
    /// `under_offer`.
    #[serde(rename = "under_offer")]
    UnderOffer,
    /// `already_paused`.
    #[serde(rename = "already_paused")]
    AlreadyPaused,
    /// `not_paused_by_lender`.
    #[serde(rename = "not_paused_by_lender")]
    NotPausedByLender,
    /// `edit_changes_process`.
    #[serde(rename = "edit_changes_process")]
    EditChangesProcess,
    /// `price_out_of_range`.
    #[serde(rename = "price_out_of_range")]
    PriceOutOfRange,
    /// `offer_paused`.
    #[serde(rename = "offer_paused")]
    OfferPaused,
    /// `new_loans_halted`.
    #[serde(rename = "new_loans_halted")]
    NewLoansHalted,
    /// `offer_expired`.
    #[serde(rename = "offer_expired")]
    OfferExpired,
    /// `offer_for_other_borrower`.
    #[serde(rename = "offer_for_other_borrower")]
    OfferForOtherBorrower,
    /// `offer_unlisted`.
    #[serde(rename = "offer_unlisted")]
    OfferUnlisted,
    /// `too_few_repaid_loans`.
    #[serde(rename = "too_few_repaid_loans")]
    TooFewRepaidLoans,
    /// `recent_default`.
    #[serde(rename = "recent_default")]
    RecentDefault,
    /// `inscription_not_chosen`.
    #[serde(rename = "inscription_not_chosen")]
    InscriptionNotChosen,
    /// `conditions_refused`.
    #[serde(rename = "conditions_refused")]
    ConditionsRefused,
    /// `unknown_borrower`.
    #[serde(rename = "unknown_borrower")]
    UnknownBorrower,
    /// `peg_refused`.
    #[serde(rename = "peg_refused")]
    PegRefused,
    /// `no_term_of_request`.
    #[serde(rename = "no_term_of_request")]
    NoTermOfRequest,
    /// `too_many_borrow_requests`.
    #[serde(rename = "too_many_borrow_requests")]
    TooManyBorrowRequests,
    /// `already_requested`.
    #[serde(rename = "already_requested")]
    AlreadyRequested,
    /// `unknown_request`.
    #[serde(rename = "unknown_request")]
    UnknownRequest,
    /// `request_filled`.
    #[serde(rename = "request_filled")]
    RequestFilled,
    /// `request_expired`.
    #[serde(rename = "request_expired")]
    RequestExpired,
    /// `terms_outside_request`.
    #[serde(rename = "terms_outside_request")]
    TermsOutsideRequest,
    /// `unknown_negotiation`.
    #[serde(rename = "unknown_negotiation")]
    UnknownNegotiation,
    /// `negotiation_subject`.
    #[serde(rename = "negotiation_subject")]
    NegotiationSubject,
    /// `negotiation_over`.
    #[serde(rename = "negotiation_over")]
    NegotiationOver,
    /// `proposal_replaced`.
    #[serde(rename = "proposal_replaced")]
    ProposalReplaced,
    /// `not_your_turn`.
    #[serde(rename = "not_your_turn")]
    NotYourTurn,
    /// `too_many_rounds`.
    #[serde(rename = "too_many_rounds")]
    TooManyRounds,
    /// `too_many_negotiations`.
    #[serde(rename = "too_many_negotiations")]
    TooManyNegotiations,
    /// `already_negotiating`.
    #[serde(rename = "already_negotiating")]
    AlreadyNegotiating,
    /// `terms_agreed`.
    #[serde(rename = "terms_agreed")]
    TermsAgreed,
    /// `lender_limited`.
    #[serde(rename = "lender_limited")]
    LenderLimited,
    /// `principal_fixed`.
    #[serde(rename = "principal_fixed")]
    PrincipalFixed,
    /// `terms_out_of_range`.
    #[serde(rename = "terms_out_of_range")]
    TermsOutOfRange,
    /// `offer_used`.
    #[serde(rename = "offer_used")]
    OfferUsed,
    /// `offer_taken`.
    #[serde(rename = "offer_taken")]
    OfferTaken,
    /// `too_many_prepared`.
    #[serde(rename = "too_many_prepared")]
    TooManyPrepared,
    /// `prepare_postponed`.
    #[serde(rename = "prepare_postponed")]
    PreparePostponed,
    /// `part_out_of_range`.
    #[serde(rename = "part_out_of_range")]
    PartOutOfRange,
    /// `reservation_expired`.
    #[serde(rename = "reservation_expired")]
    ReservationExpired,
    /// `loan_stage`.
    #[serde(rename = "loan_stage")]
    LoanStage,
    /// `duplicate_id`.
    #[serde(rename = "duplicate_id")]
    DuplicateId,
    /// `term_change_refused`.
    #[serde(rename = "term_change_refused")]
    TermChangeRefused,
    /// `manual_terms`.
    #[serde(rename = "manual_terms")]
    ManualTerms,
    /// `collateral_pledged`.
    #[serde(rename = "collateral_pledged")]
    CollateralPledged,
    /// `indexer_unavailable`.
    #[serde(rename = "indexer_unavailable")]
    IndexerUnavailable,
    /// `notes_unavailable`.
    #[serde(rename = "notes_unavailable")]
    NotesUnavailable,
    /// `indexer_lagging`.
    #[serde(rename = "indexer_lagging")]
    IndexerLagging,
    /// `transaction_not_taken`.
    #[serde(rename = "transaction_not_taken")]
    TransactionNotTaken,
    /// `coin_changed`.
    #[serde(rename = "coin_changed")]
    CoinChanged,
    /// `insufficient_funds`.
    #[serde(rename = "insufficient_funds")]
    InsufficientFunds,
    /// `funds_scattered`.
    #[serde(rename = "funds_scattered")]
    FundsScattered,
    /// `fee_rate_out_of_range`.
    #[serde(rename = "fee_rate_out_of_range")]
    FeeRateOutOfRange,
    /// `withdrawal_fee_too_high`.
    #[serde(rename = "withdrawal_fee_too_high")]
    WithdrawalFeeTooHigh,
    /// `vault_in_use`.
    #[serde(rename = "vault_in_use")]
    VaultInUse,
    /// `vault_not_movable`.
    #[serde(rename = "vault_not_movable")]
    VaultNotMovable,
    /// `insufficient_tokens`.
    #[serde(rename = "insufficient_tokens")]
    InsufficientTokens,
    /// `unknown_token`.
    #[serde(rename = "unknown_token")]
    UnknownToken,
    /// `transfer_not_found`.
    #[serde(rename = "transfer_not_found")]
    TransferNotFound,
    /// `no_inscription`.
    #[serde(rename = "no_inscription")]
    NoInscription,
    /// `unknown_inscription`.
    #[serde(rename = "unknown_inscription")]
    UnknownInscription,
    /// `not_your_inscription`.
    #[serde(rename = "not_your_inscription")]
    NotYourInscription,
    /// `inscription_waits`.
    #[serde(rename = "inscription_waits")]
    InscriptionWaits,
    /// `inscription_shared`.
    #[serde(rename = "inscription_shared")]
    InscriptionShared,
    /// `wrong_collection`.
    #[serde(rename = "wrong_collection")]
    WrongCollection,
    /// `hardware_wallet`.
    #[serde(rename = "hardware_wallet")]
    HardwareWallet,
    /// `note_missing`.
    #[serde(rename = "note_missing")]
    NoteMissing,
    /// `note_unusable`.
    #[serde(rename = "note_unusable")]
    NoteUnusable,
    /// `lender_short`.
    #[serde(rename = "lender_short")]
    LenderShort,
    /// `exact_coin_missing`.
    #[serde(rename = "exact_coin_missing")]
    ExactCoinMissing,
    /// `loan_impossible`.
    #[serde(rename = "loan_impossible")]
    LoanImpossible,
    /// `loan_rebuilt`.
    #[serde(rename = "loan_rebuilt")]
    LoanRebuilt,
    /// `collateral_gone`.
    #[serde(rename = "collateral_gone")]
    CollateralGone,
    /// `not_claimable`.
    #[serde(rename = "not_claimable")]
    NotClaimable,
    /// `not_replaceable`.
    #[serde(rename = "not_replaceable")]
    NotReplaceable,
    /// `not_extendable`.
    #[serde(rename = "not_extendable")]
    NotExtendable,
    /// `extension_gone`.
    #[serde(rename = "extension_gone")]
    ExtensionGone,
    /// `loan_goes_on`.
    #[serde(rename = "loan_goes_on")]
    LoanGoesOn,
    /// `different_wallets`.
    #[serde(rename = "different_wallets")]
    DifferentWallets,
    /// `unknown_order`.
    #[serde(rename = "unknown_order")]
    UnknownOrder,
    /// `order_ended`.
    #[serde(rename = "order_ended")]
    OrderEnded,
    /// `note_pending`.
    #[serde(rename = "note_pending")]
    NotePending,
    /// `too_many_orders`.
    #[serde(rename = "too_many_orders")]
    TooManyOrders,
    /// `funds_promised`.
    #[serde(rename = "funds_promised")]
    FundsPromised,
    /// `faucet_limit`.
    #[serde(rename = "faucet_limit")]
    FaucetLimit,
    /// `idempotency_mismatch`.
    #[serde(rename = "idempotency_mismatch")]
    IdempotencyMismatch,
    /// `idempotency_in_flight`.
    #[serde(rename = "idempotency_in_flight")]
    IdempotencyInFlight,
    /// `idempotency_spent`.
    #[serde(rename = "idempotency_spent")]
    IdempotencySpent,
    /// `psbt_too_long`.
    #[serde(rename = "psbt_too_long")]
    PsbtTooLong,
    /// `psbt_not_text`.
    #[serde(rename = "psbt_not_text")]
    PsbtNotText,
    /// `psbt_malformed`.
    #[serde(rename = "psbt_malformed")]
    PsbtMalformed,
    /// `psbt_other_transaction`.
    #[serde(rename = "psbt_other_transaction")]
    PsbtOtherTransaction,
    /// `psbt_version_changed`.
    #[serde(rename = "psbt_version_changed")]
    PsbtVersionChanged,
    /// `psbt_lock_time_changed`.
    #[serde(rename = "psbt_lock_time_changed")]
    PsbtLockTimeChanged,
    /// `psbt_input_count_changed`.
    #[serde(rename = "psbt_input_count_changed")]
    PsbtInputCountChanged,
    /// `psbt_input_changed`.
    #[serde(rename = "psbt_input_changed")]
    PsbtInputChanged,
    /// `psbt_sequence_changed`.
    #[serde(rename = "psbt_sequence_changed")]
    PsbtSequenceChanged,
    /// `psbt_output_count_changed`.
    #[serde(rename = "psbt_output_count_changed")]
    PsbtOutputCountChanged,
    /// `psbt_output_changed`.
    #[serde(rename = "psbt_output_changed")]
    PsbtOutputChanged,
    /// `psbt_spent_output_wrong`.
    #[serde(rename = "psbt_spent_output_wrong")]
    PsbtSpentOutputWrong,
    /// `psbt_previous_transaction_wrong`.
    #[serde(rename = "psbt_previous_transaction_wrong")]
    PsbtPreviousTransactionWrong,
    /// `psbt_foreign_script`.
    #[serde(rename = "psbt_foreign_script")]
    PsbtForeignScript,
    /// `psbt_foreign_taproot`.
    #[serde(rename = "psbt_foreign_taproot")]
    PsbtForeignTaproot,
    /// `psbt_unknown_leaf`.
    #[serde(rename = "psbt_unknown_leaf")]
    PsbtUnknownLeaf,
    /// `psbt_sighash_declared`.
    #[serde(rename = "psbt_sighash_declared")]
    PsbtSighashDeclared,
    /// `psbt_foreign_signature`.
    #[serde(rename = "psbt_foreign_signature")]
    PsbtForeignSignature,
    /// `psbt_signature_malformed`.
    #[serde(rename = "psbt_signature_malformed")]
    PsbtSignatureMalformed,
    /// `psbt_signature_high_s`.
    #[serde(rename = "psbt_signature_high_s")]
    PsbtSignatureHighS,
    /// `psbt_signature_sighash`.
    #[serde(rename = "psbt_signature_sighash")]
    PsbtSignatureSighash,
    /// `psbt_signature_misplaced`.
    #[serde(rename = "psbt_signature_misplaced")]
    PsbtSignatureMisplaced,
    /// `psbt_signature_invalid`.
    #[serde(rename = "psbt_signature_invalid")]
    PsbtSignatureInvalid,
    /// `psbt_not_segwit`.
    #[serde(rename = "psbt_not_segwit")]
    PsbtNotSegwit,
    /// `psbt_other_witness`.
    #[serde(rename = "psbt_other_witness")]
    PsbtOtherWitness,
    /// `psbt_signature_missing`.
    #[serde(rename = "psbt_signature_missing")]
    PsbtSignatureMissing,
    /// `turnstile_required`.
    #[serde(rename = "turnstile_required")]
    TurnstileRequired,
    /// `turnstile_rate_limited`.
    #[serde(rename = "turnstile_rate_limited")]
    TurnstileRateLimited,
    /// `turnstile_bot_detection`.
    #[serde(rename = "turnstile_bot_detection")]
    TurnstileBotDetection,
    /// `turnstile_validation_failed`.
    #[serde(rename = "turnstile_validation_failed")]
    TurnstileValidationFailed,
    /// `email_unset`.
    #[serde(rename = "email_unset")]
    EmailUnset,
    /// `email_malformed`.
    #[serde(rename = "email_malformed")]
    EmailMalformed,
    /// `email_limit`.
    #[serde(rename = "email_limit")]
    EmailLimit,
    /// `telegram_unset`.
    #[serde(rename = "telegram_unset")]
    TelegramUnset,
    /// `telegram_unavailable`.
    #[serde(rename = "telegram_unavailable")]
    TelegramUnavailable,
    /// `link_invalid`.
    #[serde(rename = "link_invalid")]
    LinkInvalid,
    /// `link_expired`.
    #[serde(rename = "link_expired")]
    LinkExpired,
    /// `link_used`.
    #[serde(rename = "link_used")]
    LinkUsed,
    /// `webhook_url`.
    #[serde(rename = "webhook_url")]
    WebhookUrl,
    /// `too_many_webhooks`.
    #[serde(rename = "too_many_webhooks")]
    TooManyWebhooks,
    /// `unknown_webhook`.
    #[serde(rename = "unknown_webhook")]
    UnknownWebhook,
    /// `webhook_paused`.
    #[serde(rename = "webhook_paused")]
    WebhookPaused,
    /// `push_subscription`.
    #[serde(rename = "push_subscription")]
    PushSubscription,
    /// `too_many_browsers`.
    #[serde(rename = "too_many_browsers")]
    TooManyBrowsers,
    /// `unknown_browser`.
    #[serde(rename = "unknown_browser")]
    UnknownBrowser,
    /// `unknown_event`.
    #[serde(rename = "unknown_event")]
    UnknownEvent,
    /// `bad_frame`.
    #[serde(rename = "bad_frame")]
    BadFrame,
    /// `unknown_channel`.
    #[serde(rename = "unknown_channel")]
    UnknownChannel,
    /// `ticket_refused`.
    #[serde(rename = "ticket_refused")]
    TicketRefused,
    /// `too_many_channels`.
    #[serde(rename = "too_many_channels")]
    TooManyChannels,
    /// `snapshot_too_large`.
    #[serde(rename = "snapshot_too_large")]
    SnapshotTooLarge,
    /// `too_many_sockets`.
    #[serde(rename = "too_many_sockets")]
    TooManySockets,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// Everything about a user but the loans: what limits of the market bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportedAccount {
    /// The API keys: those that can be used, and the latest that have ended.
    #[serde(rename = "apiKeys")]
    pub api_keys: Vec<ApiKeyView>,
    /// The open borrow requests.
    #[serde(rename = "borrowRequests")]
    pub borrow_requests: Vec<RequestView>,
    /// The e-mail address, the Telegram channel and the choices of notices.
    pub contacts: Notifications,
    /// The delegations to programs.
    pub delegations: Vec<DelegationView>,
    /// The time of the export, in unix milliseconds.
    #[serde(rename = "exportedAt")]
    pub exported_at: u64,
    /// The ids of the favourite collections.
    pub favourites: Vec<String>,
    /// The lending limits, and what counts against them.
    #[serde(rename = "lendingLimits")]
    pub lending_limits: LendingLimitsView,
    /// The negotiations.
    pub negotiations: Vec<NegotiationView>,
    /// The latest notices.
    pub notices: Vec<NoticeView>,
    /// The open offers.
    pub offers: Vec<MyOffer>,
    /// The account.
    pub profile: ExportedProfile,
    /// The browsers that get notices.
    #[serde(rename = "pushSubscriptions")]
    pub push_subscriptions: Vec<PushSubscriptionView>,
    /// The open sessions.
    pub sessions: Vec<MySession>,
    /// Telegram's id of the linked chat; `null` without one.
    #[serde(rename = "telegramChatId")]
    pub telegram_chat_id: Option<i64>,
    /// The transfer inscriptions that were ordered.
    #[serde(rename = "transferOrders")]
    pub transfer_orders: Vec<ExportedOrder>,
    /// The balance and the address of the vault; `null` without one.
    pub vault: Option<VaultView>,
    /// The webhooks.
    pub webhooks: Vec<WebhookView>,
}

/// A BRC-20 transfer inscription that was ordered and has not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportedOrder {
    /// The amount, in raw units of 18 decimals.
    #[serde(rename = "amountRaw")]
    pub amount_raw: String,
    /// The time at which it lapses unless it is signed, in unix milliseconds.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The id of the order.
    #[serde(rename = "orderId")]
    pub order_id: String,
    /// The token.
    pub ticker: String,
}

/// The caller's account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportedProfile {
    /// Whether the key of the ordinals address has signed.
    #[serde(rename = "isOrdinalsProven")]
    pub is_ordinals_proven: bool,
    /// The ordinals address.
    #[serde(rename = "ordinalAddress")]
    pub ordinal_address: String,
    /// Its public key in hexadecimal.
    #[serde(rename = "ordinalPubkey")]
    pub ordinal_pubkey: String,
    /// The payment address, which identifies the account.
    #[serde(rename = "paymentAddress")]
    pub payment_address: String,
    /// Its public key in hexadecimal.
    #[serde(rename = "paymentPubkey")]
    pub payment_pubkey: String,
    /// The id of the user.
    #[serde(rename = "userId")]
    pub user_id: String,
}

/// The gift that was broadcast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaucetAnswer {
    /// The receiving address: the payment address for sats, the ordinals address for everything else.
    pub address: String,
    /// Sats, raw units, or 1 inscription.
    pub amount: String,
    /// The id of the inscription on the output, if there is one.
    #[serde(rename = "inscriptionId")]
    pub inscription_id: Option<String>,
    /// The id of the transaction, which waits for the next block.
    pub txid: String,
    /// The index of the output.
    pub vout: u32,
}

/// A request for coins or collateral.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaucetRequest {
    /// Sats, or raw units of the group's token; by default 5,000,000 sats or the smallest bundle. Not used for
    /// inscriptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// Whether a BRC-20 amount is sent as a transfer inscription that can be pledged at once, not as an available
    /// balance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_note: Option<bool>,
    /// The slug of a collection group; sats if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection_group_slug: Option<String>,
}

/// The caller's favourites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Favourites {
    /// The ids of the collections, in the order of listing.
    #[serde(rename = "collectionIds")]
    pub collection_ids: Vec<String>,
}

/// Recommended fee rates in sats per virtual byte, with at most three decimals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeeRates {
    /// For the next block.
    pub fast: f64,
    /// For a confirmation within half an hour, which is three blocks.
    #[serde(rename = "halfHour")]
    pub half_hour: f64,
    /// For a confirmation within an hour, which is six blocks.
    pub hour: f64,
}

/// A ticket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedTicket {
    /// The time at which it expires, in unix milliseconds: 30 seconds after issue.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The ticket, to be sent once when subscribing to `me`.
    pub ticket: String,
}

/// The loan that a lender makes to the borrower of a request: principal and collateral are those of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FillRequest {
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The slug of the sub-collection, which fixes term and interest.
    #[serde(rename = "collectionSlug")]
    pub collection_slug: String,
    /// The time until which the borrower can sign, in unix milliseconds, 10 minutes to 72 hours from now; absent for 12
    /// hours. An offer from the vault names it, in whole seconds.
    #[serde(rename = "goodUntil", default, skip_serializing_if = "Option::is_none")]
    pub good_until: Option<u64>,
    /// The terms of an offer from the vault; absent if the lender counter-signs the loan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instant: Option<InstantFill>,
}

/// The coin that an offer of the caller needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FundingCoin {
    /// The exact amount of the coin in sats; `null` for offers that take any coins.
    #[serde(rename = "fundingSats")]
    pub funding_sats: Option<u64>,
    /// Whether the caller's payment address has the coin, confirmed and not reserved. Without it the offer cannot be
    /// taken.
    #[serde(rename = "isThere")]
    pub is_there: bool,
}

/// Offers, and the time until which they are good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoodUntil {
    /// The time from which they cannot be taken, in unix milliseconds, 10 minutes to a year from now; `null` if they are
    /// good until they are cancelled.
    #[serde(rename = "goodUntil")]
    pub good_until: Option<u64>,
    /// 1 to 100 ids.
    #[serde(rename = "offerIds")]
    pub offer_ids: Vec<String>,
}

/// The halts in effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HaltList {
    /// The halts; empty while everything works.
    pub halts: Vec<HaltView>,
}

/// A part of the market that its operator has halted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HaltView {
    /// The operator's reason, one line for users.
    pub reason: String,
    /// The part: `new_loans`, loans that begin. Repayments, claims, cancellations and withdrawals are never halted.
    pub scope: String,
    /// The time at which the halt began.
    pub since: u64,
}

/// The published heads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadList {
    /// The key that heads and receipts are verified with: the x coordinate of BIP 340, in hexadecimal digits.
    #[serde(rename = "publicKey")]
    pub public_key: String,
    /// The publications, the latest first; empty until there is one.
    pub publications: Vec<Publication>,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HistoryKind {
    /// `credited`.
    #[serde(rename = "credited")]
    Credited,
    /// `debited`.
    #[serde(rename = "debited")]
    Debited,
    /// `paid_in`.
    #[serde(rename = "paid_in")]
    PaidIn,
    /// `came_back`.
    #[serde(rename = "came_back")]
    CameBack,
    /// `undone`.
    #[serde(rename = "undone")]
    Undone,
    /// `left`.
    #[serde(rename = "left")]
    Left,
    /// `withdrawing`.
    #[serde(rename = "withdrawing")]
    Withdrawing,
    /// `moving`.
    #[serde(rename = "moving")]
    Moving,
    /// `lent`.
    #[serde(rename = "lent")]
    Lent,
    /// `fee_bump`.
    #[serde(rename = "fee_bump")]
    FeeBump,
    /// `settled`.
    #[serde(rename = "settled")]
    Settled,
    /// `given_back`.
    #[serde(rename = "given_back")]
    GivenBack,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// An entry of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryLine {
    /// The time at which the server observed it, in unix milliseconds.
    pub at: u64,
    /// `kind`.
    pub kind: HistoryKind,
    /// The amount; `null` if it is no longer known.
    pub sats: Option<u64>,
    /// The id of the transaction; `null` for a credit or debit without an output on the chain.
    #[serde(rename = "transactionId")]
    pub transaction_id: Option<String>,
    /// The index of the output; `null` if the entry is about the whole transaction.
    pub vout: Option<u32>,
}

/// A page of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryPage {
    /// The entries, newest first.
    pub data: Vec<HistoryLine>,
    /// The cursor of the next page; `null` on the last page.
    #[serde(rename = "nextCursor")]
    pub next_cursor: Option<String>,
}

/// An inscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InscriptionView {
    /// Its attributes as its collection reports them.
    pub attributes: Vec<AttributeView>,
    /// The collection of this market that it belongs to, else the collection that the upstream service reports.
    #[serde(rename = "collectionName")]
    pub collection_name: Option<String>,
    /// The slug of the same collection.
    #[serde(rename = "collectionSlug")]
    pub collection_slug: Option<String>,
    /// The content type with parameters: `text/plain;charset=utf-8`.
    #[serde(rename = "contentType")]
    pub content_type: Option<String>,
    /// A URI of its content at another service.
    #[serde(rename = "contentURI")]
    pub content_uri: Option<String>,
    /// The id of the inscription.
    #[serde(rename = "inscriptionId")]
    pub inscription_id: String,
    /// Its name in its collection.
    #[serde(rename = "inscriptionName")]
    pub inscription_name: Option<String>,
    /// Its number in the order of all inscriptions, negative for cursed ones.
    #[serde(rename = "inscriptionNumber")]
    pub inscription_number: Option<i64>,
    /// The content type without parameters: `text/plain`.
    #[serde(rename = "mimeType")]
    pub mime_type: Option<String>,
    /// The amount of its output, in sats.
    pub outputvalue: Option<u64>,
    /// The address that holds it.
    pub owner: Option<String>,
    /// The service that described it: `ORD`, `BESTINSLOT`, `MAGICEDEN`, `ORDISCAN`, or the operator's name for another
    /// one.
    pub provider: String,
    /// Its outpoint, and the offset in the output.
    pub satpoint: Option<String>,
    /// The outpoint that holds it.
    pub utxo: String,
}

/// An offer from the vault, which funds the loan when the borrower has signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstantFill {
    /// The LTV above which the offer pauses, in percent times 100.
    #[serde(rename = "ltvMax")]
    pub ltv_max: u32,
    /// The signed `create offer`, with the borrower's payment address and the time as `Borrower` and `Good until`,
    /// and the number of several inscriptions as `Inscriptions`.
    pub message: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    #[serde(rename = "signatureTimestamp")]
    pub signature_timestamp: u64,
}

/// A transaction that spends outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leaving {
    /// Whether it is signed, and so possibly broadcast.
    #[serde(rename = "isSigned")]
    pub is_signed: bool,
    /// `kind`.
    pub kind: LeavingKind,
    /// The amount that leaves the vault by it, fees included.
    pub sats: u64,
    /// The id of the transaction.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// The purpose of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LeavingKind {
    /// `loan`.
    #[serde(rename = "loan")]
    Loan,
    /// `withdrawal`.
    #[serde(rename = "withdrawal")]
    Withdrawal,
    /// `move`.
    #[serde(rename = "move")]
    Move,
    /// `fee_bump`.
    #[serde(rename = "fee_bump")]
    FeeBump,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The result of a loan for its lender if it is repaid when due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LenderReturnView {
    /// Interest less platform fee, in sats.
    #[serde(rename = "gainSats")]
    pub gain_sats: u64,
    /// The platform fee, in sats.
    #[serde(rename = "platformFeeSats")]
    pub platform_fee_sats: u64,
    /// The annual percentage rate of the sum lent in percent, platform fee included; `null` above 99,999 %.
    #[serde(rename = "yearlyReturn")]
    pub yearly_return: Option<f64>,
}

/// The totals of a user as a lender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LenderTotals {
    /// The principal of overdue loans.
    #[serde(rename = "atRiskSats")]
    pub at_risk_sats: u64,
    /// The number of loans whose collateral was claimed.
    #[serde(rename = "claimedLoans")]
    pub claimed_loans: u64,
    /// The principal of loans whose collateral was claimed.
    #[serde(rename = "claimedSats")]
    pub claimed_sats: u64,
    /// The principal of all loans so far.
    #[serde(rename = "everLentSats")]
    pub ever_lent_sats: u64,
    /// The interest of repaid loans, before platform fees.
    #[serde(rename = "interestEarnedSats")]
    pub interest_earned_sats: u64,
    /// The interest of running loans.
    #[serde(rename = "interestOwedSats")]
    pub interest_owed_sats: u64,
    /// The principal of running loans.
    #[serde(rename = "lentSats")]
    pub lent_sats: u64,
    /// The number of overdue loans.
    #[serde(rename = "overdueLoans")]
    pub overdue_loans: u64,
    /// The platform fees paid for all loans so far.
    #[serde(rename = "platformFeesSats")]
    pub platform_fees_sats: u64,
    /// The number of repaid loans.
    #[serde(rename = "repaidLoans")]
    pub repaid_loans: u64,
    /// The number of running loans.
    #[serde(rename = "runningLoans")]
    pub running_loans: u64,
}

/// A lender's limits on manual offers and on absence, with the amounts that they are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LendingLimitsView {
    /// The minutes without a request or an open connection after which all offers are paused; `null` if they stay open.
    #[serde(rename = "absenceMinutes")]
    pub absence_minutes: Option<u32>,
    /// The maximum principal of manual loans outstanding at a time; `null` without a limit.
    #[serde(rename = "budgetSats")]
    pub budget_sats: Option<u64>,
    /// The collections with a budget of their own, or with principal outstanding, by id.
    pub collections: Vec<CollectionBudgetView>,
    /// The maximum principal of manual loans accepted in a UTC day; `null` without a limit.
    #[serde(rename = "dailySats")]
    pub daily_sats: Option<u64>,
    /// Whether all offers are paused for that reason.
    #[serde(rename = "isAbsent")]
    pub is_absent: bool,
    /// The principal of manual loans outstanding: accepted by their borrower, and neither repaid nor claimed.
    #[serde(rename = "outstandingSats")]
    pub outstanding_sats: u64,
    /// The principal of manual loans accepted on this UTC day, without those that never began.
    #[serde(rename = "todaySats")]
    pub today_sats: u64,
}

/// The process answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Liveness {
    /// Always `live`.
    pub status: String,
}

/// The cost of a loan to its borrower, as known at the signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoanCostView {
    /// The annual percentage rate in percent, fees included; `null` above 99,999 %.
    pub apr: Option<f64>,
    /// The interest for the whole term, in sats.
    #[serde(rename = "interestSats")]
    pub interest_sats: u64,
    /// The borrower's share of the network fee of the transactions that originate the loan, in sats.
    #[serde(rename = "originationFeeSats")]
    pub origination_fee_sats: u64,
    /// The sats of a consumed BRC-20 transfer inscription, which the repayment does not return; 0 for other collateral.
    #[serde(rename = "postageSats")]
    pub postage_sats: u64,
    /// An estimate of the repayment's network fee, at the fee rate of the origination and with one coin, in sats.
    #[serde(rename = "repaymentFeeEstimateSats")]
    pub repayment_fee_estimate_sats: u64,
    /// The total cost of credit, in sats: the sum of interest, fees and postage. The lender pays the platform fee.
    #[serde(rename = "totalCostSats")]
    pub total_cost_sats: u64,
    /// The total amount payable, in sats: principal and total cost of credit.
    #[serde(rename = "totalPayableSats")]
    pub total_payable_sats: u64,
}

/// The points of a user from one loan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoanPointsView {
    /// The collection of its collateral.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// The loan.
    #[serde(rename = "loanId")]
    pub loan_id: String,
    /// The points that it has earned so far.
    pub points: u64,
    /// The extra points of the collection, in percent.
    #[serde(rename = "pointsMultiplier")]
    pub points_multiplier: u32,
    /// The principal.
    pub principal: u64,
    /// The user's side.
    pub role: RoleName,
}

/// The process type of a loan, in the spelling of lenders' lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LoanProcessType {
    /// `Manual`.
    #[serde(rename = "Manual")]
    Manual,
    /// `Instant`.
    #[serde(rename = "Instant")]
    Instant,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The lowest fee rates at which a loan can be prepared, in sats per virtual byte, with at most three decimals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoanRatesMin {
    /// Of an instant loan.
    pub instant: f64,
    /// Of a manual loan and of a refinancing.
    pub manual: f64,
}

/// The state of a loan in the usual terms of lending markets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LoanState {
    /// `OFFERED`.
    #[serde(rename = "OFFERED")]
    Offered,
    /// `ACCEPTED`.
    #[serde(rename = "ACCEPTED")]
    Accepted,
    /// `ACTIVATING`.
    #[serde(rename = "ACTIVATING")]
    Activating,
    /// `ACTIVE`.
    #[serde(rename = "ACTIVE")]
    Active,
    /// `REPAYING`.
    #[serde(rename = "REPAYING")]
    Repaying,
    /// `REPAID`.
    #[serde(rename = "REPAID")]
    Repaid,
    /// `DEFAULTED`.
    #[serde(rename = "DEFAULTED")]
    Defaulted,
    /// `CLAIMING`.
    #[serde(rename = "CLAIMING")]
    Claiming,
    /// `CLAIMED`.
    #[serde(rename = "CLAIMED")]
    Claimed,
    /// `CANCELLED`.
    #[serde(rename = "CANCELLED")]
    Cancelled,
    /// `FAILED`.
    #[serde(rename = "FAILED")]
    Failed,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A loan's view for one of its two sides. It never contains signatures, or the parts of transactions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoanView {
    /// The time at which the borrower last accepted.
    #[serde(rename = "acceptedDate")]
    pub accepted_date: Option<u64>,
    /// Yearly yield.
    pub apy: f64,
    /// The borrower.
    #[serde(rename = "borrowerId")]
    pub borrower_id: String,
    /// The time from which the lender may take the collateral. Block times lag about an hour behind the clock.
    #[serde(rename = "claimAfter")]
    pub claim_after: u64,
    /// The type of the collateral.
    #[serde(rename = "collateralType")]
    pub collateral_type: CollateralName,
    /// The group's image.
    #[serde(rename = "collectionImgURL")]
    pub collection_img_url: String,
    /// The group's display name.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// The sub-collection of the offer.
    #[serde(rename = "collectionSlug")]
    pub collection_slug: Option<String>,
    /// The group's display symbol.
    #[serde(rename = "collectionSymbol")]
    pub collection_symbol: String,
    /// The time at which the repayment is due.
    #[serde(rename = "dueAt")]
    pub due_at: Option<u64>,
    /// The time of the block that ended it.
    #[serde(rename = "endedAt")]
    pub ended_at: Option<u64>,
    /// The kind of transaction that ends or ended it.
    pub ending: Option<EndingName>,
    /// The id of that transaction.
    #[serde(rename = "endingTransactionId")]
    pub ending_transaction_id: Option<String>,
    /// The deadline of the next signature; `null` once it is fully signed or has ended.
    #[serde(rename = "expiresAt")]
    pub expires_at: Option<u64>,
    /// The due time of an extension, whatever block it begins in; `null` for any other loan.
    #[serde(rename = "extendedUntil")]
    pub extended_until: Option<u64>,
    /// The loan that replaces this one.
    #[serde(rename = "followedBy")]
    pub followed_by: Option<String>,
    /// The loan that this one replaced.
    pub follows: Option<String>,
    /// The collateral in raw units; `null` for inscriptions.
    #[serde(rename = "fungibleAmount")]
    pub fungible_amount: Option<String>,
    /// The group of the collateral.
    #[serde(rename = "groupId")]
    pub group_id: String,
    /// The group's slug in URLs.
    #[serde(rename = "groupSlug")]
    pub group_slug: String,
    /// The pledged inscription, or the first of several; `null` for tokens.
    #[serde(rename = "inscriptionId")]
    pub inscription_id: Option<String>,
    /// All pledged inscriptions; empty for tokens.
    #[serde(rename = "inscriptionIds")]
    pub inscription_ids: Vec<String>,
    /// Interest for the whole term.
    pub interest: f64,
    /// Interest in sats.
    #[serde(rename = "interestSats")]
    pub interest_sats: u64,
    /// Whether the term is over and no repayment is confirmed.
    #[serde(rename = "isOverdue")]
    pub is_overdue: bool,
    /// The lender.
    #[serde(rename = "lenderId")]
    pub lender_id: String,
    /// Its id.
    #[serde(rename = "loanId")]
    pub loan_id: String,
    /// `Manual` or `Instant`.
    #[serde(rename = "loanProcessType")]
    pub loan_process_type: LoanProcessType,
    /// The id of the request that accepted the offer.
    #[serde(rename = "offerAcceptRequestId")]
    pub offer_accept_request_id: String,
    /// The offer that was taken.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// The repayment, interest included.
    #[serde(rename = "payoutSats")]
    pub payout_sats: u64,
    /// The platform fee paid by the lender; `null` for the borrower, who pays none.
    #[serde(rename = "platformFeeSats")]
    pub platform_fee_sats: Option<u64>,
    /// The points that it has earned the reader so far.
    pub points: u64,
    /// The time at which it was prepared.
    #[serde(rename = "preparedAt")]
    pub prepared_at: u64,
    /// The principal.
    pub principal: u64,
    /// The borrower's standing order to refinance it; `null` for the lender.
    #[serde(rename = "refinanceOrder")]
    pub refinance_order: Option<RefinanceOrderView>,
    /// The reason why this loan can never be refinanced; `null` where it can.
    #[serde(rename = "refinanceRefusal")]
    pub refinance_refusal: Option<RefinanceRefusal>,
    /// The reader's side.
    pub role: RoleName,
    /// Decimals of a token; `null` for inscriptions.
    #[serde(rename = "runeDecimals")]
    pub rune_decimals: Option<u32>,
    /// The rune's id; `null` for others.
    #[serde(rename = "runeId")]
    pub rune_id: Option<String>,
    /// The rune's name; `null` for others.
    #[serde(rename = "runeName")]
    pub rune_name: Option<String>,
    /// The stage.
    pub stage: StageName,
    /// The start of the term: the time of its block.
    #[serde(rename = "startedAt")]
    pub started_at: Option<u64>,
    /// The state, in the usual terms of lending markets.
    pub state: LoanState,
    /// The days from its first block until it is due; of an extension, the days added to the term of the loan that it
    /// follows.
    pub term: u32,
    /// The BRC-20 ticker; `null` for others.
    pub ticker: Option<String>,
    /// The id of its transaction, once it is fully signed.
    #[serde(rename = "transactionId")]
    pub transaction_id: Option<String>,
    /// The time of the last change.
    #[serde(rename = "updatedAt")]
    pub updated_at: u64,
    /// The action that the loan waits for from the reader; `null` for none.
    #[serde(rename = "waitsFor")]
    pub waits_for: Option<WaitName>,
}

/// A page of loans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoansPage {
    /// The loans, newest first. A page can be short or empty although there are more.
    pub data: Vec<LoanView>,
    /// The cursor of the next page; `null` on the last page.
    #[serde(rename = "nextCursor")]
    pub next_cursor: Option<String>,
}

/// The fragment of the link, behind its `#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MailToken {
    /// The token.
    pub token: String,
}

/// Equal offers in one sub-collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManualItem {
    /// The slug of the sub-collection.
    pub collection_slug: String,
    /// The conditions of the offers for borrowers; absent if anyone can take them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<AskedConditions>,
    /// The time from which the offers cannot be taken, in unix milliseconds, 10 minutes to a year from now; absent if
    /// they are good until they are cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_until: Option<u64>,
    /// Whether it is a hardware wallet.
    pub hardware_wallet: bool,
    /// The LTV at which it follows the floor, in hundredths of a percent; only with `principal_min_amount`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ltv_max: Option<u32>,
    /// `ordinal_address`.
    pub ordinal_address: String,
    /// `ordinal_pubkey`.
    pub ordinal_pubkey: String,
    /// The addresses and keys of the session, which will sign the loan.
    pub payment_address: String,
    /// `payment_pubkey`.
    pub payment_pubkey: String,
    /// The principal of each offer, in sats; the largest one if it follows the floor.
    pub principal_amount: u64,
    /// The least principal in sats of offers whose principal follows the floor; absent if it is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal_min_amount: Option<u64>,
    /// The number of offers, 1 to 5.
    pub quantity: u32,
    /// The wallet's name.
    pub wallet: String,
}

/// The smallest offer of each kind, in sats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinOffers {
    /// `brc20`.
    pub brc20: u64,
    /// `inscription`.
    pub inscription: u64,
    /// `instantRune`.
    #[serde(rename = "instantRune")]
    pub instant_rune: u64,
    /// `rune`.
    pub rune: u64,
}

/// A block that was mined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinedBlock {
    /// The hash of the block.
    #[serde(rename = "blockHash")]
    pub block_hash: String,
    /// The height of the block.
    pub height: u32,
}

/// A signer's key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveSigner {
    /// The BIP-340 signature by which the identity attests the key.
    pub attestation: Option<String>,
    /// The key.
    pub key: String,
    /// The identity of the signer; `null` for a single signer.
    pub signer: Option<String>,
}

/// A vault with what shows whose keys are in it: its address follows from these keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveTarget {
    /// Its address.
    pub address: String,
    /// The hash of the policy of its signers.
    #[serde(rename = "canisterId")]
    pub canister_id: String,
    /// The id of the lender in its script.
    #[serde(rename = "lenderId")]
    pub lender_id: u64,
    /// The lender's key in its script.
    #[serde(rename = "lenderKey")]
    pub lender_key: String,
    /// The policy, one rule per line.
    pub policy: String,
    /// The keys of the signers in its script; several are attested by the identities that the policy names.
    pub signers: Vec<MoveSigner>,
    /// The number of signers that sign each payment.
    #[serde(rename = "signersRequired")]
    pub signers_required: u64,
}

/// The keys of a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MyApiKeys {
    /// In the order of their creation: at most 20 that can be used, and the latest that have ended.
    pub keys: Vec<ApiKeyView>,
}

/// The delegations of a lender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MyDelegations {
    /// At most 16 that can be used, and the latest that have ended, by id.
    pub delegations: Vec<DelegationView>,
}

/// A lender's own offer with its rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MyOffer {
    /// Whether announced term changes are accepted in advance.
    #[serde(rename = "acceptsNextTerm")]
    pub accepts_next_term: bool,
    /// Yearly yield.
    pub apy: f64,
    /// The collateral for the available principal, in raw units.
    #[serde(rename = "availableCollateral")]
    pub available_collateral: String,
    /// The principal that is neither lent nor reserved.
    #[serde(rename = "availablePrincipal")]
    pub available_principal: u64,
    /// `isPausedFromInsufficientBalance` under an older name.
    pub balance_paused: bool,
    /// The principal that can be taken of the best offer.
    #[serde(rename = "bestOffer")]
    pub best_offer: Option<u64>,
    /// The id of the best offer.
    #[serde(rename = "bestOfferId")]
    pub best_offer_id: Option<String>,
    /// The raw units in a bundle; `null` where the lender sets the amount.
    #[serde(rename = "bundleSize")]
    pub bundle_size: Option<String>,
    /// The id under which the vault's signer knows it; `null` for manual offers.
    #[serde(rename = "canisterInstantID")]
    pub canister_instant_id: Option<String>,
    /// The type of the group's collateral.
    #[serde(rename = "collateralType")]
    pub collateral_type: CollateralName,
    /// The group's image.
    #[serde(rename = "collectionImgURL")]
    pub collection_img_url: String,
    /// The group's display name.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// The sub-collection's slug in requests and signed messages.
    #[serde(rename = "collectionSlug")]
    pub collection_slug: String,
    /// The group's display symbol.
    #[serde(rename = "collectionSymbol")]
    pub collection_symbol: String,
    /// Its conditions for borrowers; `null` if anyone can take it. Such an offer is not ranked.
    pub conditions: Option<ConditionsView>,
    /// The time at which it was created.
    #[serde(rename = "createdAt")]
    pub created_at: u64,
    /// The floor price in sats; `null` for tokens and while unknown.
    pub floor: Option<u64>,
    /// The collateral for the total principal, in raw units.
    #[serde(rename = "fungibleAmount")]
    pub fungible_amount: String,
    /// The time from which it cannot be taken, in unix milliseconds; `null` if it is good until it is cancelled.
    #[serde(rename = "goodUntil")]
    pub good_until: Option<u64>,
    /// The group that it is in.
    #[serde(rename = "groupId")]
    pub group_id: String,
    /// The group's slug in URLs.
    #[serde(rename = "groupSlug")]
    pub group_slug: String,
    /// The collateral that can be pledged for the best offer, where parts can be taken.
    #[serde(rename = "instantBestOfferRange")]
    pub instant_best_offer_range: Option<OfferRange>,
    /// Interest for the whole term.
    pub interest: f64,
    /// Whether its terms were agreed on with its borrower: it can be cancelled, and not edited.
    #[serde(rename = "isAgreed")]
    pub is_agreed: bool,
    /// Whether it is the best offer of its ranking.
    #[serde(rename = "isBestOffer")]
    pub is_best_offer: bool,
    /// Paused because the time until which it was good is over.
    #[serde(rename = "isExpired")]
    pub is_expired: bool,
    /// Paused by its lender.
    #[serde(rename = "isPausedByLender")]
    pub is_paused_by_lender: bool,
    /// Paused because its lender has been absent for longer than the lender's limits allow.
    #[serde(rename = "isPausedFromAbsence")]
    pub is_paused_from_absence: bool,
    /// Paused because the vault's usable balance is below the principal that can be taken.
    #[serde(rename = "isPausedFromInsufficientBalance")]
    pub is_paused_from_insufficient_balance: bool,
    /// Paused because the lender's limits do not cover the principal that can be taken; never for an instant offer.
    #[serde(rename = "isPausedFromLimits")]
    pub is_paused_from_limits: bool,
    /// Paused because its current LTV is above the cap.
    #[serde(rename = "isPausedFromMaxLTV")]
    pub is_paused_from_max_ltv: bool,
    /// Paused because the lender's payment address lacks the coins for it; for BRC-20, the one exact coin.
    #[serde(rename = "isPausedFromMissingFunds")]
    pub is_paused_from_missing_funds: bool,
    /// Paused because terms changed and the lender has not accepted them.
    #[serde(rename = "isPausedFromTerms")]
    pub is_paused_from_terms: bool,
    /// Whether its lender signed `goodUntil`: an edit signs it again, and it can only become shorter.
    #[serde(rename = "isTimeSigned")]
    pub is_time_signed: bool,
    /// `Manual` or `Instant`.
    #[serde(rename = "loanProcessType")]
    pub loan_process_type: LoanProcessType,
    /// Current LTV; `null` while no price is known.
    pub ltv: Option<f64>,
    /// `isPausedFromMaxLTV` under an older name.
    pub ltv_paused: bool,
    /// The same cap under the name of instant offers; `null` for manual offers.
    #[serde(rename = "maxInstantLTV")]
    pub max_instant_ltv: Option<f64>,
    /// The LTV above which it is paused automatically; `null` for manual offers.
    #[serde(rename = "maxLtv")]
    pub max_ltv: Option<f64>,
    /// Always `null`: lenders set no lower bound.
    #[serde(rename = "minLtv")]
    pub min_ltv: Option<f64>,
    /// A change of its terms, if one is announced or was the latest.
    #[serde(rename = "newTermChangeRequest")]
    pub new_term_change_request: Option<TermChangeView>,
    /// Its id.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// Its rank, from 1; `null` while it is not ranked.
    #[serde(rename = "offerRanking")]
    pub offer_ranking: Option<u64>,
    /// The bounds within which its principal follows the floor; `null` if it is fixed.
    pub peg: Option<PegView>,
    /// The total principal.
    pub principal: u64,
    /// The number of offers in its ranking.
    #[serde(rename = "rankedOffers")]
    pub ranked_offers: u64,
    /// Decimals of a token; `null` for inscriptions.
    #[serde(rename = "runeDecimals")]
    pub rune_decimals: Option<u32>,
    /// The rune's id; `null` for others.
    #[serde(rename = "runeId")]
    pub rune_id: Option<String>,
    /// The rune's name; `null` for others.
    #[serde(rename = "runeName")]
    pub rune_name: Option<String>,
    /// The number of its sub-collection in the group.
    #[serde(rename = "subCollectionId")]
    pub sub_collection_id: String,
    /// The tags that the list can be filtered by.
    pub tags: Vec<OfferTag>,
    /// The days until a loan is due.
    pub term: u32,
    /// The additional principal that would make it the best offer; 0 if it is already, `null` while it is not ranked.
    #[serde(rename = "toLeadSats")]
    pub to_lead_sats: Option<u64>,
    /// Sats per whole unit with eight decimals; `null` while unknown.
    #[serde(rename = "unitPrice")]
    pub unit_price: Option<String>,
    /// The time of its last change by its lender or a borrower.
    #[serde(rename = "updatedAt")]
    pub updated_at: u64,
    /// The principal that is already lent.
    #[serde(rename = "usedPrincipal")]
    pub used_principal: u64,
}

/// The caller's subscribed browsers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MyPushSubscriptions {
    /// Whether this server sends to browsers.
    #[serde(rename = "isAvailable")]
    pub is_available: bool,
    /// The largest number of browsers of one user.
    pub max: u64,
    /// The key to subscribe with (`applicationServerKey`): an uncompressed point of P-256 in base64url. A subscription under
    /// another key is refused by its push service.
    #[serde(rename = "publicKey")]
    pub public_key: Option<String>,
    /// In the order in which they were added.
    pub subscriptions: Vec<PushSubscriptionView>,
}

/// An open session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MySession {
    /// The `User-Agent` of the sign-in; empty when there was none.
    pub agent: String,
    /// The time at which the session ends unless it is renewed, in unix milliseconds.
    #[serde(rename = "endsAt")]
    pub ends_at: u64,
    /// Whether it is the session of this request.
    #[serde(rename = "isCurrent")]
    pub is_current: bool,
    /// The time of the sign-in, in unix milliseconds.
    #[serde(rename = "openedAt")]
    pub opened_at: u64,
    /// The id of the session.
    #[serde(rename = "sessionId")]
    pub session_id: String,
    /// The time of the last renewal, in unix milliseconds.
    #[serde(rename = "usedAt")]
    pub used_at: u64,
}

/// The open sessions of a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MySessions {
    /// In the order in which they were opened.
    pub sessions: Vec<MySession>,
}

/// The caller's webhooks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MyWebhooks {
    /// Whether this server calls webhooks.
    #[serde(rename = "isAvailable")]
    pub is_available: bool,
    /// The largest number of webhooks of one user.
    pub max: u64,
    /// In the order of their creation.
    pub webhooks: Vec<WebhookView>,
}

/// The caller's negotiations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NegotiationList {
    /// The negotiations by id, in all collections. One that is over is kept until its latest proposal expires, an
    /// accepted one until the borrower's time to sign is over.
    pub negotiations: Vec<NegotiationView>,
}

/// The state of a negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NegotiationStateName {
    /// `open`.
    #[serde(rename = "open")]
    Open,
    /// `accepted`.
    #[serde(rename = "accepted")]
    Accepted,
    /// `declined`.
    #[serde(rename = "declined")]
    Declined,
    /// `withdrawn`.
    #[serde(rename = "withdrawn")]
    Withdrawn,
    /// `closed`.
    #[serde(rename = "closed")]
    Closed,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A negotiation as one of its two sides sees it. It is hidden from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NegotiationView {
    /// The offer that an accepted proposal led to, for the borrower to take; `null` without one.
    #[serde(rename = "agreedOfferId")]
    pub agreed_offer_id: Option<String>,
    /// The time at which one of the two sides last did something.
    #[serde(rename = "changedAt")]
    pub changed_at: u64,
    /// The other side.
    #[serde(rename = "counterpartyId")]
    pub counterparty_id: String,
    /// The amount of tokens to pledge, in raw units; `null` with an inscription.
    #[serde(rename = "fungibleAmount")]
    pub fungible_amount: Option<String>,
    /// The group in whose book it is.
    #[serde(rename = "groupId")]
    pub group_id: String,
    /// The inscription to pledge, or the first of several; `null` with tokens.
    #[serde(rename = "inscriptionId")]
    pub inscription_id: Option<String>,
    /// All inscriptions to pledge together; empty with tokens.
    #[serde(rename = "inscriptionIds")]
    pub inscription_ids: Vec<String>,
    /// Whether the reader is to answer.
    #[serde(rename = "isYourTurn")]
    pub is_your_turn: bool,
    /// The time from which it is not kept any more: that of the latest proposal, or the borrower's time to sign.
    #[serde(rename = "keptUntil")]
    pub kept_until: u64,
    /// The running loan whose extension it is about; `null` if it is about an offer or a request.
    #[serde(rename = "loanId")]
    pub loan_id: Option<String>,
    /// Its id.
    #[serde(rename = "negotiationId")]
    pub negotiation_id: String,
    /// The offer that it began with; `null` if it is about a request or a loan.
    #[serde(rename = "offerId")]
    pub offer_id: Option<String>,
    /// The proposals, oldest first; an answer names the latest one by its number, from 1.
    pub proposals: Vec<ProposalView>,
    /// The borrow request that it began with; `null` if it is about an offer or a loan.
    #[serde(rename = "requestId")]
    pub request_id: Option<String>,
    /// The reader's side.
    pub role: RoleName,
    /// The most proposals that it can have.
    #[serde(rename = "roundsMax")]
    pub rounds_max: u64,
    /// Its state.
    pub state: NegotiationStateName,
}

/// An e-mail address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewEmail {
    /// The address, such as `name@host.example`.
    pub email: String,
}

/// The limits to set, in place of all earlier ones. A field that is absent or `null` sets no limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewLimits {
    /// The minutes without a request or an open connection after which all offers are paused, 5 to 10,080.
    #[serde(rename = "absenceMinutes", default, skip_serializing_if = "Option::is_none")]
    pub absence_minutes: Option<u32>,
    /// The maximum principal of manual loans outstanding at a time, over all collections.
    #[serde(rename = "budgetSats", default, skip_serializing_if = "Option::is_none")]
    pub budget_sats: Option<u64>,
    /// Collections with a budget of their own, at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionBudget>,
    /// The maximum principal of manual loans accepted in a UTC day.
    #[serde(rename = "dailySats", default, skip_serializing_if = "Option::is_none")]
    pub daily_sats: Option<u64>,
}

/// `NewOrdinal`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewOrdinal {
    /// `acceptNextTerm`.
    #[serde(rename = "acceptNextTerm")]
    pub accept_next_term: bool,
    /// `childCollectionSlug`.
    #[serde(rename = "childCollectionSlug")]
    pub child_collection_slug: String,
    /// `ltvMax`.
    #[serde(rename = "ltvMax")]
    pub ltv_max: u32,
    /// `principalAmountSats`.
    #[serde(rename = "principalAmountSats")]
    pub principal_amount_sats: u64,
    /// The least principal, if it follows the floor.
    #[serde(rename = "principalMinAmountSats", default, skip_serializing_if = "Option::is_none")]
    pub principal_min_amount_sats: Option<u64>,
}

/// A browser to subscribe, as its `PushSubscription` describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewPushSubscription {
    /// The browser's secret: 16 bytes in base64url.
    pub auth: String,
    /// The URL at the push service: `https`, in the public Internet.
    pub endpoint: String,
    /// The kinds of events to send to it.
    pub kinds: Vec<NoticeKind>,
    /// The browser's public key: an uncompressed point of P-256 in base64url.
    pub p256dh: String,
}

/// `NewRune`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewRune {
    /// `acceptNextTerm`.
    #[serde(rename = "acceptNextTerm")]
    pub accept_next_term: bool,
    /// `collectionSlug`.
    #[serde(rename = "collectionSlug")]
    pub collection_slug: String,
    /// Raw units as a decimal string.
    #[serde(rename = "fungibleAmount")]
    pub fungible_amount: String,
    /// `ltvMax`.
    #[serde(rename = "ltvMax")]
    pub ltv_max: u32,
    /// `principalAmountSats`.
    #[serde(rename = "principalAmountSats")]
    pub principal_amount_sats: u64,
}

/// The signers that new vaults are opened with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewSigners {
    /// The number of them.
    pub count: u64,
    /// The number of them that sign each payment.
    pub required: u64,
}

/// A webhook to register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewWebhook {
    /// The kinds of events to send to it.
    pub kinds: Vec<NoticeKind>,
    /// The URL to call: `https`, without a user name, password or fragment, in the public Internet.
    pub url: String,
}

/// An issued nonce.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NonceAnswer {
    /// The nonce.
    pub data: NonceData,
    /// Always null.
    #[serde(rename = "errorMessage")]
    pub error_message: Option<String>,
    /// Always true; errors are problems.
    pub ok: bool,
}

/// The values that the message must contain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NonceData {
    /// `Domain`.
    pub domain: String,
    /// `Expires` in unix seconds.
    pub expires: u64,
    /// `Issued` in unix seconds.
    pub issued: u64,
    /// A Bitcoin network
    pub network: String,
    /// `Nonce`: 32 hexadecimal digits.
    pub nonce: String,
}

/// The address for which a nonce is requested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NonceRequest {
    /// The address that will sign.
    pub address: String,
}

/// The kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NoticeKind {
    /// `offer_accepted`.
    #[serde(rename = "offer_accepted")]
    OfferAccepted,
    /// `counter_signature_needed`.
    #[serde(rename = "counter_signature_needed")]
    CounterSignatureNeeded,
    /// `signature_needed`.
    #[serde(rename = "signature_needed")]
    SignatureNeeded,
    /// `loan_started`.
    #[serde(rename = "loan_started")]
    LoanStarted,
    /// `due_in_72h`.
    #[serde(rename = "due_in_72h")]
    DueIn72h,
    /// `due_in_24h`.
    #[serde(rename = "due_in_24h")]
    DueIn24h,
    /// `overdue`.
    #[serde(rename = "overdue")]
    Overdue,
    /// `repayment_waits`.
    #[serde(rename = "repayment_waits")]
    RepaymentWaits,
    /// `claimable`.
    #[serde(rename = "claimable")]
    Claimable,
    /// `repaid`.
    #[serde(rename = "repaid")]
    Repaid,
    /// `claimed`.
    #[serde(rename = "claimed")]
    Claimed,
    /// `cancelled`.
    #[serde(rename = "cancelled")]
    Cancelled,
    /// `lapsed`.
    #[serde(rename = "lapsed")]
    Lapsed,
    /// `failed`.
    #[serde(rename = "failed")]
    Failed,
    /// `offer_paused`.
    #[serde(rename = "offer_paused")]
    OfferPaused,
    /// `term_change`.
    #[serde(rename = "term_change")]
    TermChange,
    /// `offer_not_admitted`.
    #[serde(rename = "offer_not_admitted")]
    OfferNotAdmitted,
    /// `offer_taken`.
    #[serde(rename = "offer_taken")]
    OfferTaken,
    /// `collateral_reclaimed`.
    #[serde(rename = "collateral_reclaimed")]
    CollateralReclaimed,
    /// `collateral_moved`.
    #[serde(rename = "collateral_moved")]
    CollateralMoved,
    /// `offer_for_you`.
    #[serde(rename = "offer_for_you")]
    OfferForYou,
    /// `request_filled`.
    #[serde(rename = "request_filled")]
    RequestFilled,
    /// `counter_offer`.
    #[serde(rename = "counter_offer")]
    CounterOffer,
    /// `counter_offer_accepted`.
    #[serde(rename = "counter_offer_accepted")]
    CounterOfferAccepted,
    /// `counter_offer_declined`.
    #[serde(rename = "counter_offer_declined")]
    CounterOfferDeclined,
    /// `refinance_cheaper`.
    #[serde(rename = "refinance_cheaper")]
    RefinanceCheaper,
    /// `refinance_ordered`.
    #[serde(rename = "refinance_ordered")]
    RefinanceOrdered,
    /// `webhook_paused`.
    #[serde(rename = "webhook_paused")]
    WebhookPaused,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A notice to a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoticeView {
    /// The time.
    pub at: u64,
    /// The display name of the collection; of a paused webhook, its host.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// An id that is the same for the same event, however often it is delivered.
    pub id: String,
    /// The kind.
    pub kind: NoticeKind,
    /// The loan that it is about.
    #[serde(rename = "loanId")]
    pub loan_id: Option<String>,
    /// The offer that it is about.
    #[serde(rename = "offerId")]
    pub offer_id: Option<String>,
    /// The reader's side of that loan.
    pub role: Option<RoleName>,
}

/// The latest notices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notices {
    /// Newest first, at most 100.
    pub data: Vec<NoticeView>,
}

/// The events that the caller wants to receive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotificationChoices {
    /// Whether critical events are sent at all.
    #[serde(rename = "criticalAlerts")]
    pub critical_alerts: bool,
    /// The kinds that are sent; no others are.
    pub kinds: Vec<NoticeKind>,
}

/// The channels on which critical events can be sent to the user outside of the app.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotificationPreferences {
    /// Whether the user wants to receive them.
    #[serde(rename = "criticalAlerts")]
    pub critical_alerts: bool,
    /// The user's e-mail address.
    pub email: Option<String>,
    /// Whether a browser of the user gets critical events by Web Push.
    #[serde(rename = "isBrowserNotified")]
    pub is_browser_notified: bool,
    /// Whether the address is verified and its mail server accepts mail.
    #[serde(rename = "isEmailVerified")]
    pub is_email_verified: bool,
    /// The user's chat with the Telegram bot.
    #[serde(rename = "telegramChatId")]
    pub telegram_chat_id: Option<i64>,
}

/// The caller's notification channels, and the kinds of events that are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notifications {
    /// Every kind of event that is a matter of choice.
    pub choices: Vec<Choice>,
    /// Whether critical events are sent at all.
    #[serde(rename = "criticalAlerts")]
    pub critical_alerts: bool,
    /// The e-mail channel.
    pub email: EmailWay,
    /// The Telegram channel.
    pub telegram: TelegramWay,
}

/// A range of inscription numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberRangeView {
    /// The first number.
    pub first: u32,
    /// The last number, included.
    pub last: u32,
}

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OembedType {
    /// `rich`.
    #[serde(rename = "rich")]
    Rich,
    /// `link`.
    #[serde(rename = "link")]
    Link,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The description of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OembedView {
    /// The time for which this may be kept, in seconds.
    pub cache_age: u32,
    /// The height of the element in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// The element to embed; it and its size are absent for a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The name of this site.
    pub provider_name: String,
    /// The address of this site.
    pub provider_url: String,
    /// The height of the picture in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnail_height: Option<u32>,
    /// The address of the picture of the link; it and its size are absent if it is larger than asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnail_url: Option<String>,
    /// The width of the picture in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnail_width: Option<u32>,
    /// The title.
    pub title: String,
    /// The kind.
    pub r#type: OembedType,
    /// The version of oEmbed: `1.0`.
    pub version: String,
    /// The width of the element in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
}

/// An offer that names the user as its borrower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfferForMe {
    /// The group in whose book it is.
    #[serde(rename = "groupId")]
    pub group_id: String,
    /// The offer.
    pub offer: BookOffer,
    /// The borrow request of the user that it fills; `null` if it fills none.
    #[serde(rename = "requestId")]
    pub request_id: Option<String>,
}

/// The ids of offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfferIds {
    /// 1 to 100 ids.
    #[serde(rename = "offerIds")]
    pub offer_ids: Vec<String>,
}

/// The amounts that can be pledged for an offer that is taken in parts, in raw units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfferRange {
    /// The minimum.
    pub from: String,
    /// The maximum.
    pub to: String,
}

/// The result for one offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfferResult {
    /// The error, if it failed.
    pub error: Option<Problem>,
    /// The id as given in the request.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// Whether the action succeeded.
    pub ok: bool,
}

/// The result for each offer, in the order of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfferResults {
    /// One result for each offer.
    pub results: Vec<OfferResult>,
}

/// The state of a public offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OfferState {
    /// `live`.
    #[serde(rename = "live")]
    Live,
    /// `reserved`.
    #[serde(rename = "reserved")]
    Reserved,
    /// `conditional`.
    #[serde(rename = "conditional")]
    Conditional,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The tags that a lender's list can be filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OfferTag {
    /// `manual`.
    #[serde(rename = "manual")]
    Manual,
    /// `instant`.
    #[serde(rename = "instant")]
    Instant,
    /// `ordinal`.
    #[serde(rename = "ordinal")]
    Ordinal,
    /// `rune`.
    #[serde(rename = "rune")]
    Rune,
    /// `brc20`.
    #[serde(rename = "brc20")]
    Brc20,
    /// `best offer`.
    #[serde(rename = "best offer")]
    BestOffer,
    /// `under offer`.
    #[serde(rename = "under offer")]
    UnderOffer,
    /// `paused`.
    #[serde(rename = "paused")]
    Paused,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The kind of collateral of the offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OfferType {
    /// `inscription`.
    #[serde(rename = "inscription")]
    Inscription,
    /// `rune`.
    #[serde(rename = "rune")]
    Rune,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The offers that only the caller can take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OffersForMe {
    /// The offers, each with the borrow request that it fills.
    pub data: Vec<OfferForMe>,
}

/// A page of offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OffersPage {
    /// The offers, oldest first in each collection.
    pub data: Vec<MyOffer>,
    /// The cursor of the next page; `null` on the last page.
    #[serde(rename = "nextCursor")]
    pub next_cursor: Option<String>,
}

/// An offer after a request of its lender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneOffer {
    /// The offer, with a new id when it was edited.
    pub offer: MyOffer,
}

/// A first proposal. Exactly one of `offerId`, `requestId` and `loanId` names what it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenNegotiation {
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The amount of tokens to pledge in raw units, with an offer that is open in its amount.
    #[serde(rename = "fungibleAmount", default, skip_serializing_if = "Option::is_none")]
    pub fungible_amount: Option<String>,
    /// The time from which it cannot be accepted, in unix milliseconds, 10 minutes to 72 hours from now.
    #[serde(rename = "goodUntil")]
    pub good_until: u64,
    /// The inscription to pledge, with an offer against inscriptions.
    #[serde(rename = "inscriptionId", default, skip_serializing_if = "Option::is_none")]
    pub inscription_id: Option<String>,
    /// The proposed interest for the whole term, in percent times 100.
    pub interest: u32,
    /// The running loan to extend, of which the caller is one of the two sides.
    #[serde(rename = "loanId", default, skip_serializing_if = "Option::is_none")]
    pub loan_id: Option<String>,
    /// The offer, of which the caller would be the borrower.
    #[serde(rename = "offerId", default, skip_serializing_if = "Option::is_none")]
    pub offer_id: Option<String>,
    /// The proposed principal; that of the loan with `loanId`.
    #[serde(rename = "principalAmountSats")]
    pub principal_amount_sats: u64,
    /// The borrow request, of which the caller would be the lender.
    #[serde(rename = "requestId", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The proposed term, in days.
    #[serde(rename = "termDays")]
    pub term_days: u32,
}

/// An offer to show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenOffer {
    /// The key in the link of an unlisted offer.
    #[serde(rename = "linkKey", default, skip_serializing_if = "Option::is_none")]
    pub link_key: Option<String>,
    /// The id of the offer.
    #[serde(rename = "offerId")]
    pub offer_id: String,
}

/// A vault to open, or to give another payment address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenVault {
    /// The id of the vault signer, which is `Vault` in the message.
    pub canister_id: String,
    /// The complete signed text.
    pub message: String,
    /// The signature of `message` by the ordinals address, whose key is in the vault's script.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
}

/// An offer that not everyone can take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedOffer {
    /// The slug of the collection group.
    #[serde(rename = "groupSlug")]
    pub group_slug: String,
    /// The inscriptions that the lender chose by their ids; ranges of numbers are in the offer's conditions.
    pub inscriptions: Vec<String>,
    /// The offer.
    pub offer: BookOffer,
}

/// A session with its token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedSession {
    /// The user of the session.
    #[serde(flatten)]
    pub session_view: SessionView,
    /// The time at which the token expires, in unix milliseconds; renew the session before.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The token for `Authorization: Bearer`.
    pub jwt: String,
}

/// A complete order book.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderBookView {
    /// The collection's row, and its unit price under the name that order books use.
    pub collection: BookCollection,
    /// The epoch of the feed; sequences are comparable only within one epoch.
    pub epoch: String,
    /// Offers against inscriptions that a vault funds, best first.
    #[serde(rename = "instantOrdinalOffers")]
    pub instant_ordinal_offers: Vec<BookOffer>,
    /// Offers against runes that a vault funds, best first.
    #[serde(rename = "instantRuneOffers")]
    pub instant_rune_offers: Vec<BookOffer>,
    /// Running loans, oldest first.
    pub loans: Vec<BookLoan>,
    /// Offers that their lenders counter-sign, best first.
    #[serde(rename = "manualOffers")]
    pub manual_offers: Vec<BookOffer>,
    /// The sequence of the book at which this snapshot was taken.
    pub seq: u64,
}

/// An instant offer against an inscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdinalQuote {
    /// `available_sats`.
    pub available_sats: u64,
    /// `interest_rate_percentage`.
    pub interest_rate_percentage: f64,
    /// `loan_term_days`.
    pub loan_term_days: u32,
    /// The current LTV; `null` while no price is known.
    pub ltv: Option<f64>,
    /// `offerId`.
    #[serde(rename = "offerId")]
    pub offer_id: String,
}

/// The state of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OutputState {
    /// `usable`.
    #[serde(rename = "usable")]
    Usable,
    /// `waiting`.
    #[serde(rename = "waiting")]
    Waiting,
    /// `leaving`.
    #[serde(rename = "leaving")]
    Leaving,
    /// `carries_assets`.
    #[serde(rename = "carries_assets")]
    CarriesAssets,
    /// `unread`.
    #[serde(rename = "unread")]
    Unread,
    /// `immature`.
    #[serde(rename = "immature")]
    Immature,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The collateral that the caller can pledge; balances of BRC-20 tokens are at `/api/v1/brc20/collateral`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnCollateral {
    /// Inscriptions that belong to a collection of this market, each alone on a confirmed output.
    pub inscriptions: Vec<OwnInscription>,
    /// Runes that are accepted as collateral, on confirmed outputs that carry nothing else.
    pub runes: Vec<OwnRune>,
}

/// The caller's balance for manual loans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnFunds {
    /// Sats on confirmed outputs of the payment address that carry nothing else and that no loan uses.
    #[serde(rename = "freeSats")]
    pub free_sats: u64,
}

/// An inscription of the caller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnInscription {
    /// The collection group that it belongs to.
    #[serde(rename = "collectionId")]
    pub collection_id: String,
    /// `collectionName`.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// The content type, with parameters.
    pub content_type: Option<String>,
    /// A URL that shows its content; `null` if no indexer reports one.
    pub content_url: Option<String>,
    /// `groupSlug`.
    #[serde(rename = "groupSlug")]
    pub group_slug: String,
    /// `inscription_id`.
    pub inscription_id: String,
    /// The name of its collection, and the beginning of its id.
    pub inscription_name: String,
    /// Its number in the order of all inscriptions; `null` if the indexer does not report it.
    pub inscription_number: Option<i64>,
    /// Whether a prepared or running loan already uses it.
    #[serde(rename = "isPromised")]
    pub is_promised: bool,
    /// The content type without parameters.
    pub mime_type: Option<String>,
}

/// An output of the vault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnOutput {
    /// The amount of the output.
    pub sats: u64,
    /// `state`.
    pub state: OutputState,
    /// The id of its transaction.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
    /// The index of the output.
    pub vout: u32,
}

/// The caller's balance of a rune.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnRune {
    /// The same part in whole tokens.
    pub free: String,
    /// The part that no loan uses, in raw units as a decimal string.
    #[serde(rename = "freeRaw")]
    pub free_raw: String,
    /// The whole balance in raw units, as a decimal string.
    pub raw: String,
    /// The block and transaction index of its etching, `840000:1`.
    #[serde(rename = "runeId")]
    pub rune_id: String,
}

/// The caller's vault: its keys, its balance, and the policy of its signer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnVault {
    /// The whole balance, reserved or not.
    #[serde(rename = "balanceSats")]
    pub balance_sats: u64,
    /// The hash of the signer's policy; `null` while the signer does not answer.
    #[serde(rename = "canisterId")]
    pub canister_id: Option<String>,
    /// The part that is reserved for borrowers who are signing.
    #[serde(rename = "heldSats")]
    pub held_sats: u64,
    /// The lender's key in its script.
    #[serde(rename = "lenderKey")]
    pub lender_key: String,
    /// The signers that new vaults are opened with, if the vault is still held by earlier ones and can move to them; `null`
    /// otherwise.
    #[serde(rename = "newSigners")]
    pub new_signers: Option<NewSigners>,
    /// The address for withdrawals.
    #[serde(rename = "paymentAddress")]
    pub payment_address: String,
    /// The signer's policy, one rule per line.
    pub policy: Option<String>,
    /// The number of vaults that the caller has moved away from.
    #[serde(rename = "previousVaults")]
    pub previous_vaults: u64,
    /// The signer's key in its script; the first of several.
    #[serde(rename = "signerKey")]
    pub signer_key: String,
    /// The keys of all signers in its script.
    #[serde(rename = "signerKeys")]
    pub signer_keys: Vec<String>,
    /// The number of signers that sign each payment.
    #[serde(rename = "signersRequired")]
    pub signers_required: u32,
    /// The part that is not reserved for a borrower who is signing.
    #[serde(rename = "usableBalanceSats")]
    pub usable_balance_sats: u64,
    /// The address for deposits.
    #[serde(rename = "vaultAddress")]
    pub vault_address: String,
    /// The amount that enters the balance with the next blocks: change, and outputs that a reorg unconfirmed.
    #[serde(rename = "waitingSats")]
    pub waiting_sats: u64,
}

/// A pause of all offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PauseAll {
    /// Id or slug of a collection; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
}

/// The reason why a webhook is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PauseReason {
    /// `by_user`.
    #[serde(rename = "by_user")]
    ByUser,
    /// `failing`.
    #[serde(rename = "failing")]
    Failing,
    /// `gone`.
    #[serde(rename = "gone")]
    Gone,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The number of offers that were paused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PausedCount {
    /// Offers that were not paused by their lender before.
    pub paused: u64,
}

/// The peg of an offer, as its lender sees it. The offer's own principal is the current one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PegView {
    /// The unit price below which the principal falls, or the offer is paused; `null` while it is.
    #[serde(rename = "fallsBelow")]
    pub falls_below: Option<String>,
    /// The share of the collateral's value that is lent, in percent.
    pub ltv: f64,
    /// The largest principal.
    #[serde(rename = "maxSats")]
    pub max_sats: u64,
    /// The least principal; at a price too low for it the offer is paused.
    #[serde(rename = "minSats")]
    pub min_sats: u64,
    /// The unit price from which the principal rises, or the offer is open again; `null` at the largest principal.
    #[serde(rename = "risesAt")]
    pub rises_at: Option<String>,
    /// The step by which the principal moves.
    #[serde(rename = "stepSats")]
    pub step_sats: u64,
}

/// A transfer inscription that was broadcast and cannot be used yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingTransfer {
    /// In whole tokens.
    pub amount: String,
    /// The id of the order.
    #[serde(rename = "orderId")]
    pub order_id: String,
    /// In lower case.
    pub ticker: String,
    /// The id of the transaction that reveals it.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// Transfer inscriptions that were broadcast and cannot be used yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingTransfers {
    /// By order id.
    pub orders: Vec<PendingTransfer>,
}

/// Everything that is stored about a user, without secrets: those of keys and webhooks are not stored, or derived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonalExport {
    /// Everything but the loans.
    pub account: ExportedAccount,
    /// Whether all loans are in it.
    #[serde(rename = "hasAllLoans")]
    pub has_all_loans: bool,
    /// The loans on either side, the latest first, at most 100,000.
    pub loans: Vec<LoanView>,
}

/// A loan to request. Exactly one of `inscriptionId`, `inscriptionIds` and `fungibleAmount` names the collateral.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceRequest {
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// The slug of the collection.
    pub collection: String,
    /// The amount of tokens to pledge, in raw units.
    #[serde(rename = "fungibleAmount", default, skip_serializing_if = "Option::is_none")]
    pub fungible_amount: Option<String>,
    /// The time from which it cannot be filled, in unix milliseconds and whole seconds, 10 minutes to 31 days from now.
    #[serde(rename = "goodUntil")]
    pub good_until: u64,
    /// The inscription to pledge.
    #[serde(rename = "inscriptionId", default, skip_serializing_if = "Option::is_none")]
    pub inscription_id: Option<String>,
    /// The inscriptions to pledge together, up to 20, each once.
    #[serde(rename = "inscriptionIds", default, skip_serializing_if = "Option::is_none")]
    pub inscription_ids: Option<Vec<String>>,
    /// The highest interest for the whole term, in percent times 100.
    #[serde(rename = "interestMax")]
    pub interest_max: u32,
    /// The complete signed text.
    pub message: String,
    /// The wanted principal.
    #[serde(rename = "principalAmountSats")]
    pub principal_amount_sats: u64,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    #[serde(rename = "signatureTimestamp")]
    pub signature_timestamp: u64,
    /// The longest term, in days.
    #[serde(rename = "termMaxDays")]
    pub term_max_days: u32,
    /// The shortest term, in days.
    #[serde(rename = "termMinDays")]
    pub term_min_days: u32,
}

/// A borrow request that was placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedRequest {
    /// Its id.
    #[serde(rename = "requestId")]
    pub request_id: String,
}

/// The total points of a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointTotals {
    /// Points for borrowing.
    #[serde(rename = "asBorrower")]
    pub as_borrower: u64,
    /// Points for lending.
    #[serde(rename = "asLender")]
    pub as_lender: u64,
    /// All points.
    pub total: u64,
}

/// The total points, and a page of the loans that earned them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointsPage {
    /// The totals of all loans.
    #[serde(flatten)]
    pub point_totals: PointTotals,
    /// The loans that earned points, newest first. A page can be short or empty although there are more.
    pub data: Vec<LoanPointsView>,
    /// The cursor of the next page; `null` on the last page.
    #[serde(rename = "nextCursor")]
    pub next_cursor: Option<String>,
}

/// The totals of a user's loans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortfolioView {
    /// The totals as a borrower.
    #[serde(rename = "asBorrower")]
    pub as_borrower: BorrowerTotals,
    /// The totals as a lender.
    #[serde(rename = "asLender")]
    pub as_lender: LenderTotals,
    /// The numbers of loans that wait for the user.
    pub waiting: WaitingCounts,
}

/// A manual offer to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareAcceptance {
    /// `borrower_ordinal_address`.
    pub borrower_ordinal_address: String,
    /// `borrower_ordinal_pubkey`.
    pub borrower_ordinal_pubkey: String,
    /// The addresses and keys of the session, which sign the loan.
    pub borrower_payment_address: String,
    /// `borrower_payment_pubkey`.
    pub borrower_payment_pubkey: String,
    /// The wallet's name.
    pub borrower_wallet: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// Sats per virtual byte, with at most three decimals.
    #[serde(rename = "feeRate")]
    pub fee_rate: f64,
    /// Whether it is a hardware wallet.
    pub hardware_wallet: bool,
    /// The inscription to pledge; with BRC-20 the transfer inscription, if one in particular is wanted.
    #[serde(rename = "inscriptionId", default, skip_serializing_if = "Option::is_none")]
    pub inscription_id: Option<String>,
    /// The inscriptions to pledge together, for an offer that fills a borrow request for several.
    #[serde(rename = "inscriptionIds", default, skip_serializing_if = "Vec::is_empty")]
    pub inscription_ids: Vec<String>,
    /// The key in the link of an unlisted offer.
    #[serde(rename = "linkKey", default, skip_serializing_if = "Option::is_none")]
    pub link_key: Option<String>,
    /// The id of the offer.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// The caller's loan that this one refinances: its collateral is pledged again, and its lender is repaid.
    #[serde(rename = "refinancedLoanId", default, skip_serializing_if = "Option::is_none")]
    pub refinanced_loan_id: Option<String>,
}

/// The fee rate of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareClaim {
    /// Sats per virtual byte, with at most three decimals.
    #[serde(rename = "feeRate")]
    pub fee_rate: f64,
}

/// The next term of a loan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareExtension {
    /// Sats per virtual byte, with at most three decimals.
    #[serde(rename = "feeRate")]
    pub fee_rate: f64,
    /// The negotiation about this loan in which both sides agreed on interest and term.
    #[serde(rename = "negotiationId", default, skip_serializing_if = "Option::is_none")]
    pub negotiation_id: Option<String>,
    /// The length of the next term in days, counted from the day on which the loan is due: the loan's own term, another
    /// one of its collection, or with `negotiationId` the agreed one.
    #[serde(rename = "termDays")]
    pub term_days: u32,
}

/// The collateral, fee rate and keys of an instant loan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareInstantLoan {
    /// `borrower_ordinal_address`.
    pub borrower_ordinal_address: String,
    /// `borrower_ordinal_pubkey`.
    pub borrower_ordinal_pubkey: String,
    /// The addresses and keys of the session, which sign the loan.
    pub borrower_payment_address: String,
    /// `borrower_payment_pubkey`.
    pub borrower_payment_pubkey: String,
    /// The wallet's name.
    pub borrower_wallet: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cf_turnstile_response: Option<String>,
    /// Sats per virtual byte, with at most three decimals.
    pub fee_rate: f64,
    /// Whether it is a hardware wallet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_wallet: Option<bool>,
    /// The inscription to pledge, in a collection of inscriptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inscription_id: Option<String>,
    /// The inscriptions to pledge together, for an offer that fills a borrow request for several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inscription_ids: Vec<String>,
    /// The caller's loan that this one refinances: its collateral is pledged again, and its lender is repaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinanced_loan_id: Option<String>,
    /// The number of tokens to pledge as a decimal string, in a collection of a rune.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_amount: Option<String>,
}

/// A move to prepare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareMove {
    /// Sats per virtual byte, with at most three decimals.
    pub fee_rate: f64,
}

/// A payment to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparePayment {
    /// Sats per virtual byte, with at most three decimals.
    pub fee_rate: f64,
    /// The amount of the payment, in one output.
    pub sats: u64,
}

/// Loans to repay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareRepayment {
    /// Sats per virtual byte, with at most three decimals.
    #[serde(rename = "feeRate")]
    pub fee_rate: f64,
    /// 1 to 10 loans, repaid in one transaction.
    #[serde(rename = "loanIds")]
    pub loan_ids: Vec<String>,
}

/// A transfer inscription to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareTransfer {
    /// In whole tokens, as a decimal string.
    pub amount: String,
    /// Sats per virtual byte, with at most three decimals.
    #[serde(rename = "feeRate")]
    pub fee_rate: f64,
    /// The payment address of the session, whose coins pay.
    #[serde(rename = "paymentAddress")]
    pub payment_address: String,
    /// Its public key.
    #[serde(rename = "paymentPubkey")]
    pub payment_pubkey: String,
    /// The ordinals address of the session, which has the balance and receives the inscription.
    #[serde(rename = "recieveAddress")]
    pub recieve_address: String,
    /// The token's ticker; case is ignored.
    pub ticker: String,
}

/// A withdrawal to prepare.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrepareWithdrawal {
    /// Sats per virtual byte, with at most three decimals.
    pub fee_rate: f64,
    /// The amount that leaves the vault, the fee included; by default all that one transaction can take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sats: Option<u64>,
}

/// A loan that waits for the borrower's signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedAcceptance {
    /// The contract that the transactions follow from, to be checked by the client. For an instant loan it includes the
    /// signatures of the repayment, which exist already.
    pub contract: ContractView,
    /// The cost to the borrower.
    pub cost: LoanCostView,
    /// The time at which it lapses unless it is signed, in unix milliseconds.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The id of the loan once it is accepted.
    #[serde(rename = "loanId")]
    pub loan_id: String,
    /// The id of the loan until it is accepted.
    #[serde(rename = "offerAcceptRequestId")]
    pub offer_accept_request_id: String,
    /// With BRC-20, the second transaction to sign, which reveals the transfer inscription into the escrow.
    #[serde(rename = "revealBase64", default, skip_serializing_if = "Option::is_none")]
    pub reveal_base64: Option<String>,
    /// The inputs of the second transaction to sign, and how.
    #[serde(rename = "revealSides", default, skip_serializing_if = "Option::is_none")]
    pub reveal_sides: Option<Vec<Side>>,
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// The transaction to sign, a PSBT in base64.
    #[serde(rename = "transactionBase64")]
    pub transaction_base64: String,
}

/// The transactions that the lender's wallet signs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedCountersignature {
    /// The outcomes of the borrower's other loans.
    #[serde(rename = "borrowerRecord")]
    pub borrower_record: BorrowerRecordView,
    /// The contract that the transactions follow from, to be checked by the client.
    pub contract: ContractView,
    /// The time at which the loan lapses unless it is signed, in unix milliseconds.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The result for the lender.
    #[serde(rename = "lenderReturn")]
    pub lender_return: LenderReturnView,
    /// The repayment, pre-signed in both of its versions (2 and 3), so that the borrower can repay without the lender.
    pub payouts: Vec<TransactionToSign>,
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// The origination, a PSBT in base64, without the borrower's signatures.
    #[serde(rename = "transactionBase64")]
    pub transaction_base64: String,
    /// The id that the origination will have.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// A transaction that ends a loan, to be signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedEnding {
    /// The fee, in sats.
    #[serde(rename = "feeSats")]
    pub fee_sats: u64,
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// A PSBT in base64.
    #[serde(rename = "transactionBase64")]
    pub transaction_base64: String,
    /// The id that the transaction will have.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// An extension that waits for the borrower's signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedExtension {
    /// The time after which the lender may claim the collateral, in unix milliseconds.
    #[serde(rename = "claimAfter")]
    pub claim_after: u64,
    /// The contract that the transaction follows from, to be checked by the client.
    pub contract: ContractView,
    /// The cost of the next term to the borrower. The interest of the running one is no part of it.
    pub cost: LoanCostView,
    /// The time at which it is due, in unix milliseconds.
    #[serde(rename = "dueAt")]
    pub due_at: u64,
    /// The time at which the extension lapses unless it is signed, in unix milliseconds.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The id of the extension, which is the id of the loan that follows.
    #[serde(rename = "extensionRequestId")]
    pub extension_request_id: String,
    /// The interest of the running term, in sats, which this transaction pays to the lender.
    #[serde(rename = "interestNowSats")]
    pub interest_now_sats: u64,
    /// The interest of the next term, in sats.
    #[serde(rename = "interestSats")]
    pub interest_sats: u64,
    /// The amount to repay at the end of the next term, in sats.
    #[serde(rename = "payoutSats")]
    pub payout_sats: u64,
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// The transaction to sign, a PSBT in base64.
    #[serde(rename = "transactionBase64")]
    pub transaction_base64: String,
    /// The id that the transaction will have.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// A move that waits for the caller's signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedMove {
    /// The amount that arrives.
    #[serde(rename = "arrivesSats")]
    pub arrives_sats: u64,
    /// `Expires` of the message, in unix seconds.
    pub expires: u64,
    /// The highest fee, which the message states and the signers check.
    #[serde(rename = "feeMaxSats")]
    pub fee_max_sats: u64,
    /// The fee.
    #[serde(rename = "feeSats")]
    pub fee_sats: u64,
    /// The address that the vault has now.
    #[serde(rename = "fromAddress")]
    pub from_address: String,
    /// The text to sign with the ordinals address, whose key is in the scripts of both vaults.
    pub message: String,
    /// The number of these outputs.
    pub outputs: u64,
    /// The sum of the outputs that move.
    pub sats: u64,
    /// `Issued` of the message, in unix seconds: the `signature_timestamp` of the submission.
    #[serde(rename = "signatureTimestamp")]
    pub signature_timestamp: u64,
    /// The amount at that address which stays: it carries inscriptions or runes, or is not known to the indexer yet.
    #[serde(rename = "staysSats")]
    pub stays_sats: u64,
    /// The vault that it moves to.
    pub to: MoveTarget,
}

/// A payment that waits for the caller's signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedPayment {
    /// The destination address.
    pub address: String,
    /// The change that returns to the payment address.
    #[serde(rename = "changeSats")]
    pub change_sats: u64,
    /// The fee.
    #[serde(rename = "feeSats")]
    pub fee_sats: u64,
    /// The amount of the payment, in one output.
    pub sats: u64,
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// The transaction to sign, a PSBT in base64.
    #[serde(rename = "transactionBase64")]
    pub transaction_base64: String,
}

/// An order that waits for the caller's signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedTransfer {
    /// The time at which the order lapses unless it is signed, in unix milliseconds.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The fees of both transactions together, in sats.
    #[serde(rename = "feeSats")]
    pub fee_sats: u64,
    /// The id of the order, for the commit.
    #[serde(rename = "orderId")]
    pub order_id: String,
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// The transaction to sign, a PSBT in base64.
    #[serde(rename = "transactionBase64")]
    pub transaction_base64: String,
}

/// A withdrawal that waits for the caller's signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedWithdrawal {
    /// The amount that arrives at the payment address.
    #[serde(rename = "arrivesSats")]
    pub arrives_sats: u64,
    /// The change that returns to the vault, where it counts again once it is confirmed.
    #[serde(rename = "backSats")]
    pub back_sats: u64,
    /// `Expires` of the message, in unix seconds.
    pub expires: u64,
    /// The highest fee, which the message states and the vault signer checks.
    #[serde(rename = "feeMaxSats")]
    pub fee_max_sats: u64,
    /// The fee.
    #[serde(rename = "feeSats")]
    pub fee_sats: u64,
    /// The text to sign with the payment address.
    pub message: String,
    /// The number of vault outputs that are spent.
    pub outputs: u64,
    /// The destination address.
    #[serde(rename = "paymentAddress")]
    pub payment_address: String,
    /// The amount that leaves the vault, the fee included.
    pub sats: u64,
    /// `Issued` of the message, in unix seconds: the `signature_timestamp` of the submission.
    #[serde(rename = "signatureTimestamp")]
    pub signature_timestamp: u64,
}

/// A vault that was moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreviousVault {
    /// Its address.
    pub address: String,
    /// The number of outputs there.
    pub outputs: u64,
    /// The confirmed amount at that address. Its signers sign nothing for it any more: the kit of that address takes it out.
    pub sats: u64,
}

/// The vaults that the caller has moved away from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreviousVaults {
    /// Each of them, the latest last.
    pub data: Vec<PreviousVault>,
}

/// Changes of the price; `null` where too little is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceChanges {
    /// In the last 24 hours.
    pub change24h: Option<f64>,
    /// In the last 30 days.
    pub change30d: Option<f64>,
    /// In the last 7 days.
    pub change7d: Option<f64>,
}

/// A price chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceHistory {
    /// The points, oldest first, at most one per step; steps without a trade are omitted.
    pub data: Vec<PricePoint>,
    /// The change from the beginning of the range until now; `null` when only one price is known.
    #[serde(rename = "priceChange")]
    pub price_change: Option<f64>,
}

/// The reason why new prices were not adopted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason")]
pub enum PriceHold {
    /// No marketplace has reported a price recently.
    #[serde(rename = "noSource")]
    NoSource,
    /// Too few marketplaces have reported a price recently.
    #[serde(rename = "tooFewSources")]
    TooFewSources {
        /// The number of marketplaces that have.
        found: u64,
        /// The number required.
        needed: u64,
    },
    /// The marketplaces disagree.
    #[serde(rename = "disagreement")]
    Disagreement {
        /// The highest price.
        high: f64,
        /// The lowest price.
        low: f64,
    },
    /// The price moved so far that further rounds must confirm it.
    #[serde(rename = "jump")]
    Jump {
        /// The number of rounds that reported it.
        rounds: u32,
        /// The number of rounds required.
        #[serde(rename = "roundsNeeded")]
        rounds_needed: u32,
        /// The new price.
        to: f64,
    },
    /// A kind that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// One point of a price chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PricePoint {
    /// The start of the step.
    pub date: u64,
    /// The last price in that step.
    pub price: f64,
}

/// The origin of a collection's price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceSource {
    /// The time of the last request to marketplaces, in unix milliseconds; absent if an operator sets the price.
    #[serde(rename = "askedAt", default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<u64>,
    /// Whether the operator permits a price from one marketplace alone, within narrower bounds and after more rounds.
    #[serde(rename = "believesOneSource")]
    pub believes_one_source: bool,
    /// The reason why the last prices were not adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<PriceHold>,
    /// Whether only one marketplace reports a price now.
    #[serde(rename = "isOneSource")]
    pub is_one_source: bool,
    /// The price at which loans are valued, in sats per whole unit; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The marketplaces that were asked.
    pub sources: Vec<PriceTeller>,
    /// The time at which their price was last adopted, in unix milliseconds.
    #[serde(rename = "takenAt", default, skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<u64>,
}

/// A marketplace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceTeller {
    /// Whether it reported no price in the last round.
    #[serde(rename = "isSilent")]
    pub is_silent: bool,
    /// The name of the marketplace.
    pub name: String,
    /// Its last reported price, in sats per whole unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The time of that report, in unix milliseconds.
    #[serde(rename = "toldAt", default, skip_serializing_if = "Option::is_none")]
    pub told_at: Option<u64>,
}

/// The body of an error (RFC 9457).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The code, for programs.
    pub code: ErrorCode,
    /// A description of this occurrence, for humans.
    pub detail: String,
    /// The `X-Request-Id` of the answer; `null` on the feed.
    #[serde(rename = "requestId")]
    pub request_id: Option<String>,
    /// The HTTP status.
    pub status: u32,
    /// The title, which is the same for every occurrence of the code.
    pub title: String,
    /// `/errors/` followed by the code.
    pub r#type: String,
    /// The values on which the refusal is based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<serde_json::Value>,
}

/// The process type of a loan, by its name on the wire; lenders' lists capitalise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProcessName {
    /// `manual`.
    #[serde(rename = "manual")]
    Manual,
    /// `instant`.
    #[serde(rename = "instant")]
    Instant,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// Terms that one side proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalView {
    /// The side that made it.
    pub by: RoleName,
    /// The time from which it cannot be accepted, in unix milliseconds.
    #[serde(rename = "goodUntil")]
    pub good_until: u64,
    /// The interest for the whole term.
    #[serde(rename = "interestRatePercentage")]
    pub interest_rate_percentage: f64,
    /// The days until the loan is due.
    #[serde(rename = "loanTermDays")]
    pub loan_term_days: u32,
    /// The principal.
    #[serde(rename = "principalAmountSats")]
    pub principal_amount_sats: u64,
}

/// Cloudflare Turnstile on this site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicBotCheck {
    /// The action that the challenge is rendered for; tokens for any other action are refused.
    pub action: String,
    /// The public key.
    #[serde(rename = "siteKey")]
    pub site_key: String,
}

/// The settings that clients need to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicConfig {
    /// The parameters of the challenge when an offer is refused for lack of one; `null` if none is ever required.
    #[serde(rename = "botCheck")]
    pub bot_check: Option<PublicBotCheck>,
    /// Whether the market is simulated.
    pub demo: bool,
    /// The domain that signed messages must name.
    pub domain: String,
    /// Whether the server has a Bitcoin node; without one there are offers, but no loans.
    #[serde(rename = "hasNode")]
    pub has_node: bool,
    /// The limits of offers.
    pub limits: PublicLimits,
    /// A Bitcoin network
    pub network: String,
    /// The lender's fee to the platform at origination; `null` if none is charged.
    #[serde(rename = "platformFee")]
    pub platform_fee: Option<PublicPlatformFee>,
    /// The hash of the vault signer's policy (`canisterId`); `null` while no signer is available.
    #[serde(rename = "vaultSignerId")]
    pub vault_signer_id: Option<String>,
}

/// The market's limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicLimits {
    /// The largest number of equal offers created at a time.
    #[serde(rename = "countMax")]
    pub count_max: u32,
    /// The default difference between LTV and maximum LTV, in percent.
    #[serde(rename = "defaultMaxLtvOffset")]
    pub default_max_ltv_offset: u32,
    /// The highest LTV of an offer, in percent.
    #[serde(rename = "maxLtv")]
    pub max_ltv: u32,
    /// The largest offer in sats.
    #[serde(rename = "maxOfferSats")]
    pub max_offer_sats: u64,
    /// The smallest difference between LTV and maximum LTV of an instant rune offer, in percent.
    #[serde(rename = "minLtvGap")]
    pub min_ltv_gap: u32,
    /// `minOfferSats`.
    #[serde(rename = "minOfferSats")]
    pub min_offer_sats: MinOffers,
    /// The highest interest that can be negotiated, in percent times 100.
    #[serde(rename = "negotiatedInterestMax")]
    pub negotiated_interest_max: u32,
    /// The longest term that can be negotiated, in days.
    #[serde(rename = "negotiatedTermMaxDays")]
    pub negotiated_term_max_days: u32,
    /// The largest number of prepared loans of one borrower.
    #[serde(rename = "preparedMax")]
    pub prepared_max: u64,
    /// The largest number of prepared loans of one borrower with the same lender.
    #[serde(rename = "preparedPerLenderMax")]
    pub prepared_per_lender_max: u64,
}

/// The platform's share of the interest, rounded down to whole sats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicPlatformFee {
    /// A smaller share is not charged: its output would be dust.
    #[serde(rename = "minSats")]
    pub min_sats: u64,
    /// The share in percent of the interest.
    pub percent: u64,
}

/// One publication of heads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Publication {
    /// The time of the publication.
    pub at: u64,
    /// The heads of all books.
    pub books: Vec<PublishedHead>,
    /// The SHA-256 of this statement, by which its timestamp is asked for.
    pub digest: String,
    /// A commit of the journal: everything that the heads contain is in it or in earlier ones.
    pub position: u64,
    /// The SHA-256 of the statement that was published before; `null` in the first one.
    pub previous: Option<String>,
    /// The statement and its signature, as `lienbook audit` reads them: both in base64url, with a dot between them.
    pub signed: String,
}

/// The published head of one book's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedHead {
    /// The slug of the collection.
    pub collection: String,
    /// The hash that commits to all events up to it.
    pub hash: String,
    /// The sequence of the last event.
    pub sequence: u64,
}

/// The kinds of events to send to a browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PushKinds {
    /// The kinds; no others are sent.
    pub kinds: Vec<NoticeKind>,
}

/// A subscribed browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PushSubscriptionView {
    /// The time at which it was added, in unix milliseconds.
    #[serde(rename = "addedAt")]
    pub added_at: u64,
    /// The `User-Agent` of the browser; empty when there was none.
    pub agent: String,
    /// The URL at the push service, by which a browser recognizes its own.
    pub endpoint: String,
    /// The kinds of events that are sent to it.
    pub kinds: Vec<NoticeKind>,
    /// The id.
    #[serde(rename = "pushId")]
    pub push_id: String,
}

/// A delivery that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueuedDelivery {
    /// Its id; `null` if the event waits already.
    #[serde(rename = "deliveryId")]
    pub delivery_id: Option<String>,
}

/// A replay that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueuedReplay {
    /// The number of events to be sent.
    pub count: u64,
}

/// The best offer against an inscription of a collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuoteView {
    /// The best offer that anyone can take; `null` when there is none.
    pub best: Option<BestQuoteView>,
    /// The name of the collection.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// The floor price in sats; `null` while unknown.
    pub floor: Option<u64>,
    /// The slug of the collection.
    #[serde(rename = "groupSlug")]
    pub group_slug: String,
    /// The inscription that was asked about; `null` without one.
    #[serde(rename = "inscriptionId")]
    pub inscription_id: Option<String>,
    /// Whether new offers are accepted.
    #[serde(rename = "isLendingAllowed")]
    pub is_lending_allowed: bool,
}

/// The aggregates over all live offers of one process type in one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quotes {
    /// The yearly yield of the best offer.
    pub apy: Option<f64>,
    /// The principal that can be taken of the best offer, the one with the most sats per unit of collateral.
    #[serde(rename = "bestOffer")]
    pub best_offer: Option<u64>,
    /// The id of the best offer.
    #[serde(rename = "bestOfferId")]
    pub best_offer_id: Option<String>,
    /// The number of the best offer's sub-collection.
    #[serde(rename = "bestSubCollectionId")]
    pub best_sub_collection_id: Option<String>,
    /// The amounts that the best instant rune offer takes.
    #[serde(rename = "instantBestOfferRange")]
    pub instant_best_offer_range: Option<OfferRange>,
    /// The interest of the best offer for the whole term.
    pub interest: Option<f64>,
    /// The number of lenders with live offers.
    #[serde(rename = "lenderCount")]
    pub lender_count: u64,
    /// The principal that can be borrowed in total.
    #[serde(rename = "liquiditySats")]
    pub liquidity_sats: u64,
    /// The current LTV of the best offer.
    pub ltv: Option<f64>,
    /// The highest yearly yield of all terms.
    #[serde(rename = "maxAPY")]
    pub max_apy: f64,
    /// The highest current LTV of all.
    #[serde(rename = "maxLtv")]
    pub max_ltv: Option<f64>,
    /// The lowest interest of all terms.
    #[serde(rename = "minInterest")]
    pub min_interest: f64,
    /// The lowest current LTV of all.
    #[serde(rename = "minLtv")]
    pub min_ltv: Option<f64>,
    /// The ids of the offers after the best, at most five: of the same sub-collection, and with at least 98 % of its
    /// quote.
    #[serde(rename = "nextBestOffers")]
    pub next_best_offers: Vec<String>,
    /// The number of offers that can be taken.
    #[serde(rename = "offerCount")]
    pub offer_count: u64,
    /// The term of the best offer, in days.
    pub term: Option<u32>,
    /// The number of offers with a reservation now.
    #[serde(rename = "underOfferCount")]
    pub under_offer_count: u64,
}

/// The server accepts requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Readiness {
    /// The number of collection groups.
    pub collections: u64,
    /// The epoch of the feed; sequences are comparable only within one epoch.
    pub epoch: String,
    /// Always `ready`.
    pub status: String,
}

/// Offers that loans could move to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefinanceList {
    /// `refinances`.
    pub refinances: Vec<RefinanceView>,
}

/// A borrower's standing order to refinance a loan near its due date.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefinanceOrderView {
    /// The number of days before the due date from which an offer is looked for.
    #[serde(rename = "daysBefore")]
    pub days_before: u32,
    /// The highest interest for the whole term of the next loan.
    #[serde(rename = "interestMaxPercentage")]
    pub interest_max_percentage: f64,
    /// The least principal of the next loan.
    #[serde(rename = "principalMinSats")]
    pub principal_min_sats: u64,
    /// The longest term of the next loan, in days.
    #[serde(rename = "termMaxDays")]
    pub term_max_days: u32,
    /// The shortest term of the next loan, in days.
    #[serde(rename = "termMinDays")]
    pub term_min_days: u32,
}

/// The reason why a loan cannot be refinanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RefinanceRefusal {
    /// `transfer_note`.
    #[serde(rename = "transfer_note")]
    TransferNote,
    /// `no_such_bundle`.
    #[serde(rename = "no_such_bundle")]
    NoSuchBundle,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// An offer that a running loan could move to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefinanceView {
    /// Its interest for the whole term.
    #[serde(rename = "interestPercentage")]
    pub interest_percentage: f64,
    /// Whether it is within the borrower's standing order; otherwise it is at least 10 percent cheaper per day.
    #[serde(rename = "isOrdered")]
    pub is_ordered: bool,
    /// The running loan.
    #[serde(rename = "loanId")]
    pub loan_id: String,
    /// The offer.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// The amount to repay at its end.
    #[serde(rename = "payoutSats")]
    pub payout_sats: u64,
    /// The principal of the next loan.
    #[serde(rename = "principalSats")]
    pub principal_sats: u64,
    /// Its process type.
    pub process: ProcessName,
    /// The part of the interest per day of principal that it saves; negative where it costs more.
    #[serde(rename = "savedPercentage")]
    pub saved_percentage: f64,
    /// Its term, in days.
    #[serde(rename = "termDays")]
    pub term_days: u32,
}

/// An item that was not created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedItem {
    /// The reason.
    pub error: Problem,
    /// The index of the item in the request, from 0.
    pub index: u64,
}

/// The data that was removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovedPersonalData {
    /// Whether there was an e-mail address.
    pub email: bool,
    /// The number of favourite collections.
    pub favourites: u64,
    /// The number of subscribed browsers.
    #[serde(rename = "pushSubscriptions")]
    pub push_subscriptions: u64,
    /// Whether a Telegram chat was linked.
    pub telegram: bool,
    /// The number of webhooks, each with the record of its deliveries.
    pub webhooks: u64,
}

/// The begin of a replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayRequest {
    /// The id of the last event that is not to be sent again.
    #[serde(rename = "afterEventId", default, skip_serializing_if = "Option::is_none")]
    pub after_event_id: Option<String>,
    /// The time of the first event to send, in unix milliseconds; ignored with `afterEventId`, and 0 without both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// The borrower of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestBorrower {
    /// The payment address, to which the principal is paid; an offer from a vault names it.
    #[serde(rename = "paymentAddress")]
    pub payment_address: String,
}

/// Borrow requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestList {
    /// The requests, filled ones included until their loan starts. Those of one collection are ranked for lenders: lowest
    /// principal per unit first, then highest interest, then earliest; filled ones come last. Those of all collections are
    /// in the order of their ids.
    pub requests: Vec<RequestView>,
}

/// The state of a borrow request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RequestState {
    /// `open`.
    #[serde(rename = "open")]
    Open,
    /// `filled`.
    #[serde(rename = "filled")]
    Filled,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// A borrower's request for sats against collateral.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestView {
    /// The borrower.
    #[serde(rename = "borrowerId")]
    pub borrower_id: String,
    /// The time at which it was placed.
    #[serde(rename = "createdAt")]
    pub created_at: u64,
    /// The amount of tokens to pledge, in raw units; `null` with an inscription.
    #[serde(rename = "fungibleAmount")]
    pub fungible_amount: Option<String>,
    /// The time from which it cannot be filled, in unix milliseconds.
    #[serde(rename = "goodUntil")]
    pub good_until: u64,
    /// The group in whose book it is.
    #[serde(rename = "groupId")]
    pub group_id: String,
    /// The inscription to pledge, or the first of several; `null` with tokens.
    #[serde(rename = "inscriptionId")]
    pub inscription_id: Option<String>,
    /// All inscriptions to pledge together; empty with tokens.
    #[serde(rename = "inscriptionIds")]
    pub inscription_ids: Vec<String>,
    /// The highest interest for the whole term.
    #[serde(rename = "interestMaxPercentage")]
    pub interest_max_percentage: f64,
    /// The wanted principal.
    #[serde(rename = "principalAmountSats")]
    pub principal_amount_sats: u64,
    /// Its id.
    #[serde(rename = "requestId")]
    pub request_id: String,
    /// Whether a lender can fill it.
    pub state: RequestState,
    /// The longest term, in days.
    #[serde(rename = "termMaxDays")]
    pub term_max_days: u32,
    /// The shortest term, in days.
    #[serde(rename = "termMinDays")]
    pub term_min_days: u32,
}

/// The effect of a revocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevokedDelegation {
    /// The offers under it that were cancelled now; one that a borrower is signing for is paused.
    #[serde(rename = "cancelledOfferIds")]
    pub cancelled_offer_ids: Vec<String>,
    /// The delegation afterwards: `revoked`, or `revoking` until the vault signer has confirmed it.
    pub delegation: DelegationView,
}

/// A side of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RoleName {
    /// `borrower`.
    #[serde(rename = "borrower")]
    Borrower,
    /// `lender`.
    #[serde(rename = "lender")]
    Lender,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// One collection group with everything that the tables show of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The type of its collateral.
    #[serde(rename = "collateralType")]
    pub collateral_type: CollateralName,
    /// Its image.
    #[serde(rename = "collectionImgURL")]
    pub collection_img_url: String,
    /// Its display name.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// Its display symbol.
    #[serde(rename = "collectionSymbol")]
    pub collection_symbol: String,
    /// A link to the collection on another site.
    #[serde(rename = "externalCollectionLink")]
    pub external_collection_link: Option<String>,
    /// The floor price in sats; `null` for tokens and while unknown.
    pub floor: Option<u64>,
    /// Its slug in URLs.
    #[serde(rename = "groupSlug")]
    pub group_slug: String,
    /// Its id.
    pub id: String,
    /// Instant offers; `null` when none are accepted.
    pub instant: Option<Quotes>,
    /// The slug under which instant offers against inscriptions are signed: that of the first sub-collection that takes
    /// them; `null` when none does.
    #[serde(rename = "instantOrdinalSlug")]
    pub instant_ordinal_slug: Option<String>,
    /// The volumes lent in this market.
    #[serde(rename = "internalVolumeStats")]
    pub internal_volume_stats: Volumes,
    /// Whether new offers are accepted.
    #[serde(rename = "isLendingAllowed")]
    pub is_lending_allowed: bool,
    /// Manual offers; `null` when none are accepted.
    pub manual: Option<Quotes>,
    /// The volumes traded on the marketplaces; `null` while unknown.
    #[serde(rename = "marketVolumeStats")]
    pub market_volume_stats: Option<Volumes>,
    /// The highest current LTV of its instant offers; `null` without any.
    #[serde(rename = "maxInstantLTV")]
    pub max_instant_ltv: Option<f64>,
    /// Extra points in percent.
    #[serde(rename = "pointsMultiplier")]
    pub points_multiplier: u32,
    /// The changes of the price.
    #[serde(rename = "priceChangeStats")]
    pub price_change_stats: PriceChanges,
    /// Decimals of a token; `null` for inscriptions.
    #[serde(rename = "runeDecimals")]
    pub rune_decimals: Option<u32>,
    /// The rune's id; `null` for others.
    #[serde(rename = "runeId")]
    pub rune_id: Option<String>,
    /// The rune's name; `null` for others.
    #[serde(rename = "runeName")]
    pub rune_name: Option<String>,
    /// The number of running loans.
    #[serde(rename = "runningLoans")]
    pub running_loans: u64,
    /// The sub-collections, one per term or bundle size.
    #[serde(rename = "subCollections")]
    pub sub_collections: Vec<SubCollectionView>,
    /// The BRC-20 ticker; `null` for others.
    pub ticker: Option<String>,
    /// The number of all loans so far.
    #[serde(rename = "totalLoans")]
    pub total_loans: u64,
    /// Sats per whole unit with eight decimals; `null` while unknown.
    #[serde(rename = "unitPrice")]
    pub unit_price: Option<String>,
}

/// The caller's rune balances as one indexer reports them, for display only: what can be pledged is at
/// `/api/v1/me/collateral`, which examines every output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuneBalances {
    /// The indexer's name in the configuration.
    pub provider: String,
    /// Runes that are accepted as collateral.
    pub runes: Vec<CountedRune>,
}

/// An instant offer against runes that can be taken, whole or in part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuneQuote {
    /// The collateral for all of the remaining principal, in raw units as a decimal string.
    pub available_collateral: String,
    /// The principal that is left, in sats.
    pub available_sats: u64,
    /// The slug of the sub-collection.
    pub collection_slug: String,
    /// The LTV of a loan of the whole remaining principal against all of `available_collateral`; `null` while no price
    /// is known.
    pub direct_ltv: Option<f64>,
    /// Days until a loan is due.
    pub loan_term_days: u32,
    /// The current LTV; `null` while no price is known.
    pub ltv: Option<f64>,
    /// `offerId`.
    #[serde(rename = "offerId")]
    pub offer_id: String,
    /// The amounts of tokens that the offer takes.
    pub valid_range: TokenRange,
}

/// The offers of one sub-collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuneQuotes {
    /// The slug of the sub-collection.
    pub collection_slug: String,
    /// The interest for the whole term.
    pub interest_rate_percentage: f64,
    /// Days until a loan is due.
    pub loan_term_days: u32,
    /// The offers, best first.
    pub offers: Vec<RuneQuote>,
    /// The amounts of tokens that can be pledged: disjoint ranges, ascending.
    pub valid_ranges: Vec<TokenRange>,
}

/// A payment that the node accepted. It counts once it is confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentPayment {
    /// The id of the transaction.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// A transaction that was broadcast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentTransaction {
    /// The id of the transaction.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// The user of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    /// The addresses and public keys of the wallet.
    pub addresses: AddressesView,
    /// Whether the wallet is a hardware wallet, as reported at sign-in.
    #[serde(rename = "hardwareWallet")]
    pub hardware_wallet: bool,
    /// Whether the ordinals address has signed. Without its signature no loan can be taken until the user signs in
    /// again.
    #[serde(rename = "isOrdinalsProven")]
    pub is_ordinals_proven: bool,
    /// Whether critical events can be sent to the user outside of the app.
    #[serde(rename = "notificationPreferences")]
    pub notification_preferences: NotificationPreferences,
    /// The id of the user.
    #[serde(rename = "userId")]
    pub user_id: String,
}

/// The terms within which a loan is to be refinanced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetRefinanceOrder {
    /// The number of days before the due date from which an offer is looked for, 1 to 14.
    #[serde(rename = "daysBefore")]
    pub days_before: u32,
    /// The highest interest for the whole term of the next loan, in percent times 100.
    #[serde(rename = "interestMax")]
    pub interest_max: u32,
    /// The least principal of the next loan.
    #[serde(rename = "principalMinSats")]
    pub principal_min_sats: u64,
    /// The longest term of the next loan, in days.
    #[serde(rename = "termMaxDays")]
    pub term_max_days: u32,
    /// The shortest term of the next loan, in days.
    #[serde(rename = "termMinDays")]
    pub term_min_days: u32,
}

/// An input that a wallet signs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The address whose key signs it.
    pub address: String,
    /// Whether the key stands in a script and signs as it is, untweaked (BIP-341).
    pub disable_tweak_signer: bool,
    /// The index of the input, from 0.
    pub index: u64,
    /// The sighash type: 0 (all, taproot's default), 1 (all), 131 (its own output, whatever the inputs).
    pub sighash: u32,
}

/// A signed message and the wallet that signed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignInRequest {
    /// Whether it is a hardware wallet.
    pub hardware_wallet: bool,
    /// The complete signed text.
    pub message: String,
    /// The ordinals address, which holds inscriptions and runes.
    pub ordinal_address: String,
    /// The public key of the ordinals address in hexadecimal.
    pub ordinal_pubkey: String,
    /// The signature of the same text by the ordinals address; omitted if both are one address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal_signature: Option<String>,
    /// The payment address, which receives bitcoin and signs the message.
    pub payment_address: String,
    /// The public key of the payment address in hexadecimal.
    pub payment_pubkey: String,
    /// The signature by the payment address: BIP-322 simple or BIP-137, in base64.
    pub signature: String,
    /// The wallet's name.
    pub wallet: String,
}

/// The signed cancellation of one offer, or of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignedCancel {
    /// The complete signed text.
    pub message: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
}

/// A signed pause, or its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignedSwitch {
    /// The complete signed text.
    pub message: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    #[serde(rename = "signatureTimestamp")]
    pub signature_timestamp: u64,
}

/// The stage of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StageName {
    /// `prepared`.
    #[serde(rename = "prepared")]
    Prepared,
    /// `awaiting_lender`.
    #[serde(rename = "awaiting_lender")]
    AwaitingLender,
    /// `broadcast`.
    #[serde(rename = "broadcast")]
    Broadcast,
    /// `active`.
    #[serde(rename = "active")]
    Active,
    /// `expired`.
    #[serde(rename = "expired")]
    Expired,
    /// `repaying`.
    #[serde(rename = "repaying")]
    Repaying,
    /// `claiming`.
    #[serde(rename = "claiming")]
    Claiming,
    /// `repaid`.
    #[serde(rename = "repaid")]
    Repaid,
    /// `claimed`.
    #[serde(rename = "claimed")]
    Claimed,
    /// `cancelled`.
    #[serde(rename = "cancelled")]
    Cancelled,
    /// `lapsed`.
    #[serde(rename = "lapsed")]
    Lapsed,
    /// `failed`.
    #[serde(rename = "failed")]
    Failed,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// One term or bundle size of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubCollectionView {
    /// The yearly yield.
    pub apy: f64,
    /// The raw units in a bundle; `null` where the lender sets the amount.
    #[serde(rename = "bundleSize")]
    pub bundle_size: Option<String>,
    /// The accepted process types, as collection types.
    #[serde(rename = "collectionTypes")]
    pub collection_types: Vec<CollectionType>,
    /// Its number in the group.
    pub id: String,
    /// Whether instant offers are accepted.
    pub instant: bool,
    /// Interest for the whole term.
    pub interest: f64,
    /// Whether manual offers are accepted.
    pub manual: bool,
    /// A change of these terms, if one is announced or was the latest.
    #[serde(rename = "newTermChangeRequest")]
    pub new_term_change_request: Option<TermChangeView>,
    /// Its slug in requests and signed messages.
    pub slug: String,
    /// The days until a loan is due.
    pub term: u32,
}

/// A claim that the lender's wallet signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmitClaim {
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    pub base64: String,
    /// The wallet's name.
    #[serde(rename = "walletName")]
    pub wallet_name: String,
}

/// The transaction that the borrower's wallet signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmitExtension {
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    pub base64: String,
    /// `extensionRequestId` of the prepared extension.
    #[serde(rename = "extensionRequestId")]
    pub extension_request_id: String,
    /// The wallet's name.
    #[serde(rename = "walletName")]
    pub wallet_name: String,
}

/// The transaction that the borrower's wallet signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmitInstantLoan {
    /// `offerAcceptRequestId` of the prepared loan.
    pub offer_accept_request_id: String,
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    pub signed_psbt: String,
    /// The wallet's name.
    pub wallet_name: String,
}

/// The signed message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmitMove {
    /// Sats per virtual byte, as in the preparation.
    pub fee_rate: f64,
    /// The complete signed text.
    pub message: String,
    /// The signature of `message` by the ordinals address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
}

/// The transaction that the caller's wallet signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmitPayment {
    /// The signed PSBT in base64 or hexadecimal.
    pub signed_psbt: String,
}

/// A repayment that the borrower's wallet signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmitRepayment {
    /// The signed transaction, a PSBT in base64 or hexadecimal.
    pub base64: String,
    /// The loans that it was prepared for.
    #[serde(rename = "loanIds")]
    pub loan_ids: Vec<String>,
    /// The wallet's name.
    #[serde(rename = "walletName")]
    pub wallet_name: String,
}

/// The signed message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmitWithdrawal {
    /// Sats per virtual byte, as in the preparation.
    pub fee_rate: f64,
    /// The complete signed text.
    pub message: String,
    /// The signature of `message` by the payment address.
    pub signature: String,
    /// `Issued` of the message, in unix seconds.
    pub signature_timestamp: u64,
}

/// Offers to pause or resume, with the signed messages of instant ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    /// 1 to 100 ids.
    #[serde(rename = "offerIds")]
    pub offer_ids: Vec<String>,
    /// The signed messages of the instant offers among them, each a `pause offer` or `resume offer` of its own. A pause
    /// that the vault signer knows of can be ended only by a signed message, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed: Vec<SignedSwitch>,
}

/// The offers with conditions that the caller can take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TakeableOffers {
    /// The offers of all collections, in no particular order.
    pub data: Vec<OfferForMe>,
}

/// A link that connects a Telegram chat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TelegramLink {
    /// The time until which it connects one chat, in unix milliseconds.
    #[serde(rename = "expiresAt")]
    pub expires_at: u64,
    /// The URL that opens the chat with the bot.
    pub url: String,
}

/// The Telegram channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TelegramWay {
    /// The bot's name, without `@`, once it is known.
    #[serde(rename = "botName")]
    pub bot_name: Option<String>,
    /// Whether this server has a bot.
    #[serde(rename = "isAvailable")]
    pub is_available: bool,
    /// Whether a chat with the bot is linked to the caller.
    #[serde(rename = "isLinked")]
    pub is_linked: bool,
}

/// An announced or effective change of terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermChangeView {
    /// The time at which it takes or took effect.
    #[serde(rename = "changeDate")]
    pub change_date: u64,
    /// Whether it is in effect.
    #[serde(rename = "hasTermChangePassed")]
    pub has_term_change_passed: bool,
    /// The term after it, in days.
    #[serde(rename = "newDays")]
    pub new_days: u32,
    /// The interest after it.
    #[serde(rename = "newInterestRate")]
    pub new_interest_rate: f64,
    /// Its id.
    #[serde(rename = "newTermId")]
    pub new_term_id: String,
    /// The term before it, in days.
    #[serde(rename = "previousDays")]
    pub previous_days: u32,
    /// The interest before it.
    #[serde(rename = "previousInterestRate")]
    pub previous_interest_rate: f64,
}

/// Amounts of tokens, both ends included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenRange {
    /// The least in raw units, as a decimal string.
    pub from: String,
    /// The most, as a decimal string.
    pub max: String,
    /// The least, as a decimal string.
    pub min: String,
    /// The most in raw units, as a decimal string.
    pub to: String,
}

/// A transaction to sign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransactionToSign {
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// A PSBT in base64, without signatures.
    #[serde(rename = "transactionBase64")]
    pub transaction_base64: String,
}

/// A move, which the server broadcasts until it is confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VaultMove {
    /// Whether the node has accepted it already.
    #[serde(rename = "isSent")]
    pub is_sent: bool,
    /// The id of the transaction.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}

/// The outputs of a vault, and the transactions that spend some of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VaultOutputs {
    /// Transactions that spend outputs and are not final yet.
    pub departures: Vec<Leaving>,
    /// Every tracked output, by outpoint.
    pub outputs: Vec<OwnOutput>,
}

/// The pre-funded vault of a lender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VaultView {
    /// The whole balance.
    #[serde(rename = "balanceSats")]
    pub balance_sats: u64,
    /// The balance that is not reserved.
    #[serde(rename = "usableBalanceSats")]
    pub usable_balance_sats: u64,
    /// The address that funds it; `null` until it is open.
    #[serde(rename = "vaultAddress")]
    pub vault_address: Option<String>,
}

/// Volumes traded or lent, in total and over recent windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Volumes {
    /// In total.
    #[serde(rename = "totalVolume")]
    pub total_volume: u64,
    /// In the last 24 hours.
    pub volume24h: u64,
    /// In the last 30 days.
    pub volume30d: u64,
    /// In the last 7 days.
    pub volume7d: u64,
}

/// The next action that a loan waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WaitName {
    /// `signature`.
    #[serde(rename = "signature")]
    Signature,
    /// `counter_signature`.
    #[serde(rename = "counter_signature")]
    CounterSignature,
    /// `repayment`.
    #[serde(rename = "repayment")]
    Repayment,
    /// `claim`.
    #[serde(rename = "claim")]
    Claim,
    /// A value that this version of the client does not know.
    #[serde(other)]
    Unknown,
}

/// The numbers of loans that wait for the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingCounts {
    /// Loans whose collateral can be claimed.
    pub claims: u64,
    /// Loans that wait for a counter-signature.
    #[serde(rename = "counterSignatures")]
    pub counter_signatures: u64,
    /// Loans with a repayment that is due within three days or overdue.
    pub repayments: u64,
    /// Loans that wait for a signature.
    pub signatures: u64,
}

/// A file of the web app.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebFile {
    /// Its length.
    pub bytes: u64,
    /// The path below the address of the server.
    pub path: String,
    /// The SHA-256 of its content.
    pub sha256: String,
}

/// The latest deliveries to a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookDeliveries {
    /// The newest first, at most 50.
    pub deliveries: Vec<DeliveryView>,
}

/// The body of a request to a webhook: the same at every attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookEvent {
    /// The event.
    pub data: WebhookEventData,
    /// The time of the event, in RFC 3339.
    pub timestamp: String,
    /// The kind of the notice, such as `overdue`, or `test`.
    pub r#type: String,
}

/// The facts of an event. What has become of its loan or offer since is read from the API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookEventData {
    /// The time of the event, in unix milliseconds.
    pub at: u64,
    /// The display name of the collection.
    #[serde(rename = "collectionName")]
    pub collection_name: String,
    /// The id of the event, as in `/api/v1/me/notices` and in the header `webhook-id`.
    pub id: String,
    /// The loan that it is about.
    #[serde(rename = "loanId")]
    pub loan_id: Option<String>,
    /// The offer that it is about.
    #[serde(rename = "offerId")]
    pub offer_id: Option<String>,
    /// The user's side of that loan.
    pub role: Option<RoleName>,
    /// The page of the app about it.
    pub url: String,
}

/// The settings of a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookSettings {
    /// Whether nothing is sent to it. What waits for it is dropped.
    #[serde(rename = "isPaused")]
    pub is_paused: bool,
    /// The kinds of events to send to it; no others are.
    pub kinds: Vec<NoticeKind>,
}

/// A webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookView {
    /// The time of its creation, in unix milliseconds.
    #[serde(rename = "createdAt")]
    pub created_at: u64,
    /// The kinds of events that are sent to it.
    pub kinds: Vec<NoticeKind>,
    /// The reason of its pause.
    #[serde(rename = "pauseReason")]
    pub pause_reason: Option<PauseReason>,
    /// The time since which it is paused, in unix milliseconds; `null` while events are sent to it.
    #[serde(rename = "pausedAt")]
    pub paused_at: Option<u64>,
    /// The time until which requests are also signed by the secret before, in unix milliseconds.
    #[serde(rename = "previousSecretUntil")]
    pub previous_secret_until: Option<u64>,
    /// The URL that is called.
    pub url: String,
    /// The id.
    #[serde(rename = "webhookId")]
    pub webhook_id: String,
}

/// A webhook with its secret, which is shown this once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookWithSecret {
    /// The secret that signs requests, beginning with `whsec_`.
    pub secret: String,
    /// The webhook.
    pub webhook: WebhookView,
}

/// A withdrawal, which the server broadcasts until it is confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Withdrawal {
    /// Whether the node has accepted it already.
    #[serde(rename = "isSent")]
    pub is_sent: bool,
    /// The id of the transaction.
    #[serde(rename = "transactionId")]
    pub transaction_id: String,
}
