//! The state of the signer: derived from the entries of its log, and nothing else.

use std::collections::BTreeMap;

use bitcoin::hashes::sha256;
use bitcoin::{Amount, OutPoint, Txid, XOnlyPublicKey};
use escrow::action::Action;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::delegated_action::DelegatedEnvelope;

use crate::cancellations::Cancellations;
use crate::delegation::Delegations;
use crate::entry::{Entry, Outgoing, SharedKeys};
use crate::fee_bumps::{Child, FeeBumps};
use crate::offer::Offer;
use crate::outflow::{Outflow, Purpose};
use crate::program_text::ProgramText;
use crate::refusal::Refusal;
use crate::request::OfferStatus;
use crate::signed_text::SignedText;
use crate::term_sheet::Listing;

/// The basis of all decisions.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) policy: Option<sha256::Hash>,
    pub(crate) outflow: Outflow,
    pub(crate) fee_bumps: FeeBumps,
    pub(crate) delegations: Delegations,
    pub(crate) cancellations: Cancellations,
    /// The highest epoch of a server's lease that was seen; 0 before any.
    pub(crate) writer_epoch: u64,
    vaults: BTreeMap<u64, OpenVault>,
    offers: BTreeMap<sha256::Hash, Offer>,
    nonces: BTreeMap<(String, String), Nonce>,
    /// The second up to which expired items were removed, in Unix seconds.
    pruned_s: Option<u64>,
}

/// An opened vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenVault {
    pub(crate) lender: XOnlyPublicKey,
    /// The signers that share it; `None` where this one has it alone.
    pub(crate) shared: Option<VaultSigners>,
    pub(crate) ordinals_address: String,
    pub(crate) payment_address: String,
    /// The time of the lender's message, in Unix seconds.
    pub(crate) issued_s: u64,
    /// The address of the vault that it was moved to.
    pub(crate) moved_to: Option<String>,
}

/// A used message. It must be remembered only for as long as it is fresh.
#[derive(Clone, Debug)]
struct Nonce {
    message: sha256::Hash,
    expires_s: u64,
    /// The withdrawal or move that it was used for.
    transaction: Option<Txid>,
}

impl State {
    /// Returns the vault of a lender, unless it was moved to other signers.
    pub(crate) fn vault(&self, lender_id: u64) -> Result<&OpenVault, Refusal> {
        let open = self.vault_ever(lender_id)?;
        match &open.moved_to {
            None => Ok(open),
            Some(to) => Err(Refusal::VaultMoved { lender_id, to: to.clone() }),
        }
    }

    /// Returns the vault of a lender, moved or not.
    pub(crate) fn vault_ever(&self, lender_id: u64) -> Result<&OpenVault, Refusal> {
        self.vaults.get(&lender_id).ok_or(Refusal::NoVault { lender_id })
    }

    /// Returns an offer of a lender.
    pub(crate) fn offer(&self, lender_id: u64, offer: &sha256::Hash) -> Result<&Offer, Refusal> {
        self.offers.get(offer).filter(|offer| offer.lender_id == lender_id).ok_or(Refusal::NoOffer)
    }

    /// Returns the offer with this id of the lender.
    pub(crate) fn offer_named(&self, lender_id: u64, offer_id: &str) -> Option<&Offer> {
        self.offers.values().find(|offer| offer.is_named(lender_id, offer_id))
    }

    /// Returns the status of an offer under this policy; `None` when it no longer exists.
    pub(crate) fn offer_status(&self, offer: &sha256::Hash, policy: &sha256::Hash) -> Option<OfferStatus> {
        let offer = self.offers.get(offer)?;
        if offer.delegation.is_some_and(|id| self.delegations.is_void(offer.lender_id, id)) {
            return None;
        }
        Some(match (offer.is_for(policy), offer.is_paused) {
            (false, _) => OfferStatus::OtherPolicy,
            (true, true) => OfferStatus::Paused,
            (true, false) if offer.used() > 0 => OfferStatus::Used { sats: offer.used() },
            (true, false) => OfferStatus::Open,
        })
    }

    /// Returns whether this message was used; another message with the same nonce is refused.
    pub(crate) fn was_used(&self, address: &str, nonce: &str, message: sha256::Hash) -> Result<bool, Refusal> {
        match self.nonces.get(&(address.to_owned(), nonce.to_owned())) {
            None => Ok(false),
            Some(known) if known.message == message => Ok(true),
            Some(_) => Err(Refusal::NonceUsed { nonce: nonce.to_owned() }),
        }
    }

    /// Returns the txid of the withdrawal or move that a message was used for.
    pub(crate) fn transaction(&self, address: &str, nonce: &str) -> Option<Txid> {
        self.nonces.get(&(address.to_owned(), nonce.to_owned()))?.transaction
    }

    /// Removes expired messages and offers, at most once a second: their times have that resolution.
    pub(crate) fn prune(&mut self, now_s: u64, offer_age_max_s: u64) {
        if self.pruned_s.replace(now_s) == Some(now_s) {
            return;
        }
        self.nonces.retain(|_, nonce| nonce.expires_s > now_s);
        self.offers.retain(|_, offer| !offer.is_expired(offer_age_max_s, now_s));
        self.delegations.prune(now_s);
        self.cancellations.prune(now_s);
    }

    /// Applies an entry. Decisions are not made again.
    ///
    /// # Errors
    /// If the entry is inconsistent, and therefore not of this signer.
    pub(crate) fn apply(&mut self, at_ms: u64, entry: Entry) -> Result<(), Refusal> {
        match entry {
            Entry::Policy { hash, .. } => self.policy = Some(hash),
            Entry::WriterEpoch { epoch } => self.writer_epoch = epoch,
            Entry::VaultOpened { lender_id, lender, shared, signed } => {
                let message = self.consume_nonce(&signed, None)?;
                let (Action::OpenVault { payment_address, .. } | Action::MoveVault { payment_address, .. }) =
                    message.action()
                else {
                    return Err(Refusal::WrongAction { expected: "open vault".to_owned() });
                };
                let envelope = message.envelope();
                let signers = |SharedKeys { required, keys }| {
                    VaultSigners::new(required, keys.iter().map(|attested| attested.key))
                        .map_err(|error| Refusal::ImpossibleVault { reason: error.to_string() })
                };
                let vault = OpenVault {
                    lender,
                    shared: shared.map(signers).transpose()?,
                    ordinals_address: envelope.address.clone(),
                    payment_address: payment_address.clone(),
                    issued_s: envelope.issued_s,
                    moved_to: None,
                };
                self.vaults.insert(lender_id, vault);
            }
            Entry::OfferAdmitted { lender_id, offer_id, listing, signed } => {
                let message = self.consume_nonce(&signed, None)?;
                let (replaced, new_offer) = match message.action() {
                    Action::CreateOffer(new_offer) => (None, new_offer),
                    Action::EditOffer { delete_offer_id, new_offer } => (Some(delete_offer_id), new_offer),
                    _ => return Err(Refusal::WrongAction { expected: "create offer".to_owned() }),
                };
                let offer = Offer::new(lender_id, offer_id, listing, message.envelope().issued_s, new_offer)?;
                if let Some(replaced) = replaced {
                    self.cancel(lender_id, replaced, message.envelope().issued_s);
                }
                self.offers.insert(signed.id(), offer);
            }
            Entry::OffersRevised { lender_id, signed } => {
                let message = self.consume_nonce(&signed, None)?;
                self.offers.remove(&signed.id());
                self.revise(lender_id, message.action(), message.envelope().issued_s)?;
            }
            Entry::TermAccepted { lender_id, term, signed } => {
                let message = self.consume_nonce(&signed, None)?;
                let Action::AcceptTerm { offer_id, .. } = message.action() else {
                    return Err(Refusal::WrongAction { expected: "accept term".to_owned() });
                };
                self.each_named(lender_id, offer_id, |offer| offer.accepted = Some(term));
            }
            Entry::LoanSigned { lender_id, offer, principal_sats, transaction, .. } => {
                self.outflow.push(at_ms, lender_id, Purpose::Loan, transaction.sats);
                self.fee_bumps.push_parent(at_ms, lender_id, transaction.txid);
                let Outgoing { txid, inputs, .. } = transaction;
                let inputs: Vec<OutPoint> = inputs.into_iter().map(|input| input.0).collect();
                if let Some(offer) = self.offers.get_mut(&offer) {
                    offer.push_use(txid, Amount::from_sat(principal_sats), inputs);
                    if let Some(id) = offer.delegation
                        && let Some(delegation) = self.delegations.get_mut(lender_id, id)
                    {
                        delegation.push_loan(at_ms, principal_sats);
                    }
                }
            }
            Entry::DelegationAdmitted { lender_id, signed } => {
                self.consume_nonce(&signed, None)?;
                self.delegations.admit(lender_id, &signed)?;
            }
            Entry::DelegationRevoked { lender_id, delegation } => self.delegations.revoke(at_ms, lender_id, delegation),
            Entry::DelegatedOfferAdmitted { lender_id, offer_id, listing, signed } => {
                self.admit_delegated(lender_id, offer_id, listing, &signed)?;
            }
            Entry::DelegatedOffersRevised { lender_id, signed } => self.revise_delegated(lender_id, &signed)?,
            Entry::WithdrawalSigned { lender_id, signed, transaction } => {
                self.consume_nonce(&signed, Some(transaction.txid))?;
                self.outflow.push(at_ms, lender_id, Purpose::Withdrawal, transaction.sats);
                self.fee_bumps.push_parent(at_ms, lender_id, transaction.txid);
            }
            Entry::VaultMoved { lender_id, signed, transaction } => {
                let message = self.consume_nonce(&signed, Some(transaction.txid))?;
                let Action::MoveVault { to, .. } = message.action() else {
                    return Err(Refusal::WrongAction { expected: "move vault".to_owned() });
                };
                let open = self.vaults.get_mut(&lender_id).ok_or(Refusal::NoVault { lender_id })?;
                open.moved_to = Some(to.clone());
                self.offers.retain(|_, offer| offer.lender_id != lender_id);
                self.outflow.push(at_ms, lender_id, Purpose::Move, 0);
            }
            Entry::FeeBumpSigned { lender_id, transaction } => {
                self.outflow.push(at_ms, lender_id, Purpose::FeeBump, transaction.sats);
                let Outgoing { txid, sats: fee_sats, inputs, .. } = transaction;
                if let Some(spent) = inputs.first().map(|input| input.0) {
                    let child = Child { txid, vout: spent.vout, fee_sats };
                    self.fee_bumps.push_child(at_ms, lender_id, spent.txid, child);
                }
            }
        }
        Ok(())
    }

    fn revise(&mut self, lender_id: u64, action: &Action, issued_s: u64) -> Result<(), Refusal> {
        let (paused, offer_id) = match action {
            Action::CancelOffers(cancel) => {
                for offer_id in cancel.ordinal_offer_ids.iter().chain(&cancel.rune_offer_ids) {
                    self.cancel(lender_id, offer_id, issued_s);
                }
                return Ok(());
            }
            Action::CancelAllOffers { .. } => {
                self.cancellations.push_all(lender_id, issued_s);
                self.offers.retain(|_, offer| offer.lender_id != lender_id);
                return Ok(());
            }
            Action::CreateOffer(_) => return Ok(()),
            Action::EditOffer { delete_offer_id, .. } => {
                self.cancel(lender_id, delete_offer_id, issued_s);
                return Ok(());
            }
            Action::PauseOffer { offer_id } => (true, offer_id),
            Action::ResumeOffer { offer_id } => (false, offer_id),
            _ => return Err(Refusal::WrongAction { expected: "cancel offers".to_owned() }),
        };
        if paused && self.offer_named(lender_id, offer_id).is_none() {
            // It could arrive later, and would not be paused then.
            self.cancellations.push(lender_id, offer_id, issued_s);
        }
        self.each_named(lender_id, offer_id, |offer| offer.is_paused = paused);
        Ok(())
    }

    fn admit_delegated(
        &mut self,
        lender_id: u64,
        offer_id: String,
        listing: Listing,
        signed: &ProgramText,
    ) -> Result<(), Refusal> {
        let action = signed.parse()?;
        let new_offer = action.new_offer().ok_or(Refusal::WrongAction { expected: "create offer".to_owned() })?;
        let envelope = action.envelope();
        let mut offer = Offer::new(lender_id, offer_id, listing, envelope.issued_s, new_offer)?;
        offer.delegation = Some(envelope.delegation);
        if let Action::EditOffer { delete_offer_id, .. } = action.action() {
            self.cancel(lender_id, delete_offer_id, envelope.issued_s);
        }
        self.offers.insert(signed.id(), offer);
        self.use_number(lender_id, envelope);
        Ok(())
    }

    fn revise_delegated(&mut self, lender_id: u64, signed: &ProgramText) -> Result<(), Refusal> {
        let action = signed.parse()?;
        self.offers.remove(&signed.id());
        self.revise(lender_id, action.action(), action.envelope().issued_s)?;
        if action.new_offer().is_some() {
            self.use_number(lender_id, action.envelope());
        }
        Ok(())
    }

    fn use_number(&mut self, lender_id: u64, envelope: &DelegatedEnvelope) {
        if let Some(delegation) = self.delegations.get_mut(lender_id, envelope.delegation) {
            delegation.latest_number = delegation.latest_number.max(envelope.number);
        }
    }

    fn each_named(&mut self, lender_id: u64, offer_id: &str, change: impl Fn(&mut Offer)) {
        self.offers.values_mut().filter(|offer| offer.is_named(lender_id, offer_id)).for_each(change);
    }

    /// Removes an offer by a message that was issued at this second, also one that has not arrived yet.
    fn cancel(&mut self, lender_id: u64, offer_id: &str, issued_s: u64) {
        self.offers.retain(|_, offer| !offer.is_named(lender_id, offer_id));
        self.cancellations.push(lender_id, offer_id, issued_s);
    }

    fn consume_nonce(
        &mut self,
        signed: &SignedText,
        transaction: Option<Txid>,
    ) -> Result<escrow::action_message::ActionMessage, Refusal> {
        let message = signed.parse()?;
        let envelope = message.envelope();
        let nonce = Nonce { message: signed.id(), expires_s: envelope.expires_s, transaction };
        self.nonces.insert((envelope.address.clone(), envelope.nonce.clone()), nonce);
        Ok(message)
    }
}
