//! Every reason to sign nothing.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why the signer does not do what it was asked. All amounts are in sats, all times in unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The text is none of ours, to the letter.
    #[error("the message is not understood: {reason}")]
    MessageUnreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// Signed for another site.
    #[error("the message is for {found}, this signer serves {expected}")]
    WrongDomain {
        /// The policy's.
        expected: String,
        /// The message's.
        found: String,
    },
    /// Signed for another network.
    #[error("the message is for {found}, this signer serves {expected}")]
    WrongNetwork {
        /// The policy's.
        expected: String,
        /// The message's.
        found: String,
    },
    /// Expired, or from the future.
    #[error("the message is not fresh: {reason}")]
    NotFresh {
        /// Which rule it breaks.
        reason: String,
    },
    /// The signature proves nothing.
    #[error("the message is not signed by {address}: {reason}")]
    BadSignature {
        /// Who should have signed.
        address: String,
        /// What is wrong with the signature.
        reason: String,
    },
    /// Somebody else signed.
    #[error("{address} does not speak for this vault")]
    ForeignAddress {
        /// Who signed.
        address: String,
    },
    /// The message is about something else.
    #[error("the message does not say {expected:?}")]
    WrongAction {
        /// What it should say.
        expected: String,
    },
    /// Another message used this nonce.
    #[error("the nonce {nonce} was used for another message")]
    NonceUsed {
        /// Which.
        nonce: String,
    },
    /// Signed for a policy that this signer does not keep to.
    #[error("signed for the policy {found}, this signer keeps to {expected}")]
    OtherPolicy {
        /// The hash of this signer's.
        expected: String,
        /// What was signed.
        found: String,
    },
    /// No lender has opened this vault.
    #[error("lender {lender_id} has opened no vault")]
    NoVault {
        /// Which.
        lender_id: u64,
    },
    /// The vault is another lender's, by its key.
    #[error("the vault of lender {lender_id} belongs to another key")]
    OtherLender {
        /// Which.
        lender_id: u64,
    },
    /// There can be no such vault.
    #[error("there can be no such vault: {reason}")]
    ImpossibleVault {
        /// Why.
        reason: String,
    },
    /// Only instant offers are paid by a vault.
    #[error("a manual offer is not paid by a vault")]
    ManualOffer,
    /// The slug is not on the term sheet, so nobody knows what the lender signed.
    #[error("the term sheet has no {slug}")]
    UnknownSlug {
        /// Which.
        slug: String,
    },
    /// The sheet has no such change of the slug's term, so nobody knows what the lender accepted.
    #[error("the term sheet has no change {term_id} of {slug}")]
    UnknownTerm {
        /// The slug.
        slug: String,
        /// The change.
        term_id: String,
    },
    /// Too many offers are asked about at once.
    #[error("{found} offers are asked about at once, and may be {max}")]
    TooManyOffers {
        /// The most.
        max: usize,
        /// How many.
        found: usize,
    },
    /// No message could name it, to cancel the offer.
    #[error("an offer's id has 1 to {max} visible ASCII characters")]
    OfferId {
        /// The most.
        max: usize,
    },
    /// Two offers with one id could not be told apart when one is cancelled.
    #[error("another offer has the id {offer_id}")]
    DuplicateOffer {
        /// Which.
        offer_id: String,
    },
    /// Never admitted, cancelled, or too old.
    #[error("there is no such offer, or no longer")]
    NoOffer,
    /// Paused by its lender.
    #[error("the lender has paused the offer {offer_id}")]
    OfferPaused {
        /// Which.
        offer_id: String,
    },
    /// The loan's term is not the one that was offered.
    #[error("a loan of {days} days at {interest_bps} bps was not offered")]
    WrongTerm {
        /// Days of the loan.
        days: u16,
        /// Its interest.
        interest_bps: u32,
    },
    /// An offer against an inscription is taken as a whole.
    #[error("{asked} is asked, and {offered} is offered, all or nothing")]
    WrongPrincipal {
        /// What is offered.
        offered: u64,
        /// What is asked.
        asked: u64,
    },
    /// The offer's other loans leave less.
    #[error("{asked} is asked of an offer of {offered}, of which {used} is used")]
    OfferUsedUp {
        /// What is offered.
        offered: u64,
        /// What other loans that could still begin have of it.
        used: u64,
        /// What is asked.
        asked: u64,
    },
    /// The offer is against another kind of collateral.
    #[error("the collateral is not of the kind that the offer is against")]
    WrongCollateral,
    /// A lender who wants nothing of a rune would lend everything against one unit.
    #[error("the offer is against nothing of a rune")]
    NoRunesWanted,
    /// Less collateral for a sat than was offered.
    #[error("{pledged} units stand against {principal}, and the offer wants {wanted} against {offered}")]
    TooLittleCollateral {
        /// Raw units pledged, in decimal.
        pledged: String,
        /// What is lent against them.
        principal: u64,
        /// Raw units that the offer wants, in decimal.
        wanted: String,
        /// What it lends against all of them.
        offered: u64,
    },
    /// The lender's claim would come too early or too late.
    #[error("the claim time is {found}, and should be {expected} or {slack_s} seconds beside it")]
    ClaimTime {
        /// What is computed now.
        expected: u64,
        /// What is asked.
        found: u64,
        /// How far beside it is allowed.
        slack_s: u32,
    },
    /// The platform would take too much.
    #[error("the platform's fee is {found}, and may be {max}")]
    PlatformFeeTooHigh {
        /// The most.
        max: u64,
        /// What is asked.
        found: u64,
    },
    /// Too little to be mined, or so much that somebody's money would be burned.
    #[error("the fee rate is {found} sats per kwu, and may be {min} to {max}")]
    FeeRate {
        /// The lowest.
        min: u64,
        /// The highest.
        max: u64,
        /// What is asked.
        found: u64,
    },
    /// The loan is larger than any that this signer signs.
    #[error("the principal is {found}, and may be {max}")]
    LoanTooLarge {
        /// The most.
        max: u64,
        /// What is asked.
        found: u64,
    },
    /// Too many inputs to look at.
    #[error("{found} outputs are spent at once, and may be {max}")]
    TooManyInputs {
        /// The most.
        max: usize,
        /// What is asked.
        found: usize,
    },
    /// No sound transaction has these terms.
    #[error("no such transaction can be built: {reason}")]
    Unbuildable {
        /// Why.
        reason: String,
    },
    /// Whoever made the repay key may have kept it, and could take the collateral together with the borrower.
    #[error("the repay key was not made by this signer")]
    ForeignRepayKey,
    /// A repayment could not be made with these signatures.
    #[error("the repayment is not signed beforehand: {reason}")]
    BadPreSignature {
        /// What is wrong.
        reason: String,
    },
    /// What shall be signed is not what follows from the terms.
    #[error("the transaction is not the one that these terms make: {part}")]
    OtherTransaction {
        /// The first part that differs.
        part: String,
    },
    /// The hour's money is out.
    #[error("{asked} is asked, {used} has left within the hour, and {max} may")]
    HourSats {
        /// The most.
        max: u64,
        /// What has left.
        used: u64,
        /// What is asked.
        asked: u64,
    },
    /// The hour's signatures are out.
    #[error("{max} transactions were signed within the hour, and no more may be")]
    HourCount {
        /// The most.
        max: u32,
    },
    /// The vault's signatures of the hour are out.
    #[error("{max} transactions of the vault were signed within the hour, and no more may be")]
    VaultHourCount {
        /// The most.
        max: u32,
    },
    /// The vault's hour is out.
    #[error("{asked} is asked of the vault, {used} has left it within the hour, and {max} may")]
    VaultHourSats {
        /// The most.
        max: u64,
        /// What has left.
        used: u64,
        /// What is asked.
        asked: u64,
    },
    /// The lender signed no fee, so the server could choose any.
    #[error("the message does not say what the miners may be paid")]
    NoFeeCeiling,
    /// The miners would get more than the lender signed.
    #[error("the fee is {found}, and the lender signed at most {max}")]
    FeeAboveCeiling {
        /// What was signed.
        max: u64,
        /// What the transaction pays.
        found: u64,
    },
    /// No loan or withdrawal of this vault that the signer signed lately: nothing else gets a child.
    #[error("{txid} is no loan or withdrawal of this vault that was signed lately")]
    NoParent {
        /// What the child spends of.
        txid: String,
    },
    /// The transaction has another child.
    #[error("a child that spends output {vout} and pays {fee_sats} was signed, and there is one for a transaction")]
    HasChild {
        /// Which output of the parent it spends.
        vout: u32,
        /// What it pays.
        fee_sats: u64,
    },
    /// The child would pay too much of what it spends.
    #[error("the child's fee is {found}, and may be {max}")]
    FeeBumpTooHigh {
        /// The most.
        max: u64,
        /// What is asked.
        found: u64,
    },
    /// The day's fees are out.
    #[error("{asked} is asked for a child, children paid {used} within the day, and may pay {max}")]
    FeeBumpDaySats {
        /// The most.
        max: u64,
        /// What they paid.
        used: u64,
        /// What is asked.
        asked: u64,
    },
    /// A withdrawal goes to the address that the vault was opened with, and to no other.
    #[error("the vault pays to {registered}, not to {found}")]
    WrongAddress {
        /// The vault's payment address.
        registered: String,
        /// What was signed.
        found: String,
    },
    /// The log cannot be written, so nothing is signed any more.
    #[error("the log cannot be written: nothing is signed until the signer is started again")]
    LogFailed,
    /// The request is none.
    #[error("the request is not understood: {reason}")]
    RequestUnreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// Too many ask at once.
    #[error("the signer is busy: ask again")]
    Busy,
}
