//! Recovery kits: a file for each party that finishes a loan, or exits a vault, without the platform; the file and a
//! Bitcoin node suffice.
//!
//! A kit holds no private key. It holds the data that a wallet needs to sign and, for the borrower, the lender's half
//! of the repayment. A leaked kit discloses the loan, but cannot move anything.
//!
//! A file is parsed as untrusted input: its size is bounded, its transactions and signatures are verified, and every
//! field that follows from others (addresses, descriptors, times in words) is derived again and compared.
//!
//! - [`borrower_kit`] repays, [`lender_kit`] claims, [`vault_kit`] exits a vault.
//! - [`loan_record`] is the loan data in the kits of both sides.
//! - [`repayment_coins`] distributes coins among pads and payers, [`repayment_time`] says how much time is left.
//! - [`labels`] names the inputs and outputs of the transactions of a kit, [`time_left`] formats.
//! - [`rebuild`] recognizes a transaction that was signed elsewhere.
//! - `document` is a kit as JSON; `to_document` and `from_document` convert, `instructions` are its texts for humans.
//! - [`kit_error`] lists the reasons why a file is not a kit.

pub mod borrower_kit;
pub mod kit_error;
pub mod labels;
pub mod lender_kit;
pub mod loan_record;
pub mod rebuild;
pub mod repayment_coins;
pub mod repayment_time;
pub mod time_left;
pub mod vault_kit;

mod difference;
mod document;
mod field;
mod from_document;
mod instructions;
mod to_document;

use bitcoin::Amount;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use borrower_kit::BorrowerKit;
use document::{BorrowerDocument, LenderDocument, VaultDocument};
use kit_error::KitError;
use lender_kit::LenderKit;
use vault_kit::VaultKit;

/// The maximum length of a kit, in bytes: the transactions of a loan are standard ones of at most 100,000 bytes each.
pub const LENGTH_MAX: usize = 1 << 20;
/// The maximum length of the reason why a file is no kit, in characters.
const REASON_CHARS_MAX: usize = 200;

/// The amount up to which coins usually carry inscriptions or runes, which neither a kit nor a node can see.
pub const ASSET_VALUE_MAX: Amount = Amount::from_sat(10_000);

/// A kit of either side.
#[derive(Clone, Debug)]
pub enum Kit {
    /// Repays a loan.
    Borrower(Box<BorrowerKit>),
    /// Takes the collateral of a loan that was not repaid.
    Lender(Box<LenderKit>),
    /// Exits a vault.
    Vault(Box<VaultKit>),
}

/// The field that every kit begins with.
#[derive(Deserialize)]
struct Head {
    kit: String,
}

impl Kit {
    /// Parses a kit from an untrusted file.
    ///
    /// # Errors
    /// The first fault found.
    pub fn read(text: &str) -> Result<Self, KitError> {
        if text.len() > LENGTH_MAX {
            return Err(KitError::TooLarge { bytes: text.len(), max: LENGTH_MAX });
        }
        let head: Head = parsed(text)?;
        match head.kit.as_str() {
            document::BORROWER | document::SHARED_BORROWER => {
                BorrowerKit::of(&parsed(text)?).map(|kit| Self::Borrower(Box::new(kit)))
            }
            document::LENDER | document::SHARED_LENDER => {
                LenderKit::of(&parsed(text)?).map(|kit| Self::Lender(Box::new(kit)))
            }
            document::VAULT | document::SHARED_VAULT => {
                VaultKit::of(&parsed(text)?).map(|kit| Self::Vault(Box::new(kit)))
            }
            other => Err(KitError::UnknownKind { found: other.chars().take(64).collect() }),
        }
    }

    /// Serializes the kit; reading the text again gives the same kit.
    #[must_use]
    pub fn write(&self) -> String {
        let text = match self {
            Self::Borrower(kit) => serde_json::to_string_pretty(&BorrowerDocument::of(kit)),
            Self::Lender(kit) => serde_json::to_string_pretty(&LenderDocument::of(kit)),
            Self::Vault(kit) => serde_json::to_string_pretty(&VaultDocument::of(kit)),
        };
        // A document of strings and numbers always serializes to JSON.
        text.map(|text| text + "\n").unwrap_or_default()
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, KitError> {
    // The error repeats the name of an unknown field, which may be as long as the file.
    serde_json::from_str(text)
        .map_err(|error| KitError::NotAKit(error.to_string().chars().take(REASON_CHARS_MAX).collect()))
}
