//! A record of twenty days, computed by hand.

use backtest::{BacktestError, Defaults, Principal, Running, run};
use domain::{InterestRate, LoanEnd, LoanId, Sats, TermDays};

use super::record::{BookOf, Record, confirm, day, deal, end, group, half_of_floor, price, release};

/// Twenty days of one book. The rule lends half of the floor: 500,000 sats, and 400,000 from day 11 on.
fn twenty_days() -> Record {
    let book = BookOf(1);
    let events = vec![
        (0, price(1_000_000, day(0))),
        (1, book.offer(1, 1, 0, 400_000)),
        (1, book.offer(2, 2, 0, 600_000)),
        // 600,000 outranks the rule.
        (2, book.reserve(1, 2, 600_000)),
        (2, confirm(1)),
        // The rule outranks 400,000; it is repaid.
        (3, book.reserve(2, 1, 400_000)),
        (3, confirm(2)),
        (10, end(2, LoanEnd::Repaid)),
        (11, price(800_000, day(11))),
        // Equal to the rule's offer, which was placed on day 3; it defaults at a floor of 300,000.
        (11, book.offer(3, 1, 0, 400_000)),
        (12, book.reserve(3, 3, 400_000)),
        (12, confirm(3)),
        // Accepted, and not signed by the lender.
        (13, book.offer(4, 1, 0, 100_000)),
        (13, book.reserve(4, 4, 100_000)),
        (14, release(4)),
        // Still running at the end.
        (15, book.reserve(5, 4, 100_000)),
        (15, confirm(5)),
        // 200,000 of the budget are left.
        (16, book.offer(5, 1, 0, 100_000)),
        (16, book.reserve(6, 5, 100_000)),
        (16, confirm(6)),
        (19, price(300_000, day(19))),
        (20, end(3, LoanEnd::Claimed)),
    ];
    let group = group(1, "paper-frogs");
    let id = group.id;
    let events = events.into_iter().map(|(number, event)| (id, day(number), event)).collect();
    // 100 sats of 400,000 are 125 of 500,000.
    Record { groups: vec![group], events, deals: [(LoanId(2), deal(1, 400_000, 120, 100))].into() }
}

#[test]
fn a_record_of_twenty_days_gives_what_was_computed_by_hand() {
    let report = run(&half_of_floor(1_000_000), &twenty_days()).unwrap();
    assert_eq!((report.from, report.until), (day(0), day(20)));
    let total = report.total;
    assert_eq!((total.loans, total.lent_sats, total.beyond_budget), (3, 1_300_000, 1));
    assert_eq!((total.interest_sats, total.fees_sats), (6_000, 125));
    assert_eq!(total.defaults, Defaults { count: 1, principal_sats: 400_000, collateral_sats: 300_000 });
    assert_eq!(total.running, Running { count: 1, principal_sats: 400_000 });
    assert_eq!(report.result_sats, 6_000 - 125 - 100_000);
    // 94,125 sats on 500,000 for 7 days and 400,000 for 8: 6.7 million sat days. The loan that runs has no part in it.
    assert_eq!(report.yield_on_lent, Some(-51_277));
    assert_eq!(report.yield_on_budget, Some(-17_177));
    assert_eq!(report.collections.len(), 1);
    assert_eq!(
        (report.collections[0].figures, report.collections[0].collection.to_string()),
        (total, "paper-frogs".to_owned())
    );
}

#[test]
fn the_budget_the_terms_and_the_time_of_the_rule_are_kept() {
    let record = twenty_days();
    let fills = |change: &dyn Fn(&mut backtest::Rule)| {
        let mut rule = half_of_floor(1_000_000);
        change(&mut rule);
        let total = run(&rule, &record).unwrap().total;
        (total.loans, total.beyond_budget)
    };
    // Reservation 4 and then 5 take the place of 6 otherwise.
    assert_eq!(fills(&|rule| rule.budget = Sats::new(10_000_000)), (4, 0));
    assert_eq!(fills(&|rule| rule.budget = Sats::new(500_000)), (2, 3));
    assert_eq!(fills(&|rule| rule.budget = Sats::new(399_999)), (0, 5));
    assert_eq!(fills(&|rule| rule.term = Some(TermDays(30))), (0, 0));
    assert_eq!(fills(&|rule| rule.interest_min = InterestRate::from_basis_points(121)), (0, 0));
    assert_eq!(fills(&|rule| rule.from = Some(day(12))), (2, 0), "the offer of day 11 is earlier");
    assert_eq!(fills(&|rule| rule.until = Some(day(11))), (1, 0));
    assert_eq!(fills(&|rule| rule.principal = Principal::Fixed(Sats::new(1))), (0, 0));
    assert_eq!(fills(&|rule| rule.collections = ["paper-frogs".parse().unwrap()].into()), (3, 1));
}

#[test]
fn a_rule_that_names_nothing_recorded_is_refused() {
    let mut rule = half_of_floor(1);
    rule.collections = ["paper-toads".parse().unwrap()].into();
    assert!(matches!(run(&rule, &twenty_days()), Err(BacktestError::UnknownCollection(_))));
    rule = half_of_floor(1);
    rule.from = Some(day(21));
    assert!(matches!(run(&rule, &twenty_days()), Err(BacktestError::Empty)));
    assert!(matches!(run(&half_of_floor(1), &Record::default()), Err(BacktestError::Empty)));
}

#[test]
fn one_budget_serves_all_collections_in_the_order_of_time() {
    let mut record = Record { groups: vec![group(1, "paper-frogs"), group(2, "paper-toads")], ..Record::default() };
    for (number, (accepted, repaid)) in [(1, (3, 8)), (2, (2, 6))] {
        let book = BookOf(number);
        for (at, event) in [
            (0, price(1_000_000, day(0))),
            (1, book.offer(1, 1, 1, 400_000)),
            (accepted, book.reserve(u128::from(number), 1, 400_000)),
            (accepted, confirm(u128::from(number))),
            (repaid, end(u128::from(number), LoanEnd::Repaid)),
        ] {
            record.events.push((domain::GroupId(number), day(at), event));
        }
    }
    let report = run(&half_of_floor(500_000), &record).unwrap();
    let found: Vec<_> =
        report.collections.iter().map(|one| (one.group.0, one.figures.loans, one.figures.beyond_budget)).collect();
    assert_eq!(found, [(1, 0, 1), (2, 1, 0)]);
    assert_eq!(report.total.interest_sats, 20_000);
    assert_eq!(run(&half_of_floor(500_000), &record).unwrap(), report, "the same again");
    assert_eq!(run(&half_of_floor(1_000_000), &record).unwrap().total.loans, 2);
}

#[test]
fn an_extension_pays_the_interest_of_both_terms() {
    let book = BookOf(1);
    let replaced = domain::BookEvent::LoanReplaced { loan: LoanId(1), successor: LoanId(2) };
    let events = [
        (0, price(1_000_000, day(0))),
        (1, book.offer(1, 1, 0, 400_000)),
        (2, book.reserve(1, 1, 400_000)),
        (2, confirm(1)),
        (9, replaced),
        (16, end(2, LoanEnd::Repaid)),
    ];
    let group = group(1, "paper-frogs");
    let events = events.into_iter().map(|(at, event)| (group.id, day(at), event)).collect();
    let record = Record { groups: vec![group], events, deals: [(LoanId(2), deal(1, 400_000, 300, 0))].into() };
    let total = run(&half_of_floor(1_000_000), &record).unwrap().total;
    // 1.2 % and then 3 % of 500,000.
    assert_eq!((total.loans, total.interest_sats), (1, 6_000 + 15_000));
}
