//! `/api/v1/config`: the settings that clients need to know.

use actix_web::{HttpResponse, web};
use bitcoin::Network;
use domain::{Limits, Ltv, PREPARED_MAX, PREPARED_PER_LENDER_MAX};
use lending::service::platform_fee::PLATFORM_SHARE_PERCENT;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::bot_check::ACTION;
use crate::config::network;

/// The settings that clients need to know.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicConfig {
    /// The Bitcoin network of all addresses.
    #[serde(with = "network")]
    #[schema(schema_with = network::schema)]
    network: Network,
    /// The domain that signed messages must name.
    domain: String,
    /// Whether the market is simulated.
    demo: bool,
    /// Whether the server has a Bitcoin node; without one there are offers, but no loans.
    has_node: bool,
    /// The hash of the vault signer's policy (`canisterId`); `null` while no signer is available.
    #[schema(required)]
    vault_signer_id: Option<String>,
    /// The parameters of the challenge when an offer is refused for lack of one; `null` if none is ever required.
    #[schema(required)]
    bot_check: Option<PublicBotCheck>,
    /// The lender's fee to the platform at origination; `null` if none is charged.
    #[schema(required)]
    platform_fee: Option<PublicPlatformFee>,
    /// The limits of offers.
    limits: PublicLimits,
}

/// The platform's share of the interest, rounded down to whole sats.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PublicPlatformFee {
    /// The share in percent of the interest.
    percent: u64,
    /// A smaller share is not charged: its output would be dust.
    min_sats: u64,
}

/// Cloudflare Turnstile on this site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PublicBotCheck {
    /// The public key.
    site_key: String,
    /// The action that the challenge is rendered for; tokens for any other action are refused.
    action: &'static str,
}

/// The market's limits.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PublicLimits {
    min_offer_sats: MinOffers,
    /// The largest offer in sats.
    max_offer_sats: u64,
    /// The highest interest that can be negotiated, in percent times 100.
    negotiated_interest_max: u32,
    /// The longest term that can be negotiated, in days.
    negotiated_term_max_days: u16,
    /// The highest LTV of an offer, in percent.
    max_ltv: u32,
    /// The largest number of equal offers created at a time.
    count_max: u8,
    /// The smallest difference between LTV and maximum LTV of an instant rune offer, in percent.
    min_ltv_gap: u32,
    /// The default difference between LTV and maximum LTV, in percent.
    default_max_ltv_offset: u32,
    /// The largest number of prepared loans of one borrower.
    prepared_max: usize,
    /// The largest number of prepared loans of one borrower with the same lender.
    prepared_per_lender_max: usize,
}

/// The smallest offer of each kind, in sats.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MinOffers {
    inscription: u64,
    rune: u64,
    brc20: u64,
    instant_rune: u64,
}

/// Returns network, domain, bot check and limits.
#[utoipa::path(get, path = "/api/v1/config", operation_id = "getConfig", tag = "market", responses((status = 200, body = PublicConfig)))]
pub async fn show(app: web::Data<App>) -> HttpResponse {
    let limits = &app.settings.limits;
    HttpResponse::Ok().json(PublicConfig {
        network: app.settings.network,
        domain: app.public_url.domain().to_owned(),
        demo: app.is_demo(),
        has_node: app.node.is_some(),
        vault_signer_id: app.signer_id().await.ok(),
        bot_check: app
            .bot_check
            .as_ref()
            .map(|check| PublicBotCheck { site_key: check.site_key().to_owned(), action: ACTION }),
        platform_fee: app
            .loan_service
            .as_ref()
            .and_then(|loan_service| loan_service.rules.platform_script.as_ref())
            .map(|platform| PublicPlatformFee {
                percent: PLATFORM_SHARE_PERCENT,
                min_sats: platform.minimal_non_dust().to_sat(),
            }),
        limits: PublicLimits {
            min_offer_sats: MinOffers {
                inscription: limits.min_offer_inscription_sats.get(),
                rune: limits.min_offer_rune_sats.get(),
                brc20: limits.min_offer_brc20_sats.get(),
                instant_rune: limits.min_offer_instant_rune_sats.get(),
            },
            max_offer_sats: limits.max_offer_sats.get(),
            negotiated_interest_max: limits.negotiated_interest_max.basis_points(),
            negotiated_term_max_days: limits.negotiated_term_max.0,
            max_ltv: Ltv::CEILING.basis_points() / 100,
            count_max: limits.count_max,
            min_ltv_gap: Limits::RUNE_LTV_GAP / 100,
            default_max_ltv_offset: Limits::DEFAULT_CAP_OFFSET / 100,
            prepared_max: PREPARED_MAX,
            prepared_per_lender_max: PREPARED_PER_LENDER_MAX,
        },
    })
}
