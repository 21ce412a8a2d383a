//! Tests of rejections by the transaction alone.

use bitcoin::hashes::Hash as _;
use bitcoin::opcodes::all::{OP_CHECKMULTISIG, OP_DUP, OP_PUSHNUM_1};
use bitcoin::script::Builder;
use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut, Txid};

use super::node::{anyone_can_spend, coin, node, padding, pays, refusal, send, spend, test, versioned};

fn to(script_pubkey: ScriptBuf, sats: u64) -> TxOut {
    TxOut { value: Amount::from_sat(sats), script_pubkey }
}

#[test]
fn a_transaction_has_inputs_and_outputs() {
    let node = node();
    let coin = coin(&node, 10_000);
    assert_eq!(refusal(&node, &spend(&[], &[pays(1_000)])), "TX decode failed");
    assert_eq!(refusal(&node, &spend(&[coin], &[])), "bad-txns-vout-empty");
    assert_eq!(refusal(&node, &spend(&[coin, coin], &[pays(1_000)])), "bad-txns-inputs-duplicate");
    assert_eq!(refusal(&node, &spend(&[coin, OutPoint::null()], &[pays(1_000)])), "bad-txns-prevout-null");
    assert_eq!(refusal(&node, &spend(&[coin], &[padding(1_000_000)])), "bad-txns-oversize");
}

#[test]
fn amounts_are_within_the_money_range() {
    let node = node();
    let coin = coin(&node, 10_000);
    let max = Amount::MAX_MONEY.to_sat();
    for (outputs, reason) in [
        (vec![pays(u64::MAX)], "bad-txns-vout-negative"),
        (vec![pays(max + 1)], "bad-txns-vout-toolarge"),
        (vec![pays(max), pays(1)], "bad-txns-txouttotal-toolarge"),
        (vec![pays(10_001)], "bad-txns-in-belowout"),
    ] {
        assert_eq!(refusal(&node, &spend(&[coin], &outputs)), reason);
    }
}

#[test]
fn a_coinbase_comes_only_in_a_block() {
    let node = node();
    let mut coinbase = node.block(1).unwrap().txdata[0].clone();
    coinbase.input[0].script_sig = ScriptBuf::from_bytes(vec![0x51; 2]);
    assert_eq!(refusal(&node, &coinbase), "coinbase");
    coinbase.input[0].script_sig = ScriptBuf::from_bytes(vec![0x51]);
    assert_eq!(refusal(&node, &coinbase), "bad-cb-length");
}

#[test]
fn versions_one_to_three_are_relayed() {
    let node = node();
    for version in [1, 2, 3] {
        let coin = coin(&node, 10_000);
        assert_eq!(send(&node, &[versioned(spend(&[coin], &[pays(9_000)]), version)]), Ok(()));
    }
    let coin = coin(&node, 10_000);
    for version in [0, 4, -1, i32::MIN] {
        assert_eq!(refusal(&node, &versioned(spend(&[coin], &[pays(9_000)]), version)), "version");
    }
}

#[test]
fn weight_is_bounded_on_both_sides() {
    let node = node();
    let coin = coin(&node, 100_000);
    assert_eq!(refusal(&node, &spend(&[coin], &[padding(100_000)])), "tx-size");
    assert_eq!(test(&node, &[spend(&[coin], &[pays(1_000), padding(99_000)])]), Ok(()));
    let tiny = to(ScriptBuf::from_bytes(vec![0x6a]), 0);
    assert_eq!(refusal(&node, &spend(&[coin], &[tiny])), "tx-size-small");
}

#[test]
fn signature_scripts_are_short_and_only_push() {
    let node = node();
    let coin = coin(&node, 10_000);
    let mut transaction = spend(&[coin], &[pays(9_000)]);
    transaction.input[0].script_sig = ScriptBuf::from_bytes(vec![0x00; 1_651]);
    assert_eq!(refusal(&node, &transaction), "scriptsig-size");
    transaction.input[0].script_sig = Builder::new().push_opcode(OP_DUP).into_script();
    assert_eq!(refusal(&node, &transaction), "scriptsig-not-pushonly");
}

#[test]
fn only_scripts_of_a_known_kind_are_paid() {
    let node = node();
    let coin = coin(&node, 10_000);
    let key = [2_u8; 33];
    let multisig = |keys: i64| {
        let mut builder = Builder::new().push_opcode(OP_PUSHNUM_1);
        for _ in 0..keys {
            builder = builder.push_slice(key);
        }
        builder.push_int(keys).push_opcode(OP_CHECKMULTISIG).into_script()
    };
    let hash = bitcoin::PubkeyHash::from_byte_array([1; 20]);
    let known = [
        anyone_can_spend(),
        multisig(1),
        multisig(3),
        ScriptBuf::new_p2pkh(&hash),
        ScriptBuf::new_p2wpkh(&bitcoin::WPubkeyHash::from_byte_array([1; 20])),
        ScriptBuf::new_p2sh(&anyone_can_spend().script_hash()),
        ScriptBuf::new_p2a(),
        // A witness program of a future version.
        ScriptBuf::from_bytes([&[0x52, 0x20][..], &[7; 32]].concat()),
        Builder::new().push_slice(key).push_opcode(bitcoin::opcodes::all::OP_CHECKSIG).into_script(),
    ];
    for script in known {
        let outputs = [to(script.clone(), 5_000), pays(4_000)];
        assert_eq!(test(&node, &[spend(&[coin], &outputs)]), Ok(()), "{script}");
    }
    let many_pushes = Builder::new().push_opcode(OP_PUSHNUM_1).into_script().into_bytes();
    let many_pushes = [many_pushes, vec![0; 5_000]].concat();
    let unknown = [
        Builder::new().push_opcode(OP_PUSHNUM_1).into_script(),
        multisig(4),
        ScriptBuf::new(),
        ScriptBuf::from_bytes([&[0x00, 0x15][..], &[7; 21]].concat()),
        ScriptBuf::from_bytes(many_pushes),
    ];
    for script in unknown {
        assert_eq!(refusal(&node, &spend(&[coin], &[to(script.clone(), 9_000)])), "scriptpubkey", "{script}");
    }
    for data in [[0x6a, 0x76], [0x6a, 0x20]] {
        let outputs = [to(ScriptBuf::from_bytes(data.to_vec()), 0), pays(9_000)];
        assert_eq!(refusal(&node, &spend(&[coin], &outputs)), "scriptpubkey");
    }
}

#[test]
fn unspendable_outputs_and_excessive_fees_are_refused() {
    let node = node();
    let coin = coin(&node, 2_000_000);
    // Money in a data output is valid, and relayed for others; a node's own user is protected from it.
    let burning = spend(&[coin], &[to(ScriptBuf::new_op_return([1]), 1), pays(1_990_000)]);
    assert_eq!(test(&node, std::slice::from_ref(&burning)), Ok(()));
    let why = "Unspendable output exceeds maximum configured by user (maxburnamount)";
    assert_eq!(send(&node, &[burning]), Err(why.into()));
    let size = u64::try_from(spend(&[coin], &[pays(1)]).vsize()).unwrap();
    let most = size * 10_000;
    assert_eq!(refusal(&node, &spend(&[coin], &[pays(2_000_000 - most - 1)])), "max-fee-exceeded");
    assert_eq!(send(&node, &[spend(&[coin], &[pays(2_000_000 - most)])]), Ok(()));
}

#[test]
fn an_output_that_costs_more_to_spend_than_it_holds_is_dust() {
    let node = node();
    let coin = coin(&node, 10_000);
    let key_hash = bitcoin::PubkeyHash::from_byte_array([1; 20]);
    let taproot = ScriptBuf::from_bytes([&[0x51, 0x20][..], &[7; 32]].concat());
    for (script, least) in [
        (ScriptBuf::new_p2wpkh(&bitcoin::WPubkeyHash::from_byte_array([1; 20])), 294),
        (anyone_can_spend(), 330),
        (taproot, 330),
        (ScriptBuf::new_p2sh(&anyone_can_spend().script_hash()), 540),
        (ScriptBuf::new_p2pkh(&key_hash), 546),
    ] {
        let outputs = |sats| [to(script.clone(), sats), pays(9_000)];
        assert_eq!(test(&node, &[spend(&[coin], &outputs(least))]), Ok(()), "{script}");
        assert_eq!(refusal(&node, &spend(&[coin], &outputs(least - 1))), "dust", "{script}");
    }
    // Two dust outputs are refused even without a fee.
    assert_eq!(refusal(&node, &spend(&[coin], &[pays(1), pays(1), pays(9_998)])), "dust");
    assert_eq!(refusal(&node, &spend(&[coin], &[pays(1), pays(9_999)])), "min relay fee not met");
}

#[test]
fn a_data_output_is_not_dust_and_there_may_be_several() {
    let node = node();
    let coin = coin(&node, 50_000);
    let transaction = spend(&[coin], &[padding(10), padding(40_000), pays(30_000)]);
    assert_eq!(send(&node, &[transaction]), Ok(()));
}

#[test]
fn signature_checks_are_bounded() {
    let node = node();
    let coin = coin(&node, 1_000_000);
    let multisig = Builder::new()
        .push_opcode(OP_PUSHNUM_1)
        .push_slice([2; 33])
        .push_opcode(OP_PUSHNUM_1)
        .push_opcode(OP_CHECKMULTISIG)
        .into_script();
    // A bare multisig counts as twenty checks, each with a weight of four.
    let outputs = |count| vec![to(multisig.clone(), 1_000); count];
    assert_eq!(test(&node, &[spend(&[coin], &outputs(200))]), Ok(()));
    assert_eq!(refusal(&node, &spend(&[coin], &outputs(201))), "bad-txns-too-many-sigops");
}

#[test]
fn a_missing_output_cannot_be_spent() {
    let node = node();
    let absent = OutPoint::new(Txid::from_byte_array([9; 32]), 0);
    let transaction = spend(&[absent], &[pays(1_000)]);
    assert_eq!(test(&node, std::slice::from_ref(&transaction)), Err("missing-inputs".into()));
    assert_eq!(send(&node, &[transaction]), Err("bad-txns-inputs-missingorspent".into()));
}
