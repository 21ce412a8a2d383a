//! Tests of lenders' limits: budgets over several books, a day's limit, and absence.

use domain::{
    AccountRejection, BlockTime, Ending, GroupId, LendingLimits, LendingLimitsRejection, LoanId, OfferId, Outpoint,
    Sats, UserId,
};
use engine::{
    Refusal,
    clock::Clock as _,
    wire::{MyOffer, NoticeKind},
};

use crate::{
    actions::{create, frog_draft},
    fixture::{FROGS, Fixture, MANUAL, frogs_named, price, until_read},
    loans::{prepared, signed},
};

const TOADS: GroupId = GroupId(3);
const DAY_MS: u64 = 86_400_000;
const MINUTE_MS: u64 = 60_000;

impl Fixture {
    pub(crate) async fn limit(&self, lender: UserId, limits: LendingLimits) {
        self.market.set_lending_limits(lender, limits).await.unwrap();
    }

    /// A second collection with manual offers.
    pub(crate) async fn list_toads(&self) {
        self.market.list_group(frogs_named(TOADS, "Toads")).await.unwrap();
        self.market.move_price(TOADS, price(FROGS, 100), self.clock.now()).await.unwrap();
    }

    pub(crate) async fn toad(&self, lender: UserId, principal: u64) -> OfferId {
        let applied = self.submit(TOADS, create(lender, frog_draft(MANUAL, principal))).await.unwrap();
        applied.offers[0].offer_id.0
    }

    /// Prepares a loan of a whole offer.
    async fn prepare(&self, number: u8, offer: OfferId, borrower: UserId, principal: u64) -> LoanId {
        let id = LoanId(u128::from(number));
        let lender = self.market.offer(offer).await.unwrap().unwrap().lender;
        let coin = Outpoint { txid: [number; 32], vout: 0 };
        let mut event = prepared(coin, offer, MANUAL, lender, borrower, Sats::new(principal));
        if let domain::LoanEvent::SoftPrepared { expires_at, .. } = &mut event {
            *expires_at = self.clock.now().plus_ms(900_000);
        }
        self.market.prepare_loan(id, event).await.unwrap();
        id
    }

    /// The borrower signs.
    async fn accept(&self, loan: LoanId) -> Result<(), Refusal> {
        self.market.await_lender(loan, "{}".to_owned(), self.clock.now().plus_ms(43_200_000)).await.map(drop)
    }

    async fn my(&self, offer: OfferId) -> MyOffer {
        let lender = self.market.offer(offer).await.unwrap().unwrap().lender;
        let offers = self.market.my_offers(lender).await.unwrap();
        offers.into_iter().find(|own| own.offer_id.0 == offer).unwrap()
    }

    async fn is_over_limits(&self, offer: OfferId) -> bool {
        self.my(offer).await.is_paused_from_limits
    }

    async fn finish(&self, loan: LoanId) {
        let mined = BlockTime { height: 100, at: self.clock.now() };
        self.market.begin_loan(loan, signed(), None).await.unwrap();
        self.market.step_loan(loan, domain::LoanEvent::Confirmed(mined)).await.unwrap();
        self.market.finish_loan(loan, Ending::Repayment, [6; 32], mined).await.unwrap();
    }
}

#[actix::test]
async fn a_loan_takes_of_the_budget_in_every_book_and_its_repayment_gives_it_back() {
    let fixture = Fixture::new().await;
    fixture.list_toads().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    fixture.limit(lender, LendingLimits { budget: Some(Sats::new(1_000_000)), ..LendingLimits::default() }).await;
    let (frog, small) = (fixture.manual(lender, 600_000).await, fixture.manual(lender, 300_000).await);
    let toad = fixture.toad(lender, 500_000).await;
    let loan = fixture.prepare(1, frog, borrower, 600_000).await;
    assert!(!fixture.is_over_limits(toad).await, "a loan without its borrower's signature takes nothing");

    fixture.accept(loan).await.unwrap();
    until_read("the other book knows", async || fixture.is_over_limits(toad).await).await;
    assert!(!fixture.is_over_limits(small).await, "it still fits");
    let mut kinds = fixture.market.my_notices(lender).await.unwrap().into_iter().map(|notice| notice.kind);
    assert!(!kinds.any(|kind| kind == NoticeKind::OfferPaused), "the notice about the loan is enough");
    let view = fixture.market.lending_limits(lender).await.unwrap();
    assert_eq!((view.outstanding_sats, view.today_sats), (Sats::new(600_000), Sats::new(600_000)));
    let created = fixture.toad(lender, 450_000).await;
    assert!(fixture.is_over_limits(created).await, "a new offer is paused at once");

    let fixture = fixture.restarted().await;
    assert!(fixture.is_over_limits(toad).await);
    fixture.finish(loan).await;
    until_read("the repayment gave it back", async || !fixture.is_over_limits(toad).await).await;
    assert!(!fixture.is_over_limits(created).await);
    assert_eq!(fixture.market.lending_limits(lender).await.unwrap().outstanding_sats, Sats::ZERO);
}

#[actix::test]
async fn a_collection_has_a_budget_of_its_own_and_a_day_ends_at_midnight_utc() {
    let fixture = Fixture::new().await;
    fixture.list_toads().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let collection_budgets = [(FROGS, Sats::new(700_000))].into();
    fixture
        .limit(lender, LendingLimits { collection_budgets, daily: Some(Sats::new(1_000_000)), ..Default::default() })
        .await;
    let (frog, second) = (fixture.manual(lender, 600_000).await, fixture.manual(lender, 200_000).await);
    let (toad, large) = (fixture.toad(lender, 400_000).await, fixture.toad(lender, 900_000).await);
    let loan = fixture.prepare(1, frog, borrower, 600_000).await;
    fixture.accept(loan).await.unwrap();
    assert!(fixture.is_over_limits(second).await, "100,000 sats are left for frogs");
    until_read("the day's limit reached the other book", async || fixture.is_over_limits(large).await).await;
    assert!(!fixture.is_over_limits(toad).await, "400,000 sats are left today");

    fixture.finish(loan).await;
    assert!(!fixture.is_over_limits(second).await);
    assert!(fixture.is_over_limits(large).await, "a repayment gives nothing back of the day");
    fixture.clock.advance_ms(DAY_MS / 2);
    until_read("a new day began", async || !fixture.is_over_limits(large).await).await;
    assert_eq!(fixture.market.lending_limits(lender).await.unwrap().today_sats, Sats::ZERO);
}

#[actix::test]
async fn all_offers_of_a_lender_who_is_not_heard_are_paused_until_the_next_request() {
    let fixture = Fixture::new().await;
    let lender = fixture.lender(1, 900_000).await;
    let (manual, instant) = (fixture.manual(lender, 500_000).await, fixture.instant(lender, 400_000).await);
    fixture.limit(lender, LendingLimits { absence_minutes: Some(10), ..LendingLimits::default() }).await;
    let is_absent = async |fixture: &Fixture| {
        let mine = (fixture.my(manual).await, fixture.my(instant).await);
        mine.0.is_paused_from_absence && mine.1.is_paused_from_absence
    };

    fixture.clock.advance_ms(9 * MINUTE_MS);
    fixture.market.hear(lender).await;
    fixture.clock.advance_ms(9 * MINUTE_MS);
    fixture.market.hear(lender).await;
    assert!(!is_absent(&fixture).await, "heard within ten minutes, twice");
    fixture.clock.advance_ms(10 * MINUTE_MS);
    until_read("the offers are paused", async || is_absent(&fixture).await).await;
    assert!(fixture.market.lending_limits(lender).await.unwrap().is_absent);

    let fixture = fixture.restarted().await;
    assert!(is_absent(&fixture).await, "a restart does not count as a request");
    fixture.market.hear(lender).await;
    until_read("the offers are open again", async || !is_absent(&fixture).await).await;
    assert!(fixture.my(manual).await.offer_ranking.is_some());
}

#[actix::test]
async fn limits_out_of_bounds_are_refused_and_none_are_an_absence_of_limits() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let refused = async |limits: LendingLimits| fixture.market.set_lending_limits(lender, limits).await.unwrap_err();
    let zero = LendingLimits { budget: Some(Sats::new(0)), ..LendingLimits::default() };
    let range = LendingLimitsRejection::AmountOutOfRange;
    assert_eq!(refused(zero).await, Refusal::Account(AccountRejection::Limits(range)));
    let soon = LendingLimits { absence_minutes: Some(4), ..LendingLimits::default() };
    let range = LendingLimitsRejection::MinutesOutOfRange { min: 5, max: 10_080 };
    assert_eq!(refused(soon).await, Refusal::Account(AccountRejection::Limits(range)));
    let collection_budgets = [(GroupId(99), Sats::new(1))].into();
    let unknown = LendingLimits { collection_budgets, ..LendingLimits::default() };
    assert_eq!(refused(unknown).await, Refusal::UnknownGroup);

    let offer = fixture.manual(lender, 500_000).await;
    fixture.limit(lender, LendingLimits { budget: Some(Sats::new(1)), ..LendingLimits::default() }).await;
    until_read("it is paused", async || fixture.is_over_limits(offer).await).await;
    fixture.limit(lender, LendingLimits::default()).await;
    until_read("it is open again", async || !fixture.is_over_limits(offer).await).await;
}

#[actix::test]
async fn all_offers_are_paused_at_once_and_only_those_that_were_open_are_counted() {
    let fixture = Fixture::new().await;
    fixture.list_toads().await;
    let lender = fixture.lender(1, 900_000).await;
    for principal in [300_000, 400_000] {
        fixture.manual(lender, principal).await;
        fixture.toad(lender, principal).await;
    }
    let instant = fixture.instant(lender, 400_000).await;
    fixture.submit(FROGS, domain::Command::Pause { lender, offer: instant }).await.unwrap();
    assert_eq!(fixture.market.pause_all(lender, Some(TOADS)).await, Ok(2));
    assert_eq!(fixture.market.pause_all(lender, None).await, Ok(2));
    assert!(fixture.market.my_offers(lender).await.unwrap().iter().all(|offer| offer.is_paused_by_lender));
    assert_eq!(fixture.market.pause_all(lender, None).await, Ok(0));
}
