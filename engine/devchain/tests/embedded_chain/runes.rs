//! Tests of etching, minting, transfers and burns of runes.

use bitcoin::opcodes::all::{OP_CHECKSIG, OP_DROP, OP_PUSHNUM_1, OP_RETURN};
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::{Amount, ScriptBuf, Transaction, TxOut};
use devchain::{EmbeddedChain, ReorgPolicy, RuneSupply};
use engine::asset_index::{AssetIndex as _, RuneEntry};
use futures_util::FutureExt as _;
use ordinals::{Edict, Etching, Rune, RuneId, Runestone, SpacedRune, Terms};

use super::node::{anyone_can_spend, carried, coin, height, mine, node, output_of, pays, spend, taproot};

fn message(runestone: &Runestone) -> TxOut {
    TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() }
}

fn runes(node: &EmbeddedChain, transaction: &Transaction, vout: u32) -> Vec<(RuneId, u128)> {
    carried(node, output_of(transaction, vout)).expect("an output").runes
}

fn entry(node: &EmbeddedChain, name: SpacedRune) -> Option<RuneEntry> {
    node.rune(name).now_or_never().expect("an answer").expect("an answer")
}

/// Etches in a block of its own.
fn etch(node: &EmbeddedChain, etching: Etching) -> (RuneId, Transaction) {
    let coin = coin(node, 20_000);
    let runestone = Runestone { etching: Some(etching), ..Runestone::default() };
    let transaction = spend(&[coin], &[pays(10_000), message(&runestone)]);
    mine(node, &transaction);
    (RuneId { block: height(node).into(), tx: 1 }, transaction)
}

#[test]
fn the_faucet_etches_a_rune_into_one_output() {
    let node = node();
    let (id, outpoint) = node.etch(&anyone_can_spend(), 3, 1_000_000).unwrap();
    assert_eq!(carried(&node, outpoint).unwrap().runes, [(id, 1_000_000)]);
    assert_eq!(node.rune_supply(id), Some(RuneSupply { issued: 1_000_000, burned: 0 }));
    let name = SpacedRune { rune: Rune::reserved(id.block, id.tx), spacers: 0 };
    assert_eq!(entry(&node, name), Some(RuneEntry { id, name, divisibility: 3 }));
    assert_eq!(entry(&node, SpacedRune { rune: Rune(7), spacers: 0 }), None);
}

#[test]
fn edicts_and_the_pointer_allocate_runes() {
    let node = node();
    let (id, outpoint) = node.etch(&anyone_can_spend(), 0, 100).unwrap();
    let more = coin(&node, 10_000);
    let edicts = vec![Edict { id, amount: 30, output: 2 }, Edict { id, amount: 500, output: 9 }];
    let runestone = Runestone { edicts: edicts[..1].to_vec(), pointer: Some(1), ..Runestone::default() };
    let sent = spend(&[outpoint, more], &[pays(1_000), pays(1_000), pays(1_000), message(&runestone)]);
    mine(&node, &sent);
    assert_eq!(runes(&node, &sent, 0), []);
    assert_eq!(runes(&node, &sent, 1), [(id, 70)]);
    assert_eq!(runes(&node, &sent, 2), [(id, 30)]);
    // Without a runestone all of them go to the first output.
    let plain = spend(&[output_of(&sent, 1), output_of(&sent, 2)], &[pays(900), pays(900)]);
    mine(&node, &plain);
    assert_eq!(runes(&node, &plain, 0), [(id, 100)]);
    // An edict for a missing output burns all of them.
    let wrong = Runestone { edicts, pointer: None, ..Runestone::default() };
    let burned = spend(&[output_of(&plain, 0)], &[pays(300), message(&wrong)]);
    mine(&node, &burned);
    assert_eq!(runes(&node, &burned, 0), []);
    assert_eq!(node.rune_supply(id), Some(RuneSupply { issued: 100, burned: 100 }));
    node.reorg(2, ReorgPolicy::Drop).unwrap();
    assert_eq!(runes(&node, &sent, 1), [(id, 70)]);
    assert_eq!(node.rune_supply(id), Some(RuneSupply { issued: 100, burned: 0 }));
}

#[test]
fn a_cenotaph_burns_everything() {
    let node = node();
    let (id, outpoint) = node.etch(&anyone_can_spend(), 0, 100).unwrap();
    let more = coin(&node, 10_000);
    let script = Builder::new().push_opcode(OP_RETURN).push_opcode(Runestone::MAGIC_NUMBER).push_opcode(OP_CHECKSIG);
    let cenotaph = TxOut { value: Amount::ZERO, script_pubkey: script.into_script() };
    let burned = spend(&[outpoint, more], &[pays(1_000), cenotaph]);
    mine(&node, &burned);
    assert_eq!(runes(&node, &burned, 0), []);
    assert_eq!(node.rune_supply(id), Some(RuneSupply { issued: 100, burned: 100 }));
}

#[test]
fn a_rune_is_minted_while_its_terms_allow() {
    let node = node();
    let terms = Terms { amount: Some(7), cap: Some(2), height: (None, None), offset: (Some(3), Some(7)) };
    let etching = Etching { terms: Some(terms), premine: Some(1), ..Etching::default() };
    let (id, _) = etch(&node, etching);
    let runestone = Runestone { mint: Some(id), ..Runestone::default() };
    let mint = || {
        let coin = coin(&node, 10_000);
        let transaction = spend(&[coin], &[pays(1_000), message(&runestone)]);
        mine(&node, &transaction);
        runes(&node, &transaction, 0)
    };
    // Every mint here takes two blocks, its coin being the first: the etching's height + 2 is too early.
    assert_eq!(mint(), []);
    assert_eq!(mint(), [(id, 7)]);
    assert_eq!(mint(), [(id, 7)]);
    assert_eq!(mint(), []);
    assert_eq!(node.rune_supply(id), Some(RuneSupply { issued: 15, burned: 0 }));
    // And after the end there is none even when the cap is not reached.
    let terms = Terms { offset: (None, Some(2)), ..terms };
    let (id, _) = etch(&node, Etching { terms: Some(terms), ..Etching::default() });
    let late = Runestone { mint: Some(id), ..Runestone::default() };
    let coin = coin(&node, 10_000);
    let transaction = spend(&[coin], &[pays(1_000), message(&late)]);
    mine(&node, &transaction);
    assert_eq!(runes(&node, &transaction, 0), []);
}

/// A rune name, and the script that commits to it.
fn announced(name: &str) -> (SpacedRune, ScriptBuf) {
    let name: SpacedRune = name.parse().expect("a name");
    let push = PushBytesBuf::try_from(name.rune.commitment()).expect("short");
    let script = Builder::new().push_slice(push).push_opcode(OP_DROP).push_opcode(OP_PUSHNUM_1).into_script();
    (name, script)
}

#[test]
fn a_name_is_etched_only_after_a_commitment_six_blocks_before() {
    let node = node();
    let (name, script) = announced("LIEN•BOOK•TESTING");
    let etching =
        Etching { rune: Some(name.rune), spacers: Some(name.spacers), premine: Some(5), ..Etching::default() };
    let runestone = Runestone { etching: Some(etching), ..Runestone::default() };
    let (announcement, witness) = taproot(&script);
    let reveal = |coin| {
        let mut transaction = spend(&[coin], &[pays(1_000), message(&runestone)]);
        transaction.input[0].witness = witness.clone();
        transaction
    };
    let early = node.fund(&announcement, Amount::from_sat(10_000)).unwrap();
    node.mine(1).unwrap();
    // With its own block and the reveal's it will have five confirmations.
    let coin = node.fund(&announcement, Amount::from_sat(10_000)).unwrap();
    node.mine(3).unwrap();
    let too_young = reveal(coin);
    mine(&node, &too_young);
    assert_eq!((runes(&node, &too_young, 0), entry(&node, name)), (vec![], None));
    let old_enough = reveal(early);
    mine(&node, &old_enough);
    let id = RuneId { block: height(&node).into(), tx: 1 };
    assert_eq!(runes(&node, &old_enough, 0), [(id, 5)]);
    // Names that differ only in spacers are equal, and each name exists once.
    assert_eq!(entry(&node, SpacedRune { spacers: 0, ..name }).map(|entry| (entry.id, entry.name)), Some((id, name)));
    let again = node.fund(&announcement, Amount::from_sat(10_000)).unwrap();
    node.mine(6).unwrap();
    let second = reveal(again);
    mine(&node, &second);
    assert_eq!(runes(&node, &second, 0), []);
}
