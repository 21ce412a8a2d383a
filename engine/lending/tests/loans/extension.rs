//! Tests of extensions that the borrower requests and the lender agrees to.

use bitcoin::{FeeRate, OutPoint};
use domain::{Ending, LoanId, LoanStage, Sats, TermDays, UnixMs};
use engine::Refusal;
use lending::countersign::Countersigned;
use lending::desk_error::DeskError;
use lending::extend::{Extending, ExtensionHandout};
use lending::running_record::Running;

use crate::kit::groups::{FROGS, GOLD};
use crate::runes::{SUPPLY, golden};
use crate::scene::{PRINCIPAL, Scene, rate};

/// The interest of [`PRINCIPAL`] for a week, and for thirty days.
const WEEK: Sats = Sats::new(12_000);
const MONTH: Sats = Sats::new(18_000);
const DAY_MS: u64 = 86_400_000;

impl Scene {
    pub(crate) fn more_time(&self, loan: LoanId, days: u16) -> Extending {
        Extending {
            borrower: self.borrower.user,
            loan,
            days: TermDays(days),
            fee_rate: rate(),
            is_hardware_wallet: false,
        }
    }

    /// An extension that the borrower requested and signed.
    pub(crate) async fn asked(&self, loan: LoanId, days: u16) -> ExtensionHandout {
        let handed = self.world.desk.prepare_extension(&self.more_time(loan, days)).await.unwrap();
        self.accept(&handed.handout).await;
        handed
    }

    /// The same, counter-signed and waiting for confirmation.
    pub(crate) async fn agreed(&self, loan: LoanId, days: u16) -> LoanId {
        let id = self.asked(loan, days).await.handout.loan;
        self.countersign(id).await;
        id
    }

    /// The same, confirmed.
    pub(crate) async fn extended(&self, loan: LoanId, days: u16) -> LoanId {
        let id = self.agreed(loan, days).await;
        self.block().await;
        assert_eq!((self.stage(loan).await, self.stage(id).await), (LoanStage::Repaid, LoanStage::Active));
        id
    }

    /// A refused request, which must leave nothing behind.
    async fn not_extended(&self, wish: &Extending) -> DeskError {
        let before = self.world.journal.batches().len();
        let error = self.world.desk.prepare_extension(wish).await.unwrap_err();
        assert_eq!(self.world.journal.batches().len(), before, "{error}");
        error
    }

    /// The inputs of a loan's transaction besides the escrow: padding coins, and coins of the borrower.
    pub(crate) async fn spent_beside_escrow(&self, id: LoanId) -> Vec<OutPoint> {
        let account = self.loan(id).await;
        let contract = lending::contract::Contract::from_record(&account.contract).unwrap();
        let mut promised = contract.promised();
        promised.retain(|spent| *spent != contract.pledged.ending().unwrap().record().loan.outpoint);
        promised
    }

    pub(crate) async fn book_loans(&self) -> Vec<LoanId> {
        self.world.desk.market.book(FROGS).await.unwrap().loans.iter().map(|loan| loan.id.0).collect()
    }

    /// Asserts that the loan runs on as if no extension had been requested, and can be extended and repaid.
    async fn runs_on(&self, old: LoanId, why: &str) {
        assert_eq!((self.stage(old).await, self.book_loans().await), (LoanStage::Active, vec![old]), "{why}");
        let again = self.world.desk.prepare_extension(&self.more_time(old, 7)).await.unwrap();
        self.world.desk.withdraw(self.borrower.user, again.handout.loan).await.unwrap();
        self.repay(&[old]).await;
        self.block().await;
        assert_eq!((self.stage(old).await, self.book_loans().await), (LoanStage::Repaid, vec![]), "{why}");
    }
}

#[actix::test]
async fn an_extension_moves_a_loan_to_a_new_escrow_for_the_current_terms_interest() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let (desk, before) = (&scene.world.desk, scene.loan(old).await);
    let (old_kit, lenders) =
        (desk.kit(scene.borrower.user, old).await.unwrap(), scene.lender.purse(&scene.world).await);
    let wish = scene.more_time(old, 30);
    let handed = desk.prepare_extension(&wish).await.unwrap();
    assert_eq!(desk.prepare_extension(&wish).await.unwrap(), handed, "the same request gives the same answer");
    let new = handed.handout.loan;
    assert_eq!((handed.interest_now, handed.deal.interest, handed.deal.platform_fee), (WEEK, MONTH, Sats::ZERO));
    let due = UnixMs(before.due_at().unwrap().0 + 30 * DAY_MS);
    assert_eq!((handed.due_at, handed.deal.claim_after.0), (due, due.0 + DAY_MS));
    let txid = scene.accept(&handed.handout).await;
    assert_eq!(scene.accept(&handed.handout).await, txid, "and the same signatures");
    assert_eq!((scene.stage(new).await, scene.stage(old).await), (LoanStage::AwaitingLender, LoanStage::Active));
    let countersigned = scene.countersigned(new).await;
    for _ in 0..2 {
        assert_eq!(desk.countersign(scene.lender.user, new, &countersigned).await.unwrap(), txid);
    }
    assert_eq!((scene.stage(new).await, scene.stage(old).await), (LoanStage::Broadcast, LoanStage::Repaying));
    assert_eq!((scene.world.chain.waiting(), scene.book_loans().await), (vec![txid], vec![new]));
    scene.world.pass(3_600);
    scene.block().await;
    let (ended, begun) = (scene.loan(old).await, scene.loan(new).await);
    assert_eq!((ended.stage, ended.end.as_ref().unwrap().ending), (LoanStage::Repaid, Ending::Extension(new)));
    assert_eq!((begun.stage, begun.due_at(), begun.deal.follows), (LoanStage::Active, Some(due), Some(old)));
    assert_eq!(scene.lender.purse(&scene.world).await, lenders + WEEK.get());
    assert_eq!(scene.book_loans().await, [new]);
    let kit = desk.kit(scene.borrower.user, new).await.unwrap();
    assert_ne!(kit, old_kit);
    for kit in [desk.kit(scene.borrower.user, old).await, desk.kit(scene.lender.user, old).await] {
        assert!(matches!(kit, Err(DeskError::GoesOn(follower)) if follower == new));
    }
    let late = desk.prepare_repayment(scene.borrower.user, &[old], rate()).await.unwrap_err();
    assert!(matches!(late, DeskError::GoesOn(follower) if follower == new), "{late}");
    let late = desk.prepare_claim(scene.lender.user, old, rate()).await.unwrap_err();
    assert!(matches!(late, DeskError::GoesOn(follower) if follower == new), "{late}");
    scene.repay(&[new]).await;
    scene.block().await;
    assert_eq!((scene.stage(new).await, scene.book_loans().await), (LoanStage::Repaid, vec![]));
    assert_eq!(scene.lender.purse(&scene.world).await, lenders + WEEK.get() + MONTH.get() + PRINCIPAL.get());
    assert!(scene.owns(&scene.borrower, begun.deal.pledged_id.parse().unwrap()).await);
    for _ in 0..6 {
        scene.block().await;
    }
    assert_eq!(desk.market.watched_loans().await, [], "both are buried");
}

#[actix::test]
async fn extended_runes_are_claimed_without_a_repayment() {
    let (scene, gold, _) = golden().await;
    let offer = scene.offer_of(GOLD, 1, Sats::new(400_000)).await;
    let handout = scene.world.desk.prepare(&scene.wish(offer, None)).await.unwrap();
    scene.accept(&handout).await;
    scene.countersign(handout.loan).await;
    scene.block().await;
    let pledged = scene.loan(handout.loan).await.deal.pledged_raw;
    let first = scene.extended(handout.loan, 14).await;
    let second = scene.extended(first, 14).await;
    assert_eq!(scene.runes_of(&scene.borrower, gold).await, SUPPLY - pledged);
    let due = scene.loan(second).await.due_at().unwrap();
    assert!(due.0 - scene.world.desk.market.now().0 > 41 * DAY_MS, "three terms");
    scene.pass_days(41).await;
    assert_eq!(scene.stage(second).await, LoanStage::Active);
    scene.pass_days(3).await;
    assert_eq!(scene.stage(second).await, LoanStage::Expired);
    scene.claim(second).await;
    scene.block().await;
    assert_eq!(scene.stage(second).await, LoanStage::Claimed);
    assert_eq!(scene.runes_of(&scene.lender, gold).await, pledged);
    assert_eq!(scene.world.chain.rune_supply(gold).unwrap().burned, 0);
}

#[actix::test]
async fn an_expired_loan_can_be_extended_and_then_replaced() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    scene.world.pass(7 * 86_400 + 3_600);
    scene.block().await;
    assert_eq!(scene.stage(old).await, LoanStage::Expired);
    let new = scene.extended(old, 7).await;
    let scene = scene.with_lender(2).await;
    let offer = scene.offer(FROGS, 1).await;
    let wish = lending::borrowing::Borrowing { follows: Some(new), ..scene.wish(offer, None) };
    let handout = scene.world.desk.prepare(&wish).await.unwrap();
    scene.accept(&handout).await;
    scene.countersign(handout.loan).await;
    scene.block().await;
    assert_eq!((scene.stage(new).await, scene.stage(handout.loan).await), (LoanStage::Repaid, LoanStage::Active));
}

#[actix::test]
async fn the_lender_is_never_handed_what_the_borrower_signed() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let handed = scene.asked(old, 7).await;
    let lenders = scene.world.desk.prepare_countersign(scene.lender.user, handed.handout.loan).await.unwrap();
    let psbt: bitcoin::Psbt = lenders.beginning.transactions[0].base64.parse().unwrap();
    for input in &psbt.inputs {
        assert!(input.partial_sigs.is_empty() && input.tap_script_sigs.is_empty() && input.tap_key_sig.is_none());
        assert!(input.final_script_witness.is_none());
    }
    // Only the escrow's input is the lender's to sign.
    let sides = &lenders.beginning.transactions[0].sides;
    assert_eq!(sides.iter().map(|side| side.index).collect::<Vec<_>>(), [2]);
}

#[actix::test]
async fn extensions_are_refused_by_name() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let wish = scene.more_time(old, 7);
    let stranger = Extending { borrower: scene.world.person(103).await.user, ..wish.clone() };
    assert!(matches!(scene.not_extended(&stranger).await, DeskError::UnknownLoan(id) if id == old));
    let own = Extending { borrower: scene.lender.user, ..wish.clone() };
    assert!(matches!(scene.not_extended(&own).await, DeskError::UnknownLoan(id) if id == old));
    let none = scene.more_time(old, 8);
    assert!(matches!(scene.not_extended(&none).await, DeskError::NoSuchTerm(TermDays(8))));
    let hard = Extending { is_hardware_wallet: true, ..wish.clone() };
    assert!(matches!(scene.not_extended(&hard).await, DeskError::HardwareWallet));
    let dear = Extending { fee_rate: FeeRate::from_sat_per_vb_u32(501), ..wish.clone() };
    assert!(matches!(scene.not_extended(&dear).await, DeskError::FeeRate { .. }));
    let id = scene.asked(old, 7).await.handout.loan;
    let error = scene.not_extended(&wish).await;
    assert!(matches!(error, DeskError::Market(Refusal::Asset(_))), "one at a time: {error}");
    scene.countersign(id).await;
    let error = scene.not_extended(&wish).await;
    assert!(matches!(error, DeskError::WrongStage { stage: LoanStage::Repaying }), "{error}");
    let error = scene.not_extended(&scene.more_time(id, 7)).await;
    assert!(matches!(error, DeskError::WrongStage { stage: LoanStage::Broadcast }), "{error}");
}

#[actix::test]
async fn an_extension_due_before_the_lenders_signing_deadline_is_refused() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    scene.world.pass(14 * 86_400);
    scene.block().await;
    assert!(matches!(scene.not_extended(&scene.more_time(old, 7)).await, DeskError::TooShort(_)));
    scene.extended(old, 30).await;
}

#[actix::test]
async fn instant_and_brc20_loans_are_not_extended() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let instant = scene.lent().await;
    assert!(
        matches!(scene.not_extended(&scene.more_time(instant, 7)).await, DeskError::NotExtendable(id) if id == instant)
    );
    let (scene, note) = Scene::lent_against_a_note().await;
    assert!(matches!(scene.not_extended(&scene.more_time(note, 7)).await, DeskError::NotExtendable(id) if id == note));
}

#[actix::test]
async fn a_borrower_without_a_coin_for_the_interest_is_refused() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let pads = Running::of(&scene.loan(old).await).unwrap().borrower.pads().each_ref().map(|pad| pad.outpoint);
    let chain = &scene.world.chain;
    let mut coins = chain_coins(&scene).await;
    coins.retain(|coin| !pads.contains(coin));
    let spent = scene.borrower.spend_elsewhere(&scene.world, &coins, 5_000).await;
    chain.mine_these(vec![spent]).unwrap();
    let error = scene.not_extended(&scene.more_time(old, 7)).await;
    assert!(matches!(&error, DeskError::Contract(short) if short.shortfall().is_some()), "{error}");
    scene.world.fund(&scene.borrower.payment_script(), 100_000);
    scene.extended(old, 7).await;
}

async fn chain_coins(scene: &Scene) -> Vec<OutPoint> {
    let holdings = scene.world.desk.lookup().holdings(&scene.borrower.payment()).await.unwrap();
    holdings.plain().map(|held| held.coin.outpoint).collect()
}

/// Whether an error says that it is too late, whether or not the lapse is on record already.
fn is_too_late(error: &DeskError) -> bool {
    let is_over = |stage: &LoanStage| matches!(stage, LoanStage::Cancelled | LoanStage::Lapsed);
    match error {
        DeskError::Market(Refusal::Loan(domain::LoanRejection::TooLate(_))) | DeskError::NoReservation(_) => true,
        DeskError::WrongStage { stage }
        | DeskError::Market(Refusal::Loan(domain::LoanRejection::WrongStage { stage })) => is_over(stage),
        _ => false,
    }
}

#[actix::test]
async fn an_extension_that_is_not_signed_leaves_the_loan_unchanged() {
    for (why, stage) in [
        ("nobody signs", None),
        ("the borrower changes their mind", None),
        ("the borrower withdraws", Some(LoanStage::Cancelled)),
        ("the lender declines", Some(LoanStage::Cancelled)),
        ("the lender says nothing", Some(LoanStage::Lapsed)),
    ] {
        let scene = Scene::new().await;
        let old = scene.begun().await;
        let (desk, lender) = (&scene.world.desk, scene.lender.user);
        scene.offer(FROGS, 1).await;
        let book = desk.market.book(FROGS).await.unwrap();
        assert_eq!(book.offers.len(), 1);
        let handed = desk.prepare_extension(&scene.more_time(old, 7)).await.unwrap();
        let id = handed.handout.loan;
        let held: Vec<_> = scene.spent_beside_escrow(id).await.into_iter().map(lending::outpoint::to_domain).collect();
        assert_eq!(desk.market.promised(held.clone()), held);
        match why {
            "nobody signs" => {
                scene.world.pass(15 * 60);
                let signed = scene.borrower.sign(&handed.handout.transactions);
                let late = desk.accept(scene.borrower.user, id, &signed).await.unwrap_err();
                assert!(is_too_late(&late), "{late}");
            }
            "the borrower changes their mind" => desk.withdraw(scene.borrower.user, id).await.unwrap(),
            _ => drop(scene.accept(&handed.handout).await),
        }
        match why {
            "the borrower withdraws" => desk.withdraw(scene.borrower.user, id).await.unwrap(),
            "the lender declines" => desk.refuse(lender, id).await.unwrap(),
            "the lender says nothing" => {
                let signed = scene.countersigned(id).await;
                scene.world.pass(12 * 3_600);
                let late = desk.countersign(lender, id, &signed).await.unwrap_err();
                assert!(is_too_late(&late), "{late}");
            }
            _ => {}
        }
        scene.look().await;
        assert_eq!(desk.market.loan(id).await.map(|loan| loan.stage), stage, "{why}");
        assert!(desk.market.promised(held).is_empty(), "{why}");
        let late = desk.prepare_countersign(lender, id).await.unwrap_err();
        let is_told = match late {
            DeskError::WrongStage { stage: found } => Some(found) == stage,
            DeskError::UnknownLoan(_) => stage.is_none(),
            _ => false,
        };
        assert!(is_told, "{why}: {late}");
        assert_eq!(desk.market.book(FROGS).await.unwrap().offers, book.offers, "{why}: no rating changes");
        assert_eq!(scene.world.restarted().desk.market.loan(id).await, desk.market.loan(id).await, "{why}");
        scene.runs_on(old, why).await;
    }
}

#[actix::test]
async fn an_extension_lapses_after_a_restart_as_well() {
    let mut scene = Scene::new().await;
    let old = scene.begun().await;
    let id = scene.asked(old, 7).await.handout.loan;
    scene.world = scene.world.restarted();
    scene.world.pass(12 * 3_600);
    scene.look().await;
    assert_eq!(scene.stage(id).await, LoanStage::Lapsed);
    scene.runs_on(old, "lapsed").await;
}

#[actix::test]
async fn signatures_of_another_transaction_are_refused_and_change_nothing() {
    let scene = Scene::new().await;
    let old = scene.begun().await;
    let (desk, other) = (&scene.world.desk, scene.begun().await);
    let theirs = desk.prepare_extension(&scene.more_time(other, 7)).await.unwrap();
    let handed = desk.prepare_extension(&scene.more_time(old, 7)).await.unwrap();
    let id = handed.handout.loan;
    let wrong = scene.borrower.sign(&theirs.handout.transactions);
    assert!(matches!(desk.accept(scene.borrower.user, id, &wrong).await, Err(DeskError::Returned(_))));
    let unsigned = vec![handed.handout.transactions[0].base64.clone()];
    assert!(matches!(desk.accept(scene.borrower.user, id, &unsigned).await, Err(DeskError::Returned(_))));
    assert_eq!(scene.stage(id).await, LoanStage::Prepared);
    scene.accept(&handed.handout).await;
    let good = scene.countersigned(id).await;
    let unsigned = desk.prepare_countersign(scene.lender.user, id).await.unwrap();
    let bare = |index: usize| unsigned.payouts[index].base64.clone();
    let [two, truc] = good.payouts.clone();
    let bad = [
        Countersigned { origination: unsigned.beginning.transactions[0].base64.clone(), ..good.clone() },
        Countersigned { payouts: [bare(0), truc.clone()], ..good.clone() },
        Countersigned { payouts: [two.clone(), bare(1)], ..good.clone() },
        Countersigned { payouts: [truc, two], ..good.clone() },
    ];
    for (row, bad) in bad.iter().enumerate() {
        let error = desk.countersign(scene.lender.user, id, bad).await.unwrap_err();
        assert!(matches!(error, DeskError::Returned(_) | DeskError::Payout(_)), "{row}: {error}");
        assert_eq!((scene.stage(id).await, scene.stage(old).await), (LoanStage::AwaitingLender, LoanStage::Active));
    }
    let stranger = scene.world.person(103).await.user;
    assert!(matches!(desk.countersign(stranger, id, &good).await, Err(DeskError::UnknownLoan(_))));
    desk.countersign(scene.lender.user, id, &good).await.unwrap();
}
