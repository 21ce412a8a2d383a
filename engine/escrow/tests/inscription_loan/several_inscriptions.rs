//! Tests of loans against several inscriptions in one escrow.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf, Transaction, TxOut, Txid};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::pledge::{InscribedRange, Pledge};
use escrow::contract::loan::claim::Claim;
use escrow::contract::loan::collateral::{Collateral, CollateralError};
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::fault::OriginationFault;
use escrow::contract::loan::origination::{Origination, OriginationError};
use escrow::contract::loan::origination_outputs::{ESCROW, PAD, pads};
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::{Repayment, RepaymentError};
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::kit_error::KitError;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use proptest::prelude::*;

use super::debts::expected_runs;
use super::flow;
use super::keyring::Keyring;
use super::loan_fixture::{
    CLAIM_AFTER, LoanFixture, PAYOUT_SATS, PRINCIPAL_SATS, assert_weight, coin, coin_of, is_valid, rate,
};
use super::mutations::assert_all_found;

/// A loan against several inscriptions that is about to begin.
struct SeveralFixture {
    loan_fixture: LoanFixture,
    keyring: Keyring,
    collateral: Vec<AssetCoin>,
    vault: Vault,
}

impl SeveralFixture {
    /// Creates coins of these values, each with an inscription at this offset.
    fn new(coins: &[(u64, u64)], fee_rate: FeeRate) -> Self {
        let loan_fixture = LoanFixture::new(546, 0, fee_rate);
        let mut keyring = Keyring::new();
        let (borrower, lender, signer) = (keyring.party(1), keyring.party(2), keyring.party(9));
        let key = |party: &super::loan_fixture::Party| party.keys.x_only_public_key().0;
        let vault = VaultTerms { lender_id: 4, signers: key(&signer).into(), lender: key(&lender) };
        let asset_coin = |(number, (value, offset)): (u8, &(u64, u64))| AssetCoin {
            coin: coin(number, borrower.ordinals(), *value),
            inscriptions: vec![Amount::from_sat(*offset)],
            runes: Vec::new(),
        };
        let collateral = (100_u8..).zip(coins).map(asset_coin).collect();
        Self { collateral, vault: Vault::new(vault).unwrap(), loan_fixture, keyring }
    }

    /// Five coins with their inscriptions in different places.
    fn five() -> Self {
        Self::new(&[(546, 0), (10_000, 9_999), (330, 329), (1_000, 500), (546, 545)], rate(3))
    }

    fn origination(&self) -> Origination<'_> {
        Origination { collateral: Collateral::Inscriptions(&self.collateral), ..self.loan_fixture.origination() }
    }

    fn payout(&self) -> TxOut {
        TxOut { value: Amount::from_sat(PAYOUT_SATS), script_pubkey: self.loan_fixture.lender_payment.clone() }
    }

    fn originate(&self) -> (Template, Transaction, RunningLoan) {
        let template = self.origination().build().unwrap();
        let signed = self.keyring.sign(&template);
        let loan = self.origination().running_loan(&template, self.payout()).unwrap();
        (template, signed, loan)
    }

    fn pads(&self, originated: &Transaction) -> Vec<Coin> {
        let places = pads(self.collateral.len());
        let pad = |place| coin_of(originated, u32::try_from(place).unwrap(), self.loan_fixture.borrower.payment());
        places.map(pad).collect()
    }

    fn record(&mut self) -> (LoanRecord, Vec<OutPoint>) {
        let (_, origination, loan) = self.originate();
        let pre_signatures = self.keyring.pre_sign(&loan);
        let pads = self.pads(&origination).iter().map(|pad| pad.outpoint).collect();
        let network = Network::Regtest;
        (LoanRecord { network, loan, pre_signatures, due_seconds: CLAIM_AFTER, origination }, pads)
    }
}

fn coins() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let coin = (330_u64..20_000).prop_flat_map(|value| (Just(value), 0..value));
    prop::collection::vec(coin, 2..=20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_inscription_enters_the_escrow_on_its_sat_and_returns_in_a_coin_of_its_own(
        coins in coins(),
        rate_kwu in 25_u64..=5_000,
        is_instant in any::<bool>(),
        is_truc in any::<bool>(),
    ) {
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        let mut fixture = SeveralFixture::new(&coins, fee_rate);
        let outputs = [(OutPoint::new(Txid::from_byte_array([6; 32]), 1), Amount::from_sat(5_000_000))];
        let vault = fixture.vault.clone();
        let mut origination = fixture.origination();
        if is_instant {
            origination.funding = Funding::Vault { vault: &vault, outputs: &outputs };
        }
        let template = origination.build().unwrap();
        let originated = fixture.keyring.sign(&template);
        prop_assert!(is_valid(&template, &originated));
        assert_weight(&template, &originated);
        let expected: Vec<flow::Run> = coins.iter().enumerate().map(|(input, (value, _))| (input, 0, *value)).collect();
        prop_assert_eq!(&flow::sats(&template)[ESCROW], &expected, "the coins, one after the other");
        let loan = origination.running_loan(&template, fixture.payout()).unwrap();
        let ranges = coins.iter().map(|(value, offset)| InscribedRange {
            value: Amount::from_sat(*value),
            offset: Amount::from_sat(*offset),
        });
        prop_assert_eq!(&loan.pledge, &Pledge::Inscriptions(ranges.collect()));
        prop_assert_eq!(loan.value, originated.output[ESCROW].value);

        let pre_signatures = fixture.keyring.pre_sign(&loan);
        let pads = fixture.pads(&originated);
        prop_assert_eq!(pads.len(), coins.len() + 1);
        prop_assert!(pads.iter().all(|pad| pad.output.value == PAD));
        let version = if is_truc { TRUC } else { Version::TWO };
        let fixture = &fixture;
        let funding = [coin(9, fixture.loan_fixture.borrower.payment(), 3_000_000)];
        let repayment = Repayment {
            loans: &[RepayableLoan { loan: &loan, pre_signatures: &pre_signatures }],
            version,
            pads: &pads,
            funding: &funding,
            unconfirmed: &[],
            destination: &fixture.loan_fixture.ordinals_script,
            change: &fixture.loan_fixture.borrower_payment,
            fee_rate,
        };
        let template = repayment.build().unwrap();
        let signed = fixture.keyring.sign(&template);
        prop_assert!(is_valid(&template, &signed));
        assert_weight(&template, &signed);
        let escrow = signed.input.iter().position(|input| input.previous_output == loan.outpoint).unwrap();
        prop_assert_eq!(&signed.output[escrow], &loan.payout);
        prop_assert_eq!(&flow::sats(&template)[1..=coins.len()], &expected_runs(&loan, escrow));
        prop_assert!(signed.output[1..=coins.len()].iter().all(|output| output.script_pubkey == fixture.loan_fixture.ordinals_script));
        let few = Repayment { pads: &pads[1..], ..repayment }.build();
        let missing = RepaymentError::PadsMissing { wanted: coins.len() + 1, found: coins.len() };
        prop_assert_eq!(few.err(), Some(missing));
    }
}

#[test]
fn the_final_checks_find_every_change() {
    let mut fixture = SeveralFixture::five();
    let (template, originated, loan) = fixture.originate();
    let pre_signatures = fixture.keyring.pre_sign(&loan);
    let origination = fixture.origination();
    // All but the escrow, and the pads, which are checked by their places, may change places.
    assert_all_found(&template, 1, |altered| origination.check(altered));

    let (pads, funding) = (fixture.pads(&originated), [coin(9, fixture.loan_fixture.borrower.payment(), 3_000_000)]);
    let repayment = Repayment {
        loans: &[RepayableLoan { loan: &loan, pre_signatures: &pre_signatures }],
        version: TRUC,
        pads: &pads,
        funding: &funding,
        unconfirmed: &[],
        destination: &fixture.loan_fixture.ordinals_script,
        change: &fixture.loan_fixture.borrower_payment,
        fee_rate: rate(3),
    };
    assert_all_found(&repayment.build().unwrap(), 7, |altered| repayment.check(altered));
}

#[test]
fn a_claim_takes_every_inscription_in_a_coin_of_its_own_and_finds_each_that_is_misplaced() {
    let fixture = SeveralFixture::five();
    let (_, _, loan) = fixture.originate();
    let destination = fixture.loan_fixture.lender.ordinals().script_pubkey();
    let fee_coin = coin(8, fixture.loan_fixture.lender.payment(), 50_000);
    let claim = Claim {
        loan: &loan,
        fee_coin: Some(&fee_coin),
        destination: &destination,
        change: &fixture.loan_fixture.lender_payment,
        fee_rate: rate(3),
    };
    let template = claim.build().unwrap();
    let signed = fixture.keyring.sign(&template);
    assert!(is_valid(&template, &signed));
    assert_eq!(flow::sats(&template)[..5], expected_runs(&loan, 0));
    assert!(signed.output[..5].iter().all(|output| output.script_pubkey == destination));
    for (from, to) in (0..5).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to) {
        let mut altered = template.clone();
        let outputs = &mut altered.psbt.unsigned_tx.output;
        // Past its inscription, which then arrives in the next output.
        let sats = outputs[from].value - loan.ranges()[from].offset;
        outputs[from].value -= sats;
        outputs[to].value += sats;
        assert!(claim.check(&altered).is_err(), "{sats} from output {from} to output {to}");
    }
}

#[test]
fn collateral_that_cannot_return_is_refused_by_name() {
    let refusal = |coins: &[(u64, u64)]| match SeveralFixture::new(coins, rate(3)).origination().build() {
        Err(OriginationError::Collateral(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(refusal(&[]), CollateralError::InscriptionCount { found: 0 });
    assert_eq!(refusal(&[(546, 0)]), CollateralError::InscriptionCount { found: 1 });
    assert_eq!(refusal(&[(546, 0); 21]), CollateralError::InscriptionCount { found: 21 });
    let (value, min) = (Amount::from_sat(329), Amount::from_sat(330));
    assert_eq!(refusal(&[(546, 0), (329, 0)]), CollateralError::Dust { index: 1, value, min });
    let offset = Amount::from_sat(546);
    assert_eq!(refusal(&[(546, 0), (546, 546)]), CollateralError::OffsetOutside { offset, value: offset });
    let mut twice = SeveralFixture::new(&[(546, 0), (546, 0)], rate(3));
    twice.collateral[1].inscriptions.push(Amount::ONE_SAT);
    let error = CollateralError::Inscriptions { index: 1, wanted: 1, found: 2 };
    assert_eq!(twice.origination().build(), Err(OriginationError::Collateral(error)));
    let mut same = SeveralFixture::new(&[(546, 0), (546, 0)], rate(3));
    same.collateral[1] = same.collateral[0].clone();
    assert_eq!(same.origination().build(), Err(OriginationError::DuplicateCoin { index: 1 }));
}

#[test]
fn an_origination_whose_coins_change_places_is_found() {
    let fixture = SeveralFixture::new(&[(546, 0), (10_000, 9_999)], rate(3));
    let template = fixture.origination().build().unwrap();
    let mut altered = template;
    altered.psbt.unsigned_tx.input.swap(0, 1);
    altered.psbt.inputs.swap(0, 1);
    altered.locks.swap(0, 1);
    let fault = fixture.origination().check(&altered).unwrap_err();
    assert!(matches!(fault, OriginationFault::InscriptionMisplaced { .. }), "{fault}");
}

#[test]
fn the_lender_pre_signs_a_repayment_of_the_same_form() {
    let fixture = SeveralFixture::five();
    let (_, originated, loan) = fixture.originate();
    let pads = fixture.pads(&originated);
    let destination: ScriptBuf = fixture.loan_fixture.ordinals_script.clone();
    let change = &fixture.loan_fixture.borrower_payment;
    let request = PayoutRequest { loan: &loan, pads: &pads, destination: &destination, change };
    let template = request.build(TRUC).unwrap();
    let escrow = template.psbt.unsigned_tx.input.iter().position(|input| input.previous_output == loan.outpoint);
    assert_eq!(escrow, Some(6));
    assert_eq!(template.psbt.unsigned_tx.output[6], loan.payout);
    assert_eq!(flow::sats(&template)[1..6], expected_runs(&loan, 6));
}

#[test]
fn kits_state_the_ranges_and_refuse_any_that_are_not_the_escrow() {
    let mut fixture = SeveralFixture::five();
    let (record, pads) = fixture.record();
    let payment = fixture.loan_fixture.borrower.payment();
    let borrower = Kit::Borrower(Box::new(BorrowerKit::new(record.clone(), payment, &pads).unwrap()));
    let lender = LenderKit::new(record.clone(), fixture.loan_fixture.lender.payment()).unwrap();
    for kit in [borrower, Kit::Lender(Box::new(lender))] {
        let text = kit.write();
        assert_eq!(Kit::read(&text).unwrap().write(), text);
        assert!(text.contains("the 5 inscriptions"), "{text}");
    }
    assert_eq!(
        BorrowerKit::new(record.clone(), payment, &pads[1..]).unwrap_err(),
        KitError::PadCount { wanted: 6, found: 5 }
    );
    let Pledge::Inscriptions(ranges) = record.loan.pledge.clone() else { panic!("several") };
    let refusal = |change: &dyn Fn(&mut Vec<InscribedRange>)| {
        let mut ranges = ranges.clone();
        change(&mut ranges);
        let mut record = record.clone();
        record.loan.pledge = Pledge::Inscriptions(ranges);
        LenderKit::new(record, fixture.loan_fixture.lender.payment()).unwrap_err()
    };
    let expected = record.loan.value;
    let wrong = |count, found: i64| KitError::WrongRanges {
        count,
        expected,
        found: Amount::from_sat(expected.to_sat().checked_add_signed(found).unwrap()),
    };
    assert_eq!(refusal(&|ranges| ranges[3].value += Amount::ONE_SAT), wrong(5, 1));
    assert_eq!(refusal(&|ranges| ranges.truncate(4)), wrong(4, -546));
    assert_eq!(refusal(&Vec::clear), wrong(0, -i64::try_from(expected.to_sat()).unwrap()));
    let offset = Amount::from_sat(546);
    assert_eq!(refusal(&|ranges| ranges[0].offset = offset), KitError::OffsetOutside { offset, value: offset });
    let one = |ranges: &mut Vec<InscribedRange>| {
        ranges.truncate(1);
        ranges[0].value = expected;
    };
    assert_eq!(refusal(&one), wrong(1, 0));
}

#[test]
fn the_principal_pays_for_the_pads() {
    let fixture = SeveralFixture::five();
    let template = fixture.origination().build().unwrap();
    let outputs = &template.psbt.unsigned_tx.output;
    let paid: Amount = outputs
        .iter()
        .filter(|output| output.script_pubkey == fixture.loan_fixture.borrower_payment)
        .map(|output| output.value)
        .sum();
    assert_eq!(paid, Amount::from_sat(PRINCIPAL_SATS) - template.fee().unwrap());
}
