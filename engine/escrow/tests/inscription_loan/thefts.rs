//! Tests of attempted thefts: transactions with which one side tries to make the other sign away its coins.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf, TxOut, WitnessProgram, WitnessVersion};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::claim::{Claim, ClaimError};
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::extension::{Extension, ExtensionError};
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::{Origination, OriginationError};
use escrow::contract::loan::refinance::{Refinance, RefinanceError};
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::running_loan::{PreSignatureError, RunningLoan};
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::side::CounterpartyCoin;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::{Vault, VaultTerms};
use ordinals::RuneId;

use super::debts::{Debts, inscription};
use super::loan_fixture::{CLAIM_AFTER, LoanFixture, PAYOUT_SATS, Party, coin, rate};

/// All kinds of coins that one party's keys can spend.
fn kinds(party: &Party) -> [CoinKey; 3] {
    [party.ordinals(), party.payment(), party.nested()]
}

#[test]
fn the_collateral_cannot_be_a_coin_of_the_lender() {
    let loan_fixture = LoanFixture::new(546, 0, rate(12));
    let id = RuneId { block: 840_000, tx: 3 };
    for key in kinds(&loan_fixture.lender) {
        // The lender's wallet would sign for it together with its payment.
        let stolen = AssetCoin { coin: coin(40, key, 10_000), ..loan_fixture.collateral.clone() };
        let refusal = OriginationError::CounterpartyCoin(CounterpartyCoin(stolen.coin.outpoint));
        let against = Origination { collateral: Collateral::Inscription(&stolen), ..loan_fixture.origination() };
        assert_eq!(against.build(), Err(refusal.clone()));
        let runic = |coin: Coin| AssetCoin { coin, inscriptions: Vec::new(), runes: vec![(id, 500)] };
        let coins = [runic(loan_fixture.collateral.coin.clone()), runic(stolen.coin)];
        let collateral = Collateral::Runes { coins: &coins, id, amount: 1_000, rest: &loan_fixture.ordinals_script };
        assert_eq!(Origination { collateral, ..loan_fixture.origination() }.build(), Err(refusal));
    }
}

#[test]
fn an_instant_loan_is_not_secured_by_a_coin_of_the_lender() {
    let loan_fixture = LoanFixture::new(546, 0, rate(12));
    let key = |party: &Party| party.keys.x_only_public_key().0;
    let signer = Party::new(&loan_fixture.secp, 9);
    let vault =
        Vault::new(VaultTerms { lender_id: 4, signers: key(&signer).into(), lender: key(&loan_fixture.lender) })
            .unwrap();
    let outputs = [(coin(50, loan_fixture.lender.payment(), 0).outpoint, Amount::from_sat(5_000_000))];
    let funding = Funding::Vault { vault: &vault, outputs: &outputs };
    let stolen =
        AssetCoin { coin: coin(40, loan_fixture.lender.ordinals(), 10_000), ..loan_fixture.collateral.clone() };
    let origination =
        Origination { funding, collateral: Collateral::Inscription(&stolen), ..loan_fixture.origination() };
    assert_eq!(origination.build(), Err(CounterpartyCoin(stolen.coin.outpoint).into()));
}

#[test]
fn the_principal_cannot_come_from_the_borrowers_coins() {
    let loan_fixture = LoanFixture::new(546, 0, rate(12));
    for key in kinds(&loan_fixture.borrower) {
        let mut coins = loan_fixture.funding.clone();
        coins.push(coin(41, key, 900_000));
        let funding = Funding::Coins { coins: &coins, change: &loan_fixture.lender_payment };
        let origination = Origination { funding, ..loan_fixture.origination() };
        assert_eq!(origination.build(), Err(CounterpartyCoin(coins[3].outpoint).into()));
    }
    // A change address of the borrower is not a coin of the lender's, but the amount paid there is missing.
    let funding = Funding::Coins { coins: &loan_fixture.funding, change: &loan_fixture.borrower_payment };
    assert!(Origination { funding, ..loan_fixture.origination() }.build().is_err());
}

/// An escrow with which a loan of `debts` would continue.
fn next_escrow(debts: &Debts, loan: u128, lender: &Party) -> LoanEscrow {
    let lender = lender.keys.x_only_public_key().0;
    let terms = debts.loans[0].0.escrow.terms().clone();
    LoanEscrow::new(EscrowTerms { loan, repay: lender.into(), lender, claim_after: CLAIM_AFTER + 9, ..terms }).unwrap()
}

#[test]
fn neither_side_of_a_refinance_contributes_coins_of_the_other() {
    let mut debts = Debts::new(&[(546, inscription(0), 80_000)], 500_000);
    let lender = debts.keyring.party(5);
    let escrow = next_escrow(&debts, 900, &lender);
    let pads = [debts.pads[0].clone(), debts.pads[1].clone()];
    let (funding, change) = (vec![coin(61, lender.payment(), 150_000)], lender.payment().script_pubkey());
    let ending = debts.ending()[0];
    let good = Refinance {
        ending,
        escrow: &escrow,
        version: TRUC,
        pads: &pads,
        funding: Funding::Coins { coins: &funding, change: &change },
        principal: Amount::from_sat(100_000),
        platform_fee: None,
        coins: &debts.funding,
        unconfirmed: &[],
        borrower_payment: &debts.change,
        fee_rate: rate(3),
    };
    assert!(good.build().is_ok());
    for key in kinds(&lender) {
        let stolen = [debts.funding[0].clone(), coin(62, key, 1_000_000)];
        let refusal = RefinanceError::CounterpartyCoin(CounterpartyCoin(stolen[1].outpoint));
        assert_eq!(Refinance { coins: &stolen, ..good }.build(), Err(refusal.clone()));
        let pads = [pads[0].clone(), stolen[1].clone()];
        assert_eq!(Refinance { pads: &pads, ..good }.build(), Err(refusal));
    }
    for key in kinds(&debts.borrower) {
        let stolen = [funding[0].clone(), coin(63, key, 1_000_000)];
        let funding = Funding::Coins { coins: &stolen, change: &change };
        assert_eq!(Refinance { funding, ..good }.build(), Err(CounterpartyCoin(stolen[1].outpoint).into()));
    }
}

#[test]
fn the_lender_pays_for_no_extension() {
    let debts = Debts::new(&[(546, inscription(0), 80_000)], 500_000);
    let loan = &debts.loans[0].0;
    let escrow = LoanEscrow::new(EscrowTerms { claim_after: CLAIM_AFTER + 9, ..loan.escrow.terms().clone() }).unwrap();
    let pads = [debts.pads[0].clone(), debts.pads[1].clone()];
    let interest = TxOut { value: Amount::from_sat(3_000), script_pubkey: loan.payout.script_pubkey.clone() };
    let good = Extension {
        loan,
        escrow: &escrow,
        version: Version::TWO,
        pads: &pads,
        interest: &interest,
        coins: &debts.funding,
        unconfirmed: &[],
        borrower_payment: &debts.change,
        fee_rate: rate(3),
    };
    assert!(good.build().is_ok());
    let lender = CoinKey::P2tr(loan.escrow.terms().lender);
    let mut paid_before = coin(64, lender, 1_000_000);
    // A coin on the address that the lender is paid at, whatever key is claimed for it.
    paid_before.output.script_pubkey = interest.script_pubkey.clone();
    for stolen in [coin(62, lender, 1_000_000), paid_before] {
        let coins = [debts.funding[0].clone(), stolen.clone()];
        let refusal = ExtensionError::CounterpartyCoin(CounterpartyCoin(stolen.outpoint));
        assert_eq!(Extension { coins: &coins, ..good }.build(), Err(refusal.clone()));
        let pads = [stolen, pads[1].clone()];
        assert_eq!(Extension { pads: &pads, ..good }.build(), Err(refusal));
    }
}

#[test]
fn no_loan_begins_that_could_not_be_repaid() {
    let loan_fixture = LoanFixture::new(546, 0, rate(12));
    let (_, originated) = loan_fixture.originate();
    let good = loan_fixture.running(&originated);
    assert_eq!(loan_fixture.pre_sign_both(&good).check(&good), Ok(()));
    let program = |version, length| {
        let program = WitnessProgram::new(version, &vec![2; length]).unwrap();
        ScriptBuf::new_witness_program(&program)
    };
    let refusal = |value, script_pubkey: ScriptBuf| {
        let loan = RunningLoan { payout: TxOut { value: Amount::from_sat(value), script_pubkey }, ..good.clone() };
        loan_fixture.pre_sign_both(&loan).check(&loan).err()
    };
    // The lender pre-signs a payout that will never be relayed, and waits for the claim time.
    let unpayable = |value| Some(PreSignatureError::UnpayablePayout(Amount::from_sat(value)));
    let bare = bitcoin::script::Builder::new().push_opcode(bitcoin::opcodes::OP_TRUE).into_script();
    let burned = ScriptBuf::new_op_return([7; 4]);
    let short = ScriptBuf::from_bytes([&[0, 25][..], &[3; 25]].concat());
    let huge = ScriptBuf::from_bytes(vec![0x61; 100_000]);
    for script in [bare, burned, short, huge, ScriptBuf::new()] {
        assert_eq!(refusal(PAYOUT_SATS, script), unpayable(PAYOUT_SATS));
    }
    let own = || good.payout.script_pubkey.clone();
    assert_eq!(refusal(293, own()), unpayable(293), "dust");
    assert_eq!(refusal(294, own()), None);
    let all = Amount::MAX_MONEY.to_sat();
    assert_eq!(refusal(all + 1, own()), unpayable(all + 1));
    // Every kind of address is accepted, including future ones.
    for script in [program(WitnessVersion::V0, 32), program(WitnessVersion::V1, 32), program(WitnessVersion::V16, 40)] {
        assert_eq!(refusal(PAYOUT_SATS, script), None);
    }
}

#[test]
fn nothing_is_paid_to_a_script_without_an_address() {
    let loan_fixture = LoanFixture::new(546, 0, rate(12));
    let burned = ScriptBuf::new_op_return([7; 4]);
    let funding = Funding::Coins { coins: &loan_fixture.funding, change: &burned };
    // Output 5 is the change, after escrow, principal, pads and the platform fee.
    assert_eq!(
        Origination { funding, ..loan_fixture.origination() }.build(),
        Err(OriginationError::NoAddress { index: 5 })
    );
    let borrowed = Origination { borrower_payment: &burned, ..loan_fixture.origination() };
    assert_eq!(borrowed.build(), Err(OriginationError::NoAddress { index: 1 }));
    let debts = Debts::new(&[(546, inscription(0), 80_000)], 500_000);
    let loans = debts.ending();
    let repayment = debts.repayment(&loans, TRUC, rate(3));
    let refusal = |index| Err(AssemblyError::NoAddress { index }.into());
    assert_eq!(Repayment { change: &burned, ..repayment }.build(), refusal(0));
    assert_eq!(Repayment { destination: &burned, ..repayment }.build(), refusal(1));
}

#[test]
fn no_claim_is_paid_by_the_collateral_under_another_name() {
    let loan_fixture = LoanFixture::new(10_000, 0, rate(3));
    let (_, originated) = loan_fixture.originate();
    let loan = loan_fixture.running(&originated);
    let fee_coin = Coin { outpoint: loan.outpoint, ..coin(8, loan_fixture.lender.payment(), 50_000) };
    let (destination, change) = (loan_fixture.lender.ordinals().script_pubkey(), loan_fixture.lender_payment.clone());
    let claim =
        Claim { loan: &loan, fee_coin: Some(&fee_coin), destination: &destination, change: &change, fee_rate: rate(3) };
    assert_eq!(claim.build(), Err(ClaimError::EscrowAsFeeCoin));
    let other = Coin { outpoint: OutPoint { vout: 1, ..loan.outpoint }, ..fee_coin.clone() };
    assert!(Claim { fee_coin: Some(&other), ..claim }.build().is_ok());
}
