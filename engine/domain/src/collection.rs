//! The types of collateral: collection groups, and the sub-collections that offers are made in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{GroupId, InterestRate, LoanTerms, Quantity, Rejection, Slug, SubCollectionId, TermDays};

/// The type of a collection's asset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CollateralType {
    /// Ordinal inscriptions.
    Inscription,
    /// A rune.
    Rune {
        /// The block and transaction of its etching, `840000:1`.
        rune_id: String,
        /// Its name with spacers.
        rune_name: String,
        /// The decimals of an amount.
        decimals: u8,
    },
    /// A BRC-20 token.
    Brc20 {
        /// Four or five letters.
        ticker: String,
        /// The decimals of an amount.
        decimals: u8,
    },
}

impl CollateralType {
    /// The decimals of an amount; inscriptions are counted whole.
    #[must_use]
    pub const fn decimals(&self) -> u8 {
        match self {
            Self::Inscription => 0,
            Self::Rune { decimals, .. } | Self::Brc20 { decimals, .. } => *decimals,
        }
    }
}

/// The process by which a loan is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProcessType {
    /// Funded and counter-signed by the lender after acceptance.
    Manual,
    /// Backed by the lender's pre-funded vault.
    Instant,
}

/// The collateral that one offer of a sub-collection asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bundle {
    /// The same quantity in every offer: one inscription, or a bundle of tokens.
    Fixed(Quantity),
    /// An amount of tokens set by the lender; borrowers may take a part (instant runes).
    Open,
}

impl Bundle {
    /// Whether a loan can be against exactly this amount, in raw units.
    #[must_use]
    pub fn fits(self, pledged_raw: u128) -> bool {
        match self {
            Self::Fixed(quantity) => quantity.raw == pledged_raw,
            Self::Open => true,
        }
    }
}

/// One term or bundle size of a collection group. Requests and signed messages name it by its slug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubCollection {
    /// Its number in the group.
    pub id: SubCollectionId,
    /// `collection_slug` on the wire.
    pub slug: Slug,
    /// The days until the loan is due.
    pub term: TermDays,
    /// The interest for the whole term.
    pub interest: InterestRate,
    /// The collateral of an offer.
    pub bundle: Bundle,
    /// Whether manual offers are accepted here.
    pub manual: bool,
    /// Whether instant offers are accepted here.
    pub instant: bool,
}

impl SubCollection {
    /// The interest and the term of its loans.
    #[must_use]
    pub const fn loan_terms(&self) -> LoanTerms {
        LoanTerms { interest: self.interest, days: self.term }
    }

    /// The collateral that a borrower pledges as a whole: that of the bundle, or `asked` where it is open.
    ///
    /// # Errors
    /// [`Rejection::WrongQuantity`].
    pub fn pledged_quantity(&self, asked: Option<Quantity>, decimals: u8) -> Result<Quantity, Rejection> {
        match (self.bundle, asked) {
            (Bundle::Fixed(bundle), None) => Ok(bundle),
            (Bundle::Open, Some(asked)) if asked.raw > 0 && asked.decimals == decimals => Ok(asked),
            _ => Err(Rejection::WrongQuantity),
        }
    }

    /// Whether offers of this process type are accepted here.
    #[must_use]
    pub const fn accepts(&self, process: ProcessType) -> bool {
        match process {
            ProcessType::Manual => self.manual,
            ProcessType::Instant => self.instant,
        }
    }
}

/// A collection group: the static part of one order book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionGroup {
    /// Its number, the upper part of its offers' ids.
    pub id: GroupId,
    /// `groupSlug` on the wire.
    pub slug: Slug,
    /// The display name.
    pub name: Arc<str>,
    /// The short display symbol.
    pub symbol: Arc<str>,
    /// The path or URL of its image.
    pub image: Arc<str>,
    /// A link to the collection on another site.
    pub external_link: Option<String>,
    /// The type of its collateral.
    pub collateral: CollateralType,
    /// Extra points in percent.
    pub points_multiplier: u16,
    /// Whether new offers are accepted.
    pub is_lending_allowed: bool,
    /// The terms or bundle sizes, in display order; `id` is the index.
    pub sub_collections: Vec<SubCollection>,
}

/// The reason why a loan cannot be refinanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefinanceObstacle {
    /// A BRC-20 transfer inscription is consumed by its first move.
    Brc20Transfer,
    /// No offer of the group is against exactly this amount.
    NoMatchingBundle,
}

impl CollectionGroup {
    /// The reason why no offer of this group can refinance a loan with a collateral of `pledged_raw` units; `None`
    /// where one can.
    #[must_use]
    pub fn refinance_obstacle(&self, pledged_raw: u128) -> Option<RefinanceObstacle> {
        if matches!(self.collateral, CollateralType::Brc20 { .. }) {
            return Some(RefinanceObstacle::Brc20Transfer);
        }
        let mut subs = self.sub_collections.iter();
        (!subs.any(|sub| sub.bundle.fits(pledged_raw))).then_some(RefinanceObstacle::NoMatchingBundle)
    }

    /// The sub-collection with an id.
    #[must_use]
    pub fn sub_collection(&self, id: SubCollectionId) -> Option<&SubCollection> {
        self.sub_collections.get(usize::from(id.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLE: Bundle = Bundle::Fixed(Quantity::tokens(500, 2));

    fn group(collateral: CollateralType, subs: &[(Bundle, bool, bool)]) -> CollectionGroup {
        let sub_collections = subs.iter().enumerate().map(|(index, (bundle, manual, instant))| SubCollection {
            id: SubCollectionId(u16::try_from(index).unwrap()),
            slug: "paper-frogs-7d".parse().unwrap(),
            term: TermDays(7),
            interest: InterestRate::from_basis_points(100),
            bundle: *bundle,
            manual: *manual,
            instant: *instant,
        });
        CollectionGroup {
            id: GroupId(1),
            slug: "paper-frogs".parse().unwrap(),
            name: "Paper Frogs".into(),
            symbol: "FROG".into(),
            image: "".into(),
            external_link: None,
            collateral,
            points_multiplier: 0,
            is_lending_allowed: true,
            sub_collections: sub_collections.collect(),
        }
    }

    fn rune() -> CollateralType {
        CollateralType::Rune { rune_id: "163:1".to_owned(), rune_name: "FROG".into(), decimals: 2 }
    }

    #[test]
    fn a_bundle_of_the_same_size_or_an_open_one_can_refinance() {
        let runes = group(rune(), &[(BUNDLE, true, false)]);
        assert_eq!(runes.refinance_obstacle(500), None);
        assert_eq!(group(rune(), &[(BUNDLE, false, true)]).refinance_obstacle(500), None);
        assert_eq!(group(rune(), &[(Bundle::Open, false, true)]).refinance_obstacle(501), None, "a part of an offer");
        let ordinals = group(CollateralType::Inscription, &[(Bundle::Fixed(Quantity::inscriptions(1)), true, true)]);
        assert_eq!(ordinals.refinance_obstacle(1), None);
    }

    #[test]
    fn another_amount_and_a_brc20_transfer_cannot_be_refinanced() {
        let runes = group(rune(), &[(BUNDLE, true, false), (BUNDLE, false, true)]);
        assert_eq!(runes.refinance_obstacle(501), Some(RefinanceObstacle::NoMatchingBundle));
        let brc20 = CollateralType::Brc20 { ticker: "frog".to_owned(), decimals: 2 };
        assert_eq!(
            group(brc20, &[(BUNDLE, true, false)]).refinance_obstacle(500),
            Some(RefinanceObstacle::Brc20Transfer)
        );
    }
}
