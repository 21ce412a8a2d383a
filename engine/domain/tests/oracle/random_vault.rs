//! Random steps on a vault and on the naive one.

use std::collections::BTreeSet;

use domain::{
    Nonce, ObservedOutput, Outpoint, ReservationId, Sats, SignerKeys, SpendId, Vault, VaultChange, VaultEvent,
    VaultRejection,
};
use proptest::prelude::*;

use crate::naive_vault::{NaiveVault, Output};
use crate::outpoint;

/// Performs one random step on both; a refusal by the real vault must be impossible for the naive one, too.
fn step(real: &mut Vault, naive: &mut NaiveVault, act: u8, number: u8, sats: u64) {
    let id = u128::from(number % 6);
    // One step in three concerns an existing output, such as change.
    let existing = naive.outputs.keys().nth(usize::from(number) % naive.outputs.len().max(1)).copied();
    let place = existing.filter(|_| act >= 12 || number.is_multiple_of(3)).unwrap_or_else(|| outpoint(number % 12));
    let reservation = ReservationId(id);
    let known = naive.outputs.get(&place).copied();
    let decided = match act {
        0..=2 => {
            let amount = known.map_or(sats, |known| known.sats);
            let spent_by = known.map_or_else(|| naive.spent_by(&place), |known| known.spent_by);
            naive.outputs.insert(place, Output { sats: amount, is_mined: true, spent_by });
            let height = u32::from(number);
            real.observe(ObservedOutput::Confirmed { outpoint: place, amount: Sats::new(amount), height })
        }
        3 => {
            if let Some(output) = naive.outputs.get_mut(&place) {
                output.is_mined = false;
            }
            real.observe(ObservedOutput::Unconfirmed { outpoint: place })
        }
        4 => {
            if known.is_some_and(|known| known.spent_by.is_none()) {
                naive.outputs.remove(&place);
            }
            real.observe(ObservedOutput::Missing { outpoint: place })
        }
        5 => {
            naive.outputs.remove(&place);
            real.observe(ObservedOutput::DoubleSpent { outpoint: place })
        }
        6 => {
            let held = real.hold(reservation, Sats::new(sats));
            let fits = sats <= naive.usable() && !naive.holds.contains_key(&reservation) && naive.moving.is_none();
            assert_eq!(held.is_ok(), fits, "{held:?}");
            if fits {
                naive.holds.insert(reservation, sats);
            }
            held.map(Some)
        }
        7 => {
            let released = real.release(reservation);
            assert_eq!(released.is_ok(), naive.holds.remove(&reservation).is_some());
            released.map(Some)
        }
        8 | 9 => send(real, naive, act == 8, id, sats).map(Some),
        10 => end(real, naive, id).map(Some),
        12 => bump(real, naive, place, sats).map(Some),
        13 => end_child(real, naive, number).map(Some),
        14 => begin_move(real, naive, id, sats).map(Some),
        15 => sign_move(real, naive).map(Some),
        _ => {
            naive.credited += sats;
            real.credit(Sats::new(sats)).map(Some)
        }
    };
    if let Ok(Some(event)) = decided {
        real.apply(&event);
    }
}

/// A loan or a withdrawal over outputs that the real vault selects.
fn send(
    real: &Vault,
    naive: &mut NaiveVault,
    is_loan: bool,
    id: u128,
    sats: u64,
) -> Result<VaultEvent, VaultRejection> {
    let spend = if is_loan { SpendId::Loan(ReservationId(id)) } else { SpendId::Withdrawal(Nonce(id)) };
    let chosen = real.select_coins(Sats::new(sats), &BTreeSet::new());
    assert_eq!(chosen.is_ok(), sats <= naive.on_chain(), "{chosen:?}");
    let outpoints = chosen?;
    let free = naive.free();
    assert!(outpoints.iter().all(|outpoint| free.contains(outpoint)));
    let rest = naive.sum(&outpoints) - sats;
    let txid = [if is_loan { 100 } else { 110 } + u8::try_from(id).unwrap(); 32];
    // The change in up to three outputs, depending on its amount.
    let parts = if rest == 0 { 0 } else { (1 + rest % 3).min(rest) };
    let part = |number: u64| {
        let vout = u32::try_from(id).unwrap() * 4 + u32::try_from(number).unwrap();
        let more = if number == 0 { rest % parts } else { 0 };
        (Outpoint { txid, vout }, rest / parts + more)
    };
    let change: Vec<(Outpoint, u64)> = (0..parts).map(part).collect();
    let is_new = change.iter().all(|(outpoint, _)| !naive.outputs.contains_key(outpoint));
    let change = if is_new { change } else { Vec::new() };
    let leaves = naive.sum(&outpoints) - change.iter().map(|(_, sats)| sats).sum::<u64>();
    let known: VaultChange = change.iter().map(|(outpoint, sats)| (*outpoint, Sats::new(*sats))).collect();
    let (decided, is_allowed) = if is_loan {
        let reservation = ReservationId(id);
        (real.spend(reservation, txid, outpoints.clone(), known), naive.holds.contains_key(&reservation))
    } else {
        (real.withdraw(Nonce(id), txid, outpoints.clone(), known), leaves <= naive.usable())
    };
    let is_allowed = is_allowed && !outpoints.is_empty() && !naive.sent.contains_key(&spend) && naive.moving.is_none();
    assert_eq!(decided.is_ok(), is_allowed, "{decided:?}");
    if is_allowed {
        naive.send(spend, txid, outpoints, &change);
    }
    decided
}

/// A move of all free outputs, with a fee of up to these sats.
fn begin_move(real: &Vault, naive: &mut NaiveVault, id: u128, fee: u64) -> Result<VaultEvent, VaultRejection> {
    let (spend, outpoints) = (SpendId::Move(Nonce(id)), naive.free());
    let txid = [120 + u8::try_from(id).unwrap(); 32];
    let arriving = (Outpoint { txid, vout: 0 }, naive.sum(&outpoints).saturating_sub(fee));
    if naive.outputs.contains_key(&arriving.0) {
        return Err(VaultRejection::Moving);
    }
    // Another number of signers each time, so that they are never those that the vault has.
    let signers = SignerKeys { required: 1, keys: vec![[1; 32]; real.previous_signers().len() + 2] };
    let known = Some((arriving.0, Sats::new(arriving.1)));
    let decided = real.begin_move(Nonce(id), txid, outpoints.clone(), signers, known);
    let is_allowed = !outpoints.is_empty() && naive.holds.is_empty() && naive.sent.is_empty();
    assert_eq!(decided.is_ok(), is_allowed, "{decided:?}");
    if is_allowed {
        naive.send(spend, txid, outpoints, &[arriving]);
        naive.moving = Some(spend);
    }
    decided
}

fn sign_move(real: &Vault, naive: &mut NaiveVault) -> Result<VaultEvent, VaultRejection> {
    let Some(SpendId::Move(id)) = naive.moving else {
        return real.move_signed(Nonce(0), vec![1]);
    };
    naive.sign_move();
    real.move_signed(id, vec![1])
}

/// The end of a spend, by failure where that is possible.
fn end(real: &Vault, naive: &mut NaiveVault, id: u128) -> Result<VaultEvent, VaultRejection> {
    let Some(spend) = naive.pending_spend(id) else {
        return real.settle(SpendId::Loan(ReservationId(id)));
    };
    let failed = real.fail(spend);
    if naive.is_mined(spend) {
        assert_eq!(failed, Err(VaultRejection::Mined(spend)));
        if naive.moving == Some(spend) {
            assert_eq!(real.settle(spend), Err(VaultRejection::Moving));
            return failed;
        }
        naive.settle(spend);
        return real.settle(spend);
    }
    assert!(failed.is_ok());
    naive.fail(spend);
    failed
}

/// A child of an output that may or may not be unconfirmed change.
fn bump(real: &Vault, naive: &mut NaiveVault, spent: Outpoint, fee: u64) -> Result<VaultEvent, VaultRejection> {
    let child = Outpoint { txid: [spent.txid[0] | 0x80; 32], vout: 9 };
    let held = naive.outputs.get(&spent).map_or(0, |output| output.sats);
    let (left, is_covered) = (held.saturating_sub(fee), fee <= held);
    let back = if is_covered { left } else { fee };
    let decided = real.bump(spent, (child, Sats::new(back)), vec![7]);
    let is_allowed = naive.may_be_bumped(&spent) && (is_covered || back <= held);
    assert_eq!(decided.is_ok(), is_allowed, "{decided:?}");
    if naive.outputs.contains_key(&child) {
        return Err(VaultRejection::NoChange { outpoint: spent });
    }
    if is_allowed {
        naive.send(SpendId::FeeBump(spent.txid), child.txid, vec![spent], &[(child, back)]);
    }
    decided
}

/// The end of a child, by failure where that is possible and every other time.
fn end_child(real: &Vault, naive: &mut NaiveVault, number: u8) -> Result<VaultEvent, VaultRejection> {
    let children: Vec<SpendId> =
        naive.sent.keys().filter(|spend| matches!(spend, SpendId::FeeBump(_))).copied().collect();
    let Some(child) = children.get(usize::from(number) % children.len().max(1)).copied() else {
        return real.settle(SpendId::FeeBump([number; 32]));
    };
    let failed = real.fail(child);
    assert_eq!(failed.is_err(), naive.is_mined(child));
    if failed.is_err() || number.is_multiple_of(2) {
        naive.settle(child);
        return real.settle(child);
    }
    naive.fail(child);
    failed
}

proptest! {
    #[test]
    fn the_balance_is_that_of_the_existing_outputs(
        acts in prop::collection::vec((0_u8..16, any::<u8>(), 1_u64..50_000), 1..300),
    ) {
        let (mut real, mut naive) = (Vault::default(), NaiveVault::default());
        let (signer_key, lender_key, payment_address) = ([1; 32], [2; 32], "home".to_owned());
        real.apply(&VaultEvent::Opened { signer_key, lender_key, payment_address });
        for (act, number, sats) in acts {
            step(&mut real, &mut naive, act, number, sats);
            prop_assert_eq!(real.balance().get(), naive.balance());
            prop_assert_eq!(real.unconfirmed().get(), naive.unconfirmed());
            prop_assert_eq!(real.usable().get(), naive.usable());
            prop_assert_eq!(real.shortfall().get(), naive.held().saturating_sub(naive.balance()));
            prop_assert_eq!(real.pending_spends().len(), naive.sent.len());
            prop_assert_eq!(real.outputs().len(), naive.outputs.len());
        }
    }

    /// Sats without an output on the chain are conserved.
    #[test]
    fn credited_sats_are_conserved(acts in prop::collection::vec((0_u8..5, 0_u128..6, 0_u64..1_000), 1..200)) {
        let mut vault = Vault::default();
        let (mut paid_in, mut paid_out) = (0_u64, 0_u64);
        let mut holds = std::collections::BTreeMap::new();
        for (act, reservation, amount) in acts {
            let (reservation, amount) = (ReservationId(reservation), Sats::new(amount));
            let decided = match act {
                0 => vault.credit(amount),
                1 => vault.debit(amount),
                2 => vault.hold(reservation, amount),
                3 => vault.release(reservation),
                _ => vault.lend(reservation),
            };
            let Ok(event) = decided else { continue };
            match event {
                VaultEvent::Credited { amount } => paid_in += amount.get(),
                VaultEvent::Debited { amount } => paid_out += amount.get(),
                VaultEvent::Held { reservation, amount } => drop(holds.insert(reservation, amount.get())),
                VaultEvent::Released { reservation } => drop(holds.remove(&reservation)),
                _ => paid_out += holds.remove(&reservation).unwrap(),
            }
            vault.apply(&event);
            prop_assert_eq!(paid_in, paid_out + vault.balance().get());
            prop_assert_eq!(vault.shortfall(), Sats::ZERO);
        }
    }
}
