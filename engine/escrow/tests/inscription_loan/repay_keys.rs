//! Tests of loans with several repay keys: each of them pre-signs, and Bitcoin Core accepts nothing less.

use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, TapSighashType, Transaction, TxOut, Witness};
use escrow::contract::loan::extension::{Extension, ExtensionError};
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::payout_request::{PayoutRequest, PayoutRequestError};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::{REPAY_KEYS_MAX, RepayKeys};
use escrow::contract::loan::repayable_loan::{PayoutFault, RepayableLoan};
use escrow::contract::loan::repayment::{Repayment, RepaymentError, RepaymentFault};
use escrow::contract::loan::running_loan::PreSignatureError;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::signatures::SignatureError;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::COINS_MAX;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

use super::debts::{Debts, inscription};
use super::loan_fixture::{CLAIM_AFTER, Party, assert_weight, is_valid, rate};

/// The index of the escrow in the repayment of one inscription.
const ESCROW: usize = 2;

/// A borrower with one loan, of this number of single-use repay keys.
fn debts(keys: usize) -> Debts {
    Debts::with_repay_keys(&[(10_000, inscription(4_000), 80_000)], &[keys], 500_000)
}

/// The transaction as a PSBT whose inputs are finished, in base64.
fn finished_psbt(template: &Template, signed: &Transaction) -> String {
    let mut psbt = template.psbt.clone();
    for (input, signed) in psbt.inputs.iter_mut().zip(&signed.input) {
        input.final_script_witness = Some(signed.witness.clone());
    }
    psbt.to_string()
}

/// The signature of this party for the payout of the first loan.
fn pre_signed_by(debts: &Debts, party: &Party, version: Version, sighash_type: TapSighashType) -> Signature {
    let message = debts.loans[0].0.payout_message(version).unwrap();
    Signature { signature: debts.keyring.secp.sign_schnorr_no_aux_rand(&message, &party.keys), sighash_type }
}

#[test]
fn every_repay_key_and_the_borrower_have_to_sign_a_repayment() {
    for (keys, version) in (1..=REPAY_KEYS_MAX).flat_map(|keys| [(keys, Version::TWO), (keys, TRUC)]) {
        let debts = debts(keys);
        let ending = debts.ending();
        let template = debts.repayment(&ending, version, rate(5)).build().unwrap();
        let signed = debts.keyring.sign(&template);
        assert!(is_valid(&template, &signed), "{keys} keys");
        assert_weight(&template, &signed);
        let items: Vec<Vec<u8>> = signed.input[ESCROW].witness.iter().map(<[u8]>::to_vec).collect();
        assert_eq!(items.len(), keys + 3, "the keys' signatures, the borrower's, script and proof");
        let kept = ending[0].signatures(&template).unwrap();
        let in_place: Vec<_> = (0..keys).map(|place| kept.get(ESCROW, place).unwrap().to_vec()).collect();
        assert_eq!((kept.count(), &in_place[..]), (keys, &items[..keys]));

        let with = |witness: &[Vec<u8>]| {
            let mut altered = signed.clone();
            altered.input[ESCROW].witness = Witness::from_slice(witness);
            altered
        };
        let mut refused: Vec<(String, Vec<Vec<u8>>)> = Vec::new();
        let mut refuse = |what: &str, place: usize, change: &dyn Fn(&mut Vec<Vec<u8>>)| {
            let mut altered = items.clone();
            change(&mut altered);
            refused.push((format!("{what} at {place} of {keys}"), altered));
        };
        let single = TapSighashType::SinglePlusAnyoneCanPay;
        let lender = Party::new(&debts.keyring.secp, 100);
        let foreign = pre_signed_by(&debts, &lender, version, single).to_vec();
        let other_version = if version == TRUC { Version::TWO } else { TRUC };
        let pairs = debts.loans[0].1.pairs();
        for place in 0..=keys {
            refuse("empty", place, &|altered| altered[place].clear());
            refuse("missing", place, &|altered| drop(altered.remove(place)));
            refuse("foreign", place, &|altered| altered[place].clone_from(&foreign));
            refuse("cut", place, &|altered| altered[place].truncate(64));
        }
        for place in 0..keys {
            refuse("swapped", place, &|altered| altered.swap(place, place + 1));
            refuse("twice", place, &|altered| altered[place] = altered[place + 1].clone());
            // The witness is in the reverse order of the keys.
            let other = pairs[keys - 1 - place].of(other_version).unwrap().to_vec();
            refuse("of the other version", place, &|altered| altered[place].clone_from(&other));
        }
        // The borrower's signature has no byte for its sighash, so that it cannot be cut.
        refused.retain(|(_, altered)| *altered != items);
        assert_eq!(refused.len(), 4 * (keys + 1) - 1 + 3 * keys);
        for (what, altered) in refused {
            assert!(!is_valid(&template, &with(&altered)), "{what}");
        }

        let txid = template.psbt.unsigned_tx.compute_txid();
        let all = template.check_returned(&finished_psbt(&template, &signed), &[]).unwrap();
        assert_eq!(template.finish(&all, txid), Ok(signed.clone()));
        for place in 0..keys {
            let mut fewer = items.clone();
            fewer.remove(place);
            let fewer = template.check_returned(&finished_psbt(&template, &with(&fewer)), &[]).unwrap();
            assert_eq!(template.missing(&fewer).len(), 1);
            assert_eq!(template.finish(&fewer, txid), Err(FinishError::MissingSignature { index: ESCROW }));
            let completed = fewer.merge(ending[0].signatures(&template).unwrap()).unwrap();
            assert_eq!(template.finish(&completed, txid), Ok(signed.clone()));
        }
    }
}

#[test]
fn a_faulty_pre_signature_is_named_with_its_key() {
    for count in 1..=REPAY_KEYS_MAX {
        let debts = debts(count);
        let (loan, all) = &debts.loans[0];
        let (keys, pairs) = (loan.escrow.terms().repay.keys(), all.pairs());
        let with = |change: &dyn Fn(&mut Vec<PayoutSignaturePair>)| {
            let mut altered = pairs.to_vec();
            change(&mut altered);
            let altered: PayoutSignatures = altered.into_iter().collect();
            let ending = [RepayableLoan { loan, pre_signatures: &altered }];
            let built = debts.repayment(&ending, TRUC, rate(5)).build();
            let checked = altered.check(loan);
            // The builder checks the signatures of its own version.
            if let Err(RepaymentError::Unsound(RepaymentFault::Payout(refused))) = built {
                let PayoutFault::InvalidSignature { escrow, fault } = refused else { panic!("{refused}") };
                assert_eq!((escrow, Err(fault)), (loan.outpoint, checked));
            }
            checked
        };
        assert_eq!(with(&|_| {}), Ok(()));
        let (last, more) = (count - 1, pairs[0]);
        assert_eq!(with(&|altered| altered.truncate(last)), Err(PreSignatureError::Missing(keys[last])));
        let found = count + 1;
        assert_eq!(with(&|altered| altered.push(more)), Err(PreSignatureError::TooMany { keys: count, found }));
        let lender = Party::new(&debts.keyring.secp, 100);
        for (place, key) in keys.iter().copied().enumerate() {
            let invalid = Err(PreSignatureError::Invalid(key));
            let PayoutSignaturePair { two, truc } = pairs[place];
            assert_eq!(with(&|altered| altered[place].two = truc), invalid);
            assert_eq!(with(&|altered| altered[place].truc = two), invalid);
            let single = TapSighashType::SinglePlusAnyoneCanPay;
            let theirs = pre_signed_by(&debts, &lender, TRUC, single);
            assert_eq!(with(&|altered| altered[place].truc = theirs), invalid);
            if let Some(other) = pairs.get(place + 1) {
                assert_eq!(with(&|altered| altered[place] = *other), invalid);
                assert_eq!(with(&|altered| altered.swap(place, place + 1)), invalid);
            }
            let found = TapSighashType::All;
            let whole = Signature { sighash_type: found, ..two };
            let refused = Err(PreSignatureError::WrongSighash { key, found });
            assert_eq!(with(&|altered| altered[place].two = whole), refused);
            assert_eq!(pairs[place].check(loan, &key), Ok(()));
        }
        let foreign = lender.keys.x_only_public_key().0;
        assert_eq!(pairs[0].check(loan, &foreign), Err(PreSignatureError::ForeignKey(foreign)));
        let template = debts.repayment(&debts.ending(), TRUC, rate(5)).build().unwrap();
        let fewer: PayoutSignatures = pairs.iter().copied().take(last).collect();
        let fewer = RepayableLoan { loan, pre_signatures: &fewer }.signatures(&template);
        assert_eq!(fewer, Err(SignatureError::ForeignKey { index: ESCROW }));
    }
}

#[test]
fn each_further_repay_key_costs_its_key_and_its_signature() {
    let weight = |keys: usize| {
        let debts = debts(keys);
        debts.repayment(&debts.ending(), TRUC, rate(5)).build().unwrap().weight.to_wu()
    };
    let base = weight(1);
    assert_eq!(weight(0), base, "a single-use key costs what the lender's does");
    for keys in 2..=REPAY_KEYS_MAX {
        // A key is 32 bytes, their length and an opcode; a signature is 65 bytes and their length. The length of a
        // script of 253 bytes and more has two bytes more.
        let longer = if 34 * (keys + 1) > 252 { 2 } else { 0 };
        let further = u64::try_from(keys - 1).unwrap();
        assert_eq!(weight(keys) - base, 100 * further + longer, "{keys} keys");
    }
}

#[test]
fn the_most_repay_keys_leave_room_for_a_whole_selection_of_coins() {
    let mut debts = debts(REPAY_KEYS_MAX);
    let nested = debts.borrower.nested();
    let of = |coin: &Coin, vout| Coin {
        outpoint: bitcoin::OutPoint { vout, ..coin.outpoint },
        output: TxOut { value: Amount::from_sat(30_000), script_pubkey: nested.script_pubkey() },
        key: nested,
    };
    debts.pads = debts.pads.iter().zip(0..).map(|(pad, vout)| of(pad, vout)).collect();
    let coins = |count: usize| -> Vec<Coin> { (0..).take(count).map(|vout| of(&debts.funding[0], vout)).collect() };
    let ending = debts.ending();
    let build = |count: usize| {
        let funding = coins(count);
        Repayment { funding: &funding, ..debts.repayment(&ending, TRUC, rate(1)) }.build()
    };
    assert_eq!(build(COINS_MAX).err(), None);
    assert!(matches!(build(110), Err(RepaymentError::Assembly(AssemblyError::TooHeavy { .. }))));
}

#[test]
fn no_wallet_is_asked_for_the_signature_of_one_of_several_repay_keys() {
    let debts = debts(2);
    let (loan, destination) = (&debts.loans[0].0, &debts.ordinals_script);
    let request = PayoutRequest { loan, pads: &debts.pads, destination, change: &debts.change };
    assert_eq!(request.signer(), Err(PayoutRequestError::SeveralKeys));
    assert_eq!(request.build(TRUC).err(), Some(PayoutRequestError::SeveralKeys));
    assert_eq!(request.check_returned(TRUC, "").err(), Some(PayoutRequestError::SeveralKeys));
}

#[test]
fn a_loan_with_single_use_keys_is_not_extended_and_none_is_extended_to_them() {
    let lender = Party::new(&debts(0).keyring.secp, 100).keys.x_only_public_key().0;
    let single_use = |count| debts(count).loans[0].0.escrow.terms().repay.clone();
    let extend = |debts: &Debts, repay: RepayKeys| {
        let loan = &debts.loans[0].0;
        let terms = EscrowTerms { repay, claim_after: CLAIM_AFTER + 1, ..loan.escrow.terms().clone() };
        let extension = Extension {
            loan,
            escrow: &LoanEscrow::new(terms).unwrap(),
            version: TRUC,
            pads: &debts.pads,
            interest: &TxOut { value: Amount::from_sat(5_000), script_pubkey: loan.payout.script_pubkey.clone() },
            coins: &debts.funding,
            unconfirmed: &[],
            borrower_payment: &debts.change,
            fee_rate: rate(5),
        };
        extension.build().err()
    };
    assert_eq!(extend(&debts(0), lender.into()), None);
    for count in 1..=REPAY_KEYS_MAX {
        assert_eq!(extend(&debts(count), lender.into()), Some(ExtensionError::Instant));
        assert_eq!(extend(&debts(0), single_use(count)), Some(ExtensionError::OtherLender));
    }
}
