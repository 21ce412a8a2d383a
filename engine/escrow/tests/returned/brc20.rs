//! Tests of a loan against BRC-20, signed by the wallets of both sides.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, TxOut};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::reveal::PADS;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::version::TRUC;

use super::finished_by_the_wallet;
use super::loan_fixture::{is_valid, rate};
use super::parties::{Parties, coin, finished};

#[test]
fn the_wallets_of_both_sides_begin_a_loan_against_brc20() {
    let parties = Parties::new();
    let transfer = Brc20Transfer::new("ordi", 10_u128.pow(21)).unwrap();
    let transfer_coin = AssetCoin {
        coin: coin(1, parties.borrower.ordinals(), 546),
        inscriptions: vec![Amount::ZERO],
        runes: Vec::new(),
    };
    let exact = [coin(2, parties.lender.nested(), 2_000_000)];
    let change = parties.lender.payment().script_pubkey();
    let origination = Origination {
        escrow: &parties.escrow,
        collateral: Collateral::Brc20 { coin: &transfer_coin, transfer: &transfer },
        funding: Funding::Coins { coins: &exact, change: &change },
        principal: Amount::from_sat(2_000_000),
        platform_fee: None,
        borrower_payment: &parties.borrower_payment,
        fee_rate: rate(30),
        change_outputs: 1,
    };
    let template = origination.build().unwrap();
    let reveal = origination.reveal(&template).unwrap().build().unwrap();

    // The borrower signs both transactions before the lender signs anything.
    let (own, revealing) = (parties.borrower.signatures(&template), parties.borrower.signatures(&reveal));
    let revealed = reveal.finish(&revealing, reveal.final_txid()).unwrap();
    assert!(is_valid(&reveal, &revealed));
    let text = finished_by_the_wallet(&reveal, &parties.borrower.sign(&reveal));
    assert_eq!(parties.borrower.check(&reveal, &text), Ok(revealing), "a wallet may finalize it");
    assert_eq!(parties.lender.signatures(&reveal).count(), 0, "the lender signs none of it");

    // The lender pre-signs the repayment, and pays.
    let payout = TxOut { value: Amount::from_sat(2_065_000), script_pubkey: change.clone() };
    let loan = origination.running_loan(&template, payout).unwrap();
    let pads = PADS.map(|pad| {
        let outpoint = OutPoint::new(reveal.final_txid(), u32::try_from(pad).unwrap());
        let output = reveal.psbt.unsigned_tx.output[pad].clone();
        Coin { outpoint, output, key: parties.borrower.payment() }
    });
    let request = parties.payout_request(&loan, &pads);
    for version in [Version::TWO, TRUC] {
        let text = parties.lender.sign(&request.build(version).unwrap());
        let signature = request.check_returned(version, &text).unwrap();
        assert_eq!(loan.check_payout_signature(version, &loan.escrow.terms().lender, &signature), Ok(()));
    }
    let originated = finished(&template, own, parties.lender.signatures(&template));
    assert!(is_valid(&template, &originated));
    assert_eq!(revealed.input[0].previous_output.txid, originated.compute_txid());
}
