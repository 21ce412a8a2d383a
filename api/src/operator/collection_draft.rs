//! A collection as its operator describes it in a file, and what it must keep to.

use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Quantity, Slug, SubCollection, SubCollectionId,
    TermDays,
};
use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::decimal;
use crate::failure::Failure;

/// Most characters of a name.
const NAME_LENGTH_MAX: usize = 64;
/// Most characters of a symbol.
const SYMBOL_LENGTH_MAX: usize = 16;
/// Most characters of a picture's path or a link.
const ADDRESS_LENGTH_MAX: usize = 200;
/// Most terms and bundles of one collection; so a draft always fits in an operator's line.
const SUB_COLLECTIONS_MAX: usize = 100;
/// The longest term.
pub const TERM_DAYS_MAX: u16 = 3_650;
/// The highest interest for a whole term: as much again as was lent.
pub const INTEREST_BASIS_POINTS_MAX: u32 = 10_000;
/// The most decimals of a BRC-20 token (its protocol).
const BRC20_DECIMALS_MAX: u8 = 18;
/// The bundle of a sub-collection where the lender says how many tokens.
const OPEN: &str = "open";

/// A collection before it has a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionDraft {
    /// Its name in addresses.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// Its symbol for people.
    pub symbol: String,
    /// The path of its picture on this server.
    #[serde(default)]
    pub image: Option<String>,
    /// Where to look at it elsewhere.
    #[serde(default)]
    pub external_link: Option<String>,
    /// Extra points in percent.
    #[serde(default)]
    pub points_multiplier: u16,
    /// Whether offers are taken.
    #[serde(default = "yes")]
    pub is_lending_allowed: bool,
    /// What it holds.
    pub collateral: CollateralDraft,
    /// Terms or bundle sizes, in the order they are shown.
    pub sub_collections: Vec<SubCollectionDraft>,
}

/// What a collection holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum CollateralDraft {
    /// Ordinal inscriptions.
    Inscription,
    /// A rune.
    Rune {
        /// Block and transaction of its etching.
        rune_id: String,
        /// Its name with spacers.
        rune_name: String,
        /// Decimals of an amount.
        decimals: u8,
    },
    /// A BRC-20 token.
    Brc20 {
        /// Its ticker.
        ticker: String,
        /// Decimals of an amount.
        decimals: u8,
    },
}

/// A term or bundle size before it has a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubCollectionDraft {
    /// Its name in requests and signed messages.
    pub slug: Slug,
    /// Days until the loan is due.
    #[serde(default = "default_term_days")]
    pub term_days: u16,
    /// Interest for the whole term, in hundredths of a percent.
    pub interest_basis_points: u32,
    /// How many whole tokens or inscriptions are pledged, or `open`; one inscription when left out.
    #[serde(default)]
    pub bundle: Option<String>,
    /// Whether manual offers are taken.
    #[serde(default)]
    pub manual: bool,
    /// Whether instant offers are taken.
    #[serde(default)]
    pub instant: bool,
}

/// Why a draft is no collection.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DraftRejection {
    /// A text is empty, too long or has control characters.
    #[error("{field} must have 1 to {max} characters, all on one line")]
    Text {
        /// Which one.
        field: &'static str,
        /// Its greatest length.
        max: usize,
    },
    /// Pages show pictures of their own server only.
    #[error("image must be a path on this server, such as /frogs.svg: pages show no pictures from elsewhere")]
    Image,
    /// A link that no page would follow.
    #[error("external_link must begin with https://")]
    ExternalLink,
    /// Not a rune's id.
    #[error("rune_id must be the block and the transaction of the etching, such as 840000:1, not {0:?}")]
    RuneId(String),
    /// Not a ticker.
    #[error("ticker must be 4 or 5 bytes without spaces, not {0:?}")]
    Ticker(String),
    /// More decimals than the protocol has.
    #[error("decimals must be at most {max}")]
    Decimals {
        /// What the protocol allows.
        max: u8,
    },
    /// No sub-collections, or too many.
    #[error("there must be 1 to {SUB_COLLECTIONS_MAX} sub_collections, not {0}")]
    SubCollectionCount(usize),
    /// A term of no days or of many years.
    #[error("{0}: term_days must be 1 to {TERM_DAYS_MAX}")]
    Term(Slug),
    /// Interest that is a slip.
    #[error("{0}: interest_basis_points must be at most {INTEREST_BASIS_POINTS_MAX}, which is 100 %")]
    Interest(Slug),
    /// Nobody could offer anything.
    #[error("{0}: manual or instant must be true")]
    NoProcess(Slug),
    /// Tokens are lent against in bundles.
    #[error("{0}: bundle is missing: how many tokens are pledged")]
    NoBundle(Slug),
    /// Not a quantity of this collateral.
    #[error("{slug}: bundle must be above 0 and have at most {decimals} decimals, not {text:?}")]
    Bundle {
        /// Whose bundle.
        slug: Slug,
        /// What stands there.
        text: String,
        /// Decimals of the collateral.
        decimals: u8,
    },
    /// Only instant rune offers say how many tokens they want.
    #[error("{0}: an open bundle is for runes, with instant = true and without manual")]
    OpenBundle(Slug),
    /// Instant offers are for inscriptions and for open bundles of runes.
    #[error("{0}: instant offers need inscriptions, or runes with an open bundle")]
    InstantBundle(Slug),
}

impl CollectionDraft {
    /// Reads a draft.
    ///
    /// # Errors
    /// One line that names the key that is not understood.
    pub fn from_toml(text: &str) -> Result<Self, Failure> {
        Figment::from(Toml::string(text)).extract().map_err(|error| {
            let one = |error: figment::Error| match error.path.as_slice() {
                [] => error.kind.to_string(),
                path => format!("{} for {}", error.kind, path.join(".")),
            };
            Failure::new(error.into_iter().map(one).collect::<Vec<_>>().join("; "))
        })
    }

    /// Makes a group of a draft; it is never checked again.
    ///
    /// # Errors
    /// [`DraftRejection`], the first that applies.
    pub fn into_group(self, id: GroupId) -> Result<CollectionGroup, DraftRejection> {
        check_text("name", &self.name, NAME_LENGTH_MAX)?;
        check_text("symbol", &self.symbol, SYMBOL_LENGTH_MAX)?;
        if let Some(image) = &self.image {
            check_text("image", image, ADDRESS_LENGTH_MAX)?;
            if !image.starts_with('/') || image.starts_with("//") || image.contains('\\') {
                return Err(DraftRejection::Image);
            }
        }
        if let Some(link) = &self.external_link {
            check_text("external_link", link, ADDRESS_LENGTH_MAX)?;
            if !link.starts_with("https://") {
                return Err(DraftRejection::ExternalLink);
            }
        }
        let collateral = self.collateral.into_collateral()?;
        let count = self.sub_collections.len();
        if count == 0 || count > SUB_COLLECTIONS_MAX {
            return Err(DraftRejection::SubCollectionCount(count));
        }
        let drafts = (0..).map(SubCollectionId).zip(self.sub_collections);
        let sub_collections =
            drafts.map(|(id, draft)| draft.into_sub_collection(id, &collateral)).collect::<Result<_, _>>()?;
        Ok(CollectionGroup {
            id,
            slug: self.slug,
            name: self.name,
            symbol: self.symbol,
            // Pages show initials where there is no picture.
            image: self.image.unwrap_or_default(),
            external_link: self.external_link,
            collateral,
            points_multiplier: self.points_multiplier,
            is_lending_allowed: self.is_lending_allowed,
            sub_collections,
        })
    }
}

impl CollateralDraft {
    fn into_collateral(self) -> Result<CollateralType, DraftRejection> {
        match self {
            Self::Inscription => Ok(CollateralType::Inscription),
            Self::Rune { rune_id, rune_name, decimals } => {
                check_rune_id(&rune_id)?;
                check_text("rune_name", &rune_name, NAME_LENGTH_MAX)?;
                check_decimals(decimals, Quantity::DECIMALS_MAX)?;
                Ok(CollateralType::Rune { rune_id, rune_name, decimals })
            }
            Self::Brc20 { ticker, decimals } => {
                let is_plain = !ticker.chars().any(|letter| letter.is_whitespace() || letter.is_control());
                if !is_plain || !(4..=5).contains(&ticker.len()) {
                    return Err(DraftRejection::Ticker(ticker));
                }
                check_decimals(decimals, BRC20_DECIMALS_MAX)?;
                Ok(CollateralType::Brc20 { ticker, decimals })
            }
        }
    }
}

impl SubCollectionDraft {
    fn into_sub_collection(
        self,
        id: SubCollectionId,
        collateral: &CollateralType,
    ) -> Result<SubCollection, DraftRejection> {
        if self.term_days == 0 || self.term_days > TERM_DAYS_MAX {
            return Err(DraftRejection::Term(self.slug));
        }
        if self.interest_basis_points > INTEREST_BASIS_POINTS_MAX {
            return Err(DraftRejection::Interest(self.slug));
        }
        if !self.manual && !self.instant {
            return Err(DraftRejection::NoProcess(self.slug));
        }
        let bundle = self.bundle(collateral)?;
        Ok(SubCollection {
            id,
            slug: self.slug,
            term: TermDays(self.term_days),
            interest: InterestRate::from_basis_points(self.interest_basis_points),
            bundle,
            manual: self.manual,
            instant: self.instant,
        })
    }

    fn bundle(&self, collateral: &CollateralType) -> Result<Bundle, DraftRejection> {
        let is_inscription = *collateral == CollateralType::Inscription;
        let text = match &self.bundle {
            None if is_inscription => return Ok(Bundle::Fixed(Quantity::inscriptions(1))),
            None => return Err(DraftRejection::NoBundle(self.slug.clone())),
            Some(text) if text == OPEN => {
                let is_for_lenders_choice = matches!(collateral, CollateralType::Rune { .. }) && !self.manual;
                return if is_for_lenders_choice {
                    Ok(Bundle::Open)
                } else {
                    Err(DraftRejection::OpenBundle(self.slug.clone()))
                };
            }
            Some(text) => text,
        };
        let decimals = collateral.decimals();
        let Some(raw) = decimal::parse_scaled(text, decimals).filter(|raw| *raw > 0) else {
            return Err(DraftRejection::Bundle { slug: self.slug.clone(), text: text.clone(), decimals });
        };
        if self.instant && !is_inscription {
            return Err(DraftRejection::InstantBundle(self.slug.clone()));
        }
        Ok(Bundle::Fixed(Quantity::tokens(raw, decimals)))
    }
}

fn check_text(field: &'static str, text: &str, max: usize) -> Result<(), DraftRejection> {
    let is_blank = text.trim().is_empty();
    if is_blank || text.chars().count() > max || text.chars().any(char::is_control) {
        return Err(DraftRejection::Text { field, max });
    }
    Ok(())
}

fn check_decimals(decimals: u8, max: u8) -> Result<(), DraftRejection> {
    if decimals > max { Err(DraftRejection::Decimals { max }) } else { Ok(()) }
}

/// One id has one spelling: no sign and no leading zeros.
fn check_rune_id(text: &str) -> Result<(), DraftRejection> {
    let spelled_again = || {
        let (block, transaction) = text.split_once(':')?;
        Some(format!("{}:{}", block.parse::<u64>().ok()?, transaction.parse::<u32>().ok()?))
    };
    if spelled_again().as_deref() == Some(text) { Ok(()) } else { Err(DraftRejection::RuneId(text.to_owned())) }
}

const fn yes() -> bool {
    true
}

const fn default_term_days() -> u16 {
    TermDays::DEFAULT.0
}

#[cfg(test)]
mod tests;
