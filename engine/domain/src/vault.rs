//! A lender's vault, which backs instant offers.
//!
//! Its ledger follows the chain. The balance counts confirmed outputs that no transaction spends. A hold reserves a sum
//! and no particular output, so one output may be proposed to several borrowers until one of their loans spends it.

mod apply;
mod change;
mod coins;
mod event;
mod moving;
mod output;
mod signer_keys;

use std::collections::{BTreeMap, VecDeque};

use crate::{DelegationId, Nonce, OfferId, Outpoint, ReservationId, Sats};

pub use change::{CHANGE_OUTPUTS_MAX, VaultChange};
pub use coins::COINS_MAX;
pub use event::{SpendId, VaultEvent, VaultRejection};
pub use output::{ObservedOutput, OutputStatus, PendingSpend, VaultOutput};
pub use signer_keys::SignerKeys;

/// The maximum number of outputs that are tracked for one vault.
pub const OUTPUTS_MAX: usize = 4_000;
/// The maximum number of admissions stored for one vault; beyond it the oldest is dropped.
const ADMISSIONS_MAX: usize = 10_000;
/// The number of withdrawals remembered after they are settled, so that a repeated request gets the same answer.
const SETTLED_WITHDRAWALS_MAX: usize = 32;

/// The keys of a vault's script, and the address for its withdrawals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VaultKeys {
    /// The signers.
    pub signers: SignerKeys,
    /// The lender's ordinals key.
    pub lender_key: [u8; 32],
    /// The address that withdrawals pay to.
    pub payment_address: String,
}

/// The ledger of one vault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Vault {
    keys: Option<VaultKeys>,
    /// Sats that are credited without an output on the chain.
    credited: Sats,
    /// The sum of the free outputs.
    on_chain: Sats,
    outputs: BTreeMap<Outpoint, VaultOutput>,
    pending_spends: BTreeMap<SpendId, PendingSpend>,
    held: Sats,
    holds: BTreeMap<ReservationId, Sats>,
    /// Each with the number of the admission.
    admissions: BTreeMap<OfferId, (u64, [u8; 32])>,
    /// The admitted offers that a program signed, each with its delegation.
    delegated: BTreeMap<OfferId, DelegationId>,
    admitted: u64,
    settled_withdrawals: VecDeque<(Nonce, [u8; 32])>,
    /// The new signers of a move that is not signed yet.
    moving_to: Option<SignerKeys>,
    /// The signers from which it was moved, in the order of the moves.
    previous: Vec<SignerKeys>,
}

impl Vault {
    /// The whole balance, reserved or not.
    #[must_use]
    pub const fn balance(&self) -> Sats {
        self.credited.saturating_add(self.on_chain)
    }

    /// The balance that is not reserved (`usableBalanceSats`).
    #[must_use]
    pub const fn usable(&self) -> Sats {
        self.balance().saturating_sub(self.held)
    }

    /// The reserved sats.
    #[must_use]
    pub const fn held(&self) -> Sats {
        self.held
    }

    /// The reserved sats that exceed the balance: a reorg removed outputs, or their change is unconfirmed.
    #[must_use]
    pub const fn shortfall(&self) -> Sats {
        self.held.saturating_sub(self.balance())
    }

    /// The sats expected to confirm again or for the first time: change, and outputs whose block a reorg disconnected.
    #[must_use]
    pub fn unconfirmed(&self) -> Sats {
        self.outputs.values().filter(|output| output.is_unconfirmed()).map(|output| output.amount).sum()
    }

    /// The signers from which it was moved: an output that pays to a script of theirs is not in this ledger.
    #[must_use]
    pub fn previous_signers(&self) -> &[SignerKeys] {
        &self.previous
    }

    /// Its keys, once it is open.
    #[must_use]
    pub const fn keys(&self) -> Option<&VaultKeys> {
        self.keys.as_ref()
    }

    /// All tracked outputs.
    #[must_use]
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = (Outpoint, VaultOutput)> + '_ {
        self.outputs.iter().map(|(outpoint, output)| (*outpoint, *output))
    }

    /// One output, if it is tracked.
    #[must_use]
    pub fn output(&self, outpoint: &Outpoint) -> Option<VaultOutput> {
        self.outputs.get(outpoint).copied()
    }

    /// All transactions that spend outputs and are neither settled nor failed.
    #[must_use]
    pub fn pending_spends(&self) -> impl ExactSizeIterator<Item = (SpendId, &PendingSpend)> + '_ {
        self.pending_spends.iter().map(|(spend, pending)| (*spend, pending))
    }

    /// One such transaction.
    #[must_use]
    pub fn pending_spend(&self, spend: SpendId) -> Option<&PendingSpend> {
        self.pending_spends.get(&spend)
    }

    /// The transaction of a recently settled withdrawal or move.
    #[must_use]
    pub fn settled_withdrawal(&self, id: Nonce) -> Option<[u8; 32]> {
        self.settled_withdrawals.iter().find(|(other, _)| *other == id).map(|(_, txid)| *txid)
    }

    /// The signer's id of an offer.
    #[must_use]
    pub fn admission(&self, offer: OfferId) -> Option<[u8; 32]> {
        self.admissions.get(&offer).map(|(_, admission)| *admission)
    }

    /// Credits sats without an output on the chain.
    ///
    /// # Errors
    /// [`VaultRejection::TooLarge`].
    pub fn credit(&self, amount: Sats) -> Result<VaultEvent, VaultRejection> {
        self.balance().checked_add(amount).map(|_| VaultEvent::Credited { amount }).ok_or(VaultRejection::TooLarge)
    }

    /// Debits such sats, as far as they are usable.
    ///
    /// # Errors
    /// [`VaultRejection::Insufficient`].
    pub fn debit(&self, amount: Sats) -> Result<VaultEvent, VaultRejection> {
        ensure_enough(amount, self.usable().min(self.credited))?;
        Ok(VaultEvent::Debited { amount })
    }

    /// Reserves usable sats.
    ///
    /// # Errors
    /// [`VaultRejection::Insufficient`], [`VaultRejection::AlreadyHeld`].
    pub fn hold(&self, reservation: ReservationId, amount: Sats) -> Result<VaultEvent, VaultRejection> {
        if self.holds.contains_key(&reservation) {
            return Err(VaultRejection::AlreadyHeld(reservation));
        }
        self.ensure_not_moving()?;
        ensure_enough(amount, self.usable())?;
        Ok(VaultEvent::Held { reservation, amount })
    }

    /// Releases a hold.
    ///
    /// # Errors
    /// [`VaultRejection::NotHeld`].
    pub fn release(&self, reservation: ReservationId) -> Result<VaultEvent, VaultRejection> {
        self.hold_of(reservation)?;
        Ok(VaultEvent::Released { reservation })
    }

    /// Turns a hold into a loan that is paid from sats without an output on the chain.
    ///
    /// # Errors
    /// [`VaultRejection::NotHeld`], [`VaultRejection::Insufficient`].
    pub fn lend(&self, reservation: ReservationId) -> Result<VaultEvent, VaultRejection> {
        ensure_enough(self.hold_of(reservation)?, self.credited)?;
        Ok(VaultEvent::Lent { reservation })
    }

    /// Opens the vault; no event if it is open with the same keys and address.
    ///
    /// # Errors
    /// [`VaultRejection::OtherKeys`].
    pub fn open(&self, keys: VaultKeys) -> Result<Option<VaultEvent>, VaultRejection> {
        let VaultKeys { signers, lender_key, payment_address } = keys;
        self.ensure_not_moving()?;
        match &self.keys {
            Some(known) if (&known.signers, known.lender_key) != (&signers, lender_key) => {
                Err(VaultRejection::OtherKeys)
            }
            Some(known) if known.payment_address == payment_address => Ok(None),
            _ => Ok(Some(match signers.only() {
                Some(signer_key) => VaultEvent::Opened { signer_key, lender_key, payment_address },
                None => VaultEvent::OpenedShared { signers, lender_key, payment_address },
            })),
        }
    }

    /// Stores the signer's id of an offer.
    ///
    /// # Errors
    /// [`VaultRejection::NotOpen`].
    pub fn admit(&self, offer: OfferId, admission: [u8; 32]) -> Result<Option<VaultEvent>, VaultRejection> {
        if self.keys.is_none() {
            return Err(VaultRejection::NotOpen);
        }
        self.ensure_not_moving()?;
        let is_new = self.admission(offer) != Some(admission);
        Ok(is_new.then_some(VaultEvent::OfferAdmitted { offer, admission }))
    }

    /// The delegation that an admitted offer was signed under; `None` if its lender's wallet signed it.
    #[must_use]
    pub fn delegation(&self, offer: OfferId) -> Option<DelegationId> {
        self.delegated.get(&offer).copied()
    }

    /// The admitted offers that were signed under a delegation.
    pub fn delegated(&self, delegation: DelegationId) -> impl Iterator<Item = OfferId> {
        self.delegated.iter().filter(move |(_, id)| **id == delegation).map(|(offer, _)| *offer)
    }

    /// Removes the admission of an offer that left the book; no event if it was not admitted.
    #[must_use]
    pub fn remove_admission(&self, offer: OfferId) -> Option<VaultEvent> {
        self.admissions.contains_key(&offer).then_some(VaultEvent::AdmissionRemoved { offer })
    }

    /// The event that follows from an observation of the chain, if any.
    ///
    /// # Errors
    /// [`VaultRejection::TooManyOutputs`], [`VaultRejection::TooLarge`].
    pub fn observe(&self, observation: ObservedOutput) -> Result<Option<VaultEvent>, VaultRejection> {
        Ok(match observation {
            ObservedOutput::Confirmed { outpoint, amount, height } => {
                let status = OutputStatus::Confirmed { height };
                match self.outputs.get(&outpoint) {
                    Some(known) if (known.amount, known.status) == (amount, status) => return Ok(None),
                    None if self.outputs.len() >= OUTPUTS_MAX => {
                        return Err(VaultRejection::TooManyOutputs { max: OUTPUTS_MAX });
                    }
                    _ => {}
                }
                self.balance().checked_add(amount).ok_or(VaultRejection::TooLarge)?;
                Some(VaultEvent::OutputConfirmed { outpoint, amount, height })
            }
            ObservedOutput::Unconfirmed { outpoint } => {
                let was_mined =
                    self.outputs.get(&outpoint).is_some_and(|known| known.status != OutputStatus::Unconfirmed);
                was_mined.then_some(VaultEvent::OutputUnconfirmed { outpoint })
            }
            ObservedOutput::Missing { outpoint } => {
                let is_free = self.outputs.get(&outpoint).is_some_and(|known| known.spent_by.is_none());
                is_free.then_some(VaultEvent::OutputSpent { outpoint })
            }
            ObservedOutput::DoubleSpent { outpoint } => {
                self.outputs.contains_key(&outpoint).then_some(VaultEvent::OutputSpent { outpoint })
            }
        })
    }

    /// Ends a hold by a loan that the signer signed.
    ///
    /// # Errors
    /// All but those of keys and offers.
    pub fn spend(
        &self,
        reservation: ReservationId,
        txid: [u8; 32],
        outpoints: Vec<Outpoint>,
        change: impl Into<VaultChange>,
    ) -> Result<VaultEvent, VaultRejection> {
        let change = change.into();
        self.hold_of(reservation)?;
        self.ensure_spendable(SpendId::Loan(reservation), &outpoints, &change)?;
        Ok(VaultEvent::Spent { reservation, txid, outpoints, change })
    }

    /// Begins a withdrawal of sats that are not reserved.
    ///
    /// # Errors
    /// All but those of keys and offers.
    pub fn withdraw(
        &self,
        id: Nonce,
        txid: [u8; 32],
        outpoints: Vec<Outpoint>,
        change: impl Into<VaultChange>,
    ) -> Result<VaultEvent, VaultRejection> {
        let change = change.into();
        let amount = self.ensure_spendable(SpendId::Withdrawal(id), &outpoints, &change)?;
        ensure_enough(amount, self.usable())?;
        Ok(VaultEvent::Withdrawing { id, txid, outpoints, amount, change })
    }

    /// Stores the finished transaction of a withdrawal.
    ///
    /// # Errors
    /// [`VaultRejection::UnknownSpend`], [`VaultRejection::AlreadySigned`].
    pub fn withdrawal_signed(&self, id: Nonce, transaction: Vec<u8>) -> Result<VaultEvent, VaultRejection> {
        if self.expect_pending(SpendId::Withdrawal(id))?.transaction.is_some() {
            return Err(VaultRejection::AlreadySigned(id));
        }
        Ok(VaultEvent::WithdrawalSigned { id, transaction })
    }

    /// Replaces a change output of an unconfirmed transaction by the output of its CPFP child. A transaction has at
    /// most one child, and a child none.
    ///
    /// # Errors
    /// [`VaultRejection::NoChange`], [`VaultRejection::DuplicateSpend`], [`VaultRejection::NotSpendable`],
    /// [`VaultRejection::ExcessiveChange`].
    pub fn bump(
        &self,
        outpoint: Outpoint,
        change: (Outpoint, Sats),
        transaction: Vec<u8>,
    ) -> Result<VaultEvent, VaultRejection> {
        let parent = outpoint.txid;
        let may_have_child = |(spend, pending): (&SpendId, &PendingSpend)| {
            !matches!(spend, SpendId::FeeBump(_) | SpendId::Move(_)) && pending.change.contains(&outpoint)
        };
        if !self.pending_spends.iter().any(may_have_child) {
            return Err(VaultRejection::NoChange { outpoint });
        }
        let spend = SpendId::FeeBump(parent);
        if self.pending_spends.contains_key(&spend) {
            return Err(VaultRejection::DuplicateSpend(spend));
        }
        let unconfirmed = self.outputs.get(&outpoint).filter(|output| output.is_unconfirmed());
        let taken = unconfirmed.ok_or(VaultRejection::NotSpendable { outpoint })?.amount;
        let fee = taken.checked_sub(change.1).ok_or(VaultRejection::ExcessiveChange { taken, change: change.1 })?;
        Ok(VaultEvent::FeeBumped { parent, outpoint, fee, change, transaction })
    }

    /// Returns the outputs of a transaction that will never be mined, and those of its child.
    ///
    /// # Errors
    /// [`VaultRejection::UnknownSpend`]; [`VaultRejection::Mined`] if its change, or its child's, is in a block.
    pub fn fail(&self, spend: SpendId) -> Result<VaultEvent, VaultRejection> {
        let pending = self.expect_pending(spend)?;
        let child = self.pending_spends.get(&SpendId::FeeBump(pending.txid));
        let change = pending.change.iter().chain(child.into_iter().flat_map(|child| &child.change));
        let mut change = change.filter_map(|change| self.outputs.get(change));
        if change.any(|change| change.status != OutputStatus::Unconfirmed) {
            return Err(VaultRejection::Mined(spend));
        }
        Ok(VaultEvent::SpendFailed { spend })
    }

    /// Returns the outputs of an unsigned withdrawal or move: there is no transaction that could be mined.
    ///
    /// # Errors
    /// [`VaultRejection::UnknownSpend`], [`VaultRejection::AlreadySigned`].
    pub fn abandon(&self, id: Nonce) -> Result<VaultEvent, VaultRejection> {
        let a_move = Some(SpendId::Move(id)).filter(|spend| self.pending_spends.contains_key(spend));
        let spend = a_move.unwrap_or(SpendId::Withdrawal(id));
        if self.expect_pending(spend)?.transaction.is_some() {
            return Err(VaultRejection::AlreadySigned(id));
        }
        Ok(VaultEvent::SpendFailed { spend })
    }

    /// Drops the outputs spent by a transaction that no reorg can disconnect any more.
    ///
    /// # Errors
    /// [`VaultRejection::UnknownSpend`]; [`VaultRejection::Moving`] for a move whose transaction is not stored yet.
    pub fn settle(&self, spend: SpendId) -> Result<VaultEvent, VaultRejection> {
        if matches!(spend, SpendId::Move(_)) && self.expect_pending(spend)?.transaction.is_none() {
            return Err(VaultRejection::Moving);
        }
        self.expect_pending(spend)?;
        Ok(VaultEvent::SpendSettled { spend })
    }

    fn hold_of(&self, reservation: ReservationId) -> Result<Sats, VaultRejection> {
        self.holds.get(&reservation).copied().ok_or(VaultRejection::NotHeld(reservation))
    }

    fn expect_pending(&self, spend: SpendId) -> Result<&PendingSpend, VaultRejection> {
        self.pending_spends.get(&spend).ok_or(VaultRejection::UnknownSpend(spend))
    }

    /// Checks a spend; returns the sats that would leave the vault.
    fn ensure_spendable(
        &self,
        spend: SpendId,
        outpoints: &[Outpoint],
        change: &VaultChange,
    ) -> Result<Sats, VaultRejection> {
        if self.pending_spends.contains_key(&spend) {
            return Err(VaultRejection::DuplicateSpend(spend));
        }
        self.ensure_not_moving()?;
        let mut sorted = outpoints.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.is_empty() || sorted.len() != outpoints.len() {
            return Err(VaultRejection::InvalidInputs);
        }
        if change.len() > CHANGE_OUTPUTS_MAX || change.has_duplicates() {
            return Err(VaultRejection::InvalidChangeOutputs { max: CHANGE_OUTPUTS_MAX });
        }
        let mut taken = Sats::ZERO;
        for outpoint in sorted {
            let output = self.outputs.get(&outpoint).filter(|output| output.is_free());
            let output = output.ok_or(VaultRejection::NotSpendable { outpoint })?;
            taken = taken.saturating_add(output.amount);
        }
        let change = change.total();
        taken.checked_sub(change).ok_or(VaultRejection::ExcessiveChange { taken, change })
    }
}

fn ensure_enough(needed: Sats, usable: Sats) -> Result<(), VaultRejection> {
    if needed > usable { Err(VaultRejection::Insufficient { needed, usable }) } else { Ok(()) }
}
