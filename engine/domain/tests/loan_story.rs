//! Tests of a loan's notices, views and points, compared with a naive evaluation of the rules.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use domain::{
    BlockTime, Ending, GroupId, InterestRate, LoanAccount, LoanDeal, LoanEvent, LoanId, LoanStage, LoanTotals,
    NoticeKind, OfferId, PendingAction, Points, ProcessType, Role, Sats, SubCollectionId, TermDays, UnixMs, UserId,
};
use proptest::prelude::*;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
const START: UnixMs = UnixMs(1_700_000_000_000);
const LENDER: UserId = UserId(1);
const BORROWER: UserId = UserId(2);
const SIDES: [Role; 2] = [Role::Lender, Role::Borrower];

fn at(hours: u64) -> UnixMs {
    START.plus_ms(hours * HOUR_MS)
}

fn mined(hours: u64) -> BlockTime {
    BlockTime { height: 1, at: at(hours) }
}

/// Prepared at hour 0; may be claimed from hour 200 on.
fn loan(process: ProcessType, days: u16) -> LoanAccount {
    let deal = LoanDeal {
        offer: OfferId::new(GroupId(1), 1).unwrap(),
        sub_collection: SubCollectionId(0),
        process,
        lender: LENDER,
        borrower: BORROWER,
        principal: Sats::new(10_000_000),
        rate: InterestRate::from_basis_points(100),
        interest: Sats::new(100_000),
        platform_fee: Sats::new(20_000),
        pledged_raw: 1,
        pledged_ids: ["i"].into_iter().collect(),
        term: TermDays(days),
        claim_after: at(200),
        follows: None,
    };
    let event = LoanEvent::Prepared { deal: Box::new(deal), contract: "secret".to_owned(), expires_at: at(1) };
    LoanAccount::open(LoanId(1), &event, START).unwrap()
}

fn signed() -> LoanEvent {
    LoanEvent::Signed { txid: [1; 32], running: "secret".to_owned(), vault: None }
}

fn accepted() -> LoanEvent {
    LoanEvent::BorrowerSigned { answer: "secret".to_owned(), expires_at: at(13) }
}

/// A manual loan of seven days that began at hour 2 and is due at hour 170.
fn running() -> LoanAccount {
    let mut loan = loan(ProcessType::Manual, 7);
    loan.apply(&accepted(), at(1));
    loan.apply(&signed(), at(2));
    loan.apply(&LoanEvent::Confirmed(mined(2)), at(2));
    loan
}

fn notices(loan: &LoanAccount, role: Role, hours: u64) -> Vec<(NoticeKind, UnixMs)> {
    let mut notices = loan.summary().notices(role, at(hours));
    notices.sort_unstable();
    notices.into_iter().map(|notice| (notice.kind, notice.at)).collect()
}

#[test]
fn each_side_gets_its_notices_in_time() {
    use NoticeKind::{
        Claimable, CounterSignatureNeeded, DueIn24Hours, DueIn72Hours, LoanStarted, OfferAccepted, Overdue,
    };
    let loan = running();
    let start = [(OfferAccepted, at(1)), (CounterSignatureNeeded, at(1)), (LoanStarted, at(2))];
    assert_eq!(notices(&loan, Role::Lender, 169), start);
    assert_eq!(notices(&loan, Role::Borrower, 97), [(LoanStarted, at(2))]);
    let reminded = [(LoanStarted, at(2)), (DueIn72Hours, at(98)), (DueIn24Hours, at(146))];
    assert_eq!(notices(&loan, Role::Borrower, 98), reminded[..2]);
    assert_eq!(notices(&loan, Role::Borrower, 146), reminded);
    assert_eq!(notices(&loan, Role::Borrower, 170).last(), Some(&(Overdue, at(170))));
    assert_eq!(notices(&loan, Role::Lender, 199).last(), Some(&(Overdue, at(170))));
    assert_eq!(notices(&loan, Role::Lender, 200).last(), Some(&(Claimable, at(200))));
    assert_eq!(notices(&loan, Role::Borrower, 900).len(), 4);
}

fn repaying(ending: Ending) -> LoanEvent {
    LoanEvent::EndingSigned { ending, txid: [2; 32], transaction: "secret".to_owned() }
}

#[test]
fn a_borrower_who_repays_gets_no_more_reminders() {
    let mut loan = running();
    loan.apply(&repaying(Ending::Repayment), at(100));
    let before = notices(&loan, Role::Borrower, 100);
    assert_eq!(notices(&loan, Role::Borrower, 169), before, "nothing is asked of the borrower");
    assert_eq!(loan.summary().next_change_at(at(100)), Some(at(170)));
    loan.apply(&LoanEvent::Ended { ending: Ending::Repayment, txid: [2; 32], mined: mined(101) }, at(101));
    for role in SIDES {
        assert_eq!(notices(&loan, role, 500).last(), Some(&(NoticeKind::Repaid, at(101))));
    }
    loan.apply(&LoanEvent::EndUnconfirmed, at(102));
    assert_eq!(notices(&loan, Role::Borrower, 102), before, "a reorg reverses the end and its notice");
}

#[test]
fn an_unconfirmed_repayment_does_not_stop_the_term() {
    use NoticeKind::{Claimable, Overdue, RepaymentWaits};
    let mut loan = running();
    loan.apply(&repaying(Ending::Repayment), at(169));
    let last = |loan: &LoanAccount, role, hours| notices(loan, role, hours).last().copied();
    assert_eq!(last(&loan, Role::Borrower, 170), Some((Overdue, at(170))));
    assert!(!loan.summary().is_overdue(at(169)) && loan.summary().is_overdue(at(170)));
    assert_eq!(last(&loan, Role::Borrower, 175), Some((Overdue, at(170))));
    assert_eq!(last(&loan, Role::Borrower, 176), Some((RepaymentWaits, at(176))), "a day before the claim");
    assert_eq!(last(&loan, Role::Lender, 199), Some((Overdue, at(170))));
    assert_eq!(loan.summary().pending_action(Role::Lender, at(199)), None);
    assert_eq!(last(&loan, Role::Lender, 200), Some((Claimable, at(200))));
    assert_eq!(loan.summary().pending_action(Role::Lender, at(200)), Some(PendingAction::Claim));
    let changes = [169, 170, 176].map(|hours| loan.summary().next_change_at(at(hours)));
    assert_eq!(changes, [Some(at(170)), Some(at(176)), Some(at(200))]);
    let mut totals = LoanTotals::default();
    totals.add(&loan.summary(), at(170));
    assert_eq!((totals.overdue_count, totals.at_risk), (1, Sats::new(10_000_000)));
    // A repayment signed later has an hour before the warning.
    loan.apply(&repaying(Ending::Repayment), at(190));
    assert_eq!(last(&loan, Role::Borrower, 190), Some((Overdue, at(170))));
    assert_eq!(last(&loan, Role::Borrower, 191), Some((RepaymentWaits, at(191))));
}

#[test]
fn a_short_term_has_no_reminder_before_its_start() {
    let mut loan = loan(ProcessType::Instant, 2);
    loan.apply(&signed(), at(1));
    loan.apply(&LoanEvent::Confirmed(mined(1)), at(1));
    let kinds: Vec<_> = notices(&loan, Role::Borrower, 49).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [NoticeKind::LoanStarted, NoticeKind::DueIn24Hours, NoticeKind::Overdue]);
    let lender_notices = notices(&loan, Role::Lender, 2);
    assert_eq!(lender_notices[0].0, NoticeKind::OfferAccepted);
    assert!(
        lender_notices.iter().all(|(kind, _)| *kind != NoticeKind::CounterSignatureNeeded),
        "an instant loan needs none"
    );
}

#[test]
fn an_unaccepted_loan_is_visible_only_to_its_borrower() {
    let mut loan = loan(ProcessType::Manual, 7);
    loan.apply(&LoanEvent::Cancelled { by: domain::CancelledBy::Time }, at(1));
    assert_eq!((loan.role_of(LENDER), loan.role_of(BORROWER)), (None, Some(Role::Borrower)));
    assert_eq!(loan.role_of(UserId(3)), None);
    assert!(SIDES.into_iter().all(|role| notices(&loan, role, 2).is_empty()));
}

#[test]
fn a_rebuilt_loan_asks_its_borrower_to_sign_again() {
    let mut loan = loan(ProcessType::Manual, 7);
    loan.apply(&accepted(), at(1));
    loan.apply(&LoanEvent::Rebuilt { contract: "secret".to_owned(), expires_at: at(9) }, at(8));
    assert_eq!(notices(&loan, Role::Borrower, 8), [(NoticeKind::SignatureNeeded, at(8))]);
    assert_eq!(loan.summary().pending_action(Role::Borrower, at(8)), Some(PendingAction::Signature));
    assert_eq!(loan.summary().pending_action(Role::Borrower, at(9)), None);
    loan.apply(&accepted(), at(9));
    let lender_notices: Vec<_> = notices(&loan, Role::Lender, 9);
    assert_eq!(lender_notices, [(NoticeKind::OfferAccepted, at(9)), (NoticeKind::CounterSignatureNeeded, at(9))]);
    loan.apply(&LoanEvent::Lapsed, at(21));
    assert_eq!(notices(&loan, Role::Borrower, 21), [(NoticeKind::Lapsed, at(21))]);
}

#[test]
fn each_side_waits_for_its_own_action() {
    let mut loan = running();
    let waits = |loan: &LoanAccount, hours| SIDES.map(|role| loan.summary().pending_action(role, at(hours)));
    assert_eq!(waits(&loan, 97), [None, None]);
    assert_eq!(waits(&loan, 98), [None, Some(PendingAction::Repayment)]);
    loan.apply(&LoanEvent::Expired, at(170));
    assert_eq!(waits(&loan, 199), [None, Some(PendingAction::Repayment)]);
    assert_eq!(waits(&loan, 200), [Some(PendingAction::Claim), Some(PendingAction::Repayment)]);
    let claim = LoanEvent::EndingSigned { ending: Ending::Claim, txid: [2; 32], transaction: "secret".to_owned() };
    loan.apply(&claim, at(201));
    assert_eq!(waits(&loan, 202), [None, None]);
    assert!(!format!("{:?}", loan.summary()).contains("secret"));
}

#[test]
fn points_are_granted_at_start_and_repayment_and_reversed_by_a_reorg() {
    let points = |loan: &LoanAccount| SIDES.map(|role| loan.summary().points(role, 0).get());
    let mut loan = running();
    assert_eq!(points(&loan), [10_000, 5_000]);
    loan.apply(&LoanEvent::Ended { ending: Ending::Repayment, txid: [2; 32], mined: mined(9) }, at(9));
    assert_eq!(points(&loan), [10_000, 10_000]);
    loan.apply(&LoanEvent::EndUnconfirmed, at(10));
    assert_eq!(points(&loan), [10_000, 5_000]);
    loan.apply(&LoanEvent::Unconfirmed, at(11));
    assert_eq!(points(&loan), [0, 0]);
    let mut claimed = running();
    claimed.apply(&LoanEvent::Ended { ending: Ending::Claim, txid: [2; 32], mined: mined(300) }, at(300));
    assert_eq!(points(&claimed), [10_000, 5_000], "without a repayment only the first half counts");
    assert_eq!(loan.summary().points(Role::Lender, 50), Points::ZERO);
}

/// A random event, applied if the loan allows it.
fn event(choice: u8, hours: u64) -> LoanEvent {
    let txid = [choice; 32];
    let ending = if choice.is_multiple_of(2) { Ending::Repayment } else { Ending::Claim };
    match choice % 11 {
        0 => accepted(),
        1 => LoanEvent::Signed { txid, running: String::new(), vault: None },
        2 | 3 => LoanEvent::Confirmed(mined(hours)),
        4 => LoanEvent::Unconfirmed,
        5 => LoanEvent::Expired,
        6 => LoanEvent::EndingSigned { ending, txid, transaction: String::new() },
        7 => LoanEvent::EndingDropped,
        8 => LoanEvent::Ended { ending, txid, mined: mined(hours) },
        9 => LoanEvent::EndUnconfirmed,
        _ => LoanEvent::Rebuilt { contract: String::new(), expires_at: at(10_000) },
    }
}

proptest! {
    #[test]
    fn notices_come_once_per_kind_and_none_before_its_time(
        steps in proptest::collection::vec((any::<u8>(), 0_u64..60), 0..25), days in 1_u16..10
    ) {
        let mut loan = loan(ProcessType::Manual, days);
        let mut hours = 0;
        for (choice, wait) in steps {
            hours += wait;
            let event = event(choice, hours);
            if loan.check(&event, START).is_ok() {
                loan.apply(&event, at(hours));
            }
            let summary = loan.summary();
            for role in SIDES {
                let notices = summary.notices(role, at(hours));
                let mut kinds: Vec<_> = notices.iter().map(|notice| notice.kind).collect();
                kinds.sort_unstable();
                kinds.dedup();
                prop_assert_eq!(kinds.len(), notices.len(), "{:?}", notices);
                prop_assert!(notices.iter().all(|notice| notice.at <= at(hours)), "{:?}", notices);
                prop_assert_eq!(&summary.notices(role, at(hours)), &notices, "repeated calls agree");
            }
        }
        // Between two changes the passing of time changes nothing.
        let summary = loan.summary();
        let mut now = at(hours);
        for _ in 0..8 {
            let next = summary.next_change_at(now);
            let until = next.map_or(now.plus_ms(900 * DAY_MS), |next| UnixMs(next.0 - 1));
            for role in SIDES {
                prop_assert_eq!(summary.notices(role, now), summary.notices(role, until));
                prop_assert_eq!(summary.is_overdue(now), summary.is_overdue(until));
            }
            let Some(next) = next else { break };
            prop_assert!(next > now);
            now = next;
        }
    }

    #[test]
    fn totals_are_the_sums_over_each_stage(stages in proptest::collection::vec(0_usize..12, 0..40)) {
        let mut totals = LoanTotals::default();
        let (mut ever, mut running, mut repaid, mut claimed, mut risk) = (0, 0, 0, 0, 0);
        for stage in stages {
            let mut summary = self::running().summary();
            summary.stage = LoanStage::ALL[stage];
            totals.add(&summary, at(169));
            let one = |is: bool| u64::from(is);
            let name = summary.stage.to_string();
            let runs = ["broadcast", "active", "expired", "repaying", "claiming"].contains(&name.as_str());
            running += one(runs);
            repaid += one(name == "repaid");
            claimed += one(name == "claimed");
            risk += one(["expired", "claiming"].contains(&name.as_str()));
            ever += one(runs || name == "repaid" || name == "claimed");
        }
        let sats = |count: u64, each: u64| Sats::new(count * each);
        prop_assert_eq!((totals.all_time, totals.running), (sats(ever, 10_000_000), sats(running, 10_000_000)));
        prop_assert_eq!((totals.interest_paid, totals.interest_owed), (sats(repaid, 100_000), sats(running, 100_000)));
        prop_assert_eq!((totals.at_risk, totals.claimed), (sats(risk, 10_000_000), sats(claimed, 10_000_000)));
        prop_assert_eq!(totals.platform_fees, sats(ever, 20_000));
        let counts = [totals.running_count, totals.repaid_count, totals.claimed_count, totals.overdue_count];
        prop_assert_eq!(counts, [running, repaid, claimed, risk]);
    }
}
