//! The newest offers and loans of a collection as an Atom feed (RFC 4287).

use std::cmp::Reverse;

use atom_syndication::{Content, Entry, Feed, FixedDateTime, Generator, Link, Person, Text};
use chrono::DateTime;
use domain::{OfferId, Sats, UnixMs};
use engine::wire::{BookLoan, BookOffer, BookSnapshot, ProcessName, Row};

use crate::config::public_url::PublicUrl;
use crate::share::figures::{btc, days, percent};
use crate::share::page_address;
use crate::share::preview::Side;

/// The largest number of entries: a reader that asks every hour misses none of a usual market.
pub const ENTRIES_MAX: usize = 50;

/// The media type.
pub const MEDIA_TYPE: &str = "application/atom+xml; charset=utf-8";

/// An offer or a loan with its time.
enum Item<'a> {
    Offer(&'a BookOffer),
    Loan(&'a BookLoan),
}

impl Item<'_> {
    /// Ids of offers are given in the order of their creation.
    fn offer(&self) -> Option<OfferId> {
        match self {
            Self::Offer(offer) => Some(offer.offer_id.0),
            Self::Loan(_) => None,
        }
    }

    const fn at(&self) -> UnixMs {
        match self {
            Self::Offer(offer) => offer.created_at,
            Self::Loan(loan) => loan.accepted_date,
        }
    }
}

/// Returns the feed of a book, newest first, at the address `path` of this server. `now` dates a feed without entries.
#[must_use]
pub fn feed(book: &BookSnapshot, public_url: &PublicUrl, path: &str, now: UnixMs) -> String {
    let row = &*book.row;
    let mut items: Vec<Item<'_>> =
        book.offers.iter().map(Item::Offer).chain(book.loans.iter().map(Item::Loan)).collect();
    items.sort_by_key(|item| Reverse((item.at(), item.offer())));
    items.truncate(ENTRIES_MAX);
    let updated = items.first().map_or(now, Item::at);
    let page = format!("{public_url}{}", page_address::of_row(Side::Borrow, row));
    let feed = Feed {
        title: Text::plain(format!("{} on Lienbook", row.collection_name)),
        subtitle: Some(Text::plain(format!("The newest offers and loans against {}", row.collection_name))),
        id: format!("{public_url}{path}"),
        updated: date(updated),
        authors: vec![Person { name: "Lienbook".to_owned(), ..Person::default() }],
        generator: Some(Generator { value: "Lienbook".to_owned(), ..Generator::default() }),
        links: vec![link("self", format!("{public_url}{path}")), link("alternate", page.clone())],
        entries: items.iter().map(|item| entry(item, row, public_url, &page)).collect(),
        ..Feed::default()
    };
    feed.to_string()
}

fn entry(item: &Item<'_>, row: &Row, public_url: &PublicUrl, page: &str) -> Entry {
    let name = &row.collection_name;
    let (id, title, text, target) = match item {
        Item::Offer(offer) => {
            let kind = match offer.process {
                ProcessName::Instant => "An instant offer",
                ProcessName::Manual => "A manual offer, which its lender counter-signs",
            };
            let terms =
                format!("{} at {} interest", days(offer.loan_term_days), percent(offer.interest_rate_percentage));
            let target = format!("{page}&offer={}", offer.offer_id.0);
            let title = format!("{} offered against {name}", btc(offer.principal_amount_sats));
            (offer.offer_id.0.to_string(), title, format!("{kind}: {} for {terms}.", sum(offer)), target)
        }
        Item::Loan(loan) => {
            let title = format!("{} lent against {name}", btc(loan.principal_amount_sats));
            let text = "A loan was accepted. No price liquidates it.".to_owned();
            (loan.id.0.to_string(), title, text, page.to_owned())
        }
    };
    Entry {
        // Of the site, so that an entry keeps its id when the pages of the app move.
        id: format!("tag:{},2026:{id}", public_url.domain()),
        title: Text::plain(title),
        updated: date(item.at()),
        published: Some(date(item.at())),
        links: vec![link("alternate", target)],
        content: Some(Content { value: Some(text), content_type: Some("text".to_owned()), ..Content::default() }),
        ..Entry::default()
    }
}

/// The sum that can be taken of an offer.
fn sum(offer: &BookOffer) -> String {
    let taken = offer.auto_principal_amount_used_sats;
    if taken == Sats::ZERO {
        btc(offer.principal_amount_sats)
    } else {
        format!("{} of {}", btc(offer.available_sats), btc(offer.principal_amount_sats))
    }
}

pub(super) fn link(relation: &str, href: String) -> Link {
    Link { rel: relation.to_owned(), href, ..Link::default() }
}

/// The time as the library represents it; the start of 1970 for one beyond its range.
pub(super) fn date(at: UnixMs) -> FixedDateTime {
    let time = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    time.fixed_offset()
}
