//! Tests of a vault's ledger against a naive one: after every step its sats are those of the existing outputs.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use domain::{
    CHANGE_OUTPUTS_MAX, Nonce, ObservedOutput, OfferId, Outpoint, ReservationId, Sats, SignerKeys, SpendId, Vault,
    VaultChange, VaultEvent, VaultKeys, VaultRejection,
};

#[path = "oracle/naive_vault.rs"]
mod naive_vault;
#[path = "oracle/random_vault.rs"]
mod random_vault;

fn outpoint(number: u8) -> Outpoint {
    Outpoint { txid: [number; 32], vout: 0 }
}

fn confirmed(number: u8, sats: u64) -> ObservedOutput {
    ObservedOutput::Confirmed { outpoint: outpoint(number), amount: Sats::new(sats), height: 100 }
}

/// A vault with these outputs, numbered from 1.
fn vault(held: &[u64]) -> Vault {
    let mut vault = Vault::default();
    for (number, sats) in (1..).zip(held) {
        observe(&mut vault, confirmed(number, *sats));
    }
    vault
}

fn observe(vault: &mut Vault, observation: ObservedOutput) {
    if let Some(event) = vault.observe(observation).unwrap() {
        vault.apply(&event);
    }
}

fn apply(vault: &mut Vault, decided: Result<VaultEvent, VaultRejection>) {
    vault.apply(&decided.unwrap());
}

#[test]
fn an_output_counts_while_it_is_confirmed_and_unspent() {
    let mut vault = vault(&[10_000, 5_000]);
    assert_eq!((vault.balance(), vault.unconfirmed()), (Sats::new(15_000), Sats::ZERO));
    assert_eq!(vault.observe(confirmed(1, 10_000)), Ok(None), "seen again, nothing happens");
    observe(&mut vault, ObservedOutput::Unconfirmed { outpoint: outpoint(1) });
    assert_eq!((vault.balance(), vault.unconfirmed()), (Sats::new(5_000), Sats::new(10_000)));
    observe(&mut vault, ObservedOutput::Missing { outpoint: outpoint(1) });
    assert_eq!((vault.balance(), vault.unconfirmed()), (Sats::new(5_000), Sats::ZERO));
    observe(&mut vault, confirmed(1, 10_000));
    assert_eq!(vault.balance(), Sats::new(15_000));
    assert_eq!(vault.observe(ObservedOutput::Unconfirmed { outpoint: outpoint(9) }), Ok(None), "its amount is unknown");
}

#[test]
fn a_reorg_under_a_hold_leaves_a_shortfall_and_nothing_usable() {
    let mut vault = vault(&[10_000]);
    let held = vault.hold(ReservationId(1), Sats::new(8_000));
    apply(&mut vault, held);
    observe(&mut vault, ObservedOutput::Unconfirmed { outpoint: outpoint(1) });
    assert_eq!((vault.usable(), vault.shortfall()), (Sats::ZERO, Sats::new(8_000)));
    observe(&mut vault, confirmed(1, 10_000));
    assert_eq!((vault.usable(), vault.shortfall()), (Sats::new(2_000), Sats::ZERO));
}

#[test]
fn a_loan_spends_whole_outputs_and_its_change_counts_once_mined() {
    let mut vault = vault(&[10_000]);
    let held = vault.hold(ReservationId(1), Sats::new(8_000));
    apply(&mut vault, held);
    let change = (Outpoint { txid: [77; 32], vout: 4 }, Sats::new(2_000));
    let spent = vault.spend(ReservationId(1), [77; 32], vec![outpoint(1)], Some(change));
    apply(&mut vault, spent);
    assert_eq!((vault.balance(), vault.unconfirmed(), vault.usable()), (Sats::ZERO, Sats::new(2_000), Sats::ZERO));
    // Spent by the vault's own transaction, so its absence changes nothing.
    assert_eq!(vault.observe(ObservedOutput::Missing { outpoint: outpoint(1) }), Ok(None));
    observe(&mut vault, ObservedOutput::Confirmed { outpoint: change.0, amount: change.1, height: 101 });
    assert_eq!(vault.usable(), Sats::new(2_000));
    let loan = SpendId::Loan(ReservationId(1));
    assert_eq!(vault.fail(loan), Err(VaultRejection::Mined(loan)));
    let settled = vault.settle(loan);
    apply(&mut vault, settled);
    assert_eq!((vault.outputs().len(), vault.pending_spends().len(), vault.usable()), (1, 0, Sats::new(2_000)));
}

#[test]
fn a_failed_loan_returns_the_outputs_that_the_chain_still_has() {
    let mut vault = vault(&[10_000, 5_000]);
    let held = vault.hold(ReservationId(1), Sats::new(12_000));
    apply(&mut vault, held);
    let change = (Outpoint { txid: [77; 32], vout: 4 }, Sats::new(3_000));
    let spent = vault.spend(ReservationId(1), [77; 32], vec![outpoint(1), outpoint(2)], Some(change));
    apply(&mut vault, spent);
    observe(&mut vault, ObservedOutput::DoubleSpent { outpoint: outpoint(2) });
    let failed = vault.fail(SpendId::Loan(ReservationId(1)));
    apply(&mut vault, failed);
    assert_eq!(
        (vault.balance(), vault.unconfirmed()),
        (Sats::ZERO, Sats::new(10_000)),
        "until it is seen on the chain"
    );
    observe(&mut vault, confirmed(1, 10_000));
    assert_eq!((vault.usable(), vault.unconfirmed(), vault.outputs().len()), (Sats::new(10_000), Sats::ZERO, 1));
}

#[test]
fn a_withdrawal_takes_only_unreserved_sats_and_is_remembered_after_its_end() {
    let mut vault = vault(&[10_000]);
    let held = vault.hold(ReservationId(1), Sats::new(8_000));
    apply(&mut vault, held);
    let (id, change) = (Nonce(5), Outpoint { txid: [78; 32], vout: 0 });
    let all = vault.withdraw(id, [78; 32], vec![outpoint(1)], None);
    let (needed, usable) = (Sats::new(10_000), Sats::new(2_000));
    assert_eq!(all, Err(VaultRejection::Insufficient { needed, usable }));
    let part = vault.withdraw(id, [78; 32], vec![outpoint(1)], Some((change, Sats::new(8_000))));
    apply(&mut vault, part);
    assert_eq!(vault.pending_spend(SpendId::Withdrawal(id)).unwrap().amount, Sats::new(2_000));
    let signed = vault.withdrawal_signed(id, vec![1, 2, 3]);
    apply(&mut vault, signed);
    assert_eq!(vault.withdrawal_signed(id, vec![4]), Err(VaultRejection::AlreadySigned(id)));
    assert_eq!(vault.pending_spend(SpendId::Withdrawal(id)).unwrap().transaction, Some(vec![1, 2, 3]));
    observe(&mut vault, ObservedOutput::Confirmed { outpoint: change, amount: Sats::new(8_000), height: 101 });
    assert_eq!((vault.settled_withdrawal(id), vault.shortfall()), (None, Sats::ZERO));
    let settled = vault.settle(SpendId::Withdrawal(id));
    apply(&mut vault, settled);
    assert_eq!((vault.settled_withdrawal(id), vault.usable()), (Some([78; 32]), Sats::ZERO));
}

#[test]
fn only_an_unsigned_withdrawal_is_abandoned() {
    let (mut vault, id) = (vault(&[10_000]), Nonce(5));
    assert_eq!(vault.abandon(id), Err(VaultRejection::UnknownSpend(SpendId::Withdrawal(id))));
    let begun = vault.withdraw(id, [78; 32], vec![outpoint(1)], None);
    apply(&mut vault, begun);
    let mut signed = vault.clone();
    let abandoned = vault.abandon(id);
    apply(&mut vault, abandoned);
    assert_eq!((vault.pending_spends().len(), vault.usable()), (0, Sats::ZERO), "not observed yet");
    observe(&mut vault, ObservedOutput::Confirmed { outpoint: outpoint(1), amount: Sats::new(10_000), height: 100 });
    assert_eq!(vault.usable(), Sats::new(10_000));
    let transaction = signed.withdrawal_signed(id, vec![1]);
    apply(&mut signed, transaction);
    assert_eq!(signed.abandon(id), Err(VaultRejection::AlreadySigned(id)));
}

#[test]
fn invalid_spends_are_refused_with_their_reason() {
    let mut vault = vault(&[10_000]);
    let (id, loan) = (ReservationId(1), SpendId::Loan(ReservationId(1)));
    assert_eq!(vault.spend(id, [7; 32], vec![outpoint(1)], None), Err(VaultRejection::NotHeld(id)));
    let held = vault.hold(id, Sats::new(8_000));
    apply(&mut vault, held);
    let spend = |outpoints: &[u8], change: Option<u64>| {
        let outpoints = outpoints.iter().copied().map(outpoint).collect();
        vault.spend(id, [7; 32], outpoints, change.map(|sats| (outpoint(70), Sats::new(sats))))
    };
    assert_eq!(spend(&[], None), Err(VaultRejection::InvalidInputs));
    assert_eq!(spend(&[1, 1], None), Err(VaultRejection::InvalidInputs));
    assert_eq!(spend(&[2], None), Err(VaultRejection::NotSpendable { outpoint: outpoint(2) }));
    let (taken, change) = (Sats::new(10_000), Sats::new(10_001));
    assert_eq!(spend(&[1], Some(10_001)), Err(VaultRejection::ExcessiveChange { taken, change }));
    let parts = |vouts: &[u32]| -> VaultChange {
        let part = |vout: &u32| (Outpoint { txid: [7; 32], vout: *vout }, Sats::new(1_000));
        vouts.iter().map(part).collect()
    };
    let invalid_change = Err(VaultRejection::InvalidChangeOutputs { max: CHANGE_OUTPUTS_MAX });
    assert_eq!(vault.spend(id, [7; 32], vec![outpoint(1)], parts(&[0, 1, 2, 3, 4, 5, 6, 7, 8])), invalid_change);
    assert_eq!(vault.spend(id, [7; 32], vec![outpoint(1)], parts(&[0, 1, 0])), invalid_change);
    assert!(vault.spend(id, [7; 32], vec![outpoint(1)], parts(&[0, 1, 2, 3, 4, 5, 6, 7])).is_ok());
    assert_eq!(vault.fail(loan), Err(VaultRejection::UnknownSpend(loan)));
    assert_eq!(vault.settle(loan), Err(VaultRejection::UnknownSpend(loan)));
    let loan_signed = spend(&[1], None);
    apply(&mut vault, loan_signed);
    let withdrawal = vault.withdraw(Nonce(1), [8; 32], vec![outpoint(1)], None);
    assert_eq!(withdrawal, Err(VaultRejection::NotSpendable { outpoint: outpoint(1) }));
    let shown = VaultRejection::NotSpendable { outpoint: Outpoint { txid: [0x0a; 32], vout: 3 } }.to_string();
    assert_eq!(shown, format!("output {}:3 cannot be spent", "0a".repeat(32)));
}

#[test]
fn an_open_vault_keeps_its_keys_and_knows_which_offers_the_signer_admitted() {
    let keys = |lender: u8, payment_address: &str| VaultKeys {
        signers: [1; 32].into(),
        lender_key: [lender; 32],
        payment_address: payment_address.to_owned(),
    };
    let mut vault = Vault::default();
    let offer = OfferId(7);
    assert_eq!(vault.admit(offer, [9; 32]), Err(VaultRejection::NotOpen));
    let opened = vault.open(keys(2, "bc1qa")).unwrap().unwrap();
    vault.apply(&opened);
    assert_eq!(vault.open(keys(2, "bc1qa")), Ok(None));
    assert_eq!(vault.open(keys(3, "bc1qa")), Err(VaultRejection::OtherKeys));
    let shared = SignerKeys { required: 2, keys: vec![[1; 32], [4; 32], [5; 32]] };
    let others = VaultKeys { signers: shared.clone(), ..keys(2, "bc1qa") };
    assert_eq!(vault.open(others.clone()), Err(VaultRejection::OtherKeys));
    let mut of_several = Vault::default();
    let opened = of_several.open(others.clone()).unwrap().unwrap();
    of_several.apply(&opened);
    assert_eq!(
        (of_several.keys(), of_several.open(others)),
        (Some(&VaultKeys { signers: shared, ..keys(2, "bc1qa") }), Ok(None))
    );
    let moved = vault.open(keys(2, "bc1qb")).unwrap().unwrap();
    vault.apply(&moved);
    assert_eq!(vault.keys().unwrap().payment_address, "bc1qb");
    assert_eq!(vault.remove_admission(offer), None);
    let admitted = vault.admit(offer, [9; 32]).unwrap().unwrap();
    vault.apply(&admitted);
    assert_eq!((vault.admission(offer), vault.admit(offer, [9; 32])), (Some([9; 32]), Ok(None)));
    let removed = vault.remove_admission(offer).unwrap();
    vault.apply(&removed);
    assert_eq!(vault.admission(offer), None);
}

#[test]
fn a_child_replaces_unconfirmed_change_and_fails_with_its_parent() {
    let (mut vault, id) = (vault(&[10_000]), Nonce(5));
    let [parent, child] = [78, 79].map(|number| [number; 32]);
    let part = |vout| Outpoint { txid: parent, vout };
    let back: VaultChange = [(part(0), Sats::new(4_000)), (part(1), Sats::new(3_000))].into_iter().collect();
    let begun = vault.withdraw(id, parent, vec![outpoint(1)], back);
    apply(&mut vault, begun);
    let change = |sats| (Outpoint { txid: child, vout: 0 }, Sats::new(sats));
    let bump = |vault: &Vault, outpoint, sats| vault.bump(outpoint, change(sats), vec![1, 2]);
    let no_change = |outpoint| Err(VaultRejection::NoChange { outpoint });
    assert_eq!(bump(&vault, outpoint(1), 3_900), no_change(outpoint(1)));
    let (taken, more) = (Sats::new(4_000), Sats::new(4_001));
    let excessive = Err(VaultRejection::ExcessiveChange { taken, change: more });
    assert_eq!(bump(&vault, part(0), 4_001), excessive);
    let mut mined = vault.clone();
    observe(&mut mined, ObservedOutput::Confirmed { outpoint: part(0), amount: taken, height: 101 });
    assert_eq!(bump(&mined, part(0), 3_900), Err(VaultRejection::NotSpendable { outpoint: part(0) }));
    let bumped = bump(&vault, part(0), 3_900);
    apply(&mut vault, bumped);
    let spend = SpendId::FeeBump(parent);
    let pending = vault.pending_spend(spend).unwrap();
    assert_eq!((pending.amount, pending.transaction.as_deref()), (Sats::new(100), Some(&[1, 2][..])));
    assert_eq!((vault.unconfirmed(), vault.usable()), (Sats::new(6_900), Sats::ZERO));
    assert_eq!(bump(&vault, part(1), 2_900), Err(VaultRejection::DuplicateSpend(spend)), "one child");
    assert_eq!(bump(&vault, change(0).0, 3_800), no_change(change(0).0), "a child has none");
    // The parent will never be mined: nothing of the child is left.
    let mut failed = vault.clone();
    let fails = failed.fail(SpendId::Withdrawal(id));
    apply(&mut failed, fails);
    assert_eq!(
        (failed.pending_spends().len(), failed.outputs().len(), failed.unconfirmed()),
        (0, 1, Sats::new(10_000))
    );
    // Both are mined: the usable balance is that of the existing outputs.
    let mut both = vault.clone();
    for (outpoint, sats) in [(part(1), 3_000), (change(0).0, 3_900)] {
        observe(&mut both, ObservedOutput::Confirmed { outpoint, amount: Sats::new(sats), height: 101 });
    }
    assert_eq!((both.usable(), both.unconfirmed()), (Sats::new(6_900), Sats::ZERO));
    let parent = SpendId::Withdrawal(id);
    assert_eq!(both.fail(parent), Err(VaultRejection::Mined(parent)));
    let mut only_child = vault;
    observe(
        &mut only_child,
        ObservedOutput::Confirmed { outpoint: change(0).0, amount: Sats::new(3_900), height: 101 },
    );
    assert_eq!(only_child.fail(parent), Err(VaultRejection::Mined(parent)), "a child is mined after its parent");
    for end in [parent, spend] {
        let settled = both.settle(end);
        apply(&mut both, settled);
    }
    assert_eq!((both.pending_spends().len(), both.outputs().len(), both.usable()), (0, 2, Sats::new(6_900)));
}
