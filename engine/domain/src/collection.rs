//! What can be pledged: collection groups and the sub-collections that offers stand in (SPEC section 3, Collection).

use serde::{Deserialize, Serialize};

use crate::{GroupId, InterestRate, Quantity, Slug, SubCollectionId, TermDays};

/// What kind of asset a collection holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CollateralType {
    /// Ordinal inscriptions.
    Inscription,
    /// A rune.
    Rune {
        /// Block and transaction of its etching, `840000:1`.
        rune_id: String,
        /// Its name with spacers.
        rune_name: String,
        /// Decimals of an amount.
        decimals: u8,
    },
    /// A BRC-20 token.
    Brc20 {
        /// Four or five letters.
        ticker: String,
        /// Decimals of an amount.
        decimals: u8,
    },
}

impl CollateralType {
    /// Decimals of an amount; inscriptions are counted whole.
    #[must_use]
    pub const fn decimals(&self) -> u8 {
        match self {
            Self::Inscription => 0,
            Self::Rune { decimals, .. } | Self::Brc20 { decimals, .. } => *decimals,
        }
    }
}

/// How a loan comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProcessType {
    /// Funded and counter-signed by the lender after acceptance.
    Manual,
    /// Backed by the lender's pre-funded vault.
    Instant,
}

/// What one offer of a sub-collection asks as collateral.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bundle {
    /// The same quantity in every offer: one inscription, or a bundle of tokens.
    Fixed(Quantity),
    /// The lender says how many tokens; borrowers may take a part (instant runes).
    Open,
}

/// One term or bundle size of a collection group. The slug names it in requests and signed messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubCollection {
    /// Its place in the group.
    pub id: SubCollectionId,
    /// `collection_slug` on the wire.
    pub slug: Slug,
    /// Days until the loan is due.
    pub term: TermDays,
    /// Interest for the whole term.
    pub interest: InterestRate,
    /// What is pledged.
    pub bundle: Bundle,
    /// Whether manual offers are taken here.
    pub manual: bool,
    /// Whether instant offers are taken here.
    pub instant: bool,
}

impl SubCollection {
    /// Whether offers of this process type are taken here.
    #[must_use]
    pub const fn takes(&self, process: ProcessType) -> bool {
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
    /// Name for people.
    pub name: String,
    /// Short symbol for people.
    pub symbol: String,
    /// Path or address of its picture.
    pub image: String,
    /// Where to look at it elsewhere.
    pub external_link: Option<String>,
    /// What it holds.
    pub collateral: CollateralType,
    /// Extra points in percent.
    pub points_multiplier: u16,
    /// Whether new offers are taken.
    pub is_lending_allowed: bool,
    /// Terms or bundle sizes, in the order they are shown; `id` is the index.
    pub sub_collections: Vec<SubCollection>,
}

impl CollectionGroup {
    /// The sub-collection of that id.
    #[must_use]
    pub fn sub_collection(&self, id: SubCollectionId) -> Option<&SubCollection> {
        self.sub_collections.get(usize::from(id.0))
    }
}
