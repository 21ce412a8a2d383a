//! Tests of a loan's lifecycle against a hand-written table, and of its invariants under random events.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use domain::{
    BlockTime, CancelledBy, Ending, GRACE_MS, GroupId, InterestRate, LoanAccount, LoanDeal, LoanEvent, LoanId,
    LoanRejection, LoanStage, LoanSummary, NoticeKind, OfferId, PledgedIds, ProcessType, RefinanceOrder, Role, Sats,
    SubCollectionId, TermDays, UnixMs, UserId,
};
use proptest::prelude::*;

const DAY_MS: u64 = 86_400_000;
const EXPIRES: UnixMs = UnixMs(1_000);
const ORDER: RefinanceOrder = RefinanceOrder {
    principal_min: Sats::new(900_000),
    interest_max: InterestRate::from_basis_points(400),
    term_min: TermDays(7),
    term_max: TermDays(30),
    days_before: 3,
};

fn deal(process: ProcessType) -> LoanDeal {
    let rate = InterestRate::from_basis_points(325);
    let principal = Sats::new(1_000_001);
    LoanDeal {
        offer: OfferId::new(GroupId(3), 9).unwrap(),
        sub_collection: SubCollectionId(0),
        process,
        lender: UserId(1),
        borrower: UserId(2),
        principal,
        rate,
        interest: rate.of(principal).unwrap(),
        platform_fee: Sats::new(6_500),
        pledged_raw: 1,
        pledged_ids: PledgedIds::default(),
        term: TermDays(7),
        claim_after: UnixMs(9 * DAY_MS),
        follows: None,
    }
}

fn prepared(process: ProcessType) -> LoanEvent {
    LoanEvent::Prepared { deal: Box::new(deal(process)), contract: "c".to_owned(), expires_at: EXPIRES }
}

/// Due on the twentieth day.
fn extension_prepared() -> LoanEvent {
    let deal = Box::new(LoanDeal { follows: Some(LoanId(6)), ..deal(ProcessType::Manual) });
    LoanEvent::ExtensionPrepared { deal, contract: "c".to_owned(), expires_at: EXPIRES, due_at: UnixMs(20 * DAY_MS) }
}

fn loan(process: ProcessType) -> LoanAccount {
    LoanAccount::open(LoanId(7), &prepared(process), UnixMs(1)).unwrap()
}

fn signed(ending: Ending) -> LoanEvent {
    LoanEvent::EndingSigned { ending, txid: [3; 32], transaction: "t".to_owned() }
}

fn ended(ending: Ending) -> LoanEvent {
    LoanEvent::Ended { ending, txid: [3; 32], mined: BlockTime { height: 9, at: UnixMs(5 * DAY_MS) } }
}

/// Every event, by its letter in the table below.
fn events() -> Vec<(char, LoanEvent)> {
    vec![
        ('p', prepared(ProcessType::Manual)),
        ('r', LoanEvent::Rebuilt { contract: "d".to_owned(), expires_at: EXPIRES }),
        ('b', LoanEvent::BorrowerSigned { answer: "a".to_owned(), expires_at: EXPIRES }),
        ('s', LoanEvent::Signed { txid: [2; 32], running: "x".to_owned(), vault: None }),
        ('c', LoanEvent::Confirmed(BlockTime { height: 5, at: UnixMs(DAY_MS) })),
        ('u', LoanEvent::Unconfirmed),
        ('e', LoanEvent::Expired),
        ('y', signed(Ending::Repayment)),
        ('l', signed(Ending::Claim)),
        ('f', signed(Ending::Refinance(LoanId(8)))),
        ('d', LoanEvent::EndingDropped),
        ('Y', ended(Ending::Repayment)),
        ('L', ended(Ending::Claim)),
        ('X', ended(Ending::Extension(LoanId(8)))),
        ('z', LoanEvent::EndUnconfirmed),
        ('n', LoanEvent::Cancelled { by: CancelledBy::Lender }),
        ('a', LoanEvent::Lapsed),
        ('F', LoanEvent::Failed),
        ('q', extension_prepared()),
        ('o', LoanEvent::RefinanceOrdered(Some(ORDER))),
        ('w', LoanEvent::RefinanceOrdered(None)),
    ]
}

/// The events that a stage allows and the stages they lead to: written by hand from the design, not from the code.
const MANUAL: [(LoanStage, &[(char, LoanStage)]); 12] = {
    use LoanStage::*;
    [
        (Prepared, &[('b', AwaitingLender), ('n', Cancelled)]),
        (AwaitingLender, &[('r', Prepared), ('s', Broadcast), ('n', Cancelled), ('a', Lapsed)]),
        (Broadcast, &[('c', Active), ('F', Failed)]),
        (
            Active,
            &[
                ('u', Broadcast),
                ('e', Expired),
                ('y', Repaying),
                ('f', Repaying),
                ('Y', Repaid),
                ('L', Claimed),
                ('X', Repaid),
                ('o', Active),
                ('w', Active),
            ],
        ),
        (
            Expired,
            &[
                ('u', Broadcast),
                ('y', Repaying),
                ('f', Repaying),
                ('l', Claiming),
                ('Y', Repaid),
                ('L', Claimed),
                ('X', Repaid),
                ('o', Expired),
                ('w', Expired),
            ],
        ),
        (
            Repaying,
            &[
                ('u', Broadcast),
                ('y', Repaying),
                ('f', Repaying),
                ('l', Claiming),
                ('d', Active),
                ('Y', Repaid),
                ('L', Claimed),
                ('X', Repaid),
            ],
        ),
        (
            Claiming,
            &[
                ('u', Broadcast),
                ('y', Repaying),
                ('f', Repaying),
                ('l', Claiming),
                ('d', Active),
                ('Y', Repaid),
                ('L', Claimed),
                ('X', Repaid),
            ],
        ),
        (Repaid, &[('z', Repaying)]),
        (Claimed, &[('z', Claiming)]),
        (Cancelled, &[]),
        (Lapsed, &[]),
        (Failed, &[]),
    ]
};

/// The letters of the events that lead a manual loan to a stage.
const fn path_to(stage: LoanStage) -> &'static str {
    match stage {
        LoanStage::Prepared => "",
        LoanStage::AwaitingLender => "b",
        LoanStage::Broadcast => "bs",
        LoanStage::Active => "bsc",
        LoanStage::Expired => "bsce",
        LoanStage::Repaying => "bscy",
        LoanStage::Claiming => "bscel",
        LoanStage::Repaid => "bscyY",
        LoanStage::Claimed => "bscelL",
        LoanStage::Cancelled => "n",
        LoanStage::Lapsed => "ba",
        LoanStage::Failed => "bsF",
    }
}

fn event(letter: char) -> LoanEvent {
    events().into_iter().find(|(known, _)| *known == letter).unwrap().1
}

#[test]
fn every_event_at_every_stage_matches_the_transition_table() {
    for (stage, allowed) in MANUAL {
        let mut at_stage = loan(ProcessType::Manual);
        for letter in path_to(stage).chars() {
            at_stage.check(&event(letter), UnixMs(10)).unwrap();
            at_stage.apply(&event(letter), UnixMs(10));
        }
        assert_eq!(at_stage.stage, stage);
        for (letter, event) in events() {
            let mut after = at_stage.clone();
            let outcome = after.check(&event, UnixMs(10));
            match allowed.iter().find(|(known, _)| *known == letter) {
                Some((_, to)) => {
                    assert_eq!(outcome, Ok(()), "{letter} at {stage}");
                    after.apply(&event, UnixMs(10));
                    assert_eq!(after.stage, *to, "{letter} at {stage}");
                }
                None if event.opened_deal().is_some() => assert_eq!(outcome, Err(LoanRejection::Duplicate(LoanId(7)))),
                None => assert_eq!(outcome, Err(LoanRejection::WrongStage { stage }), "{letter} at {stage}"),
            }
        }
    }
}

#[test]
fn an_instant_loan_needs_no_lender_signature() {
    let mut instant = loan(ProcessType::Instant);
    let refused = instant.check(&event('b'), UnixMs(10));
    assert_eq!(refused, Err(LoanRejection::WrongStage { stage: LoanStage::Prepared }));
    instant.check(&event('s'), UnixMs(10)).unwrap();
    instant.apply(&event('s'), UnixMs(10));
    assert_eq!((instant.stage, instant.accepted_at), (LoanStage::Broadcast, Some(UnixMs(10))));
}

#[test]
fn no_side_signs_after_the_deadline() {
    let mut manual = loan(ProcessType::Manual);
    assert_eq!(manual.check(&event('b'), EXPIRES), Err(LoanRejection::TooLate(EXPIRES)));
    manual.apply(&event('b'), UnixMs(10));
    assert_eq!(manual.check(&event('s'), EXPIRES), Err(LoanRejection::TooLate(EXPIRES)));
    let instant = loan(ProcessType::Instant);
    assert_eq!(instant.check(&event('s'), EXPIRES), Err(LoanRejection::TooLate(EXPIRES)));
}

#[test]
fn the_term_runs_from_the_first_block_and_interest_is_rounded_up() {
    let mut manual = loan(ProcessType::Manual);
    assert_eq!((manual.deal.interest, manual.deal.payout()), (Sats::new(32_501), Sats::new(1_032_502)));
    assert_eq!(manual.due_at(), None);
    for letter in "bsc".chars() {
        manual.apply(&event(letter), UnixMs(10));
    }
    assert_eq!(manual.due_at(), Some(UnixMs(8 * DAY_MS)));
    manual.apply(&event('y'), UnixMs(2 * DAY_MS));
    manual.apply(&event('d'), UnixMs(8 * DAY_MS));
    assert_eq!(manual.stage, LoanStage::Expired, "an end that is dropped after the term leaves an expired loan");
}

#[test]
fn a_late_first_block_shortens_the_term_and_never_the_grace() {
    let deal = deal(ProcessType::Manual);
    assert_eq!(deal.sign_by(), UnixMs(DAY_MS), "seven days, and one of grace, before the claim");
    for (start, due) in [(0, 7), (1, 8), (2, 8), (3, 8), (20, 8)] {
        let due = UnixMs(due * DAY_MS);
        assert_eq!(deal.due_after(UnixMs(start * DAY_MS)), due, "begun on day {start}");
        assert!(due.plus_ms(GRACE_MS) <= deal.claim_after);
        let mut loan = loan(ProcessType::Manual);
        loan.apply(&LoanEvent::Confirmed(BlockTime { height: 5, at: UnixMs(start * DAY_MS) }), UnixMs(10));
        assert_eq!((loan.due_at(), loan.summary().due_at()), (Some(due), Some(due)), "the same in every view");
    }
}

#[test]
fn an_extension_is_due_on_the_day_that_was_agreed_whatever_block_it_begins_in() {
    use NoticeKind::{Claimable, CounterSignatureNeeded, LoanStarted, Overdue};
    let mut extension = LoanAccount::open(LoanId(8), &extension_prepared(), UnixMs(1)).unwrap();
    assert_eq!((extension.stage, extension.due_at()), (LoanStage::Prepared, None));
    let lender = |loan: &LoanAccount| {
        let mut kinds: Vec<_> =
            loan.summary().notices(Role::Lender, UnixMs(30 * DAY_MS)).iter().map(|it| it.kind).collect();
        kinds.sort_unstable();
        kinds
    };
    for (letter, day) in [('b', 0), ('s', 0), ('c', 3), ('u', 0), ('c', 4)] {
        let event = match event(letter) {
            LoanEvent::Confirmed(mined) => LoanEvent::Confirmed(BlockTime { at: UnixMs(day * DAY_MS), ..mined }),
            other => other,
        };
        extension.check(&event, UnixMs(2)).unwrap();
        extension.apply(&event, UnixMs(2));
        let due_at = extension.began.map(|_| UnixMs(20 * DAY_MS));
        assert_eq!((extension.due_at(), extension.summary().due_at()), (due_at, due_at), "{letter}");
    }
    assert_eq!(lender(&extension), [CounterSignatureNeeded, LoanStarted, Overdue, Claimable], "no offer was taken");
}

#[test]
fn a_loan_names_its_successor_once_its_end_is_confirmed() {
    let mut loan = loan(ProcessType::Manual);
    for (letter, successor) in [('b', None), ('s', None), ('c', None), ('f', None), ('X', Some(LoanId(8)))] {
        loan.apply(&event(letter), UnixMs(10));
        assert_eq!(loan.successor(), successor, "{letter}");
    }
    loan.apply(&LoanEvent::EndUnconfirmed, UnixMs(10));
    assert_eq!(loan.successor(), None);
    loan.apply(&ended(Ending::Repayment), UnixMs(10));
    assert_eq!(loan.successor(), None, "it was returned");
}

#[test]
fn an_end_by_a_foreign_transaction_is_accepted_and_a_reorg_reverses_it() {
    let mut manual = loan(ProcessType::Manual);
    for letter in "bscy".chars() {
        manual.apply(&event(letter), UnixMs(10));
    }
    let mined = BlockTime { height: 12, at: UnixMs(3 * DAY_MS) };
    manual.apply(&LoanEvent::Ended { ending: Ending::Repayment, txid: [9; 32], mined }, UnixMs(11));
    let end = manual.end.clone().unwrap();
    assert_eq!((end.txid, end.transaction, end.mined), ([9; 32], None, Some(mined)));
    manual.apply(&LoanEvent::EndUnconfirmed, UnixMs(12));
    assert_eq!(manual.stage, LoanStage::Active, "a foreign transaction cannot be broadcast again");
}

fn is_order_due(loan: &LoanSummary, now: UnixMs) -> bool {
    loan.refinance_question(now).is_some_and(|question| question.order.is_some())
}

fn is_near_due(loan: &LoanSummary, now: UnixMs) -> bool {
    loan.refinance_question(now).is_some_and(|question| question.is_near_due)
}

#[test]
fn a_standing_order_is_due_so_many_days_before_the_due_date_and_can_be_withdrawn() {
    let mut loan = loan(ProcessType::Manual);
    for letter in "bsc".chars() {
        loan.apply(&event(letter), UnixMs(10));
    }
    let due = loan.due_at().unwrap();
    let before = |ms: u64| UnixMs(due.0 - ms);
    assert!(!is_order_due(&loan.summary(), due), "there is none");
    loan.apply(&event('o'), UnixMs(20));
    let ordered = loan.summary();
    assert_eq!((ordered.refinance_order, ordered.updated_at), (Some(ORDER), UnixMs(10)));
    assert!(!is_order_due(&ordered, before(3 * DAY_MS + 1)) && is_order_due(&ordered, before(3 * DAY_MS)));
    loan.apply(&event('e'), due);
    let claim_after = loan.deal.claim_after;
    assert!(is_order_due(&loan.summary(), due) && is_order_due(&loan.summary(), UnixMs(claim_after.0 - 1)));
    assert!(!is_order_due(&loan.summary(), claim_after), "a claim could overtake it");
    loan.apply(&event('y'), due);
    assert!(!is_order_due(&loan.summary(), due), "a repayment is on its way");
    loan.apply(&event('d'), due);
    loan.apply(&event('w'), due);
    assert!(!is_order_due(&loan.summary(), due));
    for impossible in [
        RefinanceOrder { term_min: TermDays(8), term_max: TermDays(7), ..ORDER },
        RefinanceOrder { term_min: TermDays(0), ..ORDER },
        RefinanceOrder { principal_min: Sats::ZERO, ..ORDER },
        RefinanceOrder { days_before: 0, ..ORDER },
        RefinanceOrder { days_before: 15, ..ORDER },
    ] {
        let refused = loan.check(&LoanEvent::RefinanceOrdered(Some(impossible)), due);
        assert_eq!(refused, Err(LoanRejection::ImpossibleOrder), "{impossible:?}");
    }
}

#[test]
fn a_cheaper_loan_is_looked_for_in_the_last_half_of_a_short_term_and_the_last_week_of_a_long_one() {
    for (term, hours_before) in [(1, 12), (7, 84), (14, 168), (30, 168), (365, 168)] {
        let mut summary = loan(ProcessType::Manual).summary();
        (summary.stage, summary.deal.term) = (LoanStage::Active, TermDays(term));
        summary.deal.claim_after = UnixMs((u64::from(term) + 10) * DAY_MS);
        summary.began = Some(BlockTime { height: 1, at: UnixMs(DAY_MS) });
        let due = summary.due_at().unwrap();
        let starts = UnixMs(due.0 - hours_before * DAY_MS / 24);
        assert!(is_near_due(&summary, starts) && !is_near_due(&summary, UnixMs(starts.0 - 1)), "a term of {term} days");
    }
}

proptest! {
    /// The invariants of any order of events: the deal stays the same, a final stage is final, and a loan that has
    /// begun is never cancelled.
    #[test]
    fn invariants_hold_for_random_events(letters in prop::collection::vec(0_usize..21, 0..60), instant: bool) {
        let mut one = loan(if instant { ProcessType::Instant } else { ProcessType::Manual });
        let deal = one.deal.clone();
        for (step, place) in (2..).zip(letters) {
            let (_, event) = events().swap_remove(place);
            let before = one.clone();
            if one.check(&event, UnixMs(step)).is_err() {
                continue;
            }
            one.apply(&event, UnixMs(step));
            prop_assert_eq!(&one.deal, &deal);
            let is_order = matches!(event, LoanEvent::RefinanceOrdered(_));
            prop_assert_eq!(one.updated_at, if is_order { before.updated_at } else { UnixMs(step) });
            let is_final = matches!(before.stage, LoanStage::Cancelled | LoanStage::Lapsed | LoanStage::Failed);
            prop_assert!(!is_final, "{:?} after {}", event, before.stage);
            prop_assert!(!(before.stage.is_running() && one.stage == LoanStage::Cancelled));
            prop_assert!(!one.stage.is_running() || one.txid.is_some());
            prop_assert_eq!(one.running.is_some(), one.txid.is_some() && one.stage != LoanStage::Failed);
            // The data for signing is dropped once the loan will not be signed any more.
            let is_idle = matches!(one.stage, LoanStage::Cancelled | LoanStage::Lapsed);
            prop_assert_eq!(one.contract.is_empty(), is_idle);
            // A side that is yet to sign never sees the other side's signatures: they are dropped once the transaction
            // is complete.
            prop_assert!(one.answer.is_none() || one.stage == LoanStage::AwaitingLender);
        }
    }
}
