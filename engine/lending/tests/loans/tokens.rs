//! Tests of manual loans against tokens: a bundle of a rune, and a BRC-20 transfer inscription.

use bitcoin::{Amount, FeeRate, Network, OutPoint, Psbt};
use domain::{LoanId, LoanStage, OfferId, Sats};
use engine::asset_index::{Brc20Index as _, InscriptionId};
use engine::chain::Chain as _;
use lending::lookups::holdings::InscriptionError;
use lending::lookups::lookup::LookupError;
use lending::lookups::transfer_inscription::TransferInscriptionError;
use lending::origination::loan_request::LoanRequest;
use lending::records::party::Party;
use lending::records::running_record::Running;
use lending::service::loan_service_error::LoanServiceError;
use lending::vaults::payment::PaymentRequest;

use crate::fixture::Fixture;
use crate::kit::faults::Faults;
use crate::kit::groups::{GOLD, NEWTS};
use crate::kit::people::{Person, addresses};
use crate::runes::{SUPPLY, gold_rune};

const LENT: Sats = Sats::new(500_000);
/// A bar of gold, in raw units.
const BAR: u128 = 10_000_000;
/// Raw units of a whole BRC-20 token.
const TOKEN: u128 = 1_000_000_000_000_000_000;
/// The payment of the lender of [`LENT`] against newts: the principal, and a fifth of 1.2 percent for the platform.
const EXACTLY: u64 = 501_200;

impl Fixture {
    fn write(&self, person: &Person, text: &str) -> InscriptionId {
        let home = person.ordinals().script_pubkey();
        self.world.chain.inscribe(&home, Amount::from_sat(546), "text/plain", text.as_bytes()).unwrap()
    }

    fn note(&self, person: &Person, tokens: u32) -> InscriptionId {
        self.write(person, &format!(r#"{{"p":"brc-20","op":"transfer","tick":"newt","amt":"{tokens}"}}"#))
    }

    /// A borrower with this number of newts, and a lender's offer against 100,000 of them.
    async fn newts(tokens: u32) -> (Self, OfferId) {
        let fixture = Self::new().await;
        fixture.write(&fixture.borrower, r#"{"p":"brc-20","op":"deploy","tick":"newt","max":"21000000"}"#);
        let mint = format!(r#"{{"p":"brc-20","op":"mint","tick":"newt","amt":"{tokens}"}}"#);
        fixture.write(&fixture.borrower, &mint);
        let offer = fixture.offer_of(NEWTS, 0, LENT).await;
        (fixture, offer)
    }

    fn exact_coin(&self) {
        self.world.fund(&self.lender.payment_script(), EXACTLY);
    }

    /// Accepts and counter-signs a loan, unconfirmed.
    async fn sent(&self, request: &LoanRequest) -> LoanId {
        let handout = self.world.service.prepare(request).await.unwrap();
        self.accept(&handout).await;
        assert_eq!(self.countersign(handout.loan).await, handout.txid);
        handout.loan
    }

    /// A confirmed loan against a transfer inscription.
    pub(crate) async fn lent_against_a_note() -> (Self, LoanId) {
        let (fixture, offer) = Self::newts(100_000).await;
        fixture.note(&fixture.borrower, 100_000);
        fixture.exact_coin();
        let id = fixture.sent(&fixture.request(offer, None)).await;
        fixture.block().await;
        (fixture, id)
    }

    /// The available and transferable balance, in whole tokens.
    async fn newts_of(&self, person: &Person) -> (u128, u128) {
        let balance = self.world.chain.balance(&person.ordinals().script_pubkey(), "newt").await.unwrap();
        (balance.available / TOKEN, balance.transferable / TOKEN)
    }
}

#[actix::test]
async fn a_bundle_of_runes_is_pledged_and_returned_by_the_repayment() {
    let (fixture, gold, coin) = gold_rune().await;
    let offer = fixture.offer_of(GOLD, 1, LENT).await;
    fixture.share(gold, coin, &[(&fixture.borrower, 4_000_000), (&fixture.borrower, 7_000_000)]).await;
    let id = fixture.sent(&fixture.request(offer, None)).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
    assert_eq!(fixture.loan(id).await.deal.pledged_raw, BAR);
    assert_eq!(fixture.runes_of(&fixture.borrower, gold).await, SUPPLY - BAR);
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
    assert_eq!(fixture.runes_of(&fixture.borrower, gold).await, SUPPLY);
    assert_eq!(fixture.world.chain.rune_supply(gold).unwrap().burned, 0);
}

#[actix::test]
async fn a_hardware_wallet_pledges_no_tokens_as_it_could_not_repay_them() {
    let (fixture, gold, coin) = gold_rune().await;
    let offer = fixture.offer_of(GOLD, 1, LENT).await;
    fixture.share(gold, coin, &[(&fixture.borrower, BAR)]).await;
    let (noted, newts) = Fixture::newts(100_000).await;
    noted.note(&noted.borrower, 100_000);
    noted.exact_coin();
    for (fixture, request) in [(&fixture, fixture.request(offer, None)), (&noted, noted.request(newts, None))] {
        let before = fixture.world.journal.batches().len();
        let hardware = LoanRequest { is_hardware_wallet: true, ..request.clone() };
        assert!(matches!(fixture.world.service.prepare(&hardware).await, Err(LoanServiceError::HardwareWallet)));
        assert_eq!(fixture.world.journal.batches().len(), before);
        fixture.world.service.prepare(&request).await.unwrap();
    }
}

#[actix::test]
async fn an_unrepaid_bundle_of_runes_is_claimed() {
    let (fixture, gold, coin) = gold_rune().await;
    let offer = fixture.offer_of(GOLD, 1, LENT).await;
    fixture.share(gold, coin, &[(&fixture.borrower, BAR)]).await;
    let id = fixture.sent(&fixture.request(offer, None)).await;
    fixture.block().await;
    fixture.pass_days(16).await;
    assert_eq!(fixture.stage(id).await, LoanStage::Expired);
    fixture.claim(id).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Claimed);
    assert_eq!(fixture.runes_of(&fixture.lender, gold).await, BAR);
}

#[actix::test]
async fn runes_that_do_not_suffice_or_are_reserved_are_refused_by_name() {
    let (fixture, gold, coin) = gold_rune().await;
    let other = fixture.world.person(102).await;
    fixture.share(gold, coin, &[(&other, SUPPLY - BAR - 1), (&fixture.borrower, BAR + 1)]).await;
    let offers = [fixture.offer_of(GOLD, 1, LENT).await, fixture.offer_of(GOLD, 1, LENT).await];
    let service = &fixture.world.service;
    let first = service.prepare(&fixture.request(offers[0], None)).await.unwrap();
    fixture.accept(&first).await;
    let error = service.prepare(&fixture.request(offers[1], None)).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::InsufficientTokens { wanted: BAR, found: 0 }), "{error}");
    service.withdraw(fixture.borrower.user, first.loan).await.unwrap();
    assert_ne!(service.prepare(&fixture.request(offers[1], None)).await.unwrap().loan, first.loan);
}

#[actix::test]
async fn a_transfer_moves_tokens_to_the_escrow_and_the_repayment_returns_them() {
    let (fixture, offer) = Fixture::newts(150_000).await;
    let note = fixture.note(&fixture.borrower, 100_000);
    fixture.exact_coin();
    // The transfer inscription need not be named where there is one of exactly this amount.
    let handout = fixture.world.service.prepare(&fixture.request(offer, None)).await.unwrap();
    assert_eq!(handout.transactions.len(), 2, "the new transfer is revealed by a transaction of its own");
    assert_eq!(fixture.loan(handout.loan).await.deal.pledged_ids, [note].into_iter().collect());
    let id = handout.loan;
    fixture.accept(&handout).await;
    let lenders = fixture.world.service.prepare_countersign(fixture.lender.user, id).await.unwrap();
    assert_eq!(lenders.origination.transactions.len(), 1, "the lender has nothing to sign in the reveal");
    let before = fixture.lender.payment_balance(&fixture.world).await;
    fixture.countersign(id).await;
    assert_eq!(fixture.world.chain.mempool_txids().len(), 2);
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Active);
    assert_eq!(before - fixture.lender.payment_balance(&fixture.world).await, EXACTLY);
    assert_eq!(fixture.newts_of(&fixture.borrower).await, (50_000, 0));
    fixture.repay(&[id]).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Repaid);
    assert_eq!(fixture.newts_of(&fixture.borrower).await, (150_000, 0));
}

#[actix::test]
async fn the_tokens_of_an_unrepaid_transfer_go_to_the_lender() {
    let (fixture, offer) = Fixture::newts(100_000).await;
    let note = fixture.note(&fixture.borrower, 100_000);
    fixture.exact_coin();
    let id = fixture.sent(&fixture.request(offer, Some(note))).await;
    fixture.block().await;
    fixture.pass_days(9).await;
    fixture.claim(id).await;
    fixture.block().await;
    assert_eq!(fixture.stage(id).await, LoanStage::Claimed);
    assert_eq!(fixture.newts_of(&fixture.lender).await, (100_000, 0));
}

#[actix::test]
async fn a_brc20_loan_begins_when_the_indexer_has_read_the_new_transfer() {
    let (fixture, offer) = Fixture::newts(100_000).await;
    fixture.note(&fixture.borrower, 100_000);
    fixture.exact_coin();
    let id = fixture.sent(&fixture.request(offer, None)).await;
    for set in [|faults: &mut Faults| faults.is_index_unreachable = true, |faults: &mut Faults| faults.brc20_behind = 1]
    {
        set(&mut fixture.world.faults.lock());
        if fixture.world.chain.mempool_txids().is_empty() {
            fixture.run_watch().await;
        } else {
            fixture.block().await;
        }
        assert_eq!(fixture.stage(id).await, LoanStage::Broadcast);
        *fixture.world.faults.lock() = Faults::default();
    }
    fixture.run_watch().await;
    let loan = fixture.loan(id).await;
    assert_eq!(loan.stage, LoanStage::Active);
    assert_eq!(loan.began.unwrap().height, fixture.world.chain.tip().await.unwrap().height);
}

#[actix::test]
async fn an_invalidated_new_transfer_secures_no_loan() {
    let (fixture, offer) = Fixture::newts(100_000).await;
    fixture.note(&fixture.borrower, 100_000);
    fixture.exact_coin();
    let id = fixture.sent(&fixture.request(offer, None)).await;
    let running = Running::of(&fixture.loan(id).await).unwrap();
    let [origination, reveal] = &running.transactions[..] else { panic!("two transactions") };
    // A miner leaves the reveal out, and a rival transfer inscription uses up the escrow's balance before it.
    fixture.world.chain.mine_transactions(vec![origination.clone()]).unwrap();
    let escrow = running.record().loan.escrow.output().script_pubkey();
    let rival = br#"{"p":"brc-20","op":"transfer","tick":"newt","amt":"100000"}"#;
    fixture.world.chain.inscribe(&escrow, Amount::from_sat(546), "text/plain", rival).unwrap();
    fixture.world.chain.mine_transactions(vec![reveal.clone()]).unwrap();
    for _ in 0..8 {
        fixture.block().await;
        assert_eq!(fixture.stage(id).await, LoanStage::Broadcast, "no term runs, and no claim is possible");
    }
}

#[actix::test]
async fn a_lender_needs_a_coin_of_exactly_the_sum_of_a_brc20_loan() {
    let (fixture, offer) = Fixture::newts(100_000).await;
    fixture.note(&fixture.borrower, 100_000);
    let (service, request) = (&fixture.world.service, fixture.request(offer, None));
    for sats in [EXACTLY - 1, EXACTLY + 1] {
        fixture.world.fund(&fixture.lender.payment_script(), sats);
        let error = service.prepare(&request).await.unwrap_err();
        let wanted = Amount::from_sat(EXACTLY);
        assert!(matches!(error, LoanServiceError::NoExactLenderCoin { wanted: found } if found == wanted), "{error}");
    }
    fixture.exact_coin();
    let handout = service.prepare(&request).await.unwrap();
    fixture.accept(&handout).await;
    // It was spent meanwhile: another of the same amount replaces it, and without one the request fails.
    fixture.lender.spend_all(&fixture.world).await;
    let error = service.prepare_countersign(fixture.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::NoExactLenderCoin { .. }), "{error}");
    fixture.exact_coin();
    let error = service.prepare_countersign(fixture.lender.user, handout.loan).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::Rebuilt), "{error}");
    let again = service.prepared(fixture.borrower.user, handout.loan).await.unwrap();
    fixture.accept(&again).await;
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Active);
}

#[actix::test]
async fn a_lender_makes_the_exact_coin_of_a_brc20_loan_out_of_others() {
    let (fixture, offer) = Fixture::newts(100_000).await;
    fixture.note(&fixture.borrower, 100_000);
    let (service, request) = (&fixture.world.service, fixture.request(offer, None));
    let before = fixture.lender.payment_balance(&fixture.world).await;
    let LoanServiceError::NoExactLenderCoin { wanted } = service.prepare(&request).await.unwrap_err() else {
        panic!("no exact coin")
    };
    let party = Party::of(&addresses(&fixture.lender.wallet), Network::Regtest).unwrap();
    let coin = PaymentRequest { sats: Sats::new(wanted.to_sat()), fee_rate: FeeRate::from_sat_per_kwu(500) };
    let prepared = service.prepare_exact_coin(&party, coin).await.unwrap();
    assert_eq!(prepared.to, fixture.lender.wallet.payment_address().to_string());
    let signed = fixture.lender.wallet.sign_psbt(&prepared.transaction_base64).unwrap();
    let txid = service.submit_exact_coin(&party, &signed).await.unwrap();
    let early = service.prepare(&request).await.unwrap_err();
    assert!(matches!(early, LoanServiceError::NoExactLenderCoin { .. }), "it is unconfirmed: {early}");
    fixture.block().await;
    assert_eq!(service.submit_exact_coin(&party, &signed).await.unwrap(), txid, "it is mined");
    assert_eq!(
        fixture.lender.payment_balance(&fixture.world).await,
        before - prepared.fee.get(),
        "the rest was returned"
    );
    let handout = service.prepare(&request).await.unwrap();
    fixture.accept(&handout).await;
    // A reserved coin is not used to make another one.
    let another = service.prepare_exact_coin(&party, coin).await.unwrap();
    let another: Psbt = another.transaction_base64.parse().unwrap();
    assert!(another.unsigned_tx.input.iter().all(|input| input.previous_output != OutPoint::new(txid, 0)));
    fixture.countersign(handout.loan).await;
    fixture.block().await;
    assert_eq!(fixture.stage(handout.loan).await, LoanStage::Active);
}

#[actix::test]
async fn invalid_transfers_are_refused_by_name_and_change_nothing() {
    let (fixture, offer) = Fixture::newts(400_000).await;
    fixture.exact_coin();
    let service = &fixture.world.service;
    let wanted = 100_000 * TOKEN;
    let small = fixture.note(&fixture.borrower, 99_999);
    let written = fixture.world.journal.batches().len();
    let error = service.prepare(&fixture.request(offer, None)).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::NoNote { wanted: found } if found == wanted), "{error}");
    let refused = |id| {
        let request = fixture.request(offer, Some(id));
        async move {
            match service.prepare(&request).await.unwrap_err() {
                LoanServiceError::Note(error) => error,
                other => panic!("{other}"),
            }
        }
    };
    assert_eq!(refused(small).await, TransferInscriptionError::OtherAmount { wanted, found: 99_999 * TOKEN });
    let frog = fixture.write(&fixture.borrower, "a frog");
    assert_eq!(refused(frog).await, TransferInscriptionError::Invalid(frog));
    let too_much = fixture.note(&fixture.borrower, 400_000);
    assert_eq!(refused(too_much).await, TransferInscriptionError::Invalid(too_much));
    let other = fixture.world.person(102).await;
    fixture.write(&other, r#"{"p":"brc-20","op":"mint","tick":"newt","amt":"100000"}"#);
    let theirs = fixture.note(&other, 100_000);
    assert_eq!(refused(theirs).await, TransferInscriptionError::Inscription(InscriptionError::NotYours(theirs)));
    fixture.write(&fixture.borrower, r#"{"p":"brc-20","op":"deploy","tick":"toad","max":"21000000"}"#);
    fixture.write(&fixture.borrower, r#"{"p":"brc-20","op":"mint","tick":"toad","amt":"100000"}"#);
    let toad = fixture.write(&fixture.borrower, r#"{"p":"brc-20","op":"transfer","tick":"toad","amt":"100000"}"#);
    let other_ticker = TransferInscriptionError::OtherTicker { wanted: "newt".to_owned(), found: "toad".to_owned() };
    assert_eq!(refused(toad).await, other_ticker);
    // A transfer inscription is consumed by its first move, even when it comes back.
    let moved = fixture.note(&fixture.borrower, 100_000);
    let place = bitcoin::OutPoint::new(moved.txid, 0);
    let output = fixture.world.chain.unspent(place).await.unwrap().unwrap().output;
    let fee = fixture.world.fund(&fixture.borrower.payment_script(), 9_000);
    let paying = fixture.world.chain.unspent(fee).await.unwrap().unwrap().output;
    let home = bitcoin::TxOut { value: Amount::from_sat(8_000), ..output.clone() };
    let back = fixture.borrower.spend(&[(place, output), (fee, paying)], vec![home]);
    fixture.world.chain.broadcast(&[back]).await.unwrap();
    fixture.world.chain.mine(1).unwrap();
    assert_eq!(refused(moved).await, TransferInscriptionError::Used(moved));
    // A stale BRC-20 indexer causes a refusal, but not of the transfer inscription itself.
    let good = fixture.note(&fixture.borrower, 100_000);
    fixture.world.faults.lock().brc20_behind = 1;
    let lagging = refused(good).await;
    let is_lagging = matches!(
        lagging,
        TransferInscriptionError::Inscription(InscriptionError::Lookup(LookupError::Lagging { wanted, found })) if found + 1 == wanted
    );
    assert!(is_lagging, "{lagging}");
    fixture.world.faults.lock().brc20_behind = 0;
    assert_eq!(fixture.world.journal.batches().len(), written + 1, "only a sign-in");
    service.prepare(&fixture.request(offer, Some(good))).await.unwrap();
}
