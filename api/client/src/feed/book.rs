//! The local copy of an order book.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use crate::types::{BookLoan, BookOffer, Row};

use super::copy::ChannelData;
use super::ranking::{RankKey, Ranking, rankings};

/// The largest number of offers, and of loans, that a copy holds.
const ITEMS_MAX: usize = 1_000_000;
/// The number of offers of each ranking that the checksum covers.
const CHECKED_RANKS: usize = 10;

/// The public state of one order book.
#[derive(Clone, Debug)]
pub struct Book {
    row: Row,
    offers: HashMap<String, (RankKey, BookOffer)>,
    loans: HashMap<String, BookLoan>,
}

impl Book {
    /// The collection's row: its floor, sub-collections and figures.
    #[must_use]
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// An offer by its id.
    #[must_use]
    pub fn offer(&self, id: &str) -> Option<&BookOffer> {
        self.offers.get(id).map(|(_, offer)| offer)
    }

    /// The public offers, in no particular order; [`Self::rankings`] orders those that anyone can take.
    pub fn offers(&self) -> impl Iterator<Item = &BookOffer> {
        self.offers.values().map(|(_, offer)| offer)
    }

    /// The running loans, in no particular order.
    pub fn loans(&self) -> impl Iterator<Item = &BookLoan> {
        self.loans.values()
    }

    /// The rankings of the offers that anyone can take: by sub-collection, manual offers before instant ones.
    #[must_use]
    pub fn rankings(&self) -> Vec<Ranking<'_>> {
        rankings(self.offers.values().map(|(key, offer)| (*key, offer)))
    }

    fn insert(&mut self, offer: BookOffer) -> Result<(), String> {
        let key = RankKey::of(&offer, &self.row)?;
        self.offers.insert(offer.offer_id.clone(), (key, offer));
        bounded(self.offers.len())
    }
}

fn bounded(items: usize) -> Result<(), String> {
    if items > ITEMS_MAX { Err(format!("more than {ITEMS_MAX} items in a book")) } else { Ok(()) }
}

#[derive(Deserialize)]
struct Snapshot {
    row: Row,
    offers: Vec<BookOffer>,
    loans: Vec<BookLoan>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Operation {
    Offer {
        offer: Box<BookOffer>,
    },
    OfferGone {
        #[serde(rename = "offerId")]
        offer_id: String,
    },
    Loan {
        loan: BookLoan,
    },
    LoanGone {
        id: String,
    },
    Row {
        row: Box<Row>,
    },
}

impl ChannelData for Book {
    fn read(data: Value) -> Result<Self, String> {
        let Snapshot { row, offers, loans } = serde_json::from_value(data).map_err(|error| error.to_string())?;
        bounded(loans.len())?;
        let loans = loans.into_iter().map(|loan| (loan.id.clone(), loan)).collect();
        let mut book = Self { row, offers: HashMap::with_capacity(offers.len()), loans };
        offers.into_iter().try_for_each(|offer| book.insert(offer))?;
        Ok(book)
    }

    fn apply(&mut self, operation: Value) -> Result<(), String> {
        match serde_json::from_value(operation).map_err(|error| error.to_string())? {
            Operation::Offer { offer } => self.insert(*offer)?,
            Operation::OfferGone { offer_id } => drop(self.offers.remove(&offer_id)),
            Operation::Loan { loan } => {
                self.loans.insert(loan.id.clone(), loan);
                bounded(self.loans.len())?;
            }
            Operation::LoanGone { id } => drop(self.loans.remove(&id)),
            Operation::Row { row } => self.row = *row,
        }
        Ok(())
    }

    fn checksum(&self) -> Option<u32> {
        let mut covered = String::new();
        for ranking in self.rankings() {
            for offer in ranking.offers.iter().take(CHECKED_RANKS) {
                let (principal, available) = (offer.principal_amount_sats, offer.available_sats);
                // Writing to a string cannot fail.
                let _ = writeln!(covered, "{}:{principal}:{available}", offer.offer_id);
            }
        }
        Some(crc32c::crc32c(covered.as_bytes()))
    }
}
