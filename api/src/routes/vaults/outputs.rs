//! `/api/v1/vaults/me/outputs`: the outputs of the caller's vault on the chain.

use actix_web::{HttpResponse, web};
use domain::{OutputStatus, Sats, SpendId, VaultOutput};
use lending::vaults::vault::bitcoin_outpoint;
use lending::vaults::vault_watch::decision::Exclusion;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The outputs of a vault, and the transactions that spend some of them.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultOutputs {
    /// Every tracked output, by outpoint.
    outputs: Vec<OwnOutput>,
    /// Transactions that spend outputs and are not final yet.
    departures: Vec<Leaving>,
}

/// An output of the vault.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OwnOutput {
    /// The id of its transaction.
    transaction_id: String,
    /// The index of the output.
    vout: u32,
    /// The amount of the output.
    #[schema(value_type = u64)]
    sats: Sats,
    state: OutputState,
}

/// The state of an output.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum OutputState {
    /// Confirmed, and part of the balance.
    Usable,
    /// Not confirmed yet: change, or an output that a reorg unconfirmed.
    Waiting,
    /// Taken by a transaction that is not final yet, signed or not.
    Leaving,
    /// Carries inscriptions or runes: the server never spends it, and the lender can spend it with the vault's kit.
    CarriesAssets,
    /// The indexer has not reported yet what it carries.
    Unread,
    /// A coinbase output, which cannot be spent for 100 blocks.
    Immature,
}

/// A transaction that spends outputs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Leaving {
    /// The id of the transaction.
    transaction_id: String,
    kind: LeavingKind,
    /// The amount that leaves the vault by it, fees included.
    #[schema(value_type = u64)]
    sats: Sats,
    /// Whether it is signed, and so possibly broadcast.
    is_signed: bool,
}

/// The purpose of a transaction.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum LeavingKind {
    /// The origination of a loan.
    Loan,
    /// A withdrawal to the lender.
    Withdrawal,
    /// The move to other signers; the amount is its fee.
    Move,
    /// A fee bump (CPFP), which returns to the vault without the fee that it pays for one of the others.
    FeeBump,
}

const fn state(output: &VaultOutput) -> OutputState {
    match (output.spent_by, output.status) {
        (Some(_), _) => OutputState::Leaving,
        (None, OutputStatus::Confirmed { .. }) => OutputState::Usable,
        (None, OutputStatus::Unconfirmed) => OutputState::Waiting,
    }
}

const fn held_back(why: Exclusion) -> OutputState {
    match why {
        Exclusion::Assets => OutputState::CarriesAssets,
        Exclusion::Unindexed => OutputState::Unread,
        Exclusion::Immature => OutputState::Immature,
    }
}

/// Returns the outputs of the caller's vault.
///
/// # Errors
/// [`ErrorCode::VaultNotFound`].
#[utoipa::path(get, path = "/api/v1/vaults/me/outputs", operation_id = "listVaultOutputs", tag = "vault", security(("session" = [])),
    responses((status = 200, body = VaultOutputs), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(lender): OwnRead) -> Result<HttpResponse, ApiError> {
    let ledger = app.market.vault_ledger(lender.user()).await;
    let open = ledger.filter(|ledger| ledger.keys().is_some());
    let ledger = open.ok_or_else(|| ApiError::plain(ErrorCode::VaultNotFound))?;
    let held = app.vault_watch.as_ref().map(|watch| watch.excluded_outputs(lender.user())).unwrap_or_default();
    let known = ledger.outputs().filter(|(outpoint, _)| held.iter().all(|(other, _, _)| other != outpoint));
    let known = known.map(|(outpoint, output)| (outpoint, output.amount, state(&output)));
    let held = held.iter().map(|(outpoint, sats, why)| (*outpoint, *sats, held_back(*why)));
    let outputs = known.chain(held).map(|(outpoint, sats, state)| {
        let place = bitcoin_outpoint(&outpoint);
        OwnOutput { transaction_id: place.txid.to_string(), vout: place.vout, sats, state }
    });
    let departures = ledger.pending_spends().map(|(spend, leaving)| Leaving {
        transaction_id: bitcoin_outpoint(&domain::Outpoint { txid: leaving.txid, vout: 0 }).txid.to_string(),
        kind: match spend {
            SpendId::Loan(_) => LeavingKind::Loan,
            SpendId::Withdrawal(_) => LeavingKind::Withdrawal,
            SpendId::FeeBump(_) => LeavingKind::FeeBump,
            SpendId::Move(_) => LeavingKind::Move,
        },
        sats: leaving.amount,
        is_signed: leaving.transaction.is_some() || matches!(spend, SpendId::Loan(_)),
    });
    let mut answer = VaultOutputs { outputs: outputs.collect(), departures: departures.collect() };
    answer.outputs.sort_by(|one, other| (&one.transaction_id, one.vout).cmp(&(&other.transaction_id, other.vout)));
    Ok(HttpResponse::Ok().json(answer))
}
