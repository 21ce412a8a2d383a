//! Documents to kits: every field that follows from others is derived again and compared.

use bitcoin::{Amount, Network, TxOut};

use super::borrower_kit::BorrowerKit;
use super::difference::check_same;
use super::document::{
    BorrowerDocument, LenderDocument, LoanDocument, PledgeDocument, RangeDocument, RepayKeyDocument,
    SignaturesDocument, VaultDocument,
};
use super::field;
use super::kit_error::KitError;
use super::lender_kit::LenderKit;
use super::loan_record::LoanRecord;
use super::vault_kit::VaultKit;
use crate::contract::assets::pledge::{InscribedRange, Pledge};
use crate::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use crate::contract::loan::payout_signature_pair::PayoutSignaturePair;
use crate::contract::loan::payout_signatures::PayoutSignatures;
use crate::contract::loan::repay_keys::RepayKeys;
use crate::contract::loan::running_loan::RunningLoan;
use crate::contract::vault::vault_signers::VaultSigners;
use crate::contract::vault::{Vault, VaultTerms};

impl BorrowerKit {
    pub(super) fn of(document: &BorrowerDocument) -> Result<Self, KitError> {
        let network = field::network(&document.network)?;
        let pads = document.pads.iter().map(|pad| field::outpoint("pads", pad));
        let pads = pads.collect::<Result<Vec<_>, KitError>>()?;
        let record = LoanRecord::of(&document.loan, network)?;
        let kit = Self::new(record, field::payment(&document.payment, network)?, &pads)?;
        check_same(document, &BorrowerDocument::of(&kit))?;
        Ok(kit)
    }
}

impl LenderKit {
    pub(super) fn of(document: &LenderDocument) -> Result<Self, KitError> {
        let network = field::network(&document.network)?;
        let record = LoanRecord::of(&document.loan, network)?;
        let kit = Self::new(record, field::payment(&document.payment, network)?)?;
        check_same(document, &LenderDocument::of(&kit))?;
        Ok(kit)
    }
}

impl VaultKit {
    pub(super) fn of(document: &VaultDocument) -> Result<Self, KitError> {
        let network = field::network(&document.network)?;
        let id = field::id("lender", &document.lender, "us_")?;
        let terms = VaultTerms {
            lender_id: u64::try_from(id).map_err(|_| KitError::Malformed { field: "lender", wanted: "an id" })?,
            signers: document.signers()?,
            lender: field::key("lender_key", &document.lender_key)?,
        };
        let kit = Self::new(network, Vault::new(terms)?);
        check_same(document, &VaultDocument::of(&kit))?;
        Ok(kit)
    }
}

impl VaultDocument {
    fn signers(&self) -> Result<VaultSigners, KitError> {
        match (&self.signer_key, &self.signers) {
            (Some(key), None) => Ok(field::key("signer_key", key)?.into()),
            (None, Some(signers)) => {
                let keys = signers.keys.iter().map(|key| field::key("signers.keys", key));
                Ok(VaultSigners::new(signers.required, keys.collect::<Result<Vec<_>, KitError>>()?)?)
            }
            _ => Err(KitError::Malformed { field: "signers", wanted: "one signer or several" }),
        }
    }
}

impl LoanDocument {
    /// The repay keys, and their signatures.
    fn pre_signed(&self) -> Result<(RepayKeys, PayoutSignatures), KitError> {
        match (&self.repay_key, &self.payout_signatures, &self.repay_keys) {
            (Some(key), Some(signatures), None) => {
                let pair = signatures.pair("loan.payout_signatures.version_2", "loan.payout_signatures.version_3")?;
                Ok((field::key("loan.repay_key", key)?.into(), pair.into()))
            }
            (None, None, Some(documents)) => {
                let keys = documents.iter().map(|document| field::key("loan.repay_keys.key", &document.key));
                let keys = keys.collect::<Result<Vec<_>, KitError>>()?;
                let pairs = documents.iter().map(RepayKeyDocument::pair).collect::<Result<_, KitError>>()?;
                Ok((RepayKeys::new(keys)?, pairs))
            }
            _ => Err(KitError::Malformed { field: "loan.repay_keys", wanted: "one repay key or several" }),
        }
    }
}

impl RepayKeyDocument {
    fn pair(&self) -> Result<PayoutSignaturePair, KitError> {
        self.payout_signatures
            .pair("loan.repay_keys.payout_signatures.version_2", "loan.repay_keys.payout_signatures.version_3")
    }
}

impl SignaturesDocument {
    fn pair(&self, version_2: &'static str, version_3: &'static str) -> Result<PayoutSignaturePair, KitError> {
        Ok(PayoutSignaturePair {
            two: field::signature(version_2, &self.version_2)?,
            truc: field::signature(version_3, &self.version_3)?,
        })
    }
}

impl LoanRecord {
    fn of(document: &LoanDocument, network: Network) -> Result<Self, KitError> {
        let (repay, pre_signatures) = document.pre_signed()?;
        let terms = EscrowTerms {
            loan: field::id("loan.id", &document.id, "ln_")?,
            borrower: field::key("loan.borrower_key", &document.borrower_key)?,
            repay,
            lender: field::key("loan.lender_key", &document.lender_key)?,
            claim_after: document.claim.unix_seconds,
        };
        let pledge = match &document.pledge {
            PledgeDocument::Inscription { offset_sats } => {
                Pledge::Inscription { offset: Amount::from_sat(*offset_sats) }
            }
            PledgeDocument::Inscriptions { ranges } => {
                let range = |document: &RangeDocument| InscribedRange {
                    value: Amount::from_sat(document.value_sats),
                    offset: Amount::from_sat(document.offset_sats),
                };
                Pledge::Inscriptions(ranges.iter().map(range).collect())
            }
            PledgeDocument::Note { offset_sats } => {
                Pledge::TransferInscription { offset: Amount::from_sat(*offset_sats) }
            }
            PledgeDocument::Runes { id, amount } => Pledge::Runes {
                id: field::rune_id("loan.pledge.id", id)?,
                amount: field::raw_units("loan.pledge.amount", amount)?,
            },
        };
        let payout = TxOut {
            value: Amount::from_sat(document.payout.value_sats),
            script_pubkey: field::script("loan.payout.address", &document.payout.address, network)?,
        };
        let loan = RunningLoan {
            escrow: LoanEscrow::new(terms)?,
            outpoint: field::outpoint("loan.outpoint", &document.outpoint)?,
            value: Amount::from_sat(document.value_sats),
            pledge,
            payout,
        };
        let origination = field::transaction("loan.origination", &document.origination)?;
        Ok(Self { network, loan, pre_signatures, due_seconds: document.due.unix_seconds, origination })
    }
}
