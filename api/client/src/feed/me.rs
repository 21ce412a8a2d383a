//! The local copy of what belongs to the user.

use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;
use serde_json::Value;

use crate::types::{LoanView, MyOffer, NegotiationView, NoticeView, OfferForMe, VaultView};

use super::copy::ChannelData;

/// The largest number of offers, of negotiations and of loans that a copy holds.
const ITEMS_MAX: usize = 100_000;
/// The number of notices that a copy keeps.
const NOTICES_MAX: usize = 200;

/// The private data of one user.
#[derive(Clone, Debug)]
pub struct Me {
    offers: BTreeMap<String, MyOffer>,
    named_offers: BTreeMap<String, OfferForMe>,
    negotiations: BTreeMap<String, NegotiationView>,
    vault: Option<VaultView>,
    loans: BTreeMap<String, LoanView>,
    notices: VecDeque<NoticeView>,
}

impl Me {
    /// The user's own offers, by id.
    pub fn offers(&self) -> impl Iterator<Item = &MyOffer> {
        self.offers.values()
    }

    /// An own offer by its id.
    #[must_use]
    pub fn offer(&self, id: &str) -> Option<&MyOffer> {
        self.offers.get(id)
    }

    /// The offers that name the user as their borrower, by id.
    pub fn offers_for_me(&self) -> impl Iterator<Item = &OfferForMe> {
        self.named_offers.values()
    }

    /// The user's negotiations, by id; for a while also those that are over.
    pub fn negotiations(&self) -> impl Iterator<Item = &NegotiationView> {
        self.negotiations.values()
    }

    /// The user's vault; `None` until it is open.
    #[must_use]
    pub const fn vault(&self) -> Option<&VaultView> {
        self.vault.as_ref()
    }

    /// The latest loans that have not ended, and those that ended since the snapshot, by id.
    pub fn loans(&self) -> impl Iterator<Item = &LoanView> {
        self.loans.values()
    }

    /// The latest notices, the newest last, each once.
    pub fn notices(&self) -> impl Iterator<Item = &NoticeView> {
        self.notices.iter()
    }

    fn notice(&mut self, notice: NoticeView) {
        self.notices.retain(|known| known.id != notice.id);
        self.notices.push_back(notice);
        if self.notices.len() > NOTICES_MAX {
            self.notices.pop_front();
        }
    }

    fn bounded(&self) -> Result<(), String> {
        let counts = [self.offers.len(), self.named_offers.len(), self.negotiations.len(), self.loans.len()];
        if counts.iter().any(|count| *count > ITEMS_MAX) { Err(format!("more than {ITEMS_MAX} items")) } else { Ok(()) }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    offers: Vec<MyOffer>,
    offers_for_me: Vec<OfferForMe>,
    negotiations: Vec<NegotiationView>,
    vault: Option<VaultView>,
    loans: Vec<LoanView>,
    notices: Vec<NoticeView>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Operation {
    MyOffer {
        offer: Box<MyOffer>,
    },
    MyOfferGone {
        offer_id: String,
    },
    OfferForMe(Box<OfferForMe>),
    OfferForMeGone {
        offer_id: String,
    },
    Negotiation {
        negotiation: Box<NegotiationView>,
    },
    NegotiationGone {
        negotiation_id: String,
    },
    Vault {
        vault: VaultView,
    },
    MyLoan {
        loan: Box<LoanView>,
    },
    Notice {
        notice: NoticeView,
    },
    #[serde(other)]
    Other,
}

impl ChannelData for Me {
    fn read(data: Value) -> Result<Self, String> {
        let Snapshot { offers, offers_for_me, negotiations, vault, loans, notices } =
            serde_json::from_value(data).map_err(|error| error.to_string())?;
        let mut me = Self {
            offers: offers.into_iter().map(|offer| (offer.offer_id.clone(), offer)).collect(),
            named_offers: offers_for_me.into_iter().map(|each| (each.offer.offer_id.clone(), each)).collect(),
            negotiations: negotiations.into_iter().map(|each| (each.negotiation_id.clone(), each)).collect(),
            vault,
            loans: loans.into_iter().map(|loan| (loan.loan_id.clone(), loan)).collect(),
            notices: VecDeque::new(),
        };
        for notice in notices {
            me.notice(notice);
        }
        me.bounded()?;
        Ok(me)
    }

    fn apply(&mut self, operation: Value) -> Result<(), String> {
        match serde_json::from_value(operation).map_err(|error| error.to_string())? {
            Operation::MyOffer { offer } => drop(self.offers.insert(offer.offer_id.clone(), *offer)),
            Operation::MyOfferGone { offer_id } => drop(self.offers.remove(&offer_id)),
            Operation::OfferForMe(offer) => {
                self.named_offers.insert(offer.offer.offer_id.clone(), *offer);
            }
            Operation::OfferForMeGone { offer_id } => drop(self.named_offers.remove(&offer_id)),
            Operation::Negotiation { negotiation } => {
                self.negotiations.insert(negotiation.negotiation_id.clone(), *negotiation);
            }
            Operation::NegotiationGone { negotiation_id } => drop(self.negotiations.remove(&negotiation_id)),
            Operation::Vault { vault } => self.vault = Some(vault),
            Operation::MyLoan { loan } => drop(self.loans.insert(loan.loan_id.clone(), *loan)),
            Operation::Notice { notice } => self.notice(notice),
            Operation::Other => {}
        }
        self.bounded()
    }

    fn checksum(&self) -> Option<u32> {
        None
    }
}
