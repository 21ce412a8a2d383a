//! Orders over HTTP.

use std::io;

use reqwest::{Client, Method};
use serde_json::json;

use crate::{market::slug, orders::Order, served_market::GROUP, wallet_client::WalletClient};

/// Executes an order; returns the offer that is open now. The answer has the offer with its rank and the best one.
///
/// # Errors
/// If the server refuses it.
pub async fn execute(client: &WalletClient, order: Order<String>) -> io::Result<Option<String>> {
    let (method, path, body) = match &order {
        Order::Place { sub_collection, principal } => {
            let mut item = client.wallet.clone();
            item["collection_slug"] = slug(GROUP.0, *sub_collection).into();
            item["principal_amount"] = (*principal).into();
            item["quantity"] = 1.into();
            (Method::POST, "/api/v1/offers/manual".to_owned(), json!({ "offers": [item] }))
        }
        Order::Edit { offer, principal } => {
            (Method::PATCH, format!("/api/v1/offers/manual/{offer}"), json!({ "principal_amount": principal }))
        }
        Order::Cancel { offer } => {
            (Method::POST, "/api/v1/offers/manual/cancel".to_owned(), json!({ "offerIds": [offer] }))
        }
    };
    let (status, answer) = client.send(method, &path, &body).await.map_err(io::Error::other)?;
    if !status.is_success() {
        return Err(io::Error::other(format!("{path} answers {status}: {answer}")));
    }
    let offer = match order {
        Order::Place { .. } => &answer["offers"][0]["offerId"],
        Order::Edit { .. } => &answer["offer"]["offerId"],
        Order::Cancel { .. } => return Ok(None),
    };
    let id = offer.as_str().ok_or_else(|| io::Error::other(format!("the answer has no offer: {answer}")))?;
    Ok(Some(id.to_owned()))
}

/// Signs `count` users in, whose wallets follow from the seed.
///
/// # Errors
/// If the server refuses one.
pub async fn sign_in(http: &Client, url: &str, seed: u64, count: usize) -> io::Result<Vec<WalletClient>> {
    let mut clients = Vec::with_capacity(count);
    for number in 1..=u64::try_from(count).map_err(io::Error::other)? {
        let mut wallet = [0; 32];
        wallet[..8].copy_from_slice(&seed.to_le_bytes());
        wallet[8..16].copy_from_slice(&number.to_le_bytes());
        wallet[31] = 1;
        let client = WalletClient::sign_in(http.clone(), url.to_owned(), wallet).await;
        clients.push(client.map_err(io::Error::other)?);
    }
    Ok(clients)
}

/// An HTTP client with a persistent connection for each of `count` users.
///
/// # Errors
/// If it cannot be built.
pub fn http_client(count: usize) -> io::Result<Client> {
    let timeout = std::time::Duration::from_mins(1);
    Client::builder().timeout(timeout).no_proxy().pool_max_idle_per_host(count).build().map_err(io::Error::other)
}
