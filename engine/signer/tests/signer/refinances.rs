//! Tests of loans that repay another loan from a vault and take over its collateral.

use bitcoin::{Amount, Network, OutPoint, Transaction, TxOut};
use escrow::address::AddressKind;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::Coin;
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::loan_record::LoanRecord;
use signer::refusal::Refusal;
use signer::request::{BorrowerCoin, LoanRequest, Pledged, PreparedLoan, Request, SpentOutput};

use crate::rig::{
    PLATFORM_FEE_SATS, PRINCIPAL_SATS, Rig, VAULT_SATS, is_valid, leaf_witness, ordinals_key, outpoint, spent_outputs,
    wallet,
};

/// The payout of the old loan: 3.25 % of two million sats.
const OLD_PAYOUT_SATS: u64 = PRINCIPAL_SATS + PRINCIPAL_SATS * 325 / 10_000;

/// A running loan of the vault, as its borrower's kit has it.
pub(crate) fn running(rig: &mut Rig) -> BorrowerKit {
    let offer = rig.admit("of_old", None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    rig.sign_loan(&loan, &prepared);
    kit_of(rig, &loan, &prepared)
}

fn kit_of(rig: &Rig, loan: &LoanRequest, prepared: &PreparedLoan) -> BorrowerKit {
    let escrow = rig.escrow_of(loan, prepared);
    let origination = prepared.psbt.unsigned_tx.clone();
    let txid = origination.compute_txid();
    let record = LoanRecord {
        network: Network::Regtest,
        loan: RunningLoan {
            escrow,
            outpoint: OutPoint::new(txid, 0),
            value: origination.output[0].value,
            pledge: Pledge::Inscription { offset: Amount::from_sat(4_000) },
            payout: TxOut {
                value: Amount::from_sat(OLD_PAYOUT_SATS),
                script_pubkey: rig.lender.payment_address().script_pubkey(),
            },
        },
        pre_signatures: prepared.payout.into(),
        due_seconds: loan.claim_after,
        origination,
    };
    let payment = wallet(7).coin_key(AddressKind::P2wpkh);
    BorrowerKit::new(record, payment, &[OutPoint::new(txid, 2), OutPoint::new(txid, 3)]).unwrap()
}

/// A loan of the vault's second output that repays the one of this kit.
pub(crate) fn refinance(rig: &mut Rig, kit: &BorrowerKit) -> LoanRequest {
    let offer = rig.admit("of_new", None);
    let key = wallet(7).coin_key(AddressKind::P2wpkh);
    let output = TxOut { value: Amount::from_sat(200_000), script_pubkey: key.script_pubkey() };
    let coin = Coin { outpoint: outpoint(60), output, key };
    LoanRequest {
        loan_id: 78,
        pledged: Pledged::Running {
            kit: Kit::Borrower(Box::new(kit.clone())).write(),
            coins: vec![BorrowerCoin::from(&coin)],
        },
        vault_outputs: vec![SpentOutput { outpoint: outpoint(51), sats: VAULT_SATS }],
        ..rig.loan(offer)
    }
}

#[test]
fn a_vault_repays_a_running_loan_and_takes_over_its_collateral() {
    let mut rig = Rig::new();
    rig.open_vault();
    let kit = running(&mut rig);
    let loan = refinance(&mut rig, &kit);
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    let mut begun: Transaction = prepared.psbt.unsigned_tx.clone();
    assert_eq!(begun.compute_txid(), signed.txid);
    assert_eq!(begun.output[2], kit.record().loan.payout, "the old lender is paid");
    let vault = rig.vault();
    let back = begun.output.iter().filter(|out| out.script_pubkey == vault.output().script_pubkey());
    let back: u64 = back.map(|out| out.value.to_sat()).sum();
    assert_eq!(back, VAULT_SATS - PRINCIPAL_SATS - PLATFORM_FEE_SATS, "the vault pays principal and fee");
    let spent = spent_outputs(&prepared.psbt);
    let [one] = &signed.signatures[..] else { panic!("one output of the vault") };
    assert_eq!(begun.input[one.index].previous_output, outpoint(51));
    begun.input[one.index].witness = leaf_witness(&[one.signature.serialize().to_vec()], vault.signer_leaf());
    assert!(is_valid(&begun, one.index, &spent));
}

#[test]
fn a_refinance_of_something_else_is_refused() {
    let mut rig = Rig::new();
    rig.open_vault();
    let kit = running(&mut rig);
    let good = refinance(&mut rig, &kit);
    let refused = |rig: &mut Rig, loan: LoanRequest| rig.refusal(Request::PrepareLoan(Box::new(loan)));
    let Pledged::Running { kit: text, coins } = good.pledged.clone() else { panic!("a running loan") };
    let with_kit =
        |kit: String| LoanRequest { pledged: Pledged::Running { kit, coins: coins.clone() }, ..good.clone() };
    for kit in [String::new(), text.replace("\"offset_sats\": 4000", "\"offset_sats\": 10000")] {
        let refusal = refused(&mut rig, with_kit(kit));
        assert!(matches!(refusal, Refusal::Unbuildable { .. }), "{refusal:?}");
    }
    let other = LoanRequest { borrower: ordinals_key(&wallet(8)), ..good.clone() };
    let refusal = refused(&mut rig, other);
    assert!(matches!(&refusal, Refusal::Unbuildable { reason } if reason.contains("same borrower")), "{refusal:?}");
    let runes = rig.admit("of_runes", Some(1_000));
    let against_runes = LoanRequest { offer: runes, ..good.clone() };
    assert_eq!(refused(&mut rig, against_runes), Refusal::WrongCollateral);
    let coins = vec![coins[0].clone(); 65];
    let many = LoanRequest { pledged: Pledged::Running { kit: text, coins }, ..good.clone() };
    assert_eq!(refused(&mut rig, many), Refusal::TooManyInputs { max: 64, found: 65 });
    let more = LoanRequest { principal_sats: PRINCIPAL_SATS + 1, ..good };
    assert_eq!(refused(&mut rig, more), Refusal::WrongPrincipal { offered: PRINCIPAL_SATS, asked: PRINCIPAL_SATS + 1 });
}
