//! Tests of a lender's exposure: random loans in the order of time, against a sum over all of them and against the order
//! of a replay, which takes one loan after the other.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise and prints its seed")]

use domain::{
    BlockTime, CancelledBy, Ending, Exposure, GroupId, InterestRate, LendingLimits, LoanAccount, LoanDeal, LoanEvent,
    LoanExposure, LoanId, LoanStage, OfferId, ProcessType, Sats, SubCollectionId, TermDays, UnixMs, UserId,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const DAY_MS: u64 = 86_400_000;
const GROUPS: u32 = 3;

/// A loan with its events and their times.
struct Story {
    loan: LoanAccount,
    events: Vec<(LoanEvent, UnixMs)>,
}

fn opening(rng: &mut ChaCha8Rng, now: UnixMs) -> LoanEvent {
    let deal = Box::new(LoanDeal {
        offer: OfferId::new(GroupId(rng.random_range(0..GROUPS)), 1).unwrap(),
        sub_collection: SubCollectionId(0),
        process: if rng.random_bool(0.8) { ProcessType::Manual } else { ProcessType::Instant },
        lender: UserId(1),
        borrower: UserId(2),
        principal: Sats::new(rng.random_range(1..1_000)),
        rate: InterestRate::from_basis_points(100),
        interest: Sats::new(1),
        platform_fee: Sats::ZERO,
        pledged_raw: 1,
        pledged_ids: ["i"].into_iter().collect(),
        term: TermDays(1),
        claim_after: now.plus_ms(3 * DAY_MS),
        follows: None,
    });
    let (contract, expires_at) = ("{}".to_owned(), now.plus_ms(DAY_MS));
    if rng.random_bool(0.2) {
        LoanEvent::ExtensionPrepared { deal, contract, expires_at, due_at: now.plus_ms(2 * DAY_MS) }
    } else {
        LoanEvent::Prepared { deal, contract, expires_at }
    }
}

fn event(rng: &mut ChaCha8Rng, now: UnixMs) -> LoanEvent {
    let ending = match rng.random_range(0..4) {
        0 => Ending::Claim,
        1 => Ending::Extension(LoanId(9)),
        2 => Ending::Refinance(LoanId(9)),
        _ => Ending::Repayment,
    };
    let (text, txid, expires_at) = ("{}".to_owned(), [1; 32], now.plus_ms(DAY_MS));
    let mined = BlockTime { height: 1, at: now };
    match rng.random_range(0..14) {
        0 => LoanEvent::Cancelled { by: CancelledBy::Borrower },
        1 => LoanEvent::Lapsed,
        2 => LoanEvent::Rebuilt { contract: text, expires_at },
        3 | 4 => LoanEvent::BorrowerSigned { answer: text, expires_at },
        5 | 6 => LoanEvent::Signed { txid, running: text, vault: None },
        7 => LoanEvent::Confirmed(mined),
        8 => LoanEvent::Failed,
        9 => LoanEvent::Expired,
        10 => LoanEvent::EndingSigned { ending, txid, transaction: text },
        11 => LoanEvent::EndingDropped,
        12 => LoanEvent::Ended { ending, txid, mined },
        _ => [LoanEvent::Unconfirmed, LoanEvent::EndUnconfirmed][rng.random_range(0..2)].clone(),
    }
}

/// Whether the principal of a loan is out, from first principles.
fn is_out(loan: &LoanAccount) -> bool {
    let is_manual = loan.deal.process == ProcessType::Manual;
    let is_signed_by_all = matches!(
        loan.stage,
        LoanStage::Broadcast | LoanStage::Active | LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming
    );
    let is_signing = matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender);
    let is_promised = is_signing && loan.accepted_at.is_some() && loan.extended_until.is_none();
    let is_continued =
        loan.stage == LoanStage::Repaying && matches!(loan.end.as_ref().unwrap().ending, Ending::Extension(_));
    is_manual && (is_signed_by_all || is_promised) && !is_continued
}

fn is_accepted_on(loan: &LoanAccount, day: u64) -> bool {
    loan.deal.process == ProcessType::Manual
        && loan.extended_until.is_none()
        && loan.accepted_at.is_some_and(|at| at.0 / DAY_MS == day)
        && !matches!(loan.stage, LoanStage::Cancelled | LoanStage::Lapsed | LoanStage::Failed)
}

fn sum<'loan>(loans: impl Iterator<Item = &'loan LoanAccount>) -> Sats {
    loans.map(|loan| loan.deal.principal).sum()
}

/// The exposure of a replay: all events of a loan, then those of the next one.
fn replayed(stories: &[Story]) -> Exposure {
    let mut exposure = Exposure::default();
    for Story { loan: known, events } in stories {
        let ((opening, at), rest) = events.split_first().unwrap();
        let mut loan = LoanAccount::open(known.id, opening, *at).unwrap();
        for (event, at) in rest {
            let before = LoanExposure::of(&loan);
            loan.apply(event, *at);
            exposure.replace(before, LoanExposure::of(&loan));
        }
        assert_eq!(&loan, known);
    }
    exposure
}

#[test]
fn the_exposure_is_the_sum_over_all_loans_in_any_order() {
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut now, mut stories, mut exposure) = (UnixMs(DAY_MS), Vec::<Story>::new(), Exposure::default());
        let mut most = Sats::ZERO;
        for step in 0..2_000_u128 {
            now = now.plus_ms(rng.random_range(0..DAY_MS / 50));
            if stories.is_empty() || rng.random_bool(0.05) {
                let opening = opening(&mut rng, now);
                let loan = LoanAccount::open(LoanId(step), &opening, now).unwrap();
                stories.push(Story { loan, events: vec![(opening, now)] });
                continue;
            }
            let place = rng.random_range(0..stories.len());
            let (event, story) = (event(&mut rng, now), &mut stories[place]);
            if story.loan.check(&event, now).is_err() {
                continue;
            }
            let before = LoanExposure::of(&story.loan);
            story.loan.apply(&event, now);
            exposure.replace(before, LoanExposure::of(&story.loan));
            story.events.push((event, now));

            let loans = || stories.iter().map(|story| &story.loan);
            let out = || loans().filter(|loan| is_out(loan));
            assert_eq!(exposure.outstanding(), sum(out()), "seed {seed}, step {step}");
            for group in (0..GROUPS).map(GroupId) {
                let own = sum(out().filter(|loan| loan.deal.group() == group));
                assert_eq!(exposure.outstanding_in(group), own, "seed {seed}, step {step}: {group}");
            }
            let today = sum(loans().filter(|loan| is_accepted_on(loan, now.0 / DAY_MS)));
            assert_eq!(exposure.accepted_on_day_of(now), today, "seed {seed}, step {step}");
            most = most.max(exposure.outstanding());
        }
        let again = replayed(&stories);
        assert_eq!(again.outstanding(), exposure.outstanding(), "seed {seed}");
        assert!(again.groups().eq(exposure.groups()), "seed {seed}");
        assert_eq!(again.accepted_on_day_of(now), exposure.accepted_on_day_of(now), "seed {seed}");
        assert!(most > Sats::new(1_000), "seed {seed}: several loans were out at a time");
    }
}

#[test]
fn a_lender_is_absent_from_the_end_of_the_allowed_time() {
    let limits = LendingLimits { absence_minutes: Some(5), ..LendingLimits::default() };
    assert_eq!(limits.absent_from(UnixMs(1_000)), Some(UnixMs(301_000)));
    assert_eq!(LendingLimits::default().absent_from(UnixMs(1_000)), None);
}

#[test]
fn the_least_that_a_limit_leaves_is_available() {
    let group = GroupId(1);
    let available = |limits: &LendingLimits| limits.available(&Exposure::default(), group, UnixMs(0));
    let sats = |sats: u64| Some(Sats::new(sats));
    assert_eq!(available(&LendingLimits::default()), None);
    let mut limits = LendingLimits { budget: sats(5), daily: sats(4), ..LendingLimits::default() };
    assert_eq!(available(&limits), sats(4));
    limits.collection_budgets.insert(GroupId(2), Sats::new(1));
    assert_eq!(available(&limits), sats(4), "another collection's budget");
    limits.collection_budgets.insert(group, Sats::new(3));
    assert_eq!(available(&limits), sats(3));
}
