//! Checks of what a program signed under a delegation.

use domain::{Delegation, DelegationId, SubCollection, UserId};
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::delegated_action::DelegatedAction;
use escrow::new_delegation::NewDelegation;
use lending::instant_offers::delegated::DelegatedText;
use serde_json::json;
use signer::delegation_refusal::DelegationRefusal;
use signer::program_text::ProgramText;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// A program's text whose delegation, place, time and signature are correct. Its number has yet to be used.
#[derive(Clone, Debug)]
pub struct CheckedText {
    /// The action that was signed.
    pub action: DelegatedAction,
    /// The delegation.
    pub delegation: Delegation,
    /// Its limits.
    pub limits: NewDelegation,
    signature: String,
}

/// Returns the limits of a delegation, from the message that its lender signed, and the address that signed it.
///
/// # Errors
/// [`ErrorCode::Internal`] if the journal has another text.
pub fn limits_of(delegation: &Delegation) -> Result<(NewDelegation, String), ApiError> {
    let message = ActionMessage::parse(&delegation.signed.message).ok();
    let limits = message.and_then(|message| match message.action() {
        Action::DelegateQuotes(limits) => Some((limits.clone(), message.envelope().address.clone())),
        _ => None,
    });
    limits.ok_or_else(|| ApiError::plain(ErrorCode::Internal))
}

impl CheckedText {
    /// Checks a text of a program of this lender.
    ///
    /// # Errors
    /// [`ErrorCode::UnknownDelegation`], and the codes of messages and signatures.
    pub async fn check(app: &App, lender: UserId, message: &str, signature: &str) -> Result<Self, ApiError> {
        let action = DelegatedAction::parse(message)?;
        let envelope = action.envelope();
        let place = app.signing_context();
        if envelope.domain != place.domain {
            let detail = format!("the text is for {}, this is {}", envelope.domain, place.domain);
            return Err(ApiError::new(ErrorCode::MessageWrongDomain, detail));
        }
        if envelope.network != place.network {
            let detail = format!("the text is for {}, this is {}", envelope.network, place.network);
            return Err(ApiError::new(ErrorCode::MessageWrongNetwork, detail));
        }
        let delegation = app.market.delegation(lender, DelegationId(envelope.delegation.0)).await?;
        let (limits, address) = limits_of(&delegation)?;
        if envelope.address != address {
            let detail = format!("the delegation was signed by {address}, not by {}", envelope.address);
            return Err(ApiError::new(ErrorCode::MessageWrongAddress, detail));
        }
        envelope.check_times(app.now().seconds())?;
        action.verify(limits.program_key, signature)?;
        Ok(Self { action, delegation, limits, signature: signature.to_owned() })
    }

    /// Checks an offer against the limits of the delegation, as the signer does; the sum of the day is counted where
    /// loans are signed.
    ///
    /// # Errors
    /// [`ErrorCode::DelegationEnded`], [`ErrorCode::DelegationNumber`], [`ErrorCode::DelegationLimit`] with the limit.
    pub fn check_offer(&self, app: &App, principal_sats: u64, terms: &SubCollection) -> Result<(), ApiError> {
        self.delegation.check_open(app.now())?;
        let (latest, found) = (self.delegation.latest_number, self.action.envelope().number);
        if found <= latest {
            return Err(domain::DelegationRejection::NumberUsed { latest, found }.into());
        }
        let (slug, interest) = (terms.slug.as_str(), terms.interest.basis_points());
        let checked = self.limits.check_terms(slug, principal_sats, interest, terms.term.0);
        checked.map_err(|exceeded| ApiError::from(&DelegationRefusal::from(exceeded)))?;
        let max = self.limits.daily_max_sats;
        if principal_sats > max {
            let refusal = DelegationRefusal::DaySats { max, used: 0, asked: principal_sats };
            return Err(ApiError::from(&refusal));
        }
        Ok(())
    }

    /// Checks that the text and the delegation name the vault of this policy.
    ///
    /// # Errors
    /// [`ErrorCode::NotYourVault`], [`ErrorCode::DelegationLimit`].
    pub fn check_vault(&self, named: &str, policy: &str) -> Result<(), ApiError> {
        if named != policy {
            return Err(ApiError::plain(ErrorCode::NotYourVault).with_values(json!({"vaultSignerId": policy})));
        }
        if self.limits.covers_vault(policy) {
            return Ok(());
        }
        Err(ApiError::from(&DelegationRefusal::OtherVault { policy: policy.to_owned() }))
    }

    /// Returns the text for the vault signer, which checks it again.
    #[must_use]
    pub fn into_text(self) -> DelegatedText {
        DelegatedText {
            delegation: self.delegation.id,
            number: self.action.envelope().number,
            text: ProgramText { message: self.action.text().to_owned(), signature: self.signature },
        }
    }
}
