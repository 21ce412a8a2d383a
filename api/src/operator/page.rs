//! The page of the server's figures, drawn without a script.

mod histogram;

use std::fmt::Write as _;

use domain::UnixMs;
use providers::resilience::{BreakerState, UpstreamStats};

use crate::number::grouped;
use crate::plain_document::PlainDocument;
use crate::prices::judge::HoldReason;
use crate::share::markup::escaped;

const STYLE: &str = include_str!("page/page.css");

/// The contents of the page.
#[derive(Clone, Debug)]
pub struct OperatorPage {
    /// The network.
    pub network: String,
    /// Whether the server accepts requests.
    pub is_ready: bool,
    /// The time at which the figures were read.
    pub at: UnixMs,
    /// The upstream services.
    pub upstreams: Vec<UpstreamStats>,
    /// The state of prices.
    pub prices: PriceFigures,
    /// Names and values of the server's figures.
    pub server: Vec<(&'static str, String)>,
}

/// The state of the prices from marketplaces.
#[derive(Clone, Debug, Default)]
pub struct PriceFigures {
    /// The number of collections for which marketplaces are asked.
    pub asked: usize,
    /// The collections whose price stays at its last value, and the reason.
    pub held: Vec<(String, HoldReason)>,
}

impl OperatorPage {
    /// Returns the page as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let (state, tone) = if self.is_ready { ("Ready", "up") } else { ("Starting or stopping", "warn") };
        let main = format!(
            r#"<header>
<h1>Lienbook on {network}</h1>
<p><span class="tag {tone}">{state}</span> As of <time>{time} UTC</time>. <a href="">Read again</a></p>
</header>
<section aria-labelledby="upstreams"><h2 id="upstreams">Upstreams</h2>{upstreams}</section>
<section aria-labelledby="prices"><h2 id="prices">Prices</h2>{prices}</section>
<section aria-labelledby="server"><h2 id="server">Server</h2>{server}</section>
<footer>All since the start of the process. For machines: <a href="/metrics">/metrics</a>.</footer>"#,
            network = escaped(&self.network),
            time = time_of_day(self.at),
            upstreams = upstream_table(&self.upstreams),
            prices = price_list(&self.prices),
            server = figure_list(&self.server),
        );
        PlainDocument { title: "Operator", style: STYLE, main: &main }.html()
    }
}

fn upstream_table(upstreams: &[UpstreamStats]) -> String {
    if upstreams.is_empty() {
        return "<p>No upstream is asked: the chain and its indexers are in this process, or none is configured.</p>"
            .to_owned();
    }
    let rows: String = upstreams.iter().map(upstream_row).collect();
    format!(
        r#"<div class="wide" role="region" aria-label="Table of upstreams" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col" class="number">Tries</th><th scope="col" class="number">Half within</th><th scope="col" class="number">99 % within</th><th scope="col">How long tries took</th><th scope="col">Without an answer</th><th scope="col">Passed on to the next</th></tr></thead>
<tbody>{rows}</tbody></table></div>"#
    )
}

fn upstream_row(figures: &UpstreamStats) -> String {
    let (state, tone) = match figures.breaker {
        BreakerState::Closed => ("Asked", "up"),
        BreakerState::HalfOpen => ("Being tried", "warn"),
        BreakerState::Open => ("Circuit open", "down"),
    };
    let counts = |counted: &std::collections::BTreeMap<String, u64>| {
        if counted.is_empty() {
            return "none".to_owned();
        }
        let parts = counted.iter().map(|(what, times)| format!("{} {}", grouped(*times), what.replace('_', " ")));
        escaped(&parts.collect::<Vec<_>>().join(", "))
    };
    format!(
        r#"<tr><th scope="row">{name}</th><td><span class="tag {tone}">{state}</span></td><td class="number">{tries}</td><td class="number">{half}</td><td class="number">{most}</td><td>{histogram}</td><td>{failures}</td><td>{fallbacks}</td></tr>"#,
        name = escaped(&figures.name),
        tries = grouped(figures.tries()),
        half = within(figures.latency_percentile(50)),
        most = within(figures.latency_percentile(99)),
        histogram = histogram::drawn(&figures.latencies),
        failures = counts(&figures.failures),
        fallbacks = counts(&figures.fallbacks),
    )
}

/// Formats an upper bound of a histogram, in seconds.
fn within(seconds: Option<f64>) -> String {
    match seconds {
        None => "–".to_owned(),
        Some(seconds) if seconds.is_infinite() => "longer".to_owned(),
        Some(seconds) if seconds < 1.0 => format!("{} ms", (seconds * 1_000.0).round()),
        Some(seconds) => format!("{seconds} s"),
    }
}

fn price_list(prices: &PriceFigures) -> String {
    let PriceFigures { asked, held } = prices;
    if *asked == 0 {
        return "<p>No marketplace is asked for prices: they are set by the operator or the demo.</p>".to_owned();
    }
    if held.is_empty() {
        return format!("<p>Marketplaces are asked about {asked} collections, and every price is in use.</p>");
    }
    let mut list = format!("<p>Of {asked} collections, {} keep their last price:</p><ul>", held.len());
    for (name, hold) in held {
        let _ = write!(list, "<li><strong>{}</strong>: {hold}</li>", escaped(name));
    }
    list + "</ul>"
}

fn figure_list(figures: &[(&'static str, String)]) -> String {
    let boxed = |(name, figure): &(&str, String)| format!("<div><dt>{name}</dt><dd>{}</dd></div>", escaped(figure));
    format!("<dl>{}</dl>", figures.iter().map(boxed).collect::<Vec<_>>().concat())
}

fn time_of_day(at: UnixMs) -> String {
    let seconds = at.0 / 1_000 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(name: &str, breaker: BreakerState) -> UpstreamStats {
        UpstreamStats {
            name: name.to_owned(),
            breaker,
            latencies: vec![(0.005, 1_200), (0.25, 34), (f64::INFINITY, 0)],
            failures: [("other_network".to_owned(), 2)].into(),
            fallbacks: [].into(),
        }
    }

    fn page() -> OperatorPage {
        OperatorPage {
            network: "regtest".to_owned(),
            is_ready: true,
            at: UnixMs(1_795_000_000_000),
            upstreams: vec![figures("ord", BreakerState::Closed), figures("<b>mine</b>", BreakerState::Open)],
            prices: PriceFigures { asked: 3, held: vec![("Quiet & Moons".to_owned(), HoldReason::NoSource)] },
            server: vec![("Sockets", "12".to_owned())],
        }
    }

    #[test]
    fn every_figure_is_on_the_page_and_is_escaped() {
        let html = page().html();
        for part in [
            "Lienbook on regtest",
            "1,234",
            "5 ms",
            "250 ms",
            "2 other network",
            "Circuit open",
            "&lt;b&gt;mine&lt;/b&gt;",
            "Quiet &amp; Moons",
            "<dt>Sockets</dt><dd>12</dd>",
        ] {
            assert!(html.contains(part), "{part} is not in\n{html}");
        }
        assert!(!html.contains("<b>") && !html.contains("<script"));
    }

    #[test]
    fn empty_sections_say_so() {
        let html = OperatorPage { upstreams: Vec::new(), prices: PriceFigures::default(), ..page() }.html();
        assert!(html.contains("No upstream is asked") && html.contains("No marketplace is asked"), "{html}");
        let html = OperatorPage { prices: PriceFigures { asked: 3, held: Vec::new() }, ..page() }.html();
        assert!(html.contains("every price is in use"), "{html}");
    }

    #[test]
    fn bounds_are_short() {
        let shown = [None, Some(0.005), Some(0.25), Some(2.5), Some(30.0), Some(f64::INFINITY)].map(within);
        assert_eq!(shown, ["–", "5 ms", "250 ms", "2.5 s", "30 s", "longer"]);
    }
}
