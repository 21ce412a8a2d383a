//! Tests of a vault's move to other signers.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use domain::{
    DelegationId, Nonce, ObservedOutput, OfferId, Outpoint, ReservationId, Sats, SignerKeys, SpendId, Vault,
    VaultChange, VaultEvent, VaultKeys, VaultRejection,
};

const ID: Nonce = Nonce(5);
const TXID: [u8; 32] = [78; 32];
const ARRIVING: Outpoint = Outpoint { txid: TXID, vout: 0 };

fn outpoint(number: u8) -> Outpoint {
    Outpoint { txid: [number; 32], vout: 0 }
}

fn confirmed(outpoint: Outpoint, sats: u64) -> ObservedOutput {
    ObservedOutput::Confirmed { outpoint, amount: Sats::new(sats), height: 100 }
}

fn apply(vault: &mut Vault, event: Result<VaultEvent, VaultRejection>) {
    vault.apply(&event.unwrap());
}

fn observe(vault: &mut Vault, observation: ObservedOutput) {
    let event = vault.observe(observation).unwrap().unwrap();
    vault.apply(&event);
}

fn old() -> SignerKeys {
    [1; 32].into()
}

fn new() -> SignerKeys {
    SignerKeys { required: 2, keys: vec![[2; 32], [3; 32], [4; 32]] }
}

fn keys(signers: SignerKeys) -> VaultKeys {
    VaultKeys { signers, lender_key: [9; 32], payment_address: "home".to_owned() }
}

/// An open vault with two outputs, an admitted offer and one that a program signed.
fn vault() -> Vault {
    let mut vault = Vault::default();
    let opened = vault.open(keys(old())).unwrap().unwrap();
    vault.apply(&opened);
    observe(&mut vault, confirmed(outpoint(1), 10_000));
    observe(&mut vault, confirmed(outpoint(2), 5_000));
    for offer in [OfferId(1), OfferId(2)] {
        let admitted = vault.admit(offer, [7; 32]).unwrap().unwrap();
        vault.apply(&admitted);
    }
    vault.apply(&VaultEvent::OfferDelegated { offer: OfferId(1), delegation: DelegationId(3) });
    vault
}

fn begin(vault: &Vault, outpoints: &[u8]) -> Result<VaultEvent, VaultRejection> {
    let outpoints = outpoints.iter().copied().map(outpoint).collect();
    vault.begin_move(ID, TXID, outpoints, new(), Some((ARRIVING, Sats::new(14_800))))
}

fn moving() -> Vault {
    let mut vault = vault();
    let begun = begin(&vault, &[1, 2]);
    apply(&mut vault, begun);
    vault
}

fn moved() -> Vault {
    let mut vault = moving();
    let signed = vault.move_signed(ID, vec![1, 2]);
    apply(&mut vault, signed);
    vault
}

#[test]
fn a_move_takes_everything_and_changes_the_signers_once_it_is_signed() {
    let vault = moving();
    assert_eq!((vault.usable(), vault.unconfirmed()), (Sats::ZERO, Sats::new(14_800)));
    assert_eq!(vault.keys(), Some(&keys(old())), "the signers until now can still refuse");
    assert_eq!(vault.admission(OfferId(2)), Some([7; 32]));
    let mut vault = moved();
    assert_eq!((vault.keys(), vault.previous_signers()), (Some(&keys(new())), &[old()][..]));
    assert_eq!((vault.admission(OfferId(1)), vault.admission(OfferId(2))), (None, None));
    assert_eq!((vault.delegation(OfferId(1)), vault.delegated(DelegationId(3)).count()), (None, 0));
    let pending = vault.pending_spend(SpendId::Move(ID)).unwrap();
    assert_eq!((pending.transaction.as_deref(), pending.amount), (Some(&[1, 2][..]), Sats::new(200)));
    assert_eq!(vault.move_signed(ID, vec![3]), Err(VaultRejection::AlreadySigned(ID)));
    observe(&mut vault, confirmed(ARRIVING, 14_800));
    assert_eq!(vault.usable(), Sats::new(14_800));
    let settled = vault.settle(SpendId::Move(ID));
    apply(&mut vault, settled);
    assert_eq!((vault.settled_withdrawal(ID), vault.outputs().len()), (Some(TXID), 1));
}

#[test]
fn nothing_is_reserved_spent_or_admitted_while_a_move_is_not_signed() {
    let mut vault = moving();
    observe(&mut vault, confirmed(outpoint(3), 7_000));
    let reservation = ReservationId(1);
    assert_eq!(vault.hold(reservation, Sats::new(1)), Err(VaultRejection::Moving));
    assert_eq!(vault.admit(OfferId(3), [8; 32]), Err(VaultRejection::Moving));
    assert_eq!(vault.withdraw(Nonce(6), [79; 32], vec![outpoint(3)], None), Err(VaultRejection::Moving));
    assert_eq!(vault.open(VaultKeys { payment_address: "b".to_owned(), ..keys(old()) }), Err(VaultRejection::Moving));
    assert_eq!(begin(&vault, &[3]), Err(VaultRejection::DuplicateSpend(SpendId::Move(ID))));
    let other = vault.begin_move(Nonce(6), [79; 32], vec![outpoint(3)], new(), VaultChange::default());
    assert_eq!(other, Err(VaultRejection::Moving));
    let signed = vault.move_signed(ID, vec![1]);
    apply(&mut vault, signed);
    assert_eq!(vault.output(&outpoint(3)), None, "it pays to the signers before");
    assert_eq!(vault.balance(), Sats::ZERO);
}

#[test]
fn a_vault_in_use_does_not_move() {
    let (in_use, reservation) =
        (|used, pending| VaultRejection::InUse { held: Sats::new(used), pending }, ReservationId(1));
    let mut used = vault();
    let hold = used.hold(reservation, Sats::new(4_000));
    apply(&mut used, hold);
    assert_eq!(begin(&used, &[1, 2]), Err(in_use(4_000, 0)));
    assert_eq!(used.outputs_to_move(), Err(in_use(4_000, 0)));
    let spent = used.spend(reservation, [7; 32], vec![outpoint(2)], Some((outpoint(7), Sats::new(1_000))));
    apply(&mut used, spent);
    observe(&mut used, confirmed(outpoint(7), 1_000));
    assert_eq!(begin(&used, &[1, 7]), Err(in_use(0, 1)), "a reorg could drop the change");
    let settled = used.settle(SpendId::Loan(reservation));
    apply(&mut used, settled);
    let part = used.begin_move(ID, TXID, vec![outpoint(1)], new(), Some((ARRIVING, Sats::new(9_900))));
    assert_eq!(part, Err(VaultRejection::Incomplete { found: 2, named: 1 }));
    assert_eq!(used.outputs_to_move(), Ok(vec![outpoint(1), outpoint(7)]));
    let same = used.begin_move(ID, TXID, vec![outpoint(1), outpoint(7)], old(), None);
    assert_eq!(same, Err(VaultRejection::OtherKeys));
    assert_eq!(begin(&used, &[1, 3]), Err(VaultRejection::NotSpendable { outpoint: outpoint(3) }));
    assert_eq!(begin(&used, &[]), Err(VaultRejection::InvalidInputs));
    assert_eq!(begin(&Vault::default(), &[1]), Err(VaultRejection::NotOpen));
    let much = used.begin_move(ID, TXID, vec![outpoint(1), outpoint(7)], new(), Some((ARRIVING, Sats::new(11_001))));
    let (taken, change) = (Sats::new(11_000), Sats::new(11_001));
    assert_eq!(much, Err(VaultRejection::ExcessiveChange { taken, change }));
    assert!(begin(&used, &[1, 7]).is_err(), "14,800 of 11,000 cannot arrive");
}

#[test]
fn more_outputs_than_one_transaction_can_spend_are_refused() {
    let mut vault = vault();
    for number in 3..=65 {
        observe(&mut vault, confirmed(outpoint(number), 1_000));
    }
    let (needed, found) = (Sats::new(78_000), Sats::new(77_000));
    assert_eq!(vault.outputs_to_move(), Err(VaultRejection::TooManyInputs { needed, found, max: 64 }));
}

#[test]
fn a_refused_move_leaves_the_vault_as_it_was() {
    let mut vault = moving();
    let abandoned = vault.abandon(ID);
    apply(&mut vault, abandoned);
    assert_eq!((vault.keys(), vault.previous_signers()), (Some(&keys(old())), &[][..]));
    assert_eq!((vault.usable(), vault.outputs().len()), (Sats::ZERO, 2), "until they are observed");
    for (number, sats) in [(1, 10_000), (2, 5_000)] {
        observe(&mut vault, confirmed(outpoint(number), sats));
    }
    assert_eq!((vault.usable(), vault.admission(OfferId(2))), (Sats::new(15_000), Some([7; 32])));
    let hold = vault.hold(ReservationId(1), Sats::new(1));
    apply(&mut vault, hold);
    assert_eq!(moved().abandon(ID), Err(VaultRejection::AlreadySigned(ID)));
    assert_eq!(moving().settle(SpendId::Move(ID)), Err(VaultRejection::Moving), "its transaction is not stored");
}

#[test]
fn outputs_of_a_signed_move_that_fails_are_not_those_of_the_new_signers() {
    let mut vault = moved();
    let failed = vault.fail(SpendId::Move(ID));
    apply(&mut vault, failed);
    assert_eq!((vault.keys(), vault.outputs().len()), (Some(&keys(new())), 0));
    assert_eq!((vault.balance(), vault.unconfirmed()), (Sats::ZERO, Sats::ZERO));
    assert_eq!(vault.previous_signers(), [old()]);
}

#[test]
fn a_move_gets_no_child() {
    let vault = moved();
    let child = (Outpoint { txid: [80; 32], vout: 0 }, Sats::new(14_000));
    assert_eq!(vault.bump(ARRIVING, child, vec![1]), Err(VaultRejection::NoChange { outpoint: ARRIVING }));
}
