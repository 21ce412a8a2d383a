//! The caller as a party to a loan.

use lending::records::party::Party;

use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Returns the addresses and keys of the session as a [`Party`].
///
/// # Errors
/// [`ErrorCode::AddressUnsupported`] for an ordinals address that is not taproot.
pub(super) fn party(app: &App, caller: &SignedIn) -> Result<Party, ApiError> {
    let party = Party::of(&caller.addresses, app.settings.network);
    party.ok_or_else(|| ApiError::new(ErrorCode::AddressUnsupported, "the ordinals address must be a taproot address"))
}
