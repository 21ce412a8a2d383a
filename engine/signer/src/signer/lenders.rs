//! Messages of lenders: opening vaults, admitting and revising offers, accepting terms.

use bitcoin::XOnlyPublicKey;
use escrow::action::{Action, OfferProcess};
use escrow::address::{AddressKind, WalletAddress};

use super::Signer;
use crate::entry::{Entry, SharedKeys};
use crate::offer::Offer;
use crate::refusal::Refusal;
use crate::request::{Answer, OfferHash, STATUS_REQUEST_OFFERS_MAX};
use crate::signed_text::{SignedText, VerifiedMessage};
use crate::state::OpenVault;

/// The maximum length of a value in a message.
const OFFER_ID_LENGTH_MAX: usize = 128;

impl Signer {
    pub(super) fn open_vault(
        &mut self,
        lender_id: u64,
        lender: XOnlyPublicKey,
        shared: Option<SharedKeys>,
        signed: SignedText,
        now_ms: u64,
    ) -> Result<Answer, Refusal> {
        let checked = signed.check(&self.policy, now_ms / 1_000)?;
        let (Action::OpenVault { payment_address, vault } | Action::MoveVault { payment_address, vault, .. }) =
            checked.action()
        else {
            return Err(Refusal::WrongAction { expected: "open vault".to_owned() });
        };
        VerifiedMessage::check_policy(&self.policy, vault)?;
        let address = &checked.address;
        let is_lenders = address.kind() == AddressKind::P2tr && address.check_public_key(&lender.to_string()).is_ok();
        if !is_lenders {
            return Err(Refusal::ForeignAddress { address: address.to_string() });
        }
        let impossible = |error: &dyn std::fmt::Display| Refusal::ImpossibleVault { reason: error.to_string() };
        WalletAddress::parse(payment_address, self.policy.draft().network).map_err(|error| impossible(&error))?;
        let issued_s = checked.message.envelope().issued_s;
        let signers = shared.as_ref().map(|shared| self.check_shared_keys(lender_id, shared)).transpose()?;
        if self.state.vault_ever(lender_id).is_ok() {
            let known = self.state.vault(lender_id)?;
            if known.lender != lender {
                return Err(Refusal::OtherLender { lender_id });
            }
            if known.shared != signers {
                return Err(impossible(&"it was opened with other signers"));
            }
            if known.issued_s > issued_s {
                return Err(Refusal::NotFresh { reason: "a later message opened this vault".to_owned() });
            }
        }
        let open = OpenVault {
            lender,
            shared: signers,
            ordinals_address: address.to_string(),
            payment_address: payment_address.clone(),
            issued_s,
            moved_to: None,
        };
        let script = self.own_vault(lender_id, &open)?.vault.output().script_pubkey();
        if let Action::MoveVault { to, .. } = checked.action() {
            self.check_vault_address(&script, to)?;
        }
        if !self.was_used(&checked, &signed)? {
            self.record(now_ms, Entry::VaultOpened { lender_id, lender, shared, signed })?;
        }
        Ok(Answer::Vault(script))
    }

    pub(super) fn admit_offer(
        &mut self,
        lender_id: u64,
        offer_id: String,
        signed: SignedText,
        now_ms: u64,
    ) -> Result<Answer, Refusal> {
        let checked = self.check_lenders(lender_id, &signed, now_ms)?;
        let (Action::CreateOffer(new_offer) | Action::EditOffer { new_offer, .. }) = checked.action() else {
            return Err(Refusal::WrongAction { expected: "create offer".to_owned() });
        };
        let OfferProcess::Instant(terms) = &new_offer.process else { return Err(Refusal::ManualOffer) };
        VerifiedMessage::check_policy(&self.policy, &terms.vault)?;
        let slug = &new_offer.collection_slug;
        let listing = self.sheet.listing(slug).ok_or_else(|| Refusal::UnknownSlug { slug: slug.clone() })?;
        Offer::new(lender_id, offer_id.clone(), listing, checked.message.envelope().issued_s, new_offer)?;
        check_offer_id(&offer_id)?;
        let id = signed.id();
        if self.was_used(&checked, &signed)? {
            // A repeated request: the offer still exists, or was cancelled since and must not return.
            return self.state.offer(lender_id, &id).map(|_| Answer::Offer(id));
        }
        if self.state.offer_named(lender_id, &offer_id).is_some() {
            return Err(Refusal::DuplicateOffer { offer_id });
        }
        self.check_not_cancelled(lender_id, &offer_id, checked.message.envelope().issued_s)?;
        self.record(now_ms, Entry::OfferAdmitted { lender_id, offer_id, listing, signed })?;
        Ok(Answer::Offer(id))
    }

    pub(super) fn revise_offers(&mut self, lender_id: u64, signed: SignedText, now_ms: u64) -> Result<Answer, Refusal> {
        let checked = self.check_lenders(lender_id, &signed, now_ms)?;
        match checked.action() {
            Action::CancelOffers(_)
            | Action::CancelAllOffers { .. }
            | Action::PauseOffer { .. }
            | Action::ResumeOffer { .. }
            | Action::CreateOffer(_)
            | Action::EditOffer { .. } => {}
            _ => return Err(Refusal::WrongAction { expected: "cancel offers".to_owned() }),
        }
        // The message that admitted an offer is used already, but can still withdraw it.
        let is_admitted = self.state.offer(lender_id, &signed.id()).is_ok();
        if is_admitted || !self.was_used(&checked, &signed)? {
            self.record(now_ms, Entry::OffersRevised { lender_id, signed })?;
        }
        Ok(Answer::Revised)
    }

    /// Reads the message's term from the current sheet; it is kept with the offer.
    pub(super) fn accept_term(&mut self, lender_id: u64, signed: SignedText, now_ms: u64) -> Result<Answer, Refusal> {
        let checked = self.check_lenders(lender_id, &signed, now_ms)?;
        let Action::AcceptTerm { offer_id, term_id } = checked.action() else {
            return Err(Refusal::WrongAction { expected: "accept term".to_owned() });
        };
        if !self.was_used(&checked, &signed)? {
            let slug = &self.state.offer_named(lender_id, offer_id).ok_or(Refusal::NoOffer)?.slug;
            let unknown = || Refusal::UnknownTerm { slug: slug.clone(), term_id: term_id.clone() };
            let term = self.sheet.change(slug, term_id).ok_or_else(unknown)?;
            self.record(now_ms, Entry::TermAccepted { lender_id, term, signed })?;
        }
        Ok(Answer::Revised)
    }

    pub(super) fn offer_status(&self, offers: Vec<OfferHash>) -> Result<Answer, Refusal> {
        let (max, found) = (STATUS_REQUEST_OFFERS_MAX, offers.len());
        if found > max {
            return Err(Refusal::TooManyOffers { max, found });
        }
        let policy = self.policy.hash();
        let standing = |name: OfferHash| Some((name, self.state.offer_status(&name.0, &policy)?));
        Ok(Answer::Standing(offers.into_iter().filter_map(standing).collect()))
    }

    /// Checks a fresh message of the lender of this vault, by one of the lender's two addresses.
    pub(super) fn check_lenders(
        &self,
        lender_id: u64,
        signed: &SignedText,
        now_ms: u64,
    ) -> Result<VerifiedMessage, Refusal> {
        let open = self.state.vault(lender_id)?;
        let checked = signed.check(&self.policy, now_ms / 1_000)?;
        let address = &checked.message.envelope().address;
        if *address != open.ordinals_address && *address != open.payment_address {
            return Err(Refusal::ForeignAddress { address: address.clone() });
        }
        Ok(checked)
    }

    /// Refuses an offer that was cancelled before it arrived.
    pub(super) fn check_not_cancelled(&self, lender_id: u64, offer_id: &str, issued_s: u64) -> Result<(), Refusal> {
        if self.state.cancellations.cancels(lender_id, offer_id, issued_s) {
            return Err(Refusal::CancelledBefore { offer_id: offer_id.to_owned() });
        }
        Ok(())
    }

    /// Returns whether this message was used before; another one with its nonce is refused.
    pub(super) fn was_used(&self, checked: &VerifiedMessage, signed: &SignedText) -> Result<bool, Refusal> {
        let envelope = checked.message.envelope();
        self.state.was_used(&envelope.address, &envelope.nonce, signed.id())
    }
}

/// Checks that an id can stand in a message.
pub(super) fn check_offer_id(offer_id: &str) -> Result<(), Refusal> {
    let is_possible =
        (1..=OFFER_ID_LENGTH_MAX).contains(&offer_id.len()) && offer_id.bytes().all(|it| it.is_ascii_graphic());
    if is_possible { Ok(()) } else { Err(Refusal::OfferId { max: OFFER_ID_LENGTH_MAX }) }
}
