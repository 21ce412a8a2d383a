//! Tests of users' loan lists, compared with a scan of all loans.

use std::{cmp::Reverse, time::Instant};

use domain::{LoanAccount, LoanId, LoanStage, LoanTotals, Role, UserId};
use engine::{LoanCursor, LoanFilter, LoanList, SignedLoan, clock::Clock, wire::LoanView};

use crate::{
    fixture::{FROGS, Fixture, GOLD, short_delay},
    random_loans::RandomLoans,
};

/// All pages of a list, each checked for its length.
async fn all(fixture: &Fixture, user: UserId, filter: &LoanFilter, count: usize) -> Vec<LoanView> {
    let (mut loans, mut after) = (Vec::new(), None);
    loop {
        let page = fixture.market.my_loans(user, filter, after, count).await.unwrap();
        assert!(page.items.len() <= count);
        loans.extend(page.items);
        assert!(page.next.is_none() || page.next != after, "the next page begins at the same place");
        after = page.next;
        if after.is_none() {
            return loans;
        }
    }
}

/// The expected ids, from a scan of all loans.
fn expected(loans: &[LoanAccount], user: UserId, filter: &LoanFilter, now: domain::UnixMs) -> Vec<LoanId> {
    let time = |loan: &LoanAccount| if filter.list == LoanList::Ended { loan.updated_at } else { loan.prepared_at };
    let is_wanted = |loan: &&LoanAccount| {
        let role = if loan.deal.borrower == user { Role::Borrower } else { Role::Lender };
        let is_known = role == Role::Borrower || loan.accepted_at.is_some();
        let is_listed = match filter.list {
            LoanList::All => true,
            LoanList::Open => !loan.stage.is_over(),
            LoanList::Ended => loan.stage.is_over(),
        };
        is_known
            && is_listed
            && filter.role.is_none_or(|wanted| wanted == role)
            && (filter.stages.is_empty() || filter.stages.contains(&loan.stage))
            && filter.group.is_none_or(|group| group == loan.deal.group())
            && time(loan) >= filter.from
            && filter.to.is_none_or(|to| time(loan) < to)
            && (!filter.is_waiting || loan.summary().pending_action(role, now).is_some())
    };
    let mut wanted: Vec<&LoanAccount> = loans.iter().filter(is_wanted).collect();
    wanted.sort_by_key(|loan| Reverse(LoanCursor { at: time(loan), loan: loan.id }));
    wanted.into_iter().map(|loan| loan.id).collect()
}

fn filters(fixture: &Fixture) -> Vec<LoanFilter> {
    let now = fixture.clock.now();
    let ago = |ms: u64| domain::UnixMs(now.0.saturating_sub(ms));
    let shelves = [LoanList::All, LoanList::Open, LoanList::Ended];
    let mut filters: Vec<LoanFilter> = shelves.into_iter().map(LoanFilter::of).collect();
    for shelf in shelves {
        let of = || LoanFilter::of(shelf);
        filters.extend([
            LoanFilter { role: Some(Role::Lender), ..of() },
            LoanFilter { stages: vec![LoanStage::Active, LoanStage::Repaid], ..of() },
            LoanFilter { group: Some(FROGS), from: ago(90_000_000), ..of() },
            LoanFilter { group: Some(GOLD), ..of() },
            LoanFilter { to: Some(ago(60_000_000)), ..of() },
            LoanFilter { from: ago(120_000_000), to: Some(ago(30_000_000)), ..of() },
            LoanFilter { is_waiting: true, ..of() },
        ]);
    }
    filters
}

/// Waits until expired loans have lapsed, which happens in the background.
async fn settle(fixture: &Fixture, users: &[UserId]) {
    let now = fixture.clock.now();
    let is_late = |loan: &LoanAccount| {
        matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender) && loan.expires_at <= now
    };
    for user in users {
        for _ in 0..10 {
            if !fixture.market.loans_of(*user).await.iter().any(is_late) {
                break;
            }
            short_delay().await;
        }
    }
}

async fn check(fixture: &Fixture, users: &[UserId], seed: u64) {
    let now = fixture.clock.now();
    settle(fixture, users).await;
    for user in users {
        let loans = fixture.market.loans_of(*user).await;
        for filter in filters(fixture) {
            let wanted = expected(&loans, *user, &filter, now);
            for count in [1, 3, 1_000] {
                let shown: Vec<LoanId> =
                    all(fixture, *user, &filter, count).await.iter().map(|loan| loan.loan_id.0).collect();
                assert_eq!(shown, wanted, "seed {seed}, {filter:?}, {count} a page");
            }
        }
        let (mut lender, mut borrower) = (LoanTotals::default(), LoanTotals::default());
        let mut points = 0;
        for loan in &loans {
            let Some(role) = loan.role_of(*user) else { continue };
            points += loan.summary().points(role, 0).get();
            if role == Role::Lender { lender.add(&loan.summary(), now) } else { borrower.add(&loan.summary(), now) }
        }
        let portfolio = fixture.market.my_portfolio(*user).await.unwrap();
        assert_eq!((portfolio.as_lender, portfolio.as_borrower), (lender.into(), borrower.into()), "seed {seed}");
        assert_eq!(fixture.market.my_points(*user).await.unwrap().total, points, "seed {seed}");
        for view in all(fixture, *user, &LoanFilter::of(LoanList::All), 100).await {
            let text = serde_json::to_string(&view).unwrap();
            assert!(!text.contains("secret"), "{text}");
            assert_eq!(fixture.market.my_loan(*user, view.loan_id.0).await, Some(view));
        }
    }
}

#[actix::test]
async fn lists_and_sums_are_those_of_all_loans_also_after_a_restart() {
    for seed in [1, 2, 3] {
        println!("seed {seed}");
        let fixture = Fixture::new().await;
        let mut random_loans = RandomLoans::new(&fixture, seed, 3).await;
        for step in 0..150 {
            random_loans.random_step(&fixture).await;
            if step % 50 == 49 {
                check(&fixture, &random_loans.users, seed).await;
            }
        }
        let fixture = fixture.restarted().await;
        check(&fixture, &random_loans.users, seed).await;
        fixture.market.stop().await;
    }
}

#[actix::test]
async fn loans_are_hidden_from_other_users() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 4, 2).await;
    let other_user = fixture.user(9).await;
    for _ in 0..20 {
        random_loans.random_step(&fixture).await;
    }
    for loan in &random_loans.loans {
        assert_eq!(fixture.market.my_loan(other_user, *loan).await, None);
    }
    assert!(all(&fixture, other_user, &LoanFilter::of(LoanList::All), 10).await.is_empty());
    assert_eq!(fixture.market.my_portfolio(other_user).await.unwrap(), engine::wire::PortfolioView::default());
    assert!(fixture.market.my_notices(other_user).await.unwrap().is_empty());
}

/// Also prints the time that lists take: `cargo nextest run -p engine --test market long_lists --no-capture`.
#[actix::test]
async fn long_lists_are_paginated_without_blocking_the_market() {
    const COUNT: usize = 10_000;
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 5, 2).await;
    let (lender, borrower) = (random_loans.users[0], random_loans.users[1]);
    for _ in 0..COUNT {
        let id = random_loans.prepare_for(&fixture, lender, borrower).await;
        fixture.market.await_lender(id, "secret".to_owned(), fixture.clock.now().plus_ms(43_200_000)).await.unwrap();
        let signed = SignedLoan { txid: [5; 32], running: "secret".to_owned(), vault: None, ends: None };
        fixture.market.begin_loan(id, signed, None).await.unwrap();
        fixture.market.fail_loan(id).await.unwrap();
        fixture.clock.advance_ms(1);
    }
    let began = Instant::now();
    let loans = all(&fixture, lender, &LoanFilter::of(LoanList::All), 200).await;
    assert_eq!(loans.len(), COUNT);
    println!("{COUNT} loans in pages of 200: {:?}", began.elapsed());
    let began = Instant::now();
    fixture.market.my_portfolio(lender).await.unwrap();
    println!("{COUNT} loans summed up: {:?}", began.elapsed());
    let began = Instant::now();
    let notices = fixture.market.my_notices(lender).await.unwrap();
    println!("the latest {} notices of {COUNT} loans: {:?}", notices.len(), began.elapsed());
    assert_eq!(notices.len(), 100);
    assert!(notices.is_sorted_by(|one, other| one.at >= other.at));
}
