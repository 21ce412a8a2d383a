//! Best in Slot's API, version 3: BRC-20, inscriptions, runes and markets.
//!
//! Response formats follow its documentation. Every response names the block that it is of. BRC-20 amounts are decimals
//! of whole tokens, but raw units in events; prices and volumes are sats.

mod answers;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bitcoin::hashes::Hash as _;
use bitcoin::{Address, Network, OutPoint, Script, ScriptBuf, WPubkeyHash};
use domain::Sats;
use engine::asset_index::{Brc20Balance, InscriptionId, TransferNote};
use engine::wire::Volumes;
use ordinals::{Rune, RuneId};
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::answers::{
    Balance, CollectionMarket, Envelope, Event, Inscription, RuneOutput, RuneSum, Sales, SingleInfo, TokenMarket,
};
use crate::address_script::{address_of, script_of};
use crate::brc20_amount;
use crate::capability::{
    AsOf, Brc20, Heighted, Inscriptions, Named, Prices, Quote, RuneBalance, RuneBalances, Runes, Sighting, Told, Traded,
};
use crate::exact::Exact;
use crate::fallback::{Site, Trouble};
use crate::https::{Patience, Question};
use crate::rune_amount;
use crate::text::{shown, shown_value, web_address};

/// A client of Best in Slot.
pub(crate) struct BestInSlot {
    site: Site,
    network: Network,
}

impl BestInSlot {
    pub(crate) const fn new(client: Site, network: Network) -> Self {
        Self { site: client, network }
    }

    /// Returns the content of the envelope with its block; `None` for what is unknown.
    async fn read<T: DeserializeOwned>(&self, request: Question) -> Result<Option<AsOf<T>>, Trouble> {
        let found: Option<Envelope<T>> = self.site.read(request).await?;
        Ok(found.map(|Envelope { data, block_height }| AsOf { height: Some(block_height), value: data }))
    }

    fn nonsense(&self, why: &str) -> Trouble {
        self.site.blamed(Trouble::nonsense(why))
    }

    fn address(&self, owner: &Script) -> Result<Address, Trouble> {
        address_of(owner, self.network)
    }

    fn raw(&self, amount: &Exact) -> Result<u128, Trouble> {
        brc20_amount::raw(amount).ok_or_else(|| self.nonsense("an amount beyond bounds"))
    }

    async fn balances(&self, owner: &Script) -> Result<AsOf<Vec<Balance>>, Trouble> {
        let address = self.address(owner)?;
        let found = self.read(Question::get(format!("/brc20/wallet_balances?address={address}"))).await?;
        found.ok_or_else(|| self.nonsense("it knows no balances"))
    }

    async fn balance_of(&self, owner: &Script, ticker: &str) -> Result<AsOf<Brc20Balance>, Trouble> {
        let AsOf { height, value } = self.balances(owner).await?;
        let wanted = ticker.to_lowercase();
        let mut found = value.iter().filter(|balance| balance.ticker.to_lowercase() == wanted);
        let value = match (found.next(), found.next()) {
            (None, _) => Brc20Balance::default(),
            (Some(balance), None) => Brc20Balance {
                available: self.raw(&balance.available)?,
                transferable: self.raw(&balance.transferable)?,
            },
            (Some(_), Some(_)) => return Err(self.nonsense("two balances for one ticker")),
        };
        Ok(AsOf { height, value })
    }

    async fn note_of(&self, id: InscriptionId) -> Result<AsOf<Option<TransferNote>>, Trouble> {
        let info: Option<AsOf<SingleInfo>> =
            self.read(Question::get(format!("/brc20/single_info?inscription_id={id}"))).await?;
        let Some(AsOf { height, value: info }) = info else { return Ok(AsOf { height: None, value: None }) };
        let transfer = info.transfer;
        if !transfer.is_valid {
            return Ok(AsOf { height, value: None });
        }
        let (Some(ticker), Some(amount), Some(is_used)) = (transfer.ticker, transfer.amount, transfer.is_used) else {
            return Err(self.nonsense("a valid transfer inscription without ticker, amount or use"));
        };
        let amount = self.raw(&amount)?;
        // The owner at the time of inscription is in the events of the reveal transaction.
        let events: Option<AsOf<Vec<Event>>> =
            self.read(Question::get(format!("/brc20/event_from_txid?txid={}", id.txid))).await?;
        let events = events.map_or_else(Vec::new, |events| events.value);
        let is_it = |event: &&Event| event.inscription.0 == id && event.kind == "transfer-inscribe";
        let event = events.iter().find(is_it).ok_or_else(|| self.nonsense("a valid transfer inscription that was never inscribed"))?;
        let is_same =
            event.said.tick.to_lowercase() == ticker.to_lowercase() && event.said.amount.scaled(0) == Some(amount);
        let owner = event.said.owner.as_deref().and_then(|hex| ScriptBuf::from_hex(hex).ok());
        match owner {
            Some(owner) if is_same && !owner.is_empty() => {
                let note = TransferNote { ticker: ticker.to_lowercase(), amount, owner, is_used };
                Ok(AsOf { height, value: Some(note) })
            }
            _ => Err(self.nonsense("contradictory data about one transfer inscription")),
        }
    }

    async fn seen(&self, id: InscriptionId) -> Result<Option<Sighting>, Trouble> {
        let found: Option<AsOf<Inscription>> =
            self.read(Question::get(format!("/inscription/single_info_id?inscription_id={id}"))).await?;
        let Some(AsOf { value: found, .. }) = found else { return Ok(None) };
        if found.id.0 != id {
            return Err(self.nonsense("the response is for another inscription"));
        }
        let place = found.satpoint.0;
        Ok(Some(Sighting {
            offset_sats: Some(place.offset),
            owner: found.owner.and_then(|address| script_of(&address, self.network)),
            number: found.number,
            output_sats: found.output_sats,
            content_type: found.mime_type.as_deref().and_then(shown),
            content_uri: found.content_url.as_deref().and_then(web_address),
            name: shown_value(&found.name),
            collection_slug: found.slug.as_deref().and_then(shown),
            collection_name: shown_value(&found.collection_name),
            ..Sighting::at(id, place.outpoint)
        }))
    }

    fn rune_amount(&self, amount: &Exact) -> Result<u128, Trouble> {
        rune_amount::raw(amount).ok_or_else(|| self.nonsense("an amount of runes that is no whole number"))
    }

    async fn piles(&self, outpoint: OutPoint) -> Result<AsOf<Vec<(RuneId, u128)>>, Trouble> {
        let found: Option<AsOf<RuneOutput>> =
            self.read(Question::get(format!("/runes/output_info?output={outpoint}"))).await?;
        let unknown = || Trouble::Unknown(format!("the runes of {outpoint}"));
        let AsOf { height, value: found } = found.ok_or_else(unknown)?;
        if found.spent {
            return Ok(AsOf { height, value: Vec::new() });
        }
        let is_other = found.output.is_some_and(|output| output.0 != outpoint);
        if is_other || found.rune_ids.len() != found.balances.len() {
            return Err(self.nonsense("the response is for another output, or has runes without amounts"));
        }
        let mut piles = Vec::with_capacity(found.balances.len());
        for (id, amount) in found.rune_ids.iter().zip(&found.balances) {
            piles.push((id.0, self.rune_amount(amount)?));
        }
        piles.sort_unstable();
        Ok(AsOf { height, value: piles })
    }

    async fn sums(&self, owner: &Script) -> Result<Vec<RuneBalance>, Trouble> {
        let address = self.address(owner)?;
        let found: Option<AsOf<Vec<RuneSum>>> =
            self.read(Question::get(format!("/runes/wallet_balances?address={address}"))).await?;
        let sums = found.map_or_else(Vec::new, |found| found.value);
        sums.iter().map(|sum| Ok(RuneBalance { rune: sum.rune.0, raw: self.rune_amount(&sum.amount)? })).collect()
    }

    async fn quoted(&self, traded: &Traded) -> Result<Option<Quote>, Trouble> {
        let (group, query) = match traded {
            Traded::Collection(slug) => ("collection", format!("slug={}", escaped(slug))),
            Traded::Rune(name) => ("runes", format!("rune_name={}", escaped(name))),
            Traded::Brc20(ticker) => ("brc20", format!("ticker={}", escaped(ticker))),
        };
        let market = Question::get(format!("/{group}/market_info?{query}")).with(Patience::Long);
        let price = match traded {
            Traded::Collection(_) => {
                self.read::<CollectionMarket>(market).await?.and_then(|found| found.value.floor_price)
            }
            Traded::Rune(_) | Traded::Brc20(_) => {
                self.read::<TokenMarket>(market).await?.and_then(|found| found.value.unit_price)
            }
        };
        let Some(price) = price else { return Ok(None) };
        let sales = Question::get(format!("/{group}/sales_info?{query}")).with(Patience::Long);
        // A price without volumes is still a price.
        let volumes = match self.read::<Sales>(sales).await {
            Ok(Some(sales)) => volumes(&sales.value),
            Ok(None) | Err(_) => None,
        };
        crate::price::quote(&price, volumes).map_err(|error| self.site.blamed(error))
    }
}

/// Converts the sales volume of each period to sats; `None` when one exceeds the range.
fn volumes(sales: &Sales) -> Option<Volumes> {
    let sats = |volume: &Exact| {
        let sats = volume.scaled_floor(0).and_then(|sats| u64::try_from(sats).ok());
        sats.map(Sats::new)
    };
    Some(Volumes {
        total: sats(&sales.total)?,
        day: sats(&sales.day)?,
        week: sats(&sales.week)?,
        month: sats(&sales.month)?,
    })
}

/// Percent-encodes a text for a query (RFC 3986): letters, digits and `-_.~` stay.
pub(crate) fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

impl Named for BestInSlot {
    fn name(&self) -> &str {
        self.site.name()
    }
}

impl Heighted for BestInSlot {
    fn height(&self) -> Told<'_, u32> {
        Box::pin(async {
            // An address that has no key, so that the response is short. It also is of our network.
            let unspendable = ScriptBuf::new_p2wpkh(&WPubkeyHash::all_zeros());
            let address = self.address(&unspendable)?;
            let request = Question::get(format!("/brc20/wallet_balances?address={address}")).with(Patience::Short);
            let found: Option<AsOf<Value>> = self.read(request).await?;
            found.and_then(|found| found.height).ok_or_else(|| self.nonsense("it names no block"))
        })
    }
}

impl Brc20 for BestInSlot {
    fn balance<'a>(&'a self, owner: &'a ScriptBuf, ticker: &'a str) -> Told<'a, AsOf<Brc20Balance>> {
        Box::pin(self.balance_of(owner, ticker))
    }

    fn note(&self, inscription: InscriptionId) -> Told<'_, AsOf<Option<TransferNote>>> {
        Box::pin(self.note_of(inscription))
    }
}

impl Inscriptions for BestInSlot {
    fn sighting(&self, inscription: InscriptionId) -> Told<'_, Option<Sighting>> {
        Box::pin(self.seen(inscription))
    }
}

impl Runes for BestInSlot {
    fn runes_in(&self, outpoint: OutPoint) -> Told<'_, AsOf<Vec<(RuneId, u128)>>> {
        Box::pin(self.piles(outpoint))
    }
}

impl RuneBalances for BestInSlot {
    fn rune_balances<'a>(&'a self, owner: &'a Script, _: &'a BTreeSet<Rune>) -> Told<'a, Vec<RuneBalance>> {
        Box::pin(self.sums(owner))
    }
}

impl Prices for BestInSlot {
    fn quote<'a>(&'a self, traded: &'a Traded) -> Told<'a, Option<Quote>> {
        Box::pin(self.quoted(traded))
    }
}
