//! Tests of PSBTs that wallets return: taken, refused by name, merged and finished.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod brc20;
mod extensions;
#[path = "../inscription_loan/loan_fixture.rs"]
#[allow(dead_code, reason = "only the interpreter is needed of it")]
mod loan_fixture;
mod mutations;
mod named_tamperings;
mod parties;
mod refusals;
mod witnesses;

use bitcoin::bip32::{DerivationPath, Xpriv};
use bitcoin::hashes::Hash as _;
use bitcoin::hex::DisplayHex as _;
use bitcoin::key::TapTweak as _;
use bitcoin::psbt::raw;
use bitcoin::secp256k1::{Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::transaction::Version;
use bitcoin::{Amount, Network, OutPoint, Psbt, PublicKey, TapSighashType, Txid};
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::payout_request::PayoutRequestError;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signature_check::SignatureFault;
use escrow::contract::signing::signatures::{SignatureError, TransactionMismatch};
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::lock::{Lock, Signer};
use escrow::contract::transaction::template::{PAYOUT_SIGHASH, Template};
use escrow::contract::transaction::version::TRUC;

use loan_fixture::is_valid;
use parties::{Parties, Party, altered, coin, finished, inscribed, psbt};

/// Finalizes inputs as a wallet does: with the signatures that it has, whether or not they suffice.
fn finished_by_the_wallet(template: &Template, text: &str) -> String {
    altered(text, |psbt| {
        for (input, lock) in psbt.inputs.iter_mut().zip(&template.locks) {
            let mut own: Vec<Vec<u8>> = input.partial_sigs.values().map(|signature| signature.to_vec()).collect();
            own.extend(input.tap_key_sig.map(bitcoin::taproot::Signature::to_vec));
            own.extend(input.tap_script_sigs.values().map(|signature| signature.to_vec()));
            if own.is_empty() {
                continue;
            }
            input.final_script_witness = Some(lock.witness(&own));
            input.final_script_sig = Some(lock.script_sig()).filter(|script| !script.is_empty());
            input.partial_sigs.clear();
            input.tap_key_sig = None;
            input.tap_script_sigs.clear();
            input.tap_scripts.clear();
            input.tap_internal_key = None;
            input.tap_merkle_root = None;
            input.redeem_script = None;
        }
    })
}

#[test]
fn both_sign_and_the_loan_begins() {
    let parties = Parties::new();
    let template = parties.origination();
    let txid = template.final_txid();
    let borrowers = parties.borrower.signatures(&template);
    assert_eq!(borrowers.count(), 1);
    assert_eq!(template.finish(&borrowers, txid), Err(FinishError::MissingSignature { index: 1 }));
    let missing: Vec<usize> = template.missing(&borrowers).into_iter().map(|(index, _)| index).collect();
    assert_eq!(missing, [1, 2, 3, 4]);
    let lenders = parties.lender.signatures(&template);
    assert_eq!(lenders.count(), 4);
    let originated = finished(&template, borrowers.clone(), lenders.clone());
    assert_eq!(originated, finished(&template, lenders, borrowers));
    assert_eq!(originated.compute_txid(), txid);
    assert!(originated.weight() <= template.weight);
    assert!(is_valid(&template, &originated));
}

#[test]
fn a_handed_out_psbt_names_no_sighash_and_holds_no_signature() {
    let parties = Parties::new();
    for template in [parties.origination(), parties.repayment(TRUC), parties.claim()] {
        let psbt = psbt(&template.psbt.to_string());
        assert_eq!(psbt, template.psbt);
        for input in &psbt.inputs {
            assert_eq!(input.sighash_type, None);
            assert!(input.partial_sigs.is_empty() && input.tap_key_sig.is_none() && input.tap_script_sigs.is_empty());
            assert!(input.final_script_witness.is_none() && input.final_script_sig.is_none());
        }
    }
}

#[test]
fn the_lenders_pre_signature_lets_the_borrower_repay_alone() {
    let parties = Parties::new();
    let (loan, pads) = (parties.loan(), parties.pads());
    let request = parties.payout_request(&loan, &pads);
    let sign = |version| {
        let template = request.build(version).unwrap();
        let psbt = psbt(&template.psbt.to_string());
        assert_eq!(psbt.unsigned_tx.input[2].previous_output, loan.outpoint);
        assert_eq!(psbt.unsigned_tx.output[2], loan.payout);
        let named: Vec<_> = psbt.inputs.iter().map(|input| input.sighash_type).collect();
        assert_eq!(named, [None, None, Some(PAYOUT_SIGHASH.into()), None]);
        assert!(template.fee().is_some_and(|fee| fee > Amount::ZERO), "no wallet signs a negative fee");
        request.check_returned(version, &parties.lender.sign(&template)).unwrap()
    };
    let signatures = PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) };
    assert_eq!(signatures.check(&loan, &loan.escrow.terms().lender), Ok(()));
    assert_eq!(parties.payout_signatures(), signatures.into());
    for version in [Version::TWO, TRUC] {
        let template = parties.repayment(version);
        let pre_signatures = parties.pre_signature(&template);
        let own = parties.borrower.signatures(&template);
        assert_eq!(
            template.finish(&own, template.final_txid()),
            Err(FinishError::MissingSignature { index: 2 }),
            "not without the lender's pre-signature"
        );
        let ended = finished(&template, own, pre_signatures);
        assert!(ended.weight() <= template.weight);
        assert!(is_valid(&template, &ended), "version {version}");
    }
}

#[test]
fn a_payout_is_not_pre_signed_in_any_other_way() {
    let parties = Parties::new();
    let (loan, pads) = (parties.loan(), parties.pads());
    let request = parties.payout_request(&loan, &pads);
    let template = request.build(TRUC).unwrap();
    let text = parties.lender.sign(&template);
    let missing = ReturnedPsbtError::MissingSignature { index: 2 };
    assert_eq!(request.check_returned(TRUC, &template.psbt.to_string()), Err(PayoutRequestError::Returned(missing)));
    let version = ReturnedPsbtError::Version { expected: Version::TWO, found: TRUC };
    let other = request.check_returned(Version::TWO, &text);
    // The transaction id differs, but the error names the version.
    assert_eq!(other, Err(PayoutRequestError::Returned(version)));
    let whole = altered(&template.psbt.to_string(), |psbt| psbt.inputs[2].sighash_type = None);
    let whole = parties.lender.wallet.sign_psbt(&whole).unwrap();
    let fault = SignatureFault::WrongSighash { expected: PAYOUT_SIGHASH.into(), found: TapSighashType::Default.into() };
    let refusal = PayoutRequestError::Returned(ReturnedPsbtError::Signature { index: 2, fault });
    assert_eq!(request.check_returned(TRUC, &whole), Err(refusal));
}

#[test]
fn the_lender_alone_claims() {
    let parties = Parties::new();
    let template = parties.claim();
    let all = parties.lender.signatures(&template);
    let claimed = template.finish(&all, template.final_txid()).unwrap();
    assert!(is_valid(&template, &claimed));
}

#[test]
fn a_signer_of_a_vault_signs_without_a_wallet() {
    use escrow::contract::vault::{Vault, VaultTerms};
    let parties = Parties::new();
    let signer = Party::new(4);
    let key = |party: &Party| match party.ordinals() {
        CoinKey::P2tr(key) => key,
        other => panic!("{other:?} is not a taproot key"),
    };
    let terms = VaultTerms { lender_id: 4, signers: key(&signer).into(), lender: key(&parties.lender) };
    let vault = Vault::new(terms).unwrap();
    let outputs = [(OutPoint::new(Txid::from_byte_array([6; 32]), 1), Amount::from_sat(5_000_000))];
    let origination = Origination {
        escrow: &parties.escrow,
        collateral: Collateral::Inscription(&inscribed(coin(1, parties.borrower.ordinals(), 10_000))),
        funding: Funding::Vault { vault: &vault, outputs: &outputs },
        principal: Amount::from_sat(2_000_000),
        platform_fee: None,
        borrower_payment: &parties.borrower_payment,
        fee_rate: bitcoin::FeeRate::BROADCAST_MIN,
        change_outputs: 1,
    };
    let template = origination.build().unwrap();
    let made = psbt(&signer.sign(&template)).inputs[1].tap_script_sigs.clone();
    let (_, signature) = made.into_iter().next().unwrap();
    let own = template.check_signature(1, &key(&signer), &signature).unwrap();
    let originated = finished(&template, own, parties.borrower.signatures(&template));
    assert!(is_valid(&template, &originated));
    let refusal = |index, party, signature| template.check_signature(index, &key(party), signature).err();
    assert_eq!(refusal(0, &signer, &signature), Some(SignatureError::ForeignKey { index: 0 }));
    assert_eq!(refusal(9, &signer, &signature), Some(SignatureError::ForeignKey { index: 9 }));
    assert_eq!(refusal(1, &parties.lender, &signature), Some(SignatureError::ForeignKey { index: 1 }));
    let elsewhere = psbt(&parties.borrower.sign(&template)).inputs[0].tap_key_sig.unwrap();
    let fault = SignatureError::Fault { index: 1, fault: SignatureFault::Invalid };
    assert_eq!(refusal(1, &signer, &elsewhere), Some(fault));
}

#[test]
fn inputs_finalized_by_the_wallet_give_the_same_result() {
    let parties = Parties::new();
    let origination = parties.origination();
    for party in [&parties.borrower, &parties.lender] {
        let text = finished_by_the_wallet(&origination, &party.sign(&origination));
        assert_eq!(party.check(&origination, &text), Ok(party.signatures(&origination)));
    }
    // The borrower's wallet finalizes the escrow's input too, although the other signature is missing.
    let repayment = parties.repayment(TRUC);
    let text = finished_by_the_wallet(&repayment, &parties.borrower.sign(&repayment));
    assert_eq!(psbt(&text).inputs[2].final_script_witness.as_ref().unwrap().len(), 3);
    let own = parties.borrower.check(&repayment, &text).unwrap();
    assert_eq!(own, parties.borrower.signatures(&repayment));
    let ended = finished(&repayment, own, parties.pre_signature(&repayment));
    assert!(is_valid(&repayment, &ended));
    // Everything finalized, as by another program with both signatures.
    let all = altered(&repayment.psbt.to_string(), |psbt| {
        for (input, signed) in psbt.inputs.iter_mut().zip(&ended.input) {
            input.final_script_witness = Some(signed.witness.clone());
            input.final_script_sig = Some(signed.script_sig.clone());
        }
    });
    let all = parties.borrower.check(&repayment, &all).unwrap();
    assert_eq!(repayment.finish(&all, repayment.final_txid()), Ok(ended));
}

#[test]
fn a_wallet_may_answer_in_hexadecimal() {
    let parties = Parties::new();
    let template = parties.origination();
    let signed = psbt(&parties.lender.sign(&template)).serialize();
    let own = Ok(parties.lender.signatures(&template));
    assert_eq!(parties.lender.check(&template, &signed.to_lower_hex_string()), own);
    assert_eq!(parties.lender.check(&template, &signed.to_upper_hex_string()), own);
}

#[test]
fn fields_added_by_wallets_are_ignored() {
    let parties = Parties::new();
    let template = parties.origination();
    let text = altered(&parties.lender.sign(&template), |psbt| {
        let (unknown, proprietary) = (
            raw::Key { type_value: 0x77, key: vec![1] },
            raw::ProprietaryKey { prefix: b"wallet".to_vec(), subtype: 1, key: vec![2] },
        );
        psbt.unknown.insert(unknown.clone(), vec![3]);
        psbt.proprietary.insert(proprietary.clone(), vec![4]);
        let key = PublicKey::from_slice(&[2; 33]).unwrap();
        let source = (bitcoin::bip32::Fingerprint::default(), bitcoin::bip32::DerivationPath::master());
        for input in &mut psbt.inputs {
            input.unknown.insert(unknown.clone(), vec![5]);
            input.proprietary.insert(proprietary.clone(), vec![6]);
            input.bip32_derivation.insert(key.inner, source.clone());
            input.tap_key_origins.insert(key.inner.into(), (vec![], source.clone()));
        }
        for output in &mut psbt.outputs {
            output.redeem_script = Some(bitcoin::ScriptBuf::new());
            output.bip32_derivation.insert(key.inner, source.clone());
        }
    });
    assert_eq!(parties.lender.check(&template, &text), Ok(parties.lender.signatures(&template)));
    // Some wallets omit fields that they were given.
    let bare = altered(&parties.lender.sign(&template), |psbt| {
        for input in &mut psbt.inputs {
            input.witness_utxo = None;
            input.redeem_script = None;
            input.tap_internal_key = None;
        }
    });
    assert_eq!(parties.lender.check(&template, &bare), Ok(parties.lender.signatures(&template)));
    // Some wallets declare the sighash.
    let declared = altered(&parties.lender.sign(&template), |psbt| {
        psbt.inputs[1].sighash_type = Some(bitcoin::EcdsaSighashType::All.into());
        psbt.inputs[3].sighash_type = Some(TapSighashType::Default.into());
    });
    assert_eq!(parties.lender.check(&template, &declared), Ok(parties.lender.signatures(&template)));
}

#[test]
fn stored_signatures_are_read_back_unchanged() {
    let parties = Parties::new();
    let template = parties.origination();
    let lenders = parties.lender.signatures(&template);
    let all = lenders.clone().merge(parties.borrower.signatures(&template)).unwrap();
    for kept in [lenders, all] {
        let psbt: Psbt = template.signed_psbt(&kept).unwrap();
        assert_eq!(template.check_returned(&psbt.to_string(), &[]), Ok(kept));
    }
    let repayment = parties.repayment(TRUC);
    let kept = parties.borrower.signatures(&repayment).merge(parties.pre_signature(&repayment)).unwrap();
    let psbt: Psbt = repayment.signed_psbt(&kept).unwrap();
    assert_eq!(repayment.check_returned(&psbt.to_string(), &[]), Ok(kept));
}

/// A second valid signature of the borrower's collateral, with another nonce than the wallet's.
fn signed_again(template: &Template) -> String {
    let secp = Secp256k1::new();
    let master = Xpriv::new_master(Network::Regtest, &[1; 32]).unwrap();
    let path: DerivationPath = "m/86'/1'/0'/0/0".parse().unwrap();
    let keys = master.derive_priv(&secp, &path).unwrap().to_keypair(&secp).tap_tweak(&secp, None).to_keypair();
    let spent: Vec<_> = template.psbt.inputs.iter().map(|input| input.witness_utxo.clone().unwrap()).collect();
    let hash = SighashCache::new(&template.psbt.unsigned_tx)
        .taproot_key_spend_signature_hash(0, &Prevouts::All(&spent), TapSighashType::Default)
        .unwrap();
    let signature = secp.sign_schnorr_with_aux_rand(&Message::from_digest(hash.to_byte_array()), &keys, &[9; 32]);
    let signature = bitcoin::taproot::Signature { signature, sighash_type: TapSighashType::Default };
    altered(&template.psbt.to_string(), |psbt| psbt.inputs[0].tap_key_sig = Some(signature))
}

#[test]
fn of_two_valid_signatures_the_same_one_is_kept_in_either_order() {
    let parties = Parties::new();
    let template = parties.origination();
    let first = parties.borrower.signatures(&template);
    let second = parties.borrower.check(&template, &signed_again(&template)).unwrap();
    assert_ne!(first, second);
    let merged = first.clone().merge(second.clone()).unwrap();
    assert_eq!(second.merge(first).unwrap(), merged);
    assert!(is_valid(&template, &finished(&template, merged, parties.lender.signatures(&template))));
}

#[test]
fn signatures_of_another_transaction_are_not_merged() {
    let parties = Parties::new();
    let (two, truc) = (parties.repayment(Version::TWO), parties.repayment(TRUC));
    let own = parties.borrower.signatures(&two);
    let id = |template: &Template| template.psbt.unsigned_tx.compute_txid();
    let refusal = TransactionMismatch { expected: id(&truc), found: id(&two) };
    assert_eq!(parties.borrower.signatures(&truc).merge(own.clone()), Err(refusal));
    assert_eq!(truc.finish(&own, truc.final_txid()), Err(FinishError::TransactionMismatch(refusal)));
    assert_eq!(truc.signed_psbt(&own), Err(refusal));
}

#[test]
fn only_the_expected_transaction_is_finished() {
    let parties = Parties::new();
    let template = parties.origination();
    let all = parties.borrower.signatures(&template).merge(parties.lender.signatures(&template)).unwrap();
    let (unsigned, txid) = (template.psbt.unsigned_tx.compute_txid(), template.final_txid());
    let other = FinishError::TxidMismatch { promised: unsigned, found: txid };
    assert_eq!(template.finish(&all, unsigned), Err(other), "a nested coin changes the id");
    let found = template.finish(&all, txid).unwrap().weight();
    let most = found - bitcoin::Weight::from_wu(1);
    let tight = Template { weight: most, ..template.clone() };
    assert_eq!(tight.finish(&all, txid), Err(FinishError::TooHeavy { most, found }));
    // The amounts are signed, so stored signatures are not valid for others.
    let mut richer = template.clone();
    richer.psbt.inputs[2].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
    let refusal = richer.finish(&all, txid);
    assert_eq!(refusal, Err(FinishError::Signature { index: 0, fault: SignatureFault::Invalid }));
}

#[test]
fn every_input_names_its_signers() {
    let parties = Parties::new();
    let made_by = |template: &Template, party: &Party| -> Vec<usize> {
        let signers = template.locks.iter().map(Lock::signers);
        let own = signers.map(|signers| {
            let is_own = |signer: &&Signer| party.keys().iter().any(|key| signer.matches_key(key));
            signers.iter().filter(is_own).count()
        });
        own.collect()
    };
    let origination = parties.origination();
    assert_eq!(made_by(&origination, &parties.borrower), [1, 0, 0, 0, 0]);
    assert_eq!(made_by(&origination, &parties.lender), [0, 1, 1, 1, 1]);
    let repayment = parties.repayment(TRUC);
    assert_eq!(made_by(&repayment, &parties.borrower), [1, 1, 1, 1]);
    assert_eq!(made_by(&repayment, &parties.lender), [0, 0, 1, 0]);
    let [first, second] = repayment.locks[2].signers()[..] else { panic!("an escrow has two signers") };
    assert_eq!((first.sighash(), second.sighash()), (PAYOUT_SIGHASH.into(), TapSighashType::Default.into()));
}
