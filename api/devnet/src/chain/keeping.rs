//! A chain that is kept goes on where it stopped: random markets, files cut and spoiled at any byte.

use proptest::prelude::*;
use proptest::sample::Index as Anywhere;

use super::chain_file::{Kept, read, record};
use super::change::Change;
use super::ledger::Ledger;
use super::replay::{Step, act, step};

/// A chain, what happened to it from its first block on, and that as a file with the byte that each record ends at.
struct Market {
    ledger: Ledger,
    changes: Vec<Change>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// After how many changes each step was over, and where the chain stood and what waited then.
    stands: Vec<(usize, Stand)>,
}

type Stand = (bitcoin::BlockHash, std::collections::BTreeSet<bitcoin::Txid>);

fn stand(ledger: &Ledger) -> Stand {
    (ledger.chain().tip_hash(), ledger.pool().txids())
}

impl Market {
    fn play(steps: &[Step]) -> Self {
        let (mut ledger, mut runes) = (Ledger::new(1_800_000_000).unwrap(), Vec::new());
        let mut changes: Vec<Change> = ledger.history().collect();
        let mut stands = vec![(changes.len(), stand(&ledger))];
        ledger.note_changes();
        for step in steps {
            act(&mut ledger, step, &mut runes);
            changes.extend(ledger.take_changes());
            stands.push((changes.len(), stand(&ledger)));
        }
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for change in &changes {
            bytes.extend(record(change));
            ends.push(bytes.len());
        }
        Self { ledger, changes, bytes, ends, stands }
    }

    /// How many records are whole in so many bytes.
    fn whole(&self, length: usize) -> usize {
        self.ends.iter().filter(|end| **end <= length).count()
    }
}

fn assert_same(one: &Ledger, other: &Ledger) {
    assert!(one.chain() == other.chain(), "the same blocks and coins");
    assert!(one.index() == other.index(), "the same inscriptions, runes, balances and owners");
    assert_eq!(one.pool().txids(), other.pool().txids());
    assert_eq!(stand(one), stand(other));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn cut_at_any_byte_a_chain_goes_on_from_its_longest_whole_prefix(
        steps in prop::collection::vec(step(), 1..30),
        cut in any::<Anywhere>(),
    ) {
        let market = Market::play(&steps);
        let whole = Ledger::replay(read(&market.bytes).unwrap().changes.into_iter().map(|(_, change)| change)).unwrap();
        assert_same(&whole, &market.ledger);
        let length = cut.index(market.bytes.len() + 1);
        let count = market.whole(length);
        let Kept { changes, end } = read(&market.bytes[..length]).unwrap();
        prop_assert_eq!(end, count.checked_sub(1).map_or(0, |last| market.ends[last]));
        let changes: Vec<Change> = changes.into_iter().map(|(_, change)| change).collect();
        prop_assert!(changes == market.changes[..count]);
        let cut = Ledger::replay(changes).unwrap();
        if let Some((_, stood)) = market.stands.iter().find(|(after, _)| *after == count) {
            prop_assert_eq!(&stand(&cut), stood);
        }
    }

    #[test]
    fn a_byte_that_is_not_what_was_written_is_found(
        steps in prop::collection::vec(step(), 1..12),
        at in any::<Anywhere>(),
        spoiled in 1_u8..,
    ) {
        let Market { changes, mut bytes, ends, .. } = Market::play(&steps);
        let at = at.index(bytes.len());
        bytes[at] ^= spoiled;
        let place = ends.iter().filter(|end| **end <= at).count();
        let begin = place.checked_sub(1).map_or(0, |before| ends[before]);
        match read(&bytes) {
            Err(damaged) => prop_assert_eq!(damaged, begin),
            // The last record may as well be torn.
            Ok(Kept { changes: kept, end }) => {
                prop_assert_eq!((place, end, kept.len()), (changes.len() - 1, begin, changes.len() - 1));
            }
        }
    }

    #[test]
    fn no_bytes_whatever_make_a_change_that_was_not_written(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let Kept { changes, end } = read(&bytes).unwrap();
        prop_assert_eq!((changes.len(), end), (0, 0));
        // What is read as a change is written as the same bytes.
        if let Some(change) = Change::from_bytes(&bytes) {
            prop_assert_eq!(change.to_bytes(), bytes);
        }
    }
}
