//! Best in Slot's API, version 3: BRC-20, inscriptions and runes. Its prices are in `prices`.
//!
//! Response formats follow its documentation. Every response names the block that it is of. BRC-20 amounts are decimals
//! of whole tokens, but raw units in events.

mod responses;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bitcoin::hashes::Hash as _;
use bitcoin::{Address, Network, OutPoint, Script, ScriptBuf, WPubkeyHash};
use engine::asset_index::{Brc20Balance, InscriptionId, TransferInscription};
use ordinals::{Rune, RuneId};
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::responses::{Balance, Envelope, Event, Inscription, RuneOutput, RuneSum, SingleInfo};
use crate::capability::{
    AsOf, Brc20, HasHeight, InscriptionDetails, Inscriptions, Named, RuneBalance, RuneBalances, Runes, UpstreamError,
    UpstreamFuture,
};
use crate::http::{HttpRequest, TimeoutClass};
use crate::parsing::address_script::{address_of, script_of};
use crate::parsing::brc20_amount;
use crate::parsing::decimal::Decimal;
use crate::parsing::rune_amount;
use crate::parsing::text::{https_url, sanitized, sanitized_value};
use crate::resilience::UpstreamClient;

/// A client of Best in Slot.
pub(crate) struct BestInSlot {
    pub(crate) client: UpstreamClient,
    network: Network,
}

impl BestInSlot {
    pub(crate) const fn new(client: UpstreamClient, network: Network) -> Self {
        Self { client, network }
    }

    /// Returns the content of the envelope with its block; `None` for what is unknown.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        request: HttpRequest,
    ) -> Result<Option<AsOf<T>>, UpstreamError> {
        let found: Option<Envelope<T>> = self.client.read(request).await?;
        Ok(found.map(|Envelope { data, block_height }| AsOf { height: Some(block_height), value: data }))
    }

    fn invalid_response(&self, why: &str) -> UpstreamError {
        self.client.record_failure(UpstreamError::invalid_response(why))
    }

    fn address(&self, owner: &Script) -> Result<Address, UpstreamError> {
        Ok(address_of(owner, self.network)?)
    }

    fn raw(&self, amount: &Decimal) -> Result<u128, UpstreamError> {
        brc20_amount::raw(amount).ok_or_else(|| self.invalid_response("an amount beyond bounds"))
    }

    async fn balances(&self, owner: &Script) -> Result<AsOf<Vec<Balance>>, UpstreamError> {
        let address = self.address(owner)?;
        let found = self.read(HttpRequest::get(format!("/brc20/wallet_balances?address={address}"))).await?;
        found.ok_or_else(|| self.invalid_response("it knows no balances"))
    }

    async fn fetch_balance(&self, owner: &Script, ticker: &str) -> Result<AsOf<Brc20Balance>, UpstreamError> {
        let AsOf { height, value } = self.balances(owner).await?;
        let wanted = ticker.to_lowercase();
        let mut found = value.iter().filter(|balance| balance.ticker.to_lowercase() == wanted);
        let value = match (found.next(), found.next()) {
            (None, _) => Brc20Balance::default(),
            (Some(balance), None) => Brc20Balance {
                available: self.raw(&balance.available)?,
                transferable: self.raw(&balance.transferable)?,
            },
            (Some(_), Some(_)) => return Err(self.invalid_response("two balances for one ticker")),
        };
        Ok(AsOf { height, value })
    }

    async fn fetch_note(&self, id: InscriptionId) -> Result<AsOf<Option<TransferInscription>>, UpstreamError> {
        let info: Option<AsOf<SingleInfo>> =
            self.read(HttpRequest::get(format!("/brc20/single_info?inscription_id={id}"))).await?;
        let Some(AsOf { height, value: info }) = info else { return Ok(AsOf { height: None, value: None }) };
        let transfer = info.transfer;
        if !transfer.is_valid {
            return Ok(AsOf { height, value: None });
        }
        let (Some(ticker), Some(amount), Some(is_used)) = (transfer.ticker, transfer.amount, transfer.is_used) else {
            return Err(self.invalid_response("a valid transfer inscription without ticker, amount or use"));
        };
        let amount = self.raw(&amount)?;
        // The owner at the time of inscription is in the events of the reveal transaction.
        let events: Option<AsOf<Vec<Event>>> =
            self.read(HttpRequest::get(format!("/brc20/event_from_txid?txid={}", id.txid))).await?;
        let events = events.map_or_else(Vec::new, |events| events.value);
        let is_it = |event: &&Event| event.inscription.0 == id && event.kind == "transfer-inscribe";
        let event = events
            .iter()
            .find(is_it)
            .ok_or_else(|| self.invalid_response("a valid transfer inscription that was never inscribed"))?;
        let is_same = event.details.tick.to_lowercase() == ticker.to_lowercase()
            && event.details.amount.scaled(0) == Some(amount);
        let owner = event.details.owner.as_deref().and_then(|hex| ScriptBuf::from_hex(hex).ok());
        match owner {
            Some(owner) if is_same && !owner.is_empty() => {
                let note = TransferInscription { ticker: ticker.to_lowercase(), amount, owner, is_used };
                Ok(AsOf { height, value: Some(note) })
            }
            _ => Err(self.invalid_response("contradictory data about one transfer inscription")),
        }
    }

    async fn fetch_inscription(&self, id: InscriptionId) -> Result<Option<InscriptionDetails>, UpstreamError> {
        let found: Option<AsOf<Inscription>> =
            self.read(HttpRequest::get(format!("/inscription/single_info_id?inscription_id={id}"))).await?;
        let Some(AsOf { value: found, .. }) = found else { return Ok(None) };
        if found.id.0 != id {
            return Err(self.invalid_response("the response is for another inscription"));
        }
        let place = found.satpoint.0;
        Ok(Some(InscriptionDetails {
            offset_sats: Some(place.offset),
            owner: found.owner.and_then(|address| script_of(&address, self.network)),
            number: found.number,
            output_sats: found.output_sats,
            content_type: found.mime_type.as_deref().and_then(sanitized),
            content_uri: found.content_url.as_deref().and_then(https_url),
            name: sanitized_value(&found.name),
            collection_slug: found.slug.as_deref().and_then(sanitized),
            collection_name: sanitized_value(&found.collection_name),
            ..InscriptionDetails::at(id, place.outpoint)
        }))
    }

    fn rune_amount(&self, amount: &Decimal) -> Result<u128, UpstreamError> {
        rune_amount::raw(amount).ok_or_else(|| self.invalid_response("an amount of runes that is no whole number"))
    }

    async fn runes_of_output(&self, outpoint: OutPoint) -> Result<AsOf<Vec<(RuneId, u128)>>, UpstreamError> {
        let found: Option<AsOf<RuneOutput>> =
            self.read(HttpRequest::get(format!("/runes/output_info?output={outpoint}"))).await?;
        let unknown = || UpstreamError::Unknown(format!("the runes of {outpoint}"));
        let AsOf { height, value: found } = found.ok_or_else(unknown)?;
        if found.spent {
            return Ok(AsOf { height, value: Vec::new() });
        }
        let is_other = found.output.is_some_and(|output| output.0 != outpoint);
        if is_other || found.rune_ids.len() != found.balances.len() {
            return Err(self.invalid_response("the response is for another output, or has runes without amounts"));
        }
        let mut piles = Vec::with_capacity(found.balances.len());
        for (id, amount) in found.rune_ids.iter().zip(&found.balances) {
            piles.push((id.0, self.rune_amount(amount)?));
        }
        piles.sort_unstable();
        Ok(AsOf { height, value: piles })
    }

    async fn address_rune_balances(&self, owner: &Script) -> Result<Vec<RuneBalance>, UpstreamError> {
        let address = self.address(owner)?;
        let found: Option<AsOf<Vec<RuneSum>>> =
            self.read(HttpRequest::get(format!("/runes/wallet_balances?address={address}"))).await?;
        let sums = found.map_or_else(Vec::new, |found| found.value);
        sums.iter().map(|sum| Ok(RuneBalance { rune: sum.rune.0, raw: self.rune_amount(&sum.amount)? })).collect()
    }
}

impl Named for BestInSlot {
    fn name(&self) -> &str {
        self.client.name()
    }
}

impl HasHeight for BestInSlot {
    fn height(&self) -> UpstreamFuture<'_, u32> {
        Box::pin(async {
            // An address that has no key, so that the response is short. It also is of our network.
            let unspendable = ScriptBuf::new_p2wpkh(&WPubkeyHash::all_zeros());
            let address = self.address(&unspendable)?;
            let request =
                HttpRequest::get(format!("/brc20/wallet_balances?address={address}")).with_timeout(TimeoutClass::Short);
            let found: Option<AsOf<Value>> = self.read(request).await?;
            found.and_then(|found| found.height).ok_or_else(|| self.invalid_response("it names no block"))
        })
    }
}

impl Brc20 for BestInSlot {
    fn balance<'a>(&'a self, owner: &'a ScriptBuf, ticker: &'a str) -> UpstreamFuture<'a, AsOf<Brc20Balance>> {
        Box::pin(self.fetch_balance(owner, ticker))
    }

    fn note(&self, inscription: InscriptionId) -> UpstreamFuture<'_, AsOf<Option<TransferInscription>>> {
        Box::pin(self.fetch_note(inscription))
    }
}

impl Inscriptions for BestInSlot {
    fn inscription(&self, inscription: InscriptionId) -> UpstreamFuture<'_, Option<InscriptionDetails>> {
        Box::pin(self.fetch_inscription(inscription))
    }
}

impl Runes for BestInSlot {
    fn runes_in(&self, outpoint: OutPoint) -> UpstreamFuture<'_, AsOf<Vec<(RuneId, u128)>>> {
        Box::pin(self.runes_of_output(outpoint))
    }
}

impl RuneBalances for BestInSlot {
    fn rune_balances<'a>(&'a self, owner: &'a Script, _: &'a BTreeSet<Rune>) -> UpstreamFuture<'a, Vec<RuneBalance>> {
        Box::pin(self.address_rune_balances(owner))
    }
}
