//! Block assembly.

use std::collections::BTreeSet;

use bitcoin::block::{Header, Version};
use bitcoin::hashes::Hash as _;
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::{
    Amount, Block, CompactTarget, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxMerkleNode, TxOut, Txid, Weight,
    Witness, absolute, transaction,
};

use super::best_chain::{BestChain, MAX_BLOCK_SIGOPS, reward, sigop_cost};
use super::coin_view::CoinView;
use super::feerate_diagram::chunks;
use super::mempool::Mempool;
use super::reject_reason::RejectReason;

/// The easiest target of regtest: every other hash meets it.
const TARGET: u32 = 0x207f_ffff;
/// The weight reserved for header and coinbase.
const RESERVED_WEIGHT: Weight = Weight::from_wu(8_000);
/// The sigops reserved for the coinbase.
const RESERVED_SIGOPS: usize = 400;
/// The weight of 1,000 virtual bytes: transactions below a fee rate of one sat for that are not mined.
const WEIGHT_PER_KVB: u64 = 4_000;
/// The witness reserved value of the coinbase.
const WITNESS_RESERVED: [u8; 32] = [0; 32];
/// The prefix of the output that commits to all witnesses (BIP-141).
const COMMITMENT_HEADER: [u8; 4] = [0xaa, 0x21, 0xa9, 0xed];

/// The best-paying transactions of the mempool, as many as fit.
pub(crate) fn select_transactions(chain: &BestChain, pool: &Mempool) -> Vec<Transaction> {
    let room = Weight::MAX_BLOCK.checked_sub(RESERVED_WEIGHT).unwrap_or(Weight::ZERO).to_wu();
    let (mut weight, mut sigops) = (0_u64, RESERVED_SIGOPS);
    let (mut chosen, mut block) = (BTreeSet::new(), Vec::new());
    let view = CoinView { chain, pool, package: &[] };
    for chunk in chunks(pool, &pool.txids()) {
        let members = chunk.transactions.iter().filter_map(|txid| pool.entry(*txid)).map(|entry| &entry.transaction);
        let members: Vec<&Transaction> = members.collect();
        let own: BTreeSet<Txid> = chunk.transactions.iter().copied().collect();
        let is_complete = |member: &&Transaction| {
            pool.parents(member).iter().all(|parent| own.contains(parent) || chosen.contains(parent))
        };
        let pays = chunk.fee_sats.saturating_mul(WEIGHT_PER_KVB) >= chunk.weight;
        let costs = members.iter().map(|member| sigop_cost(member, &view.coins(member).unwrap_or_default()));
        let checks = costs.fold(0_usize, usize::saturating_add);
        let fits = weight.saturating_add(chunk.weight) <= room && sigops.saturating_add(checks) <= MAX_BLOCK_SIGOPS;
        if pays && fits && members.iter().all(is_complete) {
            weight = weight.saturating_add(chunk.weight);
            sigops = sigops.saturating_add(checks);
            block.extend(members.into_iter().cloned());
            chosen.extend(own);
        }
    }
    block
}

/// The next block with these transactions, at this time or just after the median time past if that is later. `number`
/// distinguishes blocks at the same height.
pub(crate) fn build_block(
    chain: &BestChain,
    transactions: Vec<Transaction>,
    clock_seconds: u32,
    payee: &ScriptBuf,
    number: u64,
) -> Result<Block, RejectReason> {
    let fees = fees(chain, &transactions)?;
    let due = reward(chain.next_height()).checked_add(fees).ok_or(RejectReason::BlockReward)?;
    let mut txdata = vec![coinbase(chain.next_height(), due, payee, number)];
    txdata.extend(transactions);
    let header = Header {
        version: Version::from_consensus(0x2000_0000),
        prev_blockhash: chain.tip_hash(),
        merkle_root: TxMerkleNode::all_zeros(),
        time: clock_seconds.max(chain.median_time().saturating_add(1)),
        bits: CompactTarget::from_consensus(TARGET),
        nonce: 0,
    };
    let mut block = Block { header, txdata };
    if let Some(root) = block.witness_root() {
        let commitment = Block::compute_witness_commitment(&root, &WITNESS_RESERVED);
        let mut data = PushBytesBuf::from(COMMITMENT_HEADER);
        // 36 bytes are far below the limit of a push.
        data.extend_from_slice(commitment.as_byte_array()).map_err(|_| RejectReason::Oversize)?;
        let output = TxOut { value: Amount::ZERO, script_pubkey: ScriptBuf::new_op_return(data) };
        block.txdata[0].output.push(output);
    }
    block.header.merkle_root = block.compute_merkle_root().ok_or(RejectReason::BlockCoinbase)?;
    let target = block.header.target();
    while block.header.validate_pow(target).is_err() {
        block.header.nonce = block.header.nonce.wrapping_add(1);
    }
    Ok(block)
}

fn fees(chain: &BestChain, transactions: &[Transaction]) -> Result<Amount, RejectReason> {
    let view = CoinView { chain, pool: &Mempool::of(transactions), package: &[] };
    transactions.iter().try_fold(Amount::ZERO, |sum, transaction| {
        let coins = view.coins(transaction).ok_or(RejectReason::MissingInputs)?;
        let fee = super::transaction_rules::fee(transaction, &coins, chain.next_height())?;
        sum.checked_add(fee).ok_or(RejectReason::BlockReward)
    })
}

fn coinbase(height: u32, due: Amount, payee: &ScriptBuf, number: u64) -> Transaction {
    // The height comes first (BIP-34).
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    let script_sig = Builder::new().push_int(i64::from(height)).push_int(number).into_script();
    Transaction {
        version: transaction::Version::TWO,
        lock_time: absolute::LockTime::ZERO,
        input: vec![TxIn {
            previous_output: OutPoint::null(),
            script_sig,
            sequence: Sequence::MAX,
            witness: Witness::from_slice(&[WITNESS_RESERVED]),
        }],
        output: vec![TxOut { value: due, script_pubkey: payee.clone() }],
    }
}
