//! A client of `UniSat`'s open API: BRC-20, inscriptions, runes and its marketplace.
//!
//! Response formats follow its documentation. Every response is an envelope with a code; BRC-20 amounts are decimals of
//! whole tokens, prices are sats with decimals.

mod answers;
mod outputs;
#[cfg(test)]
mod tests;

use bitcoin::hex::DisplayHex as _;
use bitcoin::{Address, Network, OutPoint, Script, ScriptBuf};
use engine::asset_index::{Brc20Balance, InscriptionId, TransferNote};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::OnceCell;

use self::answers::{Balance, BestHeight, Chain, Envelope, History, Info, Market, Statistic, Transferable};
use crate::address_script::{address_of, script_of};
use crate::brc20_amount;
use crate::capability::{AsOf, Brc20, Heighted, Inscriptions, Named, Prices, Quote, Sighting, Told, Traded};
use crate::exact::Exact;
use crate::fallback::{BATCH, Site, Trouble, each_page};
use crate::https::{Patience, Question};
use crate::text::shown;

pub(crate) use self::outputs::UnisatOutputs;

/// The maximum number of unused transfer inscriptions of one ticker and address that are listed.
const NOTES_MAX: usize = 5_000;

/// A client of `UniSat`.
pub(crate) struct Unisat {
    site: Site,
    network: Network,
    is_of_network: OnceCell<()>,
}

impl Unisat {
    pub(crate) fn new(client: Site, network: Network) -> Self {
        Self { site: client, network, is_of_network: OnceCell::new() }
    }

    /// Returns the content of the envelope; `None` for what is unknown.
    async fn read<T: DeserializeOwned>(&self, request: Question) -> Result<Option<T>, Trouble> {
        let Some(Envelope { code, msg, data }) = self.site.read::<Envelope<T>>(request).await? else {
            return Ok(None);
        };
        if code == 0 {
            return Ok(data);
        }
        let msg = msg.unwrap_or_default();
        if msg.to_lowercase().contains("not found") || msg.to_lowercase().contains("not exist") {
            return Ok(None);
        }
        Err(self.site.blamed(Trouble::Refused(crate::text::excerpt(&format!("{msg} ({code})")))))
    }

    async fn known<T: DeserializeOwned>(&self, request: Question) -> Result<T, Trouble> {
        self.read(request).await?.ok_or_else(|| self.nonsense("not found"))
    }

    fn nonsense(&self, why: &str) -> Trouble {
        self.site.blamed(Trouble::nonsense(why))
    }

    /// Checks once that it reads mainnet exactly when we do.
    async fn check_network(&self) -> Result<(), Trouble> {
        let ask = async || {
            let chain: Chain = self.known(Question::get("/v1/indexer/blockchain/info")).await?;
            let is_ours = (chain.chain == "main") == (self.network == Network::Bitcoin);
            if is_ours { Ok(()) } else { Err(self.site.blamed(Trouble::OtherNetwork)) }
        };
        self.is_of_network.get_or_try_init(ask).await.copied()
    }

    fn address(&self, owner: &Script) -> Result<Address, Trouble> {
        address_of(owner, self.network)
    }

    async fn balance_of(&self, owner: &Script, ticker: &str) -> Result<Brc20Balance, Trouble> {
        self.check_network().await?;
        let (address, place) = (self.address(owner)?, ticker_in_path(ticker));
        let found = self.read(Question::get(format!("/v1/indexer/address/{address}/brc20/{place}/info"))).await?;
        let Some(Balance { ticker: named, available, available_safe, transferable }) = found else {
            return Ok(Brc20Balance::default());
        };
        if named.is_some_and(|named| !is_same_ticker(&named, ticker)) {
            return Err(self.nonsense("the response is for another ticker"));
        }
        let raw = |amount: &Exact| brc20_amount::raw(amount).ok_or_else(|| self.nonsense("an amount beyond bounds"));
        // An unconfirmed balance cannot be pledged.
        Ok(Brc20Balance {
            available: raw(available_safe.as_ref().unwrap_or(&available))?,
            transferable: raw(&transferable)?,
        })
    }

    async fn note_of(&self, id: InscriptionId) -> Result<Option<TransferNote>, Trouble> {
        self.check_network().await?;
        let Some(info) = self.info(id).await? else { return Ok(None) };
        let Some(content) = info.brc20.filter(|content| content.op.eq_ignore_ascii_case("transfer")) else { return Ok(None) };
        let place = ticker_in_path(&content.tick);
        // The history shows the transfers that the reveal inscribed, and whether each was valid then.
        let path = format!("/v1/indexer/brc20/{place}/tx/{}/history", id.txid);
        let query = format!("?type=inscribe-transfer&start=0&limit={BATCH}");
        let Some(history) = self.read::<History>(Question::get(path + &query)).await? else { return Ok(None) };
        let is_it = |event: &&answers::Event| event.inscription.0 == id && event.kind == "inscribe-transfer";
        let Some(event) = history.detail.iter().find(is_it) else {
            return if history.detail.len() < BATCH { Ok(None) } else { Err(self.nonsense("a reveal of 100 transfer inscriptions")) };
        };
        if !event.valid {
            return Ok(None);
        }
        if !is_same_ticker(&event.ticker, &content.tick) {
            return Err(self.nonsense("the response is for another ticker"));
        }
        let owner = script_of(&event.to, self.network);
        let owner = owner.ok_or_else(|| self.nonsense("the owner is no address of this network"))?;
        let amount = brc20_amount::raw(&event.amount).ok_or_else(|| self.nonsense("an amount beyond bounds"))?;
        // It is unused as long as it is listed.
        let list = format!("/v1/indexer/address/{}/brc20/{place}/transferable-inscriptions", event.to);
        let unused = each_page(BATCH, NOTES_MAX, |begin| {
            let request = Question::get(format!("{list}?start={begin}&limit={BATCH}"));
            async move { Ok(self.read::<Transferable>(request).await?.map_or_else(Vec::new, |found| found.detail)) }
        });
        let is_used = match unused.await?.iter().find(|unused| unused.inscription.0 == id) {
            None => true,
            Some(unused) if brc20_amount::raw(&unused.data.amount) == Some(amount) => false,
            Some(_) => return Err(self.nonsense("two amounts for one transfer inscription")),
        };
        Ok(Some(TransferNote { ticker: event.ticker.to_lowercase(), amount, owner, is_used }))
    }

    async fn info(&self, id: InscriptionId) -> Result<Option<Info>, Trouble> {
        let info: Option<Info> = self.read(Question::get(format!("/v1/indexer/inscription/info/{id}"))).await?;
        match info {
            Some(info) if info.inscription.0 != id => Err(self.nonsense("the response is for another inscription")),
            info => Ok(info),
        }
    }

    async fn seen(&self, id: InscriptionId) -> Result<Option<Sighting>, Trouble> {
        self.check_network().await?;
        let Some(info) = self.info(id).await? else { return Ok(None) };
        let Some(output) = info.utxo else { return Err(self.nonsense("an inscription without an output")) };
        Ok(Some(Sighting {
            offset_sats: info.offset,
            owner: info.address.and_then(|address| script_of(&address, self.network)),
            number: info.number,
            output_sats: Some(output.sats),
            content_type: info.content_type.as_deref().and_then(shown),
            ..Sighting::at(id, OutPoint::new(output.txid.0, output.vout))
        }))
    }

    async fn quoted(&self, traded: &Traded) -> Result<Option<Quote>, Trouble> {
        let market = |path: &str, body: serde_json::Value| {
            Question::json(path.to_owned(), body.to_string()).with(Patience::Long)
        };
        let price = match traded {
            Traded::Collection(id) => {
                let asked = market("/v3/market/collection/auction/collection_statistic", json!({ "collectionId": id }));
                self.read::<Statistic>(asked).await?.and_then(|found| found.floor_price)
            }
            Traded::Rune(name) => {
                let body = json!({ "tick": name, "timeType": "day1" });
                let asked = market("/v3/market/runes/auction/runes_types_specified", body);
                self.read::<Market>(asked).await?.and_then(|found| found.price)
            }
            Traded::Brc20(ticker) => {
                let body = json!({ "tick": ticker, "timeType": "day1" });
                let asked = market("/v3/market/brc20/auction/brc20_types_specified", body);
                self.read::<Market>(asked).await?.and_then(|found| found.price)
            }
        };
        let Some(price) = price else { return Ok(None) };
        crate::price::quote(&price, None).map_err(|error| self.site.blamed(error))
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
        self.site.name()
    }
}

impl Heighted for Unisat {
    fn height(&self) -> Told<'_, u32> {
        Box::pin(async {
            self.check_network().await?;
            let best = Question::get("/v1/indexer/brc20/bestheight").with(Patience::Short);
            Ok(self.known::<BestHeight>(best).await?.height)
        })
    }
}

impl Brc20 for Unisat {
    fn balance<'a>(&'a self, owner: &'a ScriptBuf, ticker: &'a str) -> Told<'a, AsOf<Brc20Balance>> {
        Box::pin(async { Ok(AsOf { height: None, value: self.balance_of(owner, ticker).await? }) })
    }

    fn note(&self, inscription: InscriptionId) -> Told<'_, AsOf<Option<TransferNote>>> {
        Box::pin(async move { Ok(AsOf { height: None, value: self.note_of(inscription).await? }) })
    }
}

impl Inscriptions for Unisat {
    fn sighting(&self, inscription: InscriptionId) -> Told<'_, Option<Sighting>> {
        Box::pin(self.seen(inscription))
    }
}

impl Prices for Unisat {
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>> {
        Box::pin(self.quoted(traded))
    }
}
