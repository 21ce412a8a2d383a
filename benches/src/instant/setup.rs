//! The setup before the submissions: users, funded vaults, collateral, offers, and loans that the borrower has signed.

use std::{io, sync::Arc};

use escrow::action::{Action, InstantTerms, NewOffer, OfferProcess};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Sizes;
use crate::{
    served_lending,
    server_process::ServerProcess,
    wallet_client::{ORDINALS, PAYMENT, WalletClient, text},
};

/// The number of concurrent requests.
const CONCURRENCY: usize = 16;
/// The principal of every loan, in sats.
const PRINCIPAL_SATS: u64 = 100_000;
/// The value of every output of a vault, in sats: a loan spends one of them, and the rest returns as change.
const OUTPUT_SATS: u64 = 150_000;
/// The maximum LTV, in percent times 100.
const LTV_MAX: u32 = 7_500;
/// The fee rate that borrowers pay, in sats per virtual byte.
const FEE_RATE: u32 = 3;
/// The slug of the sub-collection of all offers.
const SLUG: &str = "group-1-7d";
const OFFERS: &str = "/api/v1/offers/instant/ordinals";

/// A request that is ready to send.
pub(super) struct Submission {
    pub(super) borrower: usize,
    pub(super) loan: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// All users, and the requests they are about to send.
pub(super) struct Setup {
    pub(super) lenders: Vec<Arc<WalletClient>>,
    pub(super) borrowers: Vec<Arc<WalletClient>>,
    pub(super) submissions: Vec<Submission>,
}

/// Runs an async function for each item, several at a time, and keeps the order of the results.
async fn each<T, U, F>(all: impl IntoIterator<Item = T>, act: impl Fn(T) -> F) -> io::Result<Vec<U>>
where
    F: Future<Output = Result<U, String>> + Send + 'static,
    U: Send + 'static,
{
    let permits = Arc::new(tokio::sync::Semaphore::new(CONCURRENCY));
    let mut tasks = JoinSet::new();
    for (place, one) in all.into_iter().enumerate() {
        let (permits, acting) = (Arc::clone(&permits), act(one));
        tasks.spawn(async move {
            let _permit = permits.acquire_owned().await.map_err(|error| error.to_string())?;
            Ok::<_, String>((place, acting.await?))
        });
    }
    let mut done = Vec::new();
    while let Some(one) = tasks.join_next().await {
        done.push(one.map_err(io::Error::other)?.map_err(io::Error::other)?);
    }
    done.sort_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, one)| one).collect())
}

/// Splits a total over a number of users as evenly as possible.
fn shares(total: usize, users: usize) -> impl Iterator<Item = usize> {
    (0..users).map(move |user| total / users + usize::from(user < total % users))
}

impl Setup {
    pub(super) async fn new(http: Client, server: &mut ServerProcess, seed: u64, sizes: Sizes) -> io::Result<Self> {
        let url = format!("http://{}", server.address);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let seeds: Vec<[u8; 32]> = (0..sizes.lenders + sizes.borrowers).map(|_| rng.random()).collect();
        let clients = each(seeds, |seed| WalletClient::sign_in(http.clone(), url.clone(), seed)).await?;
        let mut lenders: Vec<Arc<WalletClient>> = clients.into_iter().map(Arc::new).collect();
        let borrowers = lenders.split_off(sizes.lenders);
        let config = lenders[0].get("/api/v1/config").await.map_err(io::Error::other)?;
        let vault = text(&config, "vaultSignerId").map_err(io::Error::other)?;
        let addresses = each(lenders.iter().cloned(), |lender| open_vault(lender, vault.clone())).await?;
        let outputs = addresses.iter().cloned().zip(shares(sizes.loans, sizes.lenders)).collect();
        served_lending::pay(server, outputs, OUTPUT_SATS)?;
        let addresses_to_inscribe = borrowers.iter().map(|borrower| borrower.key.ordinals_address().to_string());
        let inscribed = served_lending::inscribe(
            server,
            addresses_to_inscribe.zip(shares(sizes.loans, sizes.borrowers)).collect(),
        )?;
        // In turn, as a borrower may hold only a few loans of one lender.
        let quoting = lenders.iter().zip(&addresses).cycle().take(sizes.loans);
        let offers = each(quoting, |(lender, address)| quote(lender.clone(), address.clone(), vault.clone())).await?;
        let pledged = inscribed.iter().enumerate().flat_map(|(place, ids)| ids.iter().map(move |id| (place, id)));
        let requests = pledged.zip(offers).map(|((place, id), offer)| (place, id.clone(), offer));
        let submissions = each(requests, |(place, inscription, offer)| {
            let borrower = borrowers[place].clone();
            prepare(borrower, place, inscription, offer)
        });
        Ok(Self { submissions: submissions.await?, lenders, borrowers })
    }
}

/// Opens a vault and returns its address.
async fn open_vault(lender: Arc<WalletClient>, vault: String) -> Result<String, String> {
    let action = Action::OpenVault { payment_address: text(&lender.wallet, "payment_address")?, vault: vault.clone() };
    let signed = lender.sign_fresh(ORDINALS, action).await?;
    let body = json!({
        "canister_id": vault, "signature": signed.signature, "signature_timestamp": signed.issued_s,
        "message": signed.text,
    });
    text(&lender.post("/api/v1/vaults", &body).await?, "vaultAddress")
}

/// Creates an offer and returns its id.
async fn quote(lender: Arc<WalletClient>, address: String, vault: String) -> Result<String, String> {
    let terms = InstantTerms { accept_next_term: true, ..InstantTerms::plain(LTV_MAX, vault) };
    let process = OfferProcess::Instant(terms);
    let offer = NewOffer { collection_slug: SLUG.to_owned(), principal_sats: PRINCIPAL_SATS, process };
    let signed = lender.sign_fresh(PAYMENT, Action::CreateOffer(offer)).await?;
    let body = json!({
        "collection_slug": SLUG, "principal_amount_sats": PRINCIPAL_SATS, "ltv_max": LTV_MAX,
        "signature": signed.signature, "signature_timestamp": signed.issued_s, "message": signed.text,
        "vault_address": address, "accept_next_term": true,
    });
    text(&lender.post(OFFERS, &body).await?["offer"], "offerId")
}

/// Accepts an offer and signs.
async fn prepare(
    borrower: Arc<WalletClient>,
    place: usize,
    inscription: String,
    offer: String,
) -> Result<Submission, String> {
    let field = |name: &str| borrower.wallet[name].clone();
    let body = json!({
        "fee_rate": FEE_RATE, "inscription_id": inscription, "borrower_wallet": "simulated",
        "borrower_payment_address": field("payment_address"), "borrower_payment_pubkey": field("payment_pubkey"),
        "borrower_ordinal_address": field("ordinal_address"), "borrower_ordinal_pubkey": field("ordinal_pubkey"),
    });
    let prepared: Value = borrower.post(&format!("{OFFERS}/{offer}/prepare-accept"), &body).await?;
    let psbt = text(&prepared, "transactionBase64")?;
    let signed = borrower.key.sign_psbt(&psbt).map_err(|error| error.to_string())?;
    let body = json!({
        "offer_accept_request_id": text(&prepared, "offerAcceptRequestId")?, "wallet_name": "simulated",
        "signed_psbt": signed,
    });
    let body = body.to_string().into_bytes();
    Ok(Submission { borrower: place, loan: text(&prepared, "loanId")?, path: format!("{OFFERS}/{offer}/accept"), body })
}
