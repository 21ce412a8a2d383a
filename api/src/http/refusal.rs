//! The error codes of everything that the market refuses.

use domain::{
    AccountRejection, AssetRejection, ConditionRejection, HaltRejection, LoanRejection, NegotiationRejection,
    PegRejection, Rejection, TransferOrderRejection, VaultRejection,
};
use engine::{ListingRejection, Refusal};
use serde_json::{Value, json};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Book(rejection) => rejection.into(),
            Refusal::Account(rejection) => rejection.into(),
            Refusal::Vault(rejection) => rejection.into(),
            Refusal::Asset(rejection) => rejection.into(),
            Refusal::Listing(rejection) => rejection.into(),
            Refusal::Loan(rejection) => rejection.into(),
            Refusal::Order(rejection) => rejection.into(),
            Refusal::Contact(rejection) => rejection.into(),
            Refusal::Message(rejection) => rejection.into(),
            Refusal::Halt(rejection) => rejection.into(),
            Refusal::DealChanged => Self::new(ErrorCode::OfferUsed, refusal),
            Refusal::UnknownGroup => Self::plain(ErrorCode::UnknownCollection),
            // Only this server batches commands, so this is a bug of its own.
            Refusal::NotBatchable => Self::new(ErrorCode::Internal, refusal),
            Refusal::Overloaded { .. } => Self::new(ErrorCode::Overloaded, refusal),
            Refusal::ChannelFull { .. } => Self::new(ErrorCode::TooManyChannels, refusal),
            Refusal::SnapshotTooLarge { .. } => Self::new(ErrorCode::SnapshotTooLarge, refusal),
            Refusal::Following => Self::plain(ErrorCode::NoWriter),
            Refusal::Closed => Self::new(ErrorCode::NotReady, refusal),
        }
    }
}

impl From<HaltRejection> for ApiError {
    fn from(rejection: HaltRejection) -> Self {
        let detail = rejection.to_string();
        match rejection {
            HaltRejection::NewLoans { halt } => Self::new(ErrorCode::NewLoansHalted, detail)
                .with_values(json!({"since": halt.since, "reason": halt.reason.as_str()})),
            // Only the operator's socket halts and resumes, so this is a bug of the server.
            HaltRejection::Reason { .. } | HaltRejection::NotHalted(_) => Self::new(ErrorCode::Internal, detail),
        }
    }
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        let (code, values) = classify(rejection);
        let error = Self::new(code, rejection);
        if values.is_null() { error } else { error.with_values(values) }
    }
}

/// Returns the code of a rejection and the values it names.
fn classify(rejection: Rejection) -> (ErrorCode, Value) {
    match rejection {
        Rejection::LendingNotAllowed => (ErrorCode::LendingNotAllowed, Value::Null),
        Rejection::UnknownSubCollection(id) => {
            (ErrorCode::UnknownCollection, json!({"subCollectionId": id.0.to_string()}))
        }
        Rejection::ProcessNotTaken(_) => (ErrorCode::ProcessNotTaken, Value::Null),
        Rejection::NoPrice => (ErrorCode::NoPrice, Value::Null),
        Rejection::BelowMinOffer { min } => (ErrorCode::BelowMinOffer, json!({"minSats": min.get()})),
        Rejection::AboveMaxOffer { max } => (ErrorCode::AboveMaxOffer, json!({"maxSats": max.get()})),
        Rejection::WrongQuantity => (ErrorCode::WrongQuantity, Value::Null),
        Rejection::AboveCeiling { ltv } => (ErrorCode::LtvAboveCeiling, json!({"ltv": ltv.to_string()})),
        Rejection::NoMaxLtv => (ErrorCode::MaxLtvMissing, Value::Null),
        Rejection::ManualMaxLtv => (ErrorCode::MaxLtvNotTaken, Value::Null),
        Rejection::MaxLtvBelowCurrent { ltv } => (ErrorCode::MaxLtvBelowCurrent, json!({"ltv": ltv.to_string()})),
        Rejection::MaxLtvAboveCeiling { max_ltv } => {
            (ErrorCode::MaxLtvAboveCeiling, json!({"maxLtv": max_ltv.to_string()}))
        }
        Rejection::NoVault => (ErrorCode::VaultNotFound, Value::Null),
        Rejection::InsufficientVault { usable } => {
            (ErrorCode::InsufficientVaultBalance, json!({"usableBalanceSats": usable.get()}))
        }
        Rejection::CountOutOfRange { max } => (ErrorCode::CountOutOfRange, json!({"max": max})),
        Rejection::TooManyOffers { max } => (ErrorCode::TooManyOffers, json!({"max": max})),
        Rejection::TooManyReservations { max } => (ErrorCode::CollectionFull, json!({"max": max})),
        Rejection::IdsExhausted => (ErrorCode::CollectionFull, Value::Null),
        Rejection::UnknownOffer(id) => (ErrorCode::UnknownOffer, json!({"offerId": id.to_string()})),
        Rejection::NotOwner(id) => (ErrorCode::NotOwner, json!({"offerId": id.to_string()})),
        Rejection::UnderOffer(id) => (ErrorCode::UnderOffer, json!({"offerId": id.to_string()})),
        Rejection::AlreadyPaused(id) => (ErrorCode::AlreadyPaused, json!({"offerId": id.to_string()})),
        Rejection::NotPausedByLender(id) => (ErrorCode::NotPausedByLender, json!({"offerId": id.to_string()})),
        Rejection::EditChangesProcess => (ErrorCode::EditChangesProcess, Value::Null),
        Rejection::PriceOutOfRange => (ErrorCode::PriceOutOfRange, Value::Null),
        Rejection::OwnOffer(id) => (ErrorCode::OwnOffer, json!({"offerId": id.to_string()})),
        Rejection::OfferExpired(id) => (ErrorCode::OfferExpired, json!({"offerId": id.to_string()})),
        Rejection::GoodUntilOutOfRange { min, max } => {
            (ErrorCode::GoodUntilOutOfRange, json!({"min": min, "max": max}))
        }
        Rejection::OverLendingLimits { available } => {
            (ErrorCode::OverLendingLimits, json!({"availableSats": available.get()}))
        }
        Rejection::GoodUntilSigned { until } => (ErrorCode::GoodUntilOutOfRange, json!({"max": until})),
        Rejection::OfferForOtherBorrower(id) => (ErrorCode::OfferForOtherBorrower, json!({"offerId": id.to_string()})),
        Rejection::OfferUnlisted(id) => (ErrorCode::OfferUnlisted, json!({"offerId": id.to_string()})),
        Rejection::TooFewRepaidLoans { repaid, min } => {
            (ErrorCode::TooFewRepaidLoans, json!({"repaid": repaid, "min": min}))
        }
        Rejection::DefaultTooRecent { until } => (ErrorCode::RecentDefault, json!({"until": until.0})),
        Rejection::InscriptionNotChosen(id) => (ErrorCode::InscriptionNotChosen, json!({"offerId": id.to_string()})),
        Rejection::Conditions(refused) => (ErrorCode::ConditionsRefused, condition_values(refused)),
        Rejection::Peg(refused) => (ErrorCode::PegRefused, peg_values(refused)),
        Rejection::TokensRequested { free_raw } => {
            (ErrorCode::InsufficientTokens, json!({"fungibleAmount": free_raw.to_string()}))
        }
        Rejection::NoTermOfRequest => (ErrorCode::NoTermOfRequest, Value::Null),
        Rejection::TooManyRequests { max } => (ErrorCode::TooManyBorrowRequests, json!({"max": max})),
        Rejection::AlreadyRequested(id) => (ErrorCode::AlreadyRequested, json!({"requestId": id.to_string()})),
        Rejection::UnknownRequest(id) => (ErrorCode::UnknownRequest, json!({"requestId": id.to_string()})),
        Rejection::NotYourRequest(id) => (ErrorCode::NotOwner, json!({"requestId": id.to_string()})),
        Rejection::RequestFilled(id) => (ErrorCode::RequestFilled, json!({"requestId": id.to_string()})),
        Rejection::RequestExpired(id) => (ErrorCode::RequestExpired, json!({"requestId": id.to_string()})),
        Rejection::OwnRequest(id) => (ErrorCode::OwnOffer, json!({"requestId": id.to_string()})),
        Rejection::PrincipalOfRequest { asked } => {
            (ErrorCode::TermsOutsideRequest, json!({"principalSats": asked.get()}))
        }
        Rejection::InterestAboveRequest { interest, max } => {
            (ErrorCode::TermsOutsideRequest, json!({"interest": interest.to_string(), "max": max.to_string()}))
        }
        Rejection::TermOutsideRequest { term, min, max } => {
            (ErrorCode::TermsOutsideRequest, json!({"termDays": term.0, "min": min.0, "max": max.0}))
        }
        Rejection::QuantityOfRequest { asked } => {
            (ErrorCode::TermsOutsideRequest, json!({"fungibleAmount": asked.raw.to_string()}))
        }
        Rejection::Negotiation(refused) => classify_negotiation(refused),
        Rejection::OfferPaused(id) => (ErrorCode::OfferPaused, json!({"offerId": id.to_string()})),
        Rejection::OfferUsed(id) => (ErrorCode::OfferUsed, json!({"offerId": id.to_string()})),
        Rejection::PartOutOfRange { principal, min, available } => (
            ErrorCode::PartOutOfRange,
            json!({"principalSats": principal.get(), "minSats": min.get(), "availableSats": available.get()}),
        ),
        Rejection::UnknownReservation(id) => (ErrorCode::UnknownReservation, json!({"reservationId": id.to_string()})),
        Rejection::ReservationExpired(id) => (ErrorCode::ReservationExpired, json!({"reservationId": id.to_string()})),
        Rejection::ExpiresInThePast(at) => (ErrorCode::ReservationExpired, json!({"expiresAt": at.0})),
        Rejection::DuplicateReservation(id) => (ErrorCode::DuplicateId, json!({"reservationId": id.to_string()})),
        Rejection::DuplicateLoan(id) => (ErrorCode::DuplicateId, json!({"loanId": id.to_string()})),
        Rejection::UnknownLoan(id) => (ErrorCode::UnknownLoan, json!({"loanId": id.to_string()})),
        Rejection::ChangeInThePast(at) => (ErrorCode::TermChangeRefused, json!({"changeDate": at.0})),
        Rejection::ChangePending(id) => (ErrorCode::TermChangeRefused, json!({"termId": id.to_string()})),
        Rejection::UnknownChange(id) => (ErrorCode::UnknownTermChange, json!({"termId": id.to_string()})),
        Rejection::ManualTerms(id) => (ErrorCode::ManualTerms, json!({"offerId": id.to_string()})),
    }
}

impl From<AccountRejection> for ApiError {
    fn from(rejection: AccountRejection) -> Self {
        match rejection {
            AccountRejection::NonceUsed => Self::plain(ErrorCode::NonceUsed),
            AccountRejection::Expired => Self::new(ErrorCode::MessageExpired, rejection),
            // A session outlives its account only if the journal was replaced.
            AccountRejection::UnknownUser(_) | AccountRejection::UnknownSession(_) => {
                Self::plain(ErrorCode::SessionEnded)
            }
            AccountRejection::TokenReused => Self::plain(ErrorCode::RefreshReused),
            AccountRejection::TooManyNewAccounts => Self::new(ErrorCode::Overloaded, rejection),
            AccountRejection::Key(rejection) => rejection.into(),
            AccountRejection::Delegation(rejection) => rejection.into(),
            AccountRejection::Limits(rejection) => Self::new(ErrorCode::InvalidField, rejection),
            AccountRejection::TooManyFavourites { max } => {
                Self::new(ErrorCode::TooManyFavourites, rejection).with_values(json!({"max": max}))
            }
        }
    }
}

impl From<VaultRejection> for ApiError {
    fn from(rejection: VaultRejection) -> Self {
        match rejection {
            VaultRejection::Insufficient { needed, usable } => {
                let values = json!({"neededSats": needed.get(), "usableBalanceSats": usable.get()});
                Self::plain(ErrorCode::InsufficientVaultBalance).with_values(values)
            }
            VaultRejection::AlreadyHeld(_) | VaultRejection::DuplicateSpend(_) | VaultRejection::AlreadySigned(_) => {
                Self::new(ErrorCode::DuplicateId, rejection)
            }
            VaultRejection::Moving | VaultRejection::InUse { .. } => Self::new(ErrorCode::VaultInUse, rejection),
            VaultRejection::NotHeld(_) => Self::new(ErrorCode::UnknownReservation, rejection),
            VaultRejection::TooLarge => Self::new(ErrorCode::InvalidField, rejection),
            VaultRejection::OtherKeys => Self::new(ErrorCode::NotYourVault, rejection),
            VaultRejection::NotOpen => Self::new(ErrorCode::VaultNotFound, rejection),
            // Another loan was faster, or the balance is in too many outputs: it does not cover this now.
            VaultRejection::TooManyInputs { .. } | VaultRejection::NotSpendable { .. } => {
                Self::new(ErrorCode::InsufficientVaultBalance, rejection)
            }
            // Only this server follows the chain and builds transactions, so these are bugs of its own.
            VaultRejection::TooManyOutputs { .. }
            | VaultRejection::InvalidInputs
            | VaultRejection::ExcessiveChange { .. }
            | VaultRejection::InvalidChangeOutputs { .. }
            | VaultRejection::UnknownSpend(_)
            | VaultRejection::Mined(_)
            | VaultRejection::Incomplete { .. }
            | VaultRejection::NoChange { .. } => Self::new(ErrorCode::Internal, rejection),
        }
    }
}

impl From<AssetRejection> for ApiError {
    fn from(rejection: AssetRejection) -> Self {
        match rejection {
            AssetRejection::Pledged(_) => Self::plain(ErrorCode::CollateralPledged),
            AssetRejection::NotPledged(_) => Self::new(ErrorCode::UnknownReservation, rejection),
        }
    }
}

impl From<LoanRejection> for ApiError {
    fn from(rejection: LoanRejection) -> Self {
        match rejection {
            LoanRejection::Duplicate(id) => {
                Self::new(ErrorCode::DuplicateId, rejection).with_values(json!({"loanId": id.to_string()}))
            }
            LoanRejection::Unknown(id) => {
                Self::new(ErrorCode::UnknownLoan, rejection).with_values(json!({"loanId": id.to_string()}))
            }
            LoanRejection::WrongStage { stage } => {
                Self::new(ErrorCode::LoanStage, rejection).with_values(json!({"state": stage.to_string()}))
            }
            LoanRejection::TooLate(at) => {
                Self::new(ErrorCode::ReservationExpired, rejection).with_values(json!({"expiresAt": at.0}))
            }
            LoanRejection::Taken(id) => {
                Self::plain(ErrorCode::OfferTaken).with_values(json!({"loanId": id.to_string()}))
            }
            LoanRejection::NotReplaceable(id) => {
                Self::new(ErrorCode::NotReplaceable, rejection).with_values(json!({"loanId": id.to_string()}))
            }
            LoanRejection::ImpossibleOrder => Self::new(ErrorCode::InvalidField, rejection),
            // The server itself tries again.
            LoanRejection::Reserved(_) => Self::new(ErrorCode::Overloaded, rejection),
            LoanRejection::TooManyPrepared { max } => {
                Self::new(ErrorCode::TooManyPrepared, rejection).with_values(json!({"max": max}))
            }
            LoanRejection::Postponed { until } => {
                Self::new(ErrorCode::PreparePostponed, rejection).with_values(json!({"until": until.0}))
            }
        }
    }
}

impl From<TransferOrderRejection> for ApiError {
    fn from(rejection: TransferOrderRejection) -> Self {
        match rejection {
            TransferOrderRejection::Unknown(id) => {
                Self::plain(ErrorCode::UnknownOrder).with_values(json!({"orderId": id.to_string()}))
            }
            TransferOrderRejection::Ended(id) => {
                Self::plain(ErrorCode::OrderEnded).with_values(json!({"orderId": id.to_string()}))
            }
            TransferOrderRejection::DuplicateTransfer(id) => {
                Self::plain(ErrorCode::NotePending).with_values(json!({"orderId": id.to_string()}))
            }
            TransferOrderRejection::TooManyOpen { .. } => Self::new(ErrorCode::TooManyOrders, rejection),
            TransferOrderRejection::CoinReserved { .. } => Self::new(ErrorCode::FundsPromised, rejection),
            // Only this server numbers, builds and follows orders, so these are bugs of its own.
            TransferOrderRejection::IdTaken(_)
            | TransferOrderRejection::Expired
            | TransferOrderRejection::RecordTooLong { .. }
            | TransferOrderRejection::TooManyCoins { .. }
            | TransferOrderRejection::Committed(_)
            | TransferOrderRejection::NotCommitted(_) => Self::new(ErrorCode::Internal, rejection),
        }
    }
}

impl From<ListingRejection> for ApiError {
    fn from(rejection: ListingRejection) -> Self {
        match rejection {
            ListingRejection::IdTaken(_) | ListingRejection::SlugTaken(_) | ListingRejection::InscriptionTaken(_) => {
                Self::new(ErrorCode::DuplicateId, rejection)
            }
            ListingRejection::Misnumbered(_) | ListingRejection::Malformed(_) => {
                Self::new(ErrorCode::InvalidField, rejection)
            }
        }
    }
}

/// The values of a refusal about bounds within which a principal was to follow the floor.
fn peg_values(rejection: PegRejection) -> Value {
    match rejection {
        PegRejection::Fill(id) => json!({"requestId": id.to_string()}),
        PegRejection::OpenBundle => Value::Null,
        PegRejection::AboveMax { max } => json!({"maxSats": max.get()}),
    }
}

fn condition_values(rejection: ConditionRejection) -> Value {
    match rejection {
        ConditionRejection::ForOwnLender => json!({"field": "borrower_address"}),
        ConditionRejection::BorrowerWithLink => json!({"field": "unlisted"}),
        ConditionRejection::TooManyForBorrower { max } => json!({"field": "borrower_address", "max": max}),
        ConditionRejection::TooManyInscriptions { max } => json!({"field": "inscriptions", "max": max}),
        ConditionRejection::TooManyNumberRanges { max } => json!({"field": "numbers", "max": max}),
        ConditionRejection::EmptyNumberRange(range) => {
            json!({"field": "numbers", "first": range.first, "last": range.last})
        }
        ConditionRejection::TokensAreNotChosen => json!({"field": "inscriptions"}),
        ConditionRejection::AboveMax { asked, max } => json!({"asked": asked, "max": max}),
    }
}

fn classify_negotiation(rejection: NegotiationRejection) -> (ErrorCode, Value) {
    match rejection {
        NegotiationRejection::Unknown(id) => (ErrorCode::UnknownNegotiation, json!({"negotiationId": id.to_string()})),
        NegotiationRejection::Over(id) => (ErrorCode::NegotiationOver, json!({"negotiationId": id.to_string()})),
        NegotiationRejection::Replaced { id, round } => {
            (ErrorCode::ProposalReplaced, json!({"negotiationId": id.to_string(), "round": round}))
        }
        NegotiationRejection::NotYourTurn(id) => (ErrorCode::NotYourTurn, json!({"negotiationId": id.to_string()})),
        NegotiationRejection::TooManyRounds { max } => (ErrorCode::TooManyRounds, json!({"max": max})),
        NegotiationRejection::TooMany { max } => (ErrorCode::TooManyNegotiations, json!({"max": max})),
        NegotiationRejection::AlreadyOpen(id) => {
            (ErrorCode::AlreadyNegotiating, json!({"negotiationId": id.to_string()}))
        }
        NegotiationRejection::Agreed(id) => (ErrorCode::TermsAgreed, json!({"offerId": id.to_string()})),
        NegotiationRejection::LenderLimited(id) => (ErrorCode::LenderLimited, json!({"negotiationId": id.to_string()})),
        NegotiationRejection::PrincipalChanged { principal } => {
            (ErrorCode::PrincipalFixed, json!({"principalAmountSats": principal.get()}))
        }
        NegotiationRejection::InterestOutOfRange { max } => {
            (ErrorCode::TermsOutOfRange, json!({"field": "interest", "max": max.basis_points()}))
        }
        NegotiationRejection::TermOutOfRange { max } => {
            (ErrorCode::TermsOutOfRange, json!({"field": "termDays", "max": max.0}))
        }
    }
}
