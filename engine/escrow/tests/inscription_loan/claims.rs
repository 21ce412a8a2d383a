//! Tests of the claim of a loan that was not repaid.

use bitcoin::hashes::Hash as _;
use bitcoin::script::Builder;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Sequence, Transaction, TxOut, Txid, absolute};
use escrow::contract::claim::{Claim, ClaimError, ClaimFault};
use escrow::contract::coin::Coin;
use escrow::contract::lock::Lock;
use escrow::contract::pledge::Pledge;
use escrow::contract::running_loan::RunningLoan;
use escrow::contract::sat_flow::SatPlace;
use escrow::contract::template::Template;
use ordinals::{Edict, Runestone};
use proptest::prelude::*;

use super::debts::{inscription, rune, runes};
use super::flow;
use super::keyring::Keyring;
use super::world::{CLAIM_AFTER, PAYOUT_SATS, World, assert_weight, coin, is_valid, leaf_witness, rate};

/// An unrepaid loan, with the data its lender needs to claim.
struct Due {
    world: World,
    keyring: Keyring,
    loan: RunningLoan,
    fee_coin: Coin,
    home: ScriptBuf,
}

impl Due {
    fn new(value: u64, pledge: Pledge, fee_rate: FeeRate) -> Self {
        let world = World::new(546, 0, fee_rate);
        let mut keyring = Keyring::new();
        keyring.person(2);
        let loan = RunningLoan {
            escrow: world.escrow.clone(),
            outpoint: OutPoint::new(Txid::from_byte_array([5; 32]), 0),
            value: Amount::from_sat(value),
            pledge,
            payout: TxOut { value: Amount::from_sat(PAYOUT_SATS), script_pubkey: world.lender_payment.clone() },
        };
        let fee_coin = coin(8, world.lender.payment(), 1_000_000);
        Self { home: world.lender.ordinals().script_pubkey(), world, keyring, loan, fee_coin }
    }

    fn claim(&self) -> Claim<'_> {
        let fee_coin = Some(&self.fee_coin);
        Claim {
            loan: &self.loan,
            fee_coin,
            destination: &self.home,
            change: &self.world.lender_payment,
            fee_rate: self.world.fee_rate,
        }
    }
}

#[test]
fn after_the_claim_time_the_lender_alone_takes_the_collateral() {
    let due = Due::new(546, inscription(0), rate(3));
    let template = due.claim().build().unwrap();
    let is_valid_at = |time, person| {
        let mut altered = template.clone();
        altered.psbt.unsigned_tx.lock_time = absolute::LockTime::from_time(time).unwrap();
        let mut signed = altered.psbt.unsigned_tx.clone();
        let leaf = due.loan.escrow.claim_leaf();
        signed.input[0].witness = leaf_witness(&[due.world.sign_leaf(&altered, 0, leaf, person).to_vec()], leaf);
        due.world.sign_coin(&altered, &mut signed, 1, &due.fee_coin, &due.world.lender);
        is_valid(&altered, &signed)
    };
    assert!(is_valid_at(CLAIM_AFTER, &due.world.lender));
    assert!(is_valid_at(CLAIM_AFTER + 1, &due.world.lender));
    assert!(!is_valid_at(CLAIM_AFTER - 1, &due.world.lender), "a second too early");
    assert!(!is_valid_at(CLAIM_AFTER, &due.world.borrower), "the script is the lender's");
}

fn pledges() -> impl Strategy<Value = (u64, Pledge)> {
    (330_u64..=20_000).prop_flat_map(|postage| {
        let on_sat = (0..postage).prop_map(inscription);
        let note = (0..postage).prop_map(|offset| Pledge::TransferInscription { offset: Amount::from_sat(offset) });
        let units = (1_u32..4, 1..=u128::MAX).prop_map(|(tx, amount)| runes(tx, amount));
        (Just(postage), prop_oneof![on_sat, note, units])
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
        let due = Due::new(postage, pledge, FeeRate::from_sat_per_kwu(rate_kwu));
        let claim = Claim { fee_coin: with_coin.then_some(&due.fee_coin), ..due.claim() };
        let template = match claim.build() {
            Err(ClaimError::NeedsFeeCoin { wanted }) => {
                prop_assert!(!with_coin);
                let left = postage.saturating_sub(wanted.to_sat());
                prop_assert!(left < 330 || pledge.offset().is_some_and(|offset| offset.to_sat() >= left));
                return Ok(());
            }
            built => built.unwrap(),
        };
        let signed = due.keyring.sign(&template);
        prop_assert!(is_valid(&template, &signed));
        assert_weight(&template, &signed);
        prop_assert_eq!(&signed.output[0].script_pubkey, &due.home);
        prop_assert_eq!(flow::sats(&template)[0][0].0, 0, "the escrow's own sats");
        match pledge {
            Pledge::Runes { id, amount } => {
                let held = flow::runes(&[(id, amount)], &signed);
                prop_assert_eq!(held[0].get(&id), Some(&amount));
                prop_assert!(held[1..].iter().all(std::collections::BTreeMap::is_empty), "none to the change");
            }
            Pledge::Inscription { offset } | Pledge::TransferInscription { offset } => {
                let (input, start, count) = flow::sats(&template)[0][0];
                prop_assert!((input, start) == (0, 0) && offset.to_sat() < count);
            }
        }
        if with_coin {
            prop_assert_eq!(signed.output[0].value, Amount::from_sat(postage));
        }
        prop_assert_eq!(template.fee(), due.world.fee_rate.fee_wu(template.weight));
    }
}

#[test]
fn invalid_claims_are_refused_by_name() {
    let due = Due::new(546, inscription(0), rate(3));
    let alone = Claim { fee_coin: None, ..due.claim() };
    // 138 virtual bytes.
    assert_eq!(alone.build(), Err(ClaimError::NeedsFeeCoin { wanted: Amount::from_sat(3 * 138) }));
    let paid_with = |sats| {
        let fee_coin = coin(8, due.world.lender.payment(), sats);
        Claim { fee_coin: Some(&fee_coin), ..due.claim() }.build()
    };
    assert!(
        matches!(paid_with(500), Err(ClaimError::InsufficientFeeCoin { found, .. }) if found == Amount::from_sat(500))
    );
    assert_eq!(paid_with(700).unwrap().psbt.unsigned_tx.output.len(), 1, "a rest too small for change adds to the fee");
    let foreign = Coin { key: due.world.borrower.payment(), ..due.fee_coin.clone() };
    assert_eq!(Claim { fee_coin: Some(&foreign), ..due.claim() }.build(), Err(ClaimError::ForeignCoin));
    let small = Due::new(330, inscription(0), rate(3));
    let old = ScriptBuf::new_p2pkh(&bitcoin::PubkeyHash::all_zeros());
    let dust = ClaimError::Dust { value: Amount::from_sat(330), min: Amount::from_sat(546) };
    assert_eq!(Claim { destination: &old, ..small.claim() }.build(), Err(dust));
    let nowhere = Claim { fee_rate: FeeRate::MAX, ..due.claim() };
    assert_eq!(nowhere.build(), Err(ClaimError::OutOfRange));
    let burned = Due::new(546, runes(1, 900), rate(3));
    let home = Builder::new().push_opcode(bitcoin::opcodes::all::OP_RETURN).into_script();
    let astray = ClaimFault::RunesMisplaced { expected: 900, found: 0 };
    assert_eq!(Claim { destination: &home, ..burned.claim() }.build(), Err(ClaimError::Unsound(astray)));
}

#[test]
fn the_final_check_finds_every_misdirection_in_a_claim() {
    let due = Due::new(10_000, inscription(9_000), rate(3));
    let claim = due.claim();
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
    let repaid = Lock::Script(Box::new(due.loan.escrow.repay_leaf().clone()));
    assert_eq!(fault(&|altered| altered.locks[0] = repaid.clone()), Some(ClaimFault::WrongEscrow));
    for seconds in [CLAIM_AFTER - 1, CLAIM_AFTER + 1] {
        let time = absolute::LockTime::from_time(seconds).unwrap();
        assert_eq!(of_transaction(&|transaction| transaction.lock_time = time), Some(ClaimFault::WrongLocktime));
    }
    let never = |transaction: &mut Transaction| transaction.input[0].sequence = Sequence::MAX;
    assert_eq!(of_transaction(&never), Some(ClaimFault::WrongLocktime));
    let given =
        |transaction: &mut Transaction| transaction.output[1].script_pubkey = due.world.borrower_payment.clone();
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

    let due = Due::new(546, runes(1, 900), rate(3));
    let claim = due.claim();
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
    let astray = |found| Some(ClaimFault::RunesMisplaced { expected: 900, found });
    assert_eq!(saying(edict(0, 1)), astray(0));
    assert_eq!(saying(edict(1, 1)), astray(899));
    assert_eq!(saying(edict(1, 9)), astray(0), "a cenotaph burns all");
    assert_eq!(saying(Runestone { pointer: Some(1), ..Runestone::default() }), astray(0));
}
