//! The flow of sats through a transaction: first in, first out, by the rule of ordinal theory.

use bitcoin::Amount;

/// A sat among the inputs or the outputs of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SatPlace {
    /// The index of the input or output.
    pub index: usize,
    /// The number of its sats that precede it.
    pub offset: Amount,
}

/// The place where a sat of an input arrives; `None` if it is spent as fee, or does not exist.
#[must_use]
pub fn arrival(inputs: &[Amount], outputs: &[Amount], from: SatPlace) -> Option<SatPlace> {
    if from.offset >= *inputs.get(from.index)? {
        return None;
    }
    let mut before = from.offset;
    for input in &inputs[..from.index] {
        before = before.checked_add(*input)?;
    }
    for (index, output) in outputs.iter().enumerate() {
        match before.checked_sub(*output) {
            Some(rest) => before = rest,
            None => return Some(SatPlace { index, offset: before }),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_agrees_with_listing_all_sats_in_order(
            inputs in prop::collection::vec(0_u64..30, 1..6),
            outputs in prop::collection::vec(0_u64..30, 1..6),
        ) {
            let row = |amounts: &[u64]| -> Vec<(usize, u64)> {
                let sats = amounts.iter().enumerate();
                sats.flat_map(|(index, amount)| (0..*amount).map(move |offset| (index, offset))).collect()
            };
            let (sent, received) = (row(&inputs), row(&outputs));
            let amounts = |row: &[u64]| row.iter().copied().map(Amount::from_sat).collect::<Vec<_>>();
            for (place, (index, offset)) in sent.iter().enumerate() {
                let from = SatPlace { index: *index, offset: Amount::from_sat(*offset) };
                let expected = received.get(place).map(|(index, offset)| (*index, Amount::from_sat(*offset)));
                let found = arrival(&amounts(&inputs), &amounts(&outputs), from).map(|to| (to.index, to.offset));
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn a_sat_that_is_not_there_arrives_nowhere() {
        let amounts = [Amount::from_sat(5)];
        let from = |index, offset| SatPlace { index, offset: Amount::from_sat(offset) };
        assert_eq!(arrival(&amounts, &amounts, from(0, 5)), None);
        assert_eq!(arrival(&amounts, &amounts, from(1, 0)), None);
    }
}
