//! The keeper of the offers: reads what is known, decides, and sends the steps.

use lienbook_client::types::{
    CollateralName, CreateManualOffers, LoanProcessType, ManualItem, MyOffer, OfferIds, Row, StageName,
};
use lienbook_client::{
    CallError, Client, Feed, GetPriceHistoryQuery, IdempotencyKey, ListMyLoansQuery, ListMyOffersQuery, now_ms,
};

use super::config::Config;
use super::decision::{Decision, Knowledge, OpenLoan, Term, decide};
use super::plan::{StandingOffer, plan};
use super::volatility::Floors;

/// The largest number of pages of a list that are read; what is beyond them is not known, so nothing is offered then.
const PAGES_MAX: usize = 20;
/// The largest number of ids in a cancellation.
const CANCELLED_MAX: usize = 100;

/// The keeper.
pub(crate) struct Keeper {
    client: Client,
    config: Config,
    /// An item without terms.
    item: ManualItem,
    group_id: String,
    floors: Floors,
    last_line: String,
}

impl Keeper {
    /// Looks the collection up, and the history of its floor.
    pub(crate) async fn new(client: Client, config: Config, item: ManualItem) -> Result<Self, CallError> {
        let row = client.get_collection(&config.collection).await?;
        if row.collateral_type != CollateralName::Inscription {
            return Err(CallError::Invalid(format!("{} is not of inscriptions", row.group_slug)));
        }
        let query = GetPriceHistoryQuery { range: Some("7d".to_owned()) };
        let mut floors = Floors::default();
        for point in client.get_price_history(&config.collection, &query).await?.data {
            // Prices of inscriptions are whole sats.
            floors.add(point.date, format!("{:.0}", point.price).parse().unwrap_or(0));
        }
        Ok(Self { client, config, item, group_id: row.id, floors, last_line: String::new() })
    }

    /// The id of the collection.
    pub(crate) fn group_id(&self) -> &str {
        &self.group_id
    }

    /// Decides by what the feed and the server say, and replaces the offers that differ.
    pub(crate) async fn turn(&mut self, feed: &Feed) -> Result<(), CallError> {
        let row = feed.book(&self.group_id).map(|book| book.row().clone());
        if let Some(floor) = row.as_ref().and_then(|row| row.floor) {
            self.floors.add(now_ms(), floor);
        }
        let (managed, other_offers_sats) = self.offers().await?;
        let loans = self.loans().await?;
        // Read last: the answers above took time.
        let age_ms = row.as_ref().map(|_| u64::try_from(feed.silence().as_millis()).unwrap_or(u64::MAX));
        let known = self.known(row.as_ref(), age_ms, loans, other_offers_sats);
        let decision = decide(&self.config.rule, &known);
        self.apply(&managed, &decision).await
    }

    /// Cancels every offer that is managed.
    pub(crate) async fn cancel_all(&mut self, reason: &str) -> Result<(), CallError> {
        let (managed, _) = self.offers().await?;
        self.apply(&managed, &Decision::none(reason)).await
    }

    fn known(&self, row: Option<&Row>, age_ms: Option<u64>, loans: Vec<OpenLoan>, other_offers_sats: u64) -> Knowledge {
        let now_ms = now_ms();
        let terms = row.into_iter().filter(|row| row.is_lending_allowed).flat_map(|row| &row.sub_collections);
        Knowledge {
            now_ms,
            age_ms,
            floor_sats: row.and_then(|row| row.floor),
            volatility: self.floors.daily(now_ms, self.config.history_min_ms),
            terms: terms
                .filter(|term| term.manual)
                .map(|term| Term { slug: term.slug.clone(), days: term.term })
                .collect(),
            loans,
            other_offers_sats,
        }
    }

    async fn apply(&mut self, managed: &[StandingOffer], decision: &Decision) -> Result<(), CallError> {
        let steps = plan(managed, &decision.quotes, self.config.tolerance);
        let kept = managed.len() - steps.cancel.len();
        let created: Vec<String> =
            steps.create.iter().map(|quote| format!("{} {}", quote.slug, quote.principal_sats)).collect();
        self.log(format!(
            "keep {kept}, cancel {}, create {}: {}",
            steps.cancel.len(),
            if created.is_empty() { "0".to_owned() } else { created.join(" and ") },
            decision.reason
        ));
        for ids in steps.cancel.chunks(CANCELLED_MAX) {
            let body = OfferIds { offer_ids: ids.to_vec() };
            let results = self.client.cancel_manual_offers(&body, &IdempotencyKey::random()).await?.results;
            if let Some(problem) = results.into_iter().find_map(|result| result.error) {
                // It may have been taken meanwhile: the next turn knows.
                return Err(CallError::Refused(Box::new(problem)));
            }
        }
        for quote in &steps.create {
            let item = ManualItem {
                collection_slug: quote.slug.clone(),
                principal_amount: quote.principal_sats,
                ..self.item.clone()
            };
            let body = CreateManualOffers { offers: vec![item], cf_turnstile_response: None };
            self.client.create_manual_offers(&body, &IdempotencyKey::random()).await?;
        }
        Ok(())
    }

    /// The managed offers, and the sum of all other open ones.
    async fn offers(&self) -> Result<(Vec<StandingOffer>, u64), CallError> {
        let (mut managed, mut others_sats, mut cursor) = (Vec::new(), 0_u64, None);
        for _ in 0..PAGES_MAX {
            let page = self.client.list_my_offers(&ListMyOffersQuery { limit: Some(500), cursor }).await?;
            for offer in page.data {
                if self.is_managed(&offer) {
                    let principal_sats = offer.principal;
                    managed.push(StandingOffer { id: offer.offer_id, slug: offer.collection_slug, principal_sats });
                } else {
                    others_sats = others_sats.saturating_add(offer.principal.saturating_sub(offer.used_principal));
                }
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok((managed, others_sats));
            }
        }
        Err(CallError::Unreadable(format!("more than {PAGES_MAX} pages of offers")))
    }

    /// Whether an offer is one of this program: of a fixed principal that anyone can take, and not in a borrower's hands.
    fn is_managed(&self, offer: &MyOffer) -> bool {
        offer.group_id == self.group_id
            && offer.loan_process_type == LoanProcessType::Manual
            && offer.conditions.is_none()
            && offer.peg.is_none()
            && offer.available_principal == offer.principal
    }

    async fn loans(&self) -> Result<Vec<OpenLoan>, CallError> {
        let (mut loans, mut cursor) = (Vec::new(), None);
        for _ in 0..PAGES_MAX {
            let query = ListMyLoansQuery {
                limit: Some(200),
                cursor,
                role: Some("lender".to_owned()),
                stage: Some("awaiting_lender,broadcast,active,expired,repaying,claiming".to_owned()),
                ..ListMyLoansQuery::default()
            };
            let page = self.client.list_my_loans(&query).await?;
            // A loan that awaits the lender's signature is in its offer still, which is reserved.
            let counted = page.data.into_iter().filter(|loan| loan.stage != StageName::AwaitingLender);
            loans.extend(counted.map(|loan| OpenLoan { principal_sats: loan.principal, due_at: loan.due_at }));
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(loans);
            }
        }
        Err(CallError::Unreadable(format!("more than {PAGES_MAX} pages of loans")))
    }

    /// Logs a decision in one line, unless it is the last one again.
    #[expect(clippy::print_stdout, reason = "the log of decisions")]
    fn log(&mut self, line: String) {
        if line != self.last_line {
            println!("{} {line}", now_ms());
            self.last_line = line;
        }
    }
}
