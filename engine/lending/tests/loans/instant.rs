//! Tests of instant loans against inscriptions: the vault pays as soon as the borrower has signed.

use std::time::Duration;

use bitcoin::hashes::Hash as _;
use bitcoin::{Network, OutPoint};
use domain::{
    Command, GroupId, LoanId, LoanRejection, LoanStage, Ltv, OfferDraft, OfferId, ProcessType, Quantity, Rejection,
    Sats, SubCollectionId,
};
use engine::Refusal;
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use escrow::address::AddressKind;
use escrow::contract::spent_output::SpentOutputError;
use escrow::contract::vault::Vault;
use escrow::wallet_key::WalletKey;
use futures_util::future::join_all;
use lending::borrowing::Borrowing;
use lending::desk_error::DeskError;
use lending::handout::Handout;
use lending::lookup::LookupError;
use lending::ports::Ports as _;
use lending::vault::{in_ledger, on_chain};
use lending::vault_watch::VaultWatch;
use signer::refusal::Refusal as SignerRefusal;
use signer::vault_signer::{SignerError, VaultSigner as _};

use crate::kit::groups::{FROGS, groups};
use crate::kit::people::{Person, addresses};
use crate::kit::ports::Doing;
use crate::scene::{PRINCIPAL, Scene, split_cost};

/// The timeout of a request that hangs.
const IN_VAIN: Duration = Duration::from_millis(50);

impl Scene {
    /// Opens the lender's vault with outputs of these amounts.
    pub(crate) async fn vault(&self, amounts: &[u64]) -> Vault {
        let vault = self.world.open_vault(&self.lender).await;
        for sats in amounts {
            self.world.fund(&vault.output().script_pubkey(), *sats);
        }
        self.look_at_vault().await;
        vault
    }

    pub(crate) async fn look_at_vault(&self) {
        let round = VaultWatch::new(self.world.desk.clone()).round().await.unwrap();
        assert_eq!(round.unclear, []);
    }

    /// Mines a block, and runs all watches.
    pub(crate) async fn block_for_all(&self) {
        self.block().await;
        self.look_at_vault().await;
    }

    /// Creates an instant offer that the signer backs and borrowers see.
    pub(crate) async fn instant_offer(&self, group: GroupId, principal: Sats, pledge_raw: Option<u128>) -> OfferId {
        let world = &self.world;
        let ltv_max = 9_500;
        let draft = OfferDraft {
            sub_collection: SubCollectionId(0),
            process: ProcessType::Instant,
            principal,
            quantity: pledge_raw.map(|raw| Quantity::tokens(raw, 2)),
            max_ltv: Some(Ltv::from_basis_points(ltv_max)),
            accepts_next_term: false,
        };
        let create = Command::Create { lender: self.lender.user, draft, count: 1, usable: None };
        let offer = world.desk.market.command(group, create, None).await.unwrap().offers[0].offer_id.0;
        let terms =
            InstantTerms { fungible_amount: pledge_raw, ltv_max, accept_next_term: false, vault: world.policy().await };
        let listed = groups(crate::kit::groups::NOWHERE).into_iter().find(|listed| listed.id == group).unwrap();
        let action = Action::CreateOffer(NewOffer {
            collection_slug: listed.sub_collections[0].slug.to_string(),
            principal_sats: principal.get(),
            process: OfferProcess::Instant(terms),
        });
        let (lender, signed) = (self.lender.user, world.sign(&self.lender, AddressKind::P2wpkh, action));
        let admission = world.desk.ports.signer().admit_offer(lender.0, offer.to_string(), signed.text).await.unwrap();
        world.desk.market.admit_offer(lender, offer, admission.to_byte_array()).await.unwrap();
        self.until_live(offer).await;
        offer
    }

    /// Waits until an offer is live: books learn of vaults asynchronously.
    pub(crate) async fn until_live(&self, offer: OfferId) {
        for _ in 0..2_000 {
            if self.is_live(offer).await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("the offer {offer} is not live: {:?}", self.world.desk.market.offer(offer).await);
    }

    /// Submits the borrower's signatures, after which the vault pays.
    pub(crate) async fn submit(&self, person: &Person, handout: &Handout) -> Result<bitcoin::Txid, DeskError> {
        let signed = person.sign(&handout.transactions);
        self.world.desk.submit_instant(person.user, handout.loan, &signed).await
    }

    /// Originates an instant loan of the borrower, confirmed.
    pub(crate) async fn lent(&self) -> LoanId {
        let (offer, frog) = (self.instant_offer(FROGS, PRINCIPAL, None).await, self.frog().await);
        let handout = self.world.desk.prepare_instant(&self.wish(offer, Some(frog))).await.unwrap();
        self.submit(&self.borrower, &handout).await.unwrap();
        self.block_for_all().await;
        assert_eq!(self.stage(handout.loan).await, LoanStage::Active);
        handout.loan
    }

    /// Returns the confirmed balance of the vault's script, and asserts that its ledger has the same as usable.
    pub(crate) async fn vault_holds(&self, vault: &Vault) -> u64 {
        let chain = &self.world.chain;
        let mut sum = 0;
        for outpoint in chain.outputs_of(&vault.output().script_pubkey()).await.unwrap() {
            sum += chain.unspent_in_blocks(outpoint).await.unwrap().map_or(0, |unspent| unspent.output.value.to_sat());
        }
        let ledger = self.world.desk.market.vault_ledger(self.lender.user).await.unwrap();
        assert_eq!((ledger.balance(), ledger.usable()), (Sats::new(sum), Sats::new(sum)), "{ledger:#?}");
        sum
    }
}

pub(crate) fn wish_of(person: &Person, wish: &Borrowing) -> Borrowing {
    Borrowing { borrower: person.user, ..wish.clone() }
}

#[actix::test]
async fn a_loan_is_funded_by_a_vault_without_its_lender_and_repaid_to_their_wallet() {
    let scene = Scene::new().await;
    let vault = scene.vault(&[3_000_000]).await;
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let wish = scene.wish(offer, Some(frog));
    let handout = scene.world.desk.prepare_instant(&wish).await.unwrap();
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Prepared);
    assert!(scene.is_live(offer).await, "nothing is reserved before the borrower has signed");
    let purse = scene.borrower.purse(&scene.world).await;
    let txid = scene.submit(&scene.borrower, &handout).await.unwrap();
    assert_eq!((txid, scene.world.chain.waiting()), (handout.txid, vec![txid]));
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Broadcast);
    scene.block_for_all().await;
    let loan = scene.loan(handout.loan).await;
    assert_eq!(loan.stage, LoanStage::Active);
    let deal = &loan.deal;
    let paid = deal.principal.get() + deal.platform_fee.get();
    assert_eq!(deal.platform_fee.get(), 2_400, "a fifth of 1.2 percent");
    let held = scene.vault_holds(&vault).await;
    assert_eq!(held, 3_000_000 - paid - split_cost(3), "the borrower pays the rest of the fee");
    let received = scene.borrower.purse(&scene.world).await - purse;
    assert!((995_000..PRINCIPAL.get()).contains(&received), "{received}");
    let before = scene.lender.purse(&scene.world).await;
    scene.repay(&[loan.id]).await;
    scene.block_for_all().await;
    assert_eq!(scene.stage(loan.id).await, LoanStage::Repaid);
    assert!(scene.owns(&scene.borrower, frog).await);
    assert_eq!(scene.lender.purse(&scene.world).await - before, PRINCIPAL.get() + 12_000);
}

#[actix::test]
async fn an_unconfirmed_loan_in_a_full_mempool_gets_a_child_of_the_vaults_change() {
    let scene = Scene::new().await;
    let vault = scene.vault(&[3_000_000]).await;
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let handout = scene.world.desk.prepare_instant(&scene.wish(offer, Some(frog))).await.unwrap();
    let txid = scene.submit(&scene.borrower, &handout).await.unwrap();
    let watch = VaultWatch::new(scene.world.desk.clone());
    watch.round().await.unwrap();
    scene.world.moods.now().estimate = Some(bitcoin::FeeRate::from_sat_per_kwu(5_000));
    let mut bumped = Vec::new();
    for _ in 0..3 {
        scene.world.chain.mine_these(Vec::new()).unwrap();
        bumped.push(watch.round().await.unwrap().bumped);
    }
    assert_eq!(bumped, [0, 1, 0]);
    let ledger = scene.world.desk.market.vault_ledger(scene.lender.user).await.unwrap();
    let child = ledger.departure(domain::Departure::FeeBump(txid.to_byte_array())).unwrap();
    assert_eq!(scene.world.chain.waiting(), [txid, bitcoin::Txid::from_byte_array(child.txid)]);
    scene.block_for_all().await;
    let loan = scene.loan(handout.loan).await;
    assert_eq!(loan.stage, LoanStage::Active);
    let paid = loan.deal.principal.get() + loan.deal.platform_fee.get() + child.amount.get();
    assert_eq!(scene.vault_holds(&vault).await, 3_000_000 - paid - split_cost(3));
}

#[actix::test]
async fn a_loan_from_a_vault_that_is_not_repaid_is_claimed_by_its_lender() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let id = scene.lent().await;
    scene.world.pass(9 * 86_400);
    for _ in 0..7 {
        scene.block_for_all().await;
    }
    assert_eq!(scene.stage(id).await, LoanStage::Expired);
    let txid = scene.claim(id).await;
    assert_eq!((scene.stage(id).await, scene.world.chain.waiting()), (LoanStage::Claiming, vec![txid]));
    scene.block_for_all().await;
    assert_eq!(scene.stage(id).await, LoanStage::Claimed);
    let frog = scene.loan(id).await.deal.pledged_id.parse().unwrap();
    assert!(scene.owns(&scene.lender, frog).await);
}

#[actix::test]
async fn the_same_request_again_gives_the_same_answer_and_changes_nothing() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let (desk, wish) = (&scene.world.desk, scene.wish(offer, Some(frog)));
    let first = desk.prepare_instant(&wish).await.unwrap();
    let written = scene.world.journal.batches().len();
    assert_eq!(desk.prepare_instant(&wish).await.unwrap(), first);
    assert_eq!(desk.prepared(scene.borrower.user, first.loan).await.unwrap(), first);
    assert_eq!(scene.world.journal.batches().len(), written);
    let restarted = scene.world.restarted();
    assert_eq!(restarted.desk.prepare_instant(&wish).await.unwrap(), first, "also after a restart");
    let dearer = Borrowing { fee_rate: bitcoin::FeeRate::from_sat_per_vb_u32(9), ..wish };
    let second = desk.prepare_instant(&dearer).await.unwrap();
    assert_ne!(second.txid, first.txid);
    assert!(scene.is_gone(first.loan).await);
    for _ in 0..2 {
        assert_eq!(scene.submit(&scene.borrower, &second).await.unwrap(), second.txid);
    }
    assert_eq!(scene.world.chain.waiting(), [second.txid]);
    scene.block_for_all().await;
    assert_eq!(scene.submit(&scene.borrower, &second).await.unwrap(), second.txid, "the term runs");
    let error = scene.submit(&scene.borrower, &first).await.unwrap_err();
    assert!(matches!(error, DeskError::NoReservation(id) if id.0 == first.loan.0), "{error}");
}

#[actix::test]
async fn offers_that_a_borrower_cannot_take_are_refused_by_name() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let (desk, wish) = (&scene.world.desk, scene.wish(offer, Some(frog)));
    let written = scene.world.journal.batches().len();
    assert!(matches!(desk.prepare(&wish).await, Err(DeskError::WrongProcess)));
    let own = desk.prepare_instant(&wish_of(&scene.lender, &wish)).await.unwrap_err();
    assert!(matches!(own, DeskError::Market(Refusal::Book(Rejection::OwnOffer(_)))), "{own}");
    let nowhere = OfferId::new(FROGS, 4_711).unwrap();
    let error = desk.prepare_instant(&Borrowing { offer: nowhere, ..wish.clone() }).await.unwrap_err();
    assert!(matches!(error, DeskError::UnknownOffer(id) if id == nowhere), "{error}");
    assert_eq!(scene.world.journal.batches().len(), written);
    let manual = scene.offer(FROGS, 0).await;
    let manual = Borrowing { offer: manual, ..wish.clone() };
    assert!(matches!(desk.prepare_instant(&manual).await, Err(DeskError::WrongProcess)));
    // Another user's loan is inaccessible, and of two who prepare one the first to sign gets it.
    let handout = desk.prepare_instant(&wish).await.unwrap();
    let other = scene.world.person(102).await;
    let theirs = Borrowing { inscription: Some(scene.frog_of(&other).await), ..wish_of(&other, &wish) };
    let slower = desk.prepare_instant(&theirs).await.unwrap();
    let signed = scene.borrower.sign(&handout.transactions);
    let foreign = desk.submit_instant(other.user, handout.loan, &signed).await.unwrap_err();
    assert!(matches!(foreign, DeskError::NoReservation(id) if id.0 == handout.loan.0), "{foreign}");
    let unsigned: Vec<String> = handout.transactions.iter().map(|made| made.base64.clone()).collect();
    let error = desk.submit_instant(scene.borrower.user, handout.loan, &unsigned).await.unwrap_err();
    assert!(matches!(error, DeskError::Returned(_)), "{error}");
    assert_eq!(scene.world.chain.waiting(), []);
    assert!(scene.is_live(offer).await, "without a valid signature nothing is reserved");
    assert!(matches!(desk.accept(scene.borrower.user, handout.loan, &signed).await, Err(DeskError::WrongProcess)));
    let txid = scene.submit(&scene.borrower, &handout).await.unwrap();
    let late = scene.submit(&other, &slower).await.unwrap_err();
    let taken = |id| DeskError::Market(Refusal::Loan(LoanRejection::Taken(id))).to_string();
    assert_eq!(late.to_string(), taken(slower.loan));
    assert_eq!(scene.world.chain.waiting(), [txid]);
}

#[actix::test]
async fn an_offer_that_the_signer_never_admitted_lends_nothing() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let draft = OfferDraft {
        sub_collection: SubCollectionId(0),
        process: ProcessType::Instant,
        principal: PRINCIPAL,
        quantity: None,
        max_ltv: Some(Ltv::from_basis_points(9_500)),
        accepts_next_term: false,
    };
    let create = Command::Create { lender: scene.lender.user, draft, count: 1, usable: None };
    let offer = scene.world.desk.market.command(FROGS, create, None).await.unwrap().offers[0].offer_id.0;
    scene.until_live(offer).await;
    let frog = scene.frog().await;
    let error = scene.world.desk.prepare_instant(&scene.wish(offer, Some(frog))).await.unwrap_err();
    assert!(matches!(error, DeskError::NotAdmitted(id) if id == offer), "{error}");
}

#[actix::test]
async fn of_two_borrowers_on_one_vault_output_the_first_wins_and_the_other_is_refused() {
    // It makes no difference whether the chain knows of the first loan or only the ledger.
    for doing in [Doing::Well, Doing::Away] {
        let scene = Scene::new().await;
        let vault = scene.vault(&[5_000_000]).await;
        let offers = [
            scene.instant_offer(FROGS, PRINCIPAL, None).await,
            scene.instant_offer(FROGS, Sats::new(1_100_000), None).await,
        ];
        let other = scene.world.person(102).await;
        let (frog, theirs) = (scene.frog().await, scene.frog_of(&other).await);
        let desk = &scene.world.desk;
        let wish = scene.wish(offers[0], Some(frog));
        let their_wish = wish_of(&other, &scene.wish(offers[1], Some(theirs)));
        let first = desk.prepare_instant(&wish).await.unwrap();
        let second = desk.prepare_instant(&their_wish).await.unwrap();
        scene.world.moods.now().broadcasts = doing;
        scene.submit(&scene.borrower, &first).await.unwrap();
        let error = scene.submit(&other, &second).await.unwrap_err();
        let gone = matches!(error, DeskError::Lookup(LookupError::Spent(SpentOutputError::NotThere(_))));
        assert!(gone, "{doing:?}: {error}");
        assert!(scene.is_gone(second.loan).await, "{doing:?}");
        scene.world.moods.now().broadcasts = Doing::Well;
        scene.look().await;
        scene.block_for_all().await;
        assert_eq!(scene.stage(first.loan).await, LoanStage::Active, "{doing:?}");
        // The change is confirmed, and funds the other one.
        scene.until_live(offers[1]).await;
        let again = desk.prepare_instant(&their_wish).await.unwrap();
        assert_ne!(again.loan, second.loan);
        scene.submit(&other, &again).await.unwrap();
        scene.block_for_all().await;
        assert_eq!(scene.stage(again.loan).await, LoanStage::Active, "{doing:?}");
        let fees = [first.loan, again.loan].map(|id| scene.loan(id));
        let fees: u64 = join_all(fees).await.iter().map(|loan| loan.deal.platform_fee.get()).sum();
        let spent = 2_100_000 + fees + split_cost(7);
        assert_eq!(scene.vault_holds(&vault).await, 5_000_000 - spent, "{doing:?}");
    }
}

#[actix::test]
async fn borrowers_get_different_outputs_as_long_as_there_are_enough() {
    let scene = Scene::new().await;
    scene.vault(&[2_000_000, 2_000_000, 2_000_000]).await;
    let mut people = Vec::new();
    for number in [102, 103, 104] {
        let (person, offer) = (scene.world.person(number).await, scene.instant_offer(FROGS, PRINCIPAL, None).await);
        let wish = wish_of(&person, &scene.wish(offer, Some(scene.frog_of(&person).await)));
        let handout = scene.world.desk.prepare_instant(&wish).await.unwrap();
        people.push((person, handout));
    }
    for (person, handout) in &people {
        assert_eq!(scene.submit(person, handout).await.unwrap(), handout.txid);
    }
    assert_eq!(scene.world.chain.waiting().len(), 3);
}

#[actix::test]
async fn a_thousand_borrowers_race_for_one_offer_and_one_gets_a_loan() {
    const RACERS: u16 = 1_000;
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let offer = scene.instant_offer(FROGS, PRINCIPAL, None).await;
    let mut racers = Vec::new();
    for number in 0..RACERS {
        let mut seed = [7; 32];
        seed[..2].copy_from_slice(&number.to_be_bytes());
        let wallet = WalletKey::from_seed(seed, Network::Regtest).unwrap();
        let market = &scene.world.desk.market;
        let user = market.sign_in(&addresses(&wallet), scene.world.burn()).await.unwrap().user;
        let person = Person { wallet, user };
        let frog = scene.frog_of(&person).await;
        racers.push((wish_of(&person, &scene.wish(offer, Some(frog))), person));
    }
    let run = racers.iter().map(|(wish, person)| {
        let scene = &scene;
        async move {
            let handout = scene.world.desk.prepare_instant(wish).await?;
            scene.submit(person, &handout).await
        }
    });
    let (mut begun, mut used) = (Vec::new(), 0);
    for answer in join_all(run).await {
        match answer {
            Ok(txid) => begun.push(txid),
            // Reserved for another borrower, or lent and out of the book.
            Err(DeskError::Market(Refusal::Book(Rejection::OfferUsed(id))) | DeskError::UnknownOffer(id)) => {
                assert_eq!(id, offer);
                used += 1;
            }
            Err(DeskError::Market(Refusal::Loan(LoanRejection::Taken(_)))) => used += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!((begun.len(), used), (1, RACERS - 1));
    assert_eq!(scene.world.chain.waiting(), begun);
    scene.block_for_all().await;
    let [watched] = scene.world.desk.market.watched_loans().await[..] else { panic!("one loan runs") };
    assert_eq!(scene.world.desk.market.loan(watched).await.unwrap().stage, LoanStage::Active);
}

/// Runs a request while the signer behaves like this, and asserts its outcome.
async fn with_signer<T>(scene: &Scene, doing: Doing, request: impl Future<Output = Result<T, DeskError>>) {
    scene.world.moods.now().signs = doing;
    let answer = tokio::time::timeout(IN_VAIN, Box::pin(request)).await.map(Result::err);
    scene.world.moods.now().signs = Doing::Well;
    match (doing, answer) {
        (Doing::Away, Ok(Some(DeskError::Signer(SignerError::Unreachable { .. }))))
        | (Doing::LosesAnswer, Ok(Some(DeskError::Signer(SignerError::Unanswered { .. }))))
        | (Doing::HangsBefore | Doing::HangsAfter, Err(_)) => {}
        (doing, answer) => panic!("{doing:?}: {answer:?}"),
    }
}

#[actix::test]
async fn there_is_one_loan_in_the_end_whatever_fault_the_signer_has_at_any_call() {
    for doing in [Doing::Away, Doing::LosesAnswer, Doing::HangsBefore, Doing::HangsAfter] {
        let scene = Scene::new().await;
        let vault = scene.vault(&[3_000_000]).await;
        let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
        let (desk, wish) = (&scene.world.desk, scene.wish(offer, Some(frog)));
        let written = scene.world.journal.batches().len();
        Box::pin(with_signer(&scene, doing, desk.prepare_instant(&wish))).await;
        assert_eq!(scene.world.journal.batches().len(), written, "{doing:?}: nothing is reserved");
        assert!(scene.is_live(offer).await);
        let handout = desk.prepare_instant(&wish).await.unwrap();
        let written = scene.world.journal.batches().len();
        with_signer(&scene, doing, scene.submit(&scene.borrower, &handout)).await;
        assert_eq!(scene.world.journal.batches().len(), written + 1, "{doing:?}: reserved, and nothing else");
        assert_eq!((scene.stage(handout.loan).await, scene.world.chain.waiting()), (LoanStage::Prepared, vec![]));
        let txid = scene.submit(&scene.borrower, &handout).await.unwrap();
        assert_eq!((txid, scene.world.chain.waiting()), (handout.txid, vec![txid]), "{doing:?}");
        scene.block_for_all().await;
        assert_eq!(scene.stage(handout.loan).await, LoanStage::Active, "{doing:?}");
        assert_eq!(scene.vault_holds(&vault).await, 3_000_000 - 1_002_400 - split_cost(3));
    }
}

#[actix::test]
async fn an_offer_withdrawn_at_the_signer_lends_nothing_at_either_call() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000, 3_000_000]).await;
    let offers = [scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.instant_offer(FROGS, PRINCIPAL, None).await];
    let (desk, wish) = (&scene.world.desk, scene.wish(offers[0], Some(scene.frog().await)));
    let handout = desk.prepare_instant(&wish).await.unwrap();
    let action = Action::CancelOffers(CancelOffers {
        ordinal_offer_ids: offers.iter().map(ToString::to_string).collect(),
        rune_offer_ids: Vec::new(),
        vault: Some(scene.world.policy().await),
    });
    let signed = scene.world.sign(&scene.lender, AddressKind::P2wpkh, action);
    desk.ports.signer().revise_offers(scene.lender.user.0, signed.text).await.unwrap();
    let theirs = Borrowing { offer: offers[1], inscription: Some(scene.frog().await), ..wish };
    let written = scene.world.journal.batches().len();
    let submitted = scene.submit(&scene.borrower, &handout).await.unwrap_err();
    let prepared = desk.prepare_instant(&theirs).await.unwrap_err();
    for error in [submitted, prepared] {
        let is_refused = matches!(error, DeskError::Signer(SignerError::Refused(SignerRefusal::NoOffer)));
        assert!(is_refused, "{error:?}");
    }
    assert_eq!(scene.world.journal.batches().len(), written + 1, "the first one is reserved");
    assert_eq!(scene.world.chain.waiting(), []);
    // A reservation that cannot be used any more ends after a quarter of an hour.
    scene.world.pass(15 * 60 + 1);
    scene.until_live(offers[0]).await;
    assert!(scene.is_gone(handout.loan).await);
}

#[actix::test]
async fn the_ledger_of_a_vault_agrees_with_the_chain_while_a_loan_is_unconfirmed() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let before: Vec<OutPoint> = {
        let ledger = scene.world.desk.market.vault_ledger(scene.lender.user).await.unwrap();
        ledger.outputs().map(|(outpoint, _)| on_chain(&outpoint)).collect()
    };
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let handout = scene.world.desk.prepare_instant(&scene.wish(offer, Some(frog))).await.unwrap();
    scene.submit(&scene.borrower, &handout).await.unwrap();
    scene.look_at_vault().await;
    let ledger = scene.world.desk.market.vault_ledger(scene.lender.user).await.unwrap();
    assert_eq!(ledger.usable(), Sats::ZERO, "the change counts after confirmation");
    let departures: Vec<_> = ledger.departures().map(|(_, leaving)| leaving.outpoints.clone()).collect();
    assert_eq!(departures.concat(), before.iter().map(in_ledger).collect::<Vec<_>>());
}
