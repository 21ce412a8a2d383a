//! Tests of BRC-20 balances and transfer inscriptions.

use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut};
use devchain::{EmbeddedChain, ReorgPolicy};
use engine::asset_index::{Brc20Balance, Brc20Index as _, InscriptionId, TransferInscription};
use futures_util::FutureExt as _;

use super::inscriptions::script_of;
use super::node::{anyone_can_spend, by_script, coin, mine, node, output_of, pays, spend};

const WHOLE: u128 = 1_000_000_000_000_000_000;

/// A second owner.
fn other() -> ScriptBuf {
    ScriptBuf::new_p2a()
}

fn inscribe(node: &EmbeddedChain, owner: &ScriptBuf, what: &str) -> InscriptionId {
    let body = format!(r#"{{"p":"brc-20",{what}}}"#);
    node.inscribe(owner, Amount::from_sat(546), "text/plain;charset=utf-8", body.as_bytes()).expect("the faucet pays")
}

/// The available and transferable balance, in thousandths of a token.
fn balance(node: &EmbeddedChain, owner: &ScriptBuf) -> (u128, u128) {
    let found = node.balance(owner, "LIEN").now_or_never().expect("an answer").expect("an answer");
    let Brc20Balance { available, transferable } = found;
    (available * 1_000 / WHOLE, transferable * 1_000 / WHOLE)
}

fn note(node: &EmbeddedChain, id: InscriptionId) -> Option<TransferInscription> {
    node.transfer_inscription(id).now_or_never().expect("an answer").expect("an answer")
}

/// A chain on which the script without a signature owns 1,000 of the ticker.
fn market() -> EmbeddedChain {
    let node = node();
    inscribe(&node, &anyone_can_spend(), r#""op":"deploy","tick":"lien","max":"2500","lim":"1000""#);
    inscribe(&node, &anyone_can_spend(), r#""op":"mint","tick":"lien","amt":"1000""#);
    node
}

#[test]
fn a_minter_receives_tokens_until_the_supply_is_minted() {
    let node = market();
    assert_eq!(balance(&node, &anyone_can_spend()), (1_000_000, 0));
    // Too much at once, too many decimals, another ticker and a second deployment have no effect.
    inscribe(&node, &anyone_can_spend(), r#""op":"mint","tick":"lien","amt":"1000.5""#);
    inscribe(&node, &anyone_can_spend(), r#""op":"mint","tick":"lime","amt":"1""#);
    inscribe(&node, &anyone_can_spend(), r#""op":"deploy","tick":"LIEN","max":"9""#);
    assert_eq!(node.brc20_minted("lien"), Some(1_000 * WHOLE));
    inscribe(&node, &other(), r#""op":"mint","tick":"LIEN","amt":"999.5""#);
    assert_eq!(balance(&node, &other()), (999_500, 0));
    // The last mint gets the rest.
    inscribe(&node, &other(), r#""op":"mint","tick":"lien","amt":"1000""#);
    assert_eq!(balance(&node, &other()), (1_500_000, 0));
    inscribe(&node, &other(), r#""op":"mint","tick":"lien","amt":"1""#);
    assert_eq!(node.brc20_minted("lien"), Some(2_500 * WHOLE));
}

#[test]
fn a_transfer_inscription_moves_its_balance_once() {
    let node = market();
    let id = inscribe(&node, &anyone_can_spend(), r#""op":"transfer","tick":"lien","amt":"400""#);
    assert_eq!(balance(&node, &anyone_can_spend()), (600_000, 400_000));
    let expected =
        TransferInscription { ticker: "lien".into(), amount: 400 * WHOLE, owner: anyone_can_spend(), is_used: false };
    assert_eq!(note(&node, id), Some(expected.clone()));
    let moved = spend(&[OutPoint::new(id.txid, 0)], &[TxOut { value: Amount::from_sat(546), script_pubkey: other() }]);
    mine(&node, &moved);
    assert_eq!((balance(&node, &anyone_can_spend()), balance(&node, &other())), ((600_000, 0), (400_000, 0)));
    assert_eq!(note(&node, id), Some(TransferInscription { is_used: true, ..expected.clone() }));
    // A second move has no effect on balances.
    let mut back = spend(&[output_of(&moved, 0)], &[pays(546)]);
    back.input[0].witness.clear();
    mine(&node, &back);
    assert_eq!((balance(&node, &anyone_can_spend()), balance(&node, &other())), ((600_000, 0), (400_000, 0)));
    node.reorg(2, ReorgPolicy::Drop).unwrap();
    assert_eq!((balance(&node, &anyone_can_spend()), balance(&node, &other())), ((600_000, 400_000), (0, 0)));
    assert_eq!(note(&node, id), Some(expected));
}

#[test]
fn a_transfer_inscription_spent_as_a_fee_returns_to_its_owner() {
    let node = market();
    let id = inscribe(&node, &anyone_can_spend(), r#""op":"transfer","tick":"lien","amt":"400""#);
    let before = coin(&node, 1_000);
    mine(&node, &spend(&[before, OutPoint::new(id.txid, 0)], &[pays(1_000)]));
    assert_eq!(balance(&node, &anyone_can_spend()), (1_000_000, 0));
    assert_eq!(note(&node, id).map(|note| note.is_used), Some(true));
}

#[test]
fn a_transfer_inscription_sent_to_its_owner_is_available_again() {
    let node = market();
    let id = inscribe(&node, &anyone_can_spend(), r#""op":"transfer","tick":"lien","amt":"0.001""#);
    assert_eq!(balance(&node, &anyone_can_spend()), (999_999, 1));
    mine(&node, &spend(&[OutPoint::new(id.txid, 0)], &[pays(500)]));
    assert_eq!(balance(&node, &anyone_can_spend()), (1_000_000, 0));
}

#[test]
fn a_transfer_above_the_available_balance_is_invalid() {
    let node = market();
    let first = inscribe(&node, &anyone_can_spend(), r#""op":"transfer","tick":"lien","amt":"700""#);
    let second = inscribe(&node, &anyone_can_spend(), r#""op":"transfer","tick":"lien","amt":"301""#);
    assert!(note(&node, first).is_some());
    assert_eq!(note(&node, second), None);
    assert_eq!(balance(&node, &anyone_can_spend()), (300_000, 700_000));
    let of_another_user = inscribe(&node, &other(), r#""op":"transfer","tick":"lien","amt":"1""#);
    assert_eq!(note(&node, of_another_user), None);
}

#[test]
fn a_five_letter_ticker_is_minted_by_its_deployer_alone() {
    let node = node();
    let deployment =
        inscribe(&node, &anyone_can_spend(), r#""op":"deploy","tick":"liens","max":"0","self_mint":"true""#);
    inscribe(&node, &anyone_can_spend(), r#""op":"mint","tick":"liens","amt":"5""#);
    assert_eq!(node.brc20_minted("liens"), Some(0));
    // A child names its parent, which passes through the same transaction.
    let body = br#"{"p":"brc-20","op":"mint","tick":"liens","amt":"5"}"#;
    let script = script_of(&[&[(1, b"text/plain"), (3, deployment.txid.as_ref()), (0, body)]]);
    let orphan = by_script(&node, &script, 1_000, &[pays(1_000)]);
    mine(&node, &orphan);
    assert_eq!(node.brc20_minted("liens"), Some(0));
    let mut child = by_script(&node, &script, 1_000, &[pays(1_000), pays(546)]);
    child.input.extend(spend(&[OutPoint::new(deployment.txid, 0)], &[]).input);
    mine(&node, &child);
    assert_eq!(node.brc20_minted("liens"), Some(5 * WHOLE));
}

#[test]
fn an_irregular_inscription_is_not_an_operation() {
    let node = market();
    let body = br#"{"p":"brc-20","op":"mint","tick":"lien","amt":"5"}"#;
    let kind: (u8, &[u8]) = (1, b"text/plain");
    let content: (u8, &[u8]) = (0, body);
    // After another envelope, with a pointer, and in the second input.
    let behind = by_script(&node, &script_of(&[&[], &[kind, content]]), 1_000, &[pays(1_000)]);
    let pointed = by_script(&node, &script_of(&[&[(2, &[1]), kind, content]]), 1_000, &[pays(1_000)]);
    let mut second = by_script(&node, &script_of(&[&[kind, content]]), 1_000, &[pays(1_500)]);
    second.input.insert(0, spend(&[coin(&node, 1_000)], &[]).input.remove(0));
    for transaction in [behind, pointed, second] {
        mine(&node, &transaction);
        assert_eq!(node.brc20_minted("lien"), Some(1_000 * WHOLE));
    }
    let regular = by_script(&node, &script_of(&[&[kind, content]]), 1_000, &[pays(1_000)]);
    mine(&node, &regular);
    assert_eq!(node.brc20_minted("lien"), Some(1_005 * WHOLE));
}
