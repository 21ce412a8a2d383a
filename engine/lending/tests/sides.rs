//! Tests that the inputs a wallet is asked to sign are those whose signatures are required of its result.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Network, OutPoint, Psbt, TxOut, Txid};
use escrow::address::AddressKind;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::claim::Claim;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::signing::checked_template::CheckedTemplate;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::spent_output::{CarriedAssets, InputPolicy, SpentOutput};
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::wallet_key::WalletKey;
use lending::service::sides::{Side, payout_sides, sides};

const KINDS: [AddressKind; 3] = [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh];

fn wallet(seed: u8) -> WalletKey {
    WalletKey::from_seed([seed; 32], Network::Regtest).unwrap()
}

fn coin(number: u8, wallet: &WalletKey, kind: AddressKind) -> Coin {
    let key = wallet.coin_key(kind);
    let outpoint = OutPoint::new(Txid::from_byte_array([number; 32]), 0);
    Coin { outpoint, output: TxOut { value: Amount::from_sat(90_000), script_pubkey: key.script_pubkey() }, key }
}

/// A claimable loan of the lender.
fn loan(lender: &WalletKey) -> RunningLoan {
    let key = lender.coin_key(AddressKind::P2tr).x_only();
    let borrower = wallet(1).coin_key(AddressKind::P2tr).x_only();
    let terms = EscrowTerms { loan: 41, borrower, repay: key.into(), lender: key, claim_after: 1_900_000_000 };
    RunningLoan {
        escrow: LoanEscrow::new(terms).unwrap(),
        outpoint: OutPoint::new(Txid::from_byte_array([9; 32]), 0),
        value: Amount::from_sat(10_000),
        pledge: Pledge::Inscription { offset: Amount::ZERO },
        payout: TxOut {
            value: Amount::from_sat(2_065_000),
            script_pubkey: lender.coin_key(AddressKind::P2wpkh).script_pubkey(),
        },
    }
}

fn claim(loan: &RunningLoan, lender: &WalletKey, kind: AddressKind) -> Template {
    let fee_coin = coin(8, lender, kind);
    let claim = Claim {
        loan,
        fee_coin: Some(&fee_coin),
        destination: &lender.coin_key(AddressKind::P2tr).script_pubkey(),
        change: &lender.coin_key(AddressKind::P2wpkh).script_pubkey(),
        fee_rate: FeeRate::from_sat_per_vb(5).unwrap(),
    };
    claim.build().unwrap()
}

/// Checks a template as if all its inputs had been looked up.
fn with_checked<T>(template: &Template, loan: &RunningLoan, then: impl FnOnce(CheckedTemplate<'_>) -> T) -> T {
    let carrying = [loan.carried_assets()];
    let spending = InputPolicy { collateral: &carrying, unconfirmed: &[] };
    let found = template.psbt.unsigned_tx.input.iter().zip(&template.psbt.inputs).map(|(input, known)| {
        let outpoint = input.previous_output;
        let carried = if outpoint == loan.outpoint { loan.carried_assets().1 } else { CarriedAssets::default() };
        let output = known.witness_utxo.clone().unwrap();
        (outpoint, SpentOutput { output, confirmations: 3, is_coinbase: false, assets: Some(carried) })
    });
    then(spending.check(template, &found.collect::<BTreeMap<_, _>>()).unwrap())
}

#[test]
fn every_input_has_its_address_its_sighash_and_whether_its_key_is_tweaked() {
    let lender = wallet(2);
    let loan = loan(&lender);
    let holder = KINDS.map(|kind| lender.coin_key(kind));
    let side = |index, kind, sighash, disable_tweak_signer| Side {
        index,
        address: lender.address(kind).to_string(),
        sighash,
        disable_tweak_signer,
    };
    for (kind, sighash) in [(AddressKind::P2tr, 0), (AddressKind::P2wpkh, 1), (AddressKind::P2shP2wpkh, 1)] {
        let template = claim(&loan, &lender, kind);
        let found = with_checked(&template, &loan, |checked| sides(&checked, &holder, Network::Regtest));
        assert_eq!(found, [side(0, AddressKind::P2tr, 0, true), side(1, kind, sighash, false)]);
        let no_keys: &[CoinKey] = &[];
        assert_eq!(with_checked(&template, &loan, |checked| sides(&checked, no_keys, Network::Regtest)), []);
    }
    let pads = [coin(1, &wallet(1), AddressKind::P2wpkh), coin(2, &wallet(1), AddressKind::P2wpkh)];
    let home = wallet(1).coin_key(AddressKind::P2tr).script_pubkey();
    let request = PayoutRequest { loan: &loan, pads: &pads, destination: &home, change: &pads[0].output.script_pubkey };
    for version in [Version::TWO, TRUC] {
        let found = payout_sides(&request, version, Network::Regtest).unwrap();
        assert_eq!(found, [side(2, AddressKind::P2tr, 0x83, true)]);
    }
}

#[test]
fn a_result_with_these_signatures_suffices_and_without_one_of_them_does_not() {
    let lender = wallet(2);
    let loan = loan(&lender);
    let holder = KINDS.map(|kind| lender.coin_key(kind));
    let template = claim(&loan, &lender, AddressKind::P2wpkh);
    let (text, asked) = with_checked(&template, &loan, |checked| {
        (lender.sign_psbt(&checked.to_base64()).unwrap(), sides(&checked, &holder, Network::Regtest))
    });
    let signed = Psbt::deserialize(&STANDARD.decode(text).unwrap()).unwrap();
    assert_eq!(template.check_returned(&signed.to_string(), &holder).unwrap().count(), asked.len());
    for Side { index, .. } in asked {
        let mut without = signed.clone();
        without.inputs[index] = template.psbt.inputs[index].clone();
        let refused = template.check_returned(&without.to_string(), &holder);
        assert_eq!(refused, Err(ReturnedPsbtError::MissingSignature { index }));
    }
}

#[test]
fn the_fields_have_the_names_of_the_wire() {
    let side = Side { index: 1, address: "bcrt1q".to_owned(), sighash: 131, disable_tweak_signer: true };
    let expected = serde_json::json!({"index": 1, "address": "bcrt1q", "sighash": 131, "disable_tweak_signer": true});
    assert_eq!(serde_json::to_value(side).unwrap(), expected);
}
