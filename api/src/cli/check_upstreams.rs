//! The second half of `lienbook check`: tests of the configured upstream services.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bitcoin::hashes::Hash as _;
use bitcoin::{Network, ScriptBuf, WPubkeyHash};
use engine::chain::{Chain as _, Tip};
use providers::capability::{
    HasHeight, InscriptionDetails, Named as _, RecommendedFees, RuneBalance, TradedAsset, UpstreamError,
};

use super::terminal::print;
use crate::config::price_settings::OneSource;
use crate::config::secret_source;
use crate::config::settings::Settings;
use crate::config::upstream_settings::UpstreamSettings;
use crate::failure::Failure;
use crate::node::Node;
use crate::number::grouped;
use crate::upstreams::{MeteredUpstreams, PASSWORD_VARIABLE};

/// The result of one request.
struct Row {
    upstream: String,
    capability: &'static str,
    /// The answer, or the reason why there is none.
    result: Result<String, String>,
    duration: Duration,
    /// The last block that the service has read.
    height: Option<u32>,
}

impl Row {
    fn cells(&self, tip: Option<u32>) -> [String; 6] {
        let height = self.height.map_or_else(|| "-".to_owned(), |height| grouped(u64::from(height)));
        let behind = match (self.height, tip) {
            (Some(height), Some(tip)) if height > tip => format!("{} ahead", height - tip),
            (Some(height), Some(tip)) => grouped(u64::from(tip - height)),
            _ => "-".to_owned(),
        };
        let (verdict, result) = match &self.result {
            Ok(result) => ("works", result),
            Err(why) => ("fails", why),
        };
        let duration = format!("{} ms", grouped(u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX)));
        [self.upstream.clone(), self.capability.to_owned(), duration, height, behind, format!("{verdict}  {result}")]
    }
}

const HEAD: [&str; 6] = ["upstream", "for", "took", "block", "behind", "result"];

/// Tests all services and prints the results; nothing when none is configured.
///
/// # Errors
/// One line for each required capability that no service provides.
pub(super) fn run(settings: &Settings) -> Result<(), Failure> {
    if settings.node_url.is_none() && settings.upstreams.is_empty() {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let (rows, tip) = runtime.block_on(ask(settings))?;
    let notes: String = notes(settings).into_iter().flat_map(|note| [note, ".\n".to_owned()]).collect();
    print(&format!("\nUpstreams on {}\n{}{notes}", settings.network, aligned(&rows, tip)))?;
    let missing = missing(&rows);
    if missing.is_empty() { Ok(()) } else { Err(Failure::all(missing)) }
}

/// Returns notes on settings that the rows do not show: services that have closed, and collections with a price from
/// only one marketplace.
fn notes(settings: &Settings) -> Vec<String> {
    let mut notes: Vec<String> = settings.upstreams.iter().filter_map(UpstreamSettings::closed).collect();
    let asked: BTreeSet<&str> =
        settings.upstreams.iter().filter(|it| it.closed().is_none()).map(UpstreamSettings::name).collect();
    for priced in &settings.prices.collections {
        let mut sources = priced.names.keys().filter(|name| asked.contains(name.as_str()));
        if let (Some(only), None) = (sources.next(), sources.next()) {
            let rule = match settings.prices.one_source {
                OneSource::Hold => "its price stays as it is",
                OneSource::WiderGuard => "its price is accepted within the wider guard",
            };
            notes.push(format!("{} is priced by {only} alone: {rule}", priced.collection));
        }
    }
    notes
}

/// Returns all results, and the height of the node, or of the first explorer in its place.
async fn ask(settings: &Settings) -> Result<(Vec<Row>, Option<u32>), Failure> {
    let mut rows = Vec::new();
    let started = Instant::now();
    // The checks of the server at its start: whether all services are on the configured network.
    let (all, start) = match MeteredUpstreams::with_own(settings, secret_source::find(PASSWORD_VARIABLE)?) {
        Ok(all) => {
            let all = Arc::new(all);
            let start = Node::connect(settings, Arc::clone(&all)).await.map(drop);
            (all, start)
        }
        Err(failure) => (Arc::new(MeteredUpstreams::of(settings)?), Err(failure)),
    };
    if let Err(failure) = start {
        rows.push(Row {
            upstream: "all".to_owned(),
            capability: START,
            result: Err(failure.to_string()),
            duration: started.elapsed(),
            height: None,
        });
    }
    let tip = ask_for_blocks(&all, &mut rows).await;
    ask_for_assets(&all, &mut rows).await;
    ask_for_the_rest(settings, &all, &mut rows).await;
    Ok((rows, tip))
}

const START: &str = "the start";
const NODE: &str = "blocks";
const ASSETS: &str = "inscriptions and runes";
const FEES: &str = "fees";
const ADDRESSES: &str = "addresses";
const BRC20: &str = "BRC-20";
const BALANCES: &str = "rune balances";
const CROSS_CHECK: &str = "cross-check of inscriptions";
const RUNE_CROSS_CHECK: &str = "cross-check of runes";
const DESCRIPTIONS: &str = "descriptions of inscriptions";
const PRICES: &str = "prices";

/// The inscription of number 0, which every indexer of mainnet knows.
const FIRST_INSCRIPTION: &str = "6fb976ab49dcec017f1e201e84395983204ae1a7c2abf7ced0a85d692e442799i0";

async fn ask_for_blocks(all: &MeteredUpstreams, rows: &mut Vec<Row>) -> Option<u32> {
    let shown = |tip: Tip| (tip.hash.to_string(), Some(tip.height));
    if let Some(core) = &all.own.core {
        rows.push(timed(core.name(), NODE, core.tip(), shown).await);
    }
    // Each explorer also lists addresses, and reports its height there.
    for name in all.upstreams.chain.names() {
        for member in all.upstreams.addresses.members().iter().filter(|member| member.name() == name) {
            rows.push(height_of(member.as_ref(), NODE).await);
        }
    }
    rows.iter().filter(|row| row.capability == NODE).find_map(|row| row.height)
}

async fn ask_for_assets(all: &MeteredUpstreams, rows: &mut Vec<Row>) {
    let upstreams = &all.upstreams;
    for member in upstreams.assets.members() {
        rows.push(height_of(member.as_ref(), ASSETS).await);
    }
    for member in upstreams.assets.cross_checkers() {
        rows.push(height_of(member.as_ref(), CROSS_CHECK).await);
    }
    for member in upstreams.assets.rune_cross_checkers() {
        rows.push(height_of(member.as_ref(), RUNE_CROSS_CHECK).await);
    }
    // An address without a known key: it only matters that there is an answer.
    let unused_script = ScriptBuf::new_p2wpkh(&WPubkeyHash::all_zeros());
    for member in upstreams.rune_balances.members() {
        let shown = |balances: Vec<RuneBalance>| (format!("{} at an unused address", balances.len()), None);
        rows.push(timed(member.name(), BALANCES, member.rune_balances(&unused_script, &BTreeSet::new()), shown).await);
    }
}

async fn ask_for_the_rest(settings: &Settings, all: &MeteredUpstreams, rows: &mut Vec<Row>) {
    let upstreams = &all.upstreams;
    for member in upstreams.fees.members() {
        let estimate = async {
            match member.fees().await {
                // A node with too little data for an estimate still reports its minimum.
                Err(UpstreamError::Unknown(_)) if member.is_self_hosted() => Ok(None),
                estimate => estimate.map(Some),
            }
        };
        let shown = |advice: Option<RecommendedFees>| {
            let rate = |milli: u64| format!("{}.{:03}", milli / 1_000, milli % 1_000);
            let result = advice.map_or_else(
                || "no estimate yet; others are asked, and the least that it takes".to_owned(),
                |advice| {
                    let (fastest, hour) = (rate(advice.fastest_milli), rate(advice.hour_milli));
                    format!("{fastest} sat/vB for the next block, {hour} within an hour")
                },
            );
            (result, None)
        };
        rows.push(timed(member.name(), FEES, estimate, shown).await);
    }
    for member in upstreams.addresses.members() {
        rows.push(height_of(member.as_ref(), ADDRESSES).await);
    }
    for member in upstreams.brc20.members() {
        rows.push(height_of(member.as_ref(), BRC20).await);
    }
    if let (Network::Bitcoin, Ok(first)) = (settings.network, FIRST_INSCRIPTION.parse()) {
        for member in upstreams.descriptions.members() {
            let shown = |seen: Option<InscriptionDetails>| (seen.and_then(|seen| seen.name).unwrap_or_default(), None);
            rows.push(timed(member.name(), DESCRIPTIONS, member.inscription(first), shown).await);
        }
    }
    for member in upstreams.prices.members() {
        let named = settings.prices.collections.iter().find_map(|named| {
            Some((named.collection.clone(), TradedAsset::Collection(named.names.get(member.name())?.clone())))
        });
        let Some((collection, traded)) = named else {
            rows.push(Row {
                upstream: member.name().to_owned(),
                capability: PRICES,
                result: Ok("not asked: no collection of prices.collections has a name there".to_owned()),
                duration: Duration::ZERO,
                height: None,
            });
            continue;
        };
        let shown = |quote: Option<providers::capability::Quote>| match quote {
            Some(quote) => {
                let price = domain::UnitPrice::from_scaled(quote.price_scaled);
                (format!("{collection} at {price} sats"), None)
            }
            None => (format!("{collection} has no price there"), None),
        };
        rows.push(timed(member.name(), PRICES, member.quote(&traded), shown).await);
    }
}

async fn height_of(member: &(impl HasHeight + ?Sized), capability: &'static str) -> Row {
    timed(member.name(), capability, member.height(), |height| (String::new(), Some(height))).await
}

/// Sends a request and measures its time.
async fn timed<T, E: Display>(
    upstream: &str,
    capability: &'static str,
    question: impl Future<Output = Result<T, E>>,
    shown: impl FnOnce(T) -> (String, Option<u32>),
) -> Row {
    let started = Instant::now();
    let answer = question.await;
    let duration = started.elapsed();
    let (result, height) = match answer.map(shown) {
        Ok((result, height)) => (Ok(result), height),
        Err(error) => (Err(error.to_string()), None),
    };
    Row { upstream: upstream.to_owned(), capability, result, duration, height }
}

/// Returns one line for each capability that was requested and that no service provides.
fn missing(rows: &[Row]) -> Vec<String> {
    let start = rows.iter().filter(|row| row.capability == START).filter_map(|row| row.result.as_ref().err());
    let mut missing: Vec<String> = start.map(|why| format!("the server would not start: {why}")).collect();
    for capability in [NODE, ASSETS, FEES, ADDRESSES, BRC20, PRICES] {
        let mut asked = rows.iter().filter(|row| row.capability == capability).peekable();
        if asked.peek().is_some() && asked.all(|row| row.result.is_err()) {
            missing.push(format!("no upstream answers about {capability}"));
        }
    }
    missing
}

/// Formats the rows under a head, in columns.
fn aligned(rows: &[Row], tip: Option<u32>) -> String {
    let lines: Vec<[String; 6]> =
        std::iter::once(HEAD.map(str::to_owned)).chain(rows.iter().map(|row| row.cells(tip))).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut shown = String::new();
        for (column, cell) in line.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.chars().count());
            // Numbers are aligned to the right.
            let is_number = (2..5).contains(&column);
            let parts = if is_number { [padding.as_str(), cell] } else { [cell, padding.as_str()] };
            shown.push_str("  ");
            shown.extend(parts);
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::price_settings::PricedCollection;
    use crate::config::upstream_settings::UpstreamKind;

    fn row(upstream: &str, capability: &'static str, result: Result<&str, &str>, height: Option<u32>) -> Row {
        let result = result.map(str::to_owned).map_err(str::to_owned);
        Row { upstream: upstream.to_owned(), capability, result, duration: Duration::from_millis(1_234), height }
    }

    #[test]
    fn results_times_and_lags_are_shown_in_columns() {
        let rows = [
            row("Bitcoin Core", NODE, Ok("00ff"), Some(871_234)),
            row("unisat", BRC20, Ok(""), Some(871_233)),
            row("own", FEES, Err("it answers 500"), None),
            row("mempool", ADDRESSES, Ok(""), Some(871_235)),
        ];
        let expected = "  upstream      for            took    block   behind  result\n  \
                          Bitcoin Core  blocks     1,234 ms  871,234        0  works  00ff\n  \
                          unisat        BRC-20     1,234 ms  871,233        1  works\n  \
                          own           fees       1,234 ms        -        -  fails  it answers 500\n  \
                          mempool       addresses  1,234 ms  871,235  1 ahead  works\n";
        assert_eq!(aligned(&rows, Some(871_234)), expected);
    }

    #[test]
    fn without_services_nothing_is_asked_and_an_unavailable_service_is_reported() {
        assert!(run(&Settings::default()).is_ok());
        let away = UpstreamSettings {
            kind: UpstreamKind::Esplora,
            name: None,
            url: Some("http://127.0.0.1:9".to_owned()),
            key_variable: None,
            per_minute: None,
        };
        let failure = run(&Settings { upstreams: vec![away], ..Settings::default() }).unwrap_err();
        let lines: Vec<&str> = failure.lines().collect();
        assert_eq!(
            lines,
            [
                "no upstream answers about blocks",
                "no upstream answers about fees",
                "no upstream answers about addresses"
            ]
        );
    }

    #[test]
    fn a_closed_upstream_and_a_lone_source_are_noted() {
        let of = |kind| UpstreamSettings { kind, name: None, url: None, key_variable: None, per_minute: None };
        let priced = |collection: &str, names: &[&str]| PricedCollection {
            collection: collection.to_owned(),
            names: names.iter().map(|name| ((*name).to_owned(), "there".to_owned())).collect(),
        };
        let mut settings = Settings {
            upstreams: [UpstreamKind::Unisat, UpstreamKind::Satflow, UpstreamKind::MagicEden].map(of).to_vec(),
            ..Settings::default()
        };
        settings.prices.collections =
            vec![priced("frogs", &["unisat", "satflow"]), priced("toads", &["magiceden", "satflow"])];
        let found = notes(&settings);
        assert!(found[0].starts_with("the upstream magiceden is not asked"), "{found:?}");
        assert_eq!(found[1..], ["toads is priced by satflow alone: its price stays as it is"]);
        settings.prices.one_source = OneSource::WiderGuard;
        assert!(notes(&settings)[1].ends_with("within the wider guard"));
        assert_eq!(notes(&Settings::default()), Vec::<String>::new());
    }

    #[test]
    fn only_requested_capabilities_without_an_answer_are_missing() {
        let fails = || row("one", BRC20, Err("no"), None);
        assert_eq!(missing(&[fails(), row("two", BRC20, Ok(""), Some(1))]), Vec::<String>::new());
        assert_eq!(missing(&[fails(), row("node", NODE, Ok(""), None)]), ["no upstream answers about BRC-20"]);
        assert_eq!(missing(&[]), Vec::<String>::new());
        assert_eq!(missing(&[row("one", CROSS_CHECK, Err("no"), None)]), Vec::<String>::new());
    }
}
