//! Restart tests of a stored chain: random markets, with files cut and corrupted at any byte.

use proptest::prelude::*;
use proptest::sample::Index as Anywhere;

use super::chain_file::{StoredChanges, read, record};
use super::change::ChainChange;
use super::ledger::Ledger;
use super::replay::{Step, apply_step, step};

/// A chain, its changes from the first block on, and their file with the byte at which each record ends.
struct StoredChain {
    ledger: Ledger,
    changes: Vec<ChainChange>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// For each step the number of changes after it, and the state of chain and mempool then.
    states: Vec<(usize, TipAndMempool)>,
}

type TipAndMempool = (bitcoin::BlockHash, std::collections::BTreeSet<bitcoin::Txid>);

fn tip_and_mempool(ledger: &Ledger) -> TipAndMempool {
    (ledger.chain().tip_hash(), ledger.pool().txids())
}

impl StoredChain {
    fn run(steps: &[Step]) -> Self {
        let (mut ledger, mut runes) = (Ledger::new(1_800_000_000).unwrap(), Vec::new());
        let mut changes: Vec<ChainChange> = ledger.history().collect();
        let mut states = vec![(changes.len(), tip_and_mempool(&ledger))];
        ledger.record_changes();
        for step in steps {
            apply_step(&mut ledger, step, &mut runes);
            changes.extend(ledger.take_changes());
            states.push((changes.len(), tip_and_mempool(&ledger)));
        }
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for change in &changes {
            bytes.extend(record(change));
            ends.push(bytes.len());
        }
        Self { ledger, changes, bytes, ends, states }
    }

    /// The number of whole records in a prefix of this length.
    fn complete_records(&self, length: usize) -> usize {
        self.ends.iter().filter(|end| **end <= length).count()
    }
}

fn assert_same(one: &Ledger, other: &Ledger) {
    assert!(one.chain() == other.chain(), "the same blocks and coins");
    assert!(one.index() == other.index(), "the same inscriptions, runes, balances and owners");
    assert_eq!(one.pool().txids(), other.pool().txids());
    assert_eq!(tip_and_mempool(one), tip_and_mempool(other));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_chain_cut_at_any_byte_continues_from_its_longest_whole_prefix(
        steps in prop::collection::vec(step(), 1..30),
        cut in any::<Anywhere>(),
    ) {
        let market = StoredChain::run(&steps);
        let replayed = Ledger::replay(read(&market.bytes).unwrap().changes.into_iter().map(|(_, change)| change)).unwrap();
        assert_same(&replayed, &market.ledger);
        let length = cut.index(market.bytes.len() + 1);
        let count = market.complete_records(length);
        let StoredChanges { changes, end } = read(&market.bytes[..length]).unwrap();
        prop_assert_eq!(end, count.checked_sub(1).map_or(0, |last| market.ends[last]));
        let changes: Vec<ChainChange> = changes.into_iter().map(|(_, change)| change).collect();
        prop_assert!(changes == market.changes[..count]);
        let cut = Ledger::replay(changes).unwrap();
        if let Some((_, stood)) = market.states.iter().find(|(after, _)| *after == count) {
            prop_assert_eq!(&tip_and_mempool(&cut), stood);
        }
    }

    #[test]
    fn a_corrupted_byte_is_detected(
        steps in prop::collection::vec(step(), 1..12),
        at in any::<Anywhere>(),
        spoiled in 1_u8..,
    ) {
        let StoredChain { changes, mut bytes, ends, .. } = StoredChain::run(&steps);
        let at = at.index(bytes.len());
        bytes[at] ^= spoiled;
        let place = ends.iter().filter(|end| **end <= at).count();
        let begin = place.checked_sub(1).map_or(0, |before| ends[before]);
        match read(&bytes) {
            Err(damaged) => prop_assert_eq!(damaged, begin),
            // A damaged last record cannot be distinguished from a torn one.
            Ok(StoredChanges { changes: kept, end }) => {
                prop_assert_eq!((place, end, kept.len()), (changes.len() - 1, begin, changes.len() - 1));
            }
        }
    }

    #[test]
    fn only_encoded_changes_are_decoded(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let StoredChanges { changes, end } = read(&bytes).unwrap();
        prop_assert_eq!((changes.len(), end), (0, 0));
        // Whatever decodes as a change encodes to the same bytes.
        if let Some(change) = ChainChange::from_bytes(&bytes) {
            prop_assert_eq!(change.to_bytes(), bytes);
        }
    }
}
