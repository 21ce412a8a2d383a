//! Tests of extensions on terms that lender and borrower negotiated.

use domain::{
    Allowance, BookEvent, Command, InterestRate, LoanId, LoanStage, LoanTerms, NamedBorrower, NegotiationId,
    NegotiationRejection, ProposedTerms, Rejection, Sats, TermDays, UserId,
};
use engine::{Refusal, wire::NegotiationStateName};
use lending::ending::extend::ExtensionRequest;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::kit::groups::FROGS;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// An interest and a term that the collection does not have.
const fn terms(interest: u32, days: u16) -> ProposedTerms {
    let loan = LoanTerms { interest: InterestRate::from_basis_points(interest), days: TermDays(days) };
    ProposedTerms { principal: PRINCIPAL, loan }
}

impl Fixture {
    async fn on_book(&self, command: Command) -> Result<Vec<BookEvent>, Refusal> {
        let applied = self.world.service.market.command(FROGS, command, None).await?;
        Ok(applied.events)
    }

    async fn open(&self, user: UserId, loan: LoanId, terms: ProposedTerms) -> Result<NegotiationId, Refusal> {
        let pledged = self.loan(loan).await.deal.pledged_ids;
        let inscriptions = pledged.iter().map(|id| id.parse::<engine::asset_index::InscriptionId>().unwrap().into());
        let command = Command::NegotiateLoan {
            user,
            loan,
            borrower: NamedBorrower { user: self.borrower.user, payment_address: "bcrt1qborrower".to_owned() },
            inscriptions: inscriptions.collect(),
            terms,
            good_until: self.world.service.market.now().plus_ms(12 * HOUR_MS),
        };
        let opened = self.on_book(command).await?;
        let id = opened.iter().find_map(|event| match event {
            BookEvent::NegotiationOpened { negotiation, .. } => Some(*negotiation),
            _ => None,
        });
        Ok(id.unwrap())
    }

    async fn counter(&self, user: UserId, negotiation: NegotiationId, round: usize, terms: ProposedTerms) {
        let good_until = self.world.service.market.now().plus_ms(HOUR_MS);
        self.on_book(Command::Propose { user, negotiation, round, terms, good_until }).await.unwrap();
    }

    async fn agree(&self, user: UserId, negotiation: NegotiationId, round: usize) -> Result<(), Refusal> {
        let allowance = Allowance::default();
        self.on_book(Command::AcceptProposal { user, negotiation, round, allowance }).await.map(drop)
    }

    async fn state_of(&self, user: UserId, id: NegotiationId) -> Option<NegotiationStateName> {
        self.world.service.market.negotiation(user, id).await.unwrap().map(|known| known.state)
    }

    fn agreed_request(&self, loan: LoanId, days: u16, agreed_in: NegotiationId) -> ExtensionRequest {
        ExtensionRequest { agreed_in: Some(agreed_in), ..self.extension_request(loan, days) }
    }
}

#[actix::test]
async fn an_extension_has_the_interest_and_the_term_that_both_sides_agreed_on() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let (lender, borrower, service) = (fixture.lender.user, fixture.borrower.user, &fixture.world.service);
    let id = fixture.open(borrower, old, terms(150, 21)).await.unwrap();
    fixture.counter(lender, id, 1, terms(225, 17)).await;
    let early = service.prepare_extension(&fixture.agreed_request(old, 17, id)).await.unwrap_err();
    let unknown = Rejection::Negotiation(NegotiationRejection::Unknown(id));
    assert!(matches!(early, LoanServiceError::Market(Refusal::Book(refused)) if refused == unknown), "not agreed yet");
    fixture.agree(borrower, id, 2).await.unwrap();
    for user in [lender, borrower] {
        assert_eq!(fixture.state_of(user, id).await, Some(NegotiationStateName::Accepted));
    }
    let other_term = service.prepare_extension(&fixture.agreed_request(old, 21, id)).await.unwrap_err();
    assert!(matches!(other_term, LoanServiceError::NoSuchTerm(TermDays(21))), "{other_term}");

    let request = fixture.agreed_request(old, 17, id);
    let prepared = service.prepare_extension(&request).await.unwrap();
    assert_eq!(service.prepare_extension(&request).await.unwrap(), prepared, "the same request gives the same answer");
    let interest = InterestRate::from_basis_points(225).of(PRINCIPAL).unwrap();
    assert_eq!((prepared.deal.terms(), prepared.deal.interest), (terms(225, 17).loan, interest));
    let due = fixture.loan(old).await.due_at().unwrap().plus_ms(17 * DAY_MS);
    assert_eq!(prepared.due_at, due);
    // The collection's terms for as many days are another request.
    let agreed_week = fixture.open(borrower, old, terms(333, 7)).await.unwrap();
    fixture.agree(lender, agreed_week, 1).await.unwrap();
    let dear = service.prepare_extension(&fixture.agreed_request(old, 7, agreed_week)).await.unwrap();
    let usual = service.prepare_extension(&fixture.extension_request(old, 7)).await.unwrap();
    assert_eq!((dear.deal.rate.basis_points(), usual.deal.rate), (333, fixture.loan(old).await.deal.rate));
    let again = service.prepare_extension(&fixture.agreed_request(old, 7, agreed_week)).await.unwrap();
    assert_eq!(again.deal.terms(), dear.deal.terms());

    let prepared = service.prepare_extension(&request).await.unwrap();
    fixture.accept(&prepared.unsigned).await;
    let new = prepared.unsigned.loan;
    fixture.countersign(new).await;
    fixture.block().await;
    assert_eq!((fixture.stage(old).await, fixture.stage(new).await), (LoanStage::Repaid, LoanStage::Active));
    let paid = fixture.lender.payment_balance(&fixture.world).await;
    fixture.repay(&[new]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(new).await, LoanStage::Repaid);
    let payout = PRINCIPAL.checked_add(interest).unwrap();
    assert_eq!(fixture.lender.payment_balance(&fixture.world).await, paid + payout.get());
}

#[actix::test]
async fn an_agreement_ends_with_the_time_to_sign_and_a_negotiation_with_its_loan() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let (lender, borrower, service) = (fixture.lender.user, fixture.borrower.user, &fixture.world.service);
    let agreed = fixture.open(lender, old, terms(100, 3)).await.unwrap();
    let both = fixture.open(borrower, old, terms(90, 3)).await.unwrap_err();
    let known = Rejection::Negotiation(NegotiationRejection::AlreadyOpen(agreed));
    assert!(matches!(both, Refusal::Book(refused) if refused == known), "one at a time for both sides");
    fixture.agree(borrower, agreed, 1).await.unwrap();
    let twice = fixture.agree(borrower, agreed, 1).await.unwrap_err();
    let over = Rejection::Negotiation(NegotiationRejection::Over(agreed));
    assert!(matches!(twice, Refusal::Book(refused) if refused == over));

    let still = service.prepare_extension(&fixture.agreed_request(old, 3, agreed)).await.unwrap();
    service.withdraw(borrower, still.unsigned.loan).await.unwrap();
    fixture.world.pass(12 * 3_600);
    let late = service.prepare_extension(&fixture.agreed_request(old, 3, agreed)).await.unwrap_err();
    let gone = Rejection::Negotiation(NegotiationRejection::Unknown(agreed));
    assert!(matches!(late, LoanServiceError::Market(Refusal::Book(refused)) if refused == gone), "the time is over");

    let next = fixture.open(borrower, old, terms(80, 5)).await.unwrap();
    fixture.repay(&[old]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(old).await, LoanStage::Repaid);
    assert_eq!(fixture.state_of(lender, next).await, Some(NegotiationStateName::Closed));
}

#[actix::test]
async fn negotiations_about_loans_are_refused_by_name() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let other_user = fixture.world.person(103).await.user;
    let (borrower, service, week) = (fixture.borrower.user, &fixture.world.service, TermDays(7));
    assert!(matches!(service.extendable_loan(other_user, old, week).await, Err(LoanServiceError::UnknownLoan(_))));
    for user in [borrower, fixture.lender.user] {
        assert_eq!(service.extendable_loan(user, old, week).await.unwrap().id, old);
    }
    let refused = async |user: UserId, loan: LoanId, terms: ProposedTerms| match fixture.open(user, loan, terms).await {
        Err(Refusal::Book(rejection)) => rejection,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(other_user, old, terms(100, 3)).await, Rejection::UnknownLoan(old));
    let more = ProposedTerms { principal: Sats::new(PRINCIPAL.get() + 1), ..terms(100, 3) };
    let fixed = NegotiationRejection::PrincipalChanged { principal: PRINCIPAL };
    assert_eq!(refused(borrower, old, more).await, Rejection::Negotiation(fixed));
    for (terms, name) in [(terms(0, 3), "InterestOutOfRange"), (terms(100, 0), "TermOutOfRange")] {
        let refused = format!("{:?}", refused(borrower, old, terms).await);
        assert!(refused.contains(name), "{refused}");
    }

    fixture.vault(&[3_000_000]).await;
    let (instant, _) = fixture.lent().await;
    let refused = service.extendable_loan(borrower, instant, week).await;
    assert!(matches!(refused, Err(LoanServiceError::NotExtendable(id)) if id == instant));
}
