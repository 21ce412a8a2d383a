//! The texts of previews.

use domain::{Offer, Sats};
use engine::wire::{Quotes, Row};
use serde::Deserialize;

use super::figures::{btc, days, percent, unit_price};

/// The side that a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Borrowers.
    Borrow,
    /// Lenders.
    Lend,
}

impl Side {
    /// Returns the side that a path of the web app is for.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        match path.trim_start_matches('/').split('/').next() {
            Some("borrow") => Some(Self::Borrow),
            Some("lend") => Some(Self::Lend),
            _ => None,
        }
    }

    /// Returns its name in paths.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Borrow => "borrow",
            Self::Lend => "lend",
        }
    }
}

/// A labelled number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Figure {
    /// The label.
    pub label: &'static str,
    /// The number with its unit.
    pub value: String,
}

/// The contents of a link preview.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Preview {
    /// The title, one line.
    pub title: String,
    /// The description, one or two sentences.
    pub description: String,
    /// The line of the picture above the collection's name.
    pub call: String,
    /// The collection's name.
    pub name: String,
    /// The figures of the picture below the name.
    pub figures: [Figure; 3],
}

fn figure(label: &'static str, value: Option<String>) -> Figure {
    Figure { label, value: value.unwrap_or_else(|| "none yet".to_owned()) }
}

fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

impl Preview {
    /// Builds the preview of a collection from its last published row.
    #[must_use]
    pub fn of_collection(row: &Row, side: Side) -> Self {
        match side {
            Side::Borrow => Self::for_borrowers(row),
            Side::Lend => Self::for_lenders(row),
        }
    }

    fn for_borrowers(row: &Row) -> Self {
        let name = row.collection_name.clone();
        let best = quotes_of(row).filter(|quotes| quotes.best_offer.is_some()).max_by_key(|quotes| quotes.best_offer);
        let liquidity = quotes_of(row).fold(Sats::ZERO, |sum, quotes| sum.saturating_add(quotes.liquidity_sats));
        let interest = quotes_of(row).map(|quotes| quotes.min_interest).min();
        let best_sats = best.and_then(|quotes| quotes.best_offer);
        let description = match (best_sats, best.and_then(|quotes| quotes.term)) {
            (Some(sats), Some(term)) => format!(
                "Best offer {} for {}. {}, {} to borrow. No price liquidates the loan.",
                btc(sats),
                days(term),
                counted(offers_in(row), "offer"),
                btc(liquidity)
            ),
            _ => {
                "No offers yet. No price liquidates a loan here: it is repaid within its term, or the lender receives \
                  the collateral."
                    .to_owned()
            }
        };
        Self {
            title: format!("Borrow against {name}"),
            description,
            call: "Borrow bitcoin against".to_owned(),
            name: name.to_string(),
            figures: [
                figure("Best offer", best_sats.map(btc)),
                figure("To borrow", best_sats.map(|_| btc(liquidity))),
                figure("Interest from", interest.map(percent)),
            ],
        }
    }

    fn for_lenders(row: &Row) -> Self {
        let name = row.collection_name.clone();
        let apy = quotes_of(row).map(|quotes| quotes.max_apy).max();
        let (label, price) = match row.floor {
            Some(floor) => ("Floor", Some(btc(floor))),
            None => ("Price", row.unit_price.map(|price| unit_price(price.0))),
        };
        let earn = apy.map_or_else(
            || format!("Lend bitcoin against {name}."),
            |apy| format!("Earn up to {} a year on bitcoin, against {name}.", percent(apy)),
        );
        let description = format!(
            "{earn} {} in the book, {} so far.",
            counted(offers_in(row), "offer"),
            counted(usize::try_from(row.total_loans).unwrap_or(usize::MAX), "loan")
        );
        Self {
            title: format!("Lend against {name}"),
            description,
            call: "Lend bitcoin against".to_owned(),
            name: name.to_string(),
            figures: [
                Figure { label, value: price.unwrap_or_else(|| "unknown".to_owned()) },
                figure("Max APY", apy.map(percent)),
                Figure { label: "Offers", value: offers_in(row).to_string() },
            ],
        }
    }

    /// Builds the preview of an offer that can be taken now; `None` for another offer, or one of another collection.
    #[must_use]
    pub fn of_offer(row: &Row, offer: &Offer) -> Option<Self> {
        let is_open = offer.id.group() == row.id.0 && offer.is_live();
        let sub = row.sub_collections.iter().find(|sub| is_open && sub.id.0 == offer.sub_collection.0)?;
        let (name, principal) = (row.collection_name.clone(), btc(offer.takeable()));
        Some(Self {
            title: format!("Borrow {principal} against {name}"),
            description: format!(
                "For {} at {} interest. No price liquidates the loan: it is repaid within its term, or the lender \
                 receives the collateral.",
                days(sub.term),
                percent(sub.interest)
            ),
            call: "Borrow bitcoin against".to_owned(),
            name: name.to_string(),
            figures: [
                Figure { label: "Offer", value: principal },
                Figure { label: "Term", value: days(sub.term) },
                Figure { label: "Interest", value: percent(sub.interest) },
            ],
        })
    }
}

/// Returns the summaries of manual and instant offers, as far as the collection takes them.
fn quotes_of(row: &Row) -> impl Iterator<Item = &Quotes> {
    [&row.manual, &row.instant].into_iter().flatten()
}

fn offers_in(row: &Row) -> usize {
    quotes_of(row).map(|quotes| quotes.offer_count).sum()
}
