//! The figures of the server's parts, read when the page is: those of the market, the journal, the chain and the signer.

use std::sync::Arc;
use std::time::Duration;

use domain::UnixMs;
use engine::{LoanFigures, MarketFigures, MarketStats, MoneyFigures};
use lending::service::watch_times::{Watch, WatchTimes};
use persistence::JournalStats;

use super::cluster_figures::add_node;
use super::exposition::Exposition;
use crate::cluster::observations::NodeFigures;
use crate::node::chain_status::ChainProgress;

/// The figures of the server's parts at one moment.
pub struct ServerFigures {
    /// Whether requests are accepted.
    pub is_ready: bool,
    /// The market's counters.
    pub stats: MarketStats,
    /// The market's other figures.
    pub market: MarketFigures,
    /// The journal's counters.
    pub journal: Arc<JournalStats>,
    /// The figures of this node among several; `None` if the journal is this server's alone.
    pub node: Option<NodeFigures>,
    /// The chain; `None` without a node.
    pub chain: Option<ChainFigures>,
    /// Whether there is a signer.
    pub has_signer: bool,
    /// Whether the last request to the signer was answered, and the time of the last answer; `None` without a signer, and
    /// on a node that does not decide and so does not ask it regularly.
    pub signer: Option<(bool, Option<UnixMs>)>,
    /// The number of signers that do not answer, of several that share the vaults.
    pub silent_signers: usize,
    /// Whether the public log has read everything that is durable, and the time of the last published heads.
    pub public_log: (bool, Option<UnixMs>),
    /// The number of collections that marketplaces price, and of those whose price is held.
    pub prices: (usize, usize),
}

/// The figures of the chain.
pub struct ChainFigures {
    /// Its progress; `None` while the node does not answer.
    pub progress: Option<ChainProgress>,
    /// The progress of the watches; `None` on a node that does not decide, where none run.
    pub watches: Option<Arc<WatchTimes>>,
}

impl ServerFigures {
    /// Returns the figures in the text format of Prometheus.
    pub(super) fn text(&self) -> String {
        let mut page = Exposition::default();
        page.gauge("lienbook_ready", "Whether requests are accepted.", u8::from(self.is_ready));
        add_stats(&mut page, self.stats);
        add_market(&mut page, &self.market);
        add_loans(&mut page, &self.market.loans);
        add_money(&mut page, self.market.money);
        add_journal(&mut page, &self.journal);
        if let Some(node) = &self.node {
            add_node(&mut page, node);
        }
        let (is_current, published_at) = self.public_log;
        let help = "Whether the public log contains everything that is durable.";
        page.gauge("lienbook_public_log_current", help, u8::from(is_current));
        let help = "The time of the last published heads of the public log; 0 before the first.";
        let published_at = seconds(published_at.unwrap_or(UnixMs(0)));
        page.gauge("lienbook_heads_published_timestamp_seconds", help, published_at);
        let (followed, unmoved) = self.prices;
        page.gauge("lienbook_prices_followed", "Collections that marketplaces price.", followed);
        page.gauge("lienbook_prices_held", "Those of them whose price stays at its last value.", unmoved);
        let configured = u8::from(self.chain.is_some());
        page.gauge(
            "lienbook_chain_configured",
            "Whether there is a Bitcoin node or an explorer in its place.",
            configured,
        );
        if let Some(chain) = &self.chain {
            add_chain(&mut page, chain);
        }
        let configured = u8::from(self.has_signer);
        page.gauge("lienbook_signer_configured", "Whether there is a vault signer.", configured);
        if let Some((is_up, answered_at)) = self.signer {
            page.gauge("lienbook_signer_up", "Whether the last request to the signer was answered.", u8::from(is_up));
            let description = "The time of the last answer of the signer; 0 before the first.";
            let answered_at = seconds(answered_at.unwrap_or(UnixMs(0)));
            page.gauge("lienbook_signer_last_success_timestamp_seconds", description, answered_at);
            let description = "Signers that did not answer the last request to them; the others still sign.";
            page.gauge("lienbook_signers_silent", description, self.silent_signers);
        }
        page.into_text()
    }
}

fn add_stats(page: &mut Exposition, stats: MarketStats) {
    let MarketStats { turns, in_flight, overloads, frames, deliveries, lagged, subscribers } = stats;
    page.counter("lienbook_market_commands_total", "Commands accepted.", turns);
    page.gauge("lienbook_market_in_flight", "Commands that wait for the disk.", in_flight);
    let help = "Commands and reads refused because too much was under way.";
    page.counter("lienbook_market_overloads_total", help, overloads);
    page.counter("lienbook_feed_frames_total", "Frames encoded.", frames);
    page.counter("lienbook_feed_deliveries_total", "Frames put into the queues of sockets.", deliveries);
    page.counter("lienbook_feed_lags_total", "Queues of sockets that overflowed.", lagged);
    page.gauge("lienbook_feed_subscribers", "Open subscriptions.", subscribers);
}

fn add_market(page: &mut Exposition, figures: &MarketFigures) {
    page.gauge("lienbook_market_books", "Order books.", figures.books);
    let halted = figures.new_loans_halted_since;
    let help = "Whether the operator has halted new loans.";
    page.gauge("lienbook_new_loans_halted", help, u8::from(halted.is_some()));
    let help = "The time since which new loans are halted; 0 if they are not.";
    page.gauge("lienbook_new_loans_halted_since_timestamp_seconds", help, seconds(halted.unwrap_or(UnixMs(0))));
    let help = "Batches outside of the order books that wait for the disk.";
    page.gauge("lienbook_market_ledger_batches_waiting", help, figures.ledger_batches_waiting);
    let help = "Time from the first command of a burst in a book to the publication of its changes.";
    page.histogram("lienbook_feed_publication_seconds", help, &figures.publication);
    page.gauge("lienbook_messages_waiting", "Messages to users that have not been settled.", figures.outbox.waiting);
    let oldest = Duration::from_millis(figures.outbox.oldest_ms).as_secs_f64();
    page.gauge("lienbook_messages_oldest_seconds", "Age of the oldest such message; 0 without any.", oldest);
}

fn add_loans(page: &mut Exposition, loans: &LoanFigures) {
    let names: Vec<_> = loans.by_stage.iter().map(|(stage, count)| (stage.to_string(), count)).collect();
    let rows = names.iter().map(|(stage, count)| (stage.as_str(), count));
    page.gauges("lienbook_loans", "Loans that wait for their lender or are not over, by stage.", "stage", rows);
    page.gauge("lienbook_loans_due_soon", "Running loans that are due within a day.", loans.due_soon);
    let help = "Loans whose term is over and whose collateral cannot be claimed yet.";
    page.gauge("lienbook_loans_overdue", help, loans.overdue);
    page.gauge("lienbook_loans_claimable", "Loans whose lender can claim the collateral.", loans.claimable);
    let help = "Principal of all loans that are broadcast or running.";
    page.gauge("lienbook_loans_principal_sats", help, loans.principal.get());
}

fn add_money(page: &mut Exposition, money: MoneyFigures) {
    let MoneyFigures { vaults, balance, held, shortfall, unconfirmed, quoted_instant, quoted_manual } = money;
    page.gauge("lienbook_vaults", "Vaults.", vaults);
    page.gauge("lienbook_vault_balance_sats", "Balances of all vaults.", balance.get());
    page.gauge("lienbook_vault_held_sats", "Reserved sats of all vaults.", held.get());
    page.gauge("lienbook_vault_shortfall_sats", "Reserved sats that exceed their vault's balance.", shortfall.get());
    page.gauge("lienbook_vault_unconfirmed_sats", "Sats of vaults that are expected to confirm.", unconfirmed.get());
    let help = "Sats that can be borrowed from offers. Instant offers in several books may quote the same balance.";
    let quoted = [("instant", quoted_instant.get()), ("manual", quoted_manual.get())];
    page.gauges("lienbook_offers_quoted_sats", help, "process", quoted);
}

fn add_journal(page: &mut Exposition, stats: &JournalStats) {
    page.counter("lienbook_journal_commits_total", "Commits made durable.", stats.commits());
    page.counter("lienbook_journal_events_total", "Events made durable.", stats.events());
    page.counter("lienbook_journal_bytes_total", "Bytes made durable.", stats.bytes());
    page.counter("lienbook_journal_conflicts_total", "Batches refused because another came first.", stats.conflicts());
    page.gauge("lienbook_journal_batches_queued", "Batches that wait for the device.", stats.batches_queued());
    let oldest = stats.oldest_pending().as_secs_f64();
    page.gauge("lienbook_journal_oldest_pending_seconds", "Age of the oldest batch that is not durable.", oldest);
    let help = "Time that commits took to be written, made durable and acknowledged.";
    page.histogram("lienbook_journal_commit_seconds", help, &stats.commit_times());
    let help = "Time until a commit was on the disk, or in the database and on its synchronous standbys.";
    page.histogram("lienbook_journal_sync_seconds", help, &stats.sync_times());
}

fn add_chain(page: &mut Exposition, chain: &ChainFigures) {
    let up = u8::from(chain.progress.is_some());
    page.gauge("lienbook_chain_up", "Whether the node, or the explorer in its place, answers.", up);
    if let Some(ChainProgress { height, indexer_height, tip_seen_at }) = chain.progress {
        let heights = [("node", Some(height)), ("indexer", indexer_height)];
        let known = heights.into_iter().filter_map(|(source, height)| Some((source, height?)));
        page.gauges("lienbook_chain_height", "Height of the best block, by source.", "source", known);
        let help = "The time at which this server first saw the best block.";
        page.gauge("lienbook_chain_tip_seen_timestamp_seconds", help, seconds(tip_seen_at));
    }
    if let Some(watches) = &chain.watches {
        let help = "The time of the last completed round of a watch; the start of the server before the first.";
        let rounds = Watch::ALL.map(|watch| (watch.name(), seconds(watches.last_round(watch))));
        page.gauges("lienbook_watch_last_round_timestamp_seconds", help, "watch", rounds);
    }
}

fn seconds(at: UnixMs) -> f64 {
    Duration::from_millis(at.0).as_secs_f64()
}
