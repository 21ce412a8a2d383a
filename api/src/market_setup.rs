//! The settings of the market and the rules of its loans, from the server's settings.

use std::sync::Arc;

use bitcoin::FeeRate;
use engine::Settings as EngineSettings;
use lending::lookups::lookup::RetryPolicy;
use lending::service::loan_service::LoanRules;

use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::signer_handle;
use crate::vault_scripts::VaultScripts;

/// 1,000 sats per virtual byte: more than any user intends to pay.
const FEE_RATE_MAX_SAT_PER_KWU: u64 = 250_000;

/// The settings of the market.
pub(crate) fn market_settings(settings: &Settings) -> EngineSettings {
    EngineSettings {
        epoch: format!("{:016x}", rand::random::<u64>()),
        limits: Arc::new(settings.limits.clone()),
        vault_addresses: Arc::new(VaultScripts::new(settings.network)),
        ..EngineSettings::default()
    }
}

/// The rules of every loan that this server makes.
pub(crate) fn loan_rules(settings: &Settings) -> Result<LoanRules, Failure> {
    Ok(LoanRules {
        network: settings.network,
        platform_script: signer_handle::platform_script(settings)?,
        retry_policy: RetryPolicy::default(),
        fee_rate_max: FeeRate::from_sat_per_kwu(FEE_RATE_MAX_SAT_PER_KWU),
    })
}
