//! `/api/v1/vaults/me/outputs`: what the caller's vault is on the chain.

use actix_web::{HttpResponse, web};
use domain::{Departure, Sats, Standing, VaultOutput};
use lending::vault::on_chain;
use lending::vault_watch::decision::HeldBack;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::own_read::OwnRead;

/// The outputs of a vault, and the transactions that take some of them.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultOutputs {
    /// Every output that is followed, by transaction.
    outputs: Vec<OwnOutput>,
    /// Transactions that take outputs and are not buried yet.
    departures: Vec<Leaving>,
}

/// An output of the vault.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OwnOutput {
    /// Its transaction.
    transaction_id: String,
    /// Which output of it.
    vout: u32,
    /// What it holds.
    #[schema(value_type = u64)]
    sats: Sats,
    state: OutputState,
}

/// What becomes of an output.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum OutputState {
    /// In a block, and part of the balance.
    Usable,
    /// It comes in with a block.
    Waiting,
    /// A transaction takes it.
    Leaving,
    /// It carries inscriptions or runes: nobody here spends it, and the lender gets it out with the vault's kit.
    CarriesAssets,
    /// The indexer has yet to say what it carries.
    Unread,
    /// It pays a miner, and cannot be spent for 100 blocks.
    Immature,
}

/// A transaction that takes outputs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Leaving {
    /// The transaction.
    transaction_id: String,
    kind: LeavingKind,
    /// What leaves the vault by it, fees included.
    #[schema(value_type = u64)]
    sats: Sats,
    /// Whether it is signed, and so on its way.
    is_signed: bool,
}

/// Where it goes.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum LeavingKind {
    /// Into a loan.
    Loan,
    /// To the lender.
    Withdrawal,
    /// Back to the vault, without the fee that it pays for one of the others.
    FeeBump,
}

const fn state(output: &VaultOutput) -> OutputState {
    match (output.leaving, output.standing) {
        (Some(_), _) => OutputState::Leaving,
        (None, Standing::Confirmed { .. }) => OutputState::Usable,
        (None, Standing::Waiting) => OutputState::Waiting,
    }
}

const fn held_back(why: HeldBack) -> OutputState {
    match why {
        HeldBack::Assets => OutputState::CarriesAssets,
        HeldBack::Unread => OutputState::Unread,
        HeldBack::Immature => OutputState::Immature,
    }
}

/// Shows the outputs of the caller's vault.
///
/// # Errors
/// [`ErrorCode::VaultNotFound`].
#[utoipa::path(get, path = "/api/v1/vaults/me/outputs", operation_id = "listVaultOutputs", tag = "vault", security(("session" = [])),
    responses((status = 200, body = VaultOutputs), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(lender): OwnRead) -> Result<HttpResponse, ApiError> {
    let ledger = app.market.vault_ledger(lender.user()).await;
    let open = ledger.filter(|ledger| ledger.keys().is_some());
    let ledger = open.ok_or_else(|| ApiError::plain(ErrorCode::VaultNotFound))?;
    let held = app.vault_watch.as_ref().map(|watch| watch.held_back(lender.user())).unwrap_or_default();
    let known = ledger.outputs().filter(|(outpoint, _)| held.iter().all(|(other, _, _)| other != outpoint));
    let known = known.map(|(outpoint, output)| (outpoint, output.amount, state(&output)));
    let held = held.iter().map(|(outpoint, sats, why)| (*outpoint, *sats, held_back(*why)));
    let outputs = known.chain(held).map(|(outpoint, sats, state)| {
        let place = on_chain(&outpoint);
        OwnOutput { transaction_id: place.txid.to_string(), vout: place.vout, sats, state }
    });
    let departures = ledger.departures().map(|(departure, leaving)| Leaving {
        transaction_id: on_chain(&domain::Outpoint { txid: leaving.txid, vout: 0 }).txid.to_string(),
        kind: match departure {
            Departure::Loan(_) => LeavingKind::Loan,
            Departure::Withdrawal(_) => LeavingKind::Withdrawal,
            Departure::FeeBump(_) => LeavingKind::FeeBump,
        },
        sats: leaving.amount,
        is_signed: leaving.transaction.is_some() || matches!(departure, Departure::Loan(_)),
    });
    let mut answer = VaultOutputs { outputs: outputs.collect(), departures: departures.collect() };
    answer.outputs.sort_by(|one, other| (&one.transaction_id, one.vout).cmp(&(&other.transaction_id, other.vout)));
    Ok(HttpResponse::Ok().json(answer))
}
