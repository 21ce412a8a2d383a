//! Reads and subscriptions.

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    BorrowRequest, GroupId, Inscription, LoanId, LoanTerms, NegotiationId, Offer, OfferConditions, OfferId,
    ProcessType, RequestId, Taker, UserId,
};
use futures_util::future::try_join_all;

use crate::{
    PriceRange, Refusal,
    book_actor::{ReadRequest, Reply, SubscribeToBook},
    feed::{Channel, FeedPosition, MeOp, MeSnapshot, SocketQueue, Subscriber, Subscription},
    touched_books,
    wire::{
        AsString, BookOffer, BookSnapshot, MyOffer, NegotiationView, NoticeKind, NoticeView, OfferForMe, PriceHistory,
        RequestView, Row,
    },
};

use super::{Market, my_loans::NOTICES_MAX};

impl Market {
    /// The price chart of a group.
    pub async fn price_history(&self, group: GroupId, range: PriceRange) -> Result<PriceHistory, Refusal> {
        self.read_book(group, |reply| ReadRequest::Prices(range, reply)).await
    }

    /// Every offer of a lender, by id.
    pub async fn my_offers(&self, user: UserId) -> Result<Vec<MyOffer>, Refusal> {
        self.offers_in_books(user, ReadRequest::MyOffers).await
    }

    /// The first offers of a lender after one of them, by id. Books are queried one after another until there are
    /// enough, so a page costs about as much as the books it shows.
    pub async fn my_offers_page(
        &self,
        user: UserId,
        after: Option<OfferId>,
        count: usize,
    ) -> Result<Vec<MyOffer>, Refusal> {
        let groups = self.shared.ledger.lock().state().quoting(user);
        let first = after.map(OfferId::group);
        let mut page = Vec::new();
        for group in groups.into_iter().filter(|group| first.is_none_or(|first| first <= *group)) {
            let mut offers = self.read_book(group, |reply| ReadRequest::MyOffers(user, reply)).await?;
            offers.retain(|offer| after.is_none_or(|after| after < offer.offer_id.0));
            offers.sort_unstable_by_key(|offer| offer.offer_id);
            page.extend(offers);
            if page.len() >= count {
                break;
            }
        }
        page.truncate(count);
        Ok(page)
    }

    /// An offer, live or not.
    pub async fn offer(&self, id: OfferId) -> Result<Option<Offer>, Refusal> {
        let (offer, sequence) = self.read_book(id.group(), |reply| ReadRequest::Offer(id, reply)).await?;
        touched_books::note_read(id.group(), sequence);
        Ok(offer)
    }

    /// The conditions of an offer; `None` if anyone can take it.
    pub async fn offer_conditions(&self, id: OfferId) -> Result<Option<Arc<OfferConditions>>, Refusal> {
        self.read_book(id.group(), |reply| ReadRequest::Conditions(id, reply)).await
    }

    /// An offer that is not paused, with its conditions; `None` as well if it has none.
    pub async fn conditional_offer(&self, id: OfferId) -> Result<Option<(BookOffer, Arc<OfferConditions>)>, Refusal> {
        self.read_book(id.group(), |reply| ReadRequest::ConditionalOffer(id, reply)).await
    }

    /// The interest and the term of loans by an offer: those that were negotiated, or those of its sub-collection.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn loan_terms(&self, id: OfferId) -> Result<Option<LoanTerms>, Refusal> {
        self.read_book(id.group(), |reply| ReadRequest::LoanTerms(id, reply)).await
    }

    /// The interest and the term on which both sides of a running loan agreed in a negotiation about its extension;
    /// `None` without an agreement, and once the borrower's time to sign is over.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn agreed_extension(&self, loan: LoanId, id: NegotiationId) -> Result<Option<LoanTerms>, Refusal> {
        self.read_book(id.group(), |reply| ReadRequest::AgreedExtension(loan, id, reply)).await
    }

    /// Every instant offer of a group, paused or not, in no particular order.
    pub async fn instant_offers(&self, group: GroupId) -> Result<Vec<Offer>, Refusal> {
        let offers = self.read_book(group, |reply| ReadRequest::Offers(ProcessType::Instant, reply)).await?;
        Ok(offers.into_iter().map(|(offer, _)| offer).collect())
    }

    /// Every manual offer of a group, paused or not, with the interest and the term of its loans, in no particular order.
    pub async fn manual_offers(&self, group: GroupId) -> Result<Vec<(Offer, LoanTerms)>, Refusal> {
        self.read_book(group, |reply| ReadRequest::Offers(ProcessType::Manual, reply)).await
    }

    /// A group's row, as last published.
    #[must_use]
    pub fn row(&self, group: GroupId) -> Option<Arc<Row>> {
        self.shared.rows.item(group)
    }

    /// Every group's row by id, as last published.
    #[must_use]
    pub fn rows(&self) -> Vec<Arc<Row>> {
        self.shared.rows.items()
    }

    /// Every borrow request by id, as last published.
    #[must_use]
    pub fn borrow_requests(&self) -> Vec<Arc<RequestView>> {
        self.shared.requests.items()
    }

    /// The borrow requests of a group, from the best one for lenders; those that a lender has filled come last.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn ranked_borrow_requests(&self, group: GroupId) -> Result<Vec<RequestView>, Refusal> {
        self.read_book(group, ReadRequest::RankedBorrowRequests).await
    }

    /// A borrow request with its terms.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn request_terms(&self, id: RequestId) -> Result<Option<BorrowRequest>, Refusal> {
        self.read_book(id.group(), |reply| ReadRequest::BorrowRequest(id, reply)).await
    }

    /// The snapshot of a whole order book.
    pub async fn book(&self, group: GroupId) -> Result<Arc<BookSnapshot>, Refusal> {
        self.read_book(group, ReadRequest::Book).await
    }

    /// Opens a channel: a snapshot and then every delta arrive in the queue until the subscription is dropped or the
    /// queue lags ([`crate::feed::Outgoing::Lagged`]); after a lag, subscribe again.
    pub async fn subscribe(&self, channel: Channel, socket_queue: &SocketQueue) -> Result<Subscription, Refusal> {
        self.resume(channel, socket_queue, None).await
    }

    /// Opens a channel that its reader has seen up to `after`: the first frame of a book's channel is then a delta with
    /// what has changed since, if that is still known, and a snapshot otherwise.
    ///
    /// # Errors
    /// Those of [`Market::subscribe`].
    pub async fn resume(
        &self,
        channel: Channel,
        socket_queue: &SocketQueue,
        after: Option<FeedPosition>,
    ) -> Result<Subscription, Refusal> {
        if self.shared.is_stopping() {
            return Err(Refusal::Closed);
        }
        let (subscription, subscriber) =
            Subscription::open(channel, socket_queue, &self.shared.feed_counters.subscribers);
        match channel {
            Channel::Market => self.shared.rows.subscribe(subscriber),
            Channel::Requests => self.shared.requests.subscribe(subscriber),
            Channel::Halts => self.shared.halts.subscribe(subscriber),
            Channel::Book(group) => {
                let book = self.book_actor(group)?;
                self.request(book.actor(), |reply| SubscribeToBook { subscriber, after, reply }).await?;
            }
            Channel::Me(user) => self.subscribe_me(user, subscriber).await?,
        }
        Ok(subscription)
    }

    /// Gathers the snapshot from every book where the user quotes; frames published meanwhile are kept behind it.
    async fn subscribe_me(&self, user: UserId, subscriber: Subscriber) -> Result<(), Refusal> {
        let pending = self.shared.me.begin_subscription(user, subscriber)?;
        match self.me_snapshot(user).await {
            Ok(snapshot) => self.shared.me.finish_subscription(pending, snapshot),
            Err(refusal) => {
                self.shared.me.cancel_subscription(pending);
                Err(refusal)
            }
        }
    }

    async fn me_snapshot(&self, user: UserId) -> Result<MeSnapshot, Refusal> {
        let offers = self.offers_in_books(user, ReadRequest::WatchMyOffers).await?;
        let offers_for_me = self.read_where_named(user, ReadRequest::WatchOffersForMe).await?;
        let negotiations = self.negotiations(user).await?;
        let vault = self.shared.ledger.vault(user).await;
        let vault = vault.map(|balances| (balances.sequence, self.shared.vault_view(balances)));
        let loans = self.shown_loans(user).await?;
        let mut notices = self.my_notices(user).await?;
        notices.reverse();
        Ok(MeSnapshot { offers, offers_for_me, negotiations, vault, loans, notices })
    }

    /// A user's latest notices, the newest first; at most a hundred.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn my_notices(&self, user: UserId) -> Result<Vec<NoticeView>, Refusal> {
        let mut notices = self.loan_notices(user).await?;
        let groups: BTreeSet<GroupId> = {
            let ledger = self.shared.ledger.lock();
            ledger.state().quoting(user).into_iter().chain(ledger.state().named_in(user)).collect()
        };
        let requests = groups.into_iter().map(|group| self.read_book(group, |reply| ReadRequest::Notices(user, reply)));
        notices.extend(try_join_all(requests).await?.into_iter().flatten());
        notices.extend(self.shared.ephemeral_notices.of(user));
        notices.extend(self.shared.refinance_notices.list.of(user));
        notices.extend(self.webhook_notices(user));
        notices.sort_unstable_by(|one, other| other.position().cmp(&one.position()));
        notices.truncate(NOTICES_MAX);
        Ok(notices)
    }

    /// Sends a lender a notice about an offer, on the private channel and in the list.
    pub fn notify_lender_of_offer(&self, lender: UserId, offer: OfferId, kind: NoticeKind) {
        let at = self.shared.clock.now();
        let notice = NoticeView {
            id: format!("{offer}-{}-{}", kind.name(), at.0),
            kind,
            at,
            collection_name: self.group(offer.group()).map_or_else(Arc::default, |group| group.name.clone()),
            loan_id: None,
            role: None,
            offer_id: Some(AsString(offer)),
        };
        self.shared.ephemeral_notices.push(lender, notice.clone());
        self.publish_notice(lender, notice);
    }

    /// Publishes a notice that is derived from no book, on the private channel and for delivery.
    pub(super) fn publish_notice(&self, user: UserId, notice: NoticeView) {
        self.shared.me.publish(user, &[MeOp::Notice { notice }]);
        self.shared.dirty_users.mark([user]);
    }

    /// The offers that name a user as their borrower, in no particular order.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn offers_for_borrower(&self, user: UserId) -> Result<Vec<OfferForMe>, Refusal> {
        self.read_where_named(user, ReadRequest::OffersForMe).await
    }

    /// The listed offers with conditions that a borrower can take, in all books: where its lender chose inscriptions, with
    /// one of those in `held`, each with its number if that is known.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn conditional_offers_for(
        &self,
        borrower: UserId,
        held: &[(Inscription, Option<i64>)],
    ) -> Result<Vec<OfferForMe>, Refusal> {
        let record = self.borrower_record(borrower);
        let taker = Taker { repaid: record.repaid, last_claimed_at: record.last_claimed_at, ..Taker::new(borrower) };
        let requests = self.groups().into_iter().map(|group| {
            let of_group = held.iter().filter(|(id, _)| self.group_of_inscription(*id) == Some(group.id));
            let (taker, of_group) = (Box::new(taker.clone()), of_group.copied().collect());
            self.read_book(group.id, |reply| ReadRequest::ConditionalOffersFor(taker, of_group, reply))
        });
        Ok(try_join_all(requests).await?.into_iter().flatten().collect())
    }

    /// The negotiations of a user, open or over, by id.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn negotiations(&self, user: UserId) -> Result<Vec<NegotiationView>, Refusal> {
        let mut negotiations = self.read_where_named(user, ReadRequest::Negotiations).await?;
        negotiations.sort_unstable_by_key(|negotiation| negotiation.negotiation_id);
        Ok(negotiations)
    }

    /// A negotiation as one of its sides sees it; `None` for others.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn negotiation(&self, user: UserId, id: NegotiationId) -> Result<Option<NegotiationView>, Refusal> {
        let all = self.read_book(id.group(), |reply| ReadRequest::Negotiations(user, reply)).await?;
        Ok(all.into_iter().find(|negotiation| negotiation.negotiation_id.0 == id))
    }

    /// Reads every book where an offer or a negotiation may name a user.
    async fn read_where_named<T>(
        &self,
        user: UserId,
        request: impl Fn(UserId, Reply<Vec<T>>) -> ReadRequest,
    ) -> Result<Vec<T>, Refusal> {
        let groups = self.shared.ledger.lock().state().named_in(user);
        let requests = groups.into_iter().map(|group| self.read_book(group, |reply| request(user, reply)));
        Ok(try_join_all(requests).await?.into_iter().flatten().collect())
    }

    async fn offers_in_books(
        &self,
        user: UserId,
        request: impl Fn(UserId, Reply<Vec<MyOffer>>) -> ReadRequest,
    ) -> Result<Vec<MyOffer>, Refusal> {
        let groups = self.shared.ledger.lock().state().quoting(user);
        let requests = groups.into_iter().map(|group| self.read_book(group, |reply| request(user, reply)));
        let mut offers: Vec<MyOffer> = try_join_all(requests).await?.into_iter().flatten().collect();
        offers.sort_unstable_by_key(|offer| offer.offer_id);
        Ok(offers)
    }

    pub(super) async fn read_book<T>(
        &self,
        group: GroupId,
        request: impl FnOnce(Reply<T>) -> ReadRequest,
    ) -> Result<T, Refusal> {
        let book = self.book_actor(group)?;
        self.request(book.actor(), request).await
    }
}
