//! Books that follow the signer: what it does not pay from is taken out of them. Never the other way round.

use std::collections::BTreeMap;

use bitcoin::hashes::{Hash as _, sha256};
use domain::{Offer, OfferId, PauseReasons, UserId};
use signer::request::{OfferName, STANDING_MAX, Standing};
use signer::vault_signer::VaultSigner;

use crate::quotes::{QuoteError, Quotes};

/// When a server looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// At its start, when nothing is under way.
    First,
    /// While it serves: what is found once may be under way, and is mended when it is found again.
    Again,
}

/// Why an offer was taken out of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// The signer never admitted it: it was cancelled.
    NeverAdmitted,
    /// The signer does not know it any more, by its lender's word or because it is too old: it was cancelled.
    Gone,
    /// The signer has signed for more of it than was lent or is being: a loan that never began, and still could. Nobody
    /// else can have that part, so it was cancelled.
    UsedUp,
    /// It was signed for another policy than the signer's: it was paused.
    OtherPolicy,
    /// Its lender paused it at the signer: it was paused.
    Paused,
}

/// An offer that was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repaired {
    /// Which.
    pub offer: OfferId,
    /// Whose.
    pub lender: UserId,
    /// Why.
    pub repair: Repair,
}

impl<S: VaultSigner> Quotes<'_, S> {
    /// Takes out of the books what the signer does not pay from, and tells it what it has not heard.
    ///
    /// # Errors
    /// Those of the market and of the signer; what was found until then is mended.
    pub async fn reconcile(&self, look: Look) -> Result<Vec<Repaired>, QuoteError> {
        let unsaid = std::mem::take(&mut *self.memory.unsaid());
        for (lender, text) in unsaid {
            self.take_back(lender, text).await;
        }
        let found = self.find().await?;
        let before = std::mem::replace(&mut *self.memory.suspects(), found.iter().map(|one| one.offer).collect());
        let due = |one: &Repaired| look == Look::First || before.contains(&one.offer);
        self.mend(found.into_iter().filter(due)).await
    }

    async fn mend(&self, due: impl Iterator<Item = Repaired>) -> Result<Vec<Repaired>, QuoteError> {
        let mut mended = Vec::new();
        for one in due {
            let Repaired { offer, lender, repair } = one;
            let is_mended = match repair {
                Repair::NeverAdmitted | Repair::Gone | Repair::UsedUp => self.take_out(lender, offer).await?,
                Repair::OtherPolicy | Repair::Paused => self.put_aside(lender, offer).await?,
            };
            if is_mended {
                tracing::warn!(%offer, %lender, reason = ?repair, "the signer does not pay from an offer in a book");
                mended.push(one);
            }
        }
        Ok(mended)
    }

    /// Everything in the books that the signer does not pay from.
    async fn find(&self) -> Result<Vec<Repaired>, QuoteError> {
        let mut found = Vec::new();
        let mut admitted: Vec<(OfferName, Offer)> = Vec::new();
        for group in self.market.groups() {
            for offer in self.market.instant_offers(group.id).await? {
                match self.market.offer_admission(offer.id).await {
                    Some(name) => admitted.push((OfferName(sha256::Hash::from_byte_array(name)), offer)),
                    None => found.push(wrong(&offer, Repair::NeverAdmitted)),
                }
            }
        }
        for part in admitted.chunks(STANDING_MAX) {
            let names = part.iter().map(|(name, _)| *name).collect();
            let standing: BTreeMap<_, _> = self.signer.standing(names).await?.into_iter().collect();
            for (name, offer) in part {
                let is_paused = offer.paused.contains(PauseReasons::LENDER);
                let repair = match standing.get(name) {
                    None => Repair::Gone,
                    Some(Standing::OtherPolicy) if !is_paused => Repair::OtherPolicy,
                    Some(Standing::Paused) if !is_paused => Repair::Paused,
                    Some(Standing::Used { sats }) if *sats > known_use(offer) => Repair::UsedUp,
                    Some(_) => continue,
                };
                found.push(wrong(offer, repair));
            }
        }
        Ok(found)
    }
}

/// What the book knows of an offer as lent, or held for borrowers who are signing, in sats.
fn known_use(offer: &Offer) -> u64 {
    offer.used.saturating_add(offer.held).get()
}

fn wrong(offer: &Offer, repair: Repair) -> Repaired {
    Repaired { offer: offer.id, lender: offer.lender, repair }
}
