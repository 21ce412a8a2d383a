//! The conclusions from an observation of one vault. Pure.

use std::collections::BTreeMap;

use domain::{Nonce, ObservedOutput, Outpoint, OutputStatus, Sats, SpendId, Vault, VaultOutput};
use thiserror::Error;

use crate::lookups::confirmations::{REORG_DEPTH_MAX, SETTLEMENT_CONFIRMATIONS};

/// The observation of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputObservation {
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
    Unconfirmed,
    /// It does not exist, or is spent, be it in the mempool.
    Absent,
}

/// The contents of a confirmed output besides its sats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing.
    Plain,
    /// Something for which it must not be counted.
    Excluded(Exclusion),
}

/// The reason why an output is not counted and never spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// It carries inscriptions or runes: only the lender can take it out, with the vault's kit.
    Assets,
    /// The indexer has not reported its contents yet.
    Unindexed,
    /// It is an immature coinbase output.
    Immature,
}

/// The observation of a transaction that takes outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpendStatus {
    /// It is confirmed.
    Mined {
        /// The height of its block.
        height: u32,
    },
    /// It is in the mempool.
    InMempool,
    /// The node does not know it.
    Absent,
    /// The node does not know it, and these of its inputs were spent by another confirmed transaction.
    Conflicted(Vec<Outpoint>),
    /// The node knows neither it nor the parents of these inputs, neither confirmed nor in the mempool. A holder of a
    /// parent can broadcast it again.
    ParentDropped {
        /// The inputs.
        outpoints: Vec<Outpoint>,
        /// The number of blocks for which that has been so.
        blocks: u32,
    },
    /// The signer never signed it, and never will: the lender's message has expired.
    Abandoned,
}

impl SpendStatus {
    /// Returns the missing inputs for which it is given up, if any: inputs that a block spends otherwise, and those whose
    /// parent has been unknown for [`REORG_DEPTH_MAX`] blocks, about a day. If a withdrawal confirms after that all the
    /// same, its bitcoin is at the lender's payment address.
    fn lost(&self) -> Option<&[Outpoint]> {
        match self {
            Self::Conflicted(taken) => Some(taken),
            Self::ParentDropped { outpoints, blocks } if *blocks >= REORG_DEPTH_MAX => Some(outpoints),
            _ => None,
        }
    }
}

/// One observation of a vault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VaultObservation {
    /// The height of the best block.
    pub tip: u32,
    /// The outputs looked up.
    pub outputs: BTreeMap<Outpoint, OutputObservation>,
    /// All spends of the ledger.
    pub spends: BTreeMap<SpendId, SpendStatus>,
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
    pub observations: Vec<ObservedOutput>,
    /// Spends that are given up.
    pub fail: Vec<SpendId>,
    /// Withdrawals and moves that will never be signed.
    pub abandon: Vec<Nonce>,
    /// Observations for the ledger once those have failed: outputs that they took and that are unspent.
    pub returned: Vec<ObservedOutput>,
    /// Spends with [`SETTLEMENT_CONFIRMATIONS`].
    pub settle: Vec<SpendId>,
    /// Outputs that are not counted.
    pub excluded: Vec<(Outpoint, Sats, Exclusion)>,
}

impl Steps {
    /// Whether nothing follows for the ledger.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let Self { observations, fail, abandon, returned, settle, excluded: _ } = self;
        observations.is_empty() && fail.is_empty() && abandon.is_empty() && returned.is_empty() && settle.is_empty()
    }

    /// Whether the outputs of this spend are released.
    fn releases(&self, spend: SpendId) -> bool {
        let is_abandoned = matches!(spend, SpendId::Withdrawal(id) | SpendId::Move(id) if self.abandon.contains(&id));
        is_abandoned || self.fail.contains(&spend)
    }
}

/// Decides the steps of an observation.
///
/// # Errors
/// [`Contradiction`].
pub fn decide(vault: &Vault, observation: &VaultObservation) -> Result<Steps, Contradiction> {
    let mut steps = Steps::default();
    for (spend, seen) in &observation.spends {
        match seen {
            SpendStatus::Mined { height } if above(observation.tip, *height)? >= SETTLEMENT_CONFIRMATIONS => {
                steps.settle.push(*spend);
            }
            // Loans are failed by their own watcher, together with their part of the order book.
            seen if !is_loan(*spend) && seen.lost().is_some() => steps.fail.push(*spend),
            SpendStatus::Abandoned => {
                if let SpendId::Withdrawal(id) | SpendId::Move(id) = spend {
                    steps.abandon.push(*id);
                }
            }
            _ => {}
        }
    }
    for (outpoint, seen) in &observation.outputs {
        let known = vault.output(outpoint);
        if let Some(VaultOutput { status: OutputStatus::Confirmed { height: known }, .. }) = known
            && known > observation.tip
        {
            return Err(Contradiction::Behind { tip: observation.tip, known });
        }
        match *seen {
            OutputObservation::Mined { amount, height, contents } => {
                check_mined(vault, observation, outpoint, amount, height)?;
                mined(known, *outpoint, (amount, height, contents), &mut steps);
            }
            OutputObservation::Unconfirmed => steps.observations.extend(waiting(known, *outpoint)),
            OutputObservation::Absent => steps.observations.extend(absent(vault, observation, *outpoint)),
        }
    }
    Ok(steps)
}

const fn is_loan(spend: SpendId) -> bool {
    matches!(spend, SpendId::Loan(_))
}

/// Returns the number of confirmations of a block at this height.
fn above(tip: u32, height: u32) -> Result<u32, Contradiction> {
    tip.checked_sub(height).map(|above| above.saturating_add(1)).ok_or(Contradiction::AboveTip { height, tip })
}

fn check_mined(
    vault: &Vault,
    observation: &VaultObservation,
    outpoint: &Outpoint,
    reported: Sats,
    height: u32,
) -> Result<(), Contradiction> {
    above(observation.tip, height)?;
    if let Some(known) = vault.output(outpoint).map(|output| output.amount).filter(|known| *known != reported) {
        return Err(Contradiction::OtherAmount { known, reported });
    }
    let taken = vault.pending_spends().filter(|(_, leaving)| leaving.outpoints.contains(outpoint));
    for (spend, _) in taken {
        if let Some(SpendStatus::Mined { height }) = observation.spends.get(&spend) {
            return Err(Contradiction::SpentAndUnspent { height: *height });
        }
    }
    Ok(())
}

fn mined(known: Option<VaultOutput>, outpoint: Outpoint, seen: (Sats, u32, Contents), steps: &mut Steps) {
    let (amount, height, contents) = seen;
    match contents {
        Contents::Plain => {
            let observation = ObservedOutput::Confirmed { outpoint, amount, height };
            if known.and_then(|output| output.spent_by).is_some_and(|spender| steps.releases(spender)) {
                steps.returned.push(observation);
            }
            if known.is_none_or(|output| output.status != OutputStatus::Confirmed { height }) {
                steps.observations.push(observation);
            }
        }
        Contents::Excluded(why) => {
            steps.excluded.push((outpoint, amount, why));
            // An output that was plain in one block must be read again in another; one with assets is not counted.
            steps.observations.extend(match why {
                Exclusion::Assets => known.map(|_| ObservedOutput::Missing { outpoint }),
                Exclusion::Unindexed | Exclusion::Immature => waiting(known, outpoint),
            });
        }
    }
}

/// Reports a known output as unconfirmed, unless the ledger has it so already.
fn waiting(known: Option<VaultOutput>, outpoint: Outpoint) -> Option<ObservedOutput> {
    known.filter(|output| output.status != OutputStatus::Unconfirmed).map(|_| ObservedOutput::Unconfirmed { outpoint })
}

fn absent(vault: &Vault, observation: &VaultObservation, outpoint: Outpoint) -> Option<ObservedOutput> {
    let known = vault.output(&outpoint)?;
    if let Some(spender) = known.spent_by {
        let lost = observation.spends.get(&spender).filter(|_| !is_loan(spender)).and_then(SpendStatus::lost);
        return lost.is_some_and(|lost| lost.contains(&outpoint)).then_some(ObservedOutput::DoubleSpent { outpoint });
    }
    let mut parents = vault.pending_spends().filter(|(_, leaving)| leaving.change.contains(&outpoint));
    match parents.next() {
        // It is still to be confirmed, or to be confirmed again.
        Some((parent, _)) if !matches!(observation.spends.get(&parent), Some(SpendStatus::Mined { .. })) => {
            waiting(Some(known), outpoint)
        }
        _ => Some(ObservedOutput::Missing { outpoint }),
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

    fn mined(amount: u64, height: u32, contents: Contents) -> OutputObservation {
        OutputObservation::Mined { amount: Sats::new(amount), height, contents }
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

    const WITHDRAWAL: SpendId = SpendId::Withdrawal(Nonce(1));
    const LOAN: SpendId = SpendId::Loan(ReservationId(2));

    fn decided(outputs: &[(u8, OutputObservation)], spends: &[(SpendId, SpendStatus)]) -> Result<Steps, Contradiction> {
        let observation = VaultObservation {
            tip: TIP,
            outputs: outputs.iter().map(|(number, observation)| (outpoint(*number), *observation)).collect(),
            spends: spends.iter().cloned().collect(),
        };
        decide(&vault(), &observation)
    }

    #[test]
    fn a_contradiction_discards_the_whole_observation() {
        let gone = (9, OutputObservation::Absent);
        let plain = |number, amount, height| (number, mined(amount, height, Contents::Plain));
        let [known, reported] = [1_000, 999].map(Sats::new);
        for (observation, contradiction) in [
            (plain(3, 500, TIP + 1), Contradiction::AboveTip { height: TIP + 1, tip: TIP }),
            (plain(1, 999, 100), Contradiction::OtherAmount { known, reported }),
        ] {
            assert_eq!(decided(&[gone, observation], &[]), Err(contradiction));
        }
        let taken = [(WITHDRAWAL, SpendStatus::Mined { height: 105 })];
        let both = Contradiction::SpentAndUnspent { height: 105 };
        assert_eq!(decided(&[plain(1, 1_000, 100)], &taken), Err(both));
        let above = [(LOAN, SpendStatus::Mined { height: TIP + 2 })];
        assert_eq!(decided(&[], &above), Err(Contradiction::AboveTip { height: TIP + 2, tip: TIP }));
        let early = VaultObservation {
            tip: 99,
            outputs: [(outpoint(1), OutputObservation::Absent)].into(),
            ..VaultObservation::default()
        };
        assert_eq!(decide(&vault(), &early), Err(Contradiction::Behind { tip: 99, known: 100 }));
    }

    #[test]
    fn a_spend_settles_with_seven_confirmations_and_a_loan_is_never_failed_here() {
        for (confirmations, is_settled) in [(7, true), (6, false)] {
            let height = TIP + 1 - confirmations;
            let steps = decided(&[], &[(LOAN, SpendStatus::Mined { height })]).unwrap();
            assert_eq!(steps.settle, if is_settled { vec![LOAN] } else { vec![] });
        }
        let conflicted = |number| SpendStatus::Conflicted(vec![outpoint(number)]);
        let absent = [(1, OutputObservation::Absent), (2, OutputObservation::Absent)];
        let steps = decided(&absent, &[(WITHDRAWAL, conflicted(1)), (LOAN, conflicted(2))]).unwrap();
        assert_eq!(steps.fail, [WITHDRAWAL]);
        assert_eq!(steps.observations, [ObservedOutput::DoubleSpent { outpoint: outpoint(1) }]);
    }

    #[test]
    fn a_withdrawal_of_outputs_whose_parent_was_dropped_fails_after_a_day() {
        for (blocks, is_over) in [(0, false), (REORG_DEPTH_MAX - 1, false), (REORG_DEPTH_MAX, true)] {
            let dropped = |number| SpendStatus::ParentDropped { outpoints: vec![outpoint(number)], blocks };
            let absent = [(1, OutputObservation::Absent), (2, OutputObservation::Absent)];
            let steps = decided(&absent, &[(WITHDRAWAL, dropped(1)), (LOAN, dropped(2))]).unwrap();
            let taken = ObservedOutput::DoubleSpent { outpoint: outpoint(1) };
            let (fail, sights) = if is_over { (vec![WITHDRAWAL], vec![taken]) } else { (vec![], vec![]) };
            assert_eq!((steps.fail, steps.observations), (fail, sights), "{blocks}");
        }
    }

    #[test]
    fn change_is_kept_while_its_transaction_may_confirm() {
        for (observation, sights) in [
            (SpendStatus::Absent, vec![]),
            (SpendStatus::InMempool, vec![]),
            (SpendStatus::Mined { height: 108 }, vec![ObservedOutput::Missing { outpoint: outpoint(11) }]),
        ] {
            let steps = decided(&[(11, OutputObservation::Absent)], &[(WITHDRAWAL, observation.clone())]).unwrap();
            assert_eq!(steps.observations, sights, "{observation:?}");
        }
    }

    #[test]
    fn outputs_that_must_not_be_counted_are_held_back_with_a_reason() {
        for why in [Exclusion::Assets, Exclusion::Unindexed, Exclusion::Immature] {
            let steps = decided(&[(3, mined(500, 108, Contents::Excluded(why)))], &[]).unwrap();
            assert_eq!((steps.is_empty(), &steps.excluded[..]), (true, &[(outpoint(3), Sats::new(500), why)][..]));
        }
        // It was counted in another block.
        let moved = |why| decided(&[(1, mined(1_000, 101, Contents::Excluded(why)))], &[]).unwrap().observations;
        assert_eq!(moved(Exclusion::Unindexed), [ObservedOutput::Unconfirmed { outpoint: outpoint(1) }]);
        assert_eq!(moved(Exclusion::Assets), [ObservedOutput::Missing { outpoint: outpoint(1) }]);
    }

    #[test]
    fn outputs_of_an_abandoned_withdrawal_are_released_at_once() {
        let still = [(1, mined(1_000, 100, Contents::Plain))];
        let steps = decided(&still, &[(WITHDRAWAL, SpendStatus::Abandoned)]).unwrap();
        assert_eq!(steps.abandon, [Nonce(1)]);
        let amount = Sats::new(1_000);
        assert_eq!(steps.returned, [ObservedOutput::Confirmed { outpoint: outpoint(1), amount, height: 100 }]);
        assert!(steps.observations.is_empty());
    }
}
