//! The ids of inscriptions in requests.

use domain::{Inscription, Quantity};
use engine::asset_index::InscriptionId;
use serde_json::json;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// Parses the ids of inscriptions to pledge together; returns them ascending.
///
/// # Errors
/// [`ErrorCode::UnknownInscription`] for what is no id; [`ErrorCode::WrongQuantity`] for too many, or for one that is named
/// twice.
pub fn parse<'a>(ids: impl IntoIterator<Item = &'a str>) -> Result<Vec<Inscription>, ApiError> {
    let parsed = ids.into_iter().take(Quantity::INSCRIPTIONS_MAX + 1).map(|id| {
        let unknown = |_| ApiError::plain(ErrorCode::UnknownInscription).with_values(json!({"inscriptionId": id}));
        id.parse::<InscriptionId>().map(Inscription::from).map_err(unknown)
    });
    let mut inscriptions: Vec<Inscription> = parsed.collect::<Result<_, ApiError>>()?;
    inscriptions.sort_unstable();
    if inscriptions.is_empty() || Quantity::of_inscriptions(&inscriptions).is_some() {
        return Ok(inscriptions);
    }
    let detail = format!("a loan is secured by at most {} inscriptions, each once", Quantity::INSCRIPTIONS_MAX);
    Err(ApiError::new(ErrorCode::WrongQuantity, detail).with_values(json!({"max": Quantity::INSCRIPTIONS_MAX})))
}
