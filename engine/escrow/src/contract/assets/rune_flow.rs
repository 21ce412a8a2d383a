//! The flow of runes through a transaction: by its runestone, and otherwise to the first output that can hold them.

use std::collections::BTreeMap;

use bitcoin::Transaction;
use ordinals::{Artifact, Edict, RuneId, Runestone};

/// The outputs that receive the runes of a transaction's inputs, in raw units; only amounts above 0 are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuneFlow {
    /// The runes in each output, in the order of the outputs.
    pub outputs: Vec<BTreeMap<RuneId, u128>>,
    /// The runes that are burned.
    pub burned: BTreeMap<RuneId, u128>,
}

impl RuneFlow {
    /// Computes the flow by the rules of runes, which distribute the total of the inputs:
    /// - edicts in their order, each limited to the remaining amount; an amount of 0 means all that remains;
    /// - an edict to the index after the last output pays every output except `OP_RETURN`: its amount to each while it
    ///   lasts or, for an amount of 0, equal parts, with one unit more for the first ones until it comes out even;
    /// - the remainder goes to the pointer's output, otherwise to the first output except `OP_RETURN`, otherwise it is
    ///   burned;
    /// - runes that go to `OP_RETURN` are burned, and a malformed runestone (cenotaph) burns everything.
    ///
    /// Runes that the transaction mints or etches are not inputs and are not counted. `None` if the amount of a rune
    /// overflows.
    #[must_use]
    pub fn of(inputs: impl IntoIterator<Item = (RuneId, u128)>, transaction: &Transaction) -> Option<Self> {
        let mut left = BTreeMap::new();
        for (id, amount) in inputs {
            add(&mut left, id, amount)?;
        }
        let mut flow = Self { outputs: vec![BTreeMap::new(); transaction.output.len()], burned: BTreeMap::new() };
        let holders = transaction.output.iter().enumerate().filter(|(_, output)| !output.script_pubkey.is_op_return());
        let holders: Vec<usize> = holders.map(|(index, _)| index).collect();
        let pointer = match Runestone::decipher(transaction) {
            Some(Artifact::Cenotaph(_)) => return Some(Self { burned: left, ..flow }),
            Some(Artifact::Runestone(runestone)) => {
                for edict in &runestone.edicts {
                    flow.pay(edict, &mut left, &holders)?;
                }
                runestone.pointer.and_then(|pointer| usize::try_from(pointer).ok())
            }
            None => None,
        };
        let rest = pointer.or_else(|| holders.first().copied());
        for (id, amount) in left {
            match rest {
                Some(output) => add(flow.outputs.get_mut(output)?, id, amount)?,
                None => add(&mut flow.burned, id, amount)?,
            }
        }
        for (held, _) in
            flow.outputs.iter_mut().zip(&transaction.output).filter(|(_, output)| output.script_pubkey.is_op_return())
        {
            for (id, amount) in std::mem::take(held) {
                add(&mut flow.burned, id, amount)?;
            }
        }
        Some(flow)
    }

    /// The amount of a rune in an output.
    #[must_use]
    pub fn held(&self, output: usize, id: RuneId) -> u128 {
        self.outputs.get(output).and_then(|held| held.get(&id)).copied().unwrap_or(0)
    }

    /// Whether these outputs hold exactly these runes, and none are elsewhere or burned.
    #[must_use]
    pub fn is_exactly(&self, wanted: impl IntoIterator<Item = (usize, RuneId, u128)>) -> bool {
        let mut outputs = vec![BTreeMap::new(); self.outputs.len()];
        for (output, id, amount) in wanted.into_iter().filter(|(_, _, amount)| *amount > 0) {
            let Some(held) = outputs.get_mut(output) else { return false };
            if add(held, id, amount).is_none() {
                return false;
            }
        }
        self.burned.is_empty() && self.outputs == outputs
    }

    fn pay(&mut self, edict: &Edict, left: &mut BTreeMap<RuneId, u128>, holders: &[usize]) -> Option<()> {
        let Some(left) = left.get_mut(&edict.id) else { return Some(()) };
        let output = usize::try_from(edict.output).ok()?;
        if output < self.outputs.len() {
            let amount = if edict.amount == 0 { *left } else { edict.amount };
            return self.take(edict.id, left, amount, output);
        }
        let count = u128::try_from(holders.len()).ok()?;
        let (Some(part), Some(uneven)) = (left.checked_div(count), left.checked_rem(count)) else { return Some(()) };
        for (place, output) in (0..).zip(holders) {
            let amount = match edict.amount {
                0 if place < uneven => part.checked_add(1)?,
                0 => part,
                amount => amount,
            };
            self.take(edict.id, left, amount, *output)?;
        }
        Some(())
    }

    /// Moves an amount, or the remainder if that is less.
    fn take(&mut self, id: RuneId, left: &mut u128, amount: u128, output: usize) -> Option<()> {
        let amount = amount.min(*left);
        *left = left.checked_sub(amount)?;
        add(self.outputs.get_mut(output)?, id, amount)
    }
}

/// Adds an amount; 0 adds no entry.
fn add(held: &mut BTreeMap<RuneId, u128>, id: RuneId, amount: u128) -> Option<()> {
    if amount > 0 {
        let sum = held.get(&id).copied().unwrap_or(0).checked_add(amount)?;
        held.insert(id, sum);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use bitcoin::script::{Builder, PushBytesBuf};
    use bitcoin::transaction::Version;
    use bitcoin::{Amount, ScriptBuf, TxOut, absolute};
    use proptest::prelude::*;

    use super::*;

    const PLAIN: &[u8] = &[0x51];
    const RETURN: &[u8] = &[0x6a];

    fn rune(number: u32) -> RuneId {
        RuneId { block: 840_000, tx: number }
    }

    fn transaction(scripts: impl IntoIterator<Item = ScriptBuf>) -> Transaction {
        let output = scripts.into_iter().map(|script_pubkey| TxOut { value: Amount::ZERO, script_pubkey });
        let output = output.collect();
        Transaction { version: Version::TWO, lock_time: absolute::LockTime::ZERO, input: Vec::new(), output }
    }

    fn script(bytes: &[u8]) -> ScriptBuf {
        ScriptBuf::from_bytes(bytes.to_vec())
    }

    fn edict(id: RuneId, amount: u128, output: u32) -> Edict {
        Edict { id, amount, output }
    }

    /// Generates outputs, some of them `OP_RETURN`, the runestone among them, and amounts in the inputs.
    fn cases(most: u128) -> impl Strategy<Value = (Vec<bool>, usize, Runestone, Vec<(RuneId, u128)>)> {
        let edicts = (0_u32..4, prop_oneof![Just(0), 0..=most], 0_u32..100);
        let edicts = prop::collection::vec(edicts, 0..7);
        let pointer = prop::option::of(0_u32..100);
        let inputs = prop::collection::vec((0_u32..4, 0..=most / 8), 0..7);
        let outputs = (prop::collection::vec(prop::bool::weighted(0.2), 0..7), any::<prop::sample::Index>());
        (outputs, edicts, pointer, inputs).prop_map(|((outputs, place), edicts, pointer, inputs)| {
            let place = place.index(outputs.len() + 1);
            let count = u32::try_from(outputs.len()).unwrap() + 1;
            // One in a hundred points out of range.
            let within = |number: u32, count: u32| if number == 0 { count } else { number % count };
            let of = |(number, amount, output)| edict(rune(number), amount, within(output, count + 1));
            let mut edicts: Vec<Edict> = edicts.into_iter().map(of).collect();
            let pointer = pointer.map(|pointer| within(pointer, count));
            edicts.sort_by_key(|edict| edict.id);
            let inputs = inputs.into_iter().map(|(number, amount)| (rune(number), amount)).collect();
            (outputs, place, Runestone { edicts, pointer, ..Runestone::default() }, inputs)
        })
    }

    fn with_runestone(outputs: &[bool], place: usize, runestone: &Runestone) -> Transaction {
        let mut scripts: Vec<ScriptBuf> =
            outputs.iter().map(|is_return| script(if *is_return { RETURN } else { PLAIN })).collect();
        scripts.insert(place, runestone.encipher());
        transaction(scripts)
    }

    /// The oracle: moves every unit individually, from the intended runestone instead of a script.
    fn by_hand(
        outputs: &[bool],
        place: usize,
        runestone: &Runestone,
        inputs: &[(RuneId, u128)],
    ) -> (Vec<Vec<RuneId>>, Vec<RuneId>) {
        let mut can_hold: Vec<bool> = outputs.iter().map(|is_return| !is_return).collect();
        can_hold.insert(place, false);
        let count = u32::try_from(can_hold.len()).unwrap();
        let mut units: Vec<RuneId> = Vec::new();
        for (id, amount) in inputs {
            (0..*amount).for_each(|_| units.push(*id));
        }
        let is_wrong = runestone.pointer.is_some_and(|pointer| pointer >= count)
            || runestone.edicts.iter().any(|edict| edict.output > count);
        if is_wrong {
            return (vec![Vec::new(); can_hold.len()], units);
        }
        let mut held: Vec<Vec<RuneId>> = vec![Vec::new(); can_hold.len()];
        let hand = |units: &mut Vec<RuneId>, held: &mut Vec<RuneId>, id: RuneId| {
            let found = units.iter().position(|unit| *unit == id);
            found.map(|found| held.push(units.remove(found))).is_some()
        };
        let hand_many = |units: &mut Vec<RuneId>, held: &mut Vec<RuneId>, id: RuneId, most: u128| {
            (0..most).all(|_| hand(units, held, id));
        };
        for edict in &runestone.edicts {
            let most = if edict.amount == 0 { u128::MAX } else { edict.amount };
            let everyone: Vec<usize> = (0..can_hold.len()).filter(|output| can_hold[*output]).collect();
            match (usize::try_from(edict.output).unwrap(), edict.amount) {
                (one, _) if one < can_hold.len() => hand_many(&mut units, &mut held[one], edict.id, most),
                // Round-robin until nothing is left.
                (_, 0) if !everyone.is_empty() => {
                    while everyone.iter().all(|output| hand(&mut units, &mut held[*output], edict.id)) {}
                }
                _ => {
                    for output in everyone {
                        hand_many(&mut units, &mut held[output], edict.id, most);
                    }
                }
            }
        }
        let first = can_hold.iter().position(|can_hold| *can_hold);
        let rest = runestone.pointer.map(|pointer| usize::try_from(pointer).unwrap()).or(first);
        let mut burned = Vec::new();
        rest.map_or(&mut burned, |rest| &mut held[rest]).extend(units);
        for (held, can_hold) in held.iter_mut().zip(&can_hold) {
            if !can_hold {
                burned.append(held);
            }
        }
        (held, burned)
    }

    fn counted(units: &[RuneId]) -> BTreeMap<RuneId, u128> {
        let mut counts = BTreeMap::new();
        for unit in units {
            *counts.entry(*unit).or_insert(0) += 1;
        }
        counts
    }

    fn sum(held: impl IntoIterator<Item = (RuneId, u128)>) -> BTreeMap<RuneId, u128> {
        let mut sum = BTreeMap::new();
        for (id, amount) in held.into_iter().filter(|(_, amount)| *amount > 0) {
            *sum.entry(id).or_insert(0) += amount;
        }
        sum
    }

    fn everywhere(flow: &RuneFlow) -> BTreeMap<RuneId, u128> {
        sum(flow.outputs.iter().chain([&flow.burned]).flatten().map(|(id, amount)| (*id, *amount)))
    }

    proptest! {
        #[test]
        fn it_agrees_with_moving_every_unit_individually((outputs, place, runestone, inputs) in cases(60)) {
            let flow = RuneFlow::of(inputs.clone(), &with_runestone(&outputs, place, &runestone)).unwrap();
            let (held, burned) = by_hand(&outputs, place, &runestone, &inputs);
            prop_assert_eq!(flow.outputs, held.iter().map(|held| counted(held)).collect::<Vec<_>>());
            prop_assert_eq!(flow.burned, counted(&burned));
        }

        #[test]
        fn no_unit_is_made_or_lost((outputs, place, runestone, inputs) in cases(u128::MAX)) {
            let flow = RuneFlow::of(inputs.clone(), &with_runestone(&outputs, place, &runestone)).unwrap();
            prop_assert_eq!(everywhere(&flow), sum(inputs));
        }

        #[test]
        fn no_unit_is_made_or_lost_by_any_bytes(
            payload in prop::collection::vec(prop_oneof![0_u8..32, any::<u8>()], 0..40),
            raw in any::<bool>(),
            amount in any::<u128>(),
        ) {
            let pushed = PushBytesBuf::try_from(payload.clone()).unwrap();
            let start = Builder::new().push_opcode(bitcoin::opcodes::all::OP_RETURN);
            let start = start.push_opcode(Runestone::MAGIC_NUMBER);
            let stone = if raw {
                script(&[start.into_bytes(), payload].concat())
            } else {
                start.push_slice(pushed).into_script()
            };
            let flow = RuneFlow::of([(rune(1), amount)], &transaction([script(PLAIN), stone, script(PLAIN)])).unwrap();
            prop_assert_eq!(everywhere(&flow), sum([(rune(1), amount)]));
        }
    }

    #[test]
    fn without_a_runestone_all_runes_go_to_the_first_output_that_can_hold_them() {
        let flow = RuneFlow::of([(rune(1), 5), (rune(2), 7)], &transaction([script(RETURN), script(PLAIN)])).unwrap();
        assert!(flow.is_exactly([(1, rune(1), 5), (1, rune(2), 7)]));
        assert_eq!((flow.held(1, rune(1)), flow.held(0, rune(1)), flow.held(9, rune(1))), (5, 0, 0));
        let flow = RuneFlow::of([(rune(1), 5)], &transaction([script(RETURN)])).unwrap();
        assert_eq!(flow.burned, BTreeMap::from([(rune(1), 5)]), "no output can hold them");
    }

    #[test]
    fn an_excessive_edict_is_reduced_and_the_remainder_goes_to_the_pointer() {
        let edicts = vec![edict(rune(1), 3, 0), edict(rune(1), 9, 1), edict(rune(2), 1, 1)];
        let runestone = Runestone { edicts, pointer: Some(2), ..Runestone::default() };
        let flow = RuneFlow::of([(rune(1), 5), (rune(3), 8)], &with_runestone(&[false; 3], 3, &runestone)).unwrap();
        assert!(flow.is_exactly([(0, rune(1), 3), (1, rune(1), 2), (2, rune(3), 8)]));
        let burning = Runestone { pointer: Some(3), ..runestone };
        let flow = RuneFlow::of([(rune(1), 5), (rune(3), 8)], &with_runestone(&[false; 3], 3, &burning)).unwrap();
        assert_eq!(flow.burned, BTreeMap::from([(rune(3), 8)]), "the pointer may say OP_RETURN");
    }

    #[test]
    fn an_edict_to_an_output_too_far_burns_everything() {
        let runestone = |output| Runestone { edicts: vec![edict(rune(1), 4, output)], ..Runestone::default() };
        let flow = |output| RuneFlow::of([(rune(1), 9)], &with_runestone(&[false; 2], 2, &runestone(output))).unwrap();
        assert!(flow(3).is_exactly([(0, rune(1), 5), (1, rune(1), 4)]), "the index after the last pays every output");
        assert_eq!(flow(4).burned, BTreeMap::from([(rune(1), 9)]));
        assert!(!flow(4).is_exactly([]), "burned runes are counted");
    }

    #[test]
    fn an_overflowing_amount_of_a_rune_is_refused() {
        let plain = transaction([script(PLAIN)]);
        assert_eq!(RuneFlow::of([(rune(1), u128::MAX), (rune(1), 1)], &plain), None);
        let flow = RuneFlow::of([(rune(1), u128::MAX)], &plain).unwrap();
        assert!(!flow.is_exactly([(0, rune(1), u128::MAX), (0, rune(1), 1)]));
        assert!(!flow.is_exactly([(1, rune(1), u128::MAX)]), "there is no such output");
        assert!(flow.is_exactly([(0, rune(1), u128::MAX)]));
    }
}
