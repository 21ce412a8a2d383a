//! The decisions about delegations of accounts.

use std::sync::Arc;

use crate::{
    AccountEvent, AccountRejection, Accounts, Delegation, DelegationId, DelegationRejection, Delegations,
    SignedDelegation, UnixMs, UserId,
};

impl Accounts {
    /// The delegations of all lenders.
    #[must_use]
    pub const fn delegations(&self) -> &Delegations {
        &self.delegations
    }

    /// Creates a delegation; the caller has verified the message.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownUser`], [`DelegationRejection::Duplicate`], [`DelegationRejection::TooMany`],
    /// [`DelegationRejection::Expired`].
    pub fn create_delegation(
        &self,
        user: UserId,
        delegation: DelegationId,
        signed: SignedDelegation,
        now: UnixMs,
    ) -> Result<AccountEvent, AccountRejection> {
        if !self.users.contains_key(&user) {
            return Err(AccountRejection::UnknownUser(user));
        }
        if self.delegations.get(user, delegation).is_ok() {
            return Err(DelegationRejection::Duplicate(delegation).into());
        }
        if signed.valid_until <= now {
            return Err(DelegationRejection::Expired { at: signed.valid_until }.into());
        }
        // Those that the signer may still believe in count, however long it is away.
        let is_counted = |it: &&Delegation| it.check_open(now).is_ok() || it.is_unconfirmed();
        let max = Delegation::PER_USER_MAX;
        if self.delegations.of(user).filter(is_counted).count() >= max {
            return Err(DelegationRejection::TooMany { max }.into());
        }
        Ok(AccountEvent::DelegationCreated { user, delegation, signed: Arc::new(signed) })
    }

    /// Revokes a delegation; no event if it was revoked before.
    ///
    /// # Errors
    /// [`DelegationRejection::Unknown`].
    pub fn revoke_delegation(
        &self,
        user: UserId,
        delegation: DelegationId,
    ) -> Result<Option<AccountEvent>, DelegationRejection> {
        let known = self.delegations.get(user, delegation)?;
        Ok(known.revoked_at.is_none().then_some(AccountEvent::DelegationRevoked { user, delegation }))
    }

    /// Records that the vault signer has logged a revocation; no event if that is known, or there is none.
    #[must_use]
    pub fn confirm_revocation(&self, user: UserId, delegation: DelegationId) -> Option<AccountEvent> {
        let known = self.delegations.get(user, delegation).ok()?;
        known.is_unconfirmed().then_some(AccountEvent::DelegationRevocationConfirmed { user, delegation })
    }

    /// Uses the number of a program's text, once: each is above all before.
    ///
    /// # Errors
    /// [`DelegationRejection::Unknown`], [`DelegationRejection::NumberUsed`], and those of [`Delegation::check_open`].
    pub fn use_delegation_number(
        &self,
        user: UserId,
        delegation: DelegationId,
        number: u64,
        now: UnixMs,
    ) -> Result<AccountEvent, DelegationRejection> {
        let known = self.delegations.get(user, delegation)?;
        known.check_open(now)?;
        let latest = known.latest_number;
        if number <= latest {
            return Err(DelegationRejection::NumberUsed { latest, found: number });
        }
        Ok(AccountEvent::DelegationNumberUsed { user, delegation, number })
    }
}
