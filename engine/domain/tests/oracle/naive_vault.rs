//! A vault that remembers nothing but what happened, and works everything out anew.

use std::collections::BTreeMap;

use domain::{Departure, Nonce, Outpoint, ReservationId};

/// Where an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Mined,
    Waiting,
    Taken(Departure),
}

/// What a transaction of the vault's spends and makes.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) outpoints: Vec<Outpoint>,
    pub(crate) change: Vec<Outpoint>,
}

/// The chain's side and the promises, as plain lists.
#[derive(Debug, Default)]
pub(crate) struct NaiveVault {
    pub(crate) outputs: BTreeMap<Outpoint, (u64, Place)>,
    pub(crate) holds: BTreeMap<ReservationId, u64>,
    pub(crate) sent: BTreeMap<Departure, Sent>,
    pub(crate) credited: u64,
}

impl NaiveVault {
    pub(crate) fn on_chain(&self) -> u64 {
        self.outputs.values().filter(|(_, place)| *place == Place::Mined).map(|(sats, _)| sats).sum()
    }

    pub(crate) fn waiting(&self) -> u64 {
        self.outputs.values().filter(|(_, place)| *place == Place::Waiting).map(|(sats, _)| sats).sum()
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
        let free = self.outputs.iter().filter(|(_, (_, place))| *place == Place::Mined);
        free.map(|(outpoint, _)| *outpoint).collect()
    }

    pub(crate) fn sum(&self, outpoints: &[Outpoint]) -> u64 {
        outpoints.iter().map(|outpoint| self.outputs[outpoint].0).sum()
    }

    pub(crate) fn send(&mut self, departure: Departure, outpoints: Vec<Outpoint>, change: &[(Outpoint, u64)]) {
        if let Departure::Loan(reservation) = departure {
            self.holds.remove(&reservation);
        }
        for outpoint in &outpoints {
            self.outputs.get_mut(outpoint).unwrap().1 = Place::Taken(departure);
        }
        for (outpoint, sats) in change {
            self.outputs.insert(*outpoint, (*sats, Place::Waiting));
        }
        self.sent.insert(departure, Sent { outpoints, change: change.iter().map(|(outpoint, _)| *outpoint).collect() });
    }

    /// A transaction that failed gives back what is still there.
    pub(crate) fn fail(&mut self, departure: Departure) {
        let sent = self.sent.remove(&departure).unwrap();
        for outpoint in sent.outpoints {
            if let Some((_, place)) = self.outputs.get_mut(&outpoint) {
                *place = Place::Waiting;
            }
        }
        for change in sent.change {
            self.outputs.remove(&change);
        }
    }

    pub(crate) fn settle(&mut self, departure: Departure) {
        for outpoint in self.sent.remove(&departure).unwrap().outpoints {
            self.outputs.remove(&outpoint);
        }
    }

    /// The transaction under way that spends this, whether or not the chain has it now.
    pub(crate) fn taker(&self, outpoint: &Outpoint) -> Option<Departure> {
        let taker = self.sent.iter().find(|(_, sent)| sent.outpoints.contains(outpoint));
        taker.map(|(departure, _)| *departure)
    }

    /// The departure with this number, if it is under way.
    pub(crate) fn under_way(&self, number: u128) -> Option<Departure> {
        let both = [Departure::Loan(ReservationId(number)), Departure::Withdrawal(Nonce(number))];
        both.into_iter().find(|departure| self.sent.contains_key(departure))
    }
}
