//! The requests and answers of the signer.

use bitcoin::hashes::sha256;
use bitcoin::secp256k1::schnorr;
use bitcoin::{Psbt, ScriptBuf, Txid, XOnlyPublicKey, taproot};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::transaction::template::PAYOUT_SIGHASH;
use ordinals::RuneId;
use serde::{Deserialize, Serialize};

mod coins;
pub mod shared;

pub use coins::{BorrowerCoin, BorrowerKey, RuneHolding, SpentOutput};

use crate::delegation_request::{DelegationRequest, DelegationStatus};
use crate::identity::AttestedKey;
use crate::refusal::Refusal;
use crate::request::shared::{PreparedShare, PreparedShared, SharedRequest, SharedVault};
use crate::signed_text::SignedText;
use crate::term_sheet::Term;
use crate::{as_script, as_text};

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// A request of a server that holds the lease of a cluster. From then on those of earlier epochs, and those without
    /// an epoch, are answered only where they change nothing.
    OfWriter {
        /// The epoch of its lease.
        epoch: u64,
        /// The request itself.
        request: Box<Request>,
    },
    /// Asks for the signer's policy.
    Describe,
    /// Asks for the signer's key for the vault of a lender.
    PublicKey {
        /// The lender's id.
        lender_id: u64,
    },
    /// A lender opens the vault, changes its payment address, or moves a vault of other signers to this one's.
    OpenVault {
        /// The lender's id.
        lender_id: u64,
        /// The lender's ordinals key, which is part of the vault's script.
        #[serde(with = "as_text")]
        lender: XOnlyPublicKey,
        /// The lender's `open vault` or `move vault`, signed by the address of that key.
        signed: SignedText,
    },
    /// A lender quotes an instant offer. The message must be fresh when it is submitted; the offer is valid for longer.
    AdmitOffer {
        /// The lender's id.
        lender_id: u64,
        /// The id by which the lender's messages name the offer.
        offer_id: String,
        /// The lender's `create offer` or `edit offer`.
        signed: SignedText,
    },
    /// A lender cancels, pauses or resumes offers, or quoted an offer that was not created.
    ReviseOffers {
        /// The lender's id.
        lender_id: u64,
        /// The lender's `cancel offers`, `pause offer` or `resume offer`; or a `create offer` or `edit offer` that must
        /// have no effect: neither the offer that it makes nor the one that it replaces remains.
        signed: SignedText,
    },
    /// A lender accepts a change of an offer's term.
    AcceptTerm {
        /// The lender's id.
        lender_id: u64,
        /// The lender's `accept term`.
        signed: SignedText,
    },
    /// Asks for the status of these offers, as far as the lenders and this policy are concerned. Changes nothing.
    Standing {
        /// At most [`STATUS_REQUEST_OFFERS_MAX`] admitted offers.
        offers: Vec<OfferHash>,
    },
    /// Makes a loan's repay key, signs the repayment with it, and destroys it. Moves no money.
    PrepareLoan(Box<LoanRequest>),
    /// Signs for the vault's outputs in the origination of a loan.
    SignLoan(Box<SignLoan>),
    /// Signs for the vault's outputs in a withdrawal.
    SignWithdrawal(Box<WithdrawalRequest>),
    /// Signs for a change output of an unconfirmed loan or withdrawal, in a child that pays for both.
    BumpFee(Box<FeeBumpRequest>),
    /// Signs for the vault's outputs in the move to the vault of other signers.
    MoveVault(Box<MoveRequest>),
    /// A request about delegations.
    Delegation(DelegationRequest),
    /// A request about vaults that several signers share.
    Shared(SharedRequest),
}

impl Request {
    /// Returns whether the answer changes nothing and signs nothing.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        match self {
            Self::Describe
            | Self::PublicKey { .. }
            | Self::Standing { .. }
            | Self::Delegation(DelegationRequest::Status { .. }) => true,
            Self::Shared(request) => request.is_read(),
            _ => false,
        }
    }
}

impl Request {
    /// Returns the lender whose vault, offers or delegations the request is about; `None` where it is about none or several.
    #[must_use]
    pub fn lender_id(&self) -> Option<u64> {
        match self {
            Self::OfWriter { request, .. } => request.lender_id(),
            Self::Describe | Self::Standing { .. } | Self::Shared(SharedRequest::RepayKey { .. }) => None,
            Self::PublicKey { lender_id }
            | Self::OpenVault { lender_id, .. }
            | Self::AdmitOffer { lender_id, .. }
            | Self::ReviseOffers { lender_id, .. }
            | Self::AcceptTerm { lender_id, .. }
            | Self::Shared(
                SharedRequest::VaultKey { lender_id }
                | SharedRequest::Vault { lender_id }
                | SharedRequest::OpenVault { lender_id, .. },
            ) => Some(*lender_id),
            Self::PrepareLoan(loan) | Self::Shared(SharedRequest::PrepareLoan { loan, .. }) => Some(loan.lender_id),
            Self::SignLoan(asked) => Some(asked.loan.lender_id),
            Self::Shared(SharedRequest::SignLoan(asked)) => Some(asked.loan.lender_id),
            Self::SignWithdrawal(asked) => Some(asked.lender_id),
            Self::BumpFee(asked) => Some(asked.lender_id),
            Self::MoveVault(asked) => Some(asked.lender_id),
            Self::Delegation(asked) => Some(asked.lender_id()),
        }
    }
}

/// The maximum number of offers in one status request.
pub const STATUS_REQUEST_OFFERS_MAX: usize = 1_000;

/// The id of an offer in loans: the SHA-256 of the text that admitted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OfferHash(#[serde(with = "as_text")] pub sha256::Hash);

/// The status of an admitted offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferStatus {
    /// It can be used, and nothing was lent by it yet.
    Open,
    /// It can be used, as far as something is left.
    Used {
        /// The principal of all signed loans, started or not: a signed transaction can still be broadcast.
        sats: u64,
    },
    /// Its lender paused it.
    Paused,
    /// It was signed for another policy than the signer's.
    OtherPolicy,
}

/// The collateral that the borrower pledges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pledged {
    /// An inscription, with the coin that carries it.
    Inscription(BorrowerCoin),
    /// Several inscriptions, with the coins that carry them, in their order.
    Inscriptions(Vec<BorrowerCoin>),
    /// Runes, all that the coins hold or a part of it.
    Runes {
        /// Coins that hold the rune.
        coins: Vec<BorrowerCoin>,
        /// The rune.
        #[serde(with = "as_text")]
        id: RuneId,
        /// The pledged amount, in raw units.
        #[serde(with = "as_text")]
        amount: u128,
        /// The script that receives the rest.
        #[serde(with = "as_script")]
        rest: ScriptBuf,
    },
    /// The collateral of a running loan, which this one repays.
    Running {
        /// The borrower's kit of that loan.
        kit: String,
        /// Coins that the borrower adds, without inscriptions and runes.
        coins: Vec<BorrowerCoin>,
    },
}

/// The complete terms of an instant loan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoanRequest {
    /// The lender whose vault pays.
    pub lender_id: u64,
    /// The admitted offer: the SHA-256 of its text.
    #[serde(with = "as_text")]
    pub offer: sha256::Hash,
    /// The loan's id, from which the escrow's internal key is derived.
    #[serde(with = "as_text")]
    pub loan_id: u128,
    /// The borrower's ordinals key.
    #[serde(with = "as_text")]
    pub borrower: XOnlyPublicKey,
    /// The borrower's payment script.
    #[serde(with = "as_script")]
    pub borrower_payment: ScriptBuf,
    /// The collateral.
    pub pledged: Pledged,
    /// The vault outputs that fund the loan.
    pub vault_outputs: Vec<SpentOutput>,
    /// The principal.
    pub principal_sats: u64,
    /// The term and interest.
    pub term: Term,
    /// The time from which the lender may claim, in Unix seconds.
    pub claim_after: u32,
    /// The platform's fee from the vault; 0 for none.
    pub platform_fee_sats: u64,
    /// The fee rate that the borrower pays, in sats per 1,000 weight units.
    pub fee_rate_sat_per_kwu: u64,
    /// The number of change outputs to the vault, where anything is left; older requests omit it and mean 1.
    #[serde(default = "one_output", skip_serializing_if = "is_one_output")]
    pub change_outputs: u8,
}

/// Returns the default number of change outputs.
#[must_use]
pub const fn one_output() -> u8 {
    1
}

/// Returns whether the number of change outputs is the default, which is not serialized.
#[must_use]
pub const fn is_one_output(count: &u8) -> bool {
    *count == one_output()
}

/// The arguments of [`Request::SignLoan`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignLoan {
    /// The loan, as it was prepared.
    pub loan: LoanRequest,
    /// The key that signed its repayment.
    #[serde(with = "as_text")]
    pub repay_key: XOnlyPublicKey,
    /// The signer's proof that it made this key.
    #[serde(with = "as_text")]
    pub repay_proof: sha256::Hash,
    /// The signatures of that key.
    pub payout: PayoutText,
    /// The origination, with every output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// The complete terms of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalRequest {
    /// The lender whose vault pays.
    pub lender_id: u64,
    /// The lender's `withdraw`.
    pub signed: SignedText,
    /// The vault outputs that are spent.
    pub vault_outputs: Vec<SpentOutput>,
    /// The fee rate that the lender pays, in sats per 1,000 weight units.
    pub fee_rate_sat_per_kwu: u64,
    /// The number of change outputs to the vault, where anything is left; older requests omit it and mean 1.
    #[serde(default = "one_output", skip_serializing_if = "is_one_output")]
    pub back_outputs: u8,
    /// The transaction, with every output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// The complete terms of a move to the vault of other signers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// The lender whose vault moves.
    pub lender_id: u64,
    /// The lender's `move vault`.
    pub signed: SignedText,
    /// The vault outputs that are spent.
    pub vault_outputs: Vec<SpentOutput>,
    /// The fee rate that the lender pays, in sats per 1,000 weight units.
    pub fee_rate_sat_per_kwu: u64,
    /// The transaction, with every output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// The complete terms of a child of a transaction that this signer signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeeBumpRequest {
    /// The lender whose vault pays.
    pub lender_id: u64,
    /// The change output of the parent that it spends.
    pub vault_output: SpentOutput,
    /// The fee, in sats.
    pub fee_sats: u64,
    /// The child, with the output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// The serialized form of a [`PayoutSignaturePair`]: without the byte for SINGLE|ANYONECANPAY.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayoutText {
    /// For a repayment of version 2.
    #[serde(with = "as_text")]
    pub two: schnorr::Signature,
    /// For a repayment of version 3.
    #[serde(with = "as_text")]
    pub truc: schnorr::Signature,
}

/// A signature with sighash DEFAULT by the vault's signer leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSignature {
    /// The index of the input.
    pub index: usize,
    /// The signer's key, where several share the vault.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub key: Option<XOnlyPublicKey>,
    /// The signature.
    #[serde(with = "as_text")]
    pub signature: schnorr::Signature,
}

/// A loan whose repayment is pre-signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedLoan {
    /// The key that signed, and that was destroyed.
    #[serde(with = "as_text")]
    pub repay_key: XOnlyPublicKey,
    /// The proof by which the signer recognizes that it made this key; it is of no other use.
    #[serde(with = "as_text")]
    pub repay_proof: sha256::Hash,
    /// The signatures of the key.
    pub payout: PayoutText,
    /// The origination of the loan, as the signer builds it.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// A transaction that the signer signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedTransaction {
    /// Its txid.
    #[serde(with = "as_text")]
    pub txid: Txid,
    /// A signature of each signer for each vault output that it spends.
    pub signatures: Vec<InputSignature>,
}

/// The policy of a signer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The SHA-256 of the text: the vault that instant offers name (`canisterId`).
    #[serde(with = "as_text")]
    pub policy_hash: sha256::Hash,
    /// The public policy.
    pub policy: String,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The answer to [`Request::Describe`].
    Description(Description),
    /// The answer to [`Request::PublicKey`].
    PublicKey(#[serde(with = "as_text")] XOnlyPublicKey),
    /// The answer to [`Request::OpenVault`]: the script of the vault.
    Vault(#[serde(with = "as_script")] ScriptBuf),
    /// The answer to [`Request::AdmitOffer`] and [`DelegationRequest::AdmitOffer`]: the id of the offer in loans.
    Offer(#[serde(with = "as_text")] sha256::Hash),
    /// The answer to [`Request::ReviseOffers`], [`Request::AcceptTerm`] and the other [`DelegationRequest`]s.
    Revised,
    /// The answer to [`Request::Standing`]: the known offers, in the order of the request.
    Standing(Vec<(OfferHash, OfferStatus)>),
    /// The answer to [`Request::PrepareLoan`].
    Prepared(Box<PreparedLoan>),
    /// The answer to [`Request::SignLoan`], [`Request::SignWithdrawal`], [`Request::BumpFee`] and [`Request::MoveVault`].
    Signed(SignedTransaction),
    /// The answer to [`DelegationRequest::Status`]: the known delegations, in the order of the request.
    Delegations(Vec<DelegationStatus>),
    /// The answer to [`SharedRequest::VaultKey`] and [`SharedRequest::RepayKey`].
    Attested(AttestedKey),
    /// The answer to [`SharedRequest::Vault`].
    SharedVault(SharedVault),
    /// The answer to [`SharedRequest::PrepareLoan`].
    PreparedShare(Box<PreparedShare>),
    /// The answer of several signers to [`Request::PublicKey`].
    SharedKeys {
        /// The number of signers that sign each payment.
        required: usize,
        /// The attested key of each.
        keys: Vec<AttestedKey>,
    },
    /// The answer of several signers to [`Request::PrepareLoan`].
    PreparedShared(Box<PreparedShared>),
    /// The refusal of any request.
    Refused(Refusal),
}

impl From<PayoutSignaturePair> for PayoutText {
    fn from(pair: PayoutSignaturePair) -> Self {
        Self { two: pair.two.signature, truc: pair.truc.signature }
    }
}

impl From<PayoutText> for PayoutSignaturePair {
    fn from(text: PayoutText) -> Self {
        let signed = |signature| taproot::Signature { signature, sighash_type: PAYOUT_SIGHASH };
        Self { two: signed(text.two), truc: signed(text.truc) }
    }
}

impl From<PayoutText> for PayoutSignatures {
    /// The signatures of a single repay key.
    fn from(text: PayoutText) -> Self {
        PayoutSignaturePair::from(text).into()
    }
}
