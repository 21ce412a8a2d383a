//! Types shared by payments from the caller's payment address, to any destination.

use domain::Sats;
use lending::service::sides::Side;
use lending::vaults::payment::{PaymentRequest, PreparedPayment as Prepared};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::api_error::ApiError;
use crate::http::fee_rate;

/// A payment to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreparePayment {
    /// The amount of the payment, in one output.
    #[schema(value_type = u64)]
    sats: Sats,
    /// Sats per virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
}

impl PreparePayment {
    /// Parses the request.
    ///
    /// # Errors
    /// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`].
    pub(super) fn parse(&self) -> Result<PaymentRequest, ApiError> {
        Ok(PaymentRequest { sats: self.sats, fee_rate: fee_rate::parse("fee_rate", &self.fee_rate)? })
    }
}

/// A payment that waits for the caller's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedPayment {
    /// The transaction to sign, a PSBT in base64.
    transaction_base64: String,
    /// The inputs to sign, and how.
    sides: Vec<Side>,
    /// The amount of the payment, in one output.
    #[schema(value_type = u64)]
    sats: Sats,
    /// The fee.
    #[schema(value_type = u64)]
    fee_sats: Sats,
    /// The change that returns to the payment address.
    #[schema(value_type = u64)]
    change_sats: Sats,
    /// The destination address.
    address: String,
}

impl From<Prepared> for PreparedPayment {
    fn from(prepared: Prepared) -> Self {
        Self {
            transaction_base64: prepared.transaction_base64,
            sides: prepared.sides,
            sats: prepared.sats,
            fee_sats: prepared.fee,
            change_sats: prepared.change,
            address: prepared.to,
        }
    }
}

/// The transaction that the caller's wallet signed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitPayment {
    /// The signed PSBT in base64 or hexadecimal.
    pub(super) signed_psbt: String,
}

/// A payment that the node accepted. It counts once it is confirmed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentPayment {
    /// The id of the transaction.
    pub(super) transaction_id: String,
}
