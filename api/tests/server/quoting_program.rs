//! A program that quotes under a delegation, over HTTP.

use bitcoin::secp256k1::{Keypair, Secp256k1};
use escrow::action::{Action, CancelOffers, NewOffer};
use escrow::delegated_action::{DelegatedAction, DelegatedEnvelope};
use escrow::delegation_id::DelegationId;
use escrow::new_delegation::NewDelegation;
use serde_json::{Value, json};

use super::lender::{TestUser, instant, vault_signer};
use super::rig::{Answer, FLOOR_SATS, Rig};

pub const DELEGATIONS: &str = "/api/v1/delegations";
pub const QUOTES: &str = "/api/v1/delegated-offers";
pub const CANCEL: &str = "/api/v1/delegated-offers/cancel";
pub const SLUG: &str = "paper-frogs-7d";
pub const PRINCIPAL: u64 = FLOOR_SATS / 2;

pub struct QuotingProgram {
    pub keys: Keypair,
    pub id: DelegationId,
    /// The lender's address that signed the delegation.
    pub address: String,
    pub vault: String,
}

pub fn keys(byte: u8) -> Keypair {
    Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap()
}

/// A delegation to the key of this byte, for a day.
pub async fn delegation(rig: &Rig, byte: u8) -> NewDelegation {
    NewDelegation {
        id: DelegationId(u128::from(byte)),
        program_key: keys(byte).x_only_public_key().0,
        vaults: Some(vec![vault_signer(rig).await]),
        collections: Some(vec![SLUG.to_owned()]),
        principal_max_sats: PRINCIPAL,
        daily_max_sats: 2 * PRINCIPAL,
        interest_min_bps: 100,
        term_max_days: 7,
        valid_until_s: rig.app().now().seconds() + 86_400,
    }
}

pub async fn delegate(rig: &Rig, lender: &TestUser, wanted: NewDelegation) -> Answer {
    let signed = lender.sign_fresh(rig, Action::DelegateQuotes(wanted)).await;
    lender.post(rig, DELEGATIONS, &json!({"message": signed.text, "signature": signed.signature})).await
}

impl QuotingProgram {
    /// A program whose delegation the lender has just signed.
    pub async fn of(rig: &Rig, lender: &TestUser, byte: u8) -> Self {
        let wanted = delegation(rig, byte).await;
        let id = wanted.id;
        assert_eq!(delegate(rig, lender, wanted).await.ok()["state"], "open");
        Self { keys: keys(byte), id, address: lender.address(), vault: vault_signer(rig).await }
    }

    /// The closing lines of the text of this number, now.
    pub fn closing(&self, rig: &Rig, number: u64) -> DelegatedEnvelope {
        let now_s = rig.app().now().seconds();
        DelegatedEnvelope {
            delegation: self.id,
            number,
            domain: rig.app().signing_context().domain.to_owned(),
            network: bitcoin::Network::Regtest,
            address: self.address.clone(),
            issued_s: now_s,
            expires_s: now_s + 600,
        }
    }

    /// The usual offer.
    pub fn offer(&self) -> NewOffer {
        instant(SLUG, PRINCIPAL, None, 7_500, &self.vault)
    }

    pub fn body_of(&self, action: Action, closing: DelegatedEnvelope) -> Value {
        let signed = DelegatedAction::new(action, closing).unwrap();
        json!({"message": signed.text(), "signature": signed.sign(&self.keys)})
    }

    /// The text of a new offer of this principal.
    pub fn quote(&self, rig: &Rig, number: u64, principal_sats: u64) -> Value {
        let new_offer = NewOffer { principal_sats, ..self.offer() };
        self.body_of(Action::CreateOffer(new_offer), self.closing(rig, number))
    }

    pub fn edit(&self, rig: &Rig, number: u64, old: &str, principal_sats: u64) -> Value {
        let new_offer = NewOffer { principal_sats, ..self.offer() };
        let action = Action::EditOffer { delete_offer_id: old.to_owned(), new_offer };
        self.body_of(action, self.closing(rig, number))
    }

    pub fn cancellation(&self, rig: &Rig, number: u64, offer: &str) -> Value {
        let vault = Some(self.vault.clone());
        let action = CancelOffers { ordinal_offer_ids: vec![offer.to_owned()], rune_offer_ids: vec![], vault };
        self.body_of(Action::CancelOffers(action), self.closing(rig, number))
    }
}

/// The id of the created offer.
pub fn offer_id(created: &Value) -> String {
    created["offer"]["offerId"].as_str().unwrap().to_owned()
}

/// The lender's only delegation.
pub async fn shown(rig: &Rig, lender: &TestUser) -> Value {
    lender.get(rig, DELEGATIONS).await.ok()["delegations"][0].clone()
}
