//! Random actions of clients.

use bitcoin::FeeRate;
use domain::{
    GroupId, LoanAccount, LoanId, LoanStage, Ltv, OfferDraft, OfferId, ProcessType, Quantity, Sats, SubCollectionId,
    UserId,
};
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use escrow::address::AddressKind;
use lending::instant_offers::service::SignedAction;
use lending::origination::countersign::Countersigned;
use lending::origination::loan_request::LoanRequest;
use lending::vaults::lender_order::SignedOrder;
use lending::vaults::payment::PaymentRequest;
use lending::vaults::withdrawal::WithdrawalRequest;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::kit::groups::{FROGS, GOLD, NOWHERE, groups};
use crate::kit::world::Signed;
use crate::memory::PreparedLoan;
use crate::participants::{BORROWERS, LENDERS, Owner};
use crate::request::{Answer, Request};
use crate::simulation::SharedState;

/// The number of open offers from which on offers are only replaced.
const OFFERS_MAX: usize = 120;
/// The smallest part of a rune offer, in raw units.
const GOLD_PART: u128 = 2_000_000;

fn rate(rng: &mut ChaCha8Rng) -> FeeRate {
    FeeRate::from_sat_per_vb_u32(rng.random_range(2..9))
}

/// A fee rate within the bounds of deposits and withdrawals while the mempool is nearly empty.
fn modest_rate(rng: &mut ChaCha8Rng) -> FeeRate {
    FeeRate::from_sat_per_vb_u32(rng.random_range(1..4))
}

impl SharedState {
    /// Performs one random action of a client.
    pub(crate) async fn act(&self, client: usize, rng: &mut ChaCha8Rng) {
        match rng.random_range(0..1_000_u32) {
            0..100 => self.quote(client, rng).await,
            100..130 => self.cancel(client, rng).await,
            130..380 => self.borrow(client, rng).await,
            380..560 => self.sign(client, rng).await,
            560..580 => self.give_up(client, rng).await,
            580..680 => self.countersign(client, rng).await,
            680..730 => self.repay(client, rng).await,
            730..780 => self.claim(client, rng).await,
            780..805 => self.deposit(client, rng).await,
            805..830 => self.withdraw(client, rng).await,
            830..870 => self.again(client, rng).await,
            870..905 => self.mine(rng),
            905..913 => self.reorg(rng),
            913..925 => self.pass(rng),
            925..940 => self.watch_loans().await,
            940..952 => self.watch_vaults().await,
            952..956 => self.reconcile_again().await,
            956..960 => self.change_faults(rng),
            960..962 => self.restart_signer(rng),
            _ => self.send_coin(rng).await,
        }
    }

    fn signed_action(&self, lender: usize, action: Action) -> SignedAction {
        let Signed { text, nonce_use } =
            self.server().world.sign(&self.participants.lenders[lender], AddressKind::P2wpkh, action);
        SignedAction { text, nonce_use }
    }

    /// Creates an offer, or replaces one.
    async fn quote(&self, client: usize, rng: &mut ChaCha8Rng) {
        let known = self.memory.borrow().offers.clone();
        let old = if known.is_empty() { None } else { Some(known[rng.random_range(0..known.len())]) };
        let is_edit = known.len() >= OFFERS_MAX || rng.random_ratio(1, 8);
        let old = old.filter(|_| is_edit);
        let group = old.map_or(if rng.random_bool(0.6) { FROGS } else { GOLD }, |(id, ..)| id.group());
        let is_instant = old.map_or(rng.random_bool(0.5), |(_, _, is_instant)| is_instant);
        let lender = old.map_or_else(|| rng.random_range(0..LENDERS), |(_, lender, _)| lender);
        let draft = draft(group, is_instant, rng);
        let replaces = old.map(|(id, ..)| id);
        let signed_action = self.signed_action(lender, self.action(group, &draft, replaces));
        let request = Request::Quote { lender, group, draft, replaces, is_instant, signed_action };
        if let Some(Answer::Offer(id)) = self.ask(client, request).await {
            let mut memory = self.memory.borrow_mut();
            memory.offers.retain(|(other, ..)| Some(*other) != replaces);
            memory.offers.push((id, lender, is_instant));
        }
    }

    fn action(&self, group: GroupId, draft: &OfferDraft, replaces: Option<OfferId>) -> Action {
        let listed = groups(NOWHERE).into_iter().find(|listed| listed.id == group).unwrap();
        let process = match draft.max_ltv {
            None => OfferProcess::Manual { quantity: 1 },
            Some(max_ltv) => OfferProcess::Instant(InstantTerms {
                fungible_amount: draft.quantity.map(|quantity| quantity.raw),
                ..InstantTerms::plain(max_ltv.basis_points(), self.participants.policy.clone())
            }),
        };
        let new_offer = NewOffer {
            collection_slug: listed.sub_collections[usize::from(draft.sub_collection.0)].slug.to_string(),
            principal_sats: draft.principal.get(),
            process,
        };
        match replaces {
            None => Action::CreateOffer(new_offer),
            Some(offer) => Action::EditOffer { delete_offer_id: offer.to_string(), new_offer },
        }
    }

    async fn cancel(&self, client: usize, rng: &mut ChaCha8Rng) {
        let known = self.memory.borrow().offers.clone();
        if known.is_empty() {
            return;
        }
        let (offer, lender, is_instant) = known[rng.random_range(0..known.len())];
        let (mut ordinal_offer_ids, mut rune_offer_ids) = (Vec::new(), Vec::new());
        let ids = if offer.group() == FROGS { &mut ordinal_offer_ids } else { &mut rune_offer_ids };
        ids.push(offer.to_string());
        let vault = is_instant.then(|| self.participants.policy.clone());
        let action = Action::CancelOffers(CancelOffers { ordinal_offer_ids, rune_offer_ids, vault });
        let signed_action = self.signed_action(lender, action);
        if self.ask(client, Request::Cancel { lender, offer, is_instant, signed_action }).await.is_some() {
            self.memory.borrow_mut().offers.retain(|(other, ..)| *other != offer);
        }
    }

    /// Takes an offer, sometimes to refinance another loan.
    async fn borrow(&self, client: usize, rng: &mut ChaCha8Rng) {
        let known = self.memory.borrow().offers.clone();
        if known.is_empty() {
            return;
        }
        let (offer, lender, is_instant) = known[rng.random_range(0..known.len())];
        let follows = if rng.random_ratio(1, 12) { self.running(rng, &[LoanStage::Active]).await } else { None };
        // The wallets here sign all that they can, and one that is on both sides would also sign for the old loan.
        let follows = follows.filter(|(_, account)| account.deal.lender != self.participants.lenders[lender].user);
        let request = LoanRequest {
            borrower: UserId(0),
            offer,
            inscriptions: Vec::new(),
            amount_raw: None,
            fee_rate: rate(rng),
            is_hardware_wallet: false,
            link_key: None,
            refinances: None,
        };
        let request = match follows {
            Some((id, account)) => LoanRequest { borrower: account.deal.borrower, refinances: Some(id), ..request },
            None if offer.group() == FROGS => {
                let frog = self.participants.frogs[rng.random_range(0..self.participants.frogs.len())];
                let chain = self.server().world.chain.clone();
                let Some((Owner::Borrower(holder), _)) = self.participants.holder_of(&chain, frog).await else {
                    return;
                };
                LoanRequest { borrower: self.participants.borrowers[holder].user, inscriptions: vec![frog], ..request }
            }
            None => {
                let borrower = self.participants.borrowers[rng.random_range(0..BORROWERS)].user;
                let part = GOLD_PART * rng.random_range(1..8_u128);
                let amount_raw = (is_instant && rng.random_bool(0.8)).then_some(part);
                LoanRequest { borrower, amount_raw, ..request }
            }
        };
        let borrower = self.participants.borrower(request.borrower);
        if let Some(Answer::Handout(handout)) = self.ask(client, Request::Prepare { request, is_instant }).await {
            let mut memory = self.memory.borrow_mut();
            memory.record_inputs(&handout);
            memory.prepared.push(PreparedLoan { borrower, is_instant, handout });
            return;
        }
        // It may be gone for good.
        let found = self.server().world.service.market.offer(offer).await;
        if rng.random_ratio(1, 4) && found.is_ok_and(|found| found.is_none()) {
            self.memory.borrow_mut().offers.retain(|(other, ..)| *other != offer);
        }
    }

    /// A borrower signs a handed-out loan.
    async fn sign(&self, client: usize, rng: &mut ChaCha8Rng) {
        let prepared = {
            let mut memory = self.memory.borrow_mut();
            let count = memory.prepared.len();
            if count == 0 {
                return;
            }
            memory.prepared.swap_remove(rng.random_range(0..count))
        };
        let PreparedLoan { borrower, is_instant, handout } = prepared;
        let signed = self.participants.borrowers[borrower].sign(&handout.transactions);
        let request = Request::Sign { borrower, loan: handout.loan, signed, is_instant };
        if self.ask(client, request).await.is_some() {
            let mut memory = self.memory.borrow_mut();
            if is_instant { memory.originated.push(handout.loan) } else { memory.accepted.push(handout.loan) }
        }
    }

    async fn give_up(&self, client: usize, rng: &mut ChaCha8Rng) {
        let prepared = {
            let memory = self.memory.borrow();
            if memory.prepared.is_empty() {
                return;
            }
            memory.prepared[rng.random_range(0..memory.prepared.len())].clone()
        };
        let request = Request::GiveUp { borrower: prepared.borrower, loan: prepared.handout.loan };
        self.ask(client, request).await;
    }

    /// A lender inspects a loan that awaits them, and signs or refuses it.
    async fn countersign(&self, client: usize, rng: &mut ChaCha8Rng) {
        let loan = {
            let memory = self.memory.borrow();
            if memory.accepted.is_empty() {
                return;
            }
            memory.accepted[rng.random_range(0..memory.accepted.len())]
        };
        let Some(account) = self.server().world.service.market.loan(loan).await else { return };
        let lender = self.participants.lender(account.deal.lender);
        if account.stage != LoanStage::AwaitingLender {
            self.memory.borrow_mut().accepted.retain(|other| *other != loan);
        }
        if rng.random_ratio(1, 15) {
            self.ask(client, Request::Refuse { lender, loan }).await;
            return;
        }
        let asked = self.ask(client, Request::AskToCountersign { lender, loan }).await;
        let Some(Answer::ForLender(handout)) = asked else { return };
        let person = &self.participants.lenders[lender];
        let [two, truc] = &handout.payouts;
        let signed = Countersigned {
            origination: person.sign_one(&handout.origination.transactions[0]),
            payouts: [person.sign_one(two), person.sign_one(truc)],
        };
        if self.ask(client, Request::Countersign { lender, loan, signed }).await.is_some() {
            let mut memory = self.memory.borrow_mut();
            memory.accepted.retain(|other| *other != loan);
            memory.originated.push(loan);
        }
    }

    /// Returns a loan in one of these stages.
    async fn running(&self, rng: &mut ChaCha8Rng, stages: &[LoanStage]) -> Option<(LoanId, LoanAccount)> {
        let originated = self.memory.borrow().originated.clone();
        for _ in 0..3 {
            let id = *originated.get(rng.random_range(0..originated.len().max(1)))?;
            let loan = self.server().world.service.market.loan(id).await?;
            if stages.contains(&loan.stage) {
                return Some((id, loan));
            }
            if loan.stage.is_over() && rng.random_ratio(1, 3) {
                self.memory.borrow_mut().originated.retain(|other| *other != id);
            }
        }
        None
    }

    /// A borrower repays one or several loans.
    async fn repay(&self, client: usize, rng: &mut ChaCha8Rng) {
        let stages = [LoanStage::Active, LoanStage::Expired, LoanStage::Repaying];
        let Some((first, account)) = self.running(rng, &stages).await else { return };
        let user = account.deal.borrower;
        let mut loans = vec![first];
        let other = self.running(rng, &stages).await;
        loans.extend(other.filter(|(id, other)| other.deal.borrower == user && *id != first).map(|(id, _)| id));
        let borrower = self.participants.borrower(user);
        let request = Request::AskToRepay { borrower, loans: loans.clone(), rate: rate(rng) };
        let Some(Answer::Ending(handout)) = self.ask(client, request).await else { return };
        let signed = self.participants.borrowers[borrower].sign_one(&handout.transaction);
        self.ask(client, Request::Repay { borrower, loans, signed }).await;
    }

    /// A lender claims the collateral of a loan that was not repaid.
    async fn claim(&self, client: usize, rng: &mut ChaCha8Rng) {
        let stages = [LoanStage::Expired, LoanStage::Claiming, LoanStage::Repaying];
        let Some((loan, account)) = self.running(rng, &stages).await else { return };
        let lender = self.participants.lender(account.deal.lender);
        let request = Request::AskToClaim { lender, loan, rate: rate(rng) };
        let Some(Answer::Ending(handout)) = self.ask(client, request).await else { return };
        let signed = self.participants.lenders[lender].sign_one(&handout.transaction);
        self.ask(client, Request::Claim { lender, loan, signed }).await;
    }

    async fn deposit(&self, client: usize, rng: &mut ChaCha8Rng) {
        let lender = rng.random_range(0..LENDERS);
        let request =
            PaymentRequest { sats: Sats::new(rng.random_range(300_000..1_500_000)), fee_rate: modest_rate(rng) };
        let asked = self.ask(client, Request::AskToDeposit { lender, request }).await;
        let Some(Answer::Deposit(prepared)) = asked else { return };
        let signed = self.participants.lenders[lender].wallet.sign_psbt(&prepared.transaction_base64).unwrap();
        self.ask(client, Request::Deposit { lender, signed }).await;
    }

    async fn withdraw(&self, client: usize, rng: &mut ChaCha8Rng) {
        let lender = rng.random_range(0..LENDERS);
        let some = Sats::new(rng.random_range(20_000..400_000));
        let sats = rng.random_bool(0.97).then_some(some);
        let request = WithdrawalRequest { sats, fee_rate: modest_rate(rng) };
        let asked = self.ask(client, Request::AskToWithdraw { lender, request }).await;
        let Some(Answer::Withdrawal(prepared)) = asked else { return };
        let SignedAction { text, nonce_use } = self.signed_action(lender, prepared.action);
        self.memory.borrow_mut().withdrawals.insert(nonce_use.nonce, (lender, prepared.sats.get()));
        let order = SignedOrder { signed: text, nonce_use, fee_rate: request.fee_rate };
        self.ask(client, Request::Withdraw { lender, order }).await;
    }

    /// Repeats an answered request.
    async fn again(&self, client: usize, rng: &mut ChaCha8Rng) {
        let past = {
            let memory = self.memory.borrow();
            if memory.past.is_empty() {
                return;
            }
            memory.past[rng.random_range(0..memory.past.len())].clone()
        };
        self.ask_again(client, past.0, past.1).await;
    }
}

/// A random valid offer.
fn draft(group: GroupId, is_instant: bool, rng: &mut ChaCha8Rng) -> OfferDraft {
    let is_frogs = group == FROGS;
    let (principal, quantity) = match (is_frogs, is_instant) {
        (true, _) => (rng.random_range(300_000..1_500_000), None),
        (false, true) => {
            let parts = rng.random_range(1..6_u64);
            // Half of their value.
            (parts * 200_000, Some(Quantity::tokens(u128::from(parts) * 4_000_000, 2)))
        }
        (false, false) => (rng.random_range(300_000..900_000), None),
    };
    let sub_collection = if is_frogs { rng.random_range(0..2) } else { u16::from(!is_instant) };
    OfferDraft {
        quantity,
        max_ltv: is_instant.then_some(Ltv::from_basis_points(9_500)),
        ..OfferDraft::plain(
            SubCollectionId(sub_collection),
            if is_instant { ProcessType::Instant } else { ProcessType::Manual },
            Sats::new(principal),
        )
    }
}
