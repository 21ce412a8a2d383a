//! Tests of the claim of a loan that was not repaid.

use bitcoin::hashes::Hash as _;
use bitcoin::script::Builder;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Sequence, Transaction, TxOut, Txid, absolute};
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::assets::sat_flow::SatPlace;
use escrow::contract::loan::claim::{Claim, ClaimError, ClaimFault};
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::template::Template;
use ordinals::{Edict, Runestone};
use proptest::prelude::*;

use super::debts::{any_inscriptions, expected_runs, inscription, rune, runes};
use super::flow;
use super::keyring::Keyring;
use super::loan_fixture::{CLAIM_AFTER, LoanFixture, PAYOUT_SATS, assert_weight, coin, is_valid, leaf_witness, rate};

/// An unrepaid loan, with the data its lender needs to claim.
struct ClaimFixture {
    loan_fixture: LoanFixture,
    keyring: Keyring,
    loan: RunningLoan,
    fee_coin: Coin,
    ordinals_script: ScriptBuf,
}

impl ClaimFixture {
    fn new(value: u64, pledge: Pledge, fee_rate: FeeRate) -> Self {
        let loan_fixture = LoanFixture::new(546, 0, fee_rate);
        let mut keyring = Keyring::new();
        keyring.party(2);
        let loan = RunningLoan {
            escrow: loan_fixture.escrow.clone(),
            outpoint: OutPoint::new(Txid::from_byte_array([5; 32]), 0),
            value: Amount::from_sat(value),
            pledge,
            payout: TxOut { value: Amount::from_sat(PAYOUT_SATS), script_pubkey: loan_fixture.lender_payment.clone() },
        };
        let fee_coin = coin(8, loan_fixture.lender.payment(), 9_000_000);
        Self { ordinals_script: loan_fixture.lender.ordinals().script_pubkey(), loan_fixture, keyring, loan, fee_coin }
    }

    fn claim(&self) -> Claim<'_> {
        let fee_coin = Some(&self.fee_coin);
        Claim {
            loan: &self.loan,
            fee_coin,
            destination: &self.ordinals_script,
            change: &self.loan_fixture.lender_payment,
            fee_rate: self.loan_fixture.fee_rate,
        }
    }
}

#[test]
fn after_the_claim_time_the_lender_alone_takes_the_collateral() {
    let fixture = ClaimFixture::new(546, inscription(0), rate(3));
    let template = fixture.claim().build().unwrap();
    let is_valid_at = |time, party| {
        let mut altered = template.clone();
        altered.psbt.unsigned_tx.lock_time = absolute::LockTime::from_time(time).unwrap();
        let mut signed = altered.psbt.unsigned_tx.clone();
        let leaf = fixture.loan.escrow.claim_leaf();
        signed.input[0].witness =
            leaf_witness(&[fixture.loan_fixture.sign_leaf(&altered, 0, leaf, party).to_vec()], leaf);
        fixture.loan_fixture.sign_coin(&altered, &mut signed, 1, &fixture.fee_coin, &fixture.loan_fixture.lender);
        is_valid(&altered, &signed)
    };
    assert!(is_valid_at(CLAIM_AFTER, &fixture.loan_fixture.lender));
    assert!(is_valid_at(CLAIM_AFTER + 1, &fixture.loan_fixture.lender));
    assert!(!is_valid_at(CLAIM_AFTER - 1, &fixture.loan_fixture.lender), "a second too early");
    assert!(!is_valid_at(CLAIM_AFTER, &fixture.loan_fixture.borrower), "the script is the lender's");
}

fn pledges() -> impl Strategy<Value = (u64, Pledge)> {
    (330_u64..=20_000).prop_flat_map(|postage| {
        let on_sat = any_inscriptions(postage);
        let transfer = (0..postage).prop_map(|offset| Pledge::TransferInscription { offset: Amount::from_sat(offset) });
        let units = (1_u32..4, 1..=u128::MAX).prop_map(|(tx, amount)| runes(tx, amount));
        (Just(postage), prop_oneof![on_sat, transfer, units])
    })
}

proptest! {
    #[test]
    fn all_collateral_reaches_the_lender_whichever_coin_pays_the_fee(
        (postage, pledge) in pledges(),
        rate_kwu in prop_oneof![25_u64..=1_000, 25_u64..=500_000],
        with_coin in any::<bool>(),
    ) {
        // 0.1 to 2,000 sats per virtual byte.
        let fixture = ClaimFixture::new(postage, pledge.clone(), FeeRate::from_sat_per_kwu(rate_kwu));
        let claim = Claim { fee_coin: with_coin.then_some(&fixture.fee_coin), ..fixture.claim() };
        let template = match claim.build() {
            Err(ClaimError::NeedsFeeCoin { wanted }) => {
                prop_assert!(!with_coin);
                let last = *fixture.loan.ranges().last().unwrap();
                let left = last.value.to_sat().saturating_sub(wanted.to_sat());
                let is_inscribed = !matches!(pledge, Pledge::Runes { .. });
                prop_assert!(left < 330 || (is_inscribed && last.offset.to_sat() >= left));
                return Ok(());
            }
            built => built.unwrap(),
        };
        let signed = fixture.keyring.sign(&template);
        prop_assert!(is_valid(&template, &signed));
        assert_weight(&template, &signed);
        let ranges = fixture.loan.ranges();
        let runs = flow::sats(&template);
        for (index, expected) in expected_runs(&fixture.loan, 0).into_iter().enumerate() {
            prop_assert_eq!(&signed.output[index].script_pubkey, &fixture.ordinals_script);
            let ((input, start, count), (_, begins, most)) = (runs[index][0], expected[0]);
            prop_assert_eq!((input, start, runs[index].len()), (0, begins, 1), "the escrow's own sats");
            let is_paying = !with_coin && index + 1 == ranges.len();
            prop_assert_eq!(is_paying, count < most);
            let is_inscribed = !matches!(pledge, Pledge::Runes { .. });
            prop_assert!(!is_inscribed || ranges[index].offset.to_sat() < count);
        }
        if let Pledge::Runes { id, amount } = pledge {
            let held = flow::runes(&[(id, amount)], &signed);
            prop_assert_eq!(held[0].get(&id), Some(&amount));
            prop_assert!(held[1..].iter().all(std::collections::BTreeMap::is_empty), "none to the change");
        }
        prop_assert_eq!(template.fee(), fixture.loan_fixture.fee_rate.fee_wu(template.weight));
    }
}

#[test]
fn invalid_claims_are_refused_by_name() {
    let fixture = ClaimFixture::new(546, inscription(0), rate(3));
    let alone = Claim { fee_coin: None, ..fixture.claim() };
    // 138 virtual bytes.
    assert_eq!(alone.build(), Err(ClaimError::NeedsFeeCoin { wanted: Amount::from_sat(3 * 138) }));
    let paid_with = |sats| {
        let fee_coin = coin(8, fixture.loan_fixture.lender.payment(), sats);
        Claim { fee_coin: Some(&fee_coin), ..fixture.claim() }.build()
    };
    assert!(
        matches!(paid_with(500), Err(ClaimError::InsufficientFeeCoin { found, .. }) if found == Amount::from_sat(500))
    );
    assert_eq!(paid_with(700).unwrap().psbt.unsigned_tx.output.len(), 1, "a rest too small for change adds to the fee");
    let foreign = Coin { key: fixture.loan_fixture.borrower.payment(), ..fixture.fee_coin.clone() };
    assert_eq!(Claim { fee_coin: Some(&foreign), ..fixture.claim() }.build(), Err(ClaimError::ForeignCoin));
    let small = ClaimFixture::new(330, inscription(0), rate(3));
    let old = ScriptBuf::new_p2pkh(&bitcoin::PubkeyHash::all_zeros());
    let dust = ClaimError::Dust { value: Amount::from_sat(330), min: Amount::from_sat(546) };
    assert_eq!(Claim { destination: &old, ..small.claim() }.build(), Err(dust));
    let nowhere = Claim { fee_rate: FeeRate::MAX, ..fixture.claim() };
    assert_eq!(nowhere.build(), Err(ClaimError::OutOfRange));
    let burned = ClaimFixture::new(546, runes(1, 900), rate(3));
    let destination = Builder::new().push_opcode(bitcoin::opcodes::all::OP_RETURN).into_script();
    let misplaced = ClaimFault::RunesMisplaced { expected: 900, found: 0 };
    assert_eq!(Claim { destination: &destination, ..burned.claim() }.build(), Err(ClaimError::Unsound(misplaced)));
}

#[test]
fn the_final_check_finds_every_misdirection_in_a_claim() {
    let fixture = ClaimFixture::new(10_000, inscription(9_000), rate(3));
    let claim = fixture.claim();
    let template = claim.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        claim.check(&altered).err()
    };
    assert_eq!(fault(&|_| {}), None);
    let of_transaction = |change: &dyn Fn(&mut Transaction)| fault(&|altered| change(&mut altered.psbt.unsigned_tx));
    let elsewhere = |transaction: &mut Transaction| transaction.input[0].previous_output.vout = 1;
    assert_eq!(of_transaction(&elsewhere), Some(ClaimFault::WrongEscrow));
    assert_eq!(of_transaction(&|transaction| transaction.input.swap(0, 1)), Some(ClaimFault::WrongEscrow));
    let repaid = Lock::Script(Box::new(fixture.loan.escrow.repay_leaf().clone()));
    assert_eq!(fault(&|altered| altered.locks[0] = repaid.clone()), Some(ClaimFault::WrongEscrow));
    for seconds in [CLAIM_AFTER - 1, CLAIM_AFTER + 1] {
        let time = absolute::LockTime::from_time(seconds).unwrap();
        assert_eq!(of_transaction(&|transaction| transaction.lock_time = time), Some(ClaimFault::WrongLocktime));
    }
    let never = |transaction: &mut Transaction| transaction.input[0].sequence = Sequence::MAX;
    assert_eq!(of_transaction(&never), Some(ClaimFault::WrongLocktime));
    let given = |transaction: &mut Transaction| {
        transaction.output[1].script_pubkey = fixture.loan_fixture.borrower_payment.clone();
    };
    assert_eq!(of_transaction(&given), Some(ClaimFault::ForeignOutput { index: 1 }));
    assert_eq!(
        of_transaction(&|transaction| transaction.output.swap(0, 1)),
        Some(ClaimFault::ForeignOutput { index: 0 })
    );
    let spilled = |transaction: &mut Transaction| {
        transaction.output[0].value -= Amount::from_sat(1_000);
        transaction.output[1].value += Amount::from_sat(1_000);
    };
    let found = Some(SatPlace { index: 1, offset: Amount::ZERO });
    assert_eq!(of_transaction(&spilled), Some(ClaimFault::InscriptionMisplaced { found }));
    let wasteful = |transaction: &mut Transaction| transaction.output[1].value -= Amount::from_sat(1_000);
    assert!(matches!(of_transaction(&wasteful), Some(ClaimFault::WrongFee(_))));

    let fixture = ClaimFixture::new(546, runes(1, 900), rate(3));
    let claim = fixture.claim();
    let template = claim.build().unwrap();
    let saying = |runestone: Runestone| {
        let mut altered = template.clone();
        // At the index of the change, whose script is the lender's choice.
        let script_pubkey = runestone.encipher();
        altered.psbt.unsigned_tx.output[1].script_pubkey = script_pubkey.clone();
        Claim { change: &script_pubkey, ..claim }.check(&altered).err()
    };
    let edict =
        |amount, output| Runestone { edicts: vec![Edict { id: rune(1), amount, output }], ..Runestone::default() };
    let misplaced = |found| Some(ClaimFault::RunesMisplaced { expected: 900, found });
    assert_eq!(saying(edict(0, 1)), misplaced(0));
    assert_eq!(saying(edict(1, 1)), misplaced(899));
    assert_eq!(saying(edict(1, 9)), misplaced(0), "a cenotaph burns all");
    assert_eq!(saying(Runestone { pointer: Some(1), ..Runestone::default() }), misplaced(0));
}
