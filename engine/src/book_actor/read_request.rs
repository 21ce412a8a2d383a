//! Read requests. An answer shows the book as of the request and leaves once that state is durable.

use std::sync::Arc;

use actix::{Context, Handler, Message};
use backtest::Tape;
use domain::{
    BorrowRequest, Inscription, LoanId, LoanTerms, Negotiation, NegotiationId, NegotiationSubject, Offer,
    OfferConditions, OfferId, ProcessType, RefinanceMatch, RefinanceQuestion, RequestId, Sats, Taker, UserId,
};

use crate::{
    PriceRange, Refusal,
    feed::{BookData, CachedFrame, Channel, Encoded, Encoding, FeedPosition, Snapshot, Subscriber},
    journal::Sequence,
    view,
    wire::{
        AsString, BookOffer, BookSnapshot, MyOffer, NegotiationView, NoticeView, OfferForMe, PriceHistory, RequestView,
    },
};

use super::{
    BookActor, Reply,
    publication::{FirstFrame, PendingSubscription},
    queue::QueuedOutput,
};

/// A read request to a book.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) enum ReadRequest {
    /// The whole book.
    Book(Reply<Arc<BookSnapshot>>),
    /// A lender's offers by id.
    MyOffers(UserId, Reply<Vec<MyOffer>>),
    /// The principal of a lender's offers that is not lent.
    OpenPrincipal(UserId, Reply<Sats>),
    /// The principal of one offer of a lender that is not lent.
    OpenPrincipalOf(UserId, OfferId, Reply<Sats>),
    /// The same as `MyOffers`; from then on changes of these offers are published to the lender.
    WatchMyOffers(UserId, Reply<Vec<MyOffer>>),
    /// The offers that name a borrower.
    OffersForMe(UserId, Reply<Vec<OfferForMe>>),
    /// The offers that name a borrower; from then on their changes are published to the borrower.
    WatchOffersForMe(UserId, Reply<Vec<OfferForMe>>),
    /// The listed offers with conditions that a borrower can take, with one of these inscriptions where its lender chose
    /// some; each with its number if that is known.
    ConditionalOffersFor(Box<Taker>, Vec<(Inscription, Option<i64>)>, Reply<Vec<OfferForMe>>),
    /// The negotiations of a user.
    Negotiations(UserId, Reply<Vec<NegotiationView>>),
    /// The interest and the term of loans by an offer.
    LoanTerms(OfferId, Reply<Option<LoanTerms>>),
    /// The interest and the term on which both sides of a running loan agreed in a negotiation.
    AgreedExtension(LoanId, NegotiationId, Reply<Option<LoanTerms>>),
    /// The conditions of an offer.
    Conditions(OfferId, Reply<Option<Arc<OfferConditions>>>),
    /// A public view of an offer that can be taken, listed or not, with its conditions.
    ConditionalOffer(OfferId, Reply<Option<(BookOffer, Arc<OfferConditions>)>>),
    /// The notices of a user about offers in this book: own ones, and those that name the user.
    Notices(UserId, Reply<Vec<NoticeView>>),
    /// A borrow request.
    BorrowRequest(RequestId, Reply<Option<BorrowRequest>>),
    /// The borrow requests from the best one for lenders, filled ones last.
    RankedBorrowRequests(Reply<Vec<RequestView>>),
    /// One offer, and the sequence of the book's last event.
    Offer(OfferId, Reply<(Option<Offer>, Sequence)>),
    /// Every offer of a process type, paused or not, with the interest and the term of its loans.
    Offers(ProcessType, Reply<Vec<(Offer, LoanTerms)>>),
    /// The offers that running loans could move to, one for each question.
    Refinances(Vec<RefinanceQuestion>, Reply<Vec<Option<RefinanceMatch>>>),
    /// The acceptances of the last months.
    Tape(Reply<Tape>),
    /// The price chart.
    Prices(PriceRange, Reply<PriceHistory>),
    /// Resolves once all earlier output has left.
    Flush(Reply<()>),
}

/// A subscription to the book's channel.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct SubscribeToBook {
    pub(crate) subscriber: Subscriber,
    /// The position that the subscriber has seen before.
    pub(crate) after: Option<FeedPosition>,
    pub(crate) reply: Reply<()>,
}

/// The latest snapshot, with its frame once a client has subscribed.
pub(super) struct CachedSnapshot {
    snapshot: Arc<BookSnapshot>,
    frame: CachedFrame,
}

impl BookActor {
    /// The whole book as of the last burst, built once per sequence and row.
    fn cached_snapshot(&mut self) -> &mut CachedSnapshot {
        let (state, row) = (&self.state, &self.row);
        let is_fresh =
            |cached: &CachedSnapshot| cached.snapshot.seq == state.sequence && Arc::ptr_eq(&cached.snapshot.row, row);
        let cached = self.snapshot.take().filter(is_fresh).unwrap_or_else(|| CachedSnapshot {
            snapshot: Arc::new(view::book_snapshot(state, Arc::clone(row))),
            frame: CachedFrame::default(),
        });
        self.snapshot.insert(cached)
    }

    fn snapshot_frame(&mut self, encoding: Encoding) -> Encoded {
        let (channel, shared) = (AsString(Channel::Book(self.group)), Arc::clone(&self.shared));
        let cached = self.cached_snapshot();
        let CachedSnapshot { snapshot, frame } = cached;
        frame.get_or_build(encoding, || {
            let data = BookData { row: &snapshot.row, offers: &snapshot.offers, loans: &snapshot.loans };
            let epoch = shared.settings.book_epoch();
            encoding.encode(&Snapshot { channel, epoch, seq: snapshot.seq, data: &data })
        })
    }

    fn my_offers(&self, lender: UserId) -> Vec<MyOffer> {
        let book = &self.state.book;
        book.offers_of(lender).filter_map(|offer| view::my_offer(book, offer)).collect()
    }

    /// The principal of an offer that is not lent; of a pegged one the largest.
    fn open_principal(&self, offer: &Offer) -> Sats {
        let largest = self.state.book.peg(offer.id).map_or(offer.principal, |peg| peg.max);
        largest.saturating_sub(offer.used)
    }

    /// Answers once everything so far is durable.
    fn answer<T: Send + 'static>(&mut self, reply: Reply<T>, answer: T) {
        // The receiver may have been dropped.
        let send_answer = move |is_open: Result<(), Refusal>| drop(reply.send(is_open.map(|()| answer)));
        self.queue.push_back(QueuedOutput::PendingRead(Box::new(send_answer)));
    }
}

impl Handler<ReadRequest> for BookActor {
    type Result = ();

    fn handle(&mut self, request: ReadRequest, context: &mut Context<Self>) {
        self.decide_waiting();
        self.close_burst();
        match request {
            ReadRequest::Book(reply) => {
                let snapshot = Arc::clone(&self.cached_snapshot().snapshot);
                self.answer(reply, snapshot);
            }
            ReadRequest::MyOffers(lender, reply) => {
                let offers = self.my_offers(lender);
                self.answer(reply, offers);
            }
            ReadRequest::OpenPrincipal(lender, reply) => {
                let open = self.state.book.offers_of(lender).map(|offer| self.open_principal(offer)).sum();
                self.answer(reply, open);
            }
            ReadRequest::OpenPrincipalOf(lender, id, reply) => {
                let offer = self.state.book.offer(id).filter(|offer| offer.lender == lender);
                let open = offer.map_or(Sats::ZERO, |offer| self.open_principal(offer));
                self.answer(reply, open);
            }
            ReadRequest::WatchMyOffers(lender, reply) => {
                let (updates, offers) = self.watched_offers.watch(&self.state, lender);
                self.queue_ranks(updates);
                self.answer(reply, offers);
            }
            ReadRequest::OffersForMe(borrower, reply) => {
                let offers = view::offers_for_me(&self.state, borrower);
                self.answer(reply, offers);
            }
            ReadRequest::WatchOffersForMe(borrower, reply) => {
                let offers = self.offers_for_me.watch(&self.state, borrower);
                self.answer(reply, offers);
            }
            ReadRequest::ConditionalOffersFor(taker, held, reply) => {
                let offers = view::conditional_offers_for(&self.state, &taker, &held, self.shared.clock.now());
                self.answer(reply, offers);
            }
            ReadRequest::Negotiations(user, reply) => {
                let negotiations = view::negotiations::of_user(&self.state.book, user);
                self.answer(reply, negotiations);
            }
            ReadRequest::LoanTerms(id, reply) => {
                let book = &self.state.book;
                let terms = book.offer(id).and_then(|offer| book.loan_terms(offer));
                self.answer(reply, terms);
            }
            ReadRequest::AgreedExtension(loan, id, reply) => {
                let negotiation = self.state.book.negotiation(id);
                let now = self.shared.clock.now();
                let about = negotiation
                    .filter(|known| known.loan.subject == NegotiationSubject::Loan(loan) && now < known.kept_until);
                self.answer(reply, about.and_then(Negotiation::agreed_extension));
            }
            ReadRequest::Conditions(id, reply) => {
                let conditions = self.state.book.conditions(id).cloned();
                self.answer(reply, conditions);
            }
            ReadRequest::ConditionalOffer(id, reply) => {
                let book = &self.state.book;
                let shown = book.offer(id).filter(|offer| view::is_shown(offer));
                let found = shown.map(|offer| view::book_offer(&self.state, offer)).zip(book.conditions(id).cloned());
                self.answer(reply, found);
            }
            ReadRequest::Notices(user, reply) => {
                let mut notices = view::offer_notices(&self.state, user);
                notices.extend(view::offer_notices::notice_for_borrower(&self.state, user));
                notices.extend(view::negotiations::notices(&self.state, user));
                self.answer(reply, notices);
            }
            ReadRequest::BorrowRequest(id, reply) => {
                let request = self.state.book.request(id).cloned();
                self.answer(reply, request);
            }
            ReadRequest::RankedBorrowRequests(reply) => {
                let requests = view::ranked_borrow_requests(&self.state.book);
                self.answer(reply, requests);
            }
            ReadRequest::Offer(id, reply) => {
                let offer = self.state.book.offer(id).cloned();
                self.answer(reply, (offer, self.state.sequence));
            }
            ReadRequest::Offers(process, reply) => {
                let book = &self.state.book;
                let offers = book.offers().filter(|offer| offer.process == process);
                let offers = offers.filter_map(|offer| Some((offer.clone(), book.loan_terms(offer)?))).collect();
                self.answer(reply, offers);
            }
            ReadRequest::Refinances(questions, reply) => {
                let answers = questions.iter().map(|question| self.state.book.refinance(question)).collect();
                self.answer(reply, answers);
            }
            ReadRequest::Tape(reply) => self.answer(reply, self.state.tape.clone()),
            ReadRequest::Prices(range, reply) => {
                let chart = self.state.prices.chart(range, self.shared.clock.now());
                self.answer(reply, chart);
            }
            ReadRequest::Flush(reply) => self.answer(reply, ()),
        }
        self.pump(context);
        self.schedule_burst_end(context);
    }
}

impl Handler<SubscribeToBook> for BookActor {
    type Result = ();

    fn handle(&mut self, request: SubscribeToBook, context: &mut Context<Self>) {
        self.decide_waiting();
        self.close_burst();
        let encoding = request.subscriber.encoding();
        let resumed = request.after.and_then(|after| self.resumed_frame(&after, encoding)).map(FirstFrame::Resumed);
        let first_frame = resumed.unwrap_or_else(|| FirstFrame::Snapshot(self.snapshot_frame(encoding)));
        self.pending_subscribers += 1;
        self.queue.push_back(QueuedOutput::Subscription(PendingSubscription {
            subscriber: request.subscriber,
            first_frame,
            reply: request.reply,
        }));
        self.pump(context);
        self.schedule_burst_end(context);
    }
}
