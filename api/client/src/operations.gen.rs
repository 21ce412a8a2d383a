// Generated from api/openapi.json by the test `generated`; do not edit.

use crate::call::Call;
use crate::call_error::CallError;
use crate::client::Client;
use crate::idempotency_key::IdempotencyKey;
use crate::types::*;

/// The query of [`Client::list_instant_ordinal_quotes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListInstantOrdinalQuotesQuery {
    /// The slug of the collection group.
    pub collection_group_slug: String,
}

impl ListInstantOrdinalQuotesQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("collection_group_slug", Some(&self.collection_group_slug).map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_instant_rune_quotes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListInstantRuneQuotesQuery {
    /// The slug of the collection group.
    pub collection_group_slug: String,
}

impl ListInstantRuneQuotesQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("collection_group_slug", Some(&self.collection_group_slug).map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_collections`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListCollectionsQuery {
    /// Rows per page, at most 500.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// The kind of collateral.
    pub category: Option<String>,
    /// Only groups that take offers of this process type; offers are filtered and sorted by it too.
    pub process: Option<String>,
    /// A part of a name, symbol or slug.
    pub search: Option<String>,
    /// Only groups with, or without, offers.
    pub has_offers: Option<bool>,
    /// The sort key; the order of listing by default.
    pub sort: Option<String>,
    /// The direction of sorting; ascending by default.
    pub order: Option<String>,
}

impl ListCollectionsQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
            ("category", self.category.as_ref().map(ToString::to_string)),
            ("process", self.process.as_ref().map(ToString::to_string)),
            ("search", self.search.as_ref().map(ToString::to_string)),
            ("has_offers", self.has_offers.as_ref().map(ToString::to_string)),
            ("sort", self.sort.as_ref().map(ToString::to_string)),
            ("order", self.order.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::get_backtest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetBacktestQuery {
    /// Its sub-collection: the term and the bundle.
    pub sub_collection_id: u32,
    /// Its process type.
    pub process: String,
    /// Its principal in sats. An offer in parts has none that fits every loan: it needs `ltv`.
    pub principal: Option<u64>,
    /// Instead of the principal, its share of the collateral's value at the floor, in basis points, half by default; it follows
    /// the floor.
    pub ltv: Option<u32>,
    /// The sats that are lent or promised at any time, at the most.
    pub budget: u64,
    /// The number of days until now; 90 by default.
    pub days: Option<u32>,
}

impl GetBacktestQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("subCollectionId", Some(&self.sub_collection_id).map(ToString::to_string)),
            ("process", Some(&self.process).map(ToString::to_string)),
            ("principal", self.principal.as_ref().map(ToString::to_string)),
            ("ltv", self.ltv.as_ref().map(ToString::to_string)),
            ("budget", Some(&self.budget).map(ToString::to_string)),
            ("days", self.days.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::get_public_log`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetPublicLogQuery {
    /// A page of 1,000 events, from 0; all of them without it. Page 0 begins with the first line of the log.
    pub page: Option<u32>,
}

impl GetPublicLogQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("page", self.page.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::get_price_history`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetPriceHistoryQuery {
    /// The period; 24 hours by default.
    pub range: Option<String>,
}

impl GetPriceHistoryQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("range", self.range.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::get_quote`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetQuoteQuery {
    /// An inscription that has to belong to the collection.
    pub inscription_id: Option<String>,
}

impl GetQuoteQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("inscription_id", self.inscription_id.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_heads`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListHeadsQuery {
    /// The number of publications, from the latest one: 1 to 200.
    pub limit: Option<u64>,
}

impl ListHeadsQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::export_my_due_dates`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportMyDueDatesQuery {
    /// Loans per page, at most 200.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only loans in which the caller has this role.
    pub role: Option<String>,
    /// Only loans at one of these stages, separated by commas.
    pub stage: Option<String>,
    /// Only loans of one collection, by its id or slug.
    pub collection: Option<String>,
    /// Only loans from this time on, in unix milliseconds: the time of preparation, or in the history the time of the
    /// end.
    pub from: Option<u64>,
    /// Only loans before this time, in unix milliseconds.
    pub to: Option<u64>,
}

impl ExportMyDueDatesQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
            ("role", self.role.as_ref().map(ToString::to_string)),
            ("stage", self.stage.as_ref().map(ToString::to_string)),
            ("collection", self.collection.as_ref().map(ToString::to_string)),
            ("from", self.from.as_ref().map(ToString::to_string)),
            ("to", self.to.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_my_history`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListMyHistoryQuery {
    /// Loans per page, at most 200.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only loans in which the caller has this role.
    pub role: Option<String>,
    /// Only loans at one of these stages, separated by commas.
    pub stage: Option<String>,
    /// Only loans of one collection, by its id or slug.
    pub collection: Option<String>,
    /// Only loans from this time on, in unix milliseconds: the time of preparation, or in the history the time of the
    /// end.
    pub from: Option<u64>,
    /// Only loans before this time, in unix milliseconds.
    pub to: Option<u64>,
}

impl ListMyHistoryQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
            ("role", self.role.as_ref().map(ToString::to_string)),
            ("stage", self.stage.as_ref().map(ToString::to_string)),
            ("collection", self.collection.as_ref().map(ToString::to_string)),
            ("from", self.from.as_ref().map(ToString::to_string)),
            ("to", self.to.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_my_loans`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListMyLoansQuery {
    /// Loans per page, at most 200.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only loans in which the caller has this role.
    pub role: Option<String>,
    /// Only loans at one of these stages, separated by commas.
    pub stage: Option<String>,
    /// Only loans of one collection, by its id or slug.
    pub collection: Option<String>,
    /// Only loans from this time on, in unix milliseconds: the time of preparation, or in the history the time of the
    /// end.
    pub from: Option<u64>,
    /// Only loans before this time, in unix milliseconds.
    pub to: Option<u64>,
}

impl ListMyLoansQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
            ("role", self.role.as_ref().map(ToString::to_string)),
            ("stage", self.stage.as_ref().map(ToString::to_string)),
            ("collection", self.collection.as_ref().map(ToString::to_string)),
            ("from", self.from.as_ref().map(ToString::to_string)),
            ("to", self.to.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::export_my_loans`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportMyLoansQuery {
    /// Loans per page, at most 200.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only loans in which the caller has this role.
    pub role: Option<String>,
    /// Only loans at one of these stages, separated by commas.
    pub stage: Option<String>,
    /// Only loans of one collection, by its id or slug.
    pub collection: Option<String>,
    /// Only loans from this time on, in unix milliseconds: the time of preparation, or in the history the time of the
    /// end.
    pub from: Option<u64>,
    /// Only loans before this time, in unix milliseconds.
    pub to: Option<u64>,
}

impl ExportMyLoansQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
            ("role", self.role.as_ref().map(ToString::to_string)),
            ("stage", self.stage.as_ref().map(ToString::to_string)),
            ("collection", self.collection.as_ref().map(ToString::to_string)),
            ("from", self.from.as_ref().map(ToString::to_string)),
            ("to", self.to.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_my_waiting_loans`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListMyWaitingLoansQuery {
    /// Loans per page, at most 200.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only loans in which the caller has this role.
    pub role: Option<String>,
    /// Only loans at one of these stages, separated by commas.
    pub stage: Option<String>,
    /// Only loans of one collection, by its id or slug.
    pub collection: Option<String>,
    /// Only loans from this time on, in unix milliseconds: the time of preparation, or in the history the time of the
    /// end.
    pub from: Option<u64>,
    /// Only loans before this time, in unix milliseconds.
    pub to: Option<u64>,
}

impl ListMyWaitingLoansQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
            ("role", self.role.as_ref().map(ToString::to_string)),
            ("stage", self.stage.as_ref().map(ToString::to_string)),
            ("collection", self.collection.as_ref().map(ToString::to_string)),
            ("from", self.from.as_ref().map(ToString::to_string)),
            ("to", self.to.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::get_my_points`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetMyPointsQuery {
    /// Loans per page, at most 200.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl GetMyPointsQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::end_negotiation`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndNegotiationQuery {
    /// The number of the latest proposal, from 1: the number of proposals that the caller has seen.
    pub round: u64,
}

impl EndNegotiationQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("round", Some(&self.round).map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::get_oembed`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetOembedQuery {
    /// The address of a collection's page on this server.
    pub url: String,
    /// The format of the answer.
    pub format: Option<String>,
    /// The largest width of the embedded page, in pixels.
    pub maxwidth: Option<u32>,
    /// The largest height of the embedded page, in pixels.
    pub maxheight: Option<u32>,
}

impl GetOembedQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("url", Some(&self.url).map(ToString::to_string)),
            ("format", self.format.as_ref().map(ToString::to_string)),
            ("maxwidth", self.maxwidth.as_ref().map(ToString::to_string)),
            ("maxheight", self.maxheight.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_my_offers`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListMyOffersQuery {
    /// Offers per page, at most 500.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ListMyOffersQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_borrow_requests`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListBorrowRequestsQuery {
    /// Id or slug of a collection; absent for all.
    pub collection: Option<String>,
}

impl ListBorrowRequestsQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("collection", self.collection.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::list_vault_history`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListVaultHistoryQuery {
    /// Entries per page, at most 200.
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ListVaultHistoryQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("limit", self.limit.as_ref().map(ToString::to_string)),
            ("cursor", self.cursor.as_ref().map(ToString::to_string)),
        ]
    }
}

/// The query of [`Client::download_vault_kit`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DownloadVaultKitQuery {
    /// The address of a vault that the caller has moved away from; by default the kit is of the present one.
    pub address: Option<String>,
}

impl DownloadVaultKitQuery {
    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("address", self.address.as_ref().map(ToString::to_string)),
        ]
    }
}

impl Client {
    /// Lists the instant offers of a group that can be taken now, best first.
    ///
    /// Refused with: `unknown_collection`, also for groups of tokens.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_instant_ordinal_quotes(&self, query: &ListInstantOrdinalQuotesQuery) -> Result<Vec<OrdinalQuote>, CallError> {
        self.read(Call::own_reads("GET", "/api/instant/ordinals/offers").query(query.pairs())).await
    }

    /// Lists the instant offers of a rune's group that can be taken now, by term.
    ///
    /// Refused with: `unknown_collection`, also for groups of other collateral.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_instant_rune_quotes(&self, query: &ListInstantRuneQuotesQuery) -> Result<Vec<RuneQuotes>, CallError> {
        self.read(Call::own_reads("GET", "/api/instant/runes/offers").query(query.pairs())).await
    }

    /// Issues a nonce for one signed message of the caller.
    ///
    /// Refused with: `rate_limited`, and the codes of addresses.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn issue_message_nonce(&self, body: &NonceRequest) -> Result<NonceAnswer, CallError> {
        self.read(Call::writes("POST", "/api/v1/account/nonce").body(body)?).await
    }

    /// Returns the caller's balance of every token that is accepted as collateral.
    ///
    /// Refused with: `notes_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_brc20_collateral(&self) -> Result<Brc20Collateral, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/brc20/collateral")).await
    }

    /// Lists the caller's transfer inscriptions that wait for a block or for the indexer.
    ///
    /// Refused with: `indexer_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_pending_transfers(&self) -> Result<PendingTransfers, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/brc20/orders")).await
    }

    /// Prepares a transfer inscription: the transaction that the caller's wallet signs. A repeated request returns the same
    /// order as long as it can be signed.
    ///
    /// Refused with: `insufficient_tokens`, `insufficient_funds`, `note_pending`,
    /// `fee_rate_out_of_range`, `unknown_token`, `invalid_field`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_transfer(&self, body: &PrepareTransfer) -> Result<PreparedTransfer, CallError> {
        self.read(Call::writes("POST", "/api/v1/brc20/orders").body(body)?).await
    }

    /// Takes the signed transaction of an order and broadcasts it together with the one that reveals the inscription. A
    /// repeated request returns the same answer.
    ///
    /// Refused with: `unknown_order`, `order_ended`, `coin_changed`,
    /// `transaction_not_taken`, and one code for each way in which the transaction can have been altered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn commit_transfer(&self, body: &CommitTransfer) -> Result<CommittedTransfer, CallError> {
        self.read(Call::writes("POST", "/api/v1/brc20/orders/commit").body(body)?).await
    }

    /// Returns the caller's balance, transfer inscriptions and next step for one bundle.
    ///
    /// Refused with: `unknown_collection` unless the slug names a bundle of a BRC-20 token; `notes_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_brc20_panel(&self, collection_slug: &str) -> Result<Brc20Panel, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/brc20/panels/{}").segment(collection_slug)).await
    }

    /// Returns the transfer inscriptions that a transaction reveals.
    ///
    /// Refused with: `transfer_not_found` for an unknown transaction.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_brc20_transfers(&self, hash: &str) -> Result<Brc20Transfers, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/brc20/transfers/{}").segment(hash)).await
    }

    /// Returns version, commit, and the hashes of the program and of each file of the web app.
    ///
    /// Refused with: `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_build(&self) -> Result<Build, CallError> {
        self.read(Call::reads("GET", "/api/v1/build")).await
    }

    /// Returns the best block and the recommended fee rates.
    ///
    /// Refused with: `node_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_chain(&self) -> Result<ChainStatus, CallError> {
        self.read(Call::reads("GET", "/api/v1/chain")).await
    }

    /// Lists the market's groups.
    ///
    /// Refused with: `invalid_query`, `invalid_cursor`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_collections(&self, query: &ListCollectionsQuery) -> Result<CollectionsPage, CallError> {
        self.read(Call::reads("GET", "/api/v1/collections").query(query.pairs())).await
    }

    /// Returns the row of one group.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_collection(&self, name: &str) -> Result<Row, CallError> {
        self.read(Call::reads("GET", "/api/v1/collections/{}").segment(name)).await
    }

    /// Returns the newest offers and loans of a collection as an Atom feed (RFC 4287), at most 50, newest first. It is enough
    /// to ask once a minute.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_activity_feed(&self, name: &str) -> Result<String, CallError> {
        self.text(Call::reads("GET", "/api/v1/collections/{}/activity.atom").segment(name)).await
    }

    /// Returns the return that an offer would have had in the last days.
    ///
    /// Refused with: `unknown_collection`, `invalid_query`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_backtest(&self, name: &str, query: &GetBacktestQuery) -> Result<BacktestView, CallError> {
        self.read(Call::reads("GET", "/api/v1/collections/{}/backtest").segment(name).query(query.pairs())).await
    }

    /// Returns the public log of a collection's order book: what happened in it, in order, without names. One JSON object in each
    /// line; the first one is the collection as it was listed. `lienbook audit` verifies it, with heads and receipts.
    ///
    /// Refused with: `unknown_collection`, `not_found` for a page beyond the end.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_public_log(&self, name: &str, query: &GetPublicLogQuery) -> Result<String, CallError> {
        self.text(Call::reads("GET", "/api/v1/collections/{}/log").segment(name).query(query.pairs())).await
    }

    /// Returns the order book of a collection.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_order_book(&self, name: &str) -> Result<OrderBookView, CallError> {
        self.read(Call::reads("GET", "/api/v1/collections/{}/orderbook").segment(name)).await
    }

    /// Returns the price chart of a collection.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_price_history(&self, name: &str, query: &GetPriceHistoryQuery) -> Result<PriceHistory, CallError> {
        self.read(Call::reads("GET", "/api/v1/collections/{}/price-history").segment(name).query(query.pairs())).await
    }

    /// Returns the origin of a collection's price, and the reason why new prices were not adopted, if so.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_price_source(&self, name: &str) -> Result<PriceSource, CallError> {
        self.read(Call::reads("GET", "/api/v1/collections/{}/price-source").segment(name)).await
    }

    /// Returns the best offer against an inscription of a collection, which may be five seconds old. It is enough to ask every
    /// 15 seconds.
    ///
    /// Refused with: `unknown_collection`, also for one of tokens; `unknown_inscription` for one that does not
    /// belong to the collection.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_quote(&self, name: &str, query: &GetQuoteQuery) -> Result<QuoteView, CallError> {
        self.read(Call::reads("GET", "/api/v1/collections/{}/quote").segment(name).query(query.pairs())).await
    }

    /// Returns network, domain, bot check and limits.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_config(&self) -> Result<PublicConfig, CallError> {
        self.read(Call::reads("GET", "/api/v1/config")).await
    }

    /// Creates or replaces an instant offer by a text that a program signed under a delegation. Server and vault signer check
    /// the signature and every limit, each for itself. The number of the text is above all that the program has used, also in
    /// texts that were refused later; an offer is good until the delegation ends at the latest.
    ///
    /// Refused with: The codes of messages, signatures, delegations, offers and the bot check.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn quote_by_delegation(&self, body: &DelegatedQuote) -> Result<OneOffer, CallError> {
        self.read(Call::writes("POST", "/api/v1/delegated-offers").body(body)?).await
    }

    /// Cancels offers under a delegation by a text of its program, also after the delegation has ended; again without effect.
    ///
    /// Refused with: The codes of messages and signatures; `delegation_limit` for an offer that is not
    /// under the delegation.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn cancel_by_delegation(&self, body: &DelegatedCancellation) -> Result<CancelledOffers, CallError> {
        self.read(Call::writes("POST", "/api/v1/delegated-offers/cancel").body(body)?).await
    }

    /// Lists the caller's delegations: those that can be used, and the latest that have ended, with what the vault signer has
    /// counted.
    ///
    /// Refused with: None but those of every read.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_delegations(&self) -> Result<MyDelegations, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/delegations")).await
    }

    /// Delegates quotes to a program, within the limits of a signed message. The vault signer admits it before this answers; if
    /// it does not, the delegation is revoked again.
    ///
    /// Refused with: The codes of messages and signatures; `vault_not_found`, `duplicate_id`,
    /// `too_many_delegations`, `delegation_limit` for another vault.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn create_delegation(&self, body: &CreateDelegation) -> Result<DelegationView, CallError> {
        self.read(Call::writes("POST", "/api/v1/delegations").body(body)?).await
    }

    /// Revokes a delegation for good; again without effect. This server accepts nothing under it from now on, and its open
    /// offers are cancelled. It is complete, and its state `revoked`, when the vault signer has confirmed it: a signer that is
    /// away hears of it again until it has. A key with the scope `cancel` may revoke.
    ///
    /// Refused with: `unknown_delegation`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn revoke_delegation(&self, delegation_id: &str) -> Result<RevokedDelegation, CallError> {
        self.read(Call::writes("DELETE", "/api/v1/delegations/{}").segment(delegation_id)).await
    }

    /// Broadcasts a transaction that was made elsewhere on the demo's chain. Available in the demo only.
    ///
    /// Refused with: `not_found` outside the demo, `invalid_field` for text that is not a transaction,
    /// `transaction_not_taken`, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn broadcast_transaction(&self, body: &BroadcastRequest) -> Result<BroadcastAnswer, CallError> {
        self.read(Call::writes("POST", "/api/v1/devnet/broadcast").body(body)?).await
    }

    /// Sends sats, an inscription, runes or BRC-20 tokens to the caller on the demo's chain. Available in the demo only.
    ///
    /// Refused with: `not_found` outside the demo, `unknown_collection`, `invalid_field`,
    /// `faucet_limit`, `rate_limited` and `node_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn ask_faucet(&self, body: &FaucetRequest, key: &IdempotencyKey) -> Result<FaucetAnswer, CallError> {
        self.read(Call::writes("POST", "/api/v1/devnet/faucet").body(body)?.idempotent(key)).await
    }

    /// Returns the mails that were sent to the caller's address, verified or not. Available in the demo only.
    ///
    /// Refused with: `not_found` outside the demo, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_demo_mails(&self) -> Result<DemoMails, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/devnet/mail")).await
    }

    /// Mines a block of the mempool at once. Available in the demo only.
    ///
    /// Refused with: `not_found` outside the demo, `rate_limited` and `node_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn mine_block(&self) -> Result<MinedBlock, CallError> {
        self.read(Call::writes("POST", "/api/v1/devnet/mine")).await
    }

    /// Returns the bot's messages in the caller's chat. Available in the demo only.
    ///
    /// Refused with: `not_found` outside the demo, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_demo_chat(&self) -> Result<DemoChat, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/devnet/telegram")).await
    }

    /// Issues a ticket for the caller.
    ///
    /// Refused with: `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn issue_feed_ticket(&self) -> Result<FeedTicket, CallError> {
        self.read(Call::writes("POST", "/api/v1/feed/ticket")).await
    }

    /// Returns the halts in effect, as the `halts` channel of the feed shows them.
    ///
    /// Refused with: `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_halts(&self) -> Result<HaltList, CallError> {
        self.read(Call::reads("GET", "/api/v1/halts")).await
    }

    /// Returns the latest publications of heads, each signed and linked to the one before.
    ///
    /// Refused with: `invalid_query`, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_heads(&self, query: &ListHeadsQuery) -> Result<HeadList, CallError> {
        self.read(Call::reads("GET", "/api/v1/heads").query(query.pairs())).await
    }

    /// Returns the publications of heads as an Atom feed (RFC 4287), at most 50, newest first: the content of an entry is the
    /// signed statement.
    ///
    /// Refused with: `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_heads_feed(&self) -> Result<String, CallError> {
        self.text(Call::reads("GET", "/api/v1/heads.atom")).await
    }

    /// Returns the OpenTimestamps proof about a publication, as far as the calendars have answered.
    ///
    /// Refused with: `not_found` for a statement that was not submitted: one an hour is, and the ones before it are anchored with it.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_heads_timestamp(&self, digest: &str) -> Result<String, CallError> {
        self.text(Call::reads("GET", "/api/v1/heads/{}/timestamp").segment(digest)).await
    }

    /// Returns the description and location of an inscription.
    ///
    /// Refused with: `unknown_inscription`, `indexer_unavailable`,
    /// `node_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_inscription(&self, inscription_id: &str) -> Result<InscriptionView, CallError> {
        self.read(Call::reads("GET", "/api/v1/inscriptions/{}").segment(inscription_id)).await
    }

    /// Takes the borrower's signatures. The lender has 12 hours to counter-sign and never sees them. A repeated request
    /// returns the same answer.
    ///
    /// Refused with: `unknown_reservation`, `loan_stage`, `reservation_expired`,
    /// `offer_taken`, `offer_used`, `coin_changed`, and one code for each way in which
    /// the transaction can have been altered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn accept_manual_loan(&self, body: &AcceptLoan, key: &IdempotencyKey) -> Result<AcceptedLoan, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/manual/accept").body(body)?.idempotent(key)).await
    }

    /// Prepares a loan against a manual offer, to be signed within 5 minutes. Nothing is reserved before the signature
    /// arrives: another borrower may be faster. A repeated request returns the same answer.
    ///
    /// Refused with: The codes of offers, of coins and collateral, of node and indexer, of the bot check; `ordinals_unproven`,
    /// `too_many_prepared`, `prepare_postponed`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_manual_loan(&self, body: &PrepareAcceptance, key: &IdempotencyKey) -> Result<PreparedAcceptance, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/manual/prepare").body(body)?.idempotent(key)).await
    }

    /// Takes the borrower's signatures and broadcasts the repayment. A repeated request returns the same answer.
    ///
    /// Refused with: Those of the preparation, `transaction_not_taken`, and one code for each way in
    /// which the transaction can have been altered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_repayment(&self, body: &SubmitRepayment, key: &IdempotencyKey) -> Result<SentTransaction, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/repayment").body(body)?.idempotent(key)).await
    }

    /// Prepares the repayment of one or more of the caller's loans; with a higher fee it replaces a repayment that is not
    /// confirmed yet.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`,
    /// `insufficient_funds`,
    /// `fee_rate_out_of_range`, the codes of node and indexer.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_repayment(&self, body: &PrepareRepayment, key: &IdempotencyKey) -> Result<PreparedEnding, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/repayment/prepare").body(body)?.idempotent(key)).await
    }

    /// Withdraws a loan that its lender has not signed and releases everything reserved for it.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn withdraw_acceptance(&self, loan_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/loans/{}/acceptance").segment(loan_id)).await
    }

    /// Returns the transactions of a loan that waits for its borrower's signature: for a client that lost the answer, or
    /// after a coin of the loan was spent and the transactions were rebuilt.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_prepared_loan(&self, loan_id: &str) -> Result<PreparedAcceptance, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/loans/{}/acceptance").segment(loan_id)).await
    }

    /// Takes the lender's signatures and broadcasts the claim. A repeated request returns the same answer.
    ///
    /// Refused with: Those of the preparation, `transaction_not_taken`, and one code for each way in
    /// which the transaction can have been altered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_claim(&self, loan_id: &str, body: &SubmitClaim, key: &IdempotencyKey) -> Result<SentTransaction, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/{}/claim").segment(loan_id).body(body)?.idempotent(key)).await
    }

    /// Prepares the claim of the collateral of a loan that was not repaid.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`,
    /// `not_claimable`, the codes of node and indexer.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_claim(&self, loan_id: &str, body: &PrepareClaim, key: &IdempotencyKey) -> Result<PreparedEnding, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/{}/claim/prepare").segment(loan_id).body(body)?.idempotent(key)).await
    }

    /// Refuses a loan that its borrower accepted and releases everything reserved for it.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn refuse_loan(&self, loan_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/loans/{}/countersignature").segment(loan_id)).await
    }

    /// Returns the transactions that the lender's wallet signs for a loan that its borrower accepted.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`; `loan_rebuilt` when one of the lender's coins was
    /// spent and the borrower has to sign again; `collateral_gone` when the collateral was spent, which ends
    /// the loan; `extension_gone` when the loan would extend another one and one of the borrower's coins was
    /// spent.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_countersignature(&self, loan_id: &str) -> Result<PreparedCountersignature, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/loans/{}/countersignature").segment(loan_id)).await
    }

    /// Takes the lender's signatures and broadcasts the loan's transaction. A repeated request returns the same answer.
    ///
    /// Refused with: Those of the preparation, and one code for each way in which a transaction can have been altered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn countersign(&self, loan_id: &str, body: &Countersign, key: &IdempotencyKey) -> Result<SentTransaction, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/{}/countersignature").segment(loan_id).body(body)?.idempotent(key)).await
    }

    /// Takes the borrower's signatures. The lender has 12 hours to counter-sign and never sees them. A repeated request
    /// returns the same answer.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`, `reservation_expired`, `coin_changed`,
    /// and one code for each way in which the transaction can have been altered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_extension(&self, loan_id: &str, body: &SubmitExtension, key: &IdempotencyKey) -> Result<AcceptedLoan, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/{}/extension").segment(loan_id).body(body)?.idempotent(key)).await
    }

    /// Prepares an extension of one of the caller's manual loans against an inscription or a rune: the interest of the
    /// running term is paid now, and the next term follows at the same principal, on the terms of the collection or on those
    /// that both sides agreed on in a negotiation. A repeated request returns the same answer.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`, `unknown_negotiation`, `not_extendable`
    /// for a term that neither the collection has nor the negotiation agreed on, `collateral_pledged`
    /// while another request waits for the lender, `hardware_wallet`, `insufficient_funds`,
    /// `fee_rate_out_of_range`, the codes of node and indexer.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_extension(&self, loan_id: &str, body: &PrepareExtension, key: &IdempotencyKey) -> Result<PreparedExtension, CallError> {
        self.read(Call::writes("POST", "/api/v1/loans/{}/extension/prepare").segment(loan_id).body(body)?.idempotent(key)).await
    }

    /// Returns the terms of one of the caller's loans as a document: to the borrower with the total cost of credit and the
    /// annual percentage rate, to the lender with the yearly return. It follows from what was recorded when the loan was
    /// prepared, and is the same before the signature and after it.
    ///
    /// Refused with: `unknown_loan`, also for the lender before the borrower has signed; `loan_stage` for a loan
    /// that ended before both sides had signed.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn download_loan_terms(&self, loan_id: &str) -> Result<String, CallError> {
        self.text(Call::own_reads("GET", "/api/v1/loans/{}/information").segment(loan_id)).await
    }

    /// Returns the caller's kit of a running loan: the borrower's kit repays it, the lender's kit claims its collateral,
    /// with `lienbook kit` and a Bitcoin node only. It contains no private key.
    ///
    /// Refused with: `unknown_loan`, `loan_stage` before both
    /// sides have signed.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn download_kit(&self, loan_id: &str) -> Result<serde_json::Value, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/loans/{}/kit").segment(loan_id)).await
    }

    /// Withdraws the standing order of one of the caller's loans.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn withdraw_refinance_order(&self, loan_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/loans/{}/refinance-order").segment(loan_id)).await
    }

    /// Sets the standing order of one of the caller's running loans, in place of an earlier one. It signs nothing: when there
    /// is an offer within its terms, the caller gets the notice `refinance_ordered`, and signs the refinance.
    ///
    /// Refused with: `unknown_loan`, `loan_stage`, `not_replaceable` for a loan that no offer can
    /// refinance, `invalid_field`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn set_refinance_order(&self, loan_id: &str, body: &SetRefinanceOrder) -> Result<RefinanceOrderView, CallError> {
        self.read(Call::writes("PUT", "/api/v1/loans/{}/refinance-order").segment(loan_id).body(body)?).await
    }

    /// Lists the caller's API keys: those that can be used, and the latest that have ended. No secret is shown.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_api_keys(&self) -> Result<MyApiKeys, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/api-keys")).await
    }

    /// Creates an API key with the rights and limits of a signed message. Its secret is in this answer only; a repeated
    /// message is refused.
    ///
    /// Refused with: The codes of messages and signatures; `unknown_collection` with the slug, `too_many_api_keys`;
    /// `api_key_not_accepted` for a request with a key.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn create_api_key(&self, body: &CreateApiKey) -> Result<CreatedApiKey, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/api-keys").body(body)?).await
    }

    /// Revokes an API key of the caller, which is refused from now on; again without effect. The offers and loans made with it
    /// stay.
    ///
    /// Refused with: `unknown_api_key`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn revoke_api_key(&self, key_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/me/api-keys/{}").segment(key_id)).await
    }

    /// Returns the collateral at the caller's ordinals address.
    ///
    /// Refused with: The codes of wallet lookups, of the node and of indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_collateral(&self) -> Result<OwnCollateral, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/collateral")).await
    }

    /// Returns the due dates of the caller's running loans as a calendar.
    ///
    /// Refused with: `invalid_query`, `unknown_collection`. `limit` and `cursor` are ignored.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn export_my_due_dates(&self, query: &ExportMyDueDatesQuery) -> Result<String, CallError> {
        self.text(Call::own_reads("GET", "/api/v1/me/due-dates.ics").query(query.pairs())).await
    }

    /// Returns everything that is stored about the caller, as a JSON file. Former offers, and sessions and contacts that were
    /// removed, are in the journal alone. The history of a vault has a resource of its own.
    ///
    /// Refused with: `rate_limited`: an export counts as ten reads.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn export_my_data(&self) -> Result<PersonalExport, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/export")).await
    }

    /// Lists the caller's favourite collections.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_favourites(&self) -> Result<Favourites, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/favourites")).await
    }

    /// Removes a favourite collection. A repeated request changes nothing.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn remove_my_favourite(&self, collection_id: &str) -> Result<Favourites, CallError> {
        self.read(Call::writes("DELETE", "/api/v1/me/favourites/{}").segment(collection_id)).await
    }

    /// Adds a favourite collection. A repeated request changes nothing.
    ///
    /// Refused with: `unknown_collection`, `too_many_favourites`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn add_my_favourite(&self, collection_id: &str) -> Result<Favourites, CallError> {
        self.read(Call::writes("PUT", "/api/v1/me/favourites/{}").segment(collection_id)).await
    }

    /// Returns the caller's balance for manual loans.
    ///
    /// Refused with: The codes of wallet lookups, of the node and of indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_funds(&self) -> Result<OwnFunds, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/funds")).await
    }

    /// Broadcasts the transaction that the caller signed. A repeated request returns the same answer. The coin counts once
    /// it is confirmed.
    ///
    /// Refused with: The codes of signed transactions, `coin_changed`,
    /// `transaction_not_taken`, the codes of the node and of indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_exact_coin(&self, body: &SubmitPayment) -> Result<SentPayment, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/funds/exact").body(body)?).await
    }

    /// Prepares the transaction that creates such a coin, for the caller to sign.
    ///
    /// Refused with: `insufficient_funds`,
    /// `fee_rate_out_of_range`, the codes of the node and of indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_exact_coin(&self, body: &PreparePayment) -> Result<PreparedPayment, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/funds/exact/prepare").body(body)?).await
    }

    /// Returns the coin that an offer of the caller needs, and whether it is available.
    ///
    /// Refused with: `unknown_offer`, `not_owner`,
    /// the codes of the node and of indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_funding_coin(&self, offer_id: &str) -> Result<FundingCoin, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/funds/exact/{}").segment(offer_id)).await
    }

    /// Lists the caller's loans that ended, by the time of their end.
    ///
    /// Refused with: `invalid_query`, `invalid_cursor`, `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_history(&self, query: &ListMyHistoryQuery) -> Result<LoansPage, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/history").query(query.pairs())).await
    }

    /// Returns the caller's limits, and the amounts that they are compared with.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_lending_limits(&self) -> Result<LendingLimitsView, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/lending-limits")).await
    }

    /// Sets the caller's limits. Manual offers whose principal a limit does not leave are paused, and open again when loans
    /// are repaid or the day is over; a lender who is absent for too long has all offers paused until the next request.
    ///
    /// Refused with: `unknown_collection`; `invalid_field` for a limit out of bounds, or a collection that is named
    /// twice.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn set_my_lending_limits(&self, body: &NewLimits) -> Result<LendingLimitsView, CallError> {
        self.read(Call::writes("PUT", "/api/v1/me/lending-limits").body(body)?).await
    }

    /// Lists the caller's loans.
    ///
    /// Refused with: `invalid_query`, `invalid_cursor`, `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_loans(&self, query: &ListMyLoansQuery) -> Result<LoansPage, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/loans").query(query.pairs())).await
    }

    /// Returns the caller's loans as a CSV table, newest first. Amounts are whole sats, times are UTC.
    ///
    /// Refused with: `invalid_query`, `unknown_collection`. `limit` and `cursor` are ignored.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn export_my_loans(&self, query: &ExportMyLoansQuery) -> Result<String, CallError> {
        self.text(Call::own_reads("GET", "/api/v1/me/loans.csv").query(query.pairs())).await
    }

    /// Lists the caller's loans that wait for the caller: for a signature, a counter-signature, a repayment or a claim.
    ///
    /// Refused with: `invalid_query`, `invalid_cursor`, `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_waiting_loans(&self, query: &ListMyWaitingLoansQuery) -> Result<LoansPage, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/loans/waiting").query(query.pairs())).await
    }

    /// Returns one of the caller's loans. Other users get the same answer as for a loan that does not exist.
    ///
    /// Refused with: `unknown_loan`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_loan(&self, loan_id: &str) -> Result<LoanView, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/loans/{}").segment(loan_id)).await
    }

    /// Lists the caller's recent notices about loans and offers. A notice has the same id on the feed.
    ///
    /// Refused with: `overloaded`, `not_ready`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_notices(&self) -> Result<Notices, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/notices")).await
    }

    /// Returns the caller's notification channels and settings.
    ///
    /// Refused with: `not_ready`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_notifications(&self) -> Result<Notifications, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/notifications")).await
    }

    /// Sets the events that are sent to the caller.
    ///
    /// Refused with: `invalid_field`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn set_my_notifications(&self, body: &NotificationChoices) -> Result<Notifications, CallError> {
        self.read(Call::writes("PUT", "/api/v1/me/notifications").body(body)?).await
    }

    /// Removes the caller's e-mail address.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn remove_my_email(&self) -> Result<Notifications, CallError> {
        self.read(Call::writes("DELETE", "/api/v1/me/notifications/email")).await
    }

    /// Sets the caller's e-mail address and sends a verification mail to it. A previous address is removed.
    ///
    /// Refused with: `email_unset`, `email_malformed`, `email_limit`, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn set_my_email(&self, body: &NewEmail) -> Result<Notifications, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/notifications/email").body(body)?).await
    }

    /// Disconnects the caller's Telegram chat.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn unlink_my_telegram(&self) -> Result<Notifications, CallError> {
        self.read(Call::writes("DELETE", "/api/v1/me/notifications/telegram")).await
    }

    /// Issues a link that opens a chat with the bot and connects it to the caller. An earlier link becomes invalid.
    ///
    /// Refused with: `telegram_unset`, `telegram_unavailable`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn link_my_telegram(&self) -> Result<TelegramLink, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/notifications/telegram")).await
    }

    /// Removes the caller's e-mail address, Telegram chat, webhooks, subscribed browsers, choices of notices and favourites, at
    /// once. No notice is sent outside of the app any more, also none about a due date. Sessions, keys, offers, loans and the
    /// vault stay. A repeated request finds nothing.
    ///
    /// Refused with: `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn remove_my_personal_data(&self) -> Result<RemovedPersonalData, CallError> {
        self.read(Call::writes("DELETE", "/api/v1/me/personal-data")).await
    }

    /// Returns the caller's points. A lender earns a loan's points when it starts; a borrower earns half of them then, and
    /// the other half at repayment.
    ///
    /// Refused with: `invalid_query`, `invalid_cursor`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_points(&self, query: &GetMyPointsQuery) -> Result<PointsPage, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/points").query(query.pairs())).await
    }

    /// Returns the totals of the caller's loans.
    ///
    /// Refused with: `not_ready`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_portfolio(&self) -> Result<PortfolioView, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/portfolio")).await
    }

    /// Lists the caller's subscribed browsers.
    ///
    /// Refused with: `not_ready`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_push_subscriptions(&self) -> Result<MyPushSubscriptions, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/push-subscriptions")).await
    }

    /// Subscribes a browser. One that is subscribed already keeps its id and its kinds.
    ///
    /// Refused with: `push_subscription` with the `reason`, `too_many_browsers`, `rate_limited`;
    /// `not_found` where the server sends to no browsers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn add_push_subscription(&self, body: &NewPushSubscription) -> Result<PushSubscriptionView, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/push-subscriptions").body(body)?).await
    }

    /// Removes a browser. What waits for it is not sent any more.
    ///
    /// Refused with: `unknown_browser`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn remove_push_subscription(&self, push_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/me/push-subscriptions/{}").segment(push_id)).await
    }

    /// Sets the kinds of events that are sent to a browser.
    ///
    /// Refused with: `unknown_browser`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn set_push_kinds(&self, push_id: &str, body: &PushKinds) -> Result<PushSubscriptionView, CallError> {
        self.read(Call::writes("PUT", "/api/v1/me/push-subscriptions/{}").segment(push_id).body(body)?).await
    }

    /// Returns the best offer that each of the caller's running loans could move to, if there is one: within the standing order
    /// once its time has come; otherwise one with at least 10 percent less interest per day and no less principal, in the last
    /// half of the term and the last seven days of a longer one, because the interest of a loan is due in full whenever it is
    /// repaid.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_refinances(&self) -> Result<RefinanceList, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/refinances")).await
    }

    /// Returns the balances of the accepted runes at the caller's ordinals address, from the first indexer that reports
    /// them. This works even while no indexer is available that can examine outputs.
    ///
    /// Refused with: `indexer_unavailable` when no indexer reports them.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_my_rune_balances(&self) -> Result<RuneBalances, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/rune-balances")).await
    }

    /// Lists the offers of the public order books that have conditions which the caller meets: by the loans that the caller
    /// repaid, and by the inscriptions in the wallet. While the wallet cannot be looked up, those for chosen inscriptions are
    /// left out. Offers that name the caller are in `GET /api/v1/offers/for-me`.
    ///
    /// Refused with: None but those of every request.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_takeable_offers(&self) -> Result<TakeableOffers, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/takeable-offers")).await
    }

    /// Lists the caller's webhooks. No secret is shown.
    ///
    /// Refused with: `not_ready`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_webhooks(&self) -> Result<MyWebhooks, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/webhooks")).await
    }

    /// Registers a webhook. Its secret is in this answer only.
    ///
    /// Refused with: `webhook_url` with the `reason`, `too_many_webhooks`, `rate_limited`;
    /// `not_found` where the server calls no webhooks.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn register_webhook(&self, body: &NewWebhook) -> Result<WebhookWithSecret, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/webhooks").body(body)?).await
    }

    /// Removes a webhook with the record of its deliveries.
    ///
    /// Refused with: `unknown_webhook`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn remove_webhook(&self, webhook_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/me/webhooks/{}").segment(webhook_id)).await
    }

    /// Sets the kinds of events that are sent to a webhook, and pauses or resumes it. Events of a pause are sent by a replay.
    ///
    /// Refused with: `unknown_webhook`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn set_webhook(&self, webhook_id: &str, body: &WebhookSettings) -> Result<WebhookView, CallError> {
        self.read(Call::writes("PUT", "/api/v1/me/webhooks/{}").segment(webhook_id).body(body)?).await
    }

    /// Lists the latest deliveries to a webhook, also those that wait for their next attempt.
    ///
    /// Refused with: `unknown_webhook`; `not_found` where the server calls no webhooks.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_webhook_deliveries(&self, webhook_id: &str) -> Result<WebhookDeliveries, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/me/webhooks/{}/deliveries").segment(webhook_id)).await
    }

    /// Sends the event of a delivery again, with the same `webhook-id`.
    ///
    /// Refused with: `unknown_webhook`, `unknown_event`, `webhook_paused`, `rate_limited`;
    /// `not_found` where the server calls no webhooks.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn redeliver_webhook_event(&self, webhook_id: &str, delivery_id: &str) -> Result<QueuedDelivery, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/webhooks/{}/deliveries/{}/redelivery").segment(webhook_id).segment(delivery_id)).await
    }

    /// Sends the caller's latest events of the chosen kinds to a webhook again, in their order and with the same `webhook-id`:
    /// at most the 100 latest, after an event or from a time on. An API key with the scope `read` may ask for it too.
    ///
    /// Refused with: `unknown_webhook`, `unknown_event`, `webhook_paused`, `rate_limited`;
    /// `not_found` where the server calls no webhooks.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn replay_webhook_events(&self, webhook_id: &str, body: &ReplayRequest) -> Result<QueuedReplay, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/webhooks/{}/replay").segment(webhook_id).body(body)?).await
    }

    /// Replaces the secret of a webhook. For 24 hours requests carry two signatures, by the new secret and by the one before.
    ///
    /// Refused with: `unknown_webhook`; `not_found` where the server calls no webhooks.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn rotate_webhook_secret(&self, webhook_id: &str) -> Result<WebhookWithSecret, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/webhooks/{}/secret").segment(webhook_id)).await
    }

    /// Sends a test event to a webhook once, also to a paused one. Its result is in the list of deliveries.
    ///
    /// Refused with: `unknown_webhook`, `rate_limited`; `not_found` where the server calls no webhooks.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn test_webhook(&self, webhook_id: &str) -> Result<QueuedDelivery, CallError> {
        self.read(Call::writes("POST", "/api/v1/me/webhooks/{}/test").segment(webhook_id)).await
    }

    /// Returns the caller's negotiations, as the private channel of the feed shows them. One is seen by its two sides alone.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_negotiations(&self) -> Result<NegotiationList, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/negotiations")).await
    }

    /// Opens a negotiation. The other side gets a notice, and accepts the proposal, answers it by another one, or declines.
    /// Nothing is pledged or lent until the borrower signs the loan and the lender counter-signs it, and a running loan stays
    /// as it is until both have signed its extension.
    ///
    /// Refused with: `negotiation_subject`, `unknown_offer`, `unknown_request`,
    /// `own_offer`, `request_filled`, `unknown_loan`, `loan_stage`,
    /// `not_extendable`, `principal_fixed`,
    /// `terms_out_of_range`, `already_negotiating`, `too_many_negotiations`; the codes of
    /// offers that cannot be taken, of wallet lookups and of the bot check.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn open_negotiation(&self, body: &OpenNegotiation, key: &IdempotencyKey) -> Result<NegotiationView, CallError> {
        self.read(Call::writes("POST", "/api/v1/negotiations").body(body)?.idempotent(key)).await
    }

    /// Ends a negotiation: the caller declines the latest proposal, or withdraws it if it is the caller's own.
    ///
    /// Refused with: `unknown_negotiation`, `negotiation_over`, and `proposal_replaced` when the other side has answered meanwhile.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn end_negotiation(&self, negotiation_id: &str, query: &EndNegotiationQuery) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/negotiations/{}").segment(negotiation_id).query(query.pairs())).await
    }

    /// Accepts the latest proposal of the other side. It leads to an offer with its terms, `agreedOfferId`, that only the
    /// borrower can take, within 12 hours; the lender counter-signs the loan. About a running loan it leads to the terms of an
    /// extension, which the borrower prepares within 12 hours.
    ///
    /// Refused with: `unknown_negotiation`, `negotiation_over`, `proposal_replaced`,
    /// `not_your_turn`, `request_filled`, `over_lending_limits`,
    /// `lender_limited`, `collateral_gone`, `loan_stage`, `not_extendable`, `too_many_offers` of the lender, and the codes of the principal and the LTV, which
    /// the price may have moved.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn accept_proposal(&self, negotiation_id: &str, body: &AcceptProposal, key: &IdempotencyKey) -> Result<NegotiationView, CallError> {
        self.read(Call::writes("POST", "/api/v1/negotiations/{}/accept").segment(negotiation_id).body(body)?.idempotent(key)).await
    }

    /// Answers the latest proposal of the other side by another one. A negotiation has at most ten proposals.
    ///
    /// Refused with: `unknown_negotiation`, `negotiation_over`, `proposal_replaced`,
    /// `not_your_turn`, `too_many_rounds`, `terms_out_of_range`, and the codes of the
    /// principal, the LTV and the time.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn propose_terms(&self, negotiation_id: &str, body: &CounterProposal, key: &IdempotencyKey) -> Result<NegotiationView, CallError> {
        self.read(Call::writes("POST", "/api/v1/negotiations/{}/proposals").segment(negotiation_id).body(body)?.idempotent(key)).await
    }

    /// Stops mails to the address that a mail was sent to, after confirmation on the page. A repeated request changes
    /// nothing.
    ///
    /// Refused with: `link_invalid`, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn unsubscribe(&self, body: &MailToken) -> Result<(), CallError> {
        self.send(Call::writes("POST", "/api/v1/notifications/unsubscription").body(body)?).await
    }

    /// Stops mails at the request of a mail client (RFC 8058). The token permits nothing else, so it may be part of the
    /// URL.
    ///
    /// Refused with: `link_invalid`, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn unsubscribe_one_click(&self, token: &str) -> Result<(), CallError> {
        self.send(Call::writes("POST", "/api/v1/notifications/unsubscription/{}").segment(token)).await
    }

    /// Verifies the address that a mail was sent to.
    ///
    /// Refused with: `link_invalid`, `link_expired`, `link_used`, `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn verify_email(&self, body: &MailToken) -> Result<(), CallError> {
        self.send(Call::writes("POST", "/api/v1/notifications/verification").body(body)?).await
    }

    /// Describes the page of a collection for a site that shows a link to it (oEmbed 1.0): with a frame if the operator lets
    /// other sites embed the quote, otherwise as a link with a picture.
    ///
    /// Refused with: `invalid_query`, `not_found` for an address of another server or page,
    /// `unknown_collection`, `unknown_inscription`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_oembed(&self, query: &GetOembedQuery) -> Result<OembedView, CallError> {
        self.read(Call::reads("GET", "/api/v1/oembed").query(query.pairs())).await
    }

    /// Lists the caller's offers.
    ///
    /// Refused with: `invalid_query`, `invalid_cursor`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_my_offers(&self, query: &ListMyOffersQuery) -> Result<OffersPage, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/offers").query(query.pairs())).await
    }

    /// Lists the offers that name the caller as their borrower, also those that fill a borrow request.
    ///
    /// Refused with: None but those of every request.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_offers_for_me(&self) -> Result<OffersForMe, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/offers/for-me")).await
    }

    /// Sets the time until which offers are good, and renews those that have expired; each has its own result. Loans that
    /// borrowers are signing continue. After the time the order book refuses borrowers. A time that the lender signed with
    /// an instant offer, and the time of an offer that fills a borrow request, can only become shorter; the vault signer
    /// keeps to the signed one.
    ///
    /// Refused with: `invalid_field`, `good_until_out_of_range`; the failure of a single offer is in its result.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn set_good_until(&self, body: &GoodUntil, key: &IdempotencyKey) -> Result<OfferResults, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/good-until").body(body)?.idempotent(key)).await
    }

    /// Accepts a change of terms for one of the caller's instant offers.
    ///
    /// Refused with: `unknown_term_change`, the codes of offers, messages and the signer.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn accept_term(&self, body: &AcceptTerm, key: &IdempotencyKey) -> Result<OneOffer, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/accept-term").body(body)?.idempotent(key)).await
    }

    /// Cancels instant offers; each has its own result.
    ///
    /// Refused with: The codes of messages and signatures; the failure of a single offer is in its result.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn cancel_instant_offers(&self, body: &BatchCancel, key: &IdempotencyKey) -> Result<OfferResults, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/batch-cancel").body(body)?.idempotent(key)).await
    }

    /// Replaces an instant offer; the new one has a new id. Its time and its conditions stay; the message names the borrower
    /// and a signed time again.
    ///
    /// Refused with: The codes of messages, signatures, offers and the bot check.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn edit_instant_offer(&self, body: &BatchEdit, key: &IdempotencyKey) -> Result<OneOffer, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/batch-edit").body(body)?.idempotent(key)).await
    }

    /// Cancels all instant offers of the caller, whose number one message does not limit; each has its own result. An offer that
    /// a borrower is signing for stays in the book until then, and the vault no longer pays for it.
    ///
    /// Refused with: The codes of messages and signatures.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn cancel_all_instant_offers(&self, body: &SignedCancel, key: &IdempotencyKey) -> Result<OfferResults, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/cancel-all").body(body)?.idempotent(key)).await
    }

    /// Creates an instant offer against an inscription.
    ///
    /// Refused with: The codes of messages, signatures, offers and the bot check.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn create_instant_ordinal_offer(&self, body: &CreateOrdinalOffer, key: &IdempotencyKey) -> Result<OneOffer, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/ordinals").body(body)?.idempotent(key)).await
    }

    /// Creates an instant offer against runes.
    ///
    /// Refused with: The codes of messages, signatures, offers and the bot check.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn create_instant_rune_offer(&self, body: &CreateRuneOffer, key: &IdempotencyKey) -> Result<OneOffer, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/runes").body(body)?.idempotent(key)).await
    }

    /// Takes the borrower's signatures, has the vault signer sign, and broadcasts the loan's transaction. A repeated
    /// request returns the same answer.
    ///
    /// Refused with: `unknown_reservation`, `loan_stage`, `reservation_expired`,
    /// `offer_taken`, `offer_used`, `coin_changed`, the codes of the vault signer, and
    /// one code for each way in which the transaction can have been altered.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_instant_loan(&self, kind: &str, offer_id: &str, body: &SubmitInstantLoan, key: &IdempotencyKey) -> Result<SentTransaction, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/{}/{}/accept").segment(kind).segment(offer_id).body(body)?.idempotent(key)).await
    }

    /// Cancels one instant offer.
    ///
    /// Refused with: `not_found` for kinds other than `ordinals` and `runes`, and the codes of messages and signatures.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn cancel_instant_offer(&self, kind: &str, offer_id: &str, body: &SignedCancel, key: &IdempotencyKey) -> Result<OfferResults, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/{}/{}/cancel").segment(kind).segment(offer_id).body(body)?.idempotent(key)).await
    }

    /// Prepares an instant loan, to be signed within 5 minutes. Nothing is reserved before the signature arrives: another
    /// borrower may be faster. A repeated request returns the same answer.
    ///
    /// Refused with: The codes of offers, of collateral, of the vault signer, of node and indexer, of the bot check;
    /// `ordinals_unproven`, `too_many_prepared`, `prepare_postponed`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_instant_loan(&self, kind: &str, offer_id: &str, body: &PrepareInstantLoan, key: &IdempotencyKey) -> Result<PreparedAcceptance, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/instant/{}/{}/prepare-accept").segment(kind).segment(offer_id).body(body)?.idempotent(key)).await
    }

    /// Creates manual offers: every item is checked before any is created.
    ///
    /// Refused with: The codes of offers and of the bot check; `idempotency_spent` when the same request was accepted before
    /// a restart.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn create_manual_offers(&self, body: &CreateManualOffers, key: &IdempotencyKey) -> Result<CreatedOffers, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/manual").body(body)?.idempotent(key)).await
    }

    /// Cancels manual offers; each has its own result.
    ///
    /// Refused with: `invalid_field`; the failure of a single offer is in its result.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn cancel_manual_offers(&self, body: &OfferIds, key: &IdempotencyKey) -> Result<OfferResults, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/manual/cancel").body(body)?.idempotent(key)).await
    }

    /// Changes the principal of a manual offer, which gets a new id and loses its time priority. Its conditions stay.
    ///
    /// Refused with: The codes of offers and the bot check.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn edit_manual_offer(&self, offer_id: &str, body: &EditManualOffer, key: &IdempotencyKey) -> Result<OneOffer, CallError> {
        self.read(Call::writes("PATCH", "/api/v1/offers/manual/{}").segment(offer_id).body(body)?.idempotent(key)).await
    }

    /// Shows an offer with conditions, also one that is not in the public book, to its lender and to borrowers who may see
    /// it. The key of a link is part of the body, so that it is in no log.
    ///
    /// Refused with: `unknown_offer`, also for an offer that anyone can take or that is paused;
    /// `offer_for_other_borrower`, `offer_unlisted`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn open_offer(&self, body: &OpenOffer, key: &IdempotencyKey) -> Result<OpenedOffer, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/open").body(body)?.idempotent(key)).await
    }

    /// Pauses offers until their lender resumes them; each has its own result.
    ///
    /// Refused with: `invalid_field`, the codes of messages; the failure of a single offer is in its result.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn pause_offers(&self, body: &Switch, key: &IdempotencyKey) -> Result<OfferResults, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/pause").body(body)?.idempotent(key)).await
    }

    /// Pauses all offers of the caller until they are resumed, manual and instant ones. The vault signer is not told.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn pause_all_offers(&self, body: &PauseAll, key: &IdempotencyKey) -> Result<PausedCount, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/pause-all").body(body)?.idempotent(key)).await
    }

    /// Ends pauses that the lender has set; other reasons for a pause remain. An instant offer is resumed only if the vault
    /// signer signs for it.
    ///
    /// Refused with: `invalid_field`, the codes of messages; the failure of a single offer is in its result.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn resume_offers(&self, body: &Switch, key: &IdempotencyKey) -> Result<OfferResults, CallError> {
        self.read(Call::writes("POST", "/api/v1/offers/resume").body(body)?.idempotent(key)).await
    }

    /// Returns the borrow requests: of all collections as the `requests` channel of the feed shows them, of one collection
    /// as its book ranks them.
    ///
    /// Refused with: `unknown_collection`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_borrow_requests(&self, query: &ListBorrowRequestsQuery) -> Result<RequestList, CallError> {
        self.read(Call::reads("GET", "/api/v1/requests").query(query.pairs())).await
    }

    /// Places a borrow request. The collateral must be the caller's and not pledged for another loan, tokens in the amount of
    /// all the caller's requests together; it is not reserved.
    ///
    /// Refused with: The codes of messages, signatures, wallet lookups and the bot check; `no_term_of_request`,
    /// `already_requested`, `too_many_borrow_requests`, `collateral_pledged`,
    /// `insufficient_tokens`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn place_borrow_request(&self, body: &PlaceRequest, key: &IdempotencyKey) -> Result<PlacedRequest, CallError> {
        self.read(Call::writes("POST", "/api/v1/requests").body(body)?.idempotent(key)).await
    }

    /// Withdraws a borrow request that no lender has filled.
    ///
    /// Refused with: `unknown_request`, `not_owner`, `request_filled`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn withdraw_borrow_request(&self, request_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/requests/{}").segment(request_id)).await
    }

    /// Returns the borrower of a request, to users who have signed in.
    ///
    /// Refused with: `unknown_request`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_request_borrower(&self, request_id: &str) -> Result<RequestBorrower, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/requests/{}/borrower").segment(request_id)).await
    }

    /// Fills a borrow request by an offer that only its borrower can take, with the collateral of the request. The borrower
    /// gets a notice, and signs the loan before the time is over.
    ///
    /// Refused with: `unknown_request`, `request_filled`, `request_expired`,
    /// `terms_outside_request`; `collateral_gone` when the inscription is not with the borrower any
    /// more, which ends the request; the codes of offers, messages, signatures, wallet lookups and the bot check.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn fill_borrow_request(&self, request_id: &str, body: &FillRequest, key: &IdempotencyKey) -> Result<OneOffer, CallError> {
        self.read(Call::writes("POST", "/api/v1/requests/{}/fill").segment(request_id).body(body)?.idempotent(key)).await
    }

    /// Ends every session of the caller, identified by the token or, after it expired, by the cookie.
    ///
    /// Refused with: `unauthenticated` and the other codes of sessions.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn sign_out(&self) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/session")).await
    }

    /// Returns the user of the session.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_session(&self) -> Result<SessionView, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/session")).await
    }

    /// Opens a session for the owner of both addresses, which sign one message.
    ///
    /// Refused with: The codes of addresses, messages and signatures, `ordinals_signature_missing`, `nonce_used`,
    /// `rate_limited`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn sign_in(&self, body: &SignInRequest) -> Result<OpenedSession, CallError> {
        self.read(Call::writes("POST", "/api/v1/session").body(body)?).await
    }

    /// Issues a nonce for a sign-in.
    ///
    /// Refused with: `rate_limited`, and the codes of addresses.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn issue_sign_in_nonce(&self, body: &NonceRequest) -> Result<NonceAnswer, CallError> {
        self.read(Call::writes("POST", "/api/v1/session/nonce").body(body)?).await
    }

    /// Renews a session by its cookie, which is replaced. For some seconds the same cookie returns the same successor.
    ///
    /// Refused with: `unauthenticated`, `session_expired`, `session_ended`;
    /// `refresh_reused` ends every session of the user and clears the cookie.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn renew_session(&self) -> Result<OpenedSession, CallError> {
        self.read(Call::writes("POST", "/api/v1/session/refresh")).await
    }

    /// Lists the caller's open sessions.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_sessions(&self) -> Result<MySessions, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/sessions")).await
    }

    /// Ends one session of the caller; its tokens become invalid.
    ///
    /// Refused with: `unknown_session`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn end_session(&self, session_id: &str) -> Result<(), CallError> {
        self.send(Call::writes("DELETE", "/api/v1/sessions/{}").segment(session_id)).await
    }

    /// Returns the caller's vault.
    ///
    /// Refused with: `vault_not_found` until the vault was credited for the first time.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_vault(&self) -> Result<VaultView, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/vault")).await
    }

    /// Opens the caller's vault. A repeated request with the same message returns the same answer.
    ///
    /// Refused with: The codes of messages, signatures and the signer.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn open_vault(&self, body: &OpenVault) -> Result<OwnVault, CallError> {
        self.read(Call::writes("POST", "/api/v1/vaults").body(body)?).await
    }

    /// Returns the caller's vault.
    ///
    /// Refused with: `vault_not_found` until it is open.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_own_vault(&self) -> Result<OwnVault, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/vaults/me")).await
    }

    /// Returns the caller's vault with the attestations of its signers, all of which are asked. Derive the address from the keys,
    /// and check that the policy is the one that the opening message named, before paying to it for the first time.
    ///
    /// Refused with: `vault_not_found` until it is open, and the codes of the signers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_attested_vault(&self) -> Result<MoveTarget, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/vaults/me/attested")).await
    }

    /// Broadcasts a deposit that the caller signed. A repeated request returns the same answer.
    ///
    /// Refused with: The codes of signed transactions, `coin_changed`,
    /// `transaction_not_taken`, the codes of the node and of indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_deposit(&self, body: &SubmitPayment) -> Result<SentPayment, CallError> {
        self.read(Call::writes("POST", "/api/v1/vaults/me/deposits").body(body)?).await
    }

    /// Prepares a deposit for the caller to sign.
    ///
    /// Refused with: `vault_not_found`, `insufficient_funds`,
    /// `fee_rate_out_of_range`, the codes of the node and of indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_deposit(&self, body: &PreparePayment) -> Result<PreparedPayment, CallError> {
        self.read(Call::writes("POST", "/api/v1/vaults/me/deposits/prepare").body(body)?).await
    }

    /// Returns the history of the caller's vault, newest first.
    ///
    /// Refused with: `vault_not_found`, `invalid_query`, `invalid_cursor`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_vault_history(&self, query: &ListVaultHistoryQuery) -> Result<HistoryPage, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/vaults/me/history").query(query.pairs())).await
    }

    /// Returns the kit of the caller's vault; `lienbook kit exit` needs only it and a Bitcoin node.
    ///
    /// Refused with: `vault_not_found`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn download_vault_kit(&self, query: &DownloadVaultKitQuery) -> Result<serde_json::Value, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/vaults/me/kit").query(query.pairs())).await
    }

    /// Moves the vault, and ends the instant offers and delegations that name its signers until now. A repeated request with the
    /// same message returns the same answer.
    ///
    /// Refused with: The codes of messages and signatures, of the signers, the node and indexers, those of the preparation,
    /// `withdrawal_fee_too_high`, `nonce_used`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_vault_move(&self, body: &SubmitMove) -> Result<VaultMove, CallError> {
        self.read(Call::writes("POST", "/api/v1/vaults/me/moves").body(body)?).await
    }

    /// Returns what a move of the whole vault would take and cost, the vault that it leads to, and the message to sign.
    ///
    /// Refused with: `vault_not_found`, `vault_not_movable`,
    /// `vault_in_use`,
    /// `insufficient_vault_balance`,
    /// `fee_rate_out_of_range`, the codes of the signers, the node and indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_vault_move(&self, body: &PrepareMove) -> Result<PreparedMove, CallError> {
        self.read(Call::writes("POST", "/api/v1/vaults/me/moves/prepare").body(body)?).await
    }

    /// Returns the outputs of the caller's vault.
    ///
    /// Refused with: `vault_not_found`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_vault_outputs(&self) -> Result<VaultOutputs, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/vaults/me/outputs")).await
    }

    /// Returns the vaults that the caller has moved away from, with what was paid to them since.
    ///
    /// Refused with: The codes of the node and indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_previous_vaults(&self) -> Result<PreviousVaults, CallError> {
        self.read(Call::own_reads("GET", "/api/v1/vaults/me/previous")).await
    }

    /// Executes a withdrawal. A repeated request with the same message returns the same answer.
    ///
    /// Refused with: The codes of messages and signatures, of the signer, the node and indexers,
    /// `insufficient_vault_balance`,
    /// `fee_rate_out_of_range`,
    /// `withdrawal_fee_too_high`, `nonce_used`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn submit_withdrawal(&self, body: &SubmitWithdrawal) -> Result<Withdrawal, CallError> {
        self.read(Call::writes("POST", "/api/v1/vaults/me/withdrawals").body(body)?).await
    }

    /// Returns amounts and fees of a withdrawal, and the message to sign.
    ///
    /// Refused with: `vault_not_found`,
    /// `insufficient_vault_balance`,
    /// `fee_rate_out_of_range`, the codes of the signer, the node and indexers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn prepare_withdrawal(&self, body: &PrepareWithdrawal) -> Result<PreparedWithdrawal, CallError> {
        self.read(Call::writes("POST", "/api/v1/vaults/me/withdrawals/prepare").body(body)?).await
    }

    /// Reports that the process answers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_liveness(&self) -> Result<Liveness, CallError> {
        self.read(Call::reads("GET", "/health/live")).await
    }

    /// Reports whether the server accepts requests.
    ///
    /// Refused with: `not_ready` while the server starts or stops.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn get_readiness(&self) -> Result<Readiness, CallError> {
        self.read(Call::reads("GET", "/health/ready")).await
    }
}
