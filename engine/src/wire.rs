//! The JSON views that leave the engine.
//!
//! Sats are integers, raw token amounts and prices are decimal strings, percentages are numbers with at most two
//! decimals, times are Unix milliseconds. A field without a value is `null`, never absent.

mod annual_rate;
mod as_string;
mod book_snapshot;
mod borrow_request;
mod conditions;
mod halt;
mod lending_limits;
mod loan;
mod loan_cost;
mod loan_view;
mod my_offer;
mod negotiation;
mod notice;
mod offer;
mod peg;
mod percent;
mod portfolio;
mod price;
mod quotes;
mod refinance;
mod row;
mod sub_collection;
mod txid;
mod vault;

pub(crate) use lending_limits::limits_view;

pub use as_string::AsString;
pub use book_snapshot::BookSnapshot;
pub use borrow_request::{RequestState, RequestView};
pub use conditions::{ConditionsView, NumberRangeView, OfferForMe};
pub use halt::HaltView;
pub use lending_limits::{CollectionBudgetView, LendingLimitsView};
pub use loan::BookLoan;
pub use loan_cost::{LenderReturnView, LoanCostView};
pub use loan_view::{EndingName, LoanState, LoanView, RefinanceRefusal, RoleName, StageName, WaitName};
pub use my_offer::{LoanProcessType, MyOffer, OfferTag, ProcessName};
pub use negotiation::{NegotiationStateName, NegotiationView, ProposalView};
pub use notice::{NoticeKind, NoticeView};
pub use offer::{BookOffer, OfferState};
pub use peg::PegView;
pub use percent::Percent;
pub use portfolio::{BorrowerTotals, LenderTotals, LoanPointsView, PointTotals, PortfolioView, WaitingCounts};
pub use price::{PriceHistory, PriceNumber, PricePoint};
pub use quotes::{OfferRange, Quotes};
pub use refinance::{RefinanceOrderView, RefinanceView};
pub use row::{CollateralName, PriceChanges, Row, Volumes};
pub use sub_collection::{CollectionType, SubCollectionView, TermChangeView};
pub use txid::Txid;
pub use vault::VaultView;
