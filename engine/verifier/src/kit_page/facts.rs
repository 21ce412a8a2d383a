//! The description of a kit that was read and checked.

use escrow::contract::assets::pledge::Pledge;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::contract_output::ContractOutput;
use escrow::contract::vault::EXIT_BLOCKS;
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use escrow::kit::repayment_time::RepaymentTime;
use escrow::kit::vault_kit::VaultKit;
use escrow::utc::utc;
use serde::Serialize;

use super::build::claim_time;
use super::drawing::{address, network};

/// A kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KitFacts {
    /// The kind of the kit.
    pub role: Role,
    /// The network, by its name.
    pub network: String,
    /// The purpose of the kit in words.
    pub purpose: String,
    /// The contract's output.
    pub contract: ContractFacts,
    /// The ordinals address of the owner.
    pub ordinals_address: String,
    /// The payment address of the owner; absent for a vault.
    pub payment_address: Option<String>,
    /// The loan; absent for a vault.
    pub loan: Option<LoanFacts>,
    /// The time that is left, in words; absent for a vault.
    pub time: Option<String>,
    /// The facts that were established, in words.
    pub proofs: Vec<String>,
}

/// The owner of a kit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A borrower.
    Borrower,
    /// A lender.
    Lender,
    /// The lender of a vault.
    Vault,
}

/// An output of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContractFacts {
    /// The address.
    pub address: String,
    /// The descriptor.
    pub descriptor: String,
}

/// A loan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoanFacts {
    /// The loan's id.
    pub id: String,
    /// The collateral in words.
    pub collateral: String,
    /// The output that holds the collateral.
    pub outpoint: String,
    /// The amount of this output.
    pub value_sats: u64,
    /// The borrower's ordinals address.
    pub borrower_address: String,
    /// The lender's ordinals address.
    pub lender_address: String,
    /// The address that is paid when the loan is repaid.
    pub payout_address: String,
    /// The amount to repay.
    pub payout_sats: u64,
    /// The due time.
    pub due: String,
    /// The time from which the lender may claim.
    pub claim_after: String,
    /// The outputs that precede the escrow in a repayment; none in a lender's kit.
    pub pads: Vec<String>,
}

/// Returns the facts of a kit at a time in Unix seconds.
#[must_use]
pub fn of(kit: &Kit, now_seconds: u32) -> KitFacts {
    match kit {
        Kit::Borrower(kit) => of_borrower(kit, now_seconds),
        Kit::Lender(kit) => of_lender(kit, now_seconds),
        Kit::Vault(inner) => of_vault(inner, network(kit).to_string()),
    }
}

fn of_borrower(kit: &BorrowerKit, now_seconds: u32) -> KitFacts {
    let record = kit.record();
    let pads = kit.pads().iter().map(|pad| pad.outpoint.to_string()).collect();
    KitFacts {
        role: Role::Borrower,
        network: record.network.to_string(),
        purpose: "It repays the loan: the lender is paid, and the collateral returns to you.".to_owned(),
        contract: contract(record.loan.escrow.output(), record.network),
        ordinals_address: shown(&kit.ordinals_script(), record),
        payment_address: Some(shown(&kit.payment().script_pubkey(), record)),
        loan: Some(loan(record, pads)),
        time: Some(RepaymentTime::of(kit, now_seconds).text(kit, now_seconds)),
        proofs: loan_proofs(record),
    }
}

fn of_lender(kit: &LenderKit, now_seconds: u32) -> KitFacts {
    let record = kit.record();
    KitFacts {
        role: Role::Lender,
        network: record.network.to_string(),
        purpose: "It claims the collateral after the claim time, unless the borrower has repaid.".to_owned(),
        contract: contract(record.loan.escrow.output(), record.network),
        ordinals_address: shown(&kit.ordinals_script(), record),
        payment_address: Some(shown(&kit.payment().script_pubkey(), record)),
        loan: Some(loan(record, Vec::new())),
        time: Some(
            claim_time(kit, now_seconds).unwrap_or_else(|| {
                format!("The claim time has passed: {}.", utc(record.loan.escrow.terms().claim_after))
            }),
        ),
        proofs: loan_proofs(record),
    }
}

fn of_vault(kit: &VaultKit, network: String) -> KitFacts {
    let signers = &kit.vault().terms().signers;
    KitFacts {
        role: Role::Vault,
        network,
        purpose: format!("It takes each output out of the vault that has {EXIT_BLOCKS} confirmations."),
        contract: contract(kit.vault().output(), kit.network()),
        ordinals_address: address(&kit.ordinals_script(), kit.network()).unwrap_or_default(),
        payment_address: None,
        loan: None,
        time: None,
        proofs: vec![
            "The vault's address and descriptor follow from your ordinals key and the signers' keys.".to_owned(),
            format!(
                "Your key alone opens the vault after {EXIT_BLOCKS} blocks, and {} of {} signers open it at any time.",
                signers.required(),
                signers.keys().len()
            ),
        ],
    }
}

fn loan_proofs(record: &LoanRecord) -> Vec<String> {
    let terms = record.loan.escrow.terms();
    vec![
        "The escrow's address and descriptor follow from the keys of both sides and the claim time.".to_owned(),
        format!(
            "The escrow opens for the borrower together with a payment of {} to the lender, and for the lender alone \
             from {} on. No other key opens it.",
            record.loan.payout.value,
            utc(terms.claim_after)
        ),
        "The transaction in the kit pays the stated amount into the escrow.".to_owned(),
        "The repayment is signed in advance, in both of its versions, and all of these signatures are valid."
            .to_owned(),
    ]
}

fn loan(record: &LoanRecord, pads: Vec<String>) -> LoanFacts {
    let (loan, terms) = (&record.loan, record.loan.escrow.terms());
    LoanFacts {
        id: format!("ln_{:x}", terms.loan),
        collateral: collateral(&loan.pledge),
        outpoint: loan.outpoint.to_string(),
        value_sats: loan.value.to_sat(),
        borrower_address: shown(&CoinKey::P2tr(terms.borrower).script_pubkey(), record),
        lender_address: shown(&CoinKey::P2tr(terms.lender).script_pubkey(), record),
        payout_address: shown(&loan.payout.script_pubkey, record),
        payout_sats: loan.payout.value.to_sat(),
        due: utc(record.due_seconds),
        claim_after: utc(terms.claim_after),
        pads,
    }
}

fn collateral(pledge: &Pledge) -> String {
    match pledge {
        Pledge::Inscription { .. } => "1 inscription".to_owned(),
        Pledge::Inscriptions(ranges) => format!("{} inscriptions", ranges.len()),
        Pledge::TransferInscription { .. } => "1 BRC-20 transfer inscription".to_owned(),
        Pledge::Runes { id, amount } => format!("{amount} raw units of the rune {id}"),
    }
}

fn contract(output: &ContractOutput, network: bitcoin::Network) -> ContractFacts {
    ContractFacts { address: output.address(network).to_string(), descriptor: output.descriptor() }
}

fn shown(script: &bitcoin::Script, record: &LoanRecord) -> String {
    address(script, record.network).unwrap_or_default()
}
