//! A delegation: the key with which a program signs instant offers in place of a lender's wallet.

use std::fmt;

use bitcoin::Network;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use escrow::delegated_action::{DelegatedAction, DelegatedEnvelope};
use escrow::delegation_id::DelegationId;
use escrow::message_error::MessageError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::types::{DelegatedCancellation, DelegatedQuote};

/// The time for which a signed text is accepted, in seconds.
const LIFETIME_S: u64 = 600;

/// The reason why a delegation cannot be read or used. No secret is in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidDelegation {
    /// Not JSON with the fields of a delegation.
    #[error("the file is not a delegation")]
    File,
    /// No secret key of the curve, or no id.
    #[error("the field {field} of the delegation is not valid")]
    Field {
        /// The field.
        field: &'static str,
    },
    /// Terms that no text can have.
    #[error(transparent)]
    Terms(#[from] MessageError),
}

/// The file of a delegation, in JSON. It holds the program's secret key: keep it readable by its owner only.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DelegationFile {
    delegation_id: String,
    secret_key: String,
    domain: String,
    network: String,
    address: String,
    vault: String,
}

/// An instant offer to sign. Amounts are sats, the LTV is percent times 100.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstantOffer {
    /// The slug of the sub-collection, which fixes term and interest.
    pub collection_slug: String,
    /// The principal; the largest one if it follows the floor.
    pub principal_sats: u64,
    /// The least principal, if it follows the floor.
    pub principal_min_sats: Option<u64>,
    /// For runes, the largest collateral in raw units.
    pub fungible_amount: Option<u128>,
    /// The LTV above which the offer pauses.
    pub ltv_max: u32,
    /// Whether an announced change of the term is accepted in advance.
    pub accept_next_term: bool,
    /// The payment address of the only borrower.
    pub borrower: Option<String>,
    /// The time from which nothing is lent, in unix seconds; at the latest the end of the delegation.
    pub good_until_s: Option<u64>,
}

/// A program's key with what its texts name. Its debug output is without the key.
#[derive(Clone)]
pub struct Delegation {
    keys: Keypair,
    id: DelegationId,
    domain: String,
    network: Network,
    address: String,
    vault: String,
    latest: u64,
}

impl Delegation {
    /// Draws a key and an id for a lender's payment address and vault (`vaultSignerId`). The lender's wallet then signs
    /// [`Self::id`] and [`Self::public_key`] with the limits.
    ///
    /// # Errors
    /// [`InvalidDelegation::Field`] for an unknown network.
    pub fn draw(domain: &str, network: &str, address: &str, vault: &str) -> Result<Self, InvalidDelegation> {
        let network = network.parse().map_err(|_| InvalidDelegation::Field { field: "network" })?;
        let secp = Secp256k1::signing_only();
        // Nearly every number of 256 bits is a key.
        let keys = loop {
            if let Ok(keys) = Keypair::from_seckey_slice(&secp, &rand::random::<[u8; 32]>()) {
                break keys;
            }
        };
        let [domain, address, vault] = [domain, address, vault].map(str::to_owned);
        Ok(Self { keys, id: DelegationId(rand::random()), domain, network, address, vault, latest: 0 })
    }

    /// Reads the text of a file that [`Self::to_json`] wrote.
    ///
    /// # Errors
    /// [`InvalidDelegation`].
    pub fn read(json: &str) -> Result<Self, InvalidDelegation> {
        let file: DelegationFile = serde_json::from_str(json).map_err(|_| InvalidDelegation::File)?;
        let field = |field| InvalidDelegation::Field { field };
        let keys = Keypair::from_seckey_str(&Secp256k1::signing_only(), &file.secret_key);
        Ok(Self {
            keys: keys.map_err(|_| field("secretKey"))?,
            id: file.delegation_id.parse().map_err(|_| field("delegationId"))?,
            network: file.network.parse().map_err(|_| field("network"))?,
            domain: file.domain,
            address: file.address,
            vault: file.vault,
            latest: 0,
        })
    }

    /// Returns the text of its file, with the secret key.
    #[must_use]
    pub fn to_json(&self) -> String {
        let file = DelegationFile {
            delegation_id: self.id(),
            secret_key: self.keys.display_secret().to_string(),
            domain: self.domain.clone(),
            network: self.network.to_string(),
            address: self.address.clone(),
            vault: self.vault.clone(),
        };
        serde_json::to_string_pretty(&file).unwrap_or_default()
    }

    /// Returns its id, in hexadecimal.
    #[must_use]
    pub fn id(&self) -> String {
        self.id.to_string()
    }

    /// Returns the x-only public key, in hexadecimal.
    #[must_use]
    pub fn public_key(&self) -> String {
        self.keys.x_only_public_key().0.to_string()
    }

    /// Has later texts be numbered above this one: `latestNumber` of the delegation.
    pub fn continue_after(&mut self, latest: u64) {
        self.latest = self.latest.max(latest);
    }

    /// Signs a new offer. `now_ms` is unix milliseconds, by which texts are numbered, too. Send each text before the next
    /// one is signed: the server refuses an older number after a newer one.
    ///
    /// # Errors
    /// [`InvalidDelegation::Terms`].
    pub fn sign_offer(&mut self, offer: &InstantOffer, now_ms: u64) -> Result<DelegatedQuote, InvalidDelegation> {
        let action = Action::CreateOffer(self.new_offer(offer));
        let (message, signature) = self.sign(action, now_ms)?;
        Ok(DelegatedQuote { message, signature, cf_turnstile_response: None })
    }

    /// Signs an offer in place of another one under the delegation.
    ///
    /// # Errors
    /// [`InvalidDelegation::Terms`].
    pub fn sign_edit(
        &mut self,
        replaced: &str,
        offer: &InstantOffer,
        now_ms: u64,
    ) -> Result<DelegatedQuote, InvalidDelegation> {
        let action = Action::EditOffer { delete_offer_id: replaced.to_owned(), new_offer: self.new_offer(offer) };
        let (message, signature) = self.sign(action, now_ms)?;
        Ok(DelegatedQuote { message, signature, cf_turnstile_response: None })
    }

    /// Signs the cancellation of offers under the delegation, 1 to 100.
    ///
    /// # Errors
    /// [`InvalidDelegation::Terms`].
    pub fn sign_cancellation(
        &mut self,
        ordinal_offer_ids: &[String],
        rune_offer_ids: &[String],
        now_ms: u64,
    ) -> Result<DelegatedCancellation, InvalidDelegation> {
        let action = Action::CancelOffers(CancelOffers {
            ordinal_offer_ids: ordinal_offer_ids.to_vec(),
            rune_offer_ids: rune_offer_ids.to_vec(),
            vault: Some(self.vault.clone()),
        });
        let (message, signature) = self.sign(action, now_ms)?;
        Ok(DelegatedCancellation { message, signature })
    }

    fn new_offer(&self, offer: &InstantOffer) -> NewOffer {
        let terms = InstantTerms {
            principal_min_sats: offer.principal_min_sats,
            fungible_amount: offer.fungible_amount,
            inscriptions: None,
            ltv_max: offer.ltv_max,
            accept_next_term: offer.accept_next_term,
            borrower: offer.borrower.clone(),
            good_until_s: offer.good_until_s,
            vault: self.vault.clone(),
        };
        NewOffer {
            collection_slug: offer.collection_slug.clone(),
            principal_sats: offer.principal_sats,
            process: OfferProcess::Instant(terms),
        }
    }

    fn sign(&mut self, action: Action, now_ms: u64) -> Result<(String, String), InvalidDelegation> {
        let issued_s = now_ms / 1_000;
        let number = now_ms.max(self.latest.saturating_add(1));
        let envelope = DelegatedEnvelope {
            delegation: self.id,
            number,
            domain: self.domain.clone(),
            network: self.network,
            address: self.address.clone(),
            issued_s,
            expires_s: issued_s.saturating_add(LIFETIME_S),
        };
        let signed = DelegatedAction::new(action, envelope)?;
        self.latest = number;
        Ok((signed.text().to_owned(), signed.sign(&self.keys)))
    }
}

impl fmt::Debug for Delegation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delegation").field("id", &self.id()).field("latest", &self.latest).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer() -> InstantOffer {
        InstantOffer {
            collection_slug: "paper-frogs-7d".to_owned(),
            principal_sats: 500_000,
            principal_min_sats: None,
            fungible_amount: None,
            ltv_max: 7_500,
            accept_next_term: false,
            borrower: None,
            good_until_s: None,
        }
    }

    #[test]
    fn texts_are_signed_by_the_key_and_numbered_upwards() {
        let mut own = Delegation::draw("lienbook.example", "regtest", "bcrt1qlender", "ab").unwrap();
        own.continue_after(1_800_000_000_500);
        let mut numbers = Vec::new();
        for now_ms in [1_800_000_000_000, 1_800_000_000_000, 1_800_000_009_000] {
            let quote = own.sign_offer(&offer(), now_ms).unwrap();
            let signed = DelegatedAction::parse(&quote.message).unwrap();
            assert_eq!(signed.verify(own.public_key().parse().unwrap(), &quote.signature), Ok(()));
            assert_eq!(signed.envelope().issued_s, now_ms / 1_000);
            numbers.push(signed.envelope().number);
        }
        assert_eq!(numbers, [1_800_000_000_501, 1_800_000_000_502, 1_800_000_009_000]);
        let edited = own.sign_edit("of_1", &offer(), 1_800_000_010_000).unwrap();
        assert!(edited.message.starts_with("Lienbook: edit offer\nDelete offer: of_1\n"));
        let cancelled = own.sign_cancellation(&["of_1".to_owned()], &[], 1_800_000_011_000).unwrap();
        assert!(cancelled.message.starts_with("Lienbook: cancel offers\nOrdinal offer: of_1\nVault: ab\n"));
        assert!(matches!(own.sign_cancellation(&[], &[], 1_800_000_012_000), Err(InvalidDelegation::Terms(_))));
    }

    #[test]
    fn a_file_holds_the_key_and_debug_output_does_not() {
        let own = Delegation::draw("lienbook.example", "regtest", "bcrt1qlender", "ab").unwrap();
        let json = own.to_json();
        let read = Delegation::read(&json).unwrap();
        assert_eq!((read.id(), read.public_key()), (own.id(), own.public_key()));
        let secret = own.keys.display_secret().to_string();
        assert!(json.contains(&secret) && !format!("{own:?}").contains(&secret));
        assert_eq!(Delegation::read("{}").unwrap_err(), InvalidDelegation::File);
        let broken = json.replace(&secret, &"0".repeat(64));
        assert_eq!(Delegation::read(&broken).unwrap_err(), InvalidDelegation::Field { field: "secretKey" });
    }
}
