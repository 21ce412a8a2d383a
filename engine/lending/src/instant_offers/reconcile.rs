//! Reconciliation of the order books with the signer: offers that it does not back are removed, never the reverse.

use std::collections::BTreeMap;

use bitcoin::hashes::{Hash as _, sha256};
use domain::{Offer, OfferId, PauseReasons, UserId};
use signer::request::{OfferHash, OfferStatus, STATUS_REQUEST_OFFERS_MAX};
use signer::vault_signer::VaultSigner;

use crate::instant_offers::service::{InstantOfferError, InstantOffers};

/// The occasion of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReconcilePass {
    /// At startup, when nothing is in progress.
    Startup,
    /// While serving: a difference may be in progress, and is repaired when it is found a second time.
    Periodic,
}

/// The reason why an offer was removed from a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// The signer never admitted it: it was cancelled.
    NeverAdmitted,
    /// The signer no longer knows it, as its lender withdrew it or it expired: it was cancelled.
    Gone,
    /// The signer has signed for more of it than is lent or reserved, for a loan that was not originated and still
    /// could be. That part cannot be lent again, so the offer was cancelled.
    UsedUp,
    /// It was signed for another policy than the signer's: it was paused.
    OtherPolicy,
    /// Its lender paused it at the signer: it was paused.
    Paused,
}

/// A repaired offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repaired {
    /// The offer.
    pub offer: OfferId,
    /// Its lender.
    pub lender: UserId,
    /// The reason.
    pub repair: Repair,
}

impl<S: VaultSigner> InstantOffers<'_, S> {
    /// Removes offers from the books that the signer does not back, and delivers outstanding messages to it.
    ///
    /// # Errors
    /// Those of the market and of the signer; differences found before are repaired.
    pub async fn reconcile(&self, pass: ReconcilePass) -> Result<Vec<Repaired>, InstantOfferError> {
        self.deliver_revocations().await?;
        let undelivered = std::mem::take(&mut *self.state.undelivered());
        for (lender, text) in undelivered {
            self.revoke_at_signer(lender, text).await;
        }
        let found = self.find_unbacked().await?;
        let before = std::mem::replace(&mut *self.state.unbacked(), found.iter().map(|one| one.offer).collect());
        let due = |one: &Repaired| pass == ReconcilePass::Startup || before.contains(&one.offer);
        self.repair_all(found.into_iter().filter(due)).await
    }

    async fn repair_all(&self, due: impl Iterator<Item = Repaired>) -> Result<Vec<Repaired>, InstantOfferError> {
        let mut repaired = Vec::new();
        for one in due {
            let Repaired { offer, lender, repair } = one;
            let is_repaired = match repair {
                Repair::NeverAdmitted | Repair::Gone | Repair::UsedUp => self.remove_from_book(lender, offer).await?,
                Repair::OtherPolicy | Repair::Paused => self.pause_in_book(lender, offer).await?,
            };
            if is_repaired {
                tracing::warn!(%offer, %lender, reason = ?repair, "repaired an offer that the signer does not back");
                repaired.push(one);
            }
        }
        Ok(repaired)
    }

    /// Returns all offers in the books that the signer does not back.
    async fn find_unbacked(&self) -> Result<Vec<Repaired>, InstantOfferError> {
        let mut found = Vec::new();
        let mut admitted: Vec<(OfferHash, Offer)> = Vec::new();
        for group in self.market.groups() {
            for offer in self.market.instant_offers(group.id).await? {
                match self.market.offer_admission(offer.id).await {
                    Some(name) => admitted.push((OfferHash(sha256::Hash::from_byte_array(name)), offer)),
                    None => found.push(to_repair(&offer, Repair::NeverAdmitted)),
                }
            }
        }
        for part in admitted.chunks(STATUS_REQUEST_OFFERS_MAX) {
            let names = part.iter().map(|(name, _)| *name).collect();
            let standing: BTreeMap<_, _> = self.signer.offer_status(names).await?.into_iter().collect();
            for (name, offer) in part {
                let is_paused = offer.paused.contains(PauseReasons::LENDER);
                let repair = match standing.get(name) {
                    None => Repair::Gone,
                    Some(OfferStatus::OtherPolicy) if !is_paused => Repair::OtherPolicy,
                    Some(OfferStatus::Paused) if !is_paused => Repair::Paused,
                    Some(OfferStatus::Used { sats }) if *sats > known_use(offer) => Repair::UsedUp,
                    Some(_) => continue,
                };
                found.push(to_repair(offer, repair));
            }
        }
        Ok(found)
    }
}

/// Returns what of an offer the book has as lent, or reserved for borrowers who are signing, in sats.
fn known_use(offer: &Offer) -> u64 {
    offer.used.saturating_add(offer.held).get()
}

fn to_repair(offer: &Offer, repair: Repair) -> Repaired {
    Repaired { offer: offer.id, lender: offer.lender, repair }
}
