//! Tests of manual loans against tokens: a bundle of a rune, and a BRC-20 transfer inscription.

use bitcoin::{Amount, FeeRate, Network, OutPoint, Psbt};
use domain::{LoanId, LoanStage, OfferId, Sats};
use engine::asset_index::{Brc20Index as _, InscriptionId};
use engine::chain::Chain as _;
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;
use lending::holdings::InscriptionError;
use lending::lookup::LookupError;
use lending::party::Party;
use lending::payment::PaymentWish;
use lending::running_record::Running;
use lending::transfer_note::NoteError;

use crate::kit::groups::{GOLD, NEWTS};
use crate::kit::people::{Person, addresses};
use crate::kit::ports::Mood;
use crate::runes::{SUPPLY, golden};
use crate::scene::Scene;

const LENT: Sats = Sats::new(500_000);
/// A bar of gold, in raw units.
const BAR: u128 = 10_000_000;
/// Raw units of a whole BRC-20 token.
const TOKEN: u128 = 1_000_000_000_000_000_000;
/// The payment of the lender of [`LENT`] against newts: the principal, and a fifth of 1.2 percent for the platform.
const EXACTLY: u64 = 501_200;

impl Scene {
    fn write(&self, person: &Person, text: &str) -> InscriptionId {
        let home = person.ordinals().script_pubkey();
        self.world.chain.inscribe(&home, Amount::from_sat(546), "text/plain", text.as_bytes()).unwrap()
    }

    fn note(&self, person: &Person, tokens: u32) -> InscriptionId {
        self.write(person, &format!(r#"{{"p":"brc-20","op":"transfer","tick":"newt","amt":"{tokens}"}}"#))
    }

    /// A borrower with this number of newts, and a lender's offer against 100,000 of them.
    async fn newts(tokens: u32) -> (Self, OfferId) {
        let scene = Self::new().await;
        scene.write(&scene.borrower, r#"{"p":"brc-20","op":"deploy","tick":"newt","max":"21000000"}"#);
        let mint = format!(r#"{{"p":"brc-20","op":"mint","tick":"newt","amt":"{tokens}"}}"#);
        scene.write(&scene.borrower, &mint);
        let offer = scene.offer_of(NEWTS, 0, LENT).await;
        (scene, offer)
    }

    fn exact_coin(&self) {
        self.world.fund(&self.lender.payment_script(), EXACTLY);
    }

    /// Accepts and counter-signs a loan, unconfirmed.
    async fn sent(&self, wish: &Borrowing) -> LoanId {
        let handout = self.world.desk.prepare(wish).await.unwrap();
        self.accept(&handout).await;
        assert_eq!(self.countersign(handout.loan).await, handout.txid);
        handout.loan
    }

    /// A confirmed loan against a transfer inscription.
    pub(crate) async fn lent_against_a_note() -> (Self, LoanId) {
        let (scene, offer) = Self::newts(100_000).await;
        scene.note(&scene.borrower, 100_000);
        scene.exact_coin();
        let id = scene.sent(&scene.wish(offer, None)).await;
        scene.block().await;
        (scene, id)
    }

    /// The available and transferable balance, in whole tokens.
    async fn newts_of(&self, person: &Person) -> (u128, u128) {
        let balance = self.world.chain.balance(&person.ordinals().script_pubkey(), "newt").await.unwrap();
        (balance.available / TOKEN, balance.transferable / TOKEN)
    }
}

#[actix::test]
async fn a_bundle_of_runes_is_pledged_and_returned_by_the_repayment() {
    let (scene, gold, coin) = golden().await;
    let offer = scene.offer_of(GOLD, 1, LENT).await;
    scene.share(gold, coin, &[(&scene.borrower, 4_000_000), (&scene.borrower, 7_000_000)]).await;
    let id = scene.sent(&scene.wish(offer, None)).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
    assert_eq!(scene.loan(id).await.deal.pledged_raw, BAR);
    assert_eq!(scene.runes_of(&scene.borrower, gold).await, SUPPLY - BAR);
    scene.repay(&[id]).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
    assert_eq!(scene.runes_of(&scene.borrower, gold).await, SUPPLY);
    assert_eq!(scene.world.chain.rune_supply(gold).unwrap().burned, 0);
}

#[actix::test]
async fn a_hardware_wallet_pledges_no_tokens_as_it_could_not_repay_them() {
    let (scene, gold, coin) = golden().await;
    let offer = scene.offer_of(GOLD, 1, LENT).await;
    scene.share(gold, coin, &[(&scene.borrower, BAR)]).await;
    let (noted, newts) = Scene::newts(100_000).await;
    noted.note(&noted.borrower, 100_000);
    noted.exact_coin();
    for (scene, wish) in [(&scene, scene.wish(offer, None)), (&noted, noted.wish(newts, None))] {
        let before = scene.world.journal.batches().len();
        let hardware = Borrowing { is_hardware_wallet: true, ..wish.clone() };
        assert!(matches!(scene.world.desk.prepare(&hardware).await, Err(DeskError::HardwareWallet)));
        assert_eq!(scene.world.journal.batches().len(), before);
        scene.world.desk.prepare(&wish).await.unwrap();
    }
}

#[actix::test]
async fn an_unrepaid_bundle_of_runes_is_claimed() {
    let (scene, gold, coin) = golden().await;
    let offer = scene.offer_of(GOLD, 1, LENT).await;
    scene.share(gold, coin, &[(&scene.borrower, BAR)]).await;
    let id = scene.sent(&scene.wish(offer, None)).await;
    scene.block().await;
    scene.pass_days(16).await;
    assert_eq!(scene.stage(id).await, LoanStage::Expired);
    scene.claim(id).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Claimed);
    assert_eq!(scene.runes_of(&scene.lender, gold).await, BAR);
}

#[actix::test]
async fn runes_that_do_not_suffice_or_are_reserved_are_refused_by_name() {
    let (scene, gold, coin) = golden().await;
    let other = scene.world.person(102).await;
    scene.share(gold, coin, &[(&other, SUPPLY - BAR - 1), (&scene.borrower, BAR + 1)]).await;
    let offers = [scene.offer_of(GOLD, 1, LENT).await, scene.offer_of(GOLD, 1, LENT).await];
    let desk = &scene.world.desk;
    let first = desk.prepare(&scene.wish(offers[0], None)).await.unwrap();
    scene.accept(&first).await;
    let error = desk.prepare(&scene.wish(offers[1], None)).await.unwrap_err();
    assert!(matches!(error, DeskError::TokensShort { wanted: BAR, found: 0 }), "{error}");
    desk.withdraw(scene.borrower.user, first.loan).await.unwrap();
    assert_ne!(desk.prepare(&scene.wish(offers[1], None)).await.unwrap().loan, first.loan);
}

#[actix::test]
async fn a_transfer_moves_tokens_to_the_escrow_and_the_repayment_returns_them() {
    let (scene, offer) = Scene::newts(150_000).await;
    let note = scene.note(&scene.borrower, 100_000);
    scene.exact_coin();
    // The transfer inscription need not be named where there is one of exactly this amount.
    let handout = scene.world.desk.prepare(&scene.wish(offer, None)).await.unwrap();
    assert_eq!(handout.transactions.len(), 2, "the new transfer is revealed by a transaction of its own");
    assert_eq!(scene.loan(handout.loan).await.deal.pledged_id, note.to_string());
    let id = handout.loan;
    scene.accept(&handout).await;
    let lenders = scene.world.desk.prepare_countersign(scene.lender.user, id).await.unwrap();
    assert_eq!(lenders.beginning.transactions.len(), 1, "the lender has nothing to sign in the reveal");
    let before = scene.lender.purse(&scene.world).await;
    scene.countersign(id).await;
    assert_eq!(scene.world.chain.waiting().len(), 2);
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Active);
    assert_eq!(before - scene.lender.purse(&scene.world).await, EXACTLY);
    assert_eq!(scene.newts_of(&scene.borrower).await, (50_000, 0));
    scene.repay(&[id]).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Repaid);
    assert_eq!(scene.newts_of(&scene.borrower).await, (150_000, 0));
}

#[actix::test]
async fn the_tokens_of_an_unrepaid_transfer_go_to_the_lender() {
    let (scene, offer) = Scene::newts(100_000).await;
    let note = scene.note(&scene.borrower, 100_000);
    scene.exact_coin();
    let id = scene.sent(&scene.wish(offer, Some(note))).await;
    scene.block().await;
    scene.pass_days(9).await;
    scene.claim(id).await;
    scene.block().await;
    assert_eq!(scene.stage(id).await, LoanStage::Claimed);
    assert_eq!(scene.newts_of(&scene.lender).await, (100_000, 0));
}

#[actix::test]
async fn a_brc20_loan_begins_when_the_indexer_has_read_the_new_transfer() {
    let (scene, offer) = Scene::newts(100_000).await;
    scene.note(&scene.borrower, 100_000);
    scene.exact_coin();
    let id = scene.sent(&scene.wish(offer, None)).await;
    for set in [|mood: &mut Mood| mood.is_index_away = true, |mood: &mut Mood| mood.brc20_behind = 1] {
        set(&mut scene.world.moods.now());
        if scene.world.chain.waiting().is_empty() {
            scene.look().await;
        } else {
            scene.block().await;
        }
        assert_eq!(scene.stage(id).await, LoanStage::Broadcast);
        *scene.world.moods.now() = Mood::default();
    }
    scene.look().await;
    let loan = scene.loan(id).await;
    assert_eq!(loan.stage, LoanStage::Active);
    assert_eq!(loan.began.unwrap().height, scene.world.chain.tip().await.unwrap().height);
}

#[actix::test]
async fn an_invalidated_new_transfer_secures_no_loan() {
    let (scene, offer) = Scene::newts(100_000).await;
    scene.note(&scene.borrower, 100_000);
    scene.exact_coin();
    let id = scene.sent(&scene.wish(offer, None)).await;
    let running = Running::of(&scene.loan(id).await).unwrap();
    let [origination, reveal] = &running.transactions[..] else { panic!("two transactions") };
    // A miner leaves the reveal out, and a rival transfer inscription uses up the escrow's balance before it.
    scene.world.chain.mine_these(vec![origination.clone()]).unwrap();
    let escrow = running.record().loan.escrow.output().script_pubkey();
    let rival = br#"{"p":"brc-20","op":"transfer","tick":"newt","amt":"100000"}"#;
    scene.world.chain.inscribe(&escrow, Amount::from_sat(546), "text/plain", rival).unwrap();
    scene.world.chain.mine_these(vec![reveal.clone()]).unwrap();
    for _ in 0..8 {
        scene.block().await;
        assert_eq!(scene.stage(id).await, LoanStage::Broadcast, "no term runs, and no claim is possible");
    }
}

#[actix::test]
async fn a_lender_needs_a_coin_of_exactly_the_sum_of_a_brc20_loan() {
    let (scene, offer) = Scene::newts(100_000).await;
    scene.note(&scene.borrower, 100_000);
    let (desk, wish) = (&scene.world.desk, scene.wish(offer, None));
    for sats in [EXACTLY - 1, EXACTLY + 1] {
        scene.world.fund(&scene.lender.payment_script(), sats);
        let error = desk.prepare(&wish).await.unwrap_err();
        let wanted = Amount::from_sat(EXACTLY);
        assert!(matches!(error, DeskError::LenderNotExact { wanted: found } if found == wanted), "{error}");
    }
    scene.exact_coin();
    let handout = desk.prepare(&wish).await.unwrap();
    scene.accept(&handout).await;
    // It was spent meanwhile: another of the same amount replaces it, and without one the request fails.
    scene.lender.spend_all(&scene.world).await;
    let error = desk.prepare_countersign(scene.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, DeskError::LenderNotExact { .. }), "{error}");
    scene.exact_coin();
    let error = desk.prepare_countersign(scene.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, DeskError::Rebuilt), "{error}");
    let again = desk.prepared(scene.borrower.user, handout.loan).await.unwrap();
    scene.accept(&again).await;
    scene.countersign(handout.loan).await;
    scene.block().await;
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Active);
}

#[actix::test]
async fn a_lender_makes_the_exact_coin_of_a_brc20_loan_out_of_others() {
    let (scene, offer) = Scene::newts(100_000).await;
    scene.note(&scene.borrower, 100_000);
    let (desk, wish) = (&scene.world.desk, scene.wish(offer, None));
    let before = scene.lender.purse(&scene.world).await;
    let DeskError::LenderNotExact { wanted } = desk.prepare(&wish).await.unwrap_err() else { panic!("no exact coin") };
    let party = Party::of(&addresses(&scene.lender.wallet), Network::Regtest).unwrap();
    let coin = PaymentWish { sats: Sats::new(wanted.to_sat()), fee_rate: FeeRate::from_sat_per_kwu(500) };
    let prepared = desk.prepare_exact_coin(&party, coin).await.unwrap();
    assert_eq!(prepared.to, scene.lender.wallet.payment_address().to_string());
    let signed = scene.lender.wallet.sign_psbt(&prepared.transaction_base64).unwrap();
    let txid = desk.submit_exact_coin(&party, &signed).await.unwrap();
    let early = desk.prepare(&wish).await.unwrap_err();
    assert!(matches!(early, DeskError::LenderNotExact { .. }), "it is unconfirmed: {early}");
    scene.block().await;
    assert_eq!(desk.submit_exact_coin(&party, &signed).await.unwrap(), txid, "it is mined");
    assert_eq!(scene.lender.purse(&scene.world).await, before - prepared.fee.get(), "the rest was returned");
    let handout = desk.prepare(&wish).await.unwrap();
    scene.accept(&handout).await;
    // A reserved coin is not used to make another one.
    let another = desk.prepare_exact_coin(&party, coin).await.unwrap();
    let another: Psbt = another.transaction_base64.parse().unwrap();
    assert!(another.unsigned_tx.input.iter().all(|input| input.previous_output != OutPoint::new(txid, 0)));
    scene.countersign(handout.loan).await;
    scene.block().await;
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Active);
}

#[actix::test]
async fn invalid_transfers_are_refused_by_name_and_change_nothing() {
    let (scene, offer) = Scene::newts(400_000).await;
    scene.exact_coin();
    let desk = &scene.world.desk;
    let wanted = 100_000 * TOKEN;
    let small = scene.note(&scene.borrower, 99_999);
    let written = scene.world.journal.batches().len();
    let error = desk.prepare(&scene.wish(offer, None)).await.unwrap_err();
    assert!(matches!(error, DeskError::NoNote { wanted: found } if found == wanted), "{error}");
    let refused = |id| {
        let wish = scene.wish(offer, Some(id));
        async move {
            match desk.prepare(&wish).await.unwrap_err() {
                DeskError::Note(error) => error,
                other => panic!("{other}"),
            }
        }
    };
    assert_eq!(refused(small).await, NoteError::OtherAmount { wanted, found: 99_999 * TOKEN });
    let frog = scene.write(&scene.borrower, "a frog");
    assert_eq!(refused(frog).await, NoteError::NotANote(frog));
    let too_much = scene.note(&scene.borrower, 400_000);
    assert_eq!(refused(too_much).await, NoteError::NotANote(too_much));
    let other = scene.world.person(102).await;
    scene.write(&other, r#"{"p":"brc-20","op":"mint","tick":"newt","amt":"100000"}"#);
    let theirs = scene.note(&other, 100_000);
    assert_eq!(refused(theirs).await, NoteError::Inscription(InscriptionError::NotYours(theirs)));
    scene.write(&scene.borrower, r#"{"p":"brc-20","op":"deploy","tick":"toad","max":"21000000"}"#);
    scene.write(&scene.borrower, r#"{"p":"brc-20","op":"mint","tick":"toad","amt":"100000"}"#);
    let toad = scene.write(&scene.borrower, r#"{"p":"brc-20","op":"transfer","tick":"toad","amt":"100000"}"#);
    let other_ticker = NoteError::OtherTicker { wanted: "newt".to_owned(), found: "toad".to_owned() };
    assert_eq!(refused(toad).await, other_ticker);
    // A transfer inscription is consumed by its first move, even when it comes back.
    let moved = scene.note(&scene.borrower, 100_000);
    let place = bitcoin::OutPoint::new(moved.txid, 0);
    let output = scene.world.chain.unspent(place).await.unwrap().unwrap().output;
    let fee = scene.world.fund(&scene.borrower.payment_script(), 9_000);
    let paying = scene.world.chain.unspent(fee).await.unwrap().unwrap().output;
    let home = bitcoin::TxOut { value: Amount::from_sat(8_000), ..output.clone() };
    let back = scene.borrower.spend(&[(place, output), (fee, paying)], vec![home]);
    scene.world.chain.broadcast(&[back]).await.unwrap();
    scene.world.chain.mine(1).unwrap();
    assert_eq!(refused(moved).await, NoteError::Used(moved));
    // A stale BRC-20 indexer causes a refusal, but not of the transfer inscription itself.
    let good = scene.note(&scene.borrower, 100_000);
    scene.world.moods.now().brc20_behind = 1;
    let lagging = refused(good).await;
    let is_lagging = matches!(
        lagging,
        NoteError::Inscription(InscriptionError::Lookup(LookupError::Lagging { wanted, found })) if found + 1 == wanted
    );
    assert!(is_lagging, "{lagging}");
    scene.world.moods.now().brc20_behind = 0;
    assert_eq!(scene.world.journal.batches().len(), written + 1, "only a sign-in");
    desk.prepare(&scene.wish(offer, Some(good))).await.unwrap();
}
