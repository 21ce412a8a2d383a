//! Kits as JSON.
//!
//! Amounts are sats. Numbers that can exceed the integers of other programs are strings.

use bitcoin::{Address, Network, Script};
use serde::{Deserialize, Serialize};

use crate::contract::assets::pledge::{InscribedRange, Pledge};
use crate::contract::transaction::coin::CoinKey;
use crate::contract::transaction::contract_output::ContractOutput;
use crate::utc::utc;

/// The `kit` field of a borrower's kit.
pub(super) const BORROWER: &str = "lienbook-loan-borrower/1";
/// The `kit` field of a lender's kit.
pub(super) const LENDER: &str = "lienbook-loan-lender/1";
/// The `kit` field of a borrower's kit of a loan with several repay keys.
pub(super) const SHARED_BORROWER: &str = "lienbook-loan-borrower/2";
/// The `kit` field of a lender's kit of a loan with several repay keys.
pub(super) const SHARED_LENDER: &str = "lienbook-loan-lender/2";
/// The `kit` field of the kit of a vault's lender.
pub(super) const VAULT: &str = "lienbook-vault-lender/1";
/// The same, of a vault with several signers.
pub(super) const SHARED_VAULT: &str = "lienbook-vault-lender/2";

/// The kit of a borrower.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BorrowerDocument {
    pub(super) kit: String,
    pub(super) instructions: Vec<String>,
    pub(super) network: String,
    pub(super) loan: LoanDocument,
    pub(super) home: String,
    pub(super) payment: PaymentDocument,
    pub(super) pads: Vec<String>,
}

/// The kit of a lender.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LenderDocument {
    pub(super) kit: String,
    pub(super) instructions: Vec<String>,
    pub(super) network: String,
    pub(super) loan: LoanDocument,
    pub(super) home: String,
    pub(super) payment: PaymentDocument,
}

/// The kit of a vault's lender.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VaultDocument {
    pub(super) kit: String,
    pub(super) instructions: Vec<String>,
    pub(super) network: String,
    pub(super) lender: String,
    pub(super) vault: ContractDocument,
    /// The key of a single signer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signer_key: Option<String>,
    /// Several signers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signers: Option<SignersDocument>,
    pub(super) lender_key: String,
    pub(super) exit_blocks: u16,
    pub(super) home: String,
}

/// Signers of which some are required.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignersDocument {
    pub(super) required: usize,
    pub(super) keys: Vec<String>,
}

/// A loan, in the same form for both sides.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoanDocument {
    pub(super) id: String,
    pub(super) escrow: ContractDocument,
    pub(super) borrower_key: String,
    /// A single repay key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repay_key: Option<String>,
    /// Several repay keys, with their signatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repay_keys: Option<Vec<RepayKeyDocument>>,
    pub(super) lender_key: String,
    pub(super) outpoint: String,
    pub(super) value_sats: u64,
    pub(super) pledge: PledgeDocument,
    pub(super) payout: PayoutDocument,
    pub(super) due: TimeDocument,
    pub(super) claim: TimeDocument,
    /// The signatures of a single repay key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) payout_signatures: Option<SignaturesDocument>,
    pub(super) origination: String,
}

/// A contract in the form that other wallets and nodes read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContractDocument {
    pub(super) address: String,
    pub(super) descriptor: String,
    pub(super) script_pubkey: String,
}

/// The collateral that the escrow holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum PledgeDocument {
    /// An inscription, and the number of the escrow's sats that precede it.
    Inscription { offset_sats: u64 },
    /// Several inscriptions: the ranges of the escrow's sats that return as outputs of their own, in their order.
    Inscriptions { ranges: Vec<RangeDocument> },
    /// A BRC-20 transfer inscription, and the number of the escrow's sats that precede it.
    Note { offset_sats: u64 },
    /// Runes, by id and in raw units.
    Runes { id: String, amount: String },
}

/// A range of sats with one inscription, and the number of them that precede it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RangeDocument {
    pub(super) value_sats: u64,
    pub(super) offset_sats: u64,
}

/// The payout to the lender when the loan is repaid.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PayoutDocument {
    pub(super) address: String,
    pub(super) value_sats: u64,
}

/// A time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TimeDocument {
    pub(super) unix_seconds: u32,
    pub(super) utc: String,
}

/// The address that pays and receives payments, and its public key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PaymentDocument {
    pub(super) address: String,
    pub(super) public_key: String,
}

/// The pre-signatures of the repayment, by transaction version.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignaturesDocument {
    pub(super) version_2: String,
    pub(super) version_3: String,
}

/// One of several repay keys, and its pre-signatures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RepayKeyDocument {
    pub(super) key: String,
    pub(super) payout_signatures: SignaturesDocument,
}

impl ContractDocument {
    pub(super) fn of(contract: &ContractOutput, network: Network) -> Self {
        Self {
            address: contract.address(network).to_string(),
            descriptor: contract.descriptor(),
            script_pubkey: contract.script_pubkey().to_hex_string(),
        }
    }
}

impl PledgeDocument {
    pub(super) fn of(pledge: &Pledge) -> Self {
        match pledge {
            Pledge::Inscription { offset } => Self::Inscription { offset_sats: offset.to_sat() },
            Pledge::Inscriptions(ranges) => {
                let document = |range: &InscribedRange| RangeDocument {
                    value_sats: range.value.to_sat(),
                    offset_sats: range.offset.to_sat(),
                };
                Self::Inscriptions { ranges: ranges.iter().map(document).collect() }
            }
            Pledge::TransferInscription { offset } => Self::Note { offset_sats: offset.to_sat() },
            Pledge::Runes { id, amount } => Self::Runes { id: id.to_string(), amount: amount.to_string() },
        }
    }
}

impl TimeDocument {
    pub(super) fn of(unix_seconds: u32) -> Self {
        Self { unix_seconds, utc: utc(unix_seconds) }
    }
}

impl PaymentDocument {
    pub(super) fn of(key: &CoinKey, network: Network) -> Self {
        let public_key = match key {
            CoinKey::P2tr(key) => key.to_string(),
            CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.to_string(),
        };
        Self { address: address(&key.script_pubkey(), network), public_key }
    }
}

/// The address of a script; every script in a kit has one.
pub(super) fn address(script: &Script, network: Network) -> String {
    Address::from_script(script, network).map(|address| address.to_string()).unwrap_or_default()
}
