//! Kits: one file a person that finishes a loan, or leaves a vault, without the platform, from the file and a Bitcoin
//! node alone.
//!
//! A kit holds no private key: it is what a wallet must know to sign, and for the borrower the lender's half of the
//! repayment. Whoever finds one learns about the loan and can move nothing.
//!
//! A file is read as hostile input: it is bounded, its transactions and signatures are verified, and everything that
//! follows from something else in it (addresses, descriptors, times in words) is derived again and compared.
//!
//! - [`borrower_kit`] repays, [`lender_kit`] claims, [`vault_kit`] leaves a vault.
//! - [`loan_record`] is what the kits of both sides say of their loan.
//! - [`rebuilt`] knows a transaction again that was signed elsewhere.
//! - [`kit_error`] is why a file is no kit.

pub mod borrower_kit;
pub mod kit_error;
pub mod lender_kit;
pub mod loan_record;
pub mod rebuilt;
pub mod vault_kit;

mod difference;
mod document;
mod field;
mod instructions;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use borrower_kit::BorrowerKit;
use document::{BorrowerDocument, LenderDocument, VaultDocument};
use kit_error::KitError;
use lender_kit::LenderKit;
use vault_kit::VaultKit;

/// No kit is longer, in bytes: the transactions of a loan are standard ones, of at most 100,000 bytes each.
pub const LENGTH_MAX: usize = 1 << 20;

/// A kit of any side.
#[derive(Clone, Debug)]
pub enum Kit {
    /// Repays a loan.
    Borrower(Box<BorrowerKit>),
    /// Takes the collateral of a loan that was not repaid.
    Lender(Box<LenderKit>),
    /// Leaves a vault.
    Vault(Box<VaultKit>),
}

/// What every kit begins with, whatever else is in it.
#[derive(Deserialize)]
struct Head {
    kit: String,
}

impl Kit {
    /// Reads a file that anybody may have written.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn read(text: &str) -> Result<Self, KitError> {
        if text.len() > LENGTH_MAX {
            return Err(KitError::TooLarge { bytes: text.len(), max: LENGTH_MAX });
        }
        let head: Head = parsed(text)?;
        match head.kit.as_str() {
            document::BORROWER => BorrowerKit::of(&parsed(text)?).map(|kit| Self::Borrower(Box::new(kit))),
            document::LENDER => LenderKit::of(&parsed(text)?).map(|kit| Self::Lender(Box::new(kit))),
            document::VAULT => VaultKit::of(&parsed(text)?).map(|kit| Self::Vault(Box::new(kit))),
            other => Err(KitError::UnknownKind { found: other.chars().take(64).collect() }),
        }
    }

    /// The file; reading it again gives the same kit.
    #[must_use]
    pub fn write(&self) -> String {
        let text = match self {
            Self::Borrower(kit) => serde_json::to_string_pretty(&BorrowerDocument::of(kit)),
            Self::Lender(kit) => serde_json::to_string_pretty(&LenderDocument::of(kit)),
            Self::Vault(kit) => serde_json::to_string_pretty(&VaultDocument::of(kit)),
        };
        // A document of texts and numbers has nothing that JSON could not say.
        text.map(|text| text + "\n").unwrap_or_default()
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, KitError> {
    serde_json::from_str(text).map_err(|error| KitError::NotAKit(error.to_string()))
}
