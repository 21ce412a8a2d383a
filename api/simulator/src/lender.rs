//! The main loop of a simulated lender.

mod exact_coins;
mod loans;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use domain::{GroupId, OfferId, ProcessType, Sats, SubCollection, UnitPrice, UnixMs};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use self::loans::Schedule;
use crate::action_counters::{ActionCounters, CountedAction};
use crate::api_client::CallError;
use crate::clock;
use crate::decision::{DecisionContext, decide, quote_initial};
use crate::demo_market::DemoMarket;
use crate::lender_client::{BATCH_MAX, LenderClient, VaultInfo};
use crate::limits::Limits;
use crate::market_view::{MarketEvent, MarketView};
use crate::offer_action::{OfferAction, Quote};
use crate::operator::Operator;
use crate::own_offer::OwnOffer;
use crate::persona::Persona;
use crate::profile::Profile;
use crate::throttle::Throttle;
use crate::vacancy::{self, Vacancy};

/// The interval at which a lender reviews all own offers, in milliseconds.
const REVIEW_EVERY_MS: u64 = 75_000;
/// The pause after a failure.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(3);
/// The pause after a refusal.
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_millis(1_500);
/// The interval at which lenders check whether the first prices are known.
const WAKE_EVERY: Duration = Duration::from_millis(200);

/// The state that all simulated users share.
pub(crate) struct SharedState {
    pub(crate) market: Arc<DemoMarket>,
    /// The market as the feed shows it.
    pub(crate) view: Arc<MarketView>,
    pub(crate) counters: Arc<ActionCounters>,
    /// The rate limit of the actions of all users.
    pub(crate) throttle: Throttle,
    /// The rate limit of the loans of all borrowers.
    pub(crate) loan_throttle: Throttle,
    /// The limits of the server.
    pub(crate) limits: Limits,
}

impl SharedState {
    /// The price of a group as the feed shows it, and its terms.
    pub(crate) fn usual_terms(&self, group: GroupId) -> Option<(UnitPrice, Vec<SubCollection>)> {
        let price = self.view.book(group)?.price?;
        Some((price, self.market.group(group)?.group.sub_collections.clone()))
    }
}

/// A simulated lender with their session and state.
pub(crate) struct Lender<O> {
    profile: Profile,
    shared: Arc<SharedState>,
    operator: Arc<O>,
    client: LenderClient,
    rng: ChaCha8Rng,
    own: Vec<OwnOffer>,
    vault: Option<VaultInfo>,
    reviewed_at: UnixMs,
    schedule: Schedule,
}

impl<O: Operator> Lender<O> {
    /// Returns a lender who has not signed in yet.
    pub(crate) fn new(profile: Profile, shared: Arc<SharedState>, operator: Arc<O>, client: LenderClient) -> Self {
        let rng = Profile::rng(shared.market.seed, "lender's day", profile.index);
        let (reviewed_at, schedule) = (UnixMs(0), Schedule::new());
        Self { profile, shared, operator, client, rng, own: Vec::new(), vault: None, reviewed_at, schedule }
    }

    /// Runs forever; no response of the server ends it.
    pub(crate) async fn run(mut self) {
        let opening_ms = self.shared.market.pace.opening_ms;
        let delay_ms = self.rng.random_range(0..=opening_ms / 2);
        tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        while !self.shared.view.has_prices() {
            tokio::time::sleep(WAKE_EVERY).await;
        }
        while let Err(error) = self.start_session().await {
            self.log_failure(&error, "signing in");
            tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
        }
        if let Err(error) = self.quote_initial_offers().await {
            self.log_failure(&error, "quoting initial offers");
        }
        let mut events = self.shared.view.subscribe();
        loop {
            let mut due =
                Instant::now() + Duration::from_millis(self.profile.rest_ms(&self.shared.market.pace, &mut self.rng));
            let mut urgent_group = None;
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(due) => break,
                    event = events.recv(), if urgent_group.is_none() && !self.shared.market.is_static => match event {
                        Ok(event) if self.reacts_to(event) => {
                            let reaction = Duration::from_millis(self.rng.random_range(300..3_500));
                            due = Instant::now() + reaction;
                            urgent_group = Some(event.group());
                        }
                        // The view outlives all lenders, so its channel is never closed in practice.
                        Ok(_) | Err(RecvError::Lagged(_) | RecvError::Closed) => {}
                    },
                }
            }
            if let Err(error) = self.visit_book(urgent_group).await {
                self.log_failure(&error, "visiting a book");
                self.reviewed_at = UnixMs(0);
                tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
            }
        }
    }

    /// Signs in, has the vault funded, and loads the offers of an earlier run.
    async fn start_session(&mut self) -> Result<(), CallError> {
        self.client.session.sign_in().await?;
        if self.profile.vault > Sats::ZERO {
            self.vault = self.client.vault().await?;
            if self.vault.is_none() && self.client.session.open_vault().await? {
                self.vault = self.client.vault().await?;
            }
            if self.vault.is_some() {
                self.client.session.read_vault_signer().await?;
            }
        }
        self.manage_funds().await?;
        self.review().await
    }

    /// Quotes in all preferred groups, so that the books fill soon after the start.
    async fn quote_initial_offers(&mut self) -> Result<(), CallError> {
        let mut manual: Vec<Quote> = Vec::new();
        // Offers in the batch count as quoted, so that no place gets two.
        let mut planned: Vec<OwnOffer> = Vec::new();
        let preferred_groups = self.profile.preferred_groups.clone();
        for (group, _) in preferred_groups.iter().chain(&preferred_groups) {
            let quote = self.with_context(*group, &planned, quote_initial);
            let Some(OfferAction::Quote(quote)) = quote.flatten() else { continue };
            match quote.process {
                ProcessType::Manual if manual.len() < BATCH_MAX => {
                    planned.extend((0..quote.count).map(|_| placeholder(&quote)));
                    manual.push(quote);
                }
                ProcessType::Manual => {}
                ProcessType::Instant => self.perform(OfferAction::Quote(quote)).await?,
            }
        }
        if !manual.is_empty() {
            let created = self.client.quote_manual(&manual).await?;
            self.shared.counters.add(CountedAction::Quote, created.len());
            self.own.extend(created);
        }
        Ok(())
    }

    /// Decides about one book and acts.
    async fn visit_book(&mut self, urgent_group: Option<GroupId>) -> Result<(), CallError> {
        self.handle_loans().await?;
        self.create_exact_coins().await?;
        if clock::now() > self.reviewed_at.plus_ms(self.review_every_ms()) {
            let waited = self.waits_for_vault();
            self.review().await?;
            self.manage_funds().await?;
            if waited && !self.waits_for_vault() {
                self.quote_initial_offers().await?;
            }
        }
        let vacant = self.shared.view.vacancies(&self.shared.market.groups);
        if self.shared.market.is_static {
            return self.fill_vacancy(&vacant).await;
        }
        self.fill_request().await?;
        self.negotiate().await?;
        let next_group = || self.profile.next_group(&self.own, &vacant, &mut self.rng);
        let Some(group) = urgent_group.or_else(next_group) else { return Ok(()) };
        let actions = self.with_context(group, &[], decide).unwrap_or_default();
        for action in actions {
            self.shared.throttle.acquire().await;
            self.perform(action).await?;
        }
        Ok(())
    }

    /// Quotes in a group that has no offer of a process type which this lender can make.
    async fn fill_vacancy(&mut self, vacant: &[Vacancy]) -> Result<(), CallError> {
        let Some(group) = self.profile.vacant_group(vacant, &mut self.rng) else { return Ok(()) };
        let Some(quote) = self.with_context(group, &[], quote_initial).flatten() else { return Ok(()) };
        self.shared.throttle.acquire().await;
        self.perform(quote).await
    }

    /// Reviews all own offers and the vault, since borrowers and prices change them too.
    async fn review(&mut self) -> Result<(), CallError> {
        self.own = self.client.offers(&self.own).await?;
        if self.vault.is_some() {
            self.vault = self.client.vault().await?;
        }
        self.reviewed_at = clock::now();
        Ok(())
    }

    /// The interval between reviews: shorter while the vault's first money is awaited.
    fn review_every_ms(&self) -> u64 {
        if self.waits_for_vault() { REVIEW_EVERY_MS / 15 } else { REVIEW_EVERY_MS }
    }

    fn waits_for_vault(&self) -> bool {
        self.vault.as_ref().is_some_and(|vault| vault.usable == Sats::ZERO)
    }

    /// Applies `decision` to the lender's view of a group; `None` while its price is unknown.
    fn with_context<T>(
        &mut self,
        group: GroupId,
        planned: &[OwnOffer],
        decision: impl FnOnce(&Profile, &DecisionContext<'_>, &mut ChaCha8Rng) -> T,
    ) -> Option<T> {
        let shared = Arc::clone(&self.shared);
        let demo = shared.market.group(group)?;
        let book = shared.view.book(group)?;
        let own: Vec<OwnOffer> = self.own.iter().chain(planned).filter(|own| own.group == group).copied().collect();
        let is_vacant = vacancy::vacancies(demo, &book).next().is_some();
        let context = DecisionContext {
            group: demo,
            price: book.price?,
            book: &book,
            limits: &shared.limits,
            own: &own,
            offer_capacity: self.profile.offer_capacity(self.own.len() + planned.len(), is_vacant),
            vault: self.vault.as_ref().map(|vault| vault.usable),
            now: clock::now(),
        };
        Some(decision(&self.profile, &context, &mut self.rng))
    }

    /// Carries out one action. A refusal is counted, and makes the lender review the offers before the next action.
    async fn perform(&mut self, action: OfferAction) -> Result<(), CallError> {
        if self.wastes_exact_coin(&action) {
            return Ok(());
        }
        match self.execute(&action).await {
            Err(CallError::Refused { status, code, detail }) => {
                self.shared.counters.count(CountedAction::Refusal);
                tracing::debug!(lender = self.profile.index, %status, code, detail, ?action, "refused");
                self.reviewed_at = UnixMs(0);
                tokio::time::sleep(PAUSE_AFTER_REFUSAL).await;
                Ok(())
            }
            other => other,
        }
    }

    async fn execute(&mut self, action: &OfferAction) -> Result<(), CallError> {
        let counters = Arc::clone(&self.shared.counters);
        match action {
            OfferAction::Quote(quote) => {
                let created = match (quote.process, self.vault.clone()) {
                    (ProcessType::Manual, _) => self.client.quote_manual(std::slice::from_ref(quote)).await?,
                    (ProcessType::Instant, Some(vault)) => self.client.quote_instant(quote, &vault).await?,
                    (ProcessType::Instant, None) => Vec::new(),
                };
                counters.add(CountedAction::Quote, created.len());
                self.own.extend(created);
            }
            OfferAction::Edit { offer, quote } => {
                let created = self.client.edit(*offer, quote, self.vault.as_ref()).await?;
                counters.count(CountedAction::Edit);
                self.remove_offer(*offer);
                self.own.extend(created);
            }
            OfferAction::Cancel(offer) => {
                if let Some(own) = self.own.iter().find(|own| own.id == *offer).copied() {
                    self.client.cancel(&own).await?;
                    counters.count(CountedAction::Cancel);
                    self.remove_offer(*offer);
                }
            }
            OfferAction::Pause(offer) => {
                self.client.pause_or_resume(*offer, "pause").await?;
                counters.count(CountedAction::Pause);
                self.set_paused(*offer, true);
            }
            OfferAction::Resume(offer) => {
                self.client.pause_or_resume(*offer, "resume").await?;
                counters.count(CountedAction::Resume);
                self.set_paused(*offer, false);
            }
            OfferAction::AcceptTerm(offer, change) => {
                self.client.accept_term(*offer, *change).await?;
                counters.count(CountedAction::TermAcceptance);
                self.own.iter_mut().filter(|own| own.id == *offer).for_each(|own| own.new_terms = None);
            }
        }
        Ok(())
    }

    fn remove_offer(&mut self, offer: OfferId) {
        self.own.retain(|own| own.id != offer);
    }

    fn set_paused(&mut self, offer: OfferId, is_paused: bool) {
        self.own.iter_mut().filter(|own| own.id == offer).for_each(|own| own.is_paused_by_hand = is_paused);
    }

    /// Whether the lender reacts to an event at once: most do when a price moved under their offers, and those who
    /// compete for the best bid when it changes.
    fn reacts_to(&mut self, event: MarketEvent) -> bool {
        if self.own.iter().all(|own| own.group != event.group()) {
            return false;
        }
        let probability = match (event, self.profile.persona) {
            (MarketEvent::PriceMoved(_), Persona::Conservative | Persona::Hobbyist) => 0.25,
            (MarketEvent::PriceMoved(_), _) => 0.65,
            (MarketEvent::BestOfferChanged(_), _) => self.profile.parameters.outbids * 0.45,
        };
        self.rng.random_bool(probability)
    }

    fn log_failure(&self, error: &CallError, what: &str) {
        self.shared.counters.count(CountedAction::Failure);
        tracing::warn!(lender = self.profile.index, persona = ?self.profile.persona, %error, "{what} failed");
    }
}

/// The offer that a quote is about to become.
fn placeholder(quote: &Quote) -> OwnOffer {
    OwnOffer {
        id: OfferId(0),
        group: quote.group,
        sub: quote.sub,
        process: quote.process,
        principal: quote.principal,
        used: Sats::ZERO,
        quantity: quote.quantity,
        is_pegged: quote.least.is_some(),
        is_paused_by_hand: false,
        new_terms: None,
        is_reserved: false,
        quoted_at: None,
        created_at: UnixMs(0),
    }
}
