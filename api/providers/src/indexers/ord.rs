//! A client of ord, the indexer of inscriptions and runes, over its JSON API.

mod capabilities;
mod responses;
mod rune_cache;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use bitcoin::hashes::Hash as _;
use bitcoin::{Address, Amount, Network, OutPoint, Script, Txid};
use engine::asset_index::{AssetError, AssetIndex, Inscribed, InscriptionId, OutputAssets, RuneEntry};
use engine::coin_index::{CoinIndex, LISTED_MAX};
use hyper::StatusCode;
use ordinals::{RuneId, SatPoint, SpacedRune};
use serde::de::DeserializeOwned;
use serde_json::json;

use self::responses::{AddressInfo, AddressRune, Inscription, Output, Rune, RuneAmount, Status};
use self::rune_cache::RuneCache;
use crate::capability::{InscriptionDetails, RuneBalance};
use crate::http::{HttpRequest, RequestError, SetupError, TIME_LIMIT, TIP_TIME_LIMIT};
use crate::parsing::address_script::script_of;
use crate::parsing::text::{Text, excerpt, sanitized};
use crate::resilience::SelfHostedClient;
use crate::resilience::UpstreamEnvironment;

/// The name in metrics and errors.
const NAME: &str = "ord";
/// The maximum size of an answer: an output with thousands of inscriptions fits.
const ANSWER_BYTES_MAX: usize = 8_000_000;
/// The number of inscriptions per request.
const BATCH: usize = 100;
/// The maximum number of inscriptions in an output: one with more is rejected, neither collateral nor a plain coin.
pub(crate) const INSCRIPTIONS_MAX: usize = 1_000;
/// The maximum number of decimals of a rune.
pub(crate) const DIVISIBILITY_MAX: u8 = 38;

/// An ord server, version 0.29, with `--index-runes`, `--index-addresses` and with inscriptions.
#[derive(Debug)]
pub struct OrdServer {
    upstream: SelfHostedClient,
    /// The network of the addresses it lists.
    network: Network,
    rune_cache: RuneCache,
}

impl OrdServer {
    /// Creates a client of the server at `url`, such as `http://127.0.0.1:80`, which reads the blocks of this network.
    pub fn new(url: &str, network: Network) -> Result<Self, SetupError> {
        let upstream = SelfHostedClient::new(url, TIME_LIMIT, ANSWER_BYTES_MAX)?;
        Ok(Self { upstream, network, rune_cache: RuneCache::default() })
    }

    /// Adds metrics, retries after short failures, and a circuit breaker.
    #[must_use]
    pub fn with_resilience(self, environment: &UpstreamEnvironment) -> Self {
        Self { upstream: self.upstream.with_resilience(NAME, environment), ..self }
    }

    /// Checks that it reads the right network, and keeps the indexes that are needed.
    ///
    /// # Errors
    /// [`AssetError::Unreachable`], with the option that is missing.
    pub async fn check(&self) -> Result<(), AssetError> {
        let status: Option<Status> = self.ask(HttpRequest::get("/status")).await?;
        let status = status.ok_or_else(|| AssetError::Unreachable("it has no status".to_owned()))?;
        let (chain, network) = (status.chain.as_str(), self.network);
        let wanted = if network == Network::Bitcoin { "mainnet".to_owned() } else { network.to_string() };
        if chain != wanted {
            return Err(AssetError::Unreachable(excerpt(&format!("it reads the blocks of {chain}, not of {wanted}"))));
        }
        let missing = [
            (status.inscription_index, "inscriptions: start it without --no-index-inscriptions"),
            (status.rune_index, "runes: start it with --index-runes"),
            (status.address_index, "addresses: start it with --index-addresses"),
        ];
        match missing.iter().find(|(is_kept, _)| !is_kept) {
            Some((_, what)) => Err(AssetError::Unreachable(format!("it keeps no {what}"))),
            None => Ok(()),
        }
    }

    /// Returns the answer to a request; `None` for what it does not know.
    async fn ask<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<Option<T>, AssetError> {
        self.ask_within(request, TIME_LIMIT).await
    }

    /// Does the same within another time limit than usual.
    async fn ask_within<T: DeserializeOwned>(
        &self,
        request: HttpRequest,
        time_limit: Duration,
    ) -> Result<Option<T>, AssetError> {
        let answer = self.upstream.send_within(request, time_limit).await;
        let (status, body) = answer.map_err(|error| match error {
            RequestError::Unreachable(why) => AssetError::Unreachable(why),
            RequestError::TooLarge { .. } => AssetError::InvalidResponse(error.to_string()),
        })?;
        match status {
            StatusCode::OK => {
                serde_json::from_slice(&body).map(Some).map_err(|error| invalid_response(&error.to_string()))
            }
            StatusCode::NOT_FOUND => Ok(None),
            _ => Err(AssetError::Unreachable(format!("it answers {status}"))),
        }
    }

    /// Returns inscriptions that it listed itself, in the order of the request, a hundred per call.
    async fn named(&self, inscriptions: &[InscriptionId]) -> Result<Vec<Inscription>, AssetError> {
        let mut all = Vec::with_capacity(inscriptions.len());
        for ids in inscriptions.chunks(BATCH) {
            let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let found: Option<Vec<Inscription>> =
                self.ask(HttpRequest::json("/inscriptions", json!(names).to_string())).await?;
            let found = found.ok_or_else(|| invalid_response("it does not know the inscriptions that it names"))?;
            if !found.iter().map(|one| one.id.0).eq(ids.iter().copied()) {
                return Err(invalid_response("the response is for other inscriptions"));
            }
            all.extend(found);
        }
        Ok(all)
    }

    /// Returns the offsets of an output's inscriptions.
    async fn inscribed(
        &self,
        (outpoint, value): (OutPoint, Amount),
        ids: &[InscriptionId],
    ) -> Result<Vec<Inscribed>, AssetError> {
        let mut inscribed = Vec::with_capacity(ids.len());
        for Inscription { id, sat_point, .. } in self.named(ids).await? {
            // A block may have come between the requests: a repeated request will be of one block again.
            let offset = Amount::from_sat(sat_point.0.offset);
            if sat_point.0.outpoint != outpoint || offset >= value {
                return Err(invalid_response(&format!("inscription {} of {outpoint} stands at {}", id.0, sat_point.0)));
            }
            inscribed.push(Inscribed { id: id.0, offset });
        }
        inscribed.sort_by_key(|inscription| inscription.offset);
        Ok(inscribed)
    }

    /// Returns an inscription; `None` when it is unknown.
    async fn found(&self, inscription: InscriptionId) -> Result<Option<Inscription>, AssetError> {
        let found: Option<Inscription> = self.ask(HttpRequest::get(format!("/inscription/{inscription}"))).await?;
        match found {
            Some(Inscription { id, .. }) if id.0 != inscription => {
                Err(invalid_response(&format!("the response is for {} instead of {inscription}", id.0)))
            }
            found => Ok(found),
        }
    }

    /// Returns descriptions of inscriptions that it listed itself, without those that have no location.
    ///
    /// # Errors
    /// As [`AssetIndex::place_of`].
    pub async fn inscriptions(&self, inscriptions: &[InscriptionId]) -> Result<Vec<InscriptionDetails>, AssetError> {
        Ok(self.named(inscriptions).await?.into_iter().filter_map(|found| self.details_of(found)).collect())
    }

    /// Returns the description of an inscription; `None` when it is unknown or has no location.
    ///
    /// # Errors
    /// As [`AssetIndex::place_of`].
    pub async fn inscription_details(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<InscriptionDetails>, AssetError> {
        Ok(self.found(inscription).await?.and_then(|found| self.details_of(found)))
    }

    fn details_of(&self, found: Inscription) -> Option<InscriptionDetails> {
        let (outpoint, offset) = place(found.sat_point.0)?;
        Some(InscriptionDetails {
            offset_sats: Some(offset.to_sat()),
            owner: found.address.and_then(|address| script_of(&address, self.network)),
            number: found.number,
            output_sats: found.value,
            content_type: found.content_type.as_deref().and_then(sanitized),
            ..InscriptionDetails::at(found.id.0, outpoint)
        })
    }

    /// Returns its record of a script's address.
    async fn address_info(&self, owner: &Script) -> Result<AddressInfo, AssetError> {
        let address = Address::from_script(owner, self.network);
        let address =
            address.map_err(|_| AssetError::Unreachable(format!("it lists addresses, and {owner} is none")))?;
        let holder: Option<AddressInfo> = self.ask(HttpRequest::get(format!("/address/{address}"))).await?;
        let kept = "it keeps no addresses: start it with --index-addresses";
        holder.ok_or_else(|| AssetError::Unreachable(kept.to_owned()))
    }

    /// Returns the balances of a script in these runes. ord prints whole units with as many decimals as the rune has.
    async fn address_rune_balances(
        &self,
        owner: &Script,
        wanted: &BTreeSet<ordinals::Rune>,
    ) -> Result<Vec<RuneBalance>, AssetError> {
        let kept = "it keeps no runes: start it with --index-runes";
        let held = self.address_info(owner).await?.runes.ok_or_else(|| AssetError::Unreachable(kept.to_owned()))?;
        let mut balances = Vec::new();
        // Only wanted runes are looked up: a script can be sent thousands of runes, and each of them costs a request.
        for AddressRune(Text(name), amount, _) in
            held.iter().filter(|AddressRune(Text(name), ..)| wanted.contains(&name.rune))
        {
            let raw = amount.scaled(self.entry(*name).await?.divisibility);
            let raw = raw.ok_or_else(|| invalid_response(&format!("it has more decimals of {name} than there are")))?;
            balances.push(RuneBalance { rune: name.rune, raw });
        }
        Ok(balances)
    }

    /// Returns a rune that it listed itself.
    async fn entry(&self, name: SpacedRune) -> Result<RuneEntry, AssetError> {
        match self.rune_cache.get(name.rune) {
            Some(entry) => Ok(entry),
            None => {
                self.rune(name).await?.ok_or_else(|| invalid_response(&format!("it does not know its own rune {name}")))
            }
        }
    }

    /// Returns the id and the raw amount of a rune balance.
    async fn rune_amount(&self, name: SpacedRune, pile: &RuneAmount) -> Result<(RuneId, u128), AssetError> {
        let entry = self.entry(name).await?;
        if entry.divisibility != pile.divisibility {
            let (one, other) = (pile.divisibility, entry.divisibility);
            return Err(invalid_response(&format!("{name} has {one} decimals here and {other} there")));
        }
        Ok((entry.id, pile.amount))
    }
}

impl AssetIndex for OrdServer {
    async fn height(&self) -> Result<u32, AssetError> {
        let height = self.ask_within(HttpRequest::get("/blockheight"), TIP_TIME_LIMIT).await?;
        height.ok_or_else(|| AssetError::Unreachable("it has not read any block yet".to_owned()))
    }

    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        let output: Option<Output> = self.ask(HttpRequest::get(format!("/output/{outpoint}"))).await?;
        let Some(output) = output else { return Ok(None) };
        if output.outpoint.0 != outpoint {
            return Err(invalid_response(&format!("the response is for {} instead of {outpoint}", output.outpoint.0)));
        }
        // An output that is unconfirmed or spent looks as empty as a plain coin.
        if !output.indexed {
            return Ok(None);
        }
        let kept = "it keeps no inscriptions or no runes: start it with --index-runes";
        let (Some(ids), Some(piles)) = (output.inscriptions, output.runes) else {
            return Err(AssetError::Unreachable(kept.to_owned()));
        };
        if ids.len() > INSCRIPTIONS_MAX {
            return Err(invalid_response(&format!("it finds {} inscriptions in {outpoint}", ids.len())));
        }
        let ids: Vec<InscriptionId> = ids.into_iter().map(|id| id.0).collect();
        let inscriptions = self.inscribed((outpoint, Amount::from_sat(output.value)), &ids).await?;
        let mut runes = Vec::with_capacity(piles.len());
        for (name, pile) in &piles {
            runes.push(self.rune_amount(name.0, pile).await?);
        }
        runes.sort_unstable();
        Ok(Some(OutputAssets { inscriptions, runes }))
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        Ok(self.found(inscription).await?.and_then(|found| place(found.sat_point.0)))
    }

    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        Ok(self.found(inscription).await?.and_then(|found| found.number))
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        // Without spacers: a rune is identified by its letters.
        let found: Option<Rune> = self.ask(HttpRequest::get(format!("/rune/{}", name.rune))).await?;
        let Some(Rune { id, entry }) = found else { return Ok(None) };
        if entry.name.0.rune != name.rune {
            return Err(invalid_response(&format!("the response is for {} instead of {name}", entry.name.0)));
        }
        if entry.divisibility > DIVISIBILITY_MAX {
            return Err(invalid_response(&format!("{name} has {} decimals", entry.divisibility)));
        }
        let entry = RuneEntry { id: id.0, name: entry.name.0, divisibility: entry.divisibility };
        self.rune_cache.insert_if_final(&entry, AssetIndex::height(self).await?);
        Ok(Some(entry))
    }
}

impl CoinIndex for OrdServer {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        let holder = self.address_info(owner).await?;
        let mut outputs: Vec<OutPoint> = holder.outputs.into_iter().map(|outpoint| outpoint.0).collect();
        outputs.sort_unstable();
        outputs.dedup();
        outputs.truncate(LISTED_MAX);
        Ok(outputs)
    }
}

/// Returns the location of a sat point. Lost and unbound inscriptions are kept at outpoints with an all-zero txid.
fn place(sat_point: SatPoint) -> Option<(OutPoint, Amount)> {
    let SatPoint { outpoint, offset } = sat_point;
    (outpoint.txid != Txid::all_zeros()).then(|| (outpoint, Amount::from_sat(offset)))
}

fn invalid_response(why: &str) -> AssetError {
    AssetError::InvalidResponse(excerpt(why))
}
