//! Tests of a server that submits a repay key of its own, in order to take the collateral together with the borrower.

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, TxOut};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::transaction::template::PAYOUT_SIGHASH;
use escrow::contract::transaction::version::TRUC;
use signer::refusal::Refusal;
use signer::request::{LoanRequest, Pledged, PreparedLoan};

use crate::rig::{Rig, ordinals_key, signing};

/// The loan as the signer would prepare it, byte for byte, but with a repay key that is not destroyed.
fn prepared_by(keys: &Keypair, repay_proof: sha256::Hash, rig: &mut Rig, loan: &LoanRequest) -> PreparedLoan {
    let repay_key = keys.x_only_public_key().0;
    let terms = EscrowTerms {
        loan: loan.loan_id,
        borrower: loan.borrower,
        repay: repay_key.into(),
        lender: ordinals_key(&rig.lender),
        claim_after: loan.claim_after,
    };
    let Pledged::Inscription(coin) = &loan.pledged else { panic!("an inscription is pledged") };
    let outputs: Vec<_> = loan.vault_outputs.iter().map(|output| (output.outpoint, output.value())).collect();
    let platform = rig.signer.policy().platform_script().clone();
    let fee = TxOut { value: Amount::from_sat(loan.platform_fee_sats), script_pubkey: platform };
    let (escrow, coin, vault) = (LoanEscrow::new(terms).unwrap(), AssetCoin::from(coin), rig.vault());
    let origination = Origination {
        escrow: &escrow,
        collateral: Collateral::Inscription(&coin),
        funding: Funding::Vault { vault: &vault, outputs: &outputs },
        principal: loan.principal(),
        platform_fee: Some(&fee),
        borrower_payment: &loan.borrower_payment,
        fee_rate: FeeRate::from_sat_per_kwu(loan.fee_rate_sat_per_kwu),
        change_outputs: 1,
    };
    let template = origination.build().unwrap();
    let payout = loan.principal() + loan.term.interest(loan.principal()).unwrap();
    let payout = TxOut { value: payout, script_pubkey: rig.lender.payment_address().script_pubkey() };
    let running = origination.running_loan(&template, payout).unwrap();
    let sign = |version| {
        let message = running.payout_message(version).unwrap();
        let signature = Secp256k1::new().sign_schnorr_no_aux_rand(&message, keys);
        Signature { signature, sighash_type: PAYOUT_SIGHASH }
    };
    let payout = PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) };
    payout.check(&running, &repay_key).unwrap();
    PreparedLoan { repay_key, repay_proof, payout: payout.into(), psbt: template.psbt }
}

#[test]
fn a_repay_key_that_was_not_made_by_the_signer_is_refused() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let good = rig.prepare(&loan);
    let keys = Keypair::from_seckey_slice(&Secp256k1::new(), &[6; 32]).unwrap();
    let length = std::fs::metadata(rig.log()).unwrap().len();
    // With the proof of a key that the signer did make, and with one that the server invents.
    for proof in [good.repay_proof, sha256::Hash::hash(b"made up")] {
        let kept = prepared_by(&keys, proof, &mut rig, &loan);
        assert_eq!(rig.refusal(signing(&loan, &kept)), Refusal::ForeignRepayKey);
    }
    assert_eq!(std::fs::metadata(rig.log()).unwrap().len(), length, "a refused request leaves no trace in the log");
    // The proof is derived from the seed: a loan that was prepared before a restart can be signed after it.
    let mut rig = rig.restart();
    rig.sign_loan(&loan, &good);
}
