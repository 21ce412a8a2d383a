//! The lending market as pure state machines: no I/O, no clock, no async, no randomness.

mod acceptance_rate;
mod account;
mod address_range;
mod allowance;
mod api_key;
mod api_keys;
mod asset_lock;
mod basis_points;
mod book;
mod borrow_request;
mod borrower_record;
mod collection;
mod condition_rejection;
mod contact;
mod delegation;
mod event;
mod exposure;
mod halt;
mod id;
mod idle_accounts;
mod key_scope;
mod lending_limits;
mod limited_lenders;
mod limits;
mod listing;
mod loan;
mod negotiation;
mod negotiation_rejection;
mod notice_kind;
mod offer;
mod offer_conditions;
mod offer_part;
mod one_or_several;
mod outbox;
mod pause_reasons;
mod peg;
mod points;
mod prepare_limits;
mod quantity;
mod refinance_order;
mod sats;
mod session;
mod term;
pub mod transfer_order;
mod unit_price;
mod vault;

pub use acceptance_rate::{AcceptanceRate, RequestOutcome};
pub use account::{Account, AccountEvent, AccountRejection, Accounts, Nonce, WalletAddresses};
pub use address_range::AddressRange;
pub use allowance::Allowance;
pub use api_key::{ApiKey, ApiKeyRejection, ApiKeyTerms, KeyQuote, QuotedDay};
pub use api_keys::ApiKeys;
pub use asset_lock::{AssetEvent, AssetLocks, AssetRejection, Outpoint};
pub use basis_points::{InterestRate, Ltv};
pub use book::{
    BookEvent, CancelReason, ChangedNegotiation, Command, EffectiveChange, Events, Loan, LoanEnd, OfferDraft,
    OrderBook, RefinanceMatch, RefinanceQuestion, Rejection, ReleaseReason, Reservation, TermChange, ranks_before,
};
pub use borrow_request::{BorrowRequest, RequestEnd, RequestTerms};
pub use borrower_record::BorrowerRecord;
pub use collection::{Bundle, CollateralType, CollectionGroup, ProcessType, RefinanceObstacle, SubCollection};
pub use condition_rejection::ConditionRejection;
pub use contact::{
    ChannelKind, Contact, ContactChannel, ContactEvent, ContactRejection, Contacts, EmailContact, NoticeChoices,
    PushSubscription, PushTarget, TelegramContact, Webhook, WebhookPause, WebhookPauseReason,
};
pub use delegation::{Delegation, DelegationId, DelegationRejection, Delegations, SignedDelegation};
pub use event::{Event, Stream};
pub use exposure::{Exposure, LoanExposure};
pub use halt::{Halt, HaltEvent, HaltReason, HaltRejection, HaltScope, Halts};
pub use id::{
    ApiKeyId, GroupId, LoanId, NegotiationId, OfferId, ParseIdError, PushId, RequestId, ReservationId, SessionId, Slug,
    SubCollectionId, TermChangeId, TransferOrderId, UserId, WebhookId,
};
pub use idle_accounts::IdleAccounts;
pub use key_scope::KeyScope;
pub use lending_limits::{LendingLimits, LendingLimitsRejection};
pub use limited_lenders::LimitedLenders;
pub use limits::Limits;
pub use listing::{Inscription, ListingEvent};
pub use loan::{
    BlockTime, CancelledBy, Ending, EndingTransaction, GRACE_MS, LenderReturn, LoanAccount, LoanCharges, LoanCoins,
    LoanCost, LoanDeal, LoanEvent, LoanNotice, LoanRejection, LoanStage, LoanSummary, LoanTotals, PendingAction,
    PledgedIds, Role, VaultSpend,
};
pub use negotiation::{
    NegotiatedLoan, Negotiation, NegotiationEnd, NegotiationState, NegotiationSubject, Proposal, ProposedTerms,
};
pub use negotiation_rejection::NegotiationRejection;
pub use notice_kind::{NoticeKind, NoticeKinds};
pub use offer::{Offer, OfferTerms};
pub use offer_conditions::{LinkKey, NamedBorrower, NumberRange, OfferConditions, Taker};
pub use outbox::{
    AttemptResult, DeliveryOutcome, DeliveryState, GiveUpReason, Message, MessageContent, MessageId, NoticeFacts,
    Outbox, OutboxEvent, OutboxRejection, WebhookAttempt, WebhookDelivery,
};
pub use pause_reasons::PauseReasons;
pub use peg::{Peg, PegLevel, PegRejection};
pub use points::{LoanPoints, Points};
pub use prepare_limits::{PREPARED_MAX, PREPARED_PER_LENDER_MAX, PrepareLapses};
pub use quantity::Quantity;
pub use refinance_order::RefinanceOrder;
pub use sats::Sats;
pub use session::{RefreshOutcome, Session, Sessions};
pub use term::{DAY_MS, LoanTerms, TermDays, UnixMs};
pub use transfer_order::{
    TrackedOrder, TransferOrder, TransferOrderEvent, TransferOrderRejection, TransferOrderState, TransferOrders,
};
pub use unit_price::UnitPrice;
pub use vault::{
    CHANGE_OUTPUTS_MAX, COINS_MAX, OUTPUTS_MAX, ObservedOutput, OutputStatus, PendingSpend, SignerKeys, SpendId, Vault,
    VaultChange, VaultEvent, VaultKeys, VaultOutput, VaultRejection,
};
