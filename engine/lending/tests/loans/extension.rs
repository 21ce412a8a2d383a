//! Tests of extensions that the borrower requests and the lender agrees to.

use bitcoin::{FeeRate, OutPoint};
use domain::{Ending, LoanId, LoanStage, Sats, TermDays, UnixMs};
use engine::Refusal;
use lending::ending::extend::{ExtensionRequest, UnsignedExtension};
use lending::lookups::confirmations::SETTLEMENT_CONFIRMATIONS;
use lending::origination::countersign::Countersigned;
use lending::records::running_record::Running;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL, rate};
use crate::kit::groups::{FROGS, GOLD};
use crate::runes::{SUPPLY, gold_rune};

/// The interest of [`PRINCIPAL`] for a week, and for thirty days.
const WEEK: Sats = Sats::new(12_000);
const MONTH: Sats = Sats::new(18_000);
const DAY_MS: u64 = 86_400_000;

impl Fixture {
    pub(crate) fn extension_request(&self, loan: LoanId, days: u16) -> ExtensionRequest {
        ExtensionRequest {
            borrower: self.borrower.user,
            loan,
            days: TermDays(days),
            agreed_in: None,
            fee_rate: rate(),
            is_hardware_wallet: false,
        }
    }

    /// An extension that the borrower requested and signed.
    pub(crate) async fn requested_extension(&self, loan: LoanId, days: u16) -> UnsignedExtension {
        let prepared = self.world.service.prepare_extension(&self.extension_request(loan, days)).await.unwrap();
        self.accept(&prepared.unsigned).await;
        prepared
    }

    /// The same, counter-signed and waiting for confirmation.
    pub(crate) async fn countersigned_extension(&self, loan: LoanId, days: u16) -> LoanId {
        let id = self.requested_extension(loan, days).await.unsigned.loan;
        self.countersign(id).await;
        id
    }

    /// The same, confirmed.
    pub(crate) async fn extended(&self, loan: LoanId, days: u16) -> LoanId {
        let id = self.countersigned_extension(loan, days).await;
        self.block().await;
        assert_eq!((self.stage(loan).await, self.stage(id).await), (LoanStage::Repaid, LoanStage::Active));
        id
    }

    /// A refused request, which must leave nothing behind.
    async fn not_extended(&self, request: &ExtensionRequest) -> LoanServiceError {
        let before = self.world.journal.batches().len();
        let error = self.world.service.prepare_extension(request).await.unwrap_err();
        assert_eq!(self.world.journal.batches().len(), before, "{error}");
        error
    }

    /// The inputs of a loan's transaction besides the escrow: padding coins, and coins of the borrower.
    pub(crate) async fn spent_beside_escrow(&self, id: LoanId) -> Vec<OutPoint> {
        let account = self.loan(id).await;
        let contract = lending::records::contract::Contract::from_record(&account.contract).unwrap();
        let mut promised = contract.reserved_outputs();
        promised.retain(|spent| *spent != contract.pledged.replaced_kit().unwrap().record().loan.outpoint);
        promised
    }

    pub(crate) async fn book_loans(&self) -> Vec<LoanId> {
        self.world.service.market.book(FROGS).await.unwrap().loans.iter().map(|loan| loan.id.0).collect()
    }

    /// Asserts that the loan runs on as if no extension had been requested, and can be extended and repaid.
    async fn runs_on(&self, old: LoanId, why: &str) {
        assert_eq!((self.stage(old).await, self.book_loans().await), (LoanStage::Active, vec![old]), "{why}");
        let again = self.world.service.prepare_extension(&self.extension_request(old, 7)).await.unwrap();
        self.world.service.withdraw(self.borrower.user, again.unsigned.loan).await.unwrap();
        self.repay(&[old]).await;
        self.block().await;
        assert_eq!((self.stage(old).await, self.book_loans().await), (LoanStage::Repaid, vec![]), "{why}");
    }
}

#[actix::test]
async fn an_extension_moves_a_loan_to_a_new_escrow_for_the_current_terms_interest() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let (service, before) = (&fixture.world.service, fixture.loan(old).await);
    let (old_kit, lenders) =
        (service.kit(fixture.borrower.user, old).await.unwrap(), fixture.lender.payment_balance(&fixture.world).await);
    let request = fixture.extension_request(old, 30);
    let prepared = service.prepare_extension(&request).await.unwrap();
    assert_eq!(service.prepare_extension(&request).await.unwrap(), prepared, "the same request gives the same answer");
    let new = prepared.unsigned.loan;
    assert_eq!((prepared.interest_now, prepared.deal.interest, prepared.deal.platform_fee), (WEEK, MONTH, Sats::ZERO));
    let due = UnixMs(before.due_at().unwrap().0 + 30 * DAY_MS);
    assert_eq!((prepared.due_at, prepared.deal.claim_after.0), (due, due.0 + DAY_MS));
    let txid = fixture.accept(&prepared.unsigned).await;
    assert_eq!(fixture.accept(&prepared.unsigned).await, txid, "and the same signatures");
    assert_eq!((fixture.stage(new).await, fixture.stage(old).await), (LoanStage::AwaitingLender, LoanStage::Active));
    let countersigned = fixture.countersigned(new).await;
    for _ in 0..2 {
        assert_eq!(service.countersign(fixture.lender.user, new, &countersigned).await.unwrap(), txid);
    }
    assert_eq!((fixture.stage(new).await, fixture.stage(old).await), (LoanStage::Broadcast, LoanStage::Repaying));
    assert_eq!((fixture.world.chain.mempool_txids(), fixture.book_loans().await), (vec![txid], vec![new]));
    fixture.world.pass(3_600);
    fixture.block().await;
    let (ended, originated) = (fixture.loan(old).await, fixture.loan(new).await);
    assert_eq!((ended.stage, ended.end.as_ref().unwrap().ending), (LoanStage::Repaid, Ending::Extension(new)));
    assert_eq!(
        (originated.stage, originated.due_at(), originated.deal.follows),
        (LoanStage::Active, Some(due), Some(old))
    );
    assert_eq!(fixture.lender.payment_balance(&fixture.world).await, lenders + WEEK.get());
    assert_eq!(fixture.book_loans().await, [new]);
    let kit = service.kit(fixture.borrower.user, new).await.unwrap();
    assert_ne!(kit, old_kit);
    for kit in [service.kit(fixture.borrower.user, old).await, service.kit(fixture.lender.user, old).await] {
        assert!(matches!(kit, Err(LoanServiceError::Replaced(follower)) if follower == new));
    }
    let late = service.prepare_repayment(fixture.borrower.user, &[old], rate()).await.unwrap_err();
    assert!(matches!(late, LoanServiceError::Replaced(follower) if follower == new), "{late}");
    let late = service.prepare_claim(fixture.lender.user, old, rate()).await.unwrap_err();
    assert!(matches!(late, LoanServiceError::Replaced(follower) if follower == new), "{late}");
    fixture.repay(&[new]).await;
    fixture.block().await;
    assert_eq!((fixture.stage(new).await, fixture.book_loans().await), (LoanStage::Repaid, vec![]));
    assert_eq!(
        fixture.lender.payment_balance(&fixture.world).await,
        lenders + WEEK.get() + MONTH.get() + PRINCIPAL.get()
    );
    assert!(fixture.owns(&fixture.borrower, originated.deal.pledged_ids.first().unwrap().parse().unwrap()).await);
    for _ in 1..SETTLEMENT_CONFIRMATIONS {
        fixture.block().await;
    }
    assert_eq!(service.market.watched_loans().await, [], "both are settled");
}

#[actix::test]
async fn extended_runes_are_claimed_without_a_repayment() {
    let (fixture, gold, _) = gold_rune().await;
    let offer = fixture.offer_of(GOLD, 1, Sats::new(400_000)).await;
    let handout = fixture.world.service.prepare(&fixture.request(offer, None)).await.unwrap();
    fixture.accept(&handout).await;
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    let pledged = fixture.loan(handout.loan).await.deal.pledged_raw;
    let first = fixture.extended(handout.loan, 14).await;
    let second = fixture.extended(first, 14).await;
    assert_eq!(fixture.runes_of(&fixture.borrower, gold).await, SUPPLY - pledged);
    let due = fixture.loan(second).await.due_at().unwrap();
    assert!(due.0 - fixture.world.service.market.now().0 > 41 * DAY_MS, "three terms");
    fixture.pass_days(41).await;
    assert_eq!(fixture.stage(second).await, LoanStage::Active);
    fixture.pass_days(3).await;
    assert_eq!(fixture.stage(second).await, LoanStage::Expired);
    fixture.claim(second).await;
    fixture.block().await;
    assert_eq!(fixture.stage(second).await, LoanStage::Claimed);
    assert_eq!(fixture.runes_of(&fixture.lender, gold).await, pledged);
    assert_eq!(fixture.world.chain.rune_supply(gold).unwrap().burned, 0);
}

#[actix::test]
async fn an_expired_loan_can_be_extended_and_then_replaced() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    fixture.world.pass(7 * 86_400 + 3_600);
    fixture.block().await;
    assert_eq!(fixture.stage(old).await, LoanStage::Expired);
    let new = fixture.extended(old, 7).await;
    let fixture = fixture.with_lender(2).await;
    let offer = fixture.offer(FROGS, 1).await;
    let request =
        lending::origination::loan_request::LoanRequest { refinances: Some(new), ..fixture.request(offer, None) };
    let handout = fixture.world.service.prepare(&request).await.unwrap();
    fixture.accept(&handout).await;
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    assert_eq!((fixture.stage(new).await, fixture.stage(handout.loan).await), (LoanStage::Repaid, LoanStage::Active));
}

#[actix::test]
async fn the_lender_never_receives_the_borrowers_signature_of_an_extension() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let prepared = fixture.requested_extension(old, 7).await;
    let lenders = fixture.world.service.prepare_countersign(fixture.lender.user, prepared.unsigned.loan).await.unwrap();
    let psbt: bitcoin::Psbt = lenders.origination.transactions[0].base64.parse().unwrap();
    for input in &psbt.inputs {
        assert!(input.partial_sigs.is_empty() && input.tap_script_sigs.is_empty() && input.tap_key_sig.is_none());
        assert!(input.final_script_witness.is_none());
    }
    // Only the escrow's input is the lender's to sign.
    let sides = &lenders.origination.transactions[0].sides;
    assert_eq!(sides.iter().map(|side| side.index).collect::<Vec<_>>(), [2]);
}

#[actix::test]
async fn extensions_are_refused_by_name() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let request = fixture.extension_request(old, 7);
    let other_user = ExtensionRequest { borrower: fixture.world.person(103).await.user, ..request.clone() };
    assert!(matches!(fixture.not_extended(&other_user).await, LoanServiceError::UnknownLoan(id) if id == old));
    let own = ExtensionRequest { borrower: fixture.lender.user, ..request.clone() };
    assert!(matches!(fixture.not_extended(&own).await, LoanServiceError::UnknownLoan(id) if id == old));
    let none = fixture.extension_request(old, 8);
    assert!(matches!(fixture.not_extended(&none).await, LoanServiceError::NoSuchTerm(TermDays(8))));
    let hard = ExtensionRequest { is_hardware_wallet: true, ..request.clone() };
    assert!(matches!(fixture.not_extended(&hard).await, LoanServiceError::HardwareWallet));
    let expensive = ExtensionRequest { fee_rate: FeeRate::from_sat_per_vb_u32(501), ..request.clone() };
    assert!(matches!(fixture.not_extended(&expensive).await, LoanServiceError::FeeRate { .. }));
    let id = fixture.requested_extension(old, 7).await.unsigned.loan;
    let error = fixture.not_extended(&request).await;
    assert!(matches!(error, LoanServiceError::Market(Refusal::Asset(_))), "one at a time: {error}");
    fixture.countersign(id).await;
    let error = fixture.not_extended(&request).await;
    assert!(matches!(error, LoanServiceError::WrongStage { stage: LoanStage::Repaying }), "{error}");
    let error = fixture.not_extended(&fixture.extension_request(id, 7)).await;
    assert!(matches!(error, LoanServiceError::WrongStage { stage: LoanStage::Broadcast }), "{error}");
}

#[actix::test]
async fn an_extension_due_before_the_lenders_signing_deadline_is_refused() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    fixture.world.pass(14 * 86_400);
    fixture.block().await;
    assert!(matches!(fixture.not_extended(&fixture.extension_request(old, 7)).await, LoanServiceError::DueTooSoon(_)));
    fixture.extended(old, 30).await;
}

#[actix::test]
async fn instant_and_brc20_loans_are_not_extended() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (instant, _) = fixture.lent().await;
    assert!(
        matches!(fixture.not_extended(&fixture.extension_request(instant, 7)).await, LoanServiceError::NotExtendable(id) if id == instant)
    );
    let (fixture, note) = Fixture::lent_against_a_note().await;
    assert!(
        matches!(fixture.not_extended(&fixture.extension_request(note, 7)).await, LoanServiceError::NotExtendable(id) if id == note)
    );
}

#[actix::test]
async fn a_borrower_without_a_coin_for_the_interest_is_refused() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let running = Running::of(&fixture.loan(old).await).unwrap();
    let pads: Vec<OutPoint> = running.borrower.pads().iter().map(|pad| pad.outpoint).collect();
    let chain = &fixture.world.chain;
    let mut coins = chain_coins(&fixture).await;
    coins.retain(|coin| !pads.contains(coin));
    let spent = fixture.borrower.spend_elsewhere(&fixture.world, &coins, 5_000).await;
    chain.mine_transactions(vec![spent]).unwrap();
    let error = fixture.not_extended(&fixture.extension_request(old, 7)).await;
    assert!(matches!(&error, LoanServiceError::Contract(short) if short.shortfall().is_some()), "{error}");
    fixture.world.fund(&fixture.borrower.payment_script(), 100_000);
    fixture.extended(old, 7).await;
}

async fn chain_coins(fixture: &Fixture) -> Vec<OutPoint> {
    let holdings = fixture.world.service.lookup().holdings(&fixture.borrower.payment()).await.unwrap();
    holdings.plain().map(|held| held.coin.outpoint).collect()
}

/// Whether an error says that it is too late, whether or not the lapse is on record already.
fn is_too_late(error: &LoanServiceError) -> bool {
    let is_over = |stage: &LoanStage| matches!(stage, LoanStage::Cancelled | LoanStage::Lapsed);
    match error {
        // A prepared loan is gone once it has lapsed, and another task may have found that between two steps here.
        LoanServiceError::Market(Refusal::Loan(
            domain::LoanRejection::TooLate(_) | domain::LoanRejection::Unknown(_),
        ))
        | LoanServiceError::NoReservation(_) => true,
        LoanServiceError::WrongStage { stage }
        | LoanServiceError::Market(Refusal::Loan(domain::LoanRejection::WrongStage { stage })) => is_over(stage),
        _ => false,
    }
}

#[actix::test]
async fn an_extension_that_is_not_signed_leaves_the_loan_unchanged() {
    for (why, stage) in [
        ("the borrower does not sign", None),
        ("the borrower changes their mind", None),
        ("the borrower withdraws", Some(LoanStage::Cancelled)),
        ("the lender declines", Some(LoanStage::Cancelled)),
        ("the lender does not sign", Some(LoanStage::Lapsed)),
    ] {
        let fixture = Fixture::new().await;
        let old = fixture.originated().await;
        let (service, lender) = (&fixture.world.service, fixture.lender.user);
        fixture.offer(FROGS, 1).await;
        let book = service.market.book(FROGS).await.unwrap();
        assert_eq!(book.offers.len(), 1);
        let prepared = service.prepare_extension(&fixture.extension_request(old, 7)).await.unwrap();
        let id = prepared.unsigned.loan;
        let held: Vec<_> =
            fixture.spent_beside_escrow(id).await.into_iter().map(lending::records::outpoint::to_domain).collect();
        assert_eq!(service.market.locked_outputs(held.clone()), held);
        match why {
            "the borrower does not sign" => {
                fixture.world.pass(15 * 60);
                let signed = fixture.borrower.sign(&prepared.unsigned.transactions);
                let late = service.accept(fixture.borrower.user, id, &signed).await.unwrap_err();
                assert!(is_too_late(&late), "{late}");
            }
            "the borrower changes their mind" => service.withdraw(fixture.borrower.user, id).await.unwrap(),
            _ => drop(fixture.accept(&prepared.unsigned).await),
        }
        match why {
            "the borrower withdraws" => service.withdraw(fixture.borrower.user, id).await.unwrap(),
            "the lender declines" => service.refuse(lender, id).await.unwrap(),
            "the lender does not sign" => {
                let signed = fixture.countersigned(id).await;
                fixture.world.pass(12 * 3_600);
                let late = service.countersign(lender, id, &signed).await.unwrap_err();
                assert!(is_too_late(&late), "{late}");
            }
            _ => {}
        }
        fixture.run_watch().await;
        assert_eq!(service.market.loan(id).await.map(|loan| loan.stage), stage, "{why}");
        assert!(service.market.locked_outputs(held).is_empty(), "{why}");
        let late = service.prepare_countersign(lender, id).await.unwrap_err();
        let is_reported = match late {
            LoanServiceError::WrongStage { stage: found } => Some(found) == stage,
            LoanServiceError::UnknownLoan(_) => stage.is_none(),
            _ => false,
        };
        assert!(is_reported, "{why}: {late}");
        assert_eq!(service.market.book(FROGS).await.unwrap().offers, book.offers, "{why}: no rating changes");
        assert_eq!(fixture.world.restarted().service.market.loan(id).await, service.market.loan(id).await, "{why}");
        fixture.runs_on(old, why).await;
    }
}

#[actix::test]
async fn an_extension_lapses_after_a_restart_as_well() {
    let mut fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let id = fixture.requested_extension(old, 7).await.unsigned.loan;
    fixture.world = fixture.world.restarted();
    fixture.world.pass(12 * 3_600);
    fixture.run_watch().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Lapsed);
    fixture.runs_on(old, "lapsed").await;
}

#[actix::test]
async fn signatures_of_another_transaction_are_refused_and_change_nothing() {
    let fixture = Fixture::new().await;
    let old = fixture.originated().await;
    let (service, other) = (&fixture.world.service, fixture.originated().await);
    let theirs = service.prepare_extension(&fixture.extension_request(other, 7)).await.unwrap();
    let prepared = service.prepare_extension(&fixture.extension_request(old, 7)).await.unwrap();
    let id = prepared.unsigned.loan;
    let wrong = fixture.borrower.sign(&theirs.unsigned.transactions);
    assert!(matches!(service.accept(fixture.borrower.user, id, &wrong).await, Err(LoanServiceError::Returned(_))));
    let unsigned = vec![prepared.unsigned.transactions[0].base64.clone()];
    assert!(matches!(service.accept(fixture.borrower.user, id, &unsigned).await, Err(LoanServiceError::Returned(_))));
    assert_eq!(fixture.stage(id).await, LoanStage::Prepared);
    fixture.accept(&prepared.unsigned).await;
    let good = fixture.countersigned(id).await;
    let unsigned = service.prepare_countersign(fixture.lender.user, id).await.unwrap();
    let bare = |index: usize| unsigned.payouts[index].base64.clone();
    let [two, truc] = good.payouts.clone();
    let bad = [
        Countersigned { origination: unsigned.origination.transactions[0].base64.clone(), ..good.clone() },
        Countersigned { payouts: [bare(0), truc.clone()], ..good.clone() },
        Countersigned { payouts: [two.clone(), bare(1)], ..good.clone() },
        Countersigned { payouts: [truc, two], ..good.clone() },
    ];
    for (row, bad) in bad.iter().enumerate() {
        let error = service.countersign(fixture.lender.user, id, bad).await.unwrap_err();
        assert!(matches!(error, LoanServiceError::Returned(_) | LoanServiceError::Payout(_)), "{row}: {error}");
        assert_eq!((fixture.stage(id).await, fixture.stage(old).await), (LoanStage::AwaitingLender, LoanStage::Active));
    }
    let other_user = fixture.world.person(103).await.user;
    assert!(matches!(service.countersign(other_user, id, &good).await, Err(LoanServiceError::UnknownLoan(_))));
    service.countersign(fixture.lender.user, id, &good).await.unwrap();
}
