//! Vaults whose ledger follows the chain. Changes journaled here reach the books where the lender quotes.

use domain::{
    AccountRejection, Nonce, ObservedOutput, OfferId, Outpoint, Sats, SignerKeys, SpendId, UnixMs, UserId, Vault,
    VaultChange, VaultEvent, VaultKeys, VaultRejection,
};

use super::Market;
use crate::{
    NonceUse, Refusal,
    ledger::{LedgerEvent, LedgerState},
    wire::VaultView,
};

impl Market {
    /// The users with an open vault, by id.
    #[must_use]
    pub fn vaults(&self) -> Vec<UserId> {
        self.shared.ledger.lock().state().open_vaults()
    }

    /// A vault's ledger with its outputs and the transactions that spend them, once durable; `None` without a vault.
    pub async fn vault_ledger(&self, user: UserId) -> Option<Vault> {
        self.shared.ledger.vault_ledger(user, Vault::clone).await
    }

    /// The keys of a vault, once durable; `None` unless it is open.
    pub async fn vault_keys(&self, user: UserId) -> Option<VaultKeys> {
        self.shared.ledger.vault_ledger(user, |vault| vault.keys().cloned()).await.flatten()
    }

    /// The first of these outputs that is not free in a vault, once durable: without a vault the first of all. The
    /// vault's outputs, possibly thousands, are not copied.
    pub async fn first_missing_output(&self, user: UserId, outputs: &[Outpoint]) -> Option<Outpoint> {
        let is_free = |vault: &Vault, output: &Outpoint| vault.output(output).is_some_and(|known| known.is_free());
        let first = |vault: &Vault| outputs.iter().find(|output| !is_free(vault, output)).copied();
        self.shared.ledger.vault_ledger(user, first).await.unwrap_or_else(|| outputs.first().copied())
    }

    /// The signer's id of an offer; `None` when the offer was never admitted, or was removed.
    pub async fn offer_admission(&self, offer: OfferId) -> Option<[u8; 32]> {
        self.shared.ledger.admission(offer).await
    }

    /// Opens a lender's vault, or sets another payment address for it; repeating it uses the nonce and changes nothing
    /// else.
    ///
    /// # Errors
    /// [`VaultRejection::OtherKeys`], and those of the nonce.
    pub async fn open_vault(&self, user: UserId, keys: VaultKeys, nonce_use: NonceUse) -> Result<VaultView, Refusal> {
        self.on_vault(user, Some(nonce_use), |vault, _| Ok(vault.open(keys)?.into_iter().collect())).await
    }

    /// Stores the signer's id of an offer.
    ///
    /// # Errors
    /// [`VaultRejection::NotOpen`].
    pub async fn admit_offer(&self, user: UserId, offer: OfferId, admission: [u8; 32]) -> Result<VaultView, Refusal> {
        self.on_vault(user, None, |vault, _| Ok(vault.admit(offer, admission)?.into_iter().collect())).await
    }

    /// Records observations of a vault's outputs on the chain, each output at most once. An output beyond the limit is
    /// skipped and does not keep the others from being recorded.
    ///
    /// # Errors
    /// [`VaultRejection::TooLarge`].
    pub async fn sync_vault(&self, user: UserId, observations: &[ObservedOutput]) -> Result<VaultView, Refusal> {
        self.sync_vault_of(user, None, observations).await
    }

    /// Does the same unless the vault has other signers meanwhile: the observations are of the script of these.
    ///
    /// # Errors
    /// Those of [`Self::sync_vault`].
    pub async fn sync_vault_of(
        &self,
        user: UserId,
        signers: Option<&SignerKeys>,
        observations: &[ObservedOutput],
    ) -> Result<VaultView, Refusal> {
        self.on_vault(user, None, |vault, _| {
            if signers.is_some_and(|signers| vault.keys().is_none_or(|keys| keys.signers != *signers)) {
                return Ok(Vec::new());
            }
            let mut events = Vec::new();
            for observation in observations {
                match vault.observe(*observation) {
                    Ok(event) => events.extend(event),
                    Err(VaultRejection::TooManyOutputs { .. }) => {}
                    Err(rejection) => return Err(rejection),
                }
            }
            Ok(events)
        })
        .await
    }

    /// Begins a withdrawal. The nonce of the lender's message is its id and is used with it; from then on its outputs
    /// are not available for anything else.
    ///
    /// # Errors
    /// Those of [`Vault::withdraw`] and of the nonce.
    pub async fn begin_withdrawal(
        &self,
        user: UserId,
        txid: [u8; 32],
        outpoints: Vec<Outpoint>,
        change: impl Into<VaultChange>,
        nonce_use: NonceUse,
    ) -> Result<VaultView, Refusal> {
        let begin = |vault: &Vault, _| Ok(vec![vault.withdraw(nonce_use.nonce, txid, outpoints, change)?]);
        self.on_vault(user, Some(nonce_use), begin).await
    }

    /// Stores the finished transaction of a withdrawal; after this it may be broadcast.
    ///
    /// # Errors
    /// Those of [`Vault::withdrawal_signed`].
    pub async fn withdrawal_signed(&self, user: UserId, id: Nonce, transaction: Vec<u8>) -> Result<VaultView, Refusal> {
        self.on_vault(user, None, |vault, _| Ok(vec![vault.withdrawal_signed(id, transaction)?])).await
    }

    /// Begins the move of a whole vault to other signers. The nonce of the lender's message is its id and is used with it;
    /// from then on nothing else is decided about the vault's outputs.
    ///
    /// # Errors
    /// Those of [`Vault::begin_move`] and of the nonce.
    pub async fn begin_move(
        &self,
        user: UserId,
        (txid, outpoints): ([u8; 32], Vec<Outpoint>),
        signers: SignerKeys,
        arriving: impl Into<VaultChange>,
        nonce_use: NonceUse,
    ) -> Result<VaultView, Refusal> {
        let begin =
            |vault: &Vault, _| Ok(vec![vault.begin_move(nonce_use.nonce, txid, outpoints, signers, arriving)?]);
        self.on_vault(user, Some(nonce_use), begin).await
    }

    /// Stores the finished transaction of a move, after which it may be broadcast. The vault is that of the new signers from
    /// now on, and the delegations of its lender, which name the others, end with it.
    ///
    /// # Errors
    /// Those of [`Vault::move_signed`].
    pub async fn move_signed(&self, user: UserId, id: Nonce, transaction: Vec<u8>) -> Result<VaultView, Refusal> {
        let decide = |ledger: &LedgerState, _| {
            let never_used = Vault::default();
            let signed = ledger.vault(user).unwrap_or(&never_used).move_signed(id, transaction)?;
            let mut decided = vec![LedgerEvent::Vault(user, signed)];
            for delegation in ledger.accounts().delegations().of(user) {
                let revoked =
                    ledger.accounts().revoke_delegation(user, delegation.id).map_err(AccountRejection::from)?;
                decided.extend(revoked.map(LedgerEvent::Account));
            }
            Ok((decided, ()))
        };
        self.on_ledger(decide).await?;
        self.vault(user).await.ok_or(Refusal::Closed)
    }

    /// Returns the outputs of an unsigned withdrawal or move that will not be signed any more.
    ///
    /// # Errors
    /// Those of [`Vault::abandon`].
    pub async fn abandon_withdrawal(&self, user: UserId, id: Nonce) -> Result<VaultView, Refusal> {
        self.on_vault(user, None, |vault, _| Ok(vec![vault.abandon(id)?])).await
    }

    /// Stores the finished child of an unconfirmed transaction; after this it may be broadcast.
    ///
    /// # Errors
    /// Those of [`Vault::bump`].
    pub async fn bump_fee(
        &self,
        user: UserId,
        outpoint: Outpoint,
        change: (Outpoint, Sats),
        transaction: Vec<u8>,
    ) -> Result<VaultView, Refusal> {
        self.on_vault(user, None, |vault, _| Ok(vec![vault.bump(outpoint, change, transaction)?])).await
    }

    /// Returns the outputs of a transaction that will never be mined. They count again once they are seen on the chain.
    ///
    /// # Errors
    /// Those of [`Vault::fail`].
    pub async fn fail_vault_transaction(&self, user: UserId, spend: SpendId) -> Result<VaultView, Refusal> {
        self.on_vault(user, None, |vault, _| Ok(vec![vault.fail(spend)?])).await
    }

    /// Drops the outputs spent by a transaction that has settled.
    ///
    /// # Errors
    /// Those of [`Vault::settle`].
    pub async fn settle_vault_transaction(&self, user: UserId, spend: SpendId) -> Result<VaultView, Refusal> {
        self.on_vault(user, None, |vault, _| Ok(vec![vault.settle(spend)?])).await
    }

    /// Decides on one vault; returns its view afterwards, also when nothing changed.
    async fn on_vault(
        &self,
        user: UserId,
        nonce_use: Option<NonceUse>,
        act: impl FnOnce(&Vault, UnixMs) -> Result<Vec<VaultEvent>, VaultRejection>,
    ) -> Result<VaultView, Refusal> {
        let decide = |ledger: &LedgerState, now| {
            let never_used = Vault::default();
            let events = act(ledger.vault(user).unwrap_or(&never_used), now)?;
            let mut decided: Vec<LedgerEvent> =
                events.into_iter().map(|event| LedgerEvent::Vault(user, event)).collect();
            if let Some(nonce_use) = nonce_use {
                decided.push(ledger.use_nonce(nonce_use, now)?);
            }
            Ok((decided, ()))
        };
        self.on_ledger(decide).await?;
        self.vault(user).await.ok_or(Refusal::Closed)
    }
}
