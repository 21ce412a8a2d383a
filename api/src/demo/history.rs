//! The simulated past of a demo. It is generated at the first start, with a clock that starts weeks ago and with real
//! wallets, contracts and blocks, so that journal and chain contain actual loans.

use std::collections::BTreeMap;
use std::sync::Arc;

use bitcoin::{FeeRate, Network};
use domain::{
    Allowance, BookEvent, Bundle, CollateralType, Command, Inscription, LoanId, NamedBorrower, Nonce, OfferDraft,
    OfferId, ProcessType, Quantity, RequestTerms, Sats, UnixMs, UserId, WalletAddresses,
};
use engine::asset_index::InscriptionId;
use engine::clock::{Clock as _, ManualClock};
use engine::{Market, NonceUse};
use escrow::address::AddressKind;
use escrow::wallet_key::WalletKey;
use lending::chain_watch::loan_watch::LoanWatchState;
use lending::lookups::signer_router::SignerRouter;
use lending::origination::countersign::Countersigned;
use lending::origination::loan_request::LoanRequest;
use lending::service::loan_service::LoanService;
use simulator::{DemoGift, DemoMarket, PastLoan, PastOutcome};

use super::Simulation;
use super::devnet::DemoChain;
use super::faucet::DemoFaucet;
use crate::clock;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::journal::ServerJournal;
use crate::live_ports::LivePorts;
use crate::market_setup::{loan_rules, market_settings};
use crate::progress::ProgressCallback;
use crate::signer_handle::SignerHandle;

/// The initial balance of every simulated user, from which interest and fees are paid.
const INITIAL_BALANCE: Sats = Sats::new(20_000_000);
/// The fee rate of every transaction, in sats per virtual byte.
const FEE_RATE: FeeRate = FeeRate::from_sat_per_vb_u32(3);
/// The number of blocks with the same time after which the median time past is that time.
const MEDIAN_BLOCKS: u32 = 6;
/// The number of blocks over which the median time past is taken; they are mined at the end to bring it to the present.
const MEDIAN_TIME_BLOCKS: u32 = 11;

/// The time for which a request of the past was good.
const REQUEST_GOOD_FOR_MS: u64 = 24 * 60 * 60 * 1_000;

/// A simulated user.
struct SimulatedUser {
    wallet: WalletKey,
    user: UserId,
}

/// An event of the past.
#[derive(Clone, Copy, Debug)]
enum LoanEvent {
    Originated,
    Repaid,
    Claimed,
}

/// The state of the generation.
struct HistoryGenerator {
    loan_service: LoanService<LivePorts>,
    demo: Arc<DemoMarket>,
    chain: ::devchain::EmbeddedChain,
    faucet: DemoFaucet,
    clock: Arc<ManualClock>,
    watcher: LoanWatchState,
    now: UnixMs,
    users: BTreeMap<(bool, usize), SimulatedUser>,
}

/// Lists the collections and generates the past, unless the chain is not new or the demo has no borrowers; returns
/// whether it did.
///
/// # Errors
/// Fails if the folder holds another market, or something cannot be written.
pub async fn generate(
    settings: &Settings,
    journal: &ServerJournal,
    demo: &Arc<DemoMarket>,
    chain: &DemoChain,
    progress: ProgressCallback<'_>,
) -> Result<bool, Failure> {
    if !chain.is_new() || demo.borrowers == 0 {
        return Ok(false);
    }
    let now = clock::now();
    let start = UnixMs(now.0.saturating_sub(DemoMarket::HISTORY_S * 1_000));
    let clock = Arc::new(ManualClock::new(start));
    let market = Market::start(journal.port(), clock.clone(), market_settings(settings)).map_err(Failure::new)?;
    Simulation::list(&market, demo, Some(chain), &settings.data, progress).await?;
    let ports = Arc::new(LivePorts { node: chain.node(), signer: SignerRouter::alone(SignerHandle::unconfigured()) });
    let mut generator = HistoryGenerator {
        faucet: DemoFaucet::new(market.clone(), Arc::clone(demo), chain.chain.clone()),
        loan_service: LoanService::new(market.clone(), ports, Arc::new(loan_rules(settings)?)),
        demo: Arc::clone(demo),
        chain: chain.chain.clone(),
        clock,
        watcher: LoanWatchState::default(),
        now,
        users: BTreeMap::new(),
    };
    let result = generator.generate_loans(progress).await;
    market.stop().await;
    result.map(|()| true)
}

impl HistoryGenerator {
    async fn generate_loans(&mut self, progress: ProgressCallback<'_>) -> Result<(), Failure> {
        let rows = self.loan_service.market.rows();
        let prices = rows.iter().filter_map(|row| Some((row.id.0, row.unit_price?.0))).collect();
        let loans = self.demo.past_loans(&prices);
        progress(&format!("Making the {} loans of the past weeks ...", loans.len()));
        let mut events: Vec<(u64, usize, LoanEvent)> = Vec::new();
        for (index, loan) in loans.iter().enumerate() {
            events.push((loan.prepared_s_ago, index, LoanEvent::Originated));
            match loan.outcome {
                PastOutcome::Open => {}
                PastOutcome::Repaid(s_ago) => events.push((s_ago, index, LoanEvent::Repaid)),
                PastOutcome::Claimed(s_ago) => events.push((s_ago, index, LoanEvent::Claimed)),
            }
        }
        events.sort_by_key(|(s_ago, index, _)| (std::cmp::Reverse(*s_ago), *index));
        let mut originated: BTreeMap<usize, LoanId> = BTreeMap::new();
        for (s_ago, index, event) in events {
            self.advance_to(UnixMs(self.now.0.saturating_sub(s_ago * 1_000)));
            let loan = &loans[index];
            match (event, originated.get(&index)) {
                (LoanEvent::Originated, _) => {
                    originated.insert(index, self.originate(loan).await?);
                }
                (LoanEvent::Repaid, Some(id)) => self.repay(loan, *id).await?,
                (LoanEvent::Claimed, Some(id)) => self.claim(loan, *id).await?,
                (LoanEvent::Repaid | LoanEvent::Claimed, None) => {}
            }
        }
        self.advance_to(self.now);
        self.chain.mine(MEDIAN_TIME_BLOCKS).map_err(Failure::new)?;
        self.watch_loans().await
    }

    /// Advances the clocks of market and chain.
    fn advance_to(&self, at: UnixMs) {
        self.clock.advance_ms(at.0.saturating_sub(self.clock.now().0));
        self.chain.set_time(u32::try_from(at.seconds()).unwrap_or(u32::MAX));
    }

    async fn mine(&self) -> Result<(), Failure> {
        self.chain.mine(1).map_err(Failure::new)?;
        self.watch_loans().await
    }

    async fn watch_loans(&self) -> Result<(), Failure> {
        self.loan_service.watch_loans_once(&self.watcher).await.map(drop).map_err(Failure::new)
    }

    /// Starts a loan: an offer, a borrower with collateral, both signatures and a block.
    async fn originate(&mut self, loan: &PastLoan) -> Result<LoanId, Failure> {
        self.sign_up((true, loan.lender)).await?;
        self.sign_up((false, loan.borrower)).await?;
        let (lender, borrower) = (&self.users[&(true, loan.lender)], &self.users[&(false, loan.borrower)]);
        let ordinals_script = borrower.wallet.ordinals_address().script_pubkey();
        let mut inscriptions: Vec<InscriptionId> = Vec::new();
        for _ in 0..loan.count {
            let given = self.faucet.give(&ordinals_script, self.collateral_gift(loan)?).await.map_err(Failure::new)?;
            inscriptions.extend(given.inscription);
        }
        // In the order of their ids, as in a request for several.
        inscriptions.sort_unstable_by_key(|id| Inscription::from(*id));
        let payment_script = lender.wallet.payment_address().script_pubkey();
        let lent = Sats::new(loan.principal.get().saturating_add(INITIAL_BALANCE.get()));
        self.faucet.give(&payment_script, DemoGift::Coins(lent)).await.map_err(Failure::new)?;
        self.mine().await?;
        let offer = match &inscriptions[..] {
            [_, _, ..] => self.fill_request(lender, borrower, loan, &inscriptions).await?,
            _ => self.create_offer(lender.user, loan).await?,
        };
        self.fund_exactly(lender, offer).await?;
        let request = LoanRequest {
            borrower: borrower.user,
            offer,
            inscriptions,
            amount_raw: None,
            fee_rate: FEE_RATE,
            is_hardware_wallet: false,
            link_key: None,
            refinances: None,
        };
        let unsigned = self.loan_service.prepare(&request).await.map_err(Failure::new)?;
        let signed = unsigned.transactions.iter().map(|transaction| borrower.wallet.sign_psbt(&transaction.base64));
        let signed: Vec<String> = signed.collect::<Result<_, _>>().map_err(Failure::new)?;
        self.loan_service.accept(borrower.user, unsigned.loan, &signed).await.map_err(Failure::new)?;
        let countersignature =
            self.loan_service.prepare_countersign(lender.user, unsigned.loan).await.map_err(Failure::new)?;
        let sign = |text: &str| lender.wallet.sign_psbt(text).map_err(Failure::new);
        let origination = countersignature.origination.transactions.first().map(|first| sign(&first.base64));
        let origination = origination.ok_or_else(|| Failure::new("a loan without a transaction"))??;
        let [two, truc] = &countersignature.payouts;
        let signed = Countersigned { origination, payouts: [sign(&two.base64)?, sign(&truc.base64)?] };
        self.loan_service.countersign(lender.user, unsigned.loan, &signed).await.map_err(Failure::new)?;
        self.mine().await?;
        Ok(unsigned.loan)
    }

    /// Returns the collateral that the borrower receives from the faucet.
    fn collateral_gift(&self, loan: &PastLoan) -> Result<DemoGift, Failure> {
        let group = self.demo.group(loan.group).map(|demo| &demo.group);
        let bundle = group.and_then(|group| Some((&group.collateral, group.sub_collection(loan.sub)?.bundle)));
        match bundle {
            Some((CollateralType::Inscription, _)) => Ok(DemoGift::Inscription(loan.group)),
            Some((CollateralType::Brc20 { .. }, Bundle::Fixed(pledged))) => {
                Ok(DemoGift::TransferInscription(loan.group, pledged.raw))
            }
            _ => Err(Failure::new("a loan of the past against something else")),
        }
    }

    /// Funds the coin of an exact amount, if the offer needs one.
    async fn fund_exactly(&self, lender: &SimulatedUser, offer: OfferId) -> Result<(), Failure> {
        let Some(offer) = self.loan_service.market.offer(offer).await.map_err(Failure::new)? else { return Ok(()) };
        let coin = self.loan_service.funding_coin(lender.user, &offer).await.map_err(Failure::new)?;
        if let Some(coin) = coin.filter(|coin| !coin.is_available) {
            let payment_script = lender.wallet.payment_address().script_pubkey();
            let gift = DemoGift::Coins(Sats::new(coin.wanted.to_sat()));
            self.faucet.give(&payment_script, gift).await.map_err(Failure::new)?;
            self.mine().await?;
        }
        Ok(())
    }

    async fn repay(&self, loan: &PastLoan, id: LoanId) -> Result<(), Failure> {
        self.mine().await?;
        let borrower = &self.users[&(false, loan.borrower)];
        let ending = self.loan_service.prepare_repayment(borrower.user, &[id], FEE_RATE).await.map_err(Failure::new)?;
        let signed = borrower.wallet.sign_psbt(&ending.transaction.base64).map_err(Failure::new)?;
        self.loan_service.submit_repayment(borrower.user, &[id], &signed).await.map_err(Failure::new)?;
        self.mine().await
    }

    async fn claim(&self, loan: &PastLoan, id: LoanId) -> Result<(), Failure> {
        self.chain.mine(MEDIAN_BLOCKS).map_err(Failure::new)?;
        self.mine().await?;
        let lender = &self.users[&(true, loan.lender)];
        let ending = self.loan_service.prepare_claim(lender.user, id, FEE_RATE).await.map_err(Failure::new)?;
        let signed = lender.wallet.sign_psbt(&ending.transaction.base64).map_err(Failure::new)?;
        self.loan_service.submit_claim(lender.user, id, &signed).await.map_err(Failure::new)?;
        self.mine().await
    }

    /// Creates a manual offer.
    async fn create_offer(&self, lender: UserId, loan: &PastLoan) -> Result<OfferId, Failure> {
        let create = Command::Create {
            lender,
            draft: OfferDraft::plain(loan.sub, ProcessType::Manual, loan.principal),
            count: 1,
            usable: None,
        };
        let created = self.loan_service.market.command(loan.group, create, None).await.map_err(Failure::new)?;
        let offer = created.offers.first().map(|offer| offer.offer_id.0);
        offer.ok_or_else(|| Failure::new("an offer was not created"))
    }

    /// Places the borrower's request against several inscriptions, and fills it by a manual offer of the lender.
    async fn fill_request(
        &self,
        lender: &SimulatedUser,
        borrower: &SimulatedUser,
        loan: &PastLoan,
        inscriptions: &[InscriptionId],
    ) -> Result<OfferId, Failure> {
        let market = &self.loan_service.market;
        let group = market.group(loan.group).ok_or_else(|| Failure::new("a loan of the past in no collection"))?;
        let sub = group.sub_collection(loan.sub).ok_or_else(|| Failure::new("a loan of the past without a term"))?;
        let terms = RequestTerms {
            borrower: NamedBorrower {
                user: borrower.user,
                payment_address: borrower.wallet.payment_address().to_string(),
            },
            inscriptions: inscriptions.iter().map(|id| (*id).into()).collect(),
            quantity: Quantity::inscriptions(loan.count),
            principal: loan.principal,
            interest_max: sub.interest,
            term_min: sub.term,
            term_max: sub.term,
            good_until: self.clock.now().plus_ms(REQUEST_GOOD_FOR_MS),
        };
        let place = Command::PlaceRequest { terms: Arc::new(terms), held_raw: None };
        let placed = market.command(loan.group, place, None).await.map_err(Failure::new)?;
        let request = placed.events.iter().find_map(|event| match event {
            BookEvent::RequestPlaced { request, .. } => Some(*request),
            _ => None,
        });
        let request = request.ok_or_else(|| Failure::new("a request was not placed"))?;
        let (lender, allowance) = (lender.user, Allowance::default());
        let fill = Command::FillRequest {
            lender,
            request,
            draft: OfferDraft::plain(loan.sub, ProcessType::Manual, loan.principal),
            usable: None,
            allowance,
        };
        let filled = market.command(loan.group, fill, None).await.map_err(Failure::new)?;
        let offer = filled.offers.first().map(|offer| offer.offer_id.0);
        offer.ok_or_else(|| Failure::new("a request was not filled"))
    }

    /// Signs a simulated user in for the first time, with an initial balance.
    async fn sign_up(&mut self, key: (bool, usize)) -> Result<(), Failure> {
        if self.users.contains_key(&key) {
            return Ok(());
        }
        let (is_lender, index) = key;
        let network = Network::Regtest;
        let wallet =
            if is_lender { self.demo.lender_wallet(index, network) } else { self.demo.borrower_wallet(index, network) };
        let wallet = wallet.map_err(Failure::new)?;
        let addresses = WalletAddresses {
            payment_address: wallet.payment_address().to_string(),
            payment_pubkey: wallet.public_key_hex(AddressKind::P2wpkh),
            ordinal_address: wallet.ordinals_address().to_string(),
            ordinal_pubkey: wallet.public_key_hex(AddressKind::P2tr),
        };
        let nonce_use = NonceUse { nonce: Nonce(rand::random()), expires_at: self.clock.now().plus_ms(60_000) };
        let user = self.loan_service.market.sign_in(&addresses, nonce_use).await.map_err(Failure::new)?.user;
        let payment_script = wallet.payment_address().script_pubkey();
        self.faucet.give(&payment_script, DemoGift::Coins(INITIAL_BALANCE)).await.map_err(Failure::new)?;
        self.users.insert(key, SimulatedUser { wallet, user });
        Ok(())
    }
}
