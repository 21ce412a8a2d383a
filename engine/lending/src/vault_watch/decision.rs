//! What a look at the chain means for one vault. Pure.

use std::collections::BTreeMap;

use domain::{Departure, Nonce, Outpoint, OutputSight, Sats, Standing, Vault, VaultOutput};
use thiserror::Error;

use crate::depth::{BURIED, SEALED};

/// What was seen of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputLook {
    /// It stands in a block, and nobody spends it.
    Mined {
        /// What it holds.
        amount: Sats,
        /// The block's height.
        height: u32,
        /// What it carries.
        contents: Contents,
    },
    /// It waits for a block, and nobody spends it.
    Waiting,
    /// It is not there: spent, if only by a transaction that waits, or never there.
    Absent,
}

/// What an output of a block carries besides its sats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing.
    Plain,
    /// It may not be counted.
    HeldBack(HeldBack),
}

/// Why an output is not counted and never spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBack {
    /// It carries inscriptions or runes: the lender gets it out with the vault's kit, and nobody else may.
    Assets,
    /// The indexer could not say yet what it carries.
    Unread,
    /// It pays a miner, and has not waited for long enough.
    Immature,
}

/// What was seen of a transaction that takes outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DepartureLook {
    /// It stands in a block.
    Mined {
        /// Of which height.
        height: u32,
    },
    /// It waits for a block.
    Waiting,
    /// The node has not got it.
    Absent,
    /// The node has not got it, and a block gave these of its outputs to another transaction.
    Overtaken(Vec<Outpoint>),
    /// The node has not got it, nor what made these of its outputs: no block and nothing that waits. Whoever has what made
    /// them can send it again.
    Forgotten {
        /// Which.
        outpoints: Vec<Outpoint>,
        /// For how many blocks that has been so.
        blocks: u32,
    },
    /// The signer never signed it, and never will: the lender's message expired.
    Abandoned,
}

impl DepartureLook {
    /// The outputs for want of which it can never be mined, if there are any. What was forgotten may come back for a day.
    /// Should it come back after that, and a withdrawal with it, the money is its lender's at home.
    fn lost(&self) -> Option<&[Outpoint]> {
        match self {
            Self::Overtaken(taken) => Some(taken),
            Self::Forgotten { outpoints, blocks } if *blocks >= SEALED => Some(outpoints),
            _ => None,
        }
    }
}

/// One look at a vault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The height of the best block.
    pub tip: u32,
    /// What was asked about.
    pub outputs: BTreeMap<Outpoint, OutputLook>,
    /// Every departure of the ledger.
    pub departures: BTreeMap<Departure, DepartureLook>,
}

/// Something that cannot be so: then nothing is believed of the whole look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// An output's amount never changes.
    #[error("an output of {known} is said to hold {said}")]
    OtherAmount {
        /// What it held.
        known: Sats,
        /// What it is said to hold.
        said: Sats,
    },
    /// A block above the best one.
    #[error("block {height} is spoken of, and the best has height {tip}")]
    AboveTip {
        /// The block's height.
        height: u32,
        /// The best.
        tip: u32,
    },
    /// Spent in a block, and unspent.
    #[error("an output is unspent, and a transaction that spends it is in block {height}")]
    SpentAndUnspent {
        /// The transaction's block.
        height: u32,
    },
    /// The chain does not get shorter, but a node that starts again catches up slowly.
    #[error("the node's best block has height {tip}, and block {known} was seen")]
    Behind {
        /// The node's best.
        tip: u32,
        /// What was known.
        known: u32,
    },
}

/// What follows from a look, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// For the ledger.
    pub sights: Vec<OutputSight>,
    /// These will never be mined.
    pub fail: Vec<Departure>,
    /// These will never be signed.
    pub abandon: Vec<Nonce>,
    /// For the ledger once those have failed: what they took and still stands.
    pub returned: Vec<OutputSight>,
    /// These are buried.
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

    /// Whether what this takes comes back.
    fn gives_back(&self, departure: Departure) -> bool {
        let is_abandoned = matches!(departure, Departure::Withdrawal(id) if self.abandon.contains(&id));
        is_abandoned || self.fail.contains(&departure)
    }
}

/// What a look means.
///
/// # Errors
/// [`Contradiction`].
pub fn decide(vault: &Vault, look: &Look) -> Result<Steps, Contradiction> {
    let mut steps = Steps::default();
    for (departure, seen) in &look.departures {
        match seen {
            DepartureLook::Mined { height } if above(look.tip, *height)? >= BURIED => {
                steps.settle.push(*departure);
            }
            // Loans have a watcher of their own, which fails them together with their place in the book.
            seen if !is_loan(*departure) && seen.lost().is_some() => steps.fail.push(*departure),
            DepartureLook::Abandoned => {
                if let Departure::Withdrawal(id) = departure {
                    steps.abandon.push(*id);
                }
            }
            _ => {}
        }
    }
    for (outpoint, seen) in &look.outputs {
        let known = vault.output(outpoint);
        if let Some(VaultOutput { standing: Standing::Confirmed { height: known }, .. }) = known
            && known > look.tip
        {
            return Err(Contradiction::Behind { tip: look.tip, known });
        }
        match *seen {
            OutputLook::Mined { amount, height, contents } => {
                check_mined(vault, look, outpoint, amount, height)?;
                mined(known, *outpoint, (amount, height, contents), &mut steps);
            }
            OutputLook::Waiting => steps.sights.extend(waiting(known, *outpoint)),
            OutputLook::Absent => steps.sights.extend(absent(vault, look, *outpoint)),
        }
    }
    Ok(steps)
}

const fn is_loan(departure: Departure) -> bool {
    matches!(departure, Departure::Loan(_))
}

/// How many blocks stand on one, its own included.
fn above(tip: u32, height: u32) -> Result<u32, Contradiction> {
    tip.checked_sub(height).map(|above| above.saturating_add(1)).ok_or(Contradiction::AboveTip { height, tip })
}

fn check_mined(vault: &Vault, look: &Look, outpoint: &Outpoint, said: Sats, height: u32) -> Result<(), Contradiction> {
    above(look.tip, height)?;
    if let Some(known) = vault.output(outpoint).map(|output| output.amount).filter(|known| *known != said) {
        return Err(Contradiction::OtherAmount { known, said });
    }
    let taken = vault.departures().filter(|(_, leaving)| leaving.outpoints.contains(outpoint));
    for (departure, _) in taken {
        if let Some(DepartureLook::Mined { height }) = look.departures.get(&departure) {
            return Err(Contradiction::SpentAndUnspent { height: *height });
        }
    }
    Ok(())
}

fn mined(known: Option<VaultOutput>, outpoint: Outpoint, seen: (Sats, u32, Contents), steps: &mut Steps) {
    let (amount, height, contents) = seen;
    match contents {
        Contents::Plain => {
            let sight = OutputSight::Confirmed { outpoint, amount, height };
            if known.and_then(|output| output.leaving).is_some_and(|taker| steps.gives_back(taker)) {
                steps.returned.push(sight);
            }
            if known.is_none_or(|output| output.standing != Standing::Confirmed { height }) {
                steps.sights.push(sight);
            }
        }
        Contents::HeldBack(why) => {
            steps.held_back.push((outpoint, amount, why));
            // What was plain in one block is to be read again in another; what carries something is nothing to count.
            steps.sights.extend(match why {
                HeldBack::Assets => known.map(|_| OutputSight::Gone { outpoint }),
                HeldBack::Unread | HeldBack::Immature => waiting(known, outpoint),
            });
        }
    }
}

/// It is in no block that counts; nothing new of an output of which that is known.
fn waiting(known: Option<VaultOutput>, outpoint: Outpoint) -> Option<OutputSight> {
    known.filter(|output| output.standing != Standing::Waiting).map(|_| OutputSight::Waiting { outpoint })
}

fn absent(vault: &Vault, look: &Look, outpoint: Outpoint) -> Option<OutputSight> {
    let known = vault.output(&outpoint)?;
    if let Some(taker) = known.leaving {
        let lost = look.departures.get(&taker).filter(|_| !is_loan(taker)).and_then(DepartureLook::lost);
        return lost.is_some_and(|lost| lost.contains(&outpoint)).then_some(OutputSight::Taken { outpoint });
    }
    let mut makers = vault.departures().filter(|(_, leaving)| leaving.change.contains(&outpoint));
    match makers.next() {
        // It is still to come, or to come again.
        Some((maker, _)) if !matches!(look.departures.get(&maker), Some(DepartureLook::Mined { .. })) => {
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

    /// Two outputs of block 100, of which a withdrawal and a loan take one each and give some back.
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
        let look = Look {
            tip: TIP,
            outputs: outputs.iter().map(|(number, look)| (outpoint(*number), *look)).collect(),
            departures: departures.iter().cloned().collect(),
        };
        decide(&vault(), &look)
    }

    #[test]
    fn what_cannot_be_so_is_named_and_nothing_of_the_look_is_believed() {
        let gone = (9, OutputLook::Absent);
        let plain = |number, amount, height| (number, mined(amount, height, Contents::Plain));
        let [known, said] = [1_000, 999].map(Sats::new);
        for (look, contradiction) in [
            (plain(3, 500, TIP + 1), Contradiction::AboveTip { height: TIP + 1, tip: TIP }),
            (plain(1, 999, 100), Contradiction::OtherAmount { known, said }),
        ] {
            assert_eq!(decided(&[gone, look], &[]), Err(contradiction));
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
        let overtaken = |number| DepartureLook::Overtaken(vec![outpoint(number)]);
        let absent = [(1, OutputLook::Absent), (2, OutputLook::Absent)];
        let steps = decided(&absent, &[(WITHDRAWAL, overtaken(1)), (LOAN, overtaken(2))]).unwrap();
        assert_eq!(steps.fail, [WITHDRAWAL]);
        assert_eq!(steps.sights, [OutputSight::Taken { outpoint: outpoint(1) }]);
    }

    #[test]
    fn a_withdrawal_of_what_was_forgotten_fails_after_a_day() {
        for (blocks, is_over) in [(0, false), (SEALED - 1, false), (SEALED, true)] {
            let forgotten = |number| DepartureLook::Forgotten { outpoints: vec![outpoint(number)], blocks };
            let absent = [(1, OutputLook::Absent), (2, OutputLook::Absent)];
            let steps = decided(&absent, &[(WITHDRAWAL, forgotten(1)), (LOAN, forgotten(2))]).unwrap();
            let taken = OutputSight::Taken { outpoint: outpoint(1) };
            let (fail, sights) = if is_over { (vec![WITHDRAWAL], vec![taken]) } else { (vec![], vec![]) };
            assert_eq!((steps.fail, steps.sights), (fail, sights), "{blocks}");
        }
    }

    #[test]
    fn change_is_waited_for_as_long_as_its_transaction_may_come() {
        for (look, sights) in [
            (DepartureLook::Absent, vec![]),
            (DepartureLook::Waiting, vec![]),
            (DepartureLook::Mined { height: 108 }, vec![OutputSight::Gone { outpoint: outpoint(11) }]),
        ] {
            let steps = decided(&[(11, OutputLook::Absent)], &[(WITHDRAWAL, look.clone())]).unwrap();
            assert_eq!(steps.sights, sights, "{look:?}");
        }
    }

    #[test]
    fn what_nobody_may_count_is_held_back_with_its_reason() {
        for why in [HeldBack::Assets, HeldBack::Unread, HeldBack::Immature] {
            let steps = decided(&[(3, mined(500, 108, Contents::HeldBack(why)))], &[]).unwrap();
            assert_eq!((steps.is_nothing(), &steps.held_back[..]), (true, &[(outpoint(3), Sats::new(500), why)][..]));
        }
        // It counted in another block.
        let moved = |why| decided(&[(1, mined(1_000, 101, Contents::HeldBack(why)))], &[]).unwrap().sights;
        assert_eq!(moved(HeldBack::Unread), [OutputSight::Waiting { outpoint: outpoint(1) }]);
        assert_eq!(moved(HeldBack::Assets), [OutputSight::Gone { outpoint: outpoint(1) }]);
    }

    #[test]
    fn what_was_never_signed_comes_back_at_once() {
        let still = [(1, mined(1_000, 100, Contents::Plain))];
        let steps = decided(&still, &[(WITHDRAWAL, DepartureLook::Abandoned)]).unwrap();
        assert_eq!(steps.abandon, [Nonce(1)]);
        let amount = Sats::new(1_000);
        assert_eq!(steps.returned, [OutputSight::Confirmed { outpoint: outpoint(1), amount, height: 100 }]);
        assert!(steps.sights.is_empty());
    }
}
