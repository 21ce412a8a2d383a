//! Loans between users of a test, created directly in the market: without wallet signatures and without a chain.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::{
    BlockTime, Command, Ending, InterestRate, LoanCoins, LoanDeal, LoanEvent, LoanId, OfferDraft, Outpoint,
    ProcessType, Sats, SubCollectionId, TermDays, UnixMs,
};
use engine::SignedLoan;

use super::lender::TestUser;
use super::rig::Rig;

/// The borrower's wallet answer, the contract, the signed transactions: texts that must never be shown to any user.
pub const SECRETS: [&str; 3] = ["the-contract-text", "the-borrowers-answer", "the-finished-transactions"];

pub const PRINCIPAL: u64 = 400_000;
pub const INTEREST: u64 = 4_800;
pub const DAY_MS: u64 = 86_400_000;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A loan of a test.
#[derive(Clone, Copy)]
pub struct TestLoan {
    pub id: LoanId,
}

impl TestLoan {
    /// A manual loan against an inscription that the borrower has yet to sign.
    pub async fn prepared(rig: &Rig, lender: &TestUser, borrower: &TestUser) -> Self {
        Self::against(rig, lender, borrower, &"ab".repeat(32)).await
    }

    /// The same, against an inscription of this id.
    pub async fn against(rig: &Rig, lender: &TestUser, borrower: &TestUser, inscription: &str) -> Self {
        let market = &rig.app().market;
        let group = market.group_named("paper-frogs").unwrap().id;
        let draft = OfferDraft::plain(SubCollectionId(0), ProcessType::Manual, Sats::new(PRINCIPAL));
        let create = Command::Create { lender: lender.id, draft, count: 1, usable: None };
        let offer = market.command(group, create, None).await.unwrap().offers[0].offer_id.0;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let id = LoanId((1 << 100) + u128::from(number));
        let expires_at = rig.app().now().plus_ms(900_000);
        let mut txid = [7; 32];
        txid[..8].copy_from_slice(&number.to_be_bytes());
        let deal = LoanDeal {
            offer,
            sub_collection: SubCollectionId(0),
            process: ProcessType::Manual,
            lender: lender.id,
            borrower: borrower.id,
            principal: Sats::new(PRINCIPAL),
            rate: InterestRate::from_basis_points(120),
            interest: Sats::new(INTEREST),
            platform_fee: Sats::new(INTEREST / 5),
            pledged_raw: 1,
            pledged_ids: [inscription].into_iter().collect(),
            term: TermDays(7),
            claim_after: rig.app().now().plus_ms(9 * DAY_MS),
            follows: None,
        };
        let coins = LoanCoins { collateral: vec![Outpoint { txid, vout: 0 }], money: Vec::new() };
        let (deal, contract) = (Box::new(deal), SECRETS[0].to_owned());
        market.prepare_loan(id, LoanEvent::SoftPrepared { deal, contract, expires_at, coins }).await.unwrap();
        Self { id }
    }

    /// The borrower accepts; the lender has yet to sign.
    pub async fn accept(self, rig: &Rig) -> Self {
        let until = rig.app().now().plus_ms(43_200_000);
        rig.app().market.await_lender(self.id, SECRETS[1].to_owned(), until).await.unwrap();
        self
    }

    /// Both have signed.
    pub async fn begin(self, rig: &Rig) -> Self {
        let signed = SignedLoan { txid: [9; 32], running: SECRETS[2].to_owned(), vault: None, ends: None };
        rig.app().market.begin_loan(self.id, signed, None).await.unwrap();
        self
    }

    /// The origination has been confirmed for this many days.
    pub async fn confirm(self, rig: &Rig, days_ago: u64) -> Self {
        let at = UnixMs(rig.app().now().0 - days_ago * DAY_MS);
        self.apply(rig, LoanEvent::Confirmed(BlockTime { height: 100, at })).await
    }

    pub async fn apply(self, rig: &Rig, event: LoanEvent) -> Self {
        rig.app().market.step_loan(self.id, event).await.unwrap();
        self
    }

    /// The repayment is confirmed.
    pub async fn repay(self, rig: &Rig) -> Self {
        let mined = BlockTime { height: 101, at: rig.app().now() };
        rig.app().market.finish_loan(self.id, Ending::Repayment, [8; 32], mined).await.unwrap();
        self
    }

    /// A loan whose term is running.
    pub async fn running(rig: &Rig, lender: &TestUser, borrower: &TestUser) -> Self {
        Self::prepared(rig, lender, borrower).await.accept(rig).await.begin(rig).await.confirm(rig, 0).await
    }
}
