//! The naive vault: it stores the plain effects of each step and recomputes everything else.

use std::collections::BTreeMap;

use domain::{Nonce, Outpoint, ReservationId, SpendId};

/// An output's amount and state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) sats: u64,
    pub(crate) is_mined: bool,
    pub(crate) spent_by: Option<SpendId>,
}

/// The outputs that a transaction of the vault spends and creates.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) txid: [u8; 32],
    pub(crate) outpoints: Vec<Outpoint>,
    pub(crate) change: Vec<Outpoint>,
}

/// The state of the chain and the holds, as plain lists.
#[derive(Debug, Default)]
pub(crate) struct NaiveVault {
    pub(crate) outputs: BTreeMap<Outpoint, Output>,
    pub(crate) holds: BTreeMap<ReservationId, u64>,
    pub(crate) sent: BTreeMap<SpendId, Sent>,
    pub(crate) credited: u64,
    /// The move that is not signed yet.
    pub(crate) moving: Option<SpendId>,
}

impl NaiveVault {
    pub(crate) fn on_chain(&self) -> u64 {
        self.unspent().filter(|(_, output)| output.is_mined).map(|(_, output)| output.sats).sum()
    }

    pub(crate) fn unconfirmed(&self) -> u64 {
        self.unspent().filter(|(_, output)| !output.is_mined).map(|(_, output)| output.sats).sum()
    }

    fn unspent(&self) -> impl Iterator<Item = (&Outpoint, &Output)> {
        self.outputs.iter().filter(|(_, output)| output.spent_by.is_none())
    }

    pub(crate) fn balance(&self) -> u64 {
        self.credited + self.on_chain()
    }

    pub(crate) fn held(&self) -> u64 {
        self.holds.values().sum()
    }

    pub(crate) fn usable(&self) -> u64 {
        self.balance().saturating_sub(self.held())
    }

    pub(crate) fn free(&self) -> Vec<Outpoint> {
        self.unspent().filter(|(_, output)| output.is_mined).map(|(outpoint, _)| *outpoint).collect()
    }

    pub(crate) fn sum(&self, outpoints: &[Outpoint]) -> u64 {
        outpoints.iter().map(|outpoint| self.outputs[outpoint].sats).sum()
    }

    pub(crate) fn send(
        &mut self,
        spend: SpendId,
        txid: [u8; 32],
        outpoints: Vec<Outpoint>,
        change: &[(Outpoint, u64)],
    ) {
        if let SpendId::Loan(reservation) = spend {
            self.holds.remove(&reservation);
        }
        for outpoint in &outpoints {
            self.outputs.get_mut(outpoint).unwrap().spent_by = Some(spend);
        }
        for (outpoint, sats) in change {
            self.outputs.insert(*outpoint, Output { sats: *sats, is_mined: false, spent_by: None });
        }
        let change = change.iter().map(|(outpoint, _)| *outpoint).collect();
        self.sent.insert(spend, Sent { txid, outpoints, change });
    }

    /// Returns the remaining outputs of a failed transaction, and removes its child.
    pub(crate) fn fail(&mut self, spend: SpendId) {
        let sent = self.sent.remove(&spend).unwrap();
        let is_gone = matches!(spend, SpendId::Move(_)) && self.moving != Some(spend);
        if self.moving == Some(spend) {
            self.moving = None;
        }
        let child = SpendId::FeeBump(sent.txid);
        if self.sent.contains_key(&child) {
            self.fail(child);
        }
        for outpoint in sent.outpoints {
            if let Some(output) = self.outputs.get_mut(&outpoint).filter(|output| output.spent_by == Some(spend)) {
                *output = Output { is_mined: false, spent_by: None, ..*output };
                if is_gone {
                    self.outputs.remove(&outpoint);
                }
            }
        }
        for change in sent.change {
            self.outputs.remove(&change);
        }
    }

    pub(crate) fn settle(&mut self, spend: SpendId) {
        for outpoint in self.sent.remove(&spend).unwrap().outpoints {
            if self.outputs.get(&outpoint).is_some_and(|output| output.spent_by == Some(spend)) {
                self.outputs.remove(&outpoint);
            }
        }
    }

    /// Signs the move: what is neither spent nor made by it is not in the ledger of the new signers.
    pub(crate) fn sign_move(&mut self) {
        let spend = self.moving.take().unwrap();
        let arriving = &self.sent[&spend].change;
        self.outputs.retain(|outpoint, output| output.spent_by == Some(spend) || arriving.contains(outpoint));
    }

    /// Whether a change output of a transaction, or of its child, is confirmed.
    pub(crate) fn is_mined(&self, spend: SpendId) -> bool {
        let sent = &self.sent[&spend];
        let child = self.sent.get(&SpendId::FeeBump(sent.txid));
        let mut change = sent.change.iter().chain(child.into_iter().flat_map(|child| &child.change));
        change.any(|change| self.outputs.get(change).is_some_and(|output| output.is_mined))
    }

    /// Whether a child may spend this output.
    pub(crate) fn may_be_bumped(&self, outpoint: &Outpoint) -> bool {
        let is_unconfirmed = |output: &Output| !output.is_mined && output.spent_by.is_none();
        let is_change = |(spend, sent): (&SpendId, &Sent)| {
            !matches!(spend, SpendId::FeeBump(_) | SpendId::Move(_)) && sent.change.contains(outpoint)
        };
        self.outputs.get(outpoint).is_some_and(is_unconfirmed)
            && self.sent.iter().any(is_change)
            && !self.sent.contains_key(&SpendId::FeeBump(outpoint.txid))
    }

    /// The pending transaction that spends this output, whether or not the chain has it now.
    pub(crate) fn spent_by(&self, outpoint: &Outpoint) -> Option<SpendId> {
        let spent_by = self.sent.iter().find(|(_, sent)| sent.outpoints.contains(outpoint));
        spent_by.map(|(spend, _)| *spend)
    }

    /// The pending spend with this number, if any.
    pub(crate) fn pending_spend(&self, number: u128) -> Option<SpendId> {
        let nonce = Nonce(number);
        let all = [SpendId::Loan(ReservationId(number)), SpendId::Withdrawal(nonce), SpendId::Move(nonce)];
        all.into_iter().find(|spend| self.sent.contains_key(spend))
    }
}
