//! The error codes of loans: why a loan cannot start, continue or end.

use bitcoin::Amount;
use lending::lookups::holdings::InscriptionError;
use lending::lookups::transfer_inscription::TransferInscriptionError;
use lending::service::loan_service_error::{LoanServiceError, PayoutRequestError};
use serde_json::json;
use signer::refusal::Refusal;
use signer::vault_signer::SignerError;

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::fee_rate;

impl From<LoanServiceError> for ApiError {
    fn from(error: LoanServiceError) -> Self {
        match error {
            LoanServiceError::Market(refusal) => refusal.into(),
            LoanServiceError::Lookup(error) => error.into(),
            LoanServiceError::Inscription(error) => error.into(),
            LoanServiceError::Note(error) => error.into(),
            LoanServiceError::Returned(error) | LoanServiceError::Payout(PayoutRequestError::Returned(error)) => {
                error.into()
            }
            LoanServiceError::Coins(error) => error.into(),
            LoanServiceError::Chain(error) => error.into(),
            // The limits of a lender's program are not for borrowers.
            LoanServiceError::Signer(SignerError::Refused(Refusal::Delegation(refusal))) => {
                Self::plain(Self::from(&refusal).code())
            }
            LoanServiceError::Signer(error) => error.into(),
            LoanServiceError::FeeRate { min, max } => fee_rate::out_of_range(min, max),
            LoanServiceError::Repayment(ref repayment) => match lending::ending::repay::shortfall(repayment) {
                Some((wanted, found)) => short(&error, wanted, found),
                None => Self::new(ErrorCode::LoanImpossible, &error),
            },
            LoanServiceError::WrongStage { stage } => {
                Self::new(ErrorCode::LoanStage, error).with_values(json!({"stage": stage.to_string()}))
            }
            LoanServiceError::InsufficientTokens { wanted, found } => Self::new(ErrorCode::InsufficientTokens, &error)
                .with_values(json!({"wantedRaw": wanted.to_string(), "availableRaw": found.to_string()})),
            LoanServiceError::Contract(ref contract) => match contract.shortfall() {
                Some((wanted, found)) => short(&error, wanted, found),
                None => Self::new(ErrorCode::LoanImpossible, &error),
            },
            LoanServiceError::Replaced(follower) => {
                Self::new(ErrorCode::LoanGoesOn, error).with_values(json!({"loanId": follower.to_string()}))
            }
            LoanServiceError::NotClaimable(from) => {
                Self::new(ErrorCode::NotClaimable, error).with_values(json!({"claimableFrom": from.0}))
            }
            LoanServiceError::NoExactLenderCoin { wanted } => {
                Self::new(ErrorCode::ExactCoinMissing, error).with_values(json!({"fundingSats": wanted.to_sat()}))
            }
            LoanServiceError::BatchSize { max } => {
                Self::new(ErrorCode::InvalidField, error).with_values(json!({"field": "loanIds", "max": max}))
            }
            other => Self::new(code(&other), other),
        }
    }
}

fn short(error: &LoanServiceError, wanted: Amount, found: Amount) -> ApiError {
    let values = json!({"wantedSats": wanted.to_sat(), "availableSats": found.to_sat()});
    ApiError::new(ErrorCode::InsufficientFunds, error).with_values(values)
}

/// Returns the codes of errors without values.
fn code(error: &LoanServiceError) -> ErrorCode {
    match error {
        LoanServiceError::UnknownOffer(_) => ErrorCode::UnknownOffer,
        LoanServiceError::WrongProcess => ErrorCode::ProcessNotTaken,
        LoanServiceError::UnknownLoan(_) => ErrorCode::UnknownLoan,
        LoanServiceError::NoReservation(_) => ErrorCode::UnknownReservation,
        LoanServiceError::NotOfCollection(_) => ErrorCode::WrongCollection,
        LoanServiceError::NoInscription => ErrorCode::NoInscription,
        LoanServiceError::HardwareWallet => ErrorCode::HardwareWallet,
        LoanServiceError::NoNote { .. } => ErrorCode::NoteMissing,
        LoanServiceError::LenderFundsInsufficient(_) => ErrorCode::LenderShort,
        LoanServiceError::UnsupportedAddresses(_) => ErrorCode::AddressUnsupported,
        LoanServiceError::NotAdmitted(_) => ErrorCode::OfferNotAdmitted,
        LoanServiceError::Rebuilt => ErrorCode::LoanRebuilt,
        LoanServiceError::CollateralSpent(_) | LoanServiceError::RequestedCollateralGone => ErrorCode::CollateralGone,
        LoanServiceError::UnknownToken => ErrorCode::UnknownToken,
        LoanServiceError::NotReplaceable(_) => ErrorCode::NotReplaceable,
        LoanServiceError::NotExtendable(_) | LoanServiceError::NoSuchTerm(_) | LoanServiceError::DueTooSoon(_) => {
            ErrorCode::NotExtendable
        }
        LoanServiceError::ExtensionCoinSpent(_) => ErrorCode::ExtensionGone,
        LoanServiceError::DifferentWallets => ErrorCode::DifferentWallets,
        LoanServiceError::TransactionCount { .. } | LoanServiceError::Rebuild(_) => ErrorCode::PsbtOtherTransaction,
        LoanServiceError::Payout(_) | LoanServiceError::Signature(_) => ErrorCode::PsbtSignatureInvalid,
        LoanServiceError::Claim(_) | LoanServiceError::OutOfRange => ErrorCode::LoanImpossible,
        // The cause is the journal, or a transaction that was built here.
        LoanServiceError::Record(_)
        | LoanServiceError::Running(_)
        | LoanServiceError::Kit(_)
        | LoanServiceError::Finish(_)
        | LoanServiceError::TransactionMismatch
        | LoanServiceError::OtherTransaction(_)
        // Converted before, with values or by tables of their own.
        | LoanServiceError::Market(_)
        | LoanServiceError::Lookup(_)
        | LoanServiceError::Inscription(_)
        | LoanServiceError::Note(_)
        | LoanServiceError::Returned(_)
        | LoanServiceError::Coins(_)
        | LoanServiceError::Chain(_)
        | LoanServiceError::Signer(_)
        | LoanServiceError::FeeRate { .. }
        | LoanServiceError::Repayment(_)
        | LoanServiceError::WrongStage { .. }
        | LoanServiceError::InsufficientTokens { .. }
        | LoanServiceError::Contract(_)
        | LoanServiceError::Replaced(_)
        | LoanServiceError::NotClaimable(_)
        | LoanServiceError::NoExactLenderCoin { .. }
        | LoanServiceError::BatchSize { .. } => ErrorCode::Internal,
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

impl From<TransferInscriptionError> for ApiError {
    fn from(error: TransferInscriptionError) -> Self {
        match error {
            TransferInscriptionError::Inscription(error) => error.into(),
            other => Self::new(ErrorCode::NoteUnusable, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_missing_exact_coin_names_its_amount() {
        let error = ApiError::from(LoanServiceError::NoExactLenderCoin { wanted: Amount::from_sat(100_650) });
        assert_eq!(error.code(), ErrorCode::ExactCoinMissing);
        assert_eq!(error.problem(None).values, Some(json!({"fundingSats": 100_650})));
    }
}
