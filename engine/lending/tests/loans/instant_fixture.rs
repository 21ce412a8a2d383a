//! Instant offers, their vaults and their loans, for the tests of instant loans.

use std::time::{Duration, Instant};

use bitcoin::FeeRate;
use bitcoin::hashes::Hash as _;
use domain::{
    Command, GroupId, LoanId, LoanStage, Ltv, OfferDraft, OfferId, ProcessType, Quantity, Sats, SubCollectionId,
};
use engine::asset_index::InscriptionId;
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use escrow::action::{Action, InstantTerms, NewOffer, OfferProcess};
use escrow::address::AddressKind;
use escrow::contract::vault::Vault;
use lending::lookups::ports::Ports as _;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service_error::LoanServiceError;
use lending::service::unsigned_transactions::UnsignedLoan;
use lending::vaults::vault_watch::VaultWatch;
use signer::vault_signer::VaultSigner as _;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::kit::groups::{FROGS, groups};
use crate::kit::people::Person;

impl Fixture {
    /// Opens the lender's vault with outputs of these amounts.
    pub(crate) async fn vault(&self, amounts: &[u64]) -> Vault {
        let vault = self.world.open_vault(&self.lender).await;
        for sats in amounts {
            self.world.fund(&vault.output().script_pubkey(), *sats);
        }
        self.run_vault_watch().await;
        vault
    }

    pub(crate) async fn run_vault_watch(&self) {
        let round = VaultWatch::new(self.world.service.clone()).round().await.unwrap();
        assert_eq!(round.failed, []);
    }

    /// Mines a block, and runs all watches.
    pub(crate) async fn block_for_all(&self) {
        self.block().await;
        self.run_vault_watch().await;
    }

    /// Prepares a loan of the borrower by a new offer, against a new frog.
    pub(crate) async fn prepared_instant(&self) -> (UnsignedLoan, InscriptionId) {
        let (offer, frog) = (self.instant_offer(FROGS, PRINCIPAL, None).await, self.frog().await);
        (self.world.service.prepare_instant(&self.request(offer, Some(frog))).await.unwrap(), frog)
    }

    /// Starts such a loan, and confirms it.
    pub(crate) async fn lent(&self) -> (LoanId, InscriptionId) {
        let (handout, frog) = self.prepared_instant().await;
        self.start(&handout).await;
        (handout.loan, frog)
    }

    /// Starts a prepared loan of the borrower, and confirms it.
    pub(crate) async fn start(&self, handout: &UnsignedLoan) {
        self.submit(&self.borrower, handout).await.unwrap();
        self.block_for_all().await;
        assert_eq!(self.stage(handout.loan).await, LoanStage::Active);
    }

    /// Repays a loan and confirms that: the lender has principal and interest, and the borrower the frog.
    pub(crate) async fn repay_to_the_sat(&self, loan: LoanId, frog: InscriptionId) {
        let before = self.lender.payment_balance(&self.world).await;
        self.repay(&[loan]).await;
        self.block_for_all().await;
        assert_eq!(self.stage(loan).await, LoanStage::Repaid);
        assert!(self.owns(&self.borrower, frog).await);
        assert_eq!(self.lender.payment_balance(&self.world).await - before, PRINCIPAL.get() + 12_000);
    }

    /// Claims a loan that is not repaid, and confirms that: the lender has the frog.
    pub(crate) async fn claim_unpaid(&self, loan: LoanId, frog: InscriptionId) {
        self.pass_days(9).await;
        self.claim(loan).await;
        self.block_for_all().await;
        assert_eq!(self.stage(loan).await, LoanStage::Claimed);
        assert!(self.owns(&self.lender, frog).await);
    }

    /// Creates an instant offer that the signer backs and borrowers see.
    pub(crate) async fn instant_offer(&self, group: GroupId, principal: Sats, collateral_raw: Option<u128>) -> OfferId {
        let world = &self.world;
        let ltv_max = 9_500;
        let draft = OfferDraft {
            quantity: collateral_raw.map(|raw| Quantity::tokens(raw, 2)),
            max_ltv: Some(Ltv::from_basis_points(ltv_max)),
            ..OfferDraft::plain(SubCollectionId(0), ProcessType::Instant, principal)
        };
        let policy = world.policy_of(&self.lender).await;
        let create = Command::Create { lender: self.lender.user, draft, count: 1, usable: None };
        let offer = world.service.market.command(group, create, None).await.unwrap().offers[0].offer_id.0;
        let terms = InstantTerms { fungible_amount: collateral_raw, ..InstantTerms::plain(ltv_max, policy) };
        let listed = groups(crate::kit::groups::NOWHERE).into_iter().find(|listed| listed.id == group).unwrap();
        let action = Action::CreateOffer(NewOffer {
            collection_slug: listed.sub_collections[0].slug.to_string(),
            principal_sats: principal.get(),
            process: OfferProcess::Instant(terms),
        });
        let (lender, signed) = (self.lender.user, world.sign(&self.lender, AddressKind::P2wpkh, action));
        let admission =
            world.service.ports.signer().admit_offer(lender.0, offer.to_string(), signed.text).await.unwrap();
        world.service.market.admit_offer(lender, offer, admission.to_byte_array()).await.unwrap();
        self.until_live(offer).await;
        offer
    }

    /// Waits until an offer is live: books learn of vaults asynchronously.
    pub(crate) async fn until_live(&self, offer: OfferId) {
        let began = Instant::now();
        while !self.is_live(offer).await {
            let is_in_time = began.elapsed() < Duration::from_secs(90);
            assert!(is_in_time, "{offer} is not live: {:?}", self.world.service.market.offer(offer).await);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Submits the borrower's signatures, after which the vault pays.
    pub(crate) async fn submit(
        &self,
        person: &Person,
        handout: &UnsignedLoan,
    ) -> Result<bitcoin::Txid, LoanServiceError> {
        let signed = person.sign(&handout.transactions);
        self.world.service.submit_instant(person.user, handout.loan, &signed).await
    }

    /// Mines three empty blocks in which a mempool is full of dearer transactions, and returns the number of transactions that
    /// got a child after each.
    pub(crate) async fn bumps_in_a_full_mempool(&self) -> Vec<usize> {
        let watch = VaultWatch::new(self.world.service.clone());
        watch.round().await.unwrap();
        self.world.faults.lock().estimate = Some(FeeRate::from_sat_per_kwu(5_000));
        let mut bumped = Vec::new();
        for _ in 0..3 {
            self.world.chain.mine_transactions(Vec::new()).unwrap();
            bumped.push(watch.round().await.unwrap().bumped);
        }
        bumped
    }

    /// Returns the confirmed balance of the vault's script, and asserts that its ledger has the same as usable.
    pub(crate) async fn vault_holds(&self, vault: &Vault) -> u64 {
        let chain = &self.world.chain;
        let mut sum = 0;
        for outpoint in chain.outputs_of(&vault.output().script_pubkey()).await.unwrap() {
            sum += chain.confirmed_unspent(outpoint).await.unwrap().map_or(0, |unspent| unspent.output.value.to_sat());
        }
        let ledger = self.world.service.market.vault_ledger(self.lender.user).await.unwrap();
        assert_eq!((ledger.balance(), ledger.usable()), (Sats::new(sum), Sats::new(sum)), "{ledger:#?}");
        sum
    }
}

pub(crate) fn request_of(person: &Person, request: &LoanRequest) -> LoanRequest {
    LoanRequest { borrower: person.user, ..request.clone() }
}
