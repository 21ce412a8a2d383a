//! The error codes of deposits into vaults, and of withdrawals and moves from them.

use escrow::contract::vault::payment;
use lending::service::fee_bounds::FeeRateOutOfBounds;
use lending::vaults::attested_vault::AttestedVaultError;
use lending::vaults::payment::PaymentError;
use lending::vaults::vault::NoVault;
use lending::vaults::vault_move::MoveError;
use lending::vaults::withdrawal::WithdrawalError;
use serde_json::json;

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::fee_rate;

impl From<NoVault> for ApiError {
    fn from(error: NoVault) -> Self {
        match error {
            NoVault::NotOpen(_) => Self::plain(ErrorCode::VaultNotFound),
            // Only this server opens vaults, so these are bugs of its own.
            NoVault::InvalidKey(_) | NoVault::Contract(_) | NoVault::PaymentAddress(_) => {
                Self::new(ErrorCode::Internal, error)
            }
        }
    }
}

impl From<FeeRateOutOfBounds> for ApiError {
    fn from(error: FeeRateOutOfBounds) -> Self {
        fee_rate::out_of_range(error.min, error.max)
    }
}

impl From<WithdrawalError> for ApiError {
    fn from(error: WithdrawalError) -> Self {
        match error {
            WithdrawalError::NoVault(error) => error.into(),
            WithdrawalError::Message(error) => error.into(),
            WithdrawalError::WrongAction => Self::new(ErrorCode::MessageWrongAction, error),
            WithdrawalError::WrongAddress { registered, found } => {
                let detail = format!("the vault pays to {registered}, not to {found}");
                let values = json!({"field": "to", "request": registered, "message": found});
                Self::new(ErrorCode::MessageFieldMismatch, detail).with_values(values)
            }
            WithdrawalError::NoFeeMax => {
                Self::new(ErrorCode::MessageFieldMismatch, error).with_values(json!({"field": "fee_max_sats"}))
            }
            WithdrawalError::FeeAboveMax { max, found } => {
                let values = json!({"max_sats": max, "found_sats": found});
                Self::new(ErrorCode::WithdrawalFeeTooHigh, error).with_values(values)
            }
            WithdrawalError::OtherSigner { .. } => Self::new(ErrorCode::NotYourVault, error),
            WithdrawalError::OtherWithdrawal(_) => Self::new(ErrorCode::NonceUsed, error),
            WithdrawalError::FeeRate(error) => error.into(),
            WithdrawalError::Vault(rejection) => rejection.into(),
            // After the fee, the rest is too small for an output.
            WithdrawalError::Build(_) => {
                Self::new(ErrorCode::InvalidField, error).with_values(json!({"field": "sats"}))
            }
            WithdrawalError::Lookup(error) => error.into(),
            WithdrawalError::Market(refusal) => refusal.into(),
            WithdrawalError::Signer(error) => error.into(),
            WithdrawalError::Contended => Self::new(ErrorCode::Overloaded, error),
            // This server built what the signer signs and wrote what it stored, so these are bugs of its own.
            WithdrawalError::Signature(_)
            | WithdrawalError::OtherTransaction(_)
            | WithdrawalError::Finish(_)
            | WithdrawalError::InvalidTransaction(_) => Self::new(ErrorCode::Internal, error),
        }
    }
}

impl From<AttestedVaultError> for ApiError {
    fn from(error: AttestedVaultError) -> Self {
        match error {
            AttestedVaultError::NoVault(error) => error.into(),
            AttestedVaultError::Signer(error) => error.into(),
            // The signers' own keys give the script.
            AttestedVaultError::InvalidTerms(_) | AttestedVaultError::OtherScript => {
                Self::new(ErrorCode::Internal, error)
            }
        }
    }
}

impl From<MoveError> for ApiError {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::NoVault(error) => error.into(),
            MoveError::NotMovable => Self::plain(ErrorCode::VaultNotMovable),
            MoveError::Message(error) => error.into(),
            MoveError::WrongAction => Self::new(ErrorCode::MessageWrongAction, error),
            MoveError::WrongField { field, ref expected, ref found } => {
                let values = json!({"field": field, "request": expected, "message": found});
                Self::new(ErrorCode::MessageFieldMismatch, error).with_values(values)
            }
            MoveError::FeeAboveMax { max, found } => {
                let values = json!({"max_sats": max, "found_sats": found});
                Self::new(ErrorCode::WithdrawalFeeTooHigh, error).with_values(values)
            }
            MoveError::OtherMove(_) => Self::new(ErrorCode::NonceUsed, error),
            MoveError::FeeRate(error) => error.into(),
            MoveError::Vault(rejection) => rejection.into(),
            // After the fee nothing is left.
            MoveError::Build(_) => Self::new(ErrorCode::InsufficientVaultBalance, error),
            MoveError::Lookup(error) => error.into(),
            MoveError::Market(refusal) => refusal.into(),
            MoveError::Signer(error) => error.into(),
            MoveError::Contended => Self::new(ErrorCode::Overloaded, error),
            MoveError::NewVault(error) => error.into(),
            // This server built what the signers sign and wrote what it stored.
            MoveError::Signature(_)
            | MoveError::OtherTransaction(_)
            | MoveError::Finish(_)
            | MoveError::InvalidTransaction(_) => Self::new(ErrorCode::Internal, error),
        }
    }
}

impl From<PaymentError> for ApiError {
    fn from(error: PaymentError) -> Self {
        match error {
            PaymentError::NoVault(error) => error.into(),
            PaymentError::UnsupportedAddresses => Self::new(ErrorCode::AddressUnsupported, error),
            PaymentError::FeeRate(error) => error.into(),
            PaymentError::Lookup(error) => error.into(),
            PaymentError::Coins(error) => error.into(),
            PaymentError::Reserved(_) => Self::new(ErrorCode::CollateralPledged, error),
            PaymentError::Build(payment::PaymentError::UnknownCoin(_)) => Self::new(ErrorCode::CoinChanged, error),
            PaymentError::Build(payment::PaymentError::Altered) => Self::new(ErrorCode::PsbtOtherTransaction, error),
            PaymentError::Build(_) => Self::new(ErrorCode::InvalidField, error).with_values(json!({"field": "sats"})),
            PaymentError::Returned(error) => error.into(),
            PaymentError::Finish(_) => Self::new(ErrorCode::Internal, error),
        }
    }
}
