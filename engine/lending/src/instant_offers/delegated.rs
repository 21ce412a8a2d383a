//! Delegations and the instant offers under them, kept consistent between the journal, the order books and the signer.
//!
//! A delegation is journaled before the signer admits it, so whatever the signer knows can be revoked. A revocation is
//! journaled first, too: this server stops at once. The signer hears of it until it has confirmed that it is in its log;
//! until then the delegation is shown as waiting for the signer.

use domain::{Command, Delegation, DelegationId, GroupId, OfferDraft, OfferId, SignedDelegation, UserId};
use engine::wire::MyOffer;
use engine::{NonceUse, Refusal};
use escrow::delegation_id;
use futures_util::future::join_all;
use signer::program_text::ProgramText;
use signer::refusal::Refusal as SignerRefusal;
use signer::signed_text::SignedText;
use signer::vault_signer::{SignerError, VaultSigner};

use super::service::{InstantOfferError, InstantOffers, OfferText, begun, retry_if_unanswered};

/// A text that a program signed under a delegation. The caller has checked it against the delegation's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegatedText {
    /// The delegation.
    pub delegation: DelegationId,
    /// The number of the text.
    pub number: u64,
    /// The text and its signature, for the signer to check.
    pub text: ProgramText,
}

/// The effect of a revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revoked {
    /// The delegation afterwards; its revocation is complete once it is confirmed.
    pub delegation: Delegation,
    /// The offers under it that were cancelled now.
    pub cancelled: Vec<OfferId>,
}

impl<S: VaultSigner> InstantOffers<'_, S> {
    /// Creates a delegation by a fresh message. One that the signer does not admit is revoked again.
    ///
    /// # Errors
    /// Those of the market and of the signer.
    pub async fn delegate(
        &self,
        lender: UserId,
        id: DelegationId,
        signed: SignedDelegation,
        nonce_use: NonceUse,
    ) -> Result<Delegation, InstantOfferError> {
        // An unreachable signer admits nothing, and the nonce of the message would be used up for nothing.
        self.signer.describe_vault(lender.0).await?;
        let text = SignedText { message: signed.message.clone(), signature: signed.signature.clone() };
        let created = self.market.create_delegation(lender, id, signed, nonce_use).await?;
        match retry_if_unanswered(|| self.signer.admit_delegation(lender.0, text.clone())).await {
            Ok(()) => Ok(created),
            Err(error) => {
                tracing::warn!(%lender, delegation = %id, %error, "a delegation was not admitted by the signer");
                self.market.revoke_delegation(lender, id).await.map_err(begun)?;
                self.deliver_revocation(lender, id).await?;
                Err(error.into())
            }
        }
    }

    /// Revokes a delegation: this server accepts nothing under it from now on, its offers are cancelled, and the signer
    /// hears of it. An offer that a borrower is signing for is paused; the signer refuses its loan.
    ///
    /// # Errors
    /// Those of the market. An unreachable signer is no error: the revocation is then not confirmed yet.
    pub async fn revoke_delegation(&self, lender: UserId, id: DelegationId) -> Result<Revoked, InstantOfferError> {
        self.market.revoke_delegation(lender, id).await?;
        self.deliver_revocation(lender, id).await?;
        let offers = self.market.delegated_offers(lender, id).await;
        let cancel = async |offer| Ok::<_, Refusal>(self.remove_from_book(lender, offer).await?.then_some(offer));
        let mut cancelled = Vec::new();
        for outcome in join_all(offers.into_iter().map(cancel)).await {
            cancelled.extend(outcome.map_err(begun)?);
        }
        let delegation = self.market.delegation(lender, id).await.map_err(begun)?;
        Ok(Revoked { delegation, cancelled })
    }

    /// Tells the signer of the revocations that it has not confirmed, and cancels offers that remain under them.
    ///
    /// # Errors
    /// Those of the market.
    pub(crate) async fn deliver_revocations(&self) -> Result<(), InstantOfferError> {
        for (lender, id) in self.market.unconfirmed_revocations() {
            self.deliver_revocation(lender, id).await?;
            for offer in self.market.delegated_offers(lender, id).await {
                self.remove_from_book(lender, offer).await?;
            }
        }
        Ok(())
    }

    async fn deliver_revocation(&self, lender: UserId, id: DelegationId) -> Result<(), InstantOfferError> {
        let signers = delegation_id::DelegationId(id.0);
        match retry_if_unanswered(|| self.signer.revoke_delegation(lender.0, signers)).await {
            // Without a vault there the signer lends nothing of this lender.
            Ok(()) | Err(SignerError::Refused(SignerRefusal::NoVault { .. })) => {
                Ok(self.market.confirm_revocation(lender, id).await.map_err(begun)?)
            }
            Err(error) => {
                tracing::warn!(%lender, delegation = %id, %error, "the signer has not confirmed a revocation yet");
                Ok(())
            }
        }
    }

    /// Creates an offer that a program signed.
    ///
    /// # Errors
    /// Those of the market and of the signer; the number of the text is used up then, too.
    pub async fn create_delegated(
        &self,
        group: GroupId,
        lender: UserId,
        draft: OfferDraft,
        signed: DelegatedText,
    ) -> Result<MyOffer, InstantOfferError> {
        let text = self.use_number(lender, signed).await?;
        let command = Command::Create { lender, draft, count: 1, usable: None };
        self.quote(group, lender, command, (text, None)).await
    }

    /// Replaces an offer under the delegation; the new one has a new id. When the signer does not admit it, both are
    /// removed.
    ///
    /// # Errors
    /// Those of [`Self::create_delegated`]; [`InstantOfferError::NotAdmitted`] for an offer that is not under the
    /// delegation.
    pub async fn edit_delegated(
        &self,
        offer: OfferId,
        lender: UserId,
        draft: OfferDraft,
        signed: DelegatedText,
    ) -> Result<MyOffer, InstantOfferError> {
        let text = self.use_number(lender, signed).await?;
        let command = Command::Edit { lender, offer, draft, usable: None };
        self.quote(offer.group(), lender, command, (text, None)).await
    }

    /// Cancels offers under a delegation, also one that has ended. One that does not exist any more is skipped, so a
    /// repeated request has no further effect. Returns those that were cancelled now.
    ///
    /// # Errors
    /// Those of the market and of the signer, which cancels first.
    pub async fn cancel_delegated(
        &self,
        lender: UserId,
        offers: &[OfferId],
        text: ProgramText,
    ) -> Result<Vec<OfferId>, InstantOfferError> {
        retry_if_unanswered(|| self.signer.revise_delegated(lender.0, text.clone())).await?;
        let cancel = async |offer| Ok::<_, Refusal>(self.remove_from_book(lender, offer).await?.then_some(offer));
        let mut cancelled = Vec::new();
        for outcome in join_all(offers.iter().copied().map(cancel)).await {
            cancelled.extend(outcome.map_err(begun)?);
        }
        Ok(cancelled)
    }

    async fn use_number(&self, lender: UserId, signed: DelegatedText) -> Result<OfferText, InstantOfferError> {
        let DelegatedText { delegation, number, text } = signed;
        self.market.use_delegation_number(lender, delegation, number).await?;
        Ok(OfferText::Program(delegation, text))
    }
}
