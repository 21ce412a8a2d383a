//! Lienbook's own book as a contender.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Command, Limits, LoanId, Ltv, OfferDraft, OfferId, OrderBook, ProcessType, ReservationId, Sats, Taker, UnixMs,
    UserId,
};

use super::{contender::Contender, order_log::Order};
use crate::market::{self, floor_price, place_of};

const GROUP: u32 = 1;
/// More than any offer, so that no vault pauses one: the other implementations have no vaults.
const VAULT: Sats = Sats::new(10_000_000);
const BORROWER: UserId = UserId(1_000_000_000);
const NOW: UnixMs = UnixMs(1_700_000_000_000);

pub(super) struct Lienbook {
    book: OrderBook,
    touched: Vec<OfferId>,
    serial: u128,
}

impl Lienbook {
    pub(super) fn new(_size: usize) -> Self {
        let book = OrderBook::new(market::group(GROUP), Arc::new(Limits::default()));
        let mut this = Self { book, touched: Vec::new(), serial: 0 };
        this.act(&Command::SetPrice { price: floor_price(), observed_at: NOW });
        this
    }

    fn act(&mut self, command: &Command) {
        match self.book.decide(command, NOW) {
            Ok(events) => {
                self.touched.clear();
                for event in &events {
                    self.book.apply(event, NOW, &mut self.touched);
                }
            }
            Err(rejection) => panic!("{command:?} is refused: {rejection}"),
        }
    }
}

fn id(order: &Order) -> OfferId {
    OfferId(u64::from(GROUP) << 40 | order.number)
}

fn draft_of(order: &Order) -> OfferDraft {
    let (sub_collection, process) = place_of(order.ranking);
    OfferDraft {
        cancels_on_disconnect: false,
        sub_collection,
        process,
        principal: Sats::new(order.price),
        quantity: None,
        max_ltv: (process == ProcessType::Instant).then_some(Ltv::CEILING),
        principal_min: None,
        accepts_next_term: true,
        good_until: None,
        conditions: None,
    }
}

impl Contender for Lienbook {
    fn add(&mut self, order: &Order) {
        let (lender, draft) = (UserId(order.lender), draft_of(order));
        self.act(&Command::Create { lender, draft, count: 1, usable: Some(VAULT) });
    }

    fn cancel(&mut self, order: &Order) {
        self.act(&Command::Cancel { lender: UserId(order.lender), offer: id(order) });
    }

    fn replace(&mut self, old: &Order, new: &Order) {
        let (lender, draft) = (UserId(old.lender), draft_of(new));
        self.act(&Command::Edit { lender, offer: id(old), draft, usable: Some(VAULT) });
    }

    fn take(&mut self, ranking: usize) -> u64 {
        let (sub_collection, process) = place_of(ranking);
        let offer = self.book.best(sub_collection, process).expect("no ranking becomes empty").id;
        self.serial += 1;
        let reservation = ReservationId(self.serial);
        let expires_at = NOW.plus_ms(1);
        self.act(&Command::Reserve { reservation, offer, taker: Taker::new(BORROWER), pledged_raw: None, expires_at });
        self.act(&Command::Confirm { reservation, loan: LoanId(self.serial) });
        offer.sequence()
    }

    fn levels(&self, ranking: usize) -> BTreeMap<u64, u64> {
        let (sub_collection, process) = place_of(ranking);
        let mut levels = BTreeMap::new();
        for offer in self.book.ranked(sub_collection, process) {
            *levels.entry(offer.principal.get()).or_insert(0) += 1;
        }
        levels
    }
}
