//! Instant offers: what stands in a book is what the vault's signer pays from.
//!
//! An offer enters the book first, for the book gives it its name, and is answered for when the signer has admitted it;
//! what the signer does not admit leaves the book again. Whatever takes an offer back is told to the signer first. What
//! dies in between is mended by [`crate::reconcile`]: the book follows the signer, never the other way round.

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bitcoin::hashes::{Hash as _, sha256};
use domain::{Command, GroupId, OfferDraft, OfferId, Rejection, TermChangeId, UserId, VaultRejection};
use engine::wire::MyOffer;
use engine::{Applied, Burn, Market, Refusal};
use futures_util::future::join_all;
use signer::refusal::Refusal as SignerRefusal;
use signer::request::{OfferName, Standing};
use signer::signed_text::SignedText;
use signer::vault_signer::{SignerError, VaultSigner};
use thiserror::Error;

/// So many texts wait for a signer that is away; of more the oldest are forgotten.
const UNSAID_MAX: usize = 1_000;

/// What a lender signed, and the nonce in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The message and its signature, for the signer to check.
    pub text: SignedText,
    /// To be used up in the batch that does what the message says.
    pub burn: Burn,
}

/// Why nothing was done, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuoteError {
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The signer refuses, or could not be asked.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The signer never admitted the offer, or does not stand by it.
    #[error("the vault's signer does not stand by the offer {0}")]
    NotAdmitted(OfferId),
    /// The lender paused the offer by a signature, and ends the pause by one.
    #[error("the offer {0} was paused by a signature, and is resumed by one")]
    SignatureNeeded(OfferId),
}

/// What is known of quotes beside the journal, and forgotten with the process.
#[derive(Debug, Default)]
pub struct QuoteMemory {
    unsaid: Mutex<VecDeque<(UserId, SignedText)>>,
    suspects: Mutex<HashSet<OfferId>>,
}

impl QuoteMemory {
    /// What the signer has not heard yet.
    pub(crate) fn unsaid(&self) -> MutexGuard<'_, VecDeque<(UserId, SignedText)>> {
        self.unsaid.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers that the signer did not stand by when it was asked last.
    pub(crate) fn suspects(&self) -> MutexGuard<'_, HashSet<OfferId>> {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn keep_unsaid(&self, lender: UserId, text: SignedText) {
        let mut unsaid = self.unsaid();
        if unsaid.len() >= UNSAID_MAX {
            unsaid.pop_front();
        }
        unsaid.push_back((lender, text));
    }
}

/// The books and the signer, kept together.
pub struct Quotes<'a, S> {
    /// Where offers stand.
    pub market: &'a Market,
    /// Who pays from them.
    pub signer: &'a S,
    /// What is known beside the journal.
    pub memory: &'a QuoteMemory,
}

impl<S: VaultSigner> Quotes<'_, S> {
    /// Enters an offer.
    pub async fn create(
        &self,
        group: GroupId,
        lender: UserId,
        draft: OfferDraft,
        said: Said,
    ) -> Result<MyOffer, QuoteError> {
        let command = Command::Create { lender, draft, count: 1, usable: None };
        self.quote(group, lender, command, said).await
    }

    /// Replaces an offer; the new one has a new id. When the signer does not admit it, both are gone.
    pub async fn edit(
        &self,
        offer: OfferId,
        lender: UserId,
        draft: OfferDraft,
        said: Said,
    ) -> Result<MyOffer, QuoteError> {
        let command = Command::Edit { lender, offer, draft, usable: None };
        self.quote(offer.group(), lender, command, said).await
    }

    async fn quote(&self, group: GroupId, lender: UserId, command: Command, said: Said) -> Result<MyOffer, QuoteError> {
        let vault = self.market.vault_ledger(lender).await;
        if vault.is_none_or(|vault| vault.keys().is_none()) {
            return Err(Refusal::Vault(VaultRejection::NotOpen).into());
        }
        // Whoever cannot be asked now admits nothing, so nothing is entered, and nothing that stands is replaced.
        self.signer.standing(Vec::new()).await?;
        let Said { text, burn } = said;
        let Applied { offers, .. } = self.market.command(group, command, Some(burn)).await?;
        let Some(offer) = offers.into_iter().next_back() else { return Err(Refusal::Closed.into()) };
        match self.admit(lender, offer.offer_id.0, &text).await {
            Ok(()) => Ok(offer),
            Err(error) => {
                let id = offer.offer_id.0;
                tracing::warn!(offer = %id, %lender, %error, "not admitted by the signer, and taken out of the book");
                let taken = self.take_out(lender, id).await;
                self.take_back(lender, text).await;
                taken?;
                Err(error)
            }
        }
    }

    async fn admit(&self, lender: UserId, offer: OfferId, text: &SignedText) -> Result<(), QuoteError> {
        let ask = || self.signer.admit_offer(lender.0, offer.to_string(), text.clone());
        let name = again_if_unanswered(ask).await?;
        self.market.admit_offer(lender, offer, name.to_byte_array()).await?;
        Ok(())
    }

    /// Takes an offer out of the book that the signer does not pay from. One that a borrower is signing for is paused;
    /// the signer refuses the loan.
    pub(crate) async fn take_out(&self, lender: UserId, offer: OfferId) -> Result<bool, Refusal> {
        match self.market.command(offer.group(), Command::Cancel { lender, offer }, None).await {
            Ok(_) => Ok(true),
            Err(Refusal::Book(Rejection::UnknownOffer(_))) => Ok(false),
            Err(Refusal::Book(Rejection::UnderOffer(_))) => self.put_aside(lender, offer).await,
            Err(refusal) => Err(refusal),
        }
    }

    /// Pauses an offer in the book alone; whether it was not paused before.
    pub(crate) async fn put_aside(&self, lender: UserId, offer: OfferId) -> Result<bool, Refusal> {
        match self.market.command(offer.group(), Command::Pause { lender, offer }, None).await {
            Ok(_) => Ok(true),
            Err(Refusal::Book(Rejection::UnknownOffer(_) | Rejection::AlreadyPaused(_))) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    /// Tells the signer that nothing came of a quote: neither the offer that it makes nor the one that it takes back
    /// shall stand. A signer that is away is told later, for as long as the message is fresh.
    pub(crate) async fn take_back(&self, lender: UserId, text: SignedText) {
        match self.signer.revise_offers(lender.0, text.clone()).await {
            Ok(()) => {}
            Err(SignerError::Refused(refusal)) if refusal != SignerRefusal::Busy => {
                tracing::warn!(%lender, %refusal, "the signer does not take back a quote that came to nothing");
            }
            Err(_) => self.memory.keep_unsaid(lender, text),
        }
    }

    /// Takes offers back, all of which the message names. What is wrong with a single one is in its place.
    ///
    /// A single offer goes in one batch with the nonce. Several may stand in several books, so the nonce is burned first:
    /// a crash in between costs the lender a new signature and never lets the old one count twice.
    pub async fn cancel(
        &self,
        lender: UserId,
        offers: &[OfferId],
        said: Said,
    ) -> Result<Vec<Result<(), Refusal>>, QuoteError> {
        self.revise(lender, &said.text).await?;
        let cancel = async |offer: OfferId, burn| {
            self.market.command(offer.group(), Command::Cancel { lender, offer }, burn).await.map(drop)
        };
        match offers {
            [] => Ok(Vec::new()),
            [offer] => Ok(vec![Ok(cancel(*offer, Some(said.burn)).await?)]),
            several => {
                self.market.burn(said.burn).await?;
                Ok(join_all(several.iter().map(|offer| cancel(*offer, None))).await)
            }
        }
    }

    /// Pauses an offer. A pause by signature holds whatever becomes of this server; one without is quick, and works while
    /// the signer is away.
    pub async fn pause(&self, lender: UserId, offer: OfferId, said: Option<Said>) -> Result<(), QuoteError> {
        let burn = self.revise_by(lender, said).await?;
        self.market.command(offer.group(), Command::Pause { lender, offer }, burn).await?;
        Ok(())
    }

    /// Ends a pause, if the signer pays from the offer then.
    pub async fn resume(&self, lender: UserId, offer: OfferId, said: Option<Said>) -> Result<(), QuoteError> {
        let burn = self.revise_by(lender, said).await?;
        let admission = self.market.offer_admission(offer).await.ok_or(QuoteError::NotAdmitted(offer))?;
        let name = OfferName(sha256::Hash::from_byte_array(admission));
        match self.signer.standing(vec![name]).await?.first() {
            Some((_, Standing::Open | Standing::Used { .. })) => {}
            Some((_, Standing::Paused)) => return Err(QuoteError::SignatureNeeded(offer)),
            Some((_, Standing::OtherPolicy)) | None => return Err(QuoteError::NotAdmitted(offer)),
        }
        self.market.command(offer.group(), Command::Resume { lender, offer }, burn).await?;
        Ok(())
    }

    /// Accepts a change of an offer's term.
    pub async fn accept_term(
        &self,
        lender: UserId,
        offer: OfferId,
        change: TermChangeId,
        said: Said,
    ) -> Result<Applied, QuoteError> {
        let Said { text, burn } = said;
        again_if_unanswered(|| self.signer.accept_term(lender.0, text.clone())).await?;
        let command = Command::AcceptTerm { lender, offer, change };
        Ok(self.market.command(offer.group(), command, Some(burn)).await?)
    }

    async fn revise_by(&self, lender: UserId, said: Option<Said>) -> Result<Option<Burn>, QuoteError> {
        let Some(Said { text, burn }) = said else { return Ok(None) };
        self.revise(lender, &text).await?;
        Ok(Some(burn))
    }

    /// A lender without a vault has nothing there that could be revised.
    async fn revise(&self, lender: UserId, text: &SignedText) -> Result<(), QuoteError> {
        match again_if_unanswered(|| self.signer.revise_offers(lender.0, text.clone())).await {
            Ok(()) | Err(SignerError::Refused(SignerRefusal::NoVault { .. })) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Asks once more when it is not known whether it was done: the same question is the same act.
async fn again_if_unanswered<T, F>(ask: impl Fn() -> F) -> Result<T, SignerError>
where
    F: Future<Output = Result<T, SignerError>>,
{
    match ask().await {
        Err(SignerError::Unanswered { .. }) => ask().await,
        answered => answered,
    }
}
