//! The bodies of all requests.

use serde::de::DeserializeOwned;
use serde_json::Value;

#[cfg(feature = "demo")]
use crate::demo::devnet_routes::{BroadcastRequest, FaucetRequest};
use crate::http::api_error::ApiError;
use crate::http::body;
use crate::http::error_code::ErrorCode;
use crate::routes::brc20::orders::{CommitTransfer, PrepareTransfer};
use crate::routes::delegations::cancellations::DelegatedCancellation;
use crate::routes::delegations::offers::DelegatedQuote;
use crate::routes::delegations::own::CreateDelegation;
use crate::routes::loans::acceptances::{AcceptLoan, PrepareAcceptance};
use crate::routes::loans::countersignatures::Countersign;
use crate::routes::loans::endings::{PrepareClaim, PrepareRepayment, SubmitClaim, SubmitRepayment};
use crate::routes::loans::extensions::{PrepareExtension, SubmitExtension};
use crate::routes::loans::instant_acceptances::{PrepareInstantLoan, SubmitInstantLoan};
use crate::routes::loans::refinance_orders::SetRefinanceOrder;
use crate::routes::me::api_keys::CreateApiKey;
use crate::routes::me::lending_limits::NewLimits;
use crate::routes::me::mail_links::MailToken;
use crate::routes::me::notifications::{NewEmail, NotificationChoices};
use crate::routes::me::push_subscriptions::{NewPushSubscription, PushKinds};
use crate::routes::me::webhook_deliveries::ReplayRequest;
use crate::routes::me::webhooks::{NewWebhook, WebhookSettings};
use crate::routes::negotiations::accept::AcceptProposal;
use crate::routes::negotiations::open::OpenNegotiation;
use crate::routes::negotiations::propose::CounterProposal;
use crate::routes::offers::accept_term::AcceptTerm;
use crate::routes::offers::conditions::OpenOffer;
use crate::routes::offers::good_until::GoodUntil;
use crate::routes::offers::instant::{CreateOrdinalOffer, CreateRuneOffer};
use crate::routes::offers::instant_cancellations::{BatchCancel, SignedCancel};
use crate::routes::offers::instant_edits::BatchEdit;
use crate::routes::offers::manual::{CreateManualOffers, EditManualOffer};
use crate::routes::offers::own::{PauseAll, Switch};
use crate::routes::offers::results::OfferIds;
use crate::routes::payments::{PreparePayment, SubmitPayment};
use crate::routes::requests::fill::FillRequest;
use crate::routes::requests::place::PlaceRequest;
use crate::routes::session::current::SignInRequest;
use crate::routes::session::nonce::NonceRequest;
use crate::routes::vaults::moves::{PrepareMove, SubmitMove};
use crate::routes::vaults::own::OpenVault;
use crate::routes::vaults::withdrawals::{PrepareWithdrawal, SubmitWithdrawal};

/// The longest detail of a refusal, in characters: some quote an excerpt of the body.
const DETAIL_LENGTH_MAX: usize = 400;

/// The parser of the bodies of an operation.
type Body = fn(&[u8]) -> Result<(), ApiError>;

/// Every operation that has a body, by its name in the description of the API.
pub(super) const BODIES: &[(&str, Body)] = &[
    ("issueMessageNonce", read::<NonceRequest>),
    ("prepareTransfer", read::<PrepareTransfer>),
    ("commitTransfer", read::<CommitTransfer>),
    ("quoteByDelegation", read::<DelegatedQuote>),
    ("cancelByDelegation", read::<DelegatedCancellation>),
    ("createDelegation", read::<CreateDelegation>),
    #[cfg(feature = "demo")]
    ("broadcastTransaction", read::<BroadcastRequest>),
    #[cfg(feature = "demo")]
    ("askFaucet", read::<FaucetRequest>),
    ("acceptManualLoan", read::<AcceptLoan>),
    ("prepareManualLoan", read::<PrepareAcceptance>),
    ("submitRepayment", read::<SubmitRepayment>),
    ("prepareRepayment", read::<PrepareRepayment>),
    ("submitClaim", read::<SubmitClaim>),
    ("prepareClaim", read::<PrepareClaim>),
    ("countersign", read::<Countersign>),
    ("submitExtension", read::<SubmitExtension>),
    ("prepareExtension", read::<PrepareExtension>),
    ("setRefinanceOrder", read::<SetRefinanceOrder>),
    ("createApiKey", read::<CreateApiKey>),
    ("submitExactCoin", read::<SubmitPayment>),
    ("prepareExactCoin", read::<PreparePayment>),
    ("setMyLendingLimits", read::<NewLimits>),
    ("setMyNotifications", read::<NotificationChoices>),
    ("setMyEmail", read::<NewEmail>),
    ("addPushSubscription", read::<NewPushSubscription>),
    ("setPushKinds", read::<PushKinds>),
    ("registerWebhook", read::<NewWebhook>),
    ("setWebhook", read::<WebhookSettings>),
    ("replayWebhookEvents", read::<ReplayRequest>),
    ("openNegotiation", read::<OpenNegotiation>),
    ("acceptProposal", read::<AcceptProposal>),
    ("proposeTerms", read::<CounterProposal>),
    ("unsubscribe", read::<MailToken>),
    ("verifyEmail", read::<MailToken>),
    ("setGoodUntil", read::<GoodUntil>),
    ("acceptTerm", read::<AcceptTerm>),
    ("cancelInstantOffers", read::<BatchCancel>),
    ("editInstantOffer", read::<BatchEdit>),
    ("cancelAllInstantOffers", read::<SignedCancel>),
    ("createInstantOrdinalOffer", read::<CreateOrdinalOffer>),
    ("createInstantRuneOffer", read::<CreateRuneOffer>),
    ("submitInstantLoan", read::<SubmitInstantLoan>),
    ("cancelInstantOffer", read::<SignedCancel>),
    ("prepareInstantLoan", read::<PrepareInstantLoan>),
    ("createManualOffers", read::<CreateManualOffers>),
    ("cancelManualOffers", read::<OfferIds>),
    ("editManualOffer", read::<EditManualOffer>),
    ("openOffer", read::<OpenOffer>),
    ("pauseOffers", read::<Switch>),
    ("pauseAllOffers", read::<PauseAll>),
    ("resumeOffers", read::<Switch>),
    ("placeBorrowRequest", read::<PlaceRequest>),
    ("fillBorrowRequest", read::<FillRequest>),
    ("signIn", read::<SignInRequest>),
    ("issueSignInNonce", read::<NonceRequest>),
    ("openVault", read::<OpenVault>),
    ("submitDeposit", read::<SubmitPayment>),
    ("prepareDeposit", read::<PreparePayment>),
    ("submitWithdrawal", read::<SubmitWithdrawal>),
    ("prepareWithdrawal", read::<PrepareWithdrawal>),
    ("submitVaultMove", read::<SubmitMove>),
    ("prepareVaultMove", read::<PrepareMove>),
];

/// A body: the first byte selects the operation.
///
/// An accepted body is also accepted when it is written in another way, and a refused one has a short refusal.
#[must_use]
pub fn request_body(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let Some((_, read)) = BODIES.get(usize::from(selector) % BODIES.len()) else { return false };
    match read(rest) {
        Ok(()) => {
            let value: Value = serde_json::from_slice(rest).unwrap();
            assert_eq!(read(&serde_json::to_vec(&value).unwrap()), Ok(()), "{value}");
            true
        }
        Err(refusal) => {
            assert!(refusal.detail().chars().count() <= DETAIL_LENGTH_MAX, "{refusal}");
            let codes = [ErrorCode::MalformedJson, ErrorCode::InvalidBody, ErrorCode::InvalidField];
            assert!(codes.contains(&refusal.code()), "{refusal}");
            assert!(!serde_json::to_vec(&refusal.problem(None)).unwrap().is_empty());
            false
        }
    }
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<(), ApiError> {
    body::read::<T>(bytes).map(drop)
}
