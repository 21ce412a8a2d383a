//! Tests of standing orders to refinance loans, and of notices about offers that loans could move to.

use domain::{
    BlockTime, Bundle, CollateralType, Command, DAY_MS, GroupId, InterestRate, LoanEvent, LoanId, LoanRejection,
    OfferId, Outpoint, Quantity, RefinanceOrder, Sats, TermDays, UnixMs, UserId,
};
use engine::{Refusal, clock::Clock as _, wire::NoticeKind};

use crate::{
    actions::{create, frog_draft},
    fixture::{FROGS, Fixture, MANUAL, frogs_named, price, short_delay, until, until_read},
    loans::{prepared, signed},
    notices::Listener,
};

const ID: LoanId = LoanId(7);

/// An order that an offer of 560,000 sats at the interest of the collection is within.
const ORDER: RefinanceOrder = RefinanceOrder {
    principal_min: Sats::new(550_000),
    interest_max: InterestRate::from_basis_points(100),
    term_min: TermDays(7),
    term_max: TermDays(30),
    days_before: 3,
};

impl Fixture {
    /// A loan of 600,000 sats for seven days at these basis points has begun.
    async fn running(&self, basis_points: u32) -> UserId {
        self.running_in(FROGS, basis_points).await
    }

    async fn running_in(&self, group: GroupId, basis_points: u32) -> UserId {
        let (lender, borrower) = (self.user(1).await, self.user(2).await);
        let applied = self.submit(group, create(lender, frog_draft(MANUAL, 600_000))).await.unwrap();
        let offer = applied.offers[0].offer_id.0;
        let coin = Outpoint { txid: [7; 32], vout: 0 };
        let mut event = prepared(coin, offer, MANUAL, lender, borrower, Sats::new(600_000));
        if let LoanEvent::SoftPrepared { deal, .. } = &mut event {
            deal.rate = InterestRate::from_basis_points(basis_points);
        }
        self.market.prepare_loan(ID, event).await.unwrap();
        let until = self.clock.now().plus_ms(43_200_000);
        self.market.await_lender(ID, "{}".to_owned(), until).await.unwrap();
        self.market.begin_loan(ID, signed(), None).await.unwrap();
        let mined = BlockTime { height: 100, at: self.clock.now() };
        self.market.step_loan(ID, LoanEvent::Confirmed(mined)).await.unwrap();
        borrower
    }

    async fn found(&self, borrower: UserId) -> Option<(OfferId, bool)> {
        let refinances = self.market.refinances(borrower).await.unwrap();
        refinances.first().map(|found| (found.offer_id.0, found.is_ordered))
    }

    /// The id and the time of a borrower's notice of this kind.
    async fn notice(&self, borrower: UserId, kind: NoticeKind) -> Option<(String, UnixMs)> {
        let notices = self.market.my_notices(borrower).await.unwrap();
        notices.into_iter().find(|notice| notice.kind == kind).map(|notice| (notice.id, notice.at))
    }

    async fn count(&self, borrower: UserId, kind: NoticeKind) -> usize {
        let notices = self.market.my_notices(borrower).await.unwrap();
        notices.iter().filter(|notice| notice.kind == kind).count()
    }
}

#[actix::test]
async fn a_borrower_gets_a_notice_of_a_cheaper_offer_near_the_due_date_once_a_day() {
    let fixture = Fixture::new().await;
    // The collection lends at 100 basis points, a third less than the loan's 150.
    let borrower = fixture.running(150).await;
    let lender = fixture.user(3).await;
    let (small, fitting) = (fixture.manual(lender, 500_000).await, fixture.manual(lender, 650_000).await);
    fixture.clock.advance_ms(3 * DAY_MS);
    short_delay().await;
    assert_eq!(fixture.found(borrower).await, None, "interest is due in full, so an early move saves nothing");

    fixture.clock.advance_ms(DAY_MS / 2);
    assert_eq!(fixture.found(borrower).await, Some((fitting, false)), "and not {small}, which lends less");
    let saved = fixture.market.refinances(borrower).await.unwrap().remove(0);
    assert_eq!(serde_json::to_value(&saved).unwrap()["savedPercentage"], 33.33);
    assert_eq!(saved.payout_sats, Sats::new(656_500));
    assert_eq!(fixture.found(lender).await, None);
    until_read("a notice", async || fixture.count(borrower, NoticeKind::RefinanceCheaper).await == 1).await;

    let first = fixture.notice(borrower, NoticeKind::RefinanceCheaper).await.unwrap();
    fixture.clock.advance_ms(DAY_MS / 4);
    short_delay().await;
    assert_eq!(fixture.notice(borrower, NoticeKind::RefinanceCheaper).await.unwrap(), first, "the same day");
    let fixture = fixture.restarted().await;
    until_read("it is repeated", async || fixture.notice(borrower, NoticeKind::RefinanceCheaper).await.is_some()).await;
    let repeated = fixture.notice(borrower, NoticeKind::RefinanceCheaper).await.unwrap();
    assert_eq!(repeated.0, first.0, "with the same id, by which it is delivered once");
    fixture.clock.advance_ms(DAY_MS);
    let is_next = async || fixture.notice(borrower, NoticeKind::RefinanceCheaper).await.unwrap().0 != first.0;
    until_read("the next day has its own", is_next).await;
    assert_eq!(fixture.count(borrower, NoticeKind::RefinanceCheaper).await, 1, "in place of the earlier one");
    assert_eq!(fixture.count(borrower, NoticeKind::RefinanceOrdered).await, 0, "nothing was ordered");
}

#[actix::test]
async fn an_offer_that_saves_less_than_a_tenth_is_no_alert() {
    for (basis_points, is_found) in [(111, false), (112, true)] {
        let fixture = Fixture::new().await;
        let borrower = fixture.running(basis_points).await;
        let lender = fixture.user(3).await;
        fixture.manual(lender, 650_000).await;
        fixture.clock.advance_ms(4 * DAY_MS);
        assert_eq!(fixture.found(borrower).await.is_some(), is_found, "{basis_points} against 100 basis points");
    }
}

#[actix::test]
async fn a_standing_order_waits_for_its_day_survives_a_restart_and_ends_when_withdrawn() {
    let fixture = Fixture::new().await;
    let borrower = fixture.running(100).await;
    let lender = fixture.user(3).await;
    let offer = fixture.manual(lender, 560_000).await;
    let set = async |fixture: &Fixture, by, order| fixture.market.order_refinance(by, ID, order).await;
    assert_eq!(set(&fixture, lender, Some(ORDER)).await, Err(Refusal::Loan(LoanRejection::Unknown(ID))));
    let impossible = RefinanceOrder { days_before: 0, ..ORDER };
    let refused = set(&fixture, borrower, Some(impossible)).await;
    assert_eq!(refused, Err(Refusal::Loan(LoanRejection::ImpossibleOrder)));
    set(&fixture, borrower, Some(ORDER)).await.unwrap();
    assert_eq!(fixture.found(borrower).await, None, "three days before the due date");

    let fixture = fixture.restarted().await;
    fixture.clock.advance_ms(4 * DAY_MS);
    assert_eq!(fixture.found(borrower).await, Some((offer, true)));
    until_read("a notice", async || fixture.count(borrower, NoticeKind::RefinanceOrdered).await == 1).await;
    set(&fixture, borrower, Some(RefinanceOrder { principal_min: Sats::new(560_001), ..ORDER })).await.unwrap();
    assert_eq!(fixture.found(borrower).await, None, "the offer lends less");
    set(&fixture, borrower, Some(ORDER)).await.unwrap();
    set(&fixture, borrower, None).await.unwrap();
    set(&fixture, borrower, None).await.unwrap();
    assert_eq!(fixture.found(borrower).await, None);
    let view = fixture.market.my_loan(borrower, ID).await.unwrap();
    assert!(view.refinance_order.is_none());
}

#[actix::test]
async fn an_order_is_searched_first_and_a_cheaper_offer_otherwise() {
    let fixture = Fixture::new().await;
    let borrower = fixture.running(150).await;
    let lender = fixture.user(3).await;
    let (larger, smaller) = (fixture.manual(lender, 650_000).await, fixture.manual(lender, 560_000).await);
    fixture.clock.advance_ms(4 * DAY_MS);
    assert_eq!(fixture.found(borrower).await, Some((larger, false)));
    fixture.market.order_refinance(borrower, ID, Some(ORDER)).await.unwrap();
    assert_eq!(fixture.found(borrower).await, Some((larger, true)));
    fixture.submit(FROGS, Command::Cancel { lender, offer: larger }).await.unwrap();
    assert_eq!(fixture.found(borrower).await, Some((smaller, true)), "it lends less than the loan, as was ordered");
    fixture.market.order_refinance(borrower, ID, None).await.unwrap();
    assert_eq!(fixture.found(borrower).await, None);
}

#[actix::test]
async fn a_lender_sees_nothing_of_a_standing_order() {
    let fixture = Fixture::new().await;
    let borrower = fixture.running(100).await;
    let lender = fixture.user(1).await;
    let (mut other, mut own) = (Listener::of(&fixture, lender).await, Listener::of(&fixture, borrower).await);
    let before = (other.raw.len(), own.raw.len());
    fixture.market.order_refinance(borrower, ID, Some(ORDER)).await.unwrap();
    fixture.market.order_refinance(borrower, ID, None).await.unwrap();
    until("the borrower's channel has the order", || {
        own.read();
        own.raw.len() > before.1
    })
    .await;
    short_delay().await;
    other.read();
    assert_eq!(other.raw.len(), before.0, "{}", other.raw);
}

#[actix::test]
async fn a_borrower_cannot_order_for_a_loan_that_is_being_repaid_and_own_offers_are_none() {
    let fixture = Fixture::new().await;
    let borrower = fixture.running(100).await;
    let applied = fixture.submit(FROGS, create(borrower, frog_draft(MANUAL, 600_000))).await.unwrap();
    fixture.market.order_refinance(borrower, ID, Some(ORDER)).await.unwrap();
    fixture.clock.advance_ms(5 * DAY_MS);
    assert_eq!(fixture.found(borrower).await, None, "not {}", applied.offers[0].offer_id.0);
    let ending = domain::Ending::Repayment;
    let signed = LoanEvent::EndingSigned { ending, txid: [8; 32], transaction: "t".to_owned() };
    fixture.market.step_loan(ID, signed).await.unwrap();
    let refused = fixture.market.order_refinance(borrower, ID, None).await;
    assert!(matches!(refused, Err(Refusal::Loan(LoanRejection::WrongStage { .. }))), "{refused:?}");
}

#[actix::test]
async fn a_brc20_loan_has_no_order_and_no_alert() {
    const TOKENS: GroupId = GroupId(4);
    let fixture = Fixture::new().await;
    let mut tokens = frogs_named(TOKENS, "Tokens");
    tokens.collateral = CollateralType::Brc20 { ticker: "abcd".into(), decimals: 0 };
    for sub in &mut tokens.sub_collections {
        sub.bundle = Bundle::Fixed(Quantity::tokens(1, 0));
    }
    fixture.market.list_group(tokens).await.unwrap();
    fixture.market.move_price(TOKENS, price(FROGS, 100), fixture.clock.now()).await.unwrap();
    let borrower = fixture.running_in(TOKENS, 150).await;
    let lender = fixture.user(3).await;
    fixture.submit(TOKENS, create(lender, frog_draft(MANUAL, 650_000))).await.unwrap();
    fixture.clock.advance_ms(4 * DAY_MS);
    let refused = fixture.market.order_refinance(borrower, ID, Some(ORDER)).await;
    assert_eq!(refused, Err(Refusal::Loan(LoanRejection::NotReplaceable(ID))));
    assert_eq!(fixture.found(borrower).await, None, "its transfer inscription is consumed by its first move");
}
