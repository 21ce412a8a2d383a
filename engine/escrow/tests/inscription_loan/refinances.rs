//! Tests of refinances.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf, TxOut, Txid};
use escrow::contract::assets::pledge::{InscribedRange, Pledge};
use escrow::contract::loan::collateral_flow::CollateralFault;
use escrow::contract::loan::escrow_move::{MoveError, MoveFault, MoveOutputs};
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination_outputs::PAD;
use escrow::contract::loan::refinance::{Refinance, RefinanceError, RefinanceFault};
use escrow::contract::loan::repay_keys::REPAY_KEYS_MAX;
use escrow::contract::loan::repayable_loan::{PayoutFault, RepayableLoan};
use escrow::contract::loan::running_loan::PreSignatureError;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use proptest::prelude::*;

use super::debts::{Debts, MOVED_ESCROW, any_pledge, expected_runs, held_runes, inscription, rune, runes};
use super::flow;
use super::loan_fixture::{CLAIM_AFTER, Party, assert_weight, coin, is_valid, rate};
use super::mutations::assert_all_found;

const PAYOUT_SATS: u64 = 80_000;
const PRINCIPAL_SATS: u64 = 100_000;

/// A running loan, and a lender who refinances it.
struct RefinanceFixture {
    debts: Debts,
    pads: Vec<Coin>,
    lender: Party,
    escrow: LoanEscrow,
    funding: Vec<Coin>,
    change: ScriptBuf,
    platform_fee: TxOut,
    vault: Vault,
}

impl RefinanceFixture {
    fn new(postage: u64, pledge: Pledge, payout: u64) -> Self {
        Self::with_repay_keys((postage, pledge, payout), [0, 0])
    }

    /// The same, with these numbers of single-use repay keys of both loans; for 0, the lender's key pre-signs.
    fn with_repay_keys(loan: (u64, Pledge, u64), [old, new]: [usize; 2]) -> Self {
        let mut debts = Debts::with_repay_keys(&[loan], &[old], 50_000);
        let (lender, platform) = (debts.keyring.party(5), debts.keyring.party(6));
        let signer = debts.keyring.party(7);
        let key = |party: &Party| party.keys.x_only_public_key().0;
        let terms = EscrowTerms {
            loan: 900,
            borrower: key(&debts.borrower),
            repay: debts.keyring.repay_keys(&lender, new),
            lender: key(&lender),
            claim_after: CLAIM_AFTER + 30 * 86_400,
        };
        let vault = VaultTerms { lender_id: 4, signers: key(&signer).into(), lender: key(&lender) };
        Self {
            pads: debts.pads.clone(),
            escrow: LoanEscrow::new(terms).expect("valid keys and amounts"),
            funding: vec![coin(61, lender.payment(), 70_000), coin(62, lender.nested(), 80_000)],
            change: lender.payment().script_pubkey(),
            platform_fee: TxOut { value: Amount::from_sat(700), script_pubkey: platform.payment().script_pubkey() },
            vault: Vault::new(vault).expect("real keys"),
            lender,
            debts,
        }
    }

    fn ending(&self) -> RepayableLoan<'_> {
        let (loan, pre_signatures) = &self.debts.loans[0];
        RepayableLoan { loan, pre_signatures }
    }

    fn refinance(&self, version: Version, fee_rate: FeeRate) -> Refinance<'_> {
        Refinance {
            ending: self.ending(),
            escrow: &self.escrow,
            version,
            pads: &self.pads,
            funding: Funding::Coins { coins: &self.funding, change: &self.change },
            principal: Amount::from_sat(PRINCIPAL_SATS),
            platform_fee: Some(&self.platform_fee),
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
    fn the_collateral_moves_on_its_sat_and_each_party_gets_its_share(
        (postage, pledge) in (330_u64..=20_000).prop_flat_map(|postage| (Just(postage), any_pledge(postage))),
        payout in 546_u64..=2_000_000,
        principal in 546_u64..=2_000_000,
        lent_spare in 0_u64..1_000,
        own_spare in 0_u64..1_000,
        rate_kwu in 25_u64..=500_000,
        is_truc in any::<bool>(),
        is_instant in any::<bool>(),
        has_platform in any::<bool>(),
        keys in prop::array::uniform2(0..=REPAY_KEYS_MAX),
    ) {
        // 0.1 to 2,000 sats per virtual byte.
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        let version = if is_truc { TRUC } else { Version::TWO };
        let mut fixture = RefinanceFixture::with_repay_keys((postage, pledge.clone(), payout), keys);
        let platform_fee = has_platform.then(|| fixture.platform_fee.clone());
        let wanted = Amount::from_sat(principal) + platform_fee.as_ref().map_or(Amount::ZERO, |fee| fee.value);
        let lent = wanted + Amount::from_sat(lent_spare);
        fixture.funding[0].output.value = lent / 3;
        fixture.funding[1].output.value = lent - lent / 3;
        let outputs = [(OutPoint::new(Txid::from_byte_array([6; 32]), 1), lent)];
        let mut own = fixture.debts.funding.clone();
        let funding = if is_instant {
            Funding::Vault { vault: &fixture.vault, outputs: &outputs }
        } else {
            Funding::Coins { coins: &fixture.funding, change: &fixture.change }
        };
        let plain = Refinance {
            funding,
            principal: Amount::from_sat(principal),
            platform_fee: platform_fee.as_ref(),
            ..fixture.refinance(version, fee_rate)
        };
        // The borrower adds about enough: with change, without, or a few sats too few.
        own[0].output.value = Amount::ZERO;
        if let Err(RefinanceError::Assembly(AssemblyError::InsufficientFunds { wanted, found })) =
            (Refinance { coins: &own, ..plain }).build()
        {
            own[0].output.value = wanted - found - Amount::ONE_SAT;
            let short = Refinance { coins: &own, ..plain }.build();
            let is_short = matches!(short, Err(RefinanceError::Assembly(AssemblyError::InsufficientFunds { .. })));
            prop_assert!(is_short, "a sat less is too little");
            own[0].output.value += Amount::ONE_SAT;
        }
        own[0].output.value += Amount::from_sat(own_spare);
        let refinance = Refinance { coins: &own, ..plain };
        let template = refinance.build().unwrap();
        let signed = fixture.debts.keyring.sign(&template);
        prop_assert!(is_valid(&template, &signed));
        assert_weight(&template, &signed);
        prop_assert_eq!(template.final_txid(), signed.compute_txid());

        // The old lender.
        let (old, _) = &fixture.debts.loans[0];
        let places = MoveOutputs::of(old);
        let (next_escrow, paid) = (places.escrow(), places.lender_payment());
        prop_assert_eq!(&signed.output[paid], &old.payout);
        // The collateral.
        prop_assert_eq!(&flow::sats(&template)[next_escrow], &vec![(paid, 0, postage)]);
        prop_assert_eq!(&signed.output[next_escrow].script_pubkey, &fixture.escrow.output().script_pubkey());
        let arrived = flow::arrived(&flow::runes(&held_runes([&pledge]), &signed));
        let expected: Vec<_> = held_runes([&pledge]).into_iter().map(|(id, units)| (next_escrow, id, units)).collect();
        prop_assert_eq!(arrived, expected);
        // The new lender, the platform, the borrower and the fee.
        let sum_to = |script: &ScriptBuf| -> Amount {
            signed.output.iter().enumerate().filter(|(index, output)| *index != paid && output.script_pubkey == *script).map(|(_, output)| output.value).sum()
        };
        let change = if is_instant { fixture.vault.output().script_pubkey() } else { fixture.change.clone() };
        let given = lent - sum_to(&change);
        prop_assert!(given >= wanted && given < wanted + change.minimal_non_dust());
        if let Some(fee) = &platform_fee {
            prop_assert_eq!(sum_to(&fee.script_pubkey), fee.value);
        }
        let fee = template.fee().unwrap();
        prop_assert!(fee >= fee_rate.fee_wu(signed.weight()).unwrap());
        let change_costs = fee_rate.fee_vb(33).unwrap() + Amount::from_sat(294);
        prop_assert!(fee <= fee_rate.fee_wu(template.weight).unwrap() + change_costs);
        let dust = given - wanted;
        let brought = PAD * u64::try_from(fixture.pads.len()).unwrap() + own[0].output.value + Amount::from_sat(principal) + dust;
        prop_assert_eq!(sum_to(&fixture.debts.change), brought - Amount::from_sat(payout) - fee);

        // The next loan ends like any other.
        let payout = TxOut { value: Amount::from_sat(principal + 5_000), script_pubkey: fixture.change.clone() };
        let next = refinance.running(template.final_txid(), payout);
        let (template, ended) = fixture.debts.repay_next(&next, &signed, version, fee_rate);
        prop_assert!(is_valid(&template, &ended));
        prop_assert_eq!(&flow::sats(&template)[1..=next.ranges().len()], &expected_runs(&next, paid));
    }
}

#[test]
fn invalid_refinances_are_refused_by_name() {
    let fixture = RefinanceFixture::new(10_000, inscription(4_000), PAYOUT_SATS);
    let plain = fixture.refinance(TRUC, rate(5));
    let refusal = |refinance: Refinance<'_>| refinance.build().err();
    assert_eq!(refusal(plain), None);
    assert_eq!(refusal(Refinance { version: Version::TWO, ..plain }), None);
    let terms = fixture.escrow.terms().clone();
    let other_key = fixture.lender.keys.x_only_public_key().0;
    let other = EscrowTerms { borrower: other_key, lender: terms.borrower, repay: terms.borrower.into(), ..terms };
    let other = LoanEscrow::new(other).unwrap();
    assert_eq!(refusal(Refinance { escrow: &other, ..plain }), Some(RefinanceError::Move(MoveError::OtherBorrower)));
    let same = &fixture.debts.loans[0].0.escrow;
    assert_eq!(refusal(Refinance { escrow: same, ..plain }), Some(RefinanceError::Move(MoveError::SameEscrow)));
    let brc20 = RefinanceFixture::new(546, Pledge::TransferInscription { offset: Amount::ZERO }, PAYOUT_SATS);
    assert_eq!(refusal(brc20.refinance(TRUC, rate(5))), Some(RefinanceError::Move(MoveError::ImmovableTransfer)));
    let coins = |coins| Funding::Coins { coins, change: &fixture.change };
    let (wanted, found) = (Amount::from_sat(100_700), Amount::from_sat(70_000));
    assert_eq!(
        refusal(Refinance { funding: coins(&fixture.funding[..1]), ..plain }),
        Some(RefinanceError::InsufficientLenderFunds { wanted, found })
    );
    let assembly = |error| Some(RefinanceError::Assembly(error));
    let version = Version::ONE;
    assert_eq!(refusal(Refinance { version, ..plain }), assembly(AssemblyError::UnknownVersion(version)));
    let short = refusal(Refinance { principal: Amount::from_sat(20_000), ..plain });
    let found = Amount::from_sat(70_000);
    assert!(matches!(
        short,
        Some(RefinanceError::Assembly(AssemblyError::InsufficientFunds { wanted, found: short }))
            if short == found && wanted > Amount::from_sat(80_600)
    ));
    let foreign = [Coin { key: fixture.lender.ordinals(), ..fixture.funding[0].clone() }, fixture.funding[1].clone()];
    let outpoint = fixture.funding[0].outpoint;
    assert_eq!(
        refusal(Refinance { funding: coins(&foreign), ..plain }),
        assembly(AssemblyError::ForeignCoin(outpoint))
    );
    let twice = [fixture.funding.clone(), vec![fixture.funding[0].clone()]].concat();
    assert_eq!(
        refusal(Refinance { funding: coins(&twice), ..plain }),
        assembly(AssemblyError::DuplicateCoin(outpoint))
    );
    let escrow = fixture.debts.loans[0].0.outpoint;
    for waiting in [outpoint, escrow, fixture.pads[1].outpoint, fixture.debts.funding[0].outpoint] {
        for version in [Version::TWO, TRUC] {
            let refusal = refusal(Refinance { version, unconfirmed: &[waiting], ..plain });
            assert_eq!(refusal, assembly(AssemblyError::UnconfirmedCoin(waiting)));
        }
    }
    let tiny = TxOut { value: Amount::from_sat(293), ..fixture.platform_fee.clone() };
    let (value, min) = (tiny.value, Amount::from_sat(294));
    assert_eq!(
        refusal(Refinance { platform_fee: Some(&tiny), ..plain }),
        assembly(AssemblyError::Dust { index: 4, value, min })
    );
    assert_eq!(refusal(Refinance { principal: Amount::MAX, ..plain }), assembly(AssemblyError::Overflow));
}

#[test]
fn the_final_check_finds_every_misdirection_in_a_refinance() {
    let fixture = RefinanceFixture::new(546, runes(7, 1_000), PAYOUT_SATS);
    let refinance = fixture.refinance(TRUC, rate(5));
    let template = refinance.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        refinance.check(&altered).err()
    };
    let (sat, escrow) = (Amount::ONE_SAT, fixture.debts.loans[0].0.outpoint);
    let key = fixture.debts.loans[0].0.escrow.terms().lender;
    // Inputs: pads 0 and 1, escrow 2, lender 3 and 4, borrower 5. Outputs: pad 0, escrow 1, payout 2, pad 3, platform
    // 4, lender 5, runestone 6, borrower 7.
    assert_eq!(template.psbt.unsigned_tx.output.len(), 8);
    assert_eq!(fault(&|_| {}), None);
    let payout = |fault| Some(RefinanceFault::Payout(fault));
    assert_eq!(
        fault(&|altered| altered.psbt.unsigned_tx.output[2].value -= sat),
        payout(PayoutFault::Misplaced(escrow))
    );
    let later = bitcoin::absolute::LockTime::from_consensus(1);
    assert_eq!(
        fault(&|altered| altered.psbt.unsigned_tx.lock_time = later),
        payout(PayoutFault::InvalidSignature { escrow, fault: PreSignatureError::Invalid(key) })
    );

    let collateral = |fault| Some(RefinanceFault::Move(MoveFault::Collateral(fault)));
    let old = fixture.debts.loans[0].0.escrow.output().script_pubkey();
    let back = fault(&|altered| altered.psbt.unsigned_tx.output[MOVED_ESCROW].script_pubkey = old.clone());
    assert!(matches!(
        back,
        Some(RefinanceFault::Move(MoveFault::Collateral(CollateralFault::Misplaced { escrow: misplaced, found: Some(_) })))
            if misplaced == escrow
    ));
    let stone = |edicts, pointer| ordinals::Runestone { edicts, pointer, ..ordinals::Runestone::default() }.encipher();
    let edict = |amount, output| vec![ordinals::Edict { id: rune(7), amount, output }];
    assert_eq!(template.psbt.unsigned_tx.output[6].script_pubkey, stone(edict(1_000, 1), Some(1)));
    for wrong in
        [stone(vec![], Some(1)), stone(edict(999, 1), Some(1)), stone(edict(1_000, 3), Some(1)), ScriptBuf::new()]
    {
        let fault = fault(&|altered| altered.psbt.unsigned_tx.output[6].script_pubkey = wrong.clone());
        assert_eq!(fault, collateral(CollateralFault::WrongRunestone));
    }
    // Everything one place further back: the pre-signature and the flow of the sats are still valid.
    let shifted = |altered: &mut Template| {
        let Template { psbt, .. } = altered;
        psbt.inputs.swap(2, 5);
        psbt.unsigned_tx.input.swap(2, 5);
        psbt.inputs.swap(3, 5);
        psbt.unsigned_tx.input.swap(3, 5);
        let rest = TxOut { value: Amount::from_sat(50_000), ..psbt.unsigned_tx.output[0].clone() };
        psbt.unsigned_tx.output.insert(0, rest);
        psbt.unsigned_tx.output[7].script_pubkey = stone(edict(1_000, 2), Some(2));
    };
    assert_eq!(fault(&shifted), Some(RefinanceFault::Move(MoveFault::WrongEscrowIndex { expected: 1, found: 2 })));
    let pad_missing = |index| Some(RefinanceFault::Move(MoveFault::PadMissing { index }));
    let sold = fixture.change.clone();
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.output[0].script_pubkey = sold.clone()), pad_missing(0));
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.output[3].value -= sat), pad_missing(3));

    assert_eq!(
        fault(&|altered| altered.psbt.unsigned_tx.output[4].value -= sat),
        Some(RefinanceFault::PlatformFeeUnpaid)
    );
    let foreign = fixture.platform_fee.script_pubkey.clone();
    assert_eq!(
        fault(&|altered| altered.psbt.unsigned_tx.output[7].script_pubkey = foreign.clone()),
        Some(RefinanceFault::ForeignOutput { index: 7 })
    );
    let burning = |altered: &mut Template| altered.psbt.unsigned_tx.output[6].value += sat;
    assert_eq!(fault(&burning), Some(RefinanceFault::ForeignOutput { index: 6 }));
    let expected = Amount::from_sat(PRINCIPAL_SATS + 700);
    let lender_gets = |value: Amount| fault(&|altered| altered.psbt.unsigned_tx.output[5].value = value);
    let rest = template.psbt.unsigned_tx.output[5].value;
    let more = Amount::from_sat(295);
    let (over, under) = (expected + more, expected - sat);
    assert_eq!(lender_gets(rest - more), Some(RefinanceFault::LenderPays { expected, found: over }));
    assert_eq!(lender_gets(rest + sat), Some(RefinanceFault::LenderPays { expected, found: under }));
    let other_version = fault(&|altered| altered.psbt.unsigned_tx.version = Version::TWO);
    assert_eq!(other_version, Some(RefinanceFault::WrongForm));
    let other_coin = fault(&|altered| altered.psbt.unsigned_tx.input[5].previous_output.vout += 1);
    assert_eq!(other_coin, Some(RefinanceFault::ForeignInput { index: 5 }));
    for value in [0, 400_000_000, u64::MAX] {
        let value = Amount::from_sat(value);
        let wrong = fault(&|altered| altered.psbt.unsigned_tx.output[7].value = value);
        assert!(matches!(wrong, Some(RefinanceFault::WrongFee(_))), "{wrong:?}");
    }
}

#[test]
fn every_change_of_a_refinance_is_detected() {
    for pledge in [inscription(400), runes(7, 1_000)] {
        let fixture = RefinanceFixture::new(546, pledge, PAYOUT_SATS);
        let outputs = [(OutPoint::new(Txid::from_byte_array([6; 32]), 1), Amount::from_sat(150_000))];
        let plain = fixture.refinance(TRUC, rate(5));
        let instant = Funding::Vault { vault: &fixture.vault, outputs: &outputs };
        for refinance in [plain, Refinance { funding: instant, platform_fee: None, ..plain }] {
            let template = refinance.build().unwrap();
            assert_all_found(&template, 4, |template| refinance.check(template));
        }
    }
}

#[test]
fn both_sides_get_a_kit_for_the_loan_that_a_refinance_began() {
    let inscribed = |value, offset| InscribedRange { value: Amount::from_sat(value), offset: Amount::from_sat(offset) };
    let two = Pledge::Inscriptions(vec![inscribed(546, 0), inscribed(10_000, 9_999)]);
    for (postage, pledge, pads) in [
        (546, inscription(400), vec![1_200, 600]),
        (546, runes(7, 1_000), vec![1_200, 600]),
        (10_546, two, vec![1_200, 600, 600]),
    ] {
        let mut fixture = RefinanceFixture::new(postage, pledge, PAYOUT_SATS);
        let refinance = fixture.refinance(TRUC, rate(5));
        let template = refinance.build().unwrap();
        let payout = TxOut { value: Amount::from_sat(105_000), script_pubkey: fixture.change.clone() };
        let loan = refinance.running(template.final_txid(), payout);
        let origination = fixture.debts.keyring.sign(&template);
        let pre_signatures = fixture.debts.keyring.pre_sign(&loan);
        let places = MoveOutputs::of(&loan).pads();
        let outpoints: Vec<_> =
            places.map(|pad| OutPoint::new(loan.outpoint.txid, u32::try_from(pad).unwrap())).collect();
        let record =
            LoanRecord { network: Network::Regtest, loan, pre_signatures, due_seconds: CLAIM_AFTER, origination };
        let lender = Kit::Lender(Box::new(LenderKit::new(record.clone(), fixture.lender.payment()).unwrap()));
        let borrower = BorrowerKit::new(record, fixture.debts.borrower.payment(), &outpoints).unwrap();
        let values: Vec<u64> = borrower.pads().iter().map(|pad| pad.output.value.to_sat()).collect();
        assert_eq!(values, pads);
        for kit in [lender, Kit::Borrower(Box::new(borrower))] {
            assert_eq!(Kit::read(&kit.write()).unwrap().write(), kit.write());
        }
    }
}
