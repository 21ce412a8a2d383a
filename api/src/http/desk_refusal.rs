//! The error codes of loans: why a loan cannot start, continue or end.

use bitcoin::Amount;
use lending::desk_error::{DeskError, PayoutRequestError};
use lending::holdings::InscriptionError;
use lending::transfer_note::NoteError;
use serde_json::json;

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::fee_rate;

impl From<DeskError> for ApiError {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::Market(refusal) => refusal.into(),
            DeskError::Lookup(error) => error.into(),
            DeskError::Inscription(error) => error.into(),
            DeskError::Note(error) => error.into(),
            DeskError::Returned(error) | DeskError::Payout(PayoutRequestError::Returned(error)) => error.into(),
            DeskError::Coins(error) => error.into(),
            DeskError::Chain(error) => error.into(),
            DeskError::Signer(error) => error.into(),
            DeskError::FeeRate { min, max } => fee_rate::out_of_range(min, max),
            DeskError::Repayment(ref repayment) => match lending::repay::shortfall(repayment) {
                Some((wanted, found)) => short(&error, wanted, found),
                None => Self::new(ErrorCode::LoanImpossible, &error),
            },
            DeskError::WrongStage { stage } => {
                Self::new(ErrorCode::LoanStage, error).with_values(json!({"stage": stage.to_string()}))
            }
            DeskError::TokensShort { wanted, found } => Self::new(ErrorCode::InsufficientTokens, &error)
                .with_values(json!({"wantedRaw": wanted.to_string(), "availableRaw": found.to_string()})),
            DeskError::Contract(ref contract) => match contract.shortfall() {
                Some((wanted, found)) => short(&error, wanted, found),
                None => Self::new(ErrorCode::LoanImpossible, &error),
            },
            DeskError::GoesOn(follower) => {
                Self::new(ErrorCode::LoanGoesOn, error).with_values(json!({"loanId": follower.to_string()}))
            }
            DeskError::NotClaimable(from) => {
                Self::new(ErrorCode::NotClaimable, error).with_values(json!({"claimableFrom": from.0}))
            }
            DeskError::LenderNotExact { wanted } => {
                Self::new(ErrorCode::ExactCoinMissing, error).with_values(json!({"fundingSats": wanted.to_sat()}))
            }
            DeskError::BatchSize { max } => {
                Self::new(ErrorCode::InvalidField, error).with_values(json!({"field": "loanIds", "max": max}))
            }
            other => Self::new(code(&other), other),
        }
    }
}

fn short(error: &DeskError, wanted: Amount, found: Amount) -> ApiError {
    let values = json!({"wantedSats": wanted.to_sat(), "availableSats": found.to_sat()});
    ApiError::new(ErrorCode::InsufficientFunds, error).with_values(values)
}

/// Returns the codes of errors without values.
fn code(error: &DeskError) -> ErrorCode {
    match error {
        DeskError::UnknownOffer(_) => ErrorCode::UnknownOffer,
        DeskError::WrongProcess => ErrorCode::ProcessNotTaken,
        DeskError::UnknownLoan(_) => ErrorCode::UnknownLoan,
        DeskError::NoReservation(_) => ErrorCode::UnknownReservation,
        DeskError::NotOfCollection(_) => ErrorCode::WrongCollection,
        DeskError::NoInscription => ErrorCode::NoInscription,
        DeskError::HardwareWallet => ErrorCode::HardwareWallet,
        DeskError::NoNote { .. } => ErrorCode::NoteMissing,
        DeskError::LenderShort(_) => ErrorCode::LenderShort,
        DeskError::NoKeys(_) => ErrorCode::AddressUnsupported,
        DeskError::NotAdmitted(_) => ErrorCode::OfferNotAdmitted,
        DeskError::Rebuilt => ErrorCode::LoanRebuilt,
        DeskError::CollateralGone(_) => ErrorCode::CollateralGone,
        DeskError::UnknownToken => ErrorCode::UnknownToken,
        DeskError::NotReplaceable(_) => ErrorCode::NotReplaceable,
        DeskError::NotExtendable(_) | DeskError::NoSuchTerm(_) | DeskError::TooShort(_) => ErrorCode::NotExtendable,
        DeskError::ExtensionGone(_) => ErrorCode::ExtensionGone,
        DeskError::DifferentWallets => ErrorCode::DifferentWallets,
        DeskError::TransactionCount { .. } | DeskError::Rebuild(_) => ErrorCode::PsbtOtherTransaction,
        DeskError::Payout(_) | DeskError::Signature(_) => ErrorCode::PsbtSignatureInvalid,
        DeskError::Claim(_) | DeskError::OutOfRange => ErrorCode::LoanImpossible,
        // The cause is the journal, or a transaction that was built here.
        _ => ErrorCode::Internal,
    }
}

impl From<InscriptionError> for ApiError {
    fn from(error: InscriptionError) -> Self {
        let code = match error {
            InscriptionError::Lookup(error) => return error.into(),
            InscriptionError::Unknown(_) => ErrorCode::UnknownInscription,
            InscriptionError::Unconfirmed(_) | InscriptionError::Immature(_) => ErrorCode::InscriptionWaits,
            InscriptionError::NotYours(_) => ErrorCode::NotYourInscription,
            InscriptionError::SharesOutput { .. } => ErrorCode::InscriptionShared,
        };
        Self::new(code, error)
    }
}

impl From<NoteError> for ApiError {
    fn from(error: NoteError) -> Self {
        match error {
            NoteError::Inscription(error) => error.into(),
            other => Self::new(ErrorCode::NoteUnusable, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_missing_exact_coin_names_its_amount() {
        let error = ApiError::from(DeskError::LenderNotExact { wanted: Amount::from_sat(100_650) });
        assert_eq!(error.code(), ErrorCode::ExactCoinMissing);
        assert_eq!(error.problem(None).values, Some(json!({"fundingSats": 100_650})));
    }
}
