//! Refusals: every reason to sign nothing.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::delegation_refusal::DelegationRefusal;

/// The reason why a request is refused. All amounts are in sats, all times in Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The text is not exactly in our format.
    #[error("the message is not understood: {reason}")]
    MessageUnreadable {
        /// The fault.
        reason: String,
    },
    /// Signed for another site.
    #[error("the message is for {found}, this signer serves {expected}")]
    WrongDomain {
        /// The policy's domain.
        expected: String,
        /// The message's domain.
        found: String,
    },
    /// Signed for another network.
    #[error("the message is for {found}, this signer serves {expected}")]
    WrongNetwork {
        /// The policy's network.
        expected: String,
        /// The message's network.
        found: String,
    },
    /// Expired, or issued in the future.
    #[error("the message is not fresh: {reason}")]
    NotFresh {
        /// The rule that is violated.
        reason: String,
    },
    /// The signature is invalid.
    #[error("the message is not signed by {address}: {reason}")]
    BadSignature {
        /// The address that should have signed.
        address: String,
        /// The fault of the signature.
        reason: String,
    },
    /// Signed by another address than the vault's.
    #[error("{address} does not speak for this vault")]
    ForeignAddress {
        /// The address that signed.
        address: String,
    },
    /// The message is of another action.
    #[error("the message does not say {expected:?}")]
    WrongAction {
        /// The expected action.
        expected: String,
    },
    /// Another message used this nonce.
    #[error("the nonce {nonce} was used for another message")]
    NonceUsed {
        /// The nonce.
        nonce: String,
    },
    /// Signed for a policy that is not this signer's.
    #[error("signed for the policy {found}, this signer keeps to {expected}")]
    OtherPolicy {
        /// The hash of this signer's policy.
        expected: String,
        /// The hash that was signed.
        found: String,
    },
    /// No lender has opened this vault.
    #[error("lender {lender_id} has opened no vault")]
    NoVault {
        /// The lender's id.
        lender_id: u64,
    },
    /// The vault belongs to another lender, by its key.
    #[error("the vault of lender {lender_id} belongs to another key")]
    OtherLender {
        /// The lender's id.
        lender_id: u64,
    },
    /// Such a vault cannot exist.
    #[error("there can be no such vault: {reason}")]
    ImpossibleVault {
        /// The reason.
        reason: String,
    },
    /// A server put keys of its own among those of the signers, or left some out.
    #[error("{expected} keys of different signers are needed, and {found} are attested")]
    ForeignKeys {
        /// The number of keys that are needed, or the maximum.
        expected: usize,
        /// The number of keys that signers of the policy attest, each another one.
        found: usize,
    },
    /// The policy has a single signer, or several, unlike the request.
    #[error("the policy of this signer has {required} of {signers} signers, and the request is for others")]
    OtherSigners {
        /// The number of signers that sign each payment.
        required: usize,
        /// The number of signers.
        signers: usize,
    },
    /// The repay key was used, or is no longer kept: only memory has it, for a minute.
    #[error("the repay key is not kept, or no longer: prepare the loan again")]
    NoRepayKey,
    /// The lender cancelled it before it arrived.
    #[error("the offer {offer_id} was cancelled before it arrived")]
    CancelledBefore {
        /// The offer's id.
        offer_id: String,
    },
    /// Only instant offers are funded by a vault.
    #[error("a manual offer is not paid by a vault")]
    ManualOffer,
    /// The slug is not on the term sheet, so its terms are unknown.
    #[error("the term sheet has no {slug}")]
    UnknownSlug {
        /// The slug.
        slug: String,
    },
    /// The sheet has no such change of the slug's term, so the accepted terms are unknown.
    #[error("the term sheet has no change {term_id} of {slug}")]
    UnknownTerm {
        /// The slug.
        slug: String,
        /// The id of the change.
        term_id: String,
    },
    /// Too many offers in one request.
    #[error("{found} offers are asked about at once, and may be {max}")]
    TooManyOffers {
        /// The maximum.
        max: usize,
        /// The requested number.
        found: usize,
    },
    /// The id cannot occur in a message, so the offer could not be cancelled.
    #[error("an offer's id has 1 to {max} visible ASCII characters")]
    OfferId {
        /// The maximum length.
        max: usize,
    },
    /// Another offer has this id, so a cancellation would be ambiguous.
    #[error("another offer has the id {offer_id}")]
    DuplicateOffer {
        /// The id.
        offer_id: String,
    },
    /// Never admitted, cancelled, or too old.
    #[error("there is no such offer, or no longer")]
    NoOffer,
    /// Paused by its lender.
    #[error("the lender has paused the offer {offer_id}")]
    OfferPaused {
        /// The offer's id.
        offer_id: String,
    },
    /// The time until which its lender made it good is over.
    #[error("the offer {offer_id} was good until {good_until_s}")]
    OfferExpired {
        /// The offer's id.
        offer_id: String,
        /// The signed time.
        good_until_s: u64,
    },
    /// The loan would be paid out to another borrower than the one named in the offer.
    #[error("the offer is for the borrower at {named} only")]
    OtherBorrower {
        /// The payment address that the lender signed.
        named: String,
    },
    /// The loan's term is not the one that was offered.
    #[error("a loan of {days} days at {interest_bps} bps was not offered")]
    WrongTerm {
        /// The days of the loan.
        days: u16,
        /// The interest of the loan.
        interest_bps: u32,
    },
    /// An offer against an inscription must be taken in full.
    #[error("{asked} is asked, and {offered} is offered, all or nothing")]
    WrongPrincipal {
        /// The principal of the offer.
        offered: u64,
        /// The requested principal.
        asked: u64,
    },
    /// The principal is not within the bounds that the lender signed for an offer that follows the floor.
    #[error("{asked} is asked, and {least} to {offered} is offered")]
    PrincipalOutOfBounds {
        /// The least principal.
        least: u64,
        /// The largest principal.
        offered: u64,
        /// The requested principal.
        asked: u64,
    },
    /// The bounds of an offer that follows the floor leave no principal, or it is against runes.
    #[error("the least principal is 0, above the largest one, or that of an offer against runes")]
    ImpossiblePeg,
    /// The other loans of the offer leave less.
    #[error("{asked} is asked of an offer of {offered}, of which {used} is used")]
    OfferUsedUp {
        /// The principal of the offer.
        offered: u64,
        /// The part that is used by other loans which could still start.
        used: u64,
        /// The requested principal.
        asked: u64,
    },
    /// The offer is against another kind of collateral.
    #[error("the collateral is not of the kind that the offer is against")]
    WrongCollateral,
    /// An offer for zero units of a rune would lend everything against one unit.
    #[error("the offer is against nothing of a rune")]
    NoRunesWanted,
    /// Less collateral per sat than was offered.
    #[error("{pledged} units stand against {principal}, and the offer wants {wanted} against {offered}")]
    TooLittleCollateral {
        /// The pledged amount in raw units, in decimal.
        pledged: String,
        /// The principal against it.
        principal: u64,
        /// The amount that the offer wants in raw units, in decimal.
        wanted: String,
        /// The principal that it lends against all of that.
        offered: u64,
    },
    /// The lender's claim would be possible too early or too late.
    #[error("the claim time is {found}, and should be {expected} or {slack_s} seconds beside it")]
    ClaimTime {
        /// The claim time computed now.
        expected: u64,
        /// The requested claim time.
        found: u64,
        /// The allowed difference.
        slack_s: u32,
    },
    /// The platform's fee is too high.
    #[error("the platform's fee is {found}, and may be {max}")]
    PlatformFeeTooHigh {
        /// The maximum.
        max: u64,
        /// The requested fee.
        found: u64,
    },
    /// Too low to be mined, or so high that money would be burned.
    #[error("the fee rate is {found} sats per kwu, and may be {min} to {max}")]
    FeeRate {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
        /// The requested fee rate.
        found: u64,
    },
    /// The loan exceeds the maximum principal of the policy.
    #[error("the principal is {found}, and may be {max}")]
    LoanTooLarge {
        /// The maximum.
        max: u64,
        /// The requested principal.
        found: u64,
    },
    /// Too many inputs.
    #[error("{found} outputs are spent at once, and may be {max}")]
    TooManyInputs {
        /// The maximum.
        max: usize,
        /// The requested number.
        found: usize,
    },
    /// No valid transaction has these terms.
    #[error("no such transaction can be built: {reason}")]
    Unbuildable {
        /// The reason.
        reason: String,
    },
    /// The repay key was made elsewhere: its maker may have kept it, and could take the collateral together with the
    /// borrower.
    #[error("the repay key was not made by this signer")]
    ForeignRepayKey,
    /// A repayment could not be made with these signatures.
    #[error("the repayment is not signed beforehand: {reason}")]
    BadPreSignature {
        /// The fault.
        reason: String,
    },
    /// The transaction to sign is not the one that follows from the terms.
    #[error("the transaction is not the one that these terms make: {part}")]
    OtherTransaction {
        /// The first part that differs.
        part: String,
    },
    /// The hour's limit for amounts is reached.
    #[error("{asked} is asked, {used} has left within the hour, and {max} may")]
    HourSats {
        /// The maximum.
        max: u64,
        /// The amount that has left.
        used: u64,
        /// The requested amount.
        asked: u64,
    },
    /// The hour's limit for signatures is reached.
    #[error("{max} transactions were signed within the hour, and no more may be")]
    HourCount {
        /// The maximum.
        max: u32,
    },
    /// The vault's limit for signatures within an hour is reached.
    #[error("{max} transactions of the vault were signed within the hour, and no more may be")]
    VaultHourCount {
        /// The maximum.
        max: u32,
    },
    /// The vault's limit for amounts within an hour is reached.
    #[error("{asked} is asked of the vault, {used} has left it within the hour, and {max} may")]
    VaultHourSats {
        /// The maximum.
        max: u64,
        /// The amount that has left.
        used: u64,
        /// The requested amount.
        asked: u64,
    },
    /// The lender signed no fee limit, so the server could choose any fee.
    #[error("the message does not say what the miners may be paid")]
    NoFeeCeiling,
    /// The fee exceeds what the lender signed.
    #[error("the fee is {found}, and the lender signed at most {max}")]
    FeeAboveCeiling {
        /// The signed maximum.
        max: u64,
        /// The fee of the transaction.
        found: u64,
    },
    /// The parent is not a loan or withdrawal of this vault that was signed recently: nothing else gets a child.
    #[error("{txid} is no loan or withdrawal of this vault that was signed lately")]
    NoParent {
        /// The txid of the parent.
        txid: String,
    },
    /// The transaction has another child.
    #[error("a child that spends output {vout} and pays {fee_sats} was signed, and there is one for a transaction")]
    HasChild {
        /// The output of the parent that it spends.
        vout: u32,
        /// Its fee.
        fee_sats: u64,
    },
    /// The child's fee is too high relative to what it spends.
    #[error("the child's fee is {found}, and may be {max}")]
    FeeBumpTooHigh {
        /// The maximum.
        max: u64,
        /// The requested fee.
        found: u64,
    },
    /// The day's limit for the fees of children is reached.
    #[error("{asked} is asked for a child, children paid {used} within the day, and may pay {max}")]
    FeeBumpDaySats {
        /// The maximum.
        max: u64,
        /// The fees paid so far.
        used: u64,
        /// The requested fee.
        asked: u64,
    },
    /// A withdrawal can only pay to the address that the vault was opened with.
    #[error("the vault pays to {registered}, not to {found}")]
    WrongAddress {
        /// The vault's payment address.
        registered: String,
        /// The address that was signed.
        found: String,
    },
    /// The lender signed another address than that of the vault of this signer's keys.
    #[error("the vault of these signers is {expected}, and {found} was signed")]
    OtherVaultAddress {
        /// The address of the vault.
        expected: String,
        /// The address that was signed.
        found: String,
    },
    /// The vault was moved to other signers: nothing but a move to the same address is signed for it.
    #[error("the vault of lender {lender_id} was moved to {to}")]
    VaultMoved {
        /// The lender's id.
        lender_id: u64,
        /// The address of the vault of the other signers.
        to: String,
    },
    /// A delegation, or an offer or loan under one.
    #[error(transparent)]
    Delegation(#[from] DelegationRefusal),
    /// The server has lost the lease of its cluster to another one.
    #[error("the request is of epoch {found}, and a server of epoch {latest} has taken over")]
    Deposed {
        /// The epoch of the request; 0 for none.
        found: u64,
        /// The highest epoch that this signer has seen.
        latest: u64,
    },
    /// The log cannot be written, so nothing is signed any more.
    #[error("the log cannot be written: nothing is signed until the signer is started again")]
    LogFailed,
    /// The request cannot be parsed.
    #[error("the request is not understood: {reason}")]
    RequestUnreadable {
        /// The fault.
        reason: String,
    },
    /// Too many concurrent connections.
    #[error("the signer is busy: ask again")]
    Busy,
}

impl Refusal {
    /// Returns whether the signer has not decided about the request, and may grant it later.
    #[must_use]
    pub const fn is_undecided(&self) -> bool {
        matches!(self, Self::Busy | Self::LogFailed)
    }
}
