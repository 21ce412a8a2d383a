//! Tests of negotiations in a market: after a restart, over time, and when both sides act at once.

use domain::{
    Allowance, BookEvent, Command, InterestRate, LoanTerms, NamedBorrower, Negotiation, NegotiationId,
    NegotiationRejection, OfferId, ProposedTerms, Rejection, Sats, SubCollectionId, Taker, TermChange, TermChangeId,
    TermDays, UserId,
};
use engine::{
    Refusal,
    clock::Clock as _,
    wire::{NegotiationStateName, NegotiationView, NoticeKind},
};

use crate::{
    actions::frog_draft,
    fixture::{FROGS, Fixture, MANUAL, until, until_read},
};

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

fn terms(principal: u64) -> ProposedTerms {
    let loan = LoanTerms { interest: InterestRate::from_basis_points(275), days: TermDays(11) };
    ProposedTerms { principal: Sats::new(principal), loan }
}

impl Fixture {
    async fn open(&self, offer: OfferId, borrower: UserId) -> Result<NegotiationId, Refusal> {
        let inscriptions = vec![domain::Inscription { txid: [9; 32], index: 1 }];
        let command = Command::NegotiateOffer {
            borrower: NamedBorrower { user: borrower, payment_address: "bc1qborrower".to_owned() },
            taker: Taker { inscriptions, ..Taker::new(borrower) },
            offer,
            quantity: None,
            terms: terms(300_000),
            good_until: self.clock.now().plus_ms(HOUR_MS),
        };
        let opened = self.submit(FROGS, command).await?;
        let id = opened.events.iter().find_map(|event| match event {
            BookEvent::NegotiationOpened { negotiation, .. } => Some(*negotiation),
            _ => None,
        });
        Ok(id.unwrap())
    }

    async fn propose(&self, user: UserId, negotiation: NegotiationId, round: usize) -> Result<(), Refusal> {
        let good_until = self.clock.now().plus_ms(HOUR_MS);
        let command = Command::Propose { user, negotiation, round, terms: terms(320_000), good_until };
        self.submit(FROGS, command).await.map(drop)
    }

    async fn accept_proposal(&self, user: UserId, negotiation: NegotiationId, round: usize) -> Result<(), Refusal> {
        let command = Command::AcceptProposal { user, negotiation, round, allowance: Allowance::default() };
        self.submit(FROGS, command).await.map(drop)
    }

    async fn end_negotiation(&self, user: UserId, negotiation: NegotiationId) -> Result<(), Refusal> {
        self.submit(FROGS, Command::EndNegotiation { user, negotiation, round: 1 }).await.map(drop)
    }

    async fn seen(&self, user: UserId) -> Vec<NegotiationView> {
        self.market.negotiations(user).await.unwrap()
    }

    async fn notice_kinds(&self, user: UserId) -> Vec<NoticeKind> {
        self.market.my_notices(user).await.unwrap().into_iter().map(|notice| notice.kind).collect()
    }
}

#[actix::test]
async fn a_restarted_market_shows_the_same_negotiations_terms_and_notices() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, 400_000).await;
    let open = fixture.open(offer, borrower).await.unwrap();
    fixture.propose(lender, open, 1).await.unwrap();
    let other = fixture.manual(lender, 450_000).await;
    let accepted = fixture.open(other, borrower).await.unwrap();
    fixture.accept_proposal(lender, accepted, 1).await.unwrap();
    let third = fixture.manual(lender, 460_000).await;
    let declined = fixture.open(third, borrower).await.unwrap();
    fixture.end_negotiation(lender, declined).await.unwrap();

    let before = (fixture.seen(lender).await, fixture.seen(borrower).await);
    let agreed = before.0[1].agreed_offer_id.unwrap().0;
    let kinds = fixture.notice_kinds(borrower).await;
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    for kind in [NoticeKind::CounterOffer, NoticeKind::CounterOfferAccepted, NoticeKind::CounterOfferDeclined] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let fixture = fixture.restarted().await;
    assert_eq!((fixture.seen(lender).await, fixture.seen(borrower).await), before);
    assert_eq!(fixture.market.loan_terms(agreed).await.unwrap(), Some(terms(0).loan));
    assert_eq!(fixture.notice_kinds(borrower).await, kinds);
}

#[actix::test]
async fn time_ends_a_proposal_and_an_agreed_offer_that_is_not_signed() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, 400_000).await;
    let open = fixture.open(offer, borrower).await.unwrap();
    fixture.clock.advance_ms(HOUR_MS);
    let refused = fixture.accept_proposal(lender, open, 1).await;
    assert!(matches!(
        refused,
        Err(Refusal::Book(Rejection::Negotiation(NegotiationRejection::Over(_) | NegotiationRejection::Unknown(_))))
    ));
    until_read("the proposal has expired", async || fixture.seen(borrower).await.is_empty()).await;

    let accepted = fixture.open(offer, borrower).await.unwrap();
    fixture.accept_proposal(lender, accepted, 1).await.unwrap();
    let seen = fixture.seen(lender).await;
    assert_eq!((seen.len(), seen[0].state), (1, NegotiationStateName::Accepted));
    let agreed = seen[0].agreed_offer_id.unwrap().0;
    fixture.clock.advance_ms(12 * HOUR_MS);
    let is_gone = async || fixture.market.offer(agreed).await.unwrap().is_none();
    until_read("the agreed offer has left the book", is_gone).await;
    until_read("its negotiation as well", async || fixture.seen(lender).await.is_empty()).await;
    assert!(fixture.market.offer(offer).await.unwrap().is_some(), "the offer that it began with stays");
}

/// One side withdraws or answers while the other one accepts: exactly one of the two happens, and an offer exists if and
/// only if the acceptance did.
#[actix::test]
async fn of_two_answers_at_once_exactly_one_counts() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    for round in 0..100_u32 {
        let offer = fixture.manual(lender, 400_000).await;
        let id = fixture.open(offer, borrower).await.unwrap();
        let accept = fixture.accept_proposal(lender, id, 1);
        let is_accepted = match round % 3 {
            0 => {
                let (accepted, ended) = tokio::join!(accept, fixture.end_negotiation(borrower, id));
                assert_ne!(accepted.is_ok(), ended.is_ok(), "round {round}");
                accepted.is_ok()
            }
            1 => {
                let (countered, accepted) = tokio::join!(fixture.propose(lender, id, 1), accept);
                assert_ne!(accepted.is_ok(), countered.is_ok(), "round {round}");
                accepted.is_ok()
            }
            _ => {
                let (one, other) = tokio::join!(accept, fixture.accept_proposal(lender, id, 1));
                assert_ne!(one.is_ok(), other.is_ok(), "round {round}");
                true
            }
        };
        let named = fixture.market.offers_for_borrower(borrower).await.unwrap();
        assert_eq!(named.len(), usize::from(is_accepted), "round {round}");
        for offer in fixture.market.my_offers(lender).await.unwrap() {
            fixture.submit(FROGS, Command::Cancel { lender, offer: offer.offer_id.0 }).await.unwrap();
        }
        fixture.clock.advance_ms(12 * HOUR_MS);
        until_read("it is over", async || fixture.seen(lender).await.is_empty()).await;
    }
}

#[actix::test]
async fn few_users_cannot_use_up_what_another_one_opens_or_receives() {
    let fixture = Fixture::new().await;
    let (lender, one) = (fixture.user(1).await, fixture.user(2).await);
    for _ in 0..Negotiation::PER_PAIR_MAX {
        let offer = fixture.manual(lender, 400_000).await;
        fixture.open(offer, one).await.unwrap();
    }
    let offer = fixture.manual(lender, 400_000).await;
    let refused = fixture.open(offer, one).await;
    let max = Negotiation::PER_PAIR_MAX;
    let is_full = |refused: &Result<NegotiationId, Refusal>, max: usize| matches!(refused, Err(Refusal::Book(Rejection::Negotiation(NegotiationRejection::TooMany { max: at }))) if *at == max);
    assert!(is_full(&refused, max), "{refused:?}");

    // Twenty accounts fill what the lender can receive, and an answer makes room.
    let full = u64::try_from(Negotiation::RECEIVED_MAX / Negotiation::PER_PAIR_MAX).unwrap();
    for account in 0..full - 1 {
        let user = fixture.user(10 + account).await;
        for offer in fixture.market.my_offers(lender).await.unwrap().iter().take(Negotiation::PER_PAIR_MAX) {
            fixture.open(offer.offer_id.0, user).await.unwrap();
        }
    }
    let honest = fixture.user(99).await;
    let refused = fixture.open(offer, honest).await;
    assert!(is_full(&refused, Negotiation::RECEIVED_MAX), "{refused:?}");
    let received = fixture.seen(lender).await;
    fixture.end_negotiation(lender, received[0].negotiation_id.0).await.unwrap();
    fixture.open(offer, honest).await.unwrap();

    // What a user has received does not limit what the user opens.
    let other = fixture.user(98).await;
    let offer = fixture.manual(other, 400_000).await;
    fixture.open(offer, lender).await.unwrap();
}

#[actix::test]
async fn agreed_terms_stay_whatever_the_collection_and_the_lender_do() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, 400_000).await;
    let id = fixture.open(offer, borrower).await.unwrap();
    fixture.accept_proposal(lender, id, 1).await.unwrap();
    let agreed = fixture.seen(lender).await[0].agreed_offer_id.unwrap().0;

    let change = TermChange {
        id: TermChangeId(1),
        interest: InterestRate::from_basis_points(900),
        term: TermDays(60),
        change_at: fixture.clock.now().plus_ms(MINUTE_MS),
    };
    let sub_collection = SubCollectionId(0);
    fixture.submit(FROGS, Command::ScheduleTermChange { sub_collection, change }).await.unwrap();
    fixture.clock.advance_ms(MINUTE_MS);
    let changed = || fixture.market.group(FROGS).unwrap().sub_collections[0].term == TermDays(60);
    until("the terms of the collection have changed", changed).await;
    assert_eq!(fixture.market.loan_terms(agreed).await.unwrap(), Some(terms(0).loan));

    let draft = frog_draft(MANUAL, 300_000);
    let edited = fixture.submit(FROGS, Command::Edit { lender, offer: agreed, draft, usable: None }).await;
    let refused = Rejection::Negotiation(NegotiationRejection::Agreed(agreed));
    assert!(matches!(edited, Err(Refusal::Book(rejection)) if rejection == refused), "{edited:?}");
}

#[actix::test]
async fn a_borrower_cannot_agree_to_what_the_lender_has_paused() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, 400_000).await;
    let id = fixture.open(offer, borrower).await.unwrap();
    fixture.propose(lender, id, 1).await.unwrap();
    fixture.submit(FROGS, Command::Pause { lender, offer }).await.unwrap();
    let refused = fixture.accept_proposal(borrower, id, 2).await;
    assert!(matches!(refused, Err(Refusal::Book(Rejection::OfferPaused(paused))) if paused == offer), "{refused:?}");
    fixture.submit(FROGS, Command::Resume { lender, offer }).await.unwrap();
    fixture.accept_proposal(borrower, id, 2).await.unwrap();
}

/// A withdrawal that crosses an answer does not decline the answer.
#[actix::test]
async fn nothing_is_declined_that_was_not_seen() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let offer = fixture.manual(lender, 400_000).await;
    let id = fixture.open(offer, borrower).await.unwrap();
    fixture.propose(lender, id, 1).await.unwrap();
    let refused = fixture.end_negotiation(borrower, id).await;
    let replaced = Rejection::Negotiation(NegotiationRejection::Replaced { id, round: 2 });
    assert!(matches!(refused, Err(Refusal::Book(rejection)) if rejection == replaced), "{refused:?}");
    assert_eq!(fixture.seen(borrower).await[0].state, NegotiationStateName::Open);
}

/// Many counter-offers do not push other notices out of the list.
#[actix::test]
async fn a_book_shows_few_notices_of_negotiations() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    for account in 0..8 {
        let offer = fixture.manual(lender, 400_000).await;
        let user = fixture.user(10 + account).await;
        fixture.open(offer, user).await.unwrap();
    }
    assert_eq!(fixture.notice_kinds(lender).await.len(), 5);
    assert_eq!(fixture.seen(lender).await.len(), 8);
}
