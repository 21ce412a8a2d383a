//! Instant offers, kept consistent between the order books and the vault signer.
//!
//! An offer enters the book first, as the book assigns its id, and the request is answered when the signer has admitted
//! it; an offer that the signer does not admit is removed from the book. Withdrawals of offers go to the signer first.
//! Differences left by a crash are repaired by [`super::reconcile`]: the book follows the signer, never the reverse.

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::sync::{Mutex, MutexGuard};

use bitcoin::hashes::{Hash as _, sha256};
use domain::{
    Allowance, Command, DelegationId, GroupId, OfferDraft, OfferId, Rejection, RequestId, TermChangeId, UserId,
    VaultRejection,
};
use engine::locks::MutexExt as _;
use engine::wire::{LoanProcessType, MyOffer};
use engine::{Applied, Market, NonceUse, Refusal};
use futures_util::future::join_all;
use signer::program_text::ProgramText;
use signer::refusal::Refusal as SignerRefusal;
use signer::request::{OfferHash, OfferStatus};
use signer::signed_text::SignedText;
use signer::vault_signer::{SignerError, VaultSigner};
use thiserror::Error;

/// The most messages kept for an unreachable signer; the oldest are dropped.
const UNDELIVERED_MAX: usize = 1_000;

/// A lender's signed message, and its nonce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedAction {
    /// The message and its signature, for the signer to check.
    pub text: SignedText,
    /// The nonce, to be used in the batch that carries the message out.
    pub nonce_use: NonceUse,
}

/// The text by which an offer is quoted, with its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OfferText {
    /// By the lender's wallet.
    Lender(SignedText),
    /// By a program under a delegation.
    Program(DelegationId, ProgramText),
}

impl From<SignedAction> for (OfferText, Option<NonceUse>) {
    fn from(SignedAction { text, nonce_use }: SignedAction) -> Self {
        (OfferText::Lender(text), Some(nonce_use))
    }
}

/// The reason why a request failed, or was not fully carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InstantOfferError {
    /// The market refuses.
    #[error(transparent)]
    Market(#[from] Refusal),
    /// The signer refuses, or did not answer.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The signer never admitted the offer, or no longer backs it.
    #[error("the vault signer does not back the offer {0}")]
    NotAdmitted(OfferId),
    /// The lender paused the offer by a signed message, and has to resume it by one.
    #[error("the offer {0} was paused by a signed message, and is resumed by one")]
    SignatureNeeded(OfferId),
}

/// State of quotes that is not journaled and is lost with the process.
#[derive(Debug, Default)]
pub struct InstantOfferState {
    undelivered: Mutex<VecDeque<(UserId, OfferText)>>,
    unbacked: Mutex<HashSet<OfferId>>,
}

impl InstantOfferState {
    /// Messages that have not reached the signer.
    pub(crate) fn undelivered(&self) -> MutexGuard<'_, VecDeque<(UserId, OfferText)>> {
        self.undelivered.lock_unpoisoned()
    }

    /// Offers that the signer did not back at the last check.
    pub(crate) fn unbacked(&self) -> MutexGuard<'_, HashSet<OfferId>> {
        self.unbacked.lock_unpoisoned()
    }

    pub(crate) fn keep_undelivered(&self, lender: UserId, text: OfferText) {
        let mut undelivered = self.undelivered();
        if undelivered.len() >= UNDELIVERED_MAX {
            undelivered.pop_front();
        }
        undelivered.push_back((lender, text));
    }
}

/// The order books and the signer, kept consistent.
pub struct InstantOffers<'a, S> {
    /// The market.
    pub market: &'a Market,
    /// The vault signer.
    pub signer: &'a S,
    /// The state that is not journaled.
    pub state: &'a InstantOfferState,
}

impl<S: VaultSigner> InstantOffers<'_, S> {
    /// Creates an offer.
    pub async fn create(
        &self,
        group: GroupId,
        lender: UserId,
        draft: OfferDraft,
        signed: SignedAction,
    ) -> Result<MyOffer, InstantOfferError> {
        let command = Command::Create { lender, draft, count: 1, usable: None };
        self.quote(group, lender, command, signed.into()).await
    }

    /// Fills a borrow request by an offer.
    pub async fn fill(
        &self,
        request: RequestId,
        lender: UserId,
        draft: OfferDraft,
        signed: SignedAction,
    ) -> Result<MyOffer, InstantOfferError> {
        let command = Command::FillRequest { lender, request, draft, usable: None, allowance: Allowance::default() };
        self.quote(request.group(), lender, command, signed.into()).await
    }

    /// Replaces an offer; the new one has a new id. When the signer does not admit it, both are removed.
    pub async fn edit(
        &self,
        offer: OfferId,
        lender: UserId,
        draft: OfferDraft,
        signed: SignedAction,
    ) -> Result<MyOffer, InstantOfferError> {
        let command = Command::Edit { lender, offer, draft, usable: None };
        self.quote(offer.group(), lender, command, signed.into()).await
    }

    pub(crate) async fn quote(
        &self,
        group: GroupId,
        lender: UserId,
        command: Command,
        (text, nonce_use): (OfferText, Option<NonceUse>),
    ) -> Result<MyOffer, InstantOfferError> {
        let vault = self.market.vault_ledger(lender).await;
        if vault.is_none_or(|vault| vault.keys().is_none()) {
            return Err(Refusal::Vault(VaultRejection::NotOpen).into());
        }
        // An unreachable signer admits nothing, so nothing is entered, and no offer is replaced.
        self.signer.describe_vault(lender.0).await?;
        let Applied { offers, .. } = self.market.command(group, command, nonce_use).await?;
        let Some(offer) = offers.into_iter().next_back() else { return Err(Refusal::Closed.into()) };
        match self.admit(lender, offer.offer_id.0, &text).await {
            Ok(()) => Ok(offer),
            // The process that decides now repairs what is left, as after a crash.
            Err(InstantOfferError::Market(Refusal::Following)) => Err(begun(Refusal::Following).into()),
            Err(error) => {
                let id = offer.offer_id.0;
                tracing::warn!(offer = %id, %lender, %error, "not admitted by the signer, and removed from the book");
                let taken = self.remove_from_book(lender, id).await;
                self.revoke_at_signer(lender, text).await;
                taken.map_err(begun)?;
                Err(error)
            }
        }
    }

    async fn admit(&self, lender: UserId, offer: OfferId, text: &OfferText) -> Result<(), InstantOfferError> {
        match text {
            OfferText::Lender(text) => {
                let ask = || self.signer.admit_offer(lender.0, offer.to_string(), text.clone());
                let name = retry_if_unanswered(ask).await?;
                self.market.admit_offer(lender, offer, name.to_byte_array()).await?;
            }
            OfferText::Program(delegation, text) => {
                let ask = || self.signer.admit_delegated(lender.0, offer.to_string(), text.clone());
                let name = retry_if_unanswered(ask).await?.to_byte_array();
                self.market.admit_delegated_offer(lender, offer, name, *delegation).await?;
            }
        }
        Ok(())
    }

    /// Removes an offer from the book that the signer does not back. One with a reservation is paused; the signer
    /// refuses the loan.
    pub(crate) async fn remove_from_book(&self, lender: UserId, offer: OfferId) -> Result<bool, Refusal> {
        match self.market.command(offer.group(), Command::Cancel { lender, offer }, None).await {
            Ok(_) => Ok(true),
            Err(Refusal::Book(Rejection::UnknownOffer(_))) => Ok(false),
            Err(Refusal::Book(Rejection::UnderOffer(_))) => self.pause_in_book(lender, offer).await,
            Err(refusal) => Err(refusal),
        }
    }

    /// Pauses an offer in the book only; returns whether it was not paused before.
    pub(crate) async fn pause_in_book(&self, lender: UserId, offer: OfferId) -> Result<bool, Refusal> {
        match self.market.command(offer.group(), Command::Pause { lender, offer }, None).await {
            Ok(_) => Ok(true),
            Err(Refusal::Book(Rejection::UnknownOffer(_) | Rejection::AlreadyPaused(_))) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    /// Revokes a failed quote at the signer: both the offer that it creates and the one that it replaces. An
    /// unreachable signer is informed later, as long as the message is fresh.
    pub(crate) async fn revoke_at_signer(&self, lender: UserId, text: OfferText) {
        let revised = match &text {
            OfferText::Lender(text) => self.signer.revise_offers(lender.0, text.clone()).await,
            OfferText::Program(_, text) => self.signer.revise_delegated(lender.0, text.clone()).await,
        };
        match revised {
            Ok(()) => {}
            Err(SignerError::Refused(refusal)) if refusal != SignerRefusal::Busy => {
                tracing::warn!(%lender, %refusal, "the signer did not revoke a failed quote");
            }
            Err(_) => self.state.keep_undelivered(lender, text),
        }
    }

    /// Cancels offers that the message names. Errors of single offers are in their places.
    ///
    /// A single offer goes in one batch with the nonce. Several may be in several books, so the nonce is used first:
    /// a crash in between costs the lender a new signature, and the old one never counts twice.
    pub async fn cancel(
        &self,
        lender: UserId,
        offers: &[OfferId],
        signed: SignedAction,
    ) -> Result<Vec<Result<(), Refusal>>, InstantOfferError> {
        self.revise(lender, &signed.text).await?;
        let cancel = async |offer: OfferId, nonce_use| {
            self.market.command(offer.group(), Command::Cancel { lender, offer }, nonce_use).await.map(drop)
        };
        match offers {
            [] => Ok(Vec::new()),
            [offer] => Ok(vec![Ok(cancel(*offer, Some(signed.nonce_use)).await?)]),
            several => {
                self.market.use_nonce(signed.nonce_use).await?;
                let cancelled = join_all(several.iter().map(|offer| cancel(*offer, None))).await;
                Ok(cancelled.into_iter().map(|result| result.map_err(begun)).collect())
            }
        }
    }

    /// Cancels all instant offers of a lender by a message that names none of them. Errors of single offers are in their
    /// places.
    ///
    /// The offers are read after the signer has revoked them, so that the book keeps none that it backed until then. One
    /// that a borrower is signing for stays in the book until then, and the signer refuses its loan.
    pub async fn cancel_all(
        &self,
        lender: UserId,
        signed: SignedAction,
    ) -> Result<Vec<(OfferId, Result<(), Refusal>)>, InstantOfferError> {
        self.revise(lender, &signed.text).await?;
        self.market.use_nonce(signed.nonce_use).await?;
        let own = self.market.my_offers(lender).await.map_err(begun)?.into_iter();
        let instant = own.filter(|offer| offer.loan_process_type == LoanProcessType::Instant);
        let cancel = async |offer: OfferId| {
            let cancelled = self.market.command(offer.group(), Command::Cancel { lender, offer }, None).await;
            (offer, cancelled.map(drop).map_err(begun))
        };
        Ok(join_all(instant.map(|offer| cancel(offer.offer_id.0))).await)
    }

    /// Pauses an offer. A signed pause also binds the signer, whatever becomes of this server; an unsigned one is
    /// quick, and works while the signer is unreachable.
    pub async fn pause(
        &self,
        lender: UserId,
        offer: OfferId,
        signed: Option<SignedAction>,
    ) -> Result<(), InstantOfferError> {
        let nonce_use = self.revise_by(lender, signed).await?;
        self.market.command(offer.group(), Command::Pause { lender, offer }, nonce_use).await?;
        Ok(())
    }

    /// Resumes an offer, if the signer backs it then.
    pub async fn resume(
        &self,
        lender: UserId,
        offer: OfferId,
        signed: Option<SignedAction>,
    ) -> Result<(), InstantOfferError> {
        let nonce_use = self.revise_by(lender, signed).await?;
        let admission = self.market.offer_admission(offer).await.ok_or(InstantOfferError::NotAdmitted(offer))?;
        let name = OfferHash(sha256::Hash::from_byte_array(admission));
        match self.signer.offer_status(vec![name]).await?.first() {
            Some((_, OfferStatus::Open | OfferStatus::Used { .. })) => {}
            Some((_, OfferStatus::Paused)) => return Err(InstantOfferError::SignatureNeeded(offer)),
            Some((_, OfferStatus::OtherPolicy)) | None => return Err(InstantOfferError::NotAdmitted(offer)),
        }
        self.market.command(offer.group(), Command::Resume { lender, offer }, nonce_use).await?;
        Ok(())
    }

    /// Accepts a change of an offer's term.
    pub async fn accept_term(
        &self,
        lender: UserId,
        offer: OfferId,
        change: TermChangeId,
        signed: SignedAction,
    ) -> Result<Applied, InstantOfferError> {
        let SignedAction { text, nonce_use } = signed;
        retry_if_unanswered(|| self.signer.accept_term(lender.0, text.clone())).await?;
        let command = Command::AcceptTerm { lender, offer, change };
        Ok(self.market.command(offer.group(), command, Some(nonce_use)).await?)
    }

    async fn revise_by(
        &self,
        lender: UserId,
        signed: Option<SignedAction>,
    ) -> Result<Option<NonceUse>, InstantOfferError> {
        let Some(SignedAction { text, nonce_use }) = signed else { return Ok(None) };
        self.revise(lender, &text).await?;
        Ok(Some(nonce_use))
    }

    /// Revises offers at the signer. A lender without a vault has nothing to revise there.
    async fn revise(&self, lender: UserId, text: &SignedText) -> Result<(), InstantOfferError> {
        match retry_if_unanswered(|| self.signer.revise_offers(lender.0, text.clone())).await {
            Ok(()) | Err(SignerError::Refused(SignerRefusal::NoVault { .. })) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The refusal of a later step of a request of which something is durable. It does not say that nothing was done: a node
/// would repeat the request at the one that decides now, where its nonce is used.
pub(crate) fn begun(refusal: Refusal) -> Refusal {
    if refusal == Refusal::Following { Refusal::Closed } else { refusal }
}

/// Repeats a request once if its outcome is unknown; requests are idempotent.
pub(crate) async fn retry_if_unanswered<T, F>(ask: impl Fn() -> F) -> Result<T, SignerError>
where
    F: Future<Output = Result<T, SignerError>>,
{
    match ask().await {
        Err(SignerError::Unanswered { .. }) => ask().await,
        answered => answered,
    }
}
