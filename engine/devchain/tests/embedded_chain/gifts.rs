//! Tests of the faucet's gifts.

use bitcoin::{Amount, OutPoint};
use devchain::{ControlError, EmbeddedChain, Gift, NewRune, PreparedGift};
use engine::asset_index::{AssetIndex as _, Brc20Index as _, Inscribed, RuneEntry};
use futures_util::FutureExt as _;
use ordinals::{RuneId, SpacedRune};

use super::node::{anyone_can_spend, carried, height, node, send, unspent};

const WHOLE: u128 = 1_000_000_000_000_000_000;

/// Prepares a gift for the script without a signature, and broadcasts it.
fn give(chain: &EmbeddedChain, gift: &Gift) -> PreparedGift {
    let present = chain.prepare(&anyone_can_spend(), gift).expect("the faucet gives");
    for transaction in &present.transactions {
        send(chain, std::slice::from_ref(transaction)).expect("it is accepted");
    }
    present
}

fn new_rune(name: &str, outputs: u32) -> NewRune {
    let name: SpacedRune = name.parse().expect("a name");
    NewRune { name, divisibility: 3, symbol: Some('*'), premine: 1_000_001, outputs }
}

fn entry(chain: &EmbeddedChain, name: SpacedRune) -> Option<RuneEntry> {
    chain.rune(name).now_or_never().expect("an answer").expect("an answer")
}

#[test]
fn runes_are_etched_with_their_own_names_six_blocks_later() {
    let chain = node();
    let runes = [new_rune("PAPER•FROG•PARADE", 4), new_rune("QUIET•HARBOUR•LIGHTS", 1)];
    let ids = chain.etch_runes(&runes).expect("the names are free");
    assert_eq!(ids, [RuneId { block: 156, tx: 1 }, RuneId { block: 156, tx: 2 }]);
    for (rune, id) in runes.iter().zip(&ids) {
        assert_eq!(entry(&chain, rune.name), Some(RuneEntry { id: *id, name: rune.name, divisibility: 3 }));
        assert_eq!(chain.rune_supply(*id).expect("a rune").issued, 1_000_001);
    }
    let etched = chain.block(156).expect("a block").txdata[1].compute_txid();
    let parts: Vec<_> =
        (0..4).map(|vout| carried(&chain, OutPoint::new(etched, vout)).expect("an output").runes).collect();
    let part = |amount| vec![(ids[0], amount)];
    assert_eq!(parts, [part(250_001), part(250_000), part(250_000), part(250_000)]);
    // A name can be etched once, and too short a name is not available yet.
    assert_eq!(chain.etch_runes(&runes[..1]), Err(ControlError::RuneName(runes[0].name)));
    let short = new_rune("FROG", 1);
    assert_eq!(chain.etch_runes(std::slice::from_ref(&short)), Err(ControlError::RuneName(short.name)));
}

#[test]
fn gifts_are_unconfirmed_until_the_next_block_and_match_the_request() {
    let chain = node();
    let ids = chain.etch_runes(&[new_rune("PAPER•FROG•PARADE", 2)]).expect("the name is free");
    let deploy = br#"{"p":"brc-20","op":"deploy","tick":"lien","max":"1000","lim":"1000"}"#;
    chain.inscribe(&anyone_can_spend(), Amount::from_sat(1_000), "text/plain", deploy).expect("a deployment");
    chain.split_coins(40, Amount::from_sat(100_000_000)).expect("the faucet has enough");
    let before = height(&chain);
    let coins = give(&chain, &Gift::Coins(Amount::from_sat(123_456)));
    let picture = Gift::Inscription { content_type: "image/svg+xml".to_owned(), body: vec![b'x'; 6_000] };
    let pictures = [give(&chain, &picture), give(&chain, &picture)];
    let runes =
        [give(&chain, &Gift::Runes { rune: ids[0], raw: 700 }), give(&chain, &Gift::Runes { rune: ids[0], raw: 1 })];
    let refused = chain.prepare(&anyone_can_spend(), &Gift::Runes { rune: ids[0], raw: 1 });
    assert_eq!(refused, Err(ControlError::RunesUsedUp { rune: ids[0], wanted: 1 }), "the mempool spends both outputs");
    let balance = give(&chain, &Gift::Balance { ticker: "lien".to_owned(), raw: 30 * WHOLE });
    let note = give(&chain, &Gift::TransferInscription { ticker: "lien".to_owned(), raw: 5 * WHOLE / 2 });
    assert_eq!(height(&chain), before, "nothing is mined");
    chain.mine(1).expect("a block");
    assert!(chain.mempool_txids().is_empty());
    assert_eq!(unspent(&chain, coins.outpoint).expect("a coin").output.value.to_sat(), 123_456);
    assert!(carried(&chain, coins.outpoint).expect("a coin").is_plain());
    assert_ne!(pictures[0].inscription, pictures[1].inscription);
    for present in pictures.iter().chain([&balance, &note]) {
        let inscribed = Inscribed { id: present.inscription.expect("an inscription"), offset: Amount::ZERO };
        let found = carried(&chain, present.outpoint).expect("an output");
        assert_eq!((found.inscriptions, found.runes), (vec![inscribed], vec![]));
    }
    for (present, raw) in runes.iter().zip([700, 1]) {
        let found = carried(&chain, present.outpoint).expect("an output");
        assert_eq!((found.inscriptions, found.runes), (vec![], vec![(ids[0], raw)]));
        assert_eq!(present.inscription, None);
    }
    assert_eq!(chain.rune_supply(ids[0]).expect("a rune").burned, 0);
    let owned = chain.balance(&anyone_can_spend(), "lien").now_or_never().expect("an answer").expect("an answer");
    assert_eq!((owned.available, owned.transferable), (30 * WHOLE, 5 * WHOLE / 2));
    let known = chain
        .transfer_inscription(note.inscription.expect("a note"))
        .now_or_never()
        .expect("an answer")
        .expect("an answer");
    let known = known.expect("a valid note");
    assert_eq!((known.amount, known.owner, known.is_used), (5 * WHOLE / 2, anyone_can_spend(), false));
    // The rest of the runes returned to the faucet, and can be given again.
    give(&chain, &Gift::Runes { rune: ids[0], raw: 499_000 });
}

#[test]
fn the_faucet_refuses_gifts_that_it_does_not_hold() {
    let chain = node();
    let ids = chain.etch_runes(&[new_rune("PAPER•FROG•PARADE", 1)]).expect("the name is free");
    let ask = |gift| chain.prepare(&anyone_can_spend(), &gift).expect_err("nothing");
    let rune = ids[0];
    for raw in [0, 1_000_002] {
        assert_eq!(ask(Gift::Runes { rune, raw }), ControlError::RunesUsedUp { rune, wanted: raw });
    }
    let other = RuneId { block: 7, tx: 7 };
    assert_eq!(ask(Gift::Runes { rune: other, raw: 1 }), ControlError::RunesUsedUp { rune: other, wanted: 1 });
    assert!(matches!(ask(Gift::Coins(Amount::MAX_MONEY)), ControlError::FaucetEmpty { .. }));
}
