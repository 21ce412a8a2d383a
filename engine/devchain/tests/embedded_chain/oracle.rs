//! Random transactions, blocks and reorgs, compared with a naive reading of the blocks from the first one on.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::{Amount, Block, OutPoint, Transaction, TxOut};
use devchain::{EmbeddedChain, ReorgPolicy};
use engine::chain::ChainPosition;
use proptest::prelude::*;

use super::node::{height, node, output_of, pays, presence, send, spend, unspent};

/// A step of a random run.
#[derive(Clone, Copy, Debug)]
enum Step {
    Fund(u64),
    /// Spends some outputs ever seen into some others, for a fee that may be too small or negative.
    Spend {
        from: [usize; 2],
        outputs: usize,
        fee: i64,
    },
    Mine(u32),
    Reorg(u32, ReorgPolicy),
}

fn step() -> impl Strategy<Value = Step> {
    let fate = prop_oneof![Just(ReorgPolicy::Requeue), Just(ReorgPolicy::Drop)];
    prop_oneof![
        2 => (1_000_u64..100_000).prop_map(Step::Fund),
        8 => (any::<[usize; 2]>(), 1_usize..4, -500_i64..3_000)
            .prop_map(|(from, outputs, fee)| Step::Spend { from, outputs, fee }),
        3 => (1_u32..3).prop_map(Step::Mine),
        1 => (0_u32..4, fate).prop_map(|(depth, fate)| Step::Reorg(depth, fate)),
    ]
}

/// Every output that was ever created, with its value.
type CreatedOutputs = Vec<(OutPoint, u64)>;

fn random_spend(created: &CreatedOutputs, from: [usize; 2], outputs: usize, fee: i64) -> Option<Transaction> {
    if created.is_empty() {
        return None;
    }
    let chosen: BTreeMap<OutPoint, u64> = from.iter().map(|place| created[place % created.len()]).collect();
    let total = i64::try_from(chosen.values().sum::<u64>()).ok()? - fee;
    let each = u64::try_from(total).ok()? / u64::try_from(outputs).ok()?;
    let coins: Vec<OutPoint> = chosen.into_keys().collect();
    Some(spend(&coins, &vec![pays(each); outputs]))
}

fn act(node: &EmbeddedChain, created: &mut CreatedOutputs, step: Step) {
    match step {
        Step::Fund(sats) => {
            let outpoint = node.fund(&super::node::anyone_can_spend(), Amount::from_sat(sats)).expect("sound values");
            created.push((outpoint, sats));
        }
        Step::Spend { from, outputs, fee } => {
            let Some(transaction) = random_spend(created, from, outputs, fee) else {
                return;
            };
            // Accepted or not, later transactions may try to spend from it.
            let _ = send(node, std::slice::from_ref(&transaction));
            let made = (0_u32..).zip(&transaction.output);
            created.extend(made.map(|(vout, output)| (output_of(&transaction, vout), output.value.to_sat())));
        }
        Step::Mine(blocks) => node.mine(blocks).expect("sound values"),
        Step::Reorg(depth, fate) => node.reorg(depth, fate).expect("sound values"),
    }
}

/// Reads the best chain from its first block on, without any other state.
#[derive(Default)]
struct NaiveChain {
    coins: BTreeMap<OutPoint, (TxOut, u32)>,
    issued: Amount,
}

impl NaiveChain {
    fn read(&mut self, block: &Block, height: u32) {
        let reward = Amount::from_sat(5_000_000_000 >> (height / 150));
        let mut due = reward;
        let total = |outputs: &[TxOut]| outputs.iter().map(|output| output.value).sum::<Amount>();
        for transaction in &block.txdata {
            if !transaction.is_coinbase() {
                let spent = transaction.input.iter().map(|input| self.coins.remove(&input.previous_output));
                let spent: Vec<TxOut> = spent.map(|coin| coin.expect("it spends existing outputs").0).collect();
                due += total(&spent).checked_sub(total(&transaction.output)).expect("it creates no money");
            }
            for (vout, output) in (0_u32..).zip(&transaction.output) {
                if !output.script_pubkey.is_op_return() {
                    self.coins.insert(output_of(transaction, vout), (output.clone(), height));
                }
            }
        }
        assert_eq!(total(&block.txdata[0].output), due);
        self.issued += reward;
    }
}

fn read_all(node: &EmbeddedChain) -> NaiveChain {
    let mut naive = NaiveChain::default();
    for height in 1..=height(node) {
        let block = node.block(height).expect("sound values");
        assert_eq!(block.header.prev_blockhash, node.block(height - 1).expect("sound values").block_hash());
        assert!(block.check_merkle_root() && block.check_witness_commitment());
        naive.read(&block, height);
    }
    naive
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn after_any_steps_the_coins_are_those_of_the_best_chain(steps in prop::collection::vec(step(), 1..60)) {
        let (node, mut created) = (node(), Vec::new());
        for step in &steps {
            act(&node, &mut created, *step);
        }
        let naive = read_all(&node);
        let held: Amount = naive.coins.values().map(|(output, _)| output.value).sum();
        prop_assert_eq!(held, naive.issued, "sats are neither created nor lost");

        // Mempool transactions build on the chain without double spends, and the outputs that they spend are not
        // reported as unspent.
        let (mut spent, mut waiting) = (BTreeSet::new(), BTreeMap::new());
        for txid in node.mempool_txids() {
            prop_assert_eq!(presence(&node, txid), Some(ChainPosition::InMempool));
            let seen = futures_util::FutureExt::now_or_never(engine::chain::Chain::transaction(&node, txid));
            let transaction = seen.expect("sound values").expect("sound values").expect("sound values").transaction;
            for input in &transaction.input {
                let outpoint = input.previous_output;
                prop_assert!(spent.insert(outpoint));
                prop_assert!(naive.coins.contains_key(&outpoint) || waiting.contains_key(&outpoint));
            }
            for (vout, output) in (0_u32..).zip(&transaction.output) {
                waiting.insert(output_of(&transaction, vout), output.clone());
            }
        }
        let tip = height(&node);
        for outpoint in created.iter().map(|(outpoint, _)| *outpoint).chain(naive.coins.keys().copied()) {
            let confirmed = naive.coins.get(&outpoint).map(|(output, born)| (output.clone(), tip + 1 - born));
            let expected = confirmed.or_else(|| waiting.get(&outpoint).map(|output| (output.clone(), 0)));
            let expected = expected.filter(|_| !spent.contains(&outpoint));
            let found = unspent(&node, outpoint).map(|found| (found.output, found.confirmations));
            prop_assert_eq!(found, expected);
        }
        // Everything in the mempool can be mined, and nothing is left.
        node.mine(1).expect("sound values");
        prop_assert_eq!(node.mempool_txids(), vec![]);
    }
}
