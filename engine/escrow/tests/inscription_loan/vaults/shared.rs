//! Tests of vaults with several signers.

use bitcoin::Amount;
use bitcoin::taproot::Signature;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::signatures::{SignatureError, Signatures};
use escrow::contract::transaction::lock::Signer;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::vault_signers::{SIGNERS_MAX, VaultSigners};
use escrow::contract::vault::vault_withdrawal::Share;
use escrow::contract::vault::{Vault, VaultTerms};
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::super::keyring::Keyring;
use super::super::loan_fixture::{Party, assert_weight, is_valid, rate};
use super::Deposits;

impl Deposits {
    /// Gives the vault several signers.
    fn shared(held: &[u64], required: usize, count: usize) -> Self {
        let mut deposits = Self::new(held);
        let keys: Vec<_> = (20..).take(count).map(|byte| deposits.ring.party(byte)).collect();
        let keys = keys.iter().map(|party: &Party| party.keys.x_only_public_key().0);
        let signers = VaultSigners::new(required, keys).unwrap();
        let terms = VaultTerms { signers, ..deposits.vault.terms().clone() };
        deposits.vault = Vault::new(terms).unwrap();
        deposits
    }
}

/// The signatures of an input, each with its place among the signers.
fn signatures_of(ring: &Keyring, template: &Template, index: usize) -> Vec<(bitcoin::XOnlyPublicKey, Vec<u8>)> {
    let lock = &template.locks[index];
    let sign = |signer: &Signer| {
        let Signer::Leaf { key, .. } = signer else { panic!("a vault is spent by a script") };
        (*key, ring.signature(template, index, lock, signer))
    };
    lock.signers().iter().map(sign).collect()
}

/// The verified signatures by the signers at these places, of every input.
fn signed_by(ring: &Keyring, template: &Template, places: &[usize]) -> Signatures {
    let mut all: Option<Signatures> = None;
    for index in 0..template.locks.len() {
        let made = signatures_of(ring, template, index);
        for place in places {
            let (key, bytes) = &made[*place];
            let signature = Signature::from_slice(bytes).unwrap();
            let checked = template.check_signature(index, key, &signature).unwrap();
            all = Some(match all {
                Some(others) => others.merge(checked).unwrap(),
                None => checked,
            });
        }
    }
    all.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_signers_who_are_enough_spend_a_vault_and_fewer_do_not(
        (count, required, chosen) in (1..=SIGNERS_MAX).prop_flat_map(|count| {
            let all: Vec<usize> = (0..count).collect();
            (Just(count), count / 2 + 1..=count, subsequence(all, 1..=count))
        })
    ) {
        let deposits = Deposits::shared(&[600_000, 400_000], required, count);
        let template = deposits.withdrawal(Share::All, rate(8)).build().unwrap();
        let signatures = signed_by(&deposits.ring, &template, &chosen);
        let txid = template.psbt.unsigned_tx.compute_txid();
        let finished = template.finish(&signatures, txid);
        if chosen.len() < required {
            prop_assert_eq!(finished, Err(FinishError::MissingSignature { index: 0 }));
            prop_assert_eq!(template.missing(&signatures).len(), 2 * (count - chosen.len()));
        } else {
            let finished = finished.unwrap();
            prop_assert!(is_valid(&template, &finished));
            assert_weight(&template, &finished);
            prop_assert_eq!(finished.weight(), template.weight, "absent signatures are counted");
            prop_assert!(template.missing(&signatures).is_empty());
            let again = template.check_returned(&finished_psbt(&template, &finished), &[]).unwrap();
            prop_assert_eq!(again.count(), 2 * required, "a finished input is read again");
        }
    }
}

/// The transaction as a PSBT whose inputs are finished, in base64.
fn finished_psbt(template: &Template, finished: &bitcoin::Transaction) -> String {
    let mut psbt = template.psbt.clone();
    for (input, signed) in psbt.inputs.iter_mut().zip(&finished.input) {
        input.final_script_witness = Some(signed.witness.clone());
    }
    psbt.to_string()
}

#[test]
fn too_few_too_many_and_foreign_signatures_are_invalid_in_bitcoin_core() {
    let deposits = Deposits::shared(&[700_000], 2, 3);
    let template = deposits.withdrawal(Share::All, rate(3)).build().unwrap();
    let made = signatures_of(&deposits.ring, &template, 0);
    let with = |signatures: [&[u8]; 3]| {
        let mut signed = template.psbt.unsigned_tx.clone();
        signed.input[0].witness = template.locks[0].witness(&signatures);
        is_valid(&template, &signed)
    };
    let [one, two, three] = [0, 1, 2].map(|place| made[place].1.as_slice());
    for two_of_three in [[one, two, &[]], [one, &[], three], [&[], two, three]] {
        assert!(with(two_of_three));
    }
    for (name, signatures) in [
        ("none", [&[][..], &[], &[]]),
        ("one", [one, &[], &[]]),
        ("three", [one, two, three]),
        ("one for two", [one, one, &[]]),
        ("in the place of another", [two, one, &[]]),
    ] {
        assert!(!with(signatures), "{name}");
    }
    let elsewhere = deposits.withdrawal(Share::All, rate(4)).build().unwrap();
    let key = made[0].0;
    let other = Signature::from_slice(&signatures_of(&deposits.ring, &elsewhere, 0)[0].1).unwrap();
    assert!(matches!(template.check_signature(0, &key, &other), Err(SignatureError::Fault { index: 0, .. })));
    let lender = deposits.vault.terms().lender;
    let foreign = template.check_signature_by_one(0, &[lender], &Signature::from_slice(one).unwrap());
    assert_eq!(foreign, Err(SignatureError::ForeignKey { index: 0 }));
    let keys = deposits.vault.terms().signers.keys();
    for (_, bytes) in &made {
        let signature = Signature::from_slice(bytes).unwrap();
        assert_eq!(template.check_signature_by_one(0, keys, &signature).unwrap().count(), 1);
    }
}

#[test]
fn the_lender_exits_a_shared_vault_alone_and_one_signer_is_the_vault_of_before() {
    let deposits = Deposits::shared(&[700_000], 3, 5);
    let exit = deposits.exit(rate(3)).build().unwrap();
    deposits.sign(&exit);
    let single = Deposits::new(&[1_000]);
    let one =
        VaultTerms { signers: single.vault.terms().signers.only().unwrap().into(), ..single.vault.terms().clone() };
    assert_eq!(Vault::new(one).unwrap().output().script_pubkey(), single.script());
    assert!(single.vault.output().descriptor().contains("{pk("));
    assert!(deposits.vault.output().descriptor().contains("{multi_a(3,"));
}

#[test]
fn each_further_signer_costs_its_key_and_each_further_signature_its_bytes() {
    let weight = |required: usize, count: usize| {
        let deposits = Deposits::shared(&[700_000], required, count);
        deposits.withdrawal(Share::Part(Amount::from_sat(100_000)), rate(1)).build().unwrap().weight.to_wu()
    };
    let base = weight(1, 1);
    // A key is 32 bytes, their length and an opcode; the number of them, an opcode. A signature is 64 bytes, an absent
    // one none, and each has its length.
    for (required, count) in [(2, 2), (2, 3), (3, 5), (4, 7), (5, 7), (7, 7)] {
        let [further_keys, further_signatures] = [count - 1, required - 1].map(|more| u64::try_from(more).unwrap());
        let keys = 34 * further_keys + 2;
        let signatures = 64 * further_signatures + further_keys;
        assert_eq!(weight(required, count) - base, keys + signatures, "{required} of {count}");
    }
}
