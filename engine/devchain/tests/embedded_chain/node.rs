//! A fresh embedded chain, and transactions that need no signature.

use bitcoin::opcodes::all::OP_PUSHNUM_1;
use bitcoin::script::Builder;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::taproot::{LeafVersion, TaprootBuilder};
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Txid, Witness, absolute};
use devchain::EmbeddedChain;
use engine::asset_index::{AssetIndex as _, InscriptionId, OutputAssets};
use engine::chain::{Chain as _, ChainError, ChainPosition, Unspent};
use futures_util::FutureExt as _;

/// The time of the first blocks.
pub(super) const START: u32 = 1_800_000_000;
/// The height of the next block of a fresh chain.
pub(super) const NEXT_HEIGHT: u32 = 151;

pub(super) fn node() -> EmbeddedChain {
    EmbeddedChain::new(START).expect("a new chain")
}

/// A script that needs no signature; it is revealed by [`anyone_can_spend_witness`].
pub(super) fn anyone_can_spend_script() -> ScriptBuf {
    Builder::new().push_opcode(OP_PUSHNUM_1).into_script()
}

/// The P2WSH script of [`anyone_can_spend_script`].
pub(super) fn anyone_can_spend() -> ScriptBuf {
    ScriptBuf::new_p2wsh(&anyone_can_spend_script().wscript_hash())
}

pub(super) fn anyone_can_spend_witness() -> Witness {
    Witness::from_slice(&[anyone_can_spend_script().to_bytes()])
}

/// A confirmed coin of `sats` sats that needs no signature.
pub(super) fn coin(node: &EmbeddedChain, sats: u64) -> OutPoint {
    node.fund(&anyone_can_spend(), Amount::from_sat(sats)).expect("the faucet pays")
}

pub(super) fn pays(sats: u64) -> TxOut {
    TxOut { value: Amount::from_sat(sats), script_pubkey: anyone_can_spend() }
}

/// Spends coins that need no signature.
pub(super) fn spend(coins: &[OutPoint], outputs: &[TxOut]) -> Transaction {
    let input = coins.iter().map(|coin| TxIn {
        previous_output: *coin,
        script_sig: ScriptBuf::new(),
        sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
        witness: anyone_can_spend_witness(),
    });
    Transaction {
        version: Version::TWO,
        lock_time: absolute::LockTime::ZERO,
        input: input.collect(),
        output: outputs.to_vec(),
    }
}

/// The same, with another version.
pub(super) fn versioned(mut transaction: Transaction, version: i32) -> Transaction {
    transaction.version = Version(version);
    transaction
}

/// An output of a transaction.
pub(super) fn output_of(transaction: &Transaction, vout: u32) -> OutPoint {
    OutPoint::new(transaction.compute_txid(), vout)
}

/// A data output that makes a transaction about `bytes` bytes longer.
pub(super) fn padding(bytes: usize) -> TxOut {
    let mut script = vec![0x6a, 0x4e];
    script.extend(u32::try_from(bytes).expect("a short script").to_le_bytes());
    script.extend(std::iter::repeat_n(0, bytes));
    TxOut { value: Amount::ZERO, script_pubkey: ScriptBuf::from_bytes(script) }
}

fn reason(outcome: Result<(), ChainError>) -> Result<(), String> {
    outcome.map_err(|error| match error {
        ChainError::Rejected(refusal) => refusal.reason,
        other => panic!("no refusal: {other}"),
    })
}

/// Tests whether a package would be accepted; returns the reason for a rejection.
pub(super) fn test(node: &EmbeddedChain, package: &[Transaction]) -> Result<(), String> {
    reason(node.test_accept(package).now_or_never().expect("an answer"))
}

/// Broadcasts a package; returns the reason for a rejection.
pub(super) fn send(node: &EmbeddedChain, package: &[Transaction]) -> Result<(), String> {
    reason(node.broadcast(package).now_or_never().expect("an answer"))
}

/// The reason why a transaction is rejected, which is the same for test and broadcast.
pub(super) fn refusal(node: &EmbeddedChain, transaction: &Transaction) -> String {
    let package = std::slice::from_ref(transaction);
    let (tested, sent) = (test(node, package).expect_err("a refusal"), send(node, package).expect_err("a refusal"));
    assert_eq!(tested, sent);
    sent
}

pub(super) fn unspent(node: &EmbeddedChain, outpoint: OutPoint) -> Option<Unspent> {
    node.unspent(outpoint).now_or_never().expect("an answer").expect("an answer")
}

pub(super) fn presence(node: &EmbeddedChain, txid: Txid) -> Option<ChainPosition> {
    let seen = node.transaction(txid).now_or_never().expect("an answer").expect("an answer");
    seen.map(|seen| seen.position)
}

pub(super) fn height(node: &EmbeddedChain) -> u32 {
    node.tip().now_or_never().expect("an answer").expect("an answer").height
}

pub(super) fn median_time(node: &EmbeddedChain) -> u32 {
    node.tip().now_or_never().expect("an answer").expect("an answer").median_time_seconds
}

/// The inscriptions and runes of an unspent output.
pub(super) fn carried(node: &EmbeddedChain, outpoint: OutPoint) -> Option<OutputAssets> {
    node.assets_in(outpoint).now_or_never().expect("an answer").expect("an answer")
}

pub(super) fn place_of(node: &EmbeddedChain, id: InscriptionId) -> Option<(OutPoint, u64)> {
    let place = node.sat_point(id).now_or_never().expect("an answer").expect("an answer");
    place.map(|(outpoint, offset)| (outpoint, offset.to_sat()))
}

/// An inscribed image on the first sat of an output of `postage` sats that needs no signature.
pub(super) fn inscribed(node: &EmbeddedChain, postage: u64) -> (InscriptionId, OutPoint) {
    let id = node
        .inscribe(&anyone_can_spend(), Amount::from_sat(postage), "image/png", &[7; 1_000])
        .expect("the faucet pays");
    (id, OutPoint::new(id.txid, 0))
}

/// Mines a block of this transaction alone.
pub(super) fn mine(node: &EmbeddedChain, transaction: &Transaction) {
    node.mine_transactions(vec![transaction.clone()]).expect("a valid block");
}

/// A transaction that spends a coin by a taproot script without signatures, with the script in its witness.
pub(super) fn by_script(node: &EmbeddedChain, script: &ScriptBuf, sats: u64, outputs: &[TxOut]) -> Transaction {
    let (output, witness) = taproot(script);
    let coin = node.fund(&output, Amount::from_sat(sats)).expect("the faucet pays");
    let mut transaction = spend(&[coin], outputs);
    transaction.input[0].witness = witness;
    transaction
}

/// An output that a taproot script spends, and the witness for it.
pub(super) fn taproot(script: &ScriptBuf) -> (ScriptBuf, Witness) {
    let secp = Secp256k1::new();
    let key = Keypair::from_seckey_slice(&secp, &[9; 32]).expect("a key").x_only_public_key().0;
    let tree = TaprootBuilder::new().add_leaf(0, script.clone()).expect("a tree");
    let tree = tree.finalize(&secp, key).expect("a tree");
    let proof = tree.control_block(&(script.clone(), LeafVersion::TapScript)).expect("a proof");
    let witness = Witness::from_slice(&[script.to_bytes(), proof.serialize()]);
    (ScriptBuf::new_p2tr_tweaked(tree.output_key()), witness)
}
