//! A program that quotes under a delegation.

use bitcoin::Network;
use bitcoin::hashes::sha256;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use escrow::action::{Action, CancelOffers, NewOffer, OfferProcess};
use escrow::delegated_action::{DelegatedAction, DelegatedEnvelope};
use escrow::delegation_id::DelegationId;
use escrow::new_delegation::NewDelegation;
use signer::delegation_request::{DelegationName, DelegationRequest, DelegationStatus};
use signer::program_text::ProgramText;
use signer::refusal::Refusal;
use signer::request::{Answer, LoanRequest, PreparedLoan, Request};

use super::rig::{PRINCIPAL_SATS, Rig, VAULT_SATS, offer, outpoint, signing};

pub(crate) const ID: DelegationId = DelegationId(7);
pub(crate) const DAY_S: u64 = 86_400;

pub(crate) fn program(byte: u8) -> Keypair {
    Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap()
}

/// A delegation to the program of byte 3: two loans of the usual offer a day, for 30 days.
pub(crate) fn delegation(rig: &Rig) -> NewDelegation {
    NewDelegation {
        id: ID,
        program_key: program(3).x_only_public_key().0,
        vaults: Some(vec![rig.policy_hash().to_string()]),
        collections: Some(vec!["ninjas-14d".to_owned()]),
        principal_max_sats: PRINCIPAL_SATS,
        daily_max_sats: 2 * PRINCIPAL_SATS,
        interest_min_bps: 325,
        term_max_days: 14,
        valid_until_s: rig.now_ms / 1_000 + 30 * DAY_S,
    }
}

/// The closing lines of the program's text of this number, now.
pub(crate) fn closing(rig: &Rig, number: u64) -> DelegatedEnvelope {
    DelegatedEnvelope {
        delegation: ID,
        number,
        domain: rig.draft.domain.clone(),
        network: Network::Regtest,
        address: rig.lender.payment_address().to_string(),
        issued_s: rig.now_ms / 1_000,
        expires_s: rig.now_ms / 1_000 + 600,
    }
}

pub(crate) fn text(key: &Keypair, action: Action, closing: DelegatedEnvelope) -> ProgramText {
    let signed = DelegatedAction::new(action, closing).unwrap();
    ProgramText { message: signed.text().to_owned(), signature: signed.sign(key) }
}

/// The usual offer with a change.
pub(crate) fn changed(rig: &Rig, change: impl FnOnce(&mut NewOffer)) -> NewOffer {
    let mut new_offer = offer(&rig.policy_hash(), None);
    change(&mut new_offer);
    new_offer
}

/// The usual offer with a vault.
pub(crate) fn from_vault(rig: &Rig, vault: &str) -> NewOffer {
    changed(rig, |offer| {
        if let OfferProcess::Instant(terms) = &mut offer.process {
            vault.clone_into(&mut terms.vault);
        }
    })
}

pub(crate) fn cancellation(rig: &Rig, offer_id: &str) -> Action {
    let vault = Some(rig.policy_hash().to_string());
    Action::CancelOffers(CancelOffers { ordinal_offer_ids: vec![offer_id.to_owned()], rune_offer_ids: vec![], vault })
}

/// The code of a refusal: its name, and that of the refusal within it.
pub(crate) fn code(refusal: &Refusal) -> String {
    let name = |value: &serde_json::Value| match value {
        serde_json::Value::Object(fields) => fields.keys().next().unwrap().clone(),
        other => other.as_str().unwrap().to_owned(),
    };
    let value = serde_json::to_value(refusal).unwrap();
    let outer = name(&value);
    if outer == "delegation" { format!("delegation.{}", name(&value["delegation"])) } else { outer }
}

impl Rig {
    /// A rig with an open vault and the usual delegation.
    pub(crate) fn delegating() -> Self {
        let mut rig = Self::new();
        rig.open_vault();
        let wanted = delegation(&rig);
        rig.delegate(wanted);
        rig
    }

    pub(crate) fn delegation_request(&mut self, wanted: NewDelegation) -> Request {
        let signed = self.sign(Action::DelegateQuotes(wanted));
        Request::Delegation(DelegationRequest::Admit { lender_id: self.lender_id, signed })
    }

    pub(crate) fn delegate(&mut self, wanted: NewDelegation) {
        let request = self.delegation_request(wanted);
        assert_eq!(self.ask(request), Answer::Revised);
    }

    pub(crate) fn revocation(&self) -> Request {
        Request::Delegation(DelegationRequest::Revoke { lender_id: self.lender_id, delegation: ID })
    }

    pub(crate) fn delegated(&self, offer_id: &str, signed: ProgramText) -> Request {
        let (lender_id, offer_id) = (self.lender_id, offer_id.to_owned());
        Request::Delegation(DelegationRequest::AdmitOffer { lender_id, offer_id, signed })
    }

    pub(crate) fn delegated_revision(&self, signed: ProgramText) -> Request {
        Request::Delegation(DelegationRequest::ReviseOffers { lender_id: self.lender_id, signed })
    }

    /// Quotes the usual offer under the delegation.
    pub(crate) fn quote(&mut self, offer_id: &str, number: u64) -> sha256::Hash {
        let action = Action::CreateOffer(offer(&self.policy_hash(), None));
        let signed = text(&program(3), action, closing(self, number));
        match self.ask(self.delegated(offer_id, signed)) {
            Answer::Offer(offer) => offer,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn code_of(&mut self, request: Request) -> String {
        code(&self.refusal(request))
    }

    pub(crate) fn status(&mut self) -> Option<DelegationStatus> {
        let request = DelegationRequest::Status { lender_id: self.lender_id, delegations: vec![DelegationName(ID)] };
        match self.ask(Request::Delegation(request)) {
            Answer::Delegations(status) => status.first().copied(),
            other => panic!("{other:?}"),
        }
    }

    /// A loan of the usual offer from another output of the vault, by its number.
    pub(crate) fn loan_from(&self, offer: sha256::Hash, output: u8) -> LoanRequest {
        let mut loan = self.loan(offer);
        loan.loan_id = u128::from(output);
        loan.vault_outputs[0].outpoint = outpoint(output);
        assert_eq!(loan.vault_outputs[0].sats, VAULT_SATS);
        loan
    }

    /// The code with which a prepared loan is refused.
    pub(crate) fn signing_code(&mut self, loan: &LoanRequest, prepared: &PreparedLoan) -> String {
        self.code_of(signing(loan, prepared))
    }
}
