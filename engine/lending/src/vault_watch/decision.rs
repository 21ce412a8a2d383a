//! The conclusions from an observation of one vault. Pure.

use std::collections::BTreeMap;

use domain::{Departure, Nonce, Outpoint, OutputSight, Sats, Standing, Vault, VaultOutput};
use thiserror::Error;

use crate::depth::{BURIED, SEALED};

/// The observation of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputLook {
    /// It is confirmed and unspent.
    Mined {
        /// Its value.
        amount: Sats,
        /// The block's height.
        height: u32,
        /// Its contents.
        contents: Contents,
    },
    /// It is unconfirmed and unspent.
    Waiting,
    /// It does not exist, or is spent, be it in the mempool.
    Absent,
}

/// The contents of a confirmed output besides its sats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing.
    Plain,
    /// Something for which it must not be counted.
    HeldBack(HeldBack),
}

/// The reason why an output is not counted and never spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBack {
    /// It carries inscriptions or runes: only the lender can take it out, with the vault's kit.
    Assets,
    /// The indexer has not reported its contents yet.
    Unread,
    /// It is an immature coinbase output.
    Immature,
}

/// The observation of a transaction that takes outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DepartureLook {
    /// It is confirmed.
    Mined {
        /// The height of its block.
        height: u32,
    },
    /// It is in the mempool.
    Waiting,
    /// The node does not know it.
    Absent,
    /// The node does not know it, and these of its inputs were spent by another confirmed transaction.
    Overtaken(Vec<Outpoint>),
    /// The node knows neither it nor the parents of these inputs, neither confirmed nor in the mempool. A holder of a
    /// parent can broadcast it again.
    Forgotten {
        /// The inputs.
        outpoints: Vec<Outpoint>,
        /// The number of blocks for which that has been so.
        blocks: u32,
    },
    /// The signer never signed it, and never will: the lender's message has expired.
    Abandoned,
}

impl DepartureLook {
    /// Returns the missing inputs for which it can never confirm, if any. Inputs whose parent was dropped are waited
    /// for during [`REORG_DEPTH_MAX`] blocks, about a day. If a withdrawal confirms after that all the same, its
    /// bitcoin is at the lender's payment address.
    fn lost(&self) -> Option<&[Outpoint]> {
        match self {
            Self::Overtaken(taken) => Some(taken),
            Self::Forgotten { outpoints, blocks } if *blocks >= SEALED => Some(outpoints),
            _ => None,
        }
    }
}

/// One observation of a vault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The height of the best block.
    pub tip: u32,
    /// The outputs looked up.
    pub outputs: BTreeMap<Outpoint, OutputLook>,
    /// All departures of the ledger.
    pub departures: BTreeMap<Departure, DepartureLook>,
}

/// A contradiction in an observation, which is then discarded as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// The amount of an output has changed.
    #[error("an output of {known} is reported with {reported}")]
    OtherAmount {
        /// The known amount.
        known: Sats,
        /// The reported amount.
        reported: Sats,
    },
    /// A block is above the best one.
    #[error("block {height} is above the tip at height {tip}")]
    AboveTip {
        /// The block's height.
        height: u32,
        /// The height of the best block.
        tip: u32,
    },
    /// An output is both spent in a block and unspent.
    #[error("an output is unspent, and a transaction that spends it is in block {height}")]
    SpentAndUnspent {
        /// The height of the spending transaction's block.
        height: u32,
    },
    /// The tip is below a known block, as with a node that is catching up after a restart.
    #[error("the node's tip has height {tip}, and block {known} was seen")]
    Behind {
        /// The height of the node's best block.
        tip: u32,
        /// The height of the known block.
        known: u32,
    },
}

/// The steps that follow from an observation, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Observations for the ledger.
    pub sights: Vec<OutputSight>,
    /// Departures that can never confirm.
    pub fail: Vec<Departure>,
    /// Withdrawals that will never be signed.
    pub abandon: Vec<Nonce>,
    /// Observations for the ledger once those have failed: outputs that they took and that are unspent.
    pub returned: Vec<OutputSight>,
    /// Departures that are buried.
    pub settle: Vec<Departure>,
    /// Outputs that are not counted.
    pub held_back: Vec<(Outpoint, Sats, HeldBack)>,
}

impl Steps {
    /// Whether nothing follows for the ledger.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        let Self { sights, fail, abandon, returned, settle, held_back: _ } = self;
        sights.is_empty() && fail.is_empty() && abandon.is_empty() && returned.is_empty() && settle.is_empty()
    }

    /// Whether the outputs of this departure are released.
    fn releases(&self, departure: Departure) -> bool {
        let is_abandoned = matches!(departure, Departure::Withdrawal(id) if self.abandon.contains(&id));
        is_abandoned || self.fail.contains(&departure)
    }
}

/// Decides the steps of an observation.
///
/// # Errors
/// [`Contradiction`].
pub fn decide(vault: &Vault, observation: &Look) -> Result<Steps, Contradiction> {
    let mut steps = Steps::default();
    for (departure, seen) in &observation.departures {
        match seen {
            DepartureLook::Mined { height } if above(observation.tip, *height)? >= BURIED => {
                steps.settle.push(*departure);
            }
            // Loans are failed by their own watcher, together with their part of the order book.
            seen if !is_loan(*departure) && seen.lost().is_some() => steps.fail.push(*departure),
            DepartureLook::Abandoned => {
                if let Departure::Withdrawal(id) = departure {
                    steps.abandon.push(*id);
                }
            }
            _ => {}
        }
    }
    for (outpoint, seen) in &observation.outputs {
        let known = vault.output(outpoint);
        if let Some(VaultOutput { standing: Standing::Confirmed { height: known }, .. }) = known
            && known > observation.tip
        {
            return Err(Contradiction::Behind { tip: observation.tip, known });
        }
        match *seen {
            OutputLook::Mined { amount, height, contents } => {
                check_mined(vault, observation, outpoint, amount, height)?;
                mined(known, *outpoint, (amount, height, contents), &mut steps);
            }
            OutputLook::Waiting => steps.sights.extend(waiting(known, *outpoint)),
            OutputLook::Absent => steps.sights.extend(absent(vault, observation, *outpoint)),
        }
    }
    Ok(steps)
}

const fn is_loan(departure: Departure) -> bool {
    matches!(departure, Departure::Loan(_))
}

/// Returns the number of confirmations of a block at this height.
fn above(tip: u32, height: u32) -> Result<u32, Contradiction> {
    tip.checked_sub(height).map(|above| above.saturating_add(1)).ok_or(Contradiction::AboveTip { height, tip })
}

fn check_mined(vault: &Vault, observation: &Look, outpoint: &Outpoint, reported: Sats, height: u32) -> Result<(), Contradiction> {
    above(observation.tip, height)?;
    if let Some(known) = vault.output(outpoint).map(|output| output.amount).filter(|known| *known != reported) {
        return Err(Contradiction::OtherAmount { known, reported });
    }
    let taken = vault.departures().filter(|(_, leaving)| leaving.outpoints.contains(outpoint));
    for (departure, _) in taken {
        if let Some(DepartureLook::Mined { height }) = observation.departures.get(&departure) {
            return Err(Contradiction::SpentAndUnspent { height: *height });
        }
    }
    Ok(())
}

fn mined(known: Option<VaultOutput>, outpoint: Outpoint, seen: (Sats, u32, Contents), steps: &mut Steps) {
    let (amount, height, contents) = seen;
    match contents {
        Contents::Plain => {
            let observation = OutputSight::Confirmed { outpoint, amount, height };
            if known.and_then(|output| output.leaving).is_some_and(|spender| steps.releases(spender)) {
                steps.returned.push(observation);
            }
            if known.is_none_or(|output| output.standing != Standing::Confirmed { height }) {
                steps.sights.push(observation);
            }
        }
        Contents::HeldBack(why) => {
            steps.held_back.push((outpoint, amount, why));
            // An output that was plain in one block must be read again in another; one with assets is not counted.
            steps.sights.extend(match why {
                HeldBack::Assets => known.map(|_| OutputSight::Gone { outpoint }),
                HeldBack::Unread | HeldBack::Immature => waiting(known, outpoint),
            });
        }
    }
}

/// Reports a known output as unconfirmed, unless the ledger has it so already.
fn waiting(known: Option<VaultOutput>, outpoint: Outpoint) -> Option<OutputSight> {
    known.filter(|output| output.standing != Standing::Waiting).map(|_| OutputSight::Waiting { outpoint })
}

fn absent(vault: &Vault, observation: &Look, outpoint: Outpoint) -> Option<OutputSight> {
    let known = vault.output(&outpoint)?;
    if let Some(spender) = known.leaving {
        let lost = observation.departures.get(&spender).filter(|_| !is_loan(spender)).and_then(DepartureLook::lost);
        return lost.is_some_and(|lost| lost.contains(&outpoint)).then_some(OutputSight::Taken { outpoint });
    }
    let mut parents = vault.departures().filter(|(_, leaving)| leaving.change.contains(&outpoint));
    match parents.next() {
        // It is still to be confirmed, or to be confirmed again.
        Some((parent, _)) if !matches!(observation.departures.get(&parent), Some(DepartureLook::Mined { .. })) => {
            waiting(Some(known), outpoint)
        }
        _ => Some(OutputSight::Gone { outpoint }),
    }
}

#[cfg(test)]
mod tests {
    use domain::{ReservationId, VaultChange, VaultEvent};

    use super::*;

    const TIP: u32 = 110;

    fn outpoint(number: u8) -> Outpoint {
        Outpoint { txid: [number; 32], vout: 0 }
    }

    fn mined(amount: u64, height: u32, contents: Contents) -> OutputLook {
        OutputLook::Mined { amount: Sats::new(amount), height, contents }
    }

    /// Two outputs of block 100; a withdrawal and a loan take one each and return some as change.
    fn vault() -> Vault {
        let mut vault = Vault::default();
        for number in [1, 2] {
            let (outpoint, amount) = (outpoint(number), Sats::new(1_000));
            vault.apply(&VaultEvent::OutputConfirmed { outpoint, amount, height: 100 });
        }
        let back = |number| VaultChange::from(Some((outpoint(number), Sats::new(400))));
        let (id, outpoints) = (Nonce(1), vec![outpoint(1)]);
        let amount = Sats::new(600);
        vault.apply(&VaultEvent::Withdrawing { id, txid: [11; 32], outpoints, amount, change: back(11) });
        let (reservation, outpoints) = (ReservationId(2), vec![outpoint(2)]);
        vault.apply(&VaultEvent::Held { reservation, amount });
        vault.apply(&VaultEvent::Spent { reservation, txid: [12; 32], outpoints, change: back(12) });
        vault
    }

    const WITHDRAWAL: Departure = Departure::Withdrawal(Nonce(1));
    const LOAN: Departure = Departure::Loan(ReservationId(2));

    fn decided(
        outputs: &[(u8, OutputLook)],
        departures: &[(Departure, DepartureLook)],
    ) -> Result<Steps, Contradiction> {
        let observation = Look {
            tip: TIP,
            outputs: outputs.iter().map(|(number, observation)| (outpoint(*number), *observation)).collect(),
            departures: departures.iter().cloned().collect(),
        };
        decide(&vault(), &observation)
    }

    #[test]
    fn a_contradiction_discards_the_whole_observation() {
        let gone = (9, OutputLook::Absent);
        let plain = |number, amount, height| (number, mined(amount, height, Contents::Plain));
        let [known, reported] = [1_000, 999].map(Sats::new);
        for (observation, contradiction) in [
            (plain(3, 500, TIP + 1), Contradiction::AboveTip { height: TIP + 1, tip: TIP }),
            (plain(1, 999, 100), Contradiction::OtherAmount { known, reported }),
        ] {
            assert_eq!(decided(&[gone, observation], &[]), Err(contradiction));
        }
        let taken = [(WITHDRAWAL, DepartureLook::Mined { height: 105 })];
        let both = Contradiction::SpentAndUnspent { height: 105 };
        assert_eq!(decided(&[plain(1, 1_000, 100)], &taken), Err(both));
        let above = [(LOAN, DepartureLook::Mined { height: TIP + 2 })];
        assert_eq!(decided(&[], &above), Err(Contradiction::AboveTip { height: TIP + 2, tip: TIP }));
        let early = Look { tip: 99, outputs: [(outpoint(1), OutputLook::Absent)].into(), ..Look::default() };
        assert_eq!(decide(&vault(), &early), Err(Contradiction::Behind { tip: 99, known: 100 }));
    }

    #[test]
    fn a_departure_settles_six_deep_and_a_loan_is_never_failed_here() {
        for (height, is_buried) in [(105, true), (106, false)] {
            let steps = decided(&[], &[(LOAN, DepartureLook::Mined { height })]).unwrap();
            assert_eq!(steps.settle, if is_buried { vec![LOAN] } else { vec![] });
        }
        let conflicted = |number| DepartureLook::Overtaken(vec![outpoint(number)]);
        let absent = [(1, OutputLook::Absent), (2, OutputLook::Absent)];
        let steps = decided(&absent, &[(WITHDRAWAL, conflicted(1)), (LOAN, conflicted(2))]).unwrap();
        assert_eq!(steps.fail, [WITHDRAWAL]);
        assert_eq!(steps.sights, [OutputSight::Taken { outpoint: outpoint(1) }]);
    }

    #[test]
    fn a_withdrawal_of_outputs_whose_parent_was_dropped_fails_after_a_day() {
        for (blocks, is_over) in [(0, false), (SEALED - 1, false), (SEALED, true)] {
            let dropped = |number| DepartureLook::Forgotten { outpoints: vec![outpoint(number)], blocks };
            let absent = [(1, OutputLook::Absent), (2, OutputLook::Absent)];
            let steps = decided(&absent, &[(WITHDRAWAL, dropped(1)), (LOAN, dropped(2))]).unwrap();
            let taken = OutputSight::Taken { outpoint: outpoint(1) };
            let (fail, sights) = if is_over { (vec![WITHDRAWAL], vec![taken]) } else { (vec![], vec![]) };
            assert_eq!((steps.fail, steps.sights), (fail, sights), "{blocks}");
        }
    }

    #[test]
    fn change_is_kept_while_its_transaction_may_confirm() {
        for (observation, sights) in [
            (DepartureLook::Absent, vec![]),
            (DepartureLook::Waiting, vec![]),
            (DepartureLook::Mined { height: 108 }, vec![OutputSight::Gone { outpoint: outpoint(11) }]),
        ] {
            let steps = decided(&[(11, OutputLook::Absent)], &[(WITHDRAWAL, observation.clone())]).unwrap();
            assert_eq!(steps.sights, sights, "{observation:?}");
        }
    }

    #[test]
    fn outputs_that_must_not_be_counted_are_held_back_with_a_reason() {
        for why in [HeldBack::Assets, HeldBack::Unread, HeldBack::Immature] {
            let steps = decided(&[(3, mined(500, 108, Contents::HeldBack(why)))], &[]).unwrap();
            assert_eq!((steps.is_nothing(), &steps.held_back[..]), (true, &[(outpoint(3), Sats::new(500), why)][..]));
        }
        // It was counted in another block.
        let moved = |why| decided(&[(1, mined(1_000, 101, Contents::HeldBack(why)))], &[]).unwrap().sights;
        assert_eq!(moved(HeldBack::Unread), [OutputSight::Waiting { outpoint: outpoint(1) }]);
        assert_eq!(moved(HeldBack::Assets), [OutputSight::Gone { outpoint: outpoint(1) }]);
    }

    #[test]
    fn outputs_of_an_abandoned_withdrawal_are_released_at_once() {
        let still = [(1, mined(1_000, 100, Contents::Plain))];
        let steps = decided(&still, &[(WITHDRAWAL, DepartureLook::Abandoned)]).unwrap();
        assert_eq!(steps.abandon, [Nonce(1)]);
        let amount = Sats::new(1_000);
        assert_eq!(steps.returned, [OutputSight::Confirmed { outpoint: outpoint(1), amount, height: 100 }]);
        assert!(steps.sights.is_empty());
    }
}
