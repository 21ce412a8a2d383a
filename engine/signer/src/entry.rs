//! The entries of the signing log.

use bitcoin::hashes::sha256;
use bitcoin::{OutPoint, Txid, XOnlyPublicKey};
use escrow::delegation_id::DelegationId;
use serde::{Deserialize, Serialize};

use crate::as_text;
use crate::identity::AttestedKey;
use crate::program_text::ProgramText;
use crate::signed_text::SignedText;
use crate::term_sheet::{Listing, Term};

/// An event, with everything that is needed to verify it later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Entry {
    /// The signer adopted a policy.
    Policy {
        /// Its hash.
        #[serde(with = "as_text")]
        hash: sha256::Hash,
        /// Its text.
        text: String,
    },
    /// A lender opened a vault, changed its payment address, or moved a vault of other signers to this one's.
    VaultOpened {
        /// The lender's id.
        lender_id: u64,
        /// The lender's ordinals key.
        #[serde(with = "as_text")]
        lender: XOnlyPublicKey,
        /// The signers that share the vault; none where this one has it alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shared: Option<SharedKeys>,
        /// The signed message.
        signed: SignedText,
    },
    /// An offer was admitted and can be used.
    OfferAdmitted {
        /// The lender's id.
        lender_id: u64,
        /// The id by which the lender cancels it.
        offer_id: String,
        /// The listing of its slug.
        listing: Listing,
        /// The signed message.
        signed: SignedText,
    },
    /// A lender cancelled, paused or resumed offers.
    OffersRevised {
        /// The lender's id.
        lender_id: u64,
        /// The signed message.
        signed: SignedText,
    },
    /// A lender accepted a change of an offer's term.
    TermAccepted {
        /// The lender's id.
        lender_id: u64,
        /// The term of the change on the term sheet.
        term: Term,
        /// The signed message.
        signed: SignedText,
    },
    /// The origination of a loan was signed.
    LoanSigned {
        /// The lender whose vault pays.
        lender_id: u64,
        /// The id of the offer.
        #[serde(with = "as_text")]
        offer: sha256::Hash,
        /// The loan's id.
        #[serde(with = "as_text")]
        loan_id: u128,
        /// The principal, in sats.
        principal_sats: u64,
        /// The origination.
        transaction: Outgoing,
    },
    /// A withdrawal was signed.
    WithdrawalSigned {
        /// The lender whose vault pays.
        lender_id: u64,
        /// The signed message.
        signed: SignedText,
        /// The transaction.
        transaction: Outgoing,
    },
    /// A server of this epoch asked first, or the operator set the epoch back to 0: another journal is in use.
    WriterEpoch {
        /// The epoch.
        epoch: u64,
    },
    /// A child was signed that spends a change output of a loan or withdrawal above.
    FeeBumpSigned {
        /// The lender whose vault pays.
        lender_id: u64,
        /// The child.
        transaction: Outgoing,
    },
    /// The move to the vault of other signers was signed: nothing else is signed for the vault from now on.
    VaultMoved {
        /// The lender whose vault moves.
        lender_id: u64,
        /// The signed message.
        signed: SignedText,
        /// The transaction.
        transaction: Outgoing,
    },
    /// A lender delegated quotes to a program.
    DelegationAdmitted {
        /// The lender's id.
        lender_id: u64,
        /// The signed message.
        signed: SignedText,
    },
    /// A delegation was revoked, for good.
    DelegationRevoked {
        /// The lender's id.
        lender_id: u64,
        /// The id of the delegation.
        #[serde(with = "as_text")]
        delegation: DelegationId,
    },
    /// An offer under a delegation was admitted and can be used.
    DelegatedOfferAdmitted {
        /// The lender's id.
        lender_id: u64,
        /// The id by which it is cancelled.
        offer_id: String,
        /// The listing of its slug.
        listing: Listing,
        /// The program's text.
        signed: ProgramText,
    },
    /// A program cancelled offers, or withdrew a quote.
    DelegatedOffersRevised {
        /// The lender's id.
        lender_id: u64,
        /// The program's text.
        signed: ProgramText,
    },
}

/// The signers of a shared vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedKeys {
    /// The number of signers that sign each payment.
    pub(crate) required: usize,
    /// The attested key of each.
    pub(crate) keys: Vec<AttestedKey>,
}

/// A transaction that takes money out of a vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outgoing {
    /// Its txid.
    #[serde(with = "as_text")]
    pub(crate) txid: Txid,
    /// The amount that leaves the vault: its inputs minus the change back to it, in sats.
    pub(crate) sats: u64,
    /// The vault outputs that it spends.
    pub(crate) inputs: Vec<VaultInput>,
    /// The unsigned transaction, in hexadecimal.
    pub(crate) unsigned: String,
}

/// An output of a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct VaultInput(#[serde(with = "as_text")] pub(crate) OutPoint);
