//! Tests of instant loans from a vault that was moved from a single signer to two of three.

use bitcoin::FeeRate;
use domain::{Nonce, OfferId};
use escrow::address::AddressKind;
use lending::chain_watch::loan_watch::LoanWatchState;
use lending::instant_offers::reconcile::ReconcilePass;
use lending::instant_offers::service::{InstantOfferState, InstantOffers};
use lending::lookups::confirmations::SETTLEMENT_CONFIRMATIONS;
use lending::lookups::ports::Ports as _;
use lending::service::loan_service_error::LoanServiceError;
use lending::vaults::lender_order::SignedOrder;
use lending::vaults::vault_move::MoveError;
use lending::vaults::withdrawal::WithdrawalRequest;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::kit::faults::FaultMode;
use crate::kit::groups::FROGS;

const RATE: FeeRate = FeeRate::from_sat_per_kwu(500);
/// The place of the previous signer among all.
const PREVIOUS: usize = 3;

impl Fixture {
    fn with_successors(self) -> Self {
        let Self { world, lender, borrower, watch_state } = self;
        Self { world: world.with_successors(), lender, borrower, watch_state }
    }

    fn restarted_server(self) -> Self {
        let Self { world, lender, borrower, watch_state } = self;
        Self { world: world.restarted(), lender, borrower, watch_state }
    }

    async fn move_order(&self) -> Result<SignedOrder, MoveError> {
        let action = self.world.service.prepare_move(self.lender.user, RATE).await?.action;
        let signed = self.world.sign(&self.lender, AddressKind::P2tr, action);
        Ok(SignedOrder { signed: signed.text, nonce_use: signed.nonce_use, fee_rate: RATE })
    }

    /// Moves the vault, and confirms that.
    async fn move_vault(&self) {
        let order = self.move_order().await.unwrap();
        self.world.service.submit_move(self.lender.user, &order).await.unwrap();
        self.blocks_for_all(SETTLEMENT_CONFIRMATIONS).await;
    }

    async fn blocks_for_all(&self, count: u32) {
        for _ in 0..count {
            self.block_for_all().await;
        }
    }

    async fn is_offered(&self, offer: OfferId) -> bool {
        let own = self.world.service.market.my_offers(self.lender.user).await.unwrap();
        own.iter().any(|one| one.offer_id.0 == offer)
    }
}

#[actix::test]
async fn a_vault_of_the_previous_signer_lends_as_before_until_it_is_moved_and_then_by_the_new_ones() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let early = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let fixture = fixture.with_successors();
    let frog = fixture.frog().await;
    let handout = fixture.world.service.prepare_instant(&fixture.request(early, Some(frog))).await.unwrap();
    fixture.start(&handout).await;
    let in_use = fixture.move_order().await;
    assert!(matches!(in_use, Err(MoveError::Vault(_))), "{in_use:?}");
    fixture.blocks_for_all(SETTLEMENT_CONFIRMATIONS).await;
    fixture.move_vault().await;
    // The loan from before the move is between borrower and lender alone.
    fixture.repay_to_the_sat(handout.loan, frog).await;
    let (loan, frog) = fixture.lent().await;
    let fixture = fixture.restarted_server();
    fixture.repay_to_the_sat(loan, frog).await;
    let request = WithdrawalRequest { sats: None, fee_rate: RATE };
    let prepared = fixture.world.service.prepare_withdrawal(fixture.lender.user, request).await.unwrap();
    let signed = fixture.world.sign(&fixture.lender, AddressKind::P2wpkh, prepared.action);
    let order = SignedOrder { signed: signed.text, nonce_use: signed.nonce_use, fee_rate: RATE };
    assert!(fixture.world.service.submit_withdrawal(fixture.lender.user, &order).await.unwrap().is_sent);
}

#[actix::test]
async fn open_offers_leave_the_book_with_the_move_and_a_prepared_loan_of_one_is_refused() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let other = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let fixture = fixture.with_successors();
    let frog = fixture.frog().await;
    let handout = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    fixture.move_vault().await;
    assert!(!fixture.is_offered(offer).await && !fixture.is_offered(other).await);
    let refused = fixture.submit(&fixture.borrower, &handout).await;
    assert!(refused.is_err(), "{refused:?}");
    assert!(fixture.world.chain.mempool_txids().is_empty());
}

#[actix::test]
async fn offers_that_a_crash_leaves_in_the_book_are_cancelled_by_the_reconciliation() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let fixture = fixture.with_successors();
    let order = fixture.move_order().await.unwrap();
    let before = fixture.world.journal.batches().len();
    fixture.world.service.submit_move(fixture.lender.user, &order).await.unwrap();
    let Fixture { world, lender, borrower, watch_state } = fixture;
    let fixture = Fixture { world: world.after_crash(before + 2), lender, borrower, watch_state };
    assert!(fixture.is_offered(offer).await);
    let (service, state) = (&fixture.world.service, InstantOfferState::default());
    let quotes = InstantOffers { market: &service.market, signer: service.ports.signer(), state: &state };
    quotes.reconcile(ReconcilePass::Startup).await.unwrap();
    assert!(!fixture.is_offered(offer).await);
}

#[actix::test]
async fn each_vault_needs_its_own_signers_alone() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let fixture = fixture.with_successors();
    fixture.world.faults.lock().odd_signer = Some((PREVIOUS, FaultMode::Unreachable));
    let refused = fixture.prepared_by_offer_of_a_new_lender().await;
    assert!(refused.is_ok(), "a vault of the new signers: {refused:?}");
    fixture.world.faults.lock().odd_signer = None;
    fixture.world.faults.lock().signs = FaultMode::Unreachable;
    fixture.world.faults.lock().odd_signer = Some((PREVIOUS, FaultMode::Healthy));
    let (loan, frog) = fixture.lent().await;
    fixture.repay_to_the_sat(loan, frog).await;
}

impl Fixture {
    /// Prepares a loan from the vault of a lender who opens it now.
    async fn prepared_by_offer_of_a_new_lender(&self) -> Result<(), LoanServiceError> {
        let lender = self.world.person(2).await;
        let vault = self.world.open_vault(&lender).await;
        self.world.fund(&vault.output().script_pubkey(), 3_000_000);
        self.run_vault_watch().await;
        let other = Self {
            world: self.world.clone(),
            lender,
            borrower: self.world.borrower().await,
            watch_state: LoanWatchState::default(),
        };
        let offer = other.instant_offer(FROGS, PRINCIPAL, None).await;
        let frog = other.frog().await;
        other.world.service.prepare_instant(&other.request(offer, Some(frog))).await.map(drop)
    }
}

#[actix::test]
async fn the_text_of_a_move_is_of_no_use_for_another_transaction() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let fixture = fixture.with_successors();
    let order = fixture.move_order().await.unwrap();
    fixture.world.service.submit_move(fixture.lender.user, &order).await.unwrap();
    let nonce_use = engine::NonceUse { nonce: Nonce(u128::MAX), ..order.nonce_use };
    let again = SignedOrder { nonce_use, ..order };
    let refused = fixture.world.service.submit_move(fixture.lender.user, &again).await;
    assert!(matches!(refused, Err(MoveError::NotMovable)), "{refused:?}");
}
