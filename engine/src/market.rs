//! The market: the handle through which everything is asked of the engine.

use std::sync::Arc;

use domain::{
    Account, BookEvent, CollectionGroup, Command, GroupId, LoanEnd, LoanId, Offer, OfferId, Outpoint, Reservation,
    ReservationId, Sats, SubCollectionId, UnitPrice, UnixMs, UserId, WalletAddresses,
};

use crate::{
    Burn, ListingRejection, MarketStats, PriceRange, Refusal, Settings, StartError,
    clock::Clock,
    feed::{Channel, Outbox, Subscription},
    journal::{Journal, Sequence},
    market_data::{MarketData, MarketNews},
    wire::{BookSnapshot, MyOffer, PriceHistory, Row, VaultView, Volumes},
};

pub(crate) mod price_range;

/// What a command led to. It is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Where the book's stream stands after it.
    pub sequence: Sequence,
    /// What happened in the book, in order.
    pub events: Vec<BookEvent>,
    /// The offers that were created or changed by their lender's act, as their lender sees them.
    pub offers: Vec<MyOffer>,
}

/// What a borrower wants to be held together: an offer or a part of it, the vault's sats behind it, the collateral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReserveRequest {
    /// The reservation's id, random.
    pub reservation: ReservationId,
    /// Which offer.
    pub offer: OfferId,
    /// For whom.
    pub borrower: UserId,
    /// What is pledged in raw units, where a part can be taken; `None` takes all that is left.
    pub pledged_raw: Option<u128>,
    /// The outputs that hold the collateral; each can be pledged once.
    pub outpoints: Vec<Outpoint>,
    /// When it ends by itself.
    pub expires_at: UnixMs,
}

/// Who signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The account of the payment address, new or known.
    pub user: UserId,
    /// The generation that the session's tokens carry; see [`Account::generation`].
    pub generation: u64,
}

/// The market. Clones are handles to the same one.
#[derive(Clone)]
pub struct Market {}

impl Market {
    /// Replays the journal and starts one actor per listed group. Must be called inside an actor system.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(journal: Arc<dyn Journal>, clock: Arc<dyn Clock>, settings: Settings) -> Result<Self, StartError> {
        let _ = (journal, clock, settings);
        Err(StartError::NoSystem)
    }

    /// Lists a group and starts its book.
    pub async fn list_group(&self, group: CollectionGroup) -> Result<(), Refusal> {
        let _ = group;
        Err(Refusal::Closed)
    }

    /// Every listed group by id, with the terms in effect.
    #[must_use]
    pub fn groups(&self) -> Vec<Arc<CollectionGroup>> {
        Vec::new()
    }

    /// A group.
    #[must_use]
    pub fn group(&self, id: GroupId) -> Option<Arc<CollectionGroup>> {
        let _ = id;
        None
    }

    /// A group by its id (`g_1`) or its slug, as addresses name it.
    #[must_use]
    pub fn group_named(&self, name: &str) -> Option<Arc<CollectionGroup>> {
        let _ = name;
        None
    }

    /// A term or bundle by its slug, as requests and signed messages name it.
    #[must_use]
    pub fn sub_collection_named(&self, slug: &str) -> Option<(Arc<CollectionGroup>, SubCollectionId)> {
        let _ = slug;
        None
    }

    /// Gives one command to a book; `usable` of a create or edit is filled in from the lender's vault.
    pub async fn command(&self, group: GroupId, command: Command, burn: Option<Burn>) -> Result<Applied, Refusal> {
        let _ = (group, command, burn);
        Err(Refusal::Closed)
    }

    /// Gives several commands to a book, all or nothing. They must concern different offers of one lender, and at most
    /// one of them may create.
    pub async fn commands(
        &self,
        group: GroupId,
        commands: Vec<Command>,
        burn: Option<Burn>,
    ) -> Result<Applied, Refusal> {
        let _ = (group, commands, burn);
        Err(Refusal::Closed)
    }

    /// Holds an offer, the vault's sats behind it and the collateral for a borrower, together or not at all.
    pub async fn reserve(&self, request: ReserveRequest, burn: Option<Burn>) -> Result<Reservation, Refusal> {
        let _ = (request, burn);
        Err(Refusal::Closed)
    }

    /// Turns a reservation into a loan: the vault's sats leave, the collateral's outputs are spent.
    pub async fn confirm(
        &self,
        group: GroupId,
        reservation: ReservationId,
        loan: LoanId,
        burn: Option<Burn>,
    ) -> Result<Applied, Refusal> {
        let _ = (group, reservation, loan, burn);
        Err(Refusal::Closed)
    }

    /// Gives a reservation up: offer, sats and collateral are free again.
    pub async fn release(&self, group: GroupId, reservation: ReservationId) -> Result<Applied, Refusal> {
        let _ = (group, reservation);
        Err(Refusal::Closed)
    }

    /// Removes a loan that ended.
    pub async fn end_loan(&self, group: GroupId, loan: LoanId, end: LoanEnd) -> Result<Applied, Refusal> {
        let _ = (group, loan, end);
        Err(Refusal::Closed)
    }

    /// Records a sign-in whose signature the caller has verified.
    pub async fn sign_in(&self, addresses: &WalletAddresses, burn: Burn) -> Result<SignedIn, Refusal> {
        let _ = (addresses, burn);
        Err(Refusal::Closed)
    }

    /// Ends every session of a user; returns the generation from which on tokens are valid again.
    pub async fn sign_out(&self, user: UserId) -> Result<u64, Refusal> {
        let _ = user;
        Err(Refusal::Closed)
    }

    /// Uses a nonce up without anything else.
    pub async fn burn(&self, burn: Burn) -> Result<(), Refusal> {
        let _ = burn;
        Err(Refusal::Closed)
    }

    /// An account, as far as it is durable. Waits only while a change of this account is on its way to the disk.
    pub async fn account(&self, user: UserId) -> Option<Account> {
        let _ = user;
        None
    }

    /// Who signs in with this payment address.
    pub async fn user_of(&self, payment_address: &str) -> Option<UserId> {
        let _ = payment_address;
        None
    }

    /// A lender's vault; `None` until something was credited.
    pub async fn vault(&self, user: UserId) -> Option<VaultView> {
        let _ = user;
        None
    }

    /// Credits money that arrived; crediting nothing opens the vault.
    pub async fn credit_vault(&self, user: UserId, amount: Sats) -> Result<VaultView, Refusal> {
        let _ = (user, amount);
        Err(Refusal::Closed)
    }

    /// Takes usable money out.
    pub async fn debit_vault(&self, user: UserId, amount: Sats) -> Result<VaultView, Refusal> {
        let _ = (user, amount);
        Err(Refusal::Closed)
    }

    /// Moves the price of a group.
    pub async fn move_price(&self, group: GroupId, price: UnitPrice, observed_at: UnixMs) -> Result<(), Refusal> {
        let _ = (group, price, observed_at);
        Err(Refusal::Closed)
    }

    /// Adds older prices to a group that has none yet, oldest first; returns how many were taken.
    pub async fn import_price_history(
        &self,
        group: GroupId,
        prices: Vec<(UnixMs, UnitPrice)>,
    ) -> Result<usize, Refusal> {
        let _ = (group, prices);
        Err(Refusal::Closed)
    }

    /// Sets what was traded elsewhere.
    pub async fn set_market_volumes(&self, group: GroupId, volumes: Volumes) -> Result<(), Refusal> {
        let _ = (group, volumes);
        Err(Refusal::Closed)
    }

    /// Takes in news from the marketplaces until there are no more. Refused prices are logged.
    pub async fn follow(&self, mut source: impl MarketData) {
        while let Some(news) = source.next().await {
            let taken = match news {
                MarketNews::Price(tick) => self.move_price(tick.group, tick.price, tick.observed_at).await,
                MarketNews::Volumes { group, volumes } => self.set_market_volumes(group, volumes).await,
            };
            if let Err(refusal) = taken {
                tracing::warn!(?news, %refusal, "market news refused");
            }
        }
    }

    /// The price chart of a group.
    pub async fn price_history(&self, group: GroupId, range: PriceRange) -> Result<PriceHistory, Refusal> {
        let _ = (group, range);
        Err(Refusal::Closed)
    }

    /// Every offer of a lender, by id.
    pub async fn my_offers(&self, user: UserId) -> Result<Vec<MyOffer>, Refusal> {
        let _ = user;
        Err(Refusal::Closed)
    }

    /// An offer, live or not.
    pub async fn offer(&self, id: OfferId) -> Result<Option<Offer>, Refusal> {
        let _ = id;
        Err(Refusal::Closed)
    }

    /// A group's row, as last published.
    #[must_use]
    pub fn row(&self, group: GroupId) -> Option<Arc<Row>> {
        let _ = group;
        None
    }

    /// Every group's row by id, as last published.
    #[must_use]
    pub fn rows(&self) -> Vec<Arc<Row>> {
        Vec::new()
    }

    /// A whole order book.
    pub async fn book(&self, group: GroupId) -> Result<Arc<BookSnapshot>, Refusal> {
        let _ = group;
        Err(Refusal::Closed)
    }

    /// Opens a channel: a snapshot, then every delta, arrive in the outbox until the subscription is dropped or the
    /// outbox lags ([`crate::feed::Outgoing::Lagged`]); then subscribe again.
    pub async fn subscribe(&self, channel: Channel, outbox: &Outbox) -> Result<Subscription, Refusal> {
        let _ = (channel, outbox);
        Err(Refusal::Closed)
    }

    /// Counters for the metrics page.
    #[must_use]
    pub fn stats(&self) -> MarketStats {
        MarketStats::default()
    }

    /// The feed's epoch, as set at the start.
    #[must_use]
    pub fn epoch(&self) -> &str {
        ""
    }

    /// Refuses everything from now on, waits until everything accepted is durable and answered, and closes the feed.
    pub async fn stop(&self) {}
}
