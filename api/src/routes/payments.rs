//! What payments out of the caller's payment address have in common, wherever they go.

use domain::Sats;
use lending::payment::{PaymentWish, PreparedPayment as Prepared};
use lending::sides::Side;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::api_error::ApiError;
use crate::http::fee_rate;

/// A payment to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreparePayment {
    /// What arrives, in one output.
    #[schema(value_type = u64)]
    sats: Sats,
    /// Sats for each virtual byte, with at most three decimals.
    #[schema(value_type = f64)]
    fee_rate: serde_json::Number,
}

impl PreparePayment {
    /// What is asked for.
    ///
    /// # Errors
    /// [`crate::http::error_code::ErrorCode::FeeRateOutOfRange`].
    pub(super) fn wish(&self) -> Result<PaymentWish, ApiError> {
        Ok(PaymentWish { sats: self.sats, fee_rate: fee_rate::parse("fee_rate", &self.fee_rate)? })
    }
}

/// A payment that waits for the caller's signature.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreparedPayment {
    /// The transaction to sign, a PSBT in base64.
    transaction_base64: String,
    /// Which of its inputs, and how.
    sides: Vec<Side>,
    /// What arrives, in one output.
    #[schema(value_type = u64)]
    sats: Sats,
    /// What the miners get.
    #[schema(value_type = u64)]
    fee_sats: Sats,
    /// What goes back to the payment address as change.
    #[schema(value_type = u64)]
    change_sats: Sats,
    /// Where it arrives.
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

/// What the caller's wallet gave back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitPayment {
    /// The signed PSBT in base64 or hexadecimal.
    pub(super) signed_psbt: String,
}

/// A payment that the node has. It counts once it is in a block.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentPayment {
    /// Its transaction.
    pub(super) transaction_id: String,
}
