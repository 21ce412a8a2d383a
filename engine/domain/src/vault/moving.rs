//! The move of a vault to other signers: all that it holds, in one transaction.

use super::{COINS_MAX, SignerKeys, SpendId, Vault, VaultChange, VaultEvent, VaultRejection};
use crate::{Nonce, Outpoint, Sats};

impl Vault {
    /// Begins a move of all free outputs to other signers. Nothing may be reserved or being spent, since a loan or
    /// withdrawal that returns change would return it to the signers that the vault leaves.
    ///
    /// # Errors
    /// [`VaultRejection::InUse`], [`VaultRejection::OtherKeys`] for the signers that it has,
    /// [`VaultRejection::Incomplete`], and those of outputs.
    pub fn begin_move(
        &self,
        id: Nonce,
        txid: [u8; 32],
        outpoints: Vec<Outpoint>,
        signers: SignerKeys,
        arriving: impl Into<VaultChange>,
    ) -> Result<VaultEvent, VaultRejection> {
        let arriving = arriving.into();
        let keys = self.keys.as_ref().ok_or(VaultRejection::NotOpen)?;
        if keys.signers == signers {
            return Err(VaultRejection::OtherKeys);
        }
        let spend = SpendId::Move(id);
        if self.pending_spends.contains_key(&spend) {
            return Err(VaultRejection::DuplicateSpend(spend));
        }
        self.ensure_movable()?;
        let (found, named) = (self.free_outputs().len(), outpoints.len());
        self.ensure_spendable(spend, &outpoints, &arriving)?;
        if found != named {
            return Err(VaultRejection::Incomplete { found, named });
        }
        Ok(VaultEvent::Moving { id, txid, outpoints, signers, arriving })
    }

    /// Stores the finished transaction of a move, with which the vault becomes that of the new signers.
    ///
    /// # Errors
    /// [`VaultRejection::UnknownSpend`], [`VaultRejection::AlreadySigned`].
    pub fn move_signed(&self, id: Nonce, transaction: Vec<u8>) -> Result<VaultEvent, VaultRejection> {
        if self.expect_pending(SpendId::Move(id))?.transaction.is_some() {
            return Err(VaultRejection::AlreadySigned(id));
        }
        Ok(VaultEvent::MoveSigned { id, transaction })
    }

    /// The outputs that a move spends.
    ///
    /// # Errors
    /// [`VaultRejection::InUse`]; [`VaultRejection::TooManyInputs`] for more than one transaction can spend.
    pub fn outputs_to_move(&self) -> Result<Vec<Outpoint>, VaultRejection> {
        self.ensure_movable()?;
        let free = self.free_outputs();
        if free.len() > COINS_MAX {
            let mut amounts: Vec<Sats> = free.iter().map(|(_, amount)| *amount).collect();
            amounts.sort_unstable_by(|one, other| other.cmp(one));
            let found = amounts.iter().take(COINS_MAX).copied().sum();
            return Err(VaultRejection::TooManyInputs { needed: self.on_chain, found, max: COINS_MAX });
        }
        Ok(free.into_iter().map(|(outpoint, _)| outpoint).collect())
    }

    fn free_outputs(&self) -> Vec<(Outpoint, Sats)> {
        let free = self.outputs.iter().filter(|(_, output)| output.is_free());
        free.map(|(outpoint, output)| (*outpoint, output.amount)).collect()
    }

    fn ensure_movable(&self) -> Result<(), VaultRejection> {
        self.ensure_not_moving()?;
        let (held, pending) = (self.held, self.pending_spends.len());
        if held > Sats::ZERO || pending > 0 { Err(VaultRejection::InUse { held, pending }) } else { Ok(()) }
    }

    /// Refuses while a move is not signed: what was decided now would be about the signers that the vault leaves.
    pub(super) const fn ensure_not_moving(&self) -> Result<(), VaultRejection> {
        if self.moving_to.is_some() { Err(VaultRejection::Moving) } else { Ok(()) }
    }

    /// Makes the vault that of the new signers. Outputs of the earlier script leave the ledger, but for those that the
    /// move spends.
    pub(super) fn change_signers(&mut self, id: Nonce, transaction: &[u8]) {
        let spend = SpendId::Move(id);
        let (Some(signers), Some(keys)) = (self.moving_to.take(), self.keys.as_mut()) else { return };
        let before = std::mem::replace(&mut keys.signers, signers);
        self.previous.retain(|known| *known != before);
        self.previous.push(before);
        self.admissions.clear();
        self.delegated.clear();
        let Some(pending) = self.pending_spends.get_mut(&spend) else { return };
        pending.transaction = Some(transaction.to_vec());
        let arriving = pending.change.clone();
        let stay = self
            .outputs
            .iter()
            .filter(|(outpoint, output)| output.spent_by != Some(spend) && !arriving.contains(outpoint));
        let stay: Vec<Outpoint> = stay.map(|(outpoint, _)| *outpoint).collect();
        for outpoint in stay {
            self.set(outpoint, None);
        }
    }
}
