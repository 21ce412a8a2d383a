//! Tests of the locations of inscriptions.

use bitcoin::opcodes::all::{OP_ENDIF, OP_IF, OP_PUSHNUM_1};
use bitcoin::script::Builder;
use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut};
use devchain::ReorgPolicy;
use engine::asset_index::{Inscribed, InscriptionId};

use super::node::{by_script, carried, coin, inscribed, mine, node, output_of, pays, place_of, send, spend, unspent};

#[test]
fn an_inscription_begins_on_the_first_sat_of_its_output() {
    let node = node();
    let (id, outpoint) = inscribed(&node, 546);
    assert_eq!(place_of(&node, id), Some((outpoint, 0)));
    let found = carried(&node, outpoint).unwrap();
    assert_eq!(found.inscriptions, [Inscribed { id, offset: Amount::ZERO }]);
    assert_eq!(unspent(&node, outpoint).unwrap().output.value, Amount::from_sat(546));
    assert_eq!(place_of(&node, InscriptionId { index: 1, ..id }), None);
}

#[test]
fn it_travels_first_in_first_out() {
    let node = node();
    let (id, outpoint) = inscribed(&node, 10_000);
    let before = coin(&node, 3_000);
    let moved = spend(&[before, outpoint], &[pays(1_000), pays(5_000), pays(6_000)]);
    mine(&node, &moved);
    assert_eq!(place_of(&node, id), Some((output_of(&moved, 1), 2_000)));
    assert_eq!(carried(&node, outpoint), None);
    assert!(carried(&node, output_of(&moved, 0)).unwrap().is_plain());
    // It stays on its sat when that is the last of its output; the next sat belongs to another output.
    let again = spend(&[output_of(&moved, 1)], &[pays(2_000), pays(2_900)]);
    mine(&node, &again);
    assert_eq!(place_of(&node, id), Some((output_of(&again, 1), 0)));
    let again = spend(&[output_of(&again, 1), output_of(&again, 0)], &[pays(1), pays(2_899)]);
    mine(&node, &again);
    assert_eq!(place_of(&node, id), Some((output_of(&again, 0), 0)));
}

#[test]
fn mempool_transactions_are_not_indexed() {
    let node = node();
    let (id, outpoint) = inscribed(&node, 10_000);
    let moved = spend(&[outpoint], &[pays(9_000)]);
    send(&node, std::slice::from_ref(&moved)).unwrap();
    assert_eq!(place_of(&node, id), Some((outpoint, 0)));
    assert!(carried(&node, outpoint).is_some());
    assert_eq!(carried(&node, output_of(&moved, 0)), None);
    node.mine(1).unwrap();
    assert_eq!(place_of(&node, id), Some((output_of(&moved, 0), 0)));
}

#[test]
fn spent_as_a_fee_it_has_no_location_and_in_a_data_output_it_stays() {
    let node = node();
    let (id, outpoint) = inscribed(&node, 10_000);
    let before = coin(&node, 3_000);
    mine(&node, &spend(&[before, outpoint], &[pays(3_000)]));
    assert_eq!(place_of(&node, id), None);

    let (id, outpoint) = inscribed(&node, 10_000);
    let data = TxOut { value: Amount::from_sat(10_000), script_pubkey: ScriptBuf::new_op_return([1]) };
    let burned = spend(&[outpoint], &[data]);
    mine(&node, &burned);
    assert_eq!(place_of(&node, id), Some((output_of(&burned, 0), 0)));
    assert_eq!(carried(&node, output_of(&burned, 0)), None);
}

/// Envelopes with these fields, one after another, before a script that is always true. Field 0 is the content.
pub(super) fn script_of(envelopes: &[&[(u8, &[u8])]]) -> ScriptBuf {
    let mut builder = Builder::new();
    for fields in envelopes {
        builder = builder.push_int(0).push_opcode(OP_IF).push_slice(b"ord");
        for (field, value) in *fields {
            let mut push = bitcoin::script::PushBytesBuf::new();
            push.extend_from_slice(value).expect("short");
            builder = if *field == 0 { builder.push_int(0) } else { builder.push_slice([*field]) };
            builder = builder.push_slice(push);
        }
        builder = builder.push_opcode(OP_ENDIF);
    }
    builder.push_opcode(OP_PUSHNUM_1).into_script()
}

#[test]
fn a_script_reveals_all_its_inscriptions_at_their_pointers() {
    let node = node();
    // The second points at sat 2,000 of the outputs, the third beyond all of them, the fourth has an unknown field.
    let script = script_of(&[&[], &[(2, &[0xd0, 0x07])], &[(2, &[0xff; 4])], &[(66, &[])]]);
    let reveal = by_script(&node, &script, 10_000, &[pays(1_500), pays(1_000)]);
    mine(&node, &reveal);
    let id = |index| InscriptionId { txid: reveal.compute_txid(), index };
    assert_eq!(place_of(&node, id(0)), Some((output_of(&reveal, 0), 0)));
    assert_eq!(place_of(&node, id(1)), Some((output_of(&reveal, 1), 500)));
    assert_eq!(place_of(&node, id(2)), Some((output_of(&reveal, 0), 0)));
    assert_eq!(place_of(&node, id(3)), None);
    let first = carried(&node, output_of(&reveal, 0)).unwrap();
    assert_eq!(first.inscriptions.iter().map(|inscribed| inscribed.id.index).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn a_reorg_restores_its_location() {
    let node = node();
    let (id, outpoint) = inscribed(&node, 10_000);
    let moved = spend(&[outpoint], &[pays(9_000)]);
    mine(&node, &moved);
    node.reorg(1, ReorgPolicy::Requeue).unwrap();
    assert_eq!(place_of(&node, id), Some((outpoint, 0)));
    node.mine(1).unwrap();
    assert_eq!(place_of(&node, id), Some((output_of(&moved, 0), 0)));
    node.reorg(4, ReorgPolicy::Drop).unwrap();
    assert_eq!(place_of(&node, id), None);
    assert_eq!(carried(&node, outpoint), None);
}

#[test]
fn the_faucet_pays_with_plain_coins() {
    let node = node();
    let (_, outpoint) = inscribed(&node, 546);
    for _ in 0..5 {
        let coin: OutPoint = coin(&node, 1_000);
        assert!(carried(&node, coin).unwrap().is_plain());
    }
    assert!(!carried(&node, outpoint).unwrap().is_plain());
}
