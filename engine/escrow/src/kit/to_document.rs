//! Kits to documents.

use bitcoin::hex::DisplayHex as _;
use bitcoin::taproot::Signature;

use super::borrower_kit::BorrowerKit;
use super::document::{
    BORROWER, BorrowerDocument, ContractDocument, LENDER, LenderDocument, LoanDocument, PaymentDocument,
    PayoutDocument, PledgeDocument, RepayKeyDocument, SHARED_BORROWER, SHARED_LENDER, SHARED_VAULT, SignaturesDocument,
    SignersDocument, TimeDocument, VAULT, VaultDocument, address,
};
use super::instructions;
use super::lender_kit::LenderKit;
use super::loan_record::LoanRecord;
use super::vault_kit::VaultKit;
use crate::contract::loan::payout_signature_pair::PayoutSignaturePair;
use crate::contract::vault::EXIT_BLOCKS;
use crate::contract::vault::vault_signers::VaultSigners;

impl BorrowerDocument {
    pub(super) fn of(kit: &BorrowerKit) -> Self {
        let record = kit.record();
        Self {
            kit: if record.has_single_repay_key() { BORROWER } else { SHARED_BORROWER }.to_owned(),
            instructions: instructions::of_borrower(kit),
            network: record.network.to_string(),
            loan: LoanDocument::of(record),
            home: address(&kit.ordinals_script(), record.network),
            payment: PaymentDocument::of(kit.payment(), record.network),
            pads: kit.pads().iter().map(|pad| pad.outpoint.to_string()).collect(),
        }
    }
}

impl LenderDocument {
    pub(super) fn of(kit: &LenderKit) -> Self {
        let record = kit.record();
        Self {
            kit: if record.has_single_repay_key() { LENDER } else { SHARED_LENDER }.to_owned(),
            instructions: instructions::of_lender(kit),
            network: record.network.to_string(),
            loan: LoanDocument::of(record),
            home: address(&kit.ordinals_script(), record.network),
            payment: PaymentDocument::of(kit.payment(), record.network),
        }
    }
}

impl VaultDocument {
    pub(super) fn of(kit: &VaultKit) -> Self {
        let terms = kit.vault().terms();
        Self {
            kit: if terms.signers.only().is_some() { VAULT } else { SHARED_VAULT }.to_owned(),
            instructions: instructions::of_vault(kit),
            network: kit.network().to_string(),
            lender: format!("us_{:x}", terms.lender_id),
            vault: ContractDocument::of(kit.vault().output(), kit.network()),
            signer_key: terms.signers.only().map(|key| key.to_string()),
            signers: terms.signers.only().is_none().then(|| SignersDocument::of(&terms.signers)),
            lender_key: terms.lender.to_string(),
            exit_blocks: EXIT_BLOCKS,
            home: address(&kit.ordinals_script(), kit.network()),
        }
    }
}

impl SignersDocument {
    fn of(signers: &VaultSigners) -> Self {
        Self { required: signers.required(), keys: signers.keys().iter().map(ToString::to_string).collect() }
    }
}

impl LoanDocument {
    fn of(record: &LoanRecord) -> Self {
        let loan = &record.loan;
        let terms = loan.escrow.terms();
        let signed = terms.repay.keys().iter().zip(record.pre_signatures.pairs());
        let several = signed.map(|(key, pair)| RepayKeyDocument {
            key: key.to_string(),
            payout_signatures: SignaturesDocument::of(pair),
        });
        Self {
            id: format!("ln_{:x}", terms.loan),
            escrow: ContractDocument::of(loan.escrow.output(), record.network),
            borrower_key: terms.borrower.to_string(),
            repay_key: terms.repay.only().map(|key| key.to_string()),
            repay_keys: (!record.has_single_repay_key()).then(|| several.collect()),
            lender_key: terms.lender.to_string(),
            outpoint: loan.outpoint.to_string(),
            value_sats: loan.value.to_sat(),
            pledge: PledgeDocument::of(&loan.pledge),
            payout: PayoutDocument {
                address: address(&loan.payout.script_pubkey, record.network),
                value_sats: loan.payout.value.to_sat(),
            },
            due: TimeDocument::of(record.due_seconds),
            claim: TimeDocument::of(terms.claim_after),
            payout_signatures: record.pre_signatures.only().map(SignaturesDocument::of),
            origination: bitcoin::consensus::encode::serialize_hex(&record.origination),
        }
    }
}

impl SignaturesDocument {
    fn of(pair: &PayoutSignaturePair) -> Self {
        let signature = |signature: &Signature| signature.to_vec().to_lower_hex_string();
        Self { version_2: signature(&pair.two), version_3: signature(&pair.truc) }
    }
}
