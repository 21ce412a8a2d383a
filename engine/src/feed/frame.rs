//! The encoding of server frames.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::{
    AsString, BookLoan, BookOffer, LoanView, MyOffer, NegotiationView, NoticeView, OfferForMe, Row, VaultView,
};

use super::Channel;
use domain::{LoanId, NegotiationId, OfferId};

/// The whole state of a channel.
#[derive(Serialize)]
#[serde(tag = "type", rename = "snapshot")]
pub(crate) struct Snapshot<'frame, D> {
    pub(crate) channel: AsString<Channel>,
    pub(crate) epoch: &'frame str,
    pub(crate) seq: u64,
    pub(crate) data: &'frame D,
}

/// The changes since the frame that ended at `prev`.
#[derive(Serialize)]
#[serde(tag = "type", rename = "delta")]
pub(crate) struct Delta<'frame, O> {
    pub(crate) channel: AsString<Channel>,
    pub(crate) epoch: &'frame str,
    pub(crate) prev: u64,
    pub(crate) seq: u64,
    pub(crate) ops: &'frame [O],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) crc: Option<u32>,
}

/// A change of an order book: the absolute new state of one item.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum BookOp {
    Offer {
        offer: BookOffer,
    },
    OfferGone {
        #[serde(rename = "offerId")]
        #[schema(value_type = String)]
        offer_id: AsString<OfferId>,
    },
    Loan {
        loan: BookLoan,
    },
    LoanGone {
        #[schema(value_type = String)]
        id: AsString<LoanId>,
    },
}

/// The item that an operation is about; of several operations about one item only the last matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Offer(OfferId),
    Loan(LoanId),
}

impl BookOp {
    pub(crate) fn subject(&self) -> Subject {
        match self {
            Self::Offer { offer } => Subject::Offer(offer.offer_id.0),
            Self::OfferGone { offer_id } => Subject::Offer(offer_id.0),
            Self::Loan { loan } => Subject::Loan(loan.id.0),
            Self::LoanGone { id } => Subject::Loan(id.0),
        }
    }
}

/// A new state of a row, in the market channel and at the end of a book's operations.
#[derive(Serialize)]
pub(crate) struct RowOp<'row> {
    op: &'static str,
    row: &'row Row,
}

impl<'row> RowOp<'row> {
    pub(crate) const fn new(row: &'row Row) -> Self {
        Self { op: "row", row }
    }
}

/// An operation in a book's delta.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum BookChange<'row> {
    Book(BookOp),
    Row(RowOp<'row>),
}

/// A change of a user's own data: the absolute new state of one item. A notice carries its own id.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum MeOp {
    MyOffer {
        offer: Box<MyOffer>,
    },
    MyOfferGone {
        #[serde(rename = "offerId")]
        #[schema(value_type = String)]
        offer_id: AsString<OfferId>,
    },
    OfferForMe(Box<OfferForMe>),
    OfferForMeGone {
        #[serde(rename = "offerId")]
        #[schema(value_type = String)]
        offer_id: AsString<OfferId>,
    },
    Negotiation {
        negotiation: Box<NegotiationView>,
    },
    NegotiationGone {
        #[serde(rename = "negotiationId")]
        #[schema(value_type = String)]
        negotiation_id: AsString<NegotiationId>,
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
}

/// The state of a book: its row, its public offers and its running loans.
#[derive(Serialize, ToSchema)]
pub(crate) struct BookData<'book> {
    pub(crate) row: &'book Row,
    pub(crate) offers: &'book [BookOffer],
    pub(crate) loans: &'book [BookLoan],
}

/// The state of `me`: all own offers, those that name the user as their borrower, the user's negotiations, the latest loans that have not ended, the latest notices with the newest last.
#[derive(Serialize, ToSchema)]
pub(crate) struct MeState<'me> {
    pub(crate) offers: &'me [MyOffer],
    #[serde(rename = "offersForMe")]
    pub(crate) offers_for_me: &'me [OfferForMe],
    pub(crate) negotiations: &'me [NegotiationView],
    #[schema(required)]
    pub(crate) vault: Option<&'me VaultView>,
    pub(crate) loans: &'me [LoanView],
    pub(crate) notices: &'me [NoticeView],
}
