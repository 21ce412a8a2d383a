//! A lender with an offer, a borrower with collateral, and their actions.

use bitcoin::{Amount, FeeRate, Txid};
use domain::{
    Command, GroupId, LoanAccount, LoanId, LoanStage, OfferDraft, OfferId, ProcessType, Sats, SubCollectionId,
};
use engine::asset_index::{AssetIndex as _, InscriptionId};
use engine::chain::Chain as _;
use lending::chain_watch::loan_watch::LoanWatchState;
use lending::origination::countersign::Countersigned;
use lending::origination::loan_request::LoanRequest;
use lending::service::unsigned_transactions::UnsignedLoan;

use crate::kit::groups::FROGS;
use crate::kit::people::Person;
use crate::kit::world::World;

pub(crate) const PRINCIPAL: Sats = Sats::new(1_000_000);

/// A world with a funded lender and a funded borrower.
pub(crate) struct Fixture {
    pub(crate) world: World,
    pub(crate) lender: Person,
    pub(crate) borrower: Person,
    pub(crate) watch_state: LoanWatchState,
}

/// The vault's cost at [`rate`] of change in this number of outputs: 43 bytes for each but one.
pub(crate) const fn split_cost(outputs: u64) -> u64 {
    (outputs - 1) * 43 * 5
}

pub(crate) fn rate() -> FeeRate {
    FeeRate::from_sat_per_vb_u32(5)
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::of(World::new().await).await
    }

    pub(crate) async fn of(world: World) -> Self {
        let (lender, borrower) = (world.lender().await, world.borrower().await);
        for person in [&lender, &borrower] {
            for _ in 0..3 {
                world.fund(&person.payment_script(), 1_500_000);
            }
        }
        Self { world, lender, borrower, watch_state: LoanWatchState::default() }
    }

    /// The same with another lender, also funded.
    pub(crate) async fn with_lender(mut self, number: u8) -> Self {
        self.lender = self.world.person(number).await;
        for _ in 0..3 {
            self.world.fund(&self.lender.payment_script(), 1_500_000);
        }
        self
    }

    /// Creates a manual offer of the lender in a sub-collection.
    pub(crate) async fn offer(&self, group: GroupId, sub_collection: u16) -> OfferId {
        self.offer_of(group, sub_collection, PRINCIPAL).await
    }

    pub(crate) async fn offer_of(&self, group: GroupId, sub_collection: u16, principal: Sats) -> OfferId {
        let draft = OfferDraft::plain(SubCollectionId(sub_collection), ProcessType::Manual, principal);
        let create = Command::Create { lender: self.lender.user, draft, count: 1, usable: None };
        self.world.service.market.command(group, create, None).await.unwrap().offers[0].offer_id.0
    }

    /// Inscribes a frog for the borrower, and lists it in the collection.
    pub(crate) async fn frog(&self) -> InscriptionId {
        self.frog_of(&self.borrower).await
    }

    pub(crate) async fn frog_of(&self, person: &Person) -> InscriptionId {
        let home = person.ordinals().script_pubkey();
        let id = self.world.chain.inscribe(&home, Amount::from_sat(10_000), "text/plain", b"a frog").unwrap();
        self.world.service.market.list_inscriptions(FROGS, &[id.into()]).await.unwrap();
        id
    }

    pub(crate) fn request(&self, offer: OfferId, inscription: Option<InscriptionId>) -> LoanRequest {
        LoanRequest {
            borrower: self.borrower.user,
            offer,
            inscriptions: inscription.into_iter().collect(),
            amount_raw: None,
            fee_rate: rate(),
            is_hardware_wallet: false,
            link_key: None,
            refinances: None,
        }
    }

    /// Prepares a loan against a new frog.
    pub(crate) async fn prepared(&self) -> UnsignedLoan {
        let (offer, frog) = (self.offer(FROGS, 0).await, self.frog().await);
        self.world.service.prepare(&self.request(offer, Some(frog))).await.unwrap()
    }

    /// The same, accepted by the borrower.
    pub(crate) async fn accepted(&self) -> LoanId {
        let handout = self.prepared().await;
        self.accept(&handout).await;
        handout.loan
    }

    /// Whether borrowers can take an offer.
    pub(crate) async fn is_live(&self, offer: OfferId) -> bool {
        self.world.service.market.offer(offer).await.unwrap().is_some_and(|offer| offer.is_live())
    }

    pub(crate) async fn accept(&self, handout: &UnsignedLoan) -> Txid {
        let signed = self.borrower.sign(&handout.transactions);
        self.world.service.accept(self.borrower.user, handout.loan, &signed).await.unwrap()
    }

    /// The same, counter-signed and confirmed.
    pub(crate) async fn originated(&self) -> LoanId {
        let id = self.accepted().await;
        self.countersign(id).await;
        self.block().await;
        assert_eq!(self.stage(id).await, LoanStage::Active);
        id
    }

    pub(crate) async fn countersigned(&self, id: LoanId) -> Countersigned {
        let handout = self.world.service.prepare_countersign(self.lender.user, id).await.unwrap();
        let [two, truc] = &handout.payouts;
        Countersigned {
            origination: self.lender.sign(&handout.origination.transactions).remove(0),
            payouts: [self.lender.sign_one(two), self.lender.sign_one(truc)],
        }
    }

    pub(crate) async fn countersign(&self, id: LoanId) -> Txid {
        let signed = self.countersigned(id).await;
        self.world.service.countersign(self.lender.user, id, &signed).await.unwrap()
    }

    /// Repays loans for the borrower, unconfirmed.
    pub(crate) async fn repay(&self, ids: &[LoanId]) -> Txid {
        let service = &self.world.service;
        let handout = service.prepare_repayment(self.borrower.user, ids, rate()).await.unwrap();
        let signed = self.borrower.sign_one(&handout.transaction);
        let txid = service.submit_repayment(self.borrower.user, ids, &signed).await.unwrap();
        assert_eq!(txid, handout.txid);
        txid
    }

    /// Claims a loan for the lender, unconfirmed.
    pub(crate) async fn claim(&self, id: LoanId) -> Txid {
        let service = &self.world.service;
        let handout = service.prepare_claim(self.lender.user, id, rate()).await.unwrap();
        let signed = self.lender.sign_one(&handout.transaction);
        let txid = service.submit_claim(self.lender.user, id, &signed).await.unwrap();
        assert_eq!(txid, handout.txid);
        txid
    }

    /// Passes days, and mines blocks until their median time agrees with the clock.
    pub(crate) async fn pass_days(&self, days: u32) {
        self.world.pass(days * 86_400);
        for _ in 0..7 {
            self.block().await;
        }
    }

    /// Mines a block, and runs the watch.
    pub(crate) async fn block(&self) {
        self.world.chain.mine(1).unwrap();
        self.run_watch().await;
    }

    pub(crate) async fn run_watch(&self) {
        self.world.service.watch_loans_once(&self.watch_state).await.unwrap();
    }

    pub(crate) async fn loan(&self, id: LoanId) -> LoanAccount {
        self.world.service.market.loan(id).await.unwrap()
    }

    pub(crate) async fn stage(&self, id: LoanId) -> LoanStage {
        self.loan(id).await.stage
    }

    /// Whether no record of a loan is kept: its borrower never accepted it, and it is over.
    pub(crate) async fn is_gone(&self, id: LoanId) -> bool {
        self.world.service.market.loan(id).await.is_none()
    }

    /// Whether an inscription is on an output of this user.
    pub(crate) async fn owns(&self, person: &Person, id: InscriptionId) -> bool {
        let (place, _) = self.world.chain.sat_point(id).await.unwrap().unwrap();
        let unspent = self.world.chain.unspent(place).await.unwrap();
        unspent.is_some_and(|unspent| unspent.output.script_pubkey == person.ordinals().script_pubkey())
    }
}
