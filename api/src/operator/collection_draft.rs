//! An operator's description of a collection in a file, and its validation.

use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Quantity, Slug, SubCollection, SubCollectionId,
    TermDays,
};
use escrow::decimal;
use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::failure::Failure;

/// The longest name, in characters.
const NAME_LENGTH_MAX: usize = 64;
/// The longest symbol, in characters.
const SYMBOL_LENGTH_MAX: usize = 16;
/// The longest path of a picture or link, in characters.
const ADDRESS_LENGTH_MAX: usize = 200;
/// The largest number of terms and bundles of one collection; with it a draft always fits in a request.
const SUB_COLLECTIONS_MAX: usize = 100;
/// The longest term.
pub const TERM_DAYS_MAX: u16 = domain::TermDays::MAX.0;
/// The highest interest for a whole term: 100 % of the principal.
pub const INTEREST_BASIS_POINTS_MAX: u32 = 10_000;
/// The largest number of decimals of a BRC-20 token, by its protocol.
const BRC20_DECIMALS_MAX: u8 = 18;
/// The bundle of a sub-collection in which the lender chooses the number of tokens.
const OPEN: &str = "open";

/// A collection without an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionDraft {
    /// The name in URLs.
    pub slug: Slug,
    /// The name for display.
    pub name: String,
    /// The symbol for display.
    pub symbol: String,
    /// The path of its picture on this server.
    #[serde(default)]
    pub image: Option<String>,
    /// A link to the collection at another site.
    #[serde(default)]
    pub external_link: Option<String>,
    /// Extra points in percent.
    #[serde(default)]
    pub points_multiplier: u16,
    /// Whether new offers are taken.
    #[serde(default = "yes")]
    pub is_lending_allowed: bool,
    /// The collateral.
    pub collateral: CollateralDraft,
    /// The terms or bundle sizes, in the order in which they are shown.
    pub sub_collections: Vec<SubCollectionDraft>,
}

/// The collateral of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum CollateralDraft {
    /// Ordinal inscriptions.
    Inscription,
    /// A rune.
    Rune {
        /// The block and transaction index of its etching.
        rune_id: String,
        /// The name with spacers.
        rune_name: String,
        /// The decimals of an amount.
        decimals: u8,
    },
    /// A BRC-20 token.
    Brc20 {
        /// The ticker.
        ticker: String,
        /// The decimals of an amount.
        decimals: u8,
    },
}

/// A term or bundle size without an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubCollectionDraft {
    /// The name in requests and signed messages.
    pub slug: Slug,
    /// Days until the loan is due.
    #[serde(default = "default_term_days")]
    pub term_days: u16,
    /// The interest for the whole term, in hundredths of a percent.
    pub interest_basis_points: u32,
    /// The number of whole tokens or inscriptions that are pledged, or `open`; one inscription by default.
    #[serde(default)]
    pub bundle: Option<String>,
    /// Whether manual offers are taken.
    #[serde(default)]
    pub manual: bool,
    /// Whether instant offers are taken.
    #[serde(default)]
    pub instant: bool,
}

/// The reason why a draft is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DraftRejection {
    /// A text is empty, too long or contains control characters.
    #[error("{field} must have 1 to {max} characters, all on one line")]
    Text {
        /// The field.
        field: &'static str,
        /// The largest length.
        max: usize,
    },
    /// The picture is not on this server.
    #[error("image must be a path on this server, such as /frogs.svg: pages show no pictures from elsewhere")]
    Image,
    /// The link is not an `https://` URL.
    #[error("external_link must begin with https://")]
    ExternalLink,
    /// Not the id of a rune.
    #[error("rune_id must be the block and the transaction of the etching, such as 840000:1, not {0:?}")]
    RuneId(String),
    /// Not a ticker.
    #[error("ticker must be 4 or 5 bytes without spaces, not {0:?}")]
    Ticker(String),
    /// More decimals than the protocol permits.
    #[error("decimals must be at most {max}")]
    Decimals {
        /// The largest number that the protocol permits.
        max: u8,
    },
    /// No sub-collections, or too many.
    #[error("there must be 1 to {SUB_COLLECTIONS_MAX} sub_collections, not {0}")]
    SubCollectionCount(usize),
    /// A term of 0 days or beyond the limit.
    #[error("{0}: term_days must be 1 to {TERM_DAYS_MAX}")]
    Term(Slug),
    /// Interest beyond the limit.
    #[error("{0}: interest_basis_points must be at most {INTEREST_BASIS_POINTS_MAX}, which is 100 %")]
    Interest(Slug),
    /// Neither manual nor instant offers would be taken.
    #[error("{0}: manual or instant must be true")]
    NoProcess(Slug),
    /// Tokens without a bundle.
    #[error("{0}: bundle is missing: how many tokens are pledged")]
    NoBundle(Slug),
    /// The bundle is not a quantity of this collateral.
    #[error("{slug}: bundle must be above 0 and have at most {decimals} decimals, not {text:?}")]
    Bundle {
        /// The slug of the sub-collection.
        slug: Slug,
        /// The bundle as written.
        text: String,
        /// The decimals of the collateral.
        decimals: u8,
    },
    /// An open bundle of other offers than instant rune offers.
    #[error("{0}: an open bundle is for runes, with instant = true and without manual")]
    OpenBundle(Slug),
    /// Instant offers in a fixed bundle of tokens.
    #[error("{0}: instant offers need inscriptions, or runes with an open bundle")]
    InstantBundle(Slug),
}

impl CollectionDraft {
    /// Parses a draft.
    ///
    /// # Errors
    /// One line that names the invalid key.
    pub fn from_toml(text: &str) -> Result<Self, Failure> {
        Figment::from(Toml::string(text)).extract().map_err(|error| {
            let one = |error: figment::Error| match error.path.as_slice() {
                [] => error.kind.to_string(),
                path => format!("{} for {}", error.kind, path.join(".")),
            };
            Failure::new(error.into_iter().map(one).collect::<Vec<_>>().join("; "))
        })
    }

    /// Validates the draft and converts it to a group.
    ///
    /// # Errors
    /// The first [`DraftRejection`] that applies.
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
            name: self.name.into(),
            symbol: self.symbol.into(),
            // Pages show the initial if there is no picture.
            image: self.image.unwrap_or_default().into(),
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

/// Refuses all spellings of an id but one: no sign and no leading zeros.
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
