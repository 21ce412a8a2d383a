//! Tests of backtests: a book keeps what they need, over a restart too.

use std::collections::BTreeSet;

use backtest::{FilledLoanEnd, Principal, Report, Rule};
use domain::{InterestRate, LoanEnd, LoanId, ProcessType, Sats, TermDays};
use engine::Refusal;

use crate::fixture::{FROGS, Fixture, GOLD, NOON};

fn rule(principal: u64) -> Rule {
    Rule {
        principal: Principal::Fixed(Sats::new(principal)),
        process: ProcessType::Instant,
        budget: Sats::new(2_000_000),
        interest_min: InterestRate::from_basis_points(0),
        term: Some(TermDays(7)),
        collections: BTreeSet::new(),
        from: Some(NOON),
        until: None,
    }
}

fn summary(report: &Report) -> (u64, u64, u64, Vec<FilledLoanEnd>) {
    let total = report.total;
    (total.loans, total.lent_sats, total.defaults.count, report.loans.iter().map(|loan| loan.end).collect())
}

#[actix::test]
async fn an_offer_would_have_had_the_loans_that_it_outranks() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.lender(1, 3_000_000).await, fixture.user(2).await);
    for (number, end) in [(1, Some(LoanEnd::Repaid)), (2, Some(LoanEnd::Claimed)), (3, None)] {
        let offer = fixture.instant(lender, 500_000).await;
        let reservation = fixture.reserve(number, offer, borrower).await.unwrap();
        let loan = LoanId(u128::from(number));
        fixture.market.confirm(FROGS, reservation, loan, None).await.unwrap();
        fixture.clock.advance_ms(3_600_000);
        if let Some(end) = end {
            fixture.market.end_loan(FROGS, loan, end).await.unwrap();
        }
    }
    let better = fixture.market.backtest(FROGS, &rule(500_001)).await.unwrap();
    let ends = vec![FilledLoanEnd::Repaid, FilledLoanEnd::Claimed, FilledLoanEnd::Running];
    assert_eq!(summary(&better), (3, 1_500_003, 1, ends));
    let worse = fixture.market.backtest(FROGS, &rule(499_999)).await.unwrap();
    assert_eq!(summary(&worse), (0, 0, 0, Vec::new()));
    assert_eq!(fixture.market.backtest(GOLD, &rule(500_001)).await.unwrap().total.loans, 0);
    assert_eq!(fixture.market.backtest(domain::GroupId(99), &rule(1)).await, Err(Refusal::UnknownGroup));

    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.backtest(FROGS, &rule(500_001)).await.unwrap(), better);
}
