//! Delegations: their creation and end, and the offers that programs sign under them.

use domain::{AccountRejection, Delegation, DelegationId, OfferId, SignedDelegation, UserId, VaultRejection};

use super::Market;
use crate::{NonceUse, Refusal, ledger::LedgerEvent};

impl Market {
    /// Creates a delegation; the caller has verified the message.
    ///
    /// # Errors
    /// Those of [`domain::Accounts::use_nonce`] and [`domain::Accounts::create_delegation`].
    pub async fn create_delegation(
        &self,
        user: UserId,
        id: DelegationId,
        signed: SignedDelegation,
        nonce_use: NonceUse,
    ) -> Result<Delegation, Refusal> {
        self.on_ledger(|ledger, now| {
            let nonce = ledger.use_nonce(nonce_use, now)?;
            let created = ledger.accounts().create_delegation(user, id, signed, now)?;
            Ok((vec![nonce, LedgerEvent::Account(created)], ()))
        })
        .await?;
        self.delegation(user, id).await
    }

    /// A delegation of a lender, also one that has ended, once durable.
    ///
    /// # Errors
    /// [`domain::DelegationRejection::Unknown`].
    pub async fn delegation(&self, user: UserId, id: DelegationId) -> Result<Delegation, Refusal> {
        let own = self.delegations(user).await.into_iter().find(|it| it.id == id);
        let unknown = || AccountRejection::from(domain::DelegationRejection::Unknown(id));
        Ok(own.ok_or_else(unknown)?)
    }

    /// The delegations of a lender, also those that have ended, once durable.
    pub async fn delegations(&self, user: UserId) -> Vec<Delegation> {
        self.shared.ledger.delegations(user).await
    }

    /// Revokes a delegation: from now on nothing is accepted under it here. Returns it afterwards; again without effect.
    ///
    /// # Errors
    /// [`domain::DelegationRejection::Unknown`].
    pub async fn revoke_delegation(&self, user: UserId, id: DelegationId) -> Result<Delegation, Refusal> {
        self.on_ledger(|ledger, _| {
            let revoked = ledger.accounts().revoke_delegation(user, id).map_err(AccountRejection::from)?;
            Ok((revoked.map(LedgerEvent::Account).into_iter().collect(), ()))
        })
        .await?;
        self.delegation(user, id).await
    }

    /// Records that the vault signer has logged a revocation.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Following`], [`Refusal::Closed`].
    pub async fn confirm_revocation(&self, user: UserId, id: DelegationId) -> Result<(), Refusal> {
        self.on_ledger(|ledger, _| {
            let confirmed = ledger.accounts().confirm_revocation(user, id);
            Ok((confirmed.map(LedgerEvent::Account).into_iter().collect(), ()))
        })
        .await
        .map(drop)
    }

    /// The revocations that the vault signer has yet to log.
    #[must_use]
    pub fn unconfirmed_revocations(&self) -> Vec<(UserId, DelegationId)> {
        self.shared.ledger.lock().state().accounts().delegations().unconfirmed().collect()
    }

    /// Uses the number of a program's text, before its offer is created.
    ///
    /// # Errors
    /// Those of [`domain::Accounts::use_delegation_number`].
    pub async fn use_delegation_number(&self, user: UserId, id: DelegationId, number: u64) -> Result<(), Refusal> {
        self.on_ledger(|ledger, now| {
            let counted =
                ledger.accounts().use_delegation_number(user, id, number, now).map_err(AccountRejection::from)?;
            Ok((vec![LedgerEvent::Account(counted)], ()))
        })
        .await
        .map(drop)
    }

    /// Stores the signer's id of an offer that a program signed, unless the delegation was revoked meanwhile.
    ///
    /// # Errors
    /// [`VaultRejection::NotOpen`]; [`domain::DelegationRejection::Revoked`].
    pub async fn admit_delegated_offer(
        &self,
        user: UserId,
        offer: OfferId,
        admission: [u8; 32],
        delegation: DelegationId,
    ) -> Result<(), Refusal> {
        self.on_ledger(|ledger, _| {
            let known = ledger.accounts().delegations().get(user, delegation).map_err(AccountRejection::from)?;
            if let Some(at) = known.revoked_at {
                return Err(AccountRejection::from(domain::DelegationRejection::Revoked { at }).into());
            }
            let vault = ledger.vault(user).ok_or(VaultRejection::NotOpen)?;
            let mut events = vec![domain::VaultEvent::OfferDelegated { offer, delegation }];
            events.extend(vault.admit(offer, admission)?);
            Ok((events.into_iter().map(|event| LedgerEvent::Vault(user, event)).collect(), ()))
        })
        .await
        .map(drop)
    }

    /// Refuses an offer whose delegation has ended: this server has no loan begun by it, whatever the signer knows.
    ///
    /// # Errors
    /// [`domain::DelegationRejection::Revoked`], [`domain::DelegationRejection::Expired`].
    pub fn check_delegation_of(&self, user: UserId, offer: OfferId) -> Result<(), Refusal> {
        let now = self.now();
        let ledger = self.shared.ledger.lock();
        let state = ledger.state();
        let Some(id) = state.vault(user).and_then(|vault| vault.delegation(offer)) else { return Ok(()) };
        let open = state.accounts().delegations().get(user, id).and_then(|it| it.check_open(now));
        Ok(open.map_err(AccountRejection::from)?)
    }

    /// The delegation that an offer of a lender was signed under, once durable; `None` if the wallet signed it.
    pub async fn delegation_of(&self, user: UserId, offer: OfferId) -> Option<DelegationId> {
        self.shared.ledger.vault_ledger(user, |vault| vault.delegation(offer)).await.flatten()
    }

    /// The admitted offers of a lender under a delegation, once durable.
    pub async fn delegated_offers(&self, user: UserId, id: DelegationId) -> Vec<OfferId> {
        self.shared.ledger.vault_ledger(user, |vault| vault.delegated(id).collect()).await.unwrap_or_default()
    }
}
