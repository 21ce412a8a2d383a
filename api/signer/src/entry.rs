//! What the log holds.

use bitcoin::hashes::sha256;
use bitcoin::{OutPoint, Txid, XOnlyPublicKey};
use serde::{Deserialize, Serialize};

use crate::as_text;
use crate::signed_text::SignedText;
use crate::term_sheet::{Listing, Term};

/// Something that happened, with everything that is needed to check later that it was right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Entry {
    /// The signer began to keep to a policy.
    Policy {
        /// Its hash.
        #[serde(with = "as_text")]
        hash: sha256::Hash,
        /// Its text.
        text: String,
    },
    /// A lender opened a vault, or named another payment address.
    VaultOpened {
        /// Which lender.
        lender_id: u64,
        /// The lender's ordinals key.
        #[serde(with = "as_text")]
        lender: XOnlyPublicKey,
        /// What was signed.
        signed: SignedText,
    },
    /// An offer can be used from now on.
    OfferAdmitted {
        /// Whose.
        lender_id: u64,
        /// By which id the lender cancels it.
        offer_id: String,
        /// What its slug means.
        listing: Listing,
        /// What was signed.
        signed: SignedText,
    },
    /// A lender cancelled, paused or resumed offers.
    OffersRevised {
        /// Whose.
        lender_id: u64,
        /// What was signed.
        signed: SignedText,
    },
    /// A lender accepted a change of an offer's term.
    TermAccepted {
        /// Whose.
        lender_id: u64,
        /// What the message's term was on the sheet.
        term: Term,
        /// What was signed.
        signed: SignedText,
    },
    /// A loan's beginning was signed for.
    LoanSigned {
        /// Whose vault pays.
        lender_id: u64,
        /// By which offer.
        #[serde(with = "as_text")]
        offer: sha256::Hash,
        /// The loan.
        #[serde(with = "as_text")]
        loan_id: u128,
        /// What is lent, in sats.
        principal_sats: u64,
        /// The transaction.
        transaction: Outgoing,
    },
    /// A withdrawal was signed for.
    WithdrawalSigned {
        /// Whose vault pays.
        lender_id: u64,
        /// What was signed.
        signed: SignedText,
        /// The transaction.
        transaction: Outgoing,
    },
    /// A child was signed for, which spends an output of the change of a loan or a withdrawal above.
    FeeBumpSigned {
        /// Whose vault pays.
        lender_id: u64,
        /// The child.
        transaction: Outgoing,
    },
}

/// A transaction that takes money out of a vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outgoing {
    /// The id it will have.
    #[serde(with = "as_text")]
    pub(crate) txid: Txid,
    /// What leaves the vault: its inputs without the change back to it, in sats.
    pub(crate) sats: u64,
    /// The vault's outputs that it spends.
    pub(crate) inputs: Vec<VaultInput>,
    /// The unsigned transaction, in hexadecimal.
    pub(crate) unsigned: String,
}

/// An output of a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct VaultInput(#[serde(with = "as_text")] pub(crate) OutPoint);
