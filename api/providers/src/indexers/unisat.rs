//! A client of `UniSat`'s open API: BRC-20, inscriptions and runes. Its prices are in `prices`.
//!
//! Response formats follow its documentation. Every response is an envelope with a code; BRC-20 amounts are decimals of
//! whole tokens.

mod outputs;
mod responses;
#[cfg(test)]
mod tests;

use bitcoin::hex::DisplayHex as _;
use bitcoin::{Address, Network, OutPoint, Script, ScriptBuf};
use engine::asset_index::{Brc20Balance, InscriptionId, TransferInscription};
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;

use self::responses::{Balance, BestHeight, Chain, Envelope, History, Info, Transferable};
use crate::capability::{
    AsOf, Brc20, HasHeight, InscriptionDetails, Inscriptions, Named, UpstreamError, UpstreamFuture,
};
use crate::http::{HttpRequest, TimeoutClass};
use crate::parsing::address_script::{address_of, script_of};
use crate::parsing::brc20_amount;
use crate::parsing::decimal::Decimal;
use crate::parsing::text::sanitized;
use crate::resilience::{BATCH, UpstreamClient, fetch_all_pages};

pub(crate) use self::outputs::UnisatOutputs;

/// The maximum number of unused transfer inscriptions of one ticker and address that are listed.
const NOTES_MAX: usize = 5_000;

/// A client of `UniSat`.
pub(crate) struct Unisat {
    pub(crate) client: UpstreamClient,
    network: Network,
    is_of_network: OnceCell<()>,
}

impl Unisat {
    pub(crate) fn new(client: UpstreamClient, network: Network) -> Self {
        Self { client, network, is_of_network: OnceCell::new() }
    }

    /// Returns the content of the envelope; `None` for what is unknown.
    pub(crate) async fn read<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<Option<T>, UpstreamError> {
        let Some(Envelope { code, msg, data }) = self.client.read::<Envelope<T>>(request).await? else {
            return Ok(None);
        };
        if code == 0 {
            return Ok(data);
        }
        let msg = msg.unwrap_or_default();
        if msg.to_lowercase().contains("not found") || msg.to_lowercase().contains("not exist") {
            return Ok(None);
        }
        Err(self
            .client
            .record_failure(UpstreamError::Refused(crate::parsing::text::excerpt(&format!("{msg} ({code})")))))
    }

    async fn read_required<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<T, UpstreamError> {
        self.read(request).await?.ok_or_else(|| self.invalid_response("not found"))
    }

    fn invalid_response(&self, why: &str) -> UpstreamError {
        self.client.record_failure(UpstreamError::invalid_response(why))
    }

    /// Checks once that it reads mainnet exactly when we do.
    async fn check_network(&self) -> Result<(), UpstreamError> {
        let ask = async || {
            let chain: Chain = self.read_required(HttpRequest::get("/v1/indexer/blockchain/info")).await?;
            let is_ours = (chain.chain == "main") == (self.network == Network::Bitcoin);
            if is_ours { Ok(()) } else { Err(self.client.record_failure(UpstreamError::WrongNetwork)) }
        };
        self.is_of_network.get_or_try_init(ask).await.copied()
    }

    fn address(&self, owner: &Script) -> Result<Address, UpstreamError> {
        Ok(address_of(owner, self.network)?)
    }

    async fn fetch_balance(&self, owner: &Script, ticker: &str) -> Result<Brc20Balance, UpstreamError> {
        self.check_network().await?;
        let (address, place) = (self.address(owner)?, ticker_in_path(ticker));
        let found = self.read(HttpRequest::get(format!("/v1/indexer/address/{address}/brc20/{place}/info"))).await?;
        let Some(Balance { ticker: named, available, available_safe, transferable }) = found else {
            return Ok(Brc20Balance::default());
        };
        if named.is_some_and(|named| !is_same_ticker(&named, ticker)) {
            return Err(self.invalid_response("the response is for another ticker"));
        }
        let raw = |amount: &Decimal| {
            brc20_amount::raw(amount).ok_or_else(|| self.invalid_response("an amount beyond bounds"))
        };
        // An unconfirmed balance cannot be pledged.
        Ok(Brc20Balance {
            available: raw(available_safe.as_ref().unwrap_or(&available))?,
            transferable: raw(&transferable)?,
        })
    }

    async fn fetch_note(&self, id: InscriptionId) -> Result<Option<TransferInscription>, UpstreamError> {
        self.check_network().await?;
        let Some(info) = self.info(id).await? else { return Ok(None) };
        let Some(content) = info.brc20.filter(|content| content.op.eq_ignore_ascii_case("transfer")) else {
            return Ok(None);
        };
        let place = ticker_in_path(&content.tick);
        // The history shows the transfers that the reveal inscribed, and whether each was valid then.
        let path = format!("/v1/indexer/brc20/{place}/tx/{}/history", id.txid);
        let query = format!("?type=inscribe-transfer&start=0&limit={BATCH}");
        let Some(history) = self.read::<History>(HttpRequest::get(path + &query)).await? else { return Ok(None) };
        let is_it = |event: &&responses::Event| event.inscription.0 == id && event.kind == "inscribe-transfer";
        let Some(event) = history.detail.iter().find(is_it) else {
            return if history.detail.len() < BATCH {
                Ok(None)
            } else {
                Err(self.invalid_response("a reveal of 100 transfer inscriptions"))
            };
        };
        if !event.valid {
            return Ok(None);
        }
        if !is_same_ticker(&event.ticker, &content.tick) {
            return Err(self.invalid_response("the response is for another ticker"));
        }
        let owner = script_of(&event.to, self.network);
        let owner = owner.ok_or_else(|| self.invalid_response("the owner is no address of this network"))?;
        let amount =
            brc20_amount::raw(&event.amount).ok_or_else(|| self.invalid_response("an amount beyond bounds"))?;
        // It is unused as long as it is listed.
        let list = format!("/v1/indexer/address/{}/brc20/{place}/transferable-inscriptions", event.to);
        let unused = fetch_all_pages(BATCH, NOTES_MAX, |begin| {
            let request = HttpRequest::get(format!("{list}?start={begin}&limit={BATCH}"));
            async move { Ok(self.read::<Transferable>(request).await?.map_or_else(Vec::new, |found| found.detail)) }
        });
        let is_used = match unused.await?.iter().find(|unused| unused.inscription.0 == id) {
            None => true,
            Some(unused) if brc20_amount::raw(&unused.data.amount) == Some(amount) => false,
            Some(_) => return Err(self.invalid_response("two amounts for one transfer inscription")),
        };
        Ok(Some(TransferInscription { ticker: event.ticker.to_lowercase(), amount, owner, is_used }))
    }

    async fn info(&self, id: InscriptionId) -> Result<Option<Info>, UpstreamError> {
        let info: Option<Info> = self.read(HttpRequest::get(format!("/v1/indexer/inscription/info/{id}"))).await?;
        match info {
            Some(info) if info.inscription.0 != id => {
                Err(self.invalid_response("the response is for another inscription"))
            }
            info => Ok(info),
        }
    }

    async fn fetch_inscription(&self, id: InscriptionId) -> Result<Option<InscriptionDetails>, UpstreamError> {
        self.check_network().await?;
        let Some(info) = self.info(id).await? else { return Ok(None) };
        let Some(output) = info.utxo else { return Err(self.invalid_response("an inscription without an output")) };
        Ok(Some(InscriptionDetails {
            offset_sats: info.offset,
            owner: info.address.and_then(|address| script_of(&address, self.network)),
            number: info.number,
            output_sats: Some(output.sats),
            content_type: info.content_type.as_deref().and_then(sanitized),
            ..InscriptionDetails::at(id, OutPoint::new(output.txid.0, output.vout))
        }))
    }
}

/// Returns a ticker as a path segment: one with other than alphanumeric characters is written in hexadecimal.
fn ticker_in_path(ticker: &str) -> String {
    if !ticker.is_empty() && ticker.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return ticker.to_owned();
    }
    ticker.as_bytes().to_lower_hex_string()
}

fn is_same_ticker(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

impl Named for Unisat {
    fn name(&self) -> &str {
        self.client.name()
    }
}

impl HasHeight for Unisat {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        Box::pin(async {
            self.check_network().await?;
            let best = HttpRequest::get("/v1/indexer/brc20/bestheight").with_timeout(TimeoutClass::Short);
            Ok(self.read_required::<BestHeight>(best).await?.height)
        })
    }
}

impl Brc20 for Unisat {
    fn balance<'a>(&'a self, owner: &'a ScriptBuf, ticker: &'a str) -> UpstreamFuture<'a, AsOf<Brc20Balance>> {
        Box::pin(async { Ok(AsOf { height: None, value: self.fetch_balance(owner, ticker).await? }) })
    }

    fn note(&self, inscription: InscriptionId) -> UpstreamFuture<'_, AsOf<Option<TransferInscription>>> {
        Box::pin(async move { Ok(AsOf { height: None, value: self.fetch_note(inscription).await? }) })
    }
}

impl Inscriptions for Unisat {
    fn inscription(&self, inscription: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>> {
        Box::pin(self.fetch_inscription(inscription))
    }
}
