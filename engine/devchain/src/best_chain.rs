//! The best chain: its blocks, and its unspent outputs.

use std::collections::BTreeMap;

use bitcoin::{Amount, Block, BlockHash, Network, OutPoint, Transaction, TxOut, Txid, Weight};

use super::coin::Coin;
use super::reject_reason::RejectReason;
use super::reversible_map::ReversibleMap;
use super::script_check::check_scripts;
use super::time_locks::{is_final, is_sequence_final};
use super::transaction_rules::{check_shape, fee};

/// The number of blocks whose median time locktimes are compared with.
const MEDIAN_OF: usize = 11;
/// The number of blocks after which the subsidy halves, on regtest.
const HALVING_BLOCKS: u32 = 150;
/// The subsidy of the first blocks.
const FIRST_REWARD: Amount = Amount::from_sat(5_000_000_000);
/// The script length above which an output can never be spent.
const MAX_SCRIPT_BYTES: usize = 10_000;
/// The maximum number of sigops in a block.
pub(crate) const MAX_BLOCK_SIGOPS: usize = 80_000;

/// A block with derived data that is needed often.
#[derive(Clone, Debug, PartialEq)]
struct StoredBlock {
    block: Block,
    hash: BlockHash,
    median_time_seconds: u32,
}

/// The position of a transaction in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TxPosition {
    /// The height of its block.
    pub(crate) height: u32,
    /// The index of the transaction in the block.
    pub(crate) index: usize,
}

/// The blocks of regtest from genesis on. Two chains are equal when they have the same blocks and the same coins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BestChain {
    genesis: StoredBlock,
    /// The blocks after genesis.
    blocks: Vec<StoredBlock>,
    coins: ReversibleMap<OutPoint, Coin>,
    places: ReversibleMap<Txid, TxPosition>,
    /// Whether the blocks come from a stored chain, whose scripts were verified before.
    is_replaying: bool,
}

impl BestChain {
    /// The genesis block of regtest alone; its coinbase is unspendable.
    pub(crate) fn new() -> Self {
        let block = bitcoin::constants::genesis_block(Network::Regtest);
        let (hash, median_time_seconds) = (block.block_hash(), block.header.time);
        Self {
            genesis: StoredBlock { block, hash, median_time_seconds },
            blocks: Vec::new(),
            coins: ReversibleMap::default(),
            places: ReversibleMap::default(),
            is_replaying: false,
        }
    }

    /// Sets whether the next blocks come from a stored chain, whose scripts need not be run again.
    pub(crate) const fn set_replaying(&mut self, is_replaying: bool) {
        self.is_replaying = is_replaying;
    }

    /// Runs the scripts of a transaction; `spent` has one output for each input.
    pub(crate) fn verify_scripts(&self, transaction: &Transaction, spent: &[TxOut]) -> Result<(), RejectReason> {
        if self.is_replaying { Ok(()) } else { check_scripts(transaction, spent) }
    }

    pub(crate) fn height(&self) -> u32 {
        // A chain with more than `u32::MAX` blocks would not fit in memory.
        u32::try_from(self.blocks.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn next_height(&self) -> u32 {
        self.height().saturating_add(1)
    }

    fn tip(&self) -> &StoredBlock {
        self.blocks.last().unwrap_or(&self.genesis)
    }

    pub(crate) fn tip_hash(&self) -> BlockHash {
        self.tip().hash
    }

    /// The median time past of the tip, in Unix seconds.
    pub(crate) fn median_time(&self) -> u32 {
        self.tip().median_time_seconds
    }

    /// The median time past of the block at a height, or that of the tip for a height above it.
    pub(crate) fn median_time_at(&self, height: u32) -> u32 {
        self.stored(height).unwrap_or(self.tip()).median_time_seconds
    }

    /// Whether every input is old enough for its sequence to be in the next block; one coin for each input.
    pub(crate) fn is_sequence_final(&self, transaction: &Transaction, coins: &[Coin]) -> bool {
        is_sequence_final(transaction, coins, self.next_height(), |height| self.median_time_at(height))
    }

    fn stored(&self, height: u32) -> Option<&StoredBlock> {
        match height.checked_sub(1) {
            None => Some(&self.genesis),
            Some(above) => self.blocks.get(usize::try_from(above).ok()?),
        }
    }

    pub(crate) fn block(&self, height: u32) -> Option<&Block> {
        self.stored(height).map(|stored| &stored.block)
    }

    pub(crate) fn block_hash(&self, height: u32) -> Option<BlockHash> {
        self.stored(height).map(|stored| stored.hash)
    }

    /// The height of a block, searched from the tip down.
    pub(crate) fn height_of(&self, block: BlockHash) -> Option<u32> {
        (0..=self.height()).rev().find(|height| self.block_hash(*height) == Some(block))
    }

    pub(crate) fn tx_position(&self, txid: Txid) -> Option<TxPosition> {
        self.places.get(&txid).copied()
    }

    pub(crate) fn transaction(&self, place: TxPosition) -> Option<&Transaction> {
        self.block(place.height)?.txdata.get(place.index)
    }

    pub(crate) fn coin(&self, outpoint: OutPoint) -> Option<&Coin> {
        self.coins.get(&outpoint)
    }

    pub(crate) fn coins(&self) -> impl Iterator<Item = (OutPoint, &Coin)> {
        self.coins.iter().map(|(outpoint, coin)| (*outpoint, coin))
    }

    /// Connects a block to the tip. Returns the coins that it spent, for each transaction one for each input; on
    /// refusal nothing has changed.
    pub(crate) fn connect(&mut self, block: Block) -> Result<Vec<Vec<Coin>>, RejectReason> {
        self.coins.begin();
        self.places.begin();
        let spent = self.spend_all(&block).inspect_err(|_| {
            self.coins.undo();
            self.places.undo();
        })?;
        let hash = block.block_hash();
        let median_time_seconds = self.median_with(block.header.time);
        self.blocks.push(StoredBlock { block, hash, median_time_seconds });
        Ok(spent)
    }

    /// Disconnects the tip and returns it; `None` when there is only the genesis.
    pub(crate) fn disconnect(&mut self) -> Option<Block> {
        let last = self.blocks.pop()?;
        self.coins.undo();
        self.places.undo();
        Some(last.block)
    }

    /// The median of `time` and the times of the last ten blocks.
    fn median_with(&self, time: u32) -> u32 {
        let before = std::iter::once(&self.genesis).chain(&self.blocks).rev();
        let mut times: Vec<u32> = before.map(|stored| stored.block.header.time).take(MEDIAN_OF - 1).collect();
        times.push(time);
        times.sort_unstable();
        times[times.len() / 2]
    }

    fn spend_all(&mut self, block: &Block) -> Result<Vec<Vec<Coin>>, RejectReason> {
        let height = self.next_height();
        if block.header.prev_blockhash != self.tip_hash() {
            return Err(RejectReason::BlockParent);
        }
        if block.header.time <= self.median_time() {
            return Err(RejectReason::BlockTime);
        }
        if block.weight() > Weight::MAX_BLOCK {
            return Err(RejectReason::BlockWeight);
        }
        let (mut fees, mut sigops, mut spent) = (Amount::ZERO, 0_usize, Vec::new());
        for (index, transaction) in block.txdata.iter().enumerate() {
            if transaction.is_coinbase() != (index == 0) {
                return Err(RejectReason::BlockCoinbase);
            }
            check_shape(transaction)?;
            let coins = if index == 0 { Vec::new() } else { self.spend(transaction, &mut fees)? };
            sigops = sigops.saturating_add(sigop_cost(transaction, &coins));
            if sigops > MAX_BLOCK_SIGOPS {
                return Err(RejectReason::BlockSigops);
            }
            self.create(transaction, TxPosition { height, index });
            spent.push(coins);
        }
        let coinbase = block.txdata.first().ok_or(RejectReason::BlockCoinbase)?;
        let taken = coinbase.output.iter().try_fold(Amount::ZERO, |sum, output| sum.checked_add(output.value));
        let due = reward(height).checked_add(fees);
        if taken.zip(due).is_none_or(|(taken, due)| taken > due) {
            return Err(RejectReason::BlockReward);
        }
        Ok(spent)
    }

    fn spend(&mut self, transaction: &Transaction, fees: &mut Amount) -> Result<Vec<Coin>, RejectReason> {
        let height = self.next_height();
        let coins = transaction.input.iter().map(|input| self.coins.get(&input.previous_output).cloned());
        let coins: Vec<Coin> = coins.collect::<Option<_>>().ok_or(RejectReason::MissingInputs)?;
        if !is_final(transaction, height, self.median_time()) || !self.is_sequence_final(transaction, &coins) {
            return Err(RejectReason::BlockNonFinal);
        }
        let fee = fee(transaction, &coins, height)?;
        *fees = fees.checked_add(fee).ok_or(RejectReason::BlockReward)?;
        let spent: Vec<TxOut> = coins.iter().map(|coin| coin.output.clone()).collect();
        self.verify_scripts(transaction, &spent)?;
        for input in &transaction.input {
            self.coins.remove(&input.previous_output);
        }
        Ok(coins)
    }

    fn create(&mut self, transaction: &Transaction, place: TxPosition) {
        let (txid, is_coinbase) = (transaction.compute_txid(), place.index == 0);
        self.places.insert(txid, place);
        for (vout, output) in (0_u32..).zip(&transaction.output) {
            if is_spendable(output) {
                let coin = Coin { output: output.clone(), height: place.height, is_coinbase };
                self.coins.insert(OutPoint::new(txid, vout), coin);
            }
        }
    }
}

/// Whether an output enters the UTXO set: data outputs and too long scripts do not.
pub(crate) fn is_spendable(output: &TxOut) -> bool {
    !output.script_pubkey.is_op_return() && output.script_pubkey.len() <= MAX_SCRIPT_BYTES
}

/// The subsidy of a block at this height, without the fees.
pub(crate) fn reward(height: u32) -> Amount {
    Amount::from_sat(FIRST_REWARD.to_sat().checked_shr(height / HALVING_BLOCKS).unwrap_or_default())
}

/// The sigop cost of a transaction; one coin for each input.
pub(crate) fn sigop_cost(transaction: &Transaction, coins: &[Coin]) -> usize {
    let inputs = transaction.input.iter().map(|input| input.previous_output);
    let spent: BTreeMap<OutPoint, &Coin> = inputs.zip(coins).collect();
    transaction.total_sigop_cost(|outpoint| spent.get(outpoint).map(|coin| coin.output.clone()))
}

#[cfg(test)]
mod tests {
    use bitcoin::{ScriptBuf, absolute};

    use super::super::block_template::build_block;
    use super::*;

    /// A chain of one block, and the next block.
    fn chain_and_next() -> (BestChain, Block) {
        let mut chain = BestChain::new();
        let payee = ScriptBuf::new_op_return([1]);
        let block = build_block(&chain, Vec::new(), 1_800_000_000, &payee, 0).unwrap();
        chain.connect(block).unwrap();
        let next = build_block(&chain, Vec::new(), 1_800_000_000, &payee, 1).unwrap();
        (chain, next)
    }

    fn output(sats: u64, script_pubkey: ScriptBuf) -> TxOut {
        TxOut { value: Amount::from_sat(sats), script_pubkey }
    }

    type Change<'a> = &'a dyn Fn(&mut Block);

    #[test]
    fn a_block_that_breaks_a_rule_changes_nothing() {
        let (chain, next) = chain_and_next();
        let coinbase = next.txdata[0].clone();
        let refusal = |change: &dyn Fn(&mut Block)| {
            let (mut wrong, mut on) = (next.clone(), chain.clone());
            change(&mut wrong);
            let outcome = on.connect(wrong).err();
            assert_eq!(on == chain, outcome.is_some());
            outcome
        };
        let heavy = ScriptBuf::from_bytes(vec![0x6a; 990_000]);
        // Every byte of this script is a multisig of unknown size: twenty checks, each with a weight of four.
        let checks = ScriptBuf::from_bytes(vec![0xae; 1_001]);
        let mut late = coinbase.clone();
        late.input[0].previous_output = OutPoint::new(coinbase.compute_txid(), 0);
        assert_eq!(refusal(&|_| {}), None);
        let cases: [(Change<'_>, RejectReason); 9] = [
            (&|block| block.header.prev_blockhash = next.block_hash(), RejectReason::BlockParent),
            (&|block| block.header.time = chain.median_time(), RejectReason::BlockTime),
            (&|block| block.txdata.clear(), RejectReason::BlockCoinbase),
            (&|block| block.txdata.push(coinbase.clone()), RejectReason::BlockCoinbase),
            (&|block| block.txdata[0].output[0].value += Amount::ONE_SAT, RejectReason::BlockReward),
            (&|block| block.txdata[0].output.extend(vec![output(0, heavy.clone()); 2]), RejectReason::BlockWeight),
            (&|block| block.txdata[0].output.push(output(0, checks.clone())), RejectReason::BlockSigops),
            (&|block| block.txdata[0].output.clear(), RejectReason::NoOutputs),
            (&|block| block.txdata.push(late.clone()), RejectReason::MissingInputs),
        ];
        for (change, why) in cases {
            assert_eq!(refusal(change), Some(why));
        }
    }

    #[test]
    fn a_block_holds_only_final_transactions() {
        let (mut chain, _) = chain_and_next();
        let anyone = ScriptBuf::from_bytes(vec![0x51]);
        let paid = build_block(&chain, Vec::new(), 1_800_000_000, &anyone, 1).unwrap();
        let reward = OutPoint::new(paid.txdata[0].compute_txid(), 0);
        chain.connect(paid).unwrap();
        for number in 2..101 {
            let block = build_block(&chain, Vec::new(), 1_800_000_000, &anyone, number).unwrap();
            chain.connect(block).unwrap();
        }
        let mut spend = chain.block(1).unwrap().txdata[0].clone();
        spend.input[0].previous_output = reward;
        spend.input[0].script_sig = ScriptBuf::new();
        spend.input[0].witness.clear();
        spend.output = vec![output(1, anyone.clone())];
        let mut late = spend.clone();
        late.input[0].sequence = bitcoin::Sequence::ZERO;
        late.lock_time = absolute::LockTime::from_consensus(chain.next_height());
        let block = build_block(&chain, vec![late], 1_800_000_000, &anyone, 101).unwrap();
        assert_eq!(chain.clone().connect(block), Err(RejectReason::BlockNonFinal));
        let mut young = spend.clone();
        young.input[0].sequence = bitcoin::Sequence::from_height(102);
        let block = build_block(&chain, vec![young], 1_800_000_000, &anyone, 101).unwrap();
        assert_eq!(chain.clone().connect(block), Err(RejectReason::BlockNonFinal));
        let block = build_block(&chain, vec![spend], 1_800_000_000, &anyone, 101).unwrap();
        assert_eq!(chain.connect(block).map(|spent| spent.len()), Ok(2));
    }

    #[test]
    fn the_subsidy_halves_down_to_zero() {
        assert_eq!(reward(149), FIRST_REWARD);
        assert_eq!(reward(150), FIRST_REWARD / 2);
        assert_eq!(reward(u32::MAX), Amount::ZERO);
    }
}
