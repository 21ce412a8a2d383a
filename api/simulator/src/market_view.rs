//! The market as the feed shows it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use domain::{CollateralType, GroupId, OfferId, UnitPrice};
use engine::locks::MutexExt as _;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::demo_group::DemoGroup;
use crate::public_book::PublicBook;
use crate::vacancy::{Vacancy, vacancies};
use crate::wire::{BookOffer, MarketRow};

/// The number of notices that may queue for a slow receiver.
const EVENTS_MAX: usize = 256;
/// A price move of one part in this many causes a notice.
const MOVE_FRACTION_MIN: u64 = 40;

/// A change that lenders react to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarketEvent {
    /// A price moved by much.
    PriceMoved(GroupId),
    /// The best offer of a ranking in the group changed.
    BestOfferChanged(GroupId),
}

impl MarketEvent {
    /// The group in which it happened.
    pub(crate) const fn group(self) -> GroupId {
        match self {
            Self::PriceMoved(group) | Self::BestOfferChanged(group) => group,
        }
    }
}

/// The view that all lenders share. The lock is never held across an await.
#[derive(Debug)]
pub(crate) struct MarketView {
    books: Mutex<BTreeMap<GroupId, (CollateralType, PublicBook)>>,
    events: broadcast::Sender<MarketEvent>,
}

#[derive(Debug, Deserialize)]
struct MarketSnapshot {
    rows: Vec<MarketRow>,
}

#[derive(Debug, Deserialize)]
struct BookSnapshot {
    row: MarketRow,
    offers: Vec<BookOffer>,
}

/// A change in the market or in a book.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Op {
    Row {
        row: MarketRow,
    },
    Offer {
        offer: BookOffer,
    },
    OfferGone {
        #[serde(rename = "offerId")]
        offer_id: String,
    },
    #[serde(other)]
    Other,
}

impl MarketView {
    /// An empty view of these groups.
    pub(crate) fn new(groups: &[DemoGroup]) -> Self {
        let empty = |demo: &DemoGroup| (demo.group.id, (demo.group.collateral.clone(), PublicBook::default()));
        let (events, _) = broadcast::channel(EVENTS_MAX);
        Self { books: Mutex::new(groups.iter().map(empty).collect()), events }
    }

    /// Subscribes to the notices from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<MarketEvent> {
        self.events.subscribe()
    }

    /// Returns a copy of one book.
    pub(crate) fn book(&self, group: GroupId) -> Option<PublicBook> {
        self.lock().get(&group).map(|(_, book)| book.clone())
    }

    /// The groups that lack offers.
    pub(crate) fn vacancies(&self, groups: &[DemoGroup]) -> Vec<Vacancy> {
        let books = self.lock();
        let known = groups.iter().filter_map(|demo| Some((demo, &books.get(&demo.group.id)?.1)));
        known.flat_map(|(demo, book)| vacancies(demo, book)).collect()
    }

    /// The latest price of a group.
    pub(crate) fn price(&self, group: GroupId) -> Option<UnitPrice> {
        self.lock().get(&group)?.1.price
    }

    /// Whether any price is known yet.
    pub(crate) fn has_prices(&self) -> bool {
        self.lock().values().any(|(_, book)| book.price.is_some())
    }

    /// Applies a snapshot of `channel`.
    pub(crate) fn apply_snapshot(&self, channel: &str, data: Value) -> Result<(), serde_json::Error> {
        let Some(group) = group_of(channel) else {
            let snapshot: MarketSnapshot = serde_json::from_value(data)?;
            snapshot.rows.iter().for_each(|row| self.apply_row(row));
            return Ok(());
        };
        let snapshot: BookSnapshot = serde_json::from_value(data)?;
        self.apply_row(&snapshot.row);
        if let Some((collateral, book)) = self.lock().get_mut(&group) {
            let standings = snapshot.offers.iter().map(|offer| offer.to_public_offer(collateral));
            book.offers = standings.map(|standing| (standing.offer, standing)).collect();
        }
        Ok(())
    }

    /// Applies a change of `channel`.
    pub(crate) fn apply(&self, channel: &str, op: Value) -> Result<(), serde_json::Error> {
        match (serde_json::from_value(op)?, group_of(channel)) {
            (Op::Row { row }, _) => self.apply_row(&row),
            (Op::Offer { offer }, Some(group)) => self.apply_offer(group, &offer),
            (Op::OfferGone { offer_id }, Some(group)) => {
                if let (Ok(id), Some((_, book))) = (offer_id.parse::<OfferId>(), self.lock().get_mut(&group)) {
                    book.offers.remove(&id);
                }
            }
            (Op::Offer { .. } | Op::OfferGone { .. } | Op::Other, _) => {}
        }
        Ok(())
    }

    fn apply_row(&self, row: &MarketRow) {
        let moved = match self.lock().get_mut(&row.id) {
            Some((_, book)) => {
                let (before, after) = (book.price, row.price());
                book.is_open = row.is_lending_allowed;
                book.price = after.or(before);
                before.zip(after).is_some_and(|(before, after)| is_large_move(before, after))
            }
            None => false,
        };
        if moved {
            self.notify(MarketEvent::PriceMoved(row.id));
        }
    }

    fn apply_offer(&self, group: GroupId, offer: &BookOffer) {
        let leads = match self.lock().get_mut(&group) {
            Some((collateral, book)) => {
                let standing = offer.to_public_offer(collateral);
                let is_new = book.offers.insert(standing.offer, standing).is_none();
                let ranking = book.ranking(standing.sub, standing.process);
                is_new && ranking.len() > 1 && ranking.first().is_some_and(|best| best.offer == standing.offer)
            }
            None => false,
        };
        if leads {
            self.notify(MarketEvent::BestOfferChanged(group));
        }
    }

    /// Sends a notice; that there is no receiver before the lenders start is not an error.
    fn notify(&self, event: MarketEvent) {
        let _ = self.events.send(event);
    }

    /// A panic elsewhere leaves the view consistent: every change is one assignment.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<GroupId, (CollateralType, PublicBook)>> {
        self.books.lock_unpoisoned()
    }
}

/// The group of a channel such as `book:g_1`; `None` for the market's channel.
fn group_of(channel: &str) -> Option<GroupId> {
    channel.strip_prefix("book:")?.parse().ok()
}

fn is_large_move(before: UnitPrice, after: UnitPrice) -> bool {
    before.scaled().abs_diff(after.scaled()) >= before.scaled() / MOVE_FRACTION_MIN
}

#[cfg(test)]
mod tests {
    use domain::{ProcessType, SubCollectionId};
    use serde_json::json;

    use super::*;
    use crate::demo_market::DemoMarket;

    fn row(price: &str) -> Value {
        json!({"id": "g_1", "groupSlug": "lantern-foxes", "unitPrice": price, "isLendingAllowed": true, "manual": null})
    }

    fn offer(number: u32, sats: u64) -> Value {
        json!({"offerId": format!("of_1000000000{number}"), "subCollectionId": "0", "process": "manual",
            "principal_amount_sats": sats, "fungible_amount": null, "state": "live", "lender_id": "us_1"})
    }

    #[test]
    fn the_view_follows_the_feed_and_notifies_of_relevant_changes() {
        let view = MarketView::new(&DemoMarket::new(1).groups);
        let mut notices = view.subscribe();
        let group = GroupId(1);
        assert!(!view.has_prices());
        view.apply_snapshot("market", json!({"rows": [row("2150000.00000000")]})).unwrap();
        assert_eq!(view.price(group), Some(UnitPrice::from_scaled(215_000_000_000_000)));
        view.apply_snapshot(
            "book:g_1",
            json!({"row": row("2150000.00000000"), "offers": [offer(1, 1_000_000)], "loans": []}),
        )
        .unwrap();
        view.apply("book:g_1", json!({"op": "offer", "offer": offer(2, 1_100_000)})).unwrap();
        assert_eq!(notices.try_recv(), Ok(MarketEvent::BestOfferChanged(group)));
        view.apply("book:g_1", json!({"op": "offer", "offer": offer(3, 900_000)})).unwrap();
        view.apply("market", json!({"op": "row", "row": row("2160000.00000000")})).unwrap();
        assert!(notices.try_recv().is_err(), "neither a worse offer nor a small move matters");
        view.apply("market", json!({"op": "row", "row": row("1900000.00000000")})).unwrap();
        assert_eq!(notices.try_recv(), Ok(MarketEvent::PriceMoved(group)));
        view.apply("book:g_1", json!({"op": "offer_gone", "offerId": "of_10000000002"})).unwrap();
        view.apply("book:g_1", json!({"op": "loan", "loan": {}})).unwrap();
        let ranking = view.book(group).unwrap().ranking(SubCollectionId(0), ProcessType::Manual);
        let amounts: Vec<u64> = ranking.iter().map(|standing| standing.principal.get()).collect();
        assert_eq!(amounts, [1_000_000, 900_000]);
    }
}
