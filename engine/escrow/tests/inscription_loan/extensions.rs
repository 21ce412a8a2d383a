//! Tests of extensions.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, ScriptBuf, TxOut};
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::collateral_flow::CollateralFault;
use escrow::contract::loan::escrow_move::{MoveError, MoveFault, MoveOutputs};
use escrow::contract::loan::extension::{Extension, ExtensionError, ExtensionFault};
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination_outputs::PAD;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use proptest::prelude::*;

use super::debts::{Debts, MOVED_ESCROW, any_pledge, expected_runs, held_runes, inscription, runes};
use super::flow;
use super::loan_fixture::{CLAIM_AFTER, Party, assert_weight, is_valid, rate};
use super::mutations::assert_all_found;

const INTEREST_SATS: u64 = 3_000;

/// A running loan, and the escrow with a later claim time.
struct ExtensionFixture {
    debts: Debts,
    pads: Vec<Coin>,
    escrow: LoanEscrow,
    interest: TxOut,
}

impl ExtensionFixture {
    fn new(postage: u64, pledge: Pledge) -> Self {
        let debts = Debts::new(&[(postage, pledge, 80_000)], 50_000);
        let loan = &debts.loans[0].0;
        let terms = EscrowTerms { claim_after: CLAIM_AFTER + 1, ..loan.escrow.terms().clone() };
        Self {
            pads: debts.pads.clone(),
            escrow: LoanEscrow::new(terms).expect("valid keys and amounts"),
            interest: TxOut {
                value: Amount::from_sat(INTEREST_SATS),
                script_pubkey: loan.payout.script_pubkey.clone(),
            },
            debts,
        }
    }

    fn loan(&self) -> &RunningLoan {
        &self.debts.loans[0].0
    }

    fn extension(&self, version: Version, fee_rate: FeeRate) -> Extension<'_> {
        Extension {
            loan: self.loan(),
            escrow: &self.escrow,
            version,
            pads: &self.pads,
            interest: &self.interest,
            coins: &self.debts.funding,
            unconfirmed: &[],
            borrower_payment: &self.debts.change,
            fee_rate,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_collateral_stays_on_its_sat_and_the_loan_can_be_repaid_as_before(
        (postage, pledge) in (330_u64..=20_000).prop_flat_map(|postage| (Just(postage), any_pledge(postage))),
        interest in 546_u64..=2_000_000,
        spare in 0_u64..1_000,
        rate_kwu in 25_u64..=500_000,
        is_truc in any::<bool>(),
    ) {
        // 0.1 to 2,000 sats per virtual byte.
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        let version = if is_truc { TRUC } else { Version::TWO };
        let mut fixture = ExtensionFixture::new(postage, pledge.clone());
        fixture.interest.value = Amount::from_sat(interest);
        let short = Extension { coins: &[], ..fixture.extension(version, fee_rate) }.build();
        let Err(ExtensionError::Assembly(AssemblyError::InsufficientFunds { .. })) = short else {
            return Err(TestCaseError::fail("interest comes from somewhere"));
        };
        let mut own = fixture.debts.funding.clone();
        own[0].output.value = Amount::ZERO;
        let short = Extension { coins: &own, ..fixture.extension(version, fee_rate) }.build();
        let Err(ExtensionError::Assembly(AssemblyError::InsufficientFunds { wanted, .. })) = short else {
            return Err(TestCaseError::fail("interest comes from somewhere"));
        };
        own[0].output.value = wanted + Amount::from_sat(spare);
        let extension = Extension { coins: &own, ..fixture.extension(version, fee_rate) };
        let template = extension.build().unwrap();
        let signed = fixture.debts.keyring.sign(&template);
        prop_assert!(is_valid(&template, &signed));
        assert_weight(&template, &signed);
        prop_assert!(template.fee().unwrap() >= fee_rate.fee_wu(signed.weight()).unwrap());

        let places = MoveOutputs::of(fixture.loan());
        let (next_escrow, paid) = (places.escrow(), places.lender_payment());
        prop_assert_eq!(&flow::sats(&template)[next_escrow], &vec![(paid, 0, postage)]);
        prop_assert_eq!(&signed.output[next_escrow].script_pubkey, &fixture.escrow.output().script_pubkey());
        let arrived = flow::arrived(&flow::runes(&held_runes([&pledge]), &signed));
        let expected: Vec<_> = held_runes([&pledge]).into_iter().map(|(id, units)| (next_escrow, id, units)).collect();
        prop_assert_eq!(arrived, expected);
        prop_assert_eq!(signed.output.iter().filter(|output| **output == fixture.interest).count(), 1);
        let kept: Amount = signed.output.iter().filter(|output| output.script_pubkey == fixture.debts.change).map(|output| output.value).sum();
        prop_assert_eq!(kept, PAD * u64::try_from(fixture.pads.len()).unwrap() + own[0].output.value - fixture.interest.value - template.fee().unwrap());

        let next = extension.running(template.final_txid(), fixture.loan().payout.clone());
        let (template, ended) = fixture.debts.repay_next(&next, &signed, version, fee_rate);
        prop_assert!(is_valid(&template, &ended));
        prop_assert_eq!(&flow::sats(&template)[1..=next.ranges().len()], &expected_runs(&next, paid));
    }
}

#[test]
fn invalid_extensions_are_refused_by_name() {
    let fixture = ExtensionFixture::new(546, inscription(0));
    let plain = fixture.extension(TRUC, rate(5));
    let refusal = |extension: Extension<'_>| extension.build().err();
    assert_eq!(refusal(plain), None);
    assert_eq!(refusal(Extension { version: Version::TWO, ..plain }), None);
    let terms = fixture.escrow.terms().clone();
    let other_key = Party::new(&fixture.debts.keyring.secp, 9).keys.x_only_public_key().0;
    let with = |terms| LoanEscrow::new(terms).unwrap();
    let once = EscrowTerms { repay: other_key.into(), ..fixture.loan().escrow.terms().clone() };
    let instant = RunningLoan { escrow: with(once), ..fixture.loan().clone() };
    assert_eq!(refusal(Extension { loan: &instant, ..plain }), Some(ExtensionError::Instant));
    for other in [
        EscrowTerms { lender: other_key, repay: other_key.into(), ..terms.clone() },
        EscrowTerms { repay: other_key.into(), ..terms.clone() },
    ] {
        assert_eq!(refusal(Extension { escrow: &with(other), ..plain }), Some(ExtensionError::OtherLender));
    }
    let other = with(EscrowTerms { borrower: other_key, ..terms.clone() });
    assert_eq!(refusal(Extension { escrow: &other, ..plain }), Some(ExtensionError::Move(MoveError::OtherBorrower)));
    let same = &fixture.loan().escrow;
    assert_eq!(refusal(Extension { escrow: same, ..plain }), Some(ExtensionError::Move(MoveError::SameEscrow)));
    let brc20 = ExtensionFixture::new(546, Pledge::TransferInscription { offset: Amount::ZERO });
    assert_eq!(refusal(brc20.extension(TRUC, rate(5))), Some(ExtensionError::Move(MoveError::ImmovableTransfer)));
    for to in [CLAIM_AFTER - 1, CLAIM_AFTER] {
        let earlier = with(EscrowTerms { loan: 5, claim_after: to, ..terms.clone() });
        let refused = refusal(Extension { escrow: &earlier, ..plain });
        assert_eq!(refused, Some(ExtensionError::NotLater { from: CLAIM_AFTER, to }));
    }
    let waiting = fixture.debts.funding[0].outpoint;
    for version in [Version::TWO, TRUC] {
        let refused = refusal(Extension { version, unconfirmed: &[waiting], ..plain });
        assert_eq!(refused, Some(ExtensionError::Assembly(AssemblyError::UnconfirmedCoin(waiting))));
    }
    let free = TxOut { value: Amount::from_sat(293), ..fixture.interest.clone() };
    let (value, min) = (free.value, Amount::from_sat(294));
    assert_eq!(
        refusal(Extension { interest: &free, ..plain }),
        Some(ExtensionError::Assembly(AssemblyError::Dust { index: 2, value, min }))
    );
}

#[test]
fn neither_side_extends_without_the_other_and_neither_signs_for_anything_else() {
    let fixture = ExtensionFixture::new(10_000, inscription(9_999));
    let template = fixture.extension(TRUC, rate(5)).build().unwrap();
    let signed = fixture.debts.keyring.sign(&template);
    assert!(is_valid(&template, &signed));
    // The lender's pre-signature is for the payout, and is not valid here.
    let mut forged = signed.clone();
    let pre_signatures = fixture.debts.loans[0].1.only().unwrap().truc.to_vec();
    let witness: Vec<Vec<u8>> =
        std::iter::once(pre_signatures).chain(signed.input[2].witness.iter().skip(1).map(<[u8]>::to_vec)).collect();
    forged.input[2].witness = bitcoin::Witness::from_slice(&witness);
    assert!(!is_valid(&template, &forged));
    for output in [0, MOVED_ESCROW, 2, 3] {
        let mut altered = template.clone();
        let mut stolen = signed.clone();
        altered.psbt.unsigned_tx.output[output].script_pubkey = fixture.debts.ordinals_script.clone();
        stolen.output = altered.psbt.unsigned_tx.output.clone();
        let everybody_else = fixture.debts.keyring.sign(&altered);
        for input in [0, 1, 3] {
            stolen.input[input].witness = everybody_else.input[input].witness.clone();
        }
        assert!(!is_valid(&altered, &stolen), "output {output} elsewhere");
    }
}

#[test]
fn the_final_check_finds_every_misdirection_in_an_extension() {
    let fixture = ExtensionFixture::new(546, runes(7, 1_000));
    let extension = fixture.extension(TRUC, rate(5));
    let template = extension.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        extension.check(&altered).err()
    };
    let (sat, escrow) = (Amount::ONE_SAT, fixture.loan().outpoint);
    // Outputs: pad 0, escrow 1, interest 2, pad 3, runestone 4, change 5.
    assert_eq!(fault(&|_| {}), None);
    let collateral = |fault| Some(ExtensionFault::Move(MoveFault::Collateral(fault)));
    assert_eq!(
        fault(&|altered| altered.psbt.unsigned_tx.input[2].previous_output.vout += 1),
        collateral(CollateralFault::NotSpent(escrow))
    );
    let old = fixture.loan().escrow.output().script_pubkey();
    let back = fault(&|altered| altered.psbt.unsigned_tx.output[MOVED_ESCROW].script_pubkey = old.clone());
    assert!(matches!(
        back,
        Some(ExtensionFault::Move(MoveFault::Collateral(CollateralFault::Misplaced { escrow: misplaced, .. })))
            if misplaced == escrow
    ));
    let silent = fault(&|altered| altered.psbt.unsigned_tx.output[4].script_pubkey = ScriptBuf::new());
    assert_eq!(silent, collateral(CollateralFault::WrongRunestone));
    assert_eq!(
        fault(&|altered| altered.psbt.unsigned_tx.output[3].value -= sat),
        Some(ExtensionFault::Move(MoveFault::PadMissing { index: 3 }))
    );
    let repay = fixture.loan().escrow.repay_leaf();
    let pre_signatures = |altered: &mut Template| altered.locks[2] = Lock::Script(Box::new(repay.clone()));
    assert_eq!(fault(&pre_signatures), Some(ExtensionFault::WrongSighash));
    let less = |altered: &mut Template| altered.psbt.unsigned_tx.output[2].value -= sat;
    assert_eq!(fault(&less), Some(ExtensionFault::InterestUnpaid));
    let twice = |altered: &mut Template| {
        altered.psbt.unsigned_tx.output[5].value -= fixture.interest.value;
        altered.psbt.unsigned_tx.output.push(fixture.interest.clone());
    };
    assert_eq!(fault(&twice), Some(ExtensionFault::ForeignOutput { index: 6 }));
    let other_version = fault(&|altered| altered.psbt.unsigned_tx.version = Version::TWO);
    assert_eq!(other_version, Some(ExtensionFault::WrongForm));
    let other_coin = fault(&|altered| altered.psbt.unsigned_tx.input[3].previous_output.vout += 1);
    assert_eq!(other_coin, Some(ExtensionFault::ForeignInput { index: 3 }));
    for value in [0, 400_000_000, u64::MAX] {
        let value = Amount::from_sat(value);
        let wrong = fault(&|altered| altered.psbt.unsigned_tx.output[5].value = value);
        assert!(matches!(wrong, Some(ExtensionFault::WrongFee(_))), "{wrong:?}");
    }
}

#[test]
fn every_change_of_an_extension_is_detected() {
    for pledge in [inscription(400), runes(7, 1_000)] {
        let fixture = ExtensionFixture::new(546, pledge);
        let extension = fixture.extension(Version::TWO, rate(5));
        let template = extension.build().unwrap();
        assert_all_found(&template, 4, |template| extension.check(template));
    }
}
