//! The public page of a collection, for readers that run no scripts.
//!
//! It is inside of a `noscript` element of the app's page, so browsers that run the app never draw it.

use bitcoin::Network;
use engine::wire::{ProcessName, Quotes, Row};

use super::best_quote::BestQuote;
use super::figures::{btc, days, percent, unit_price};
use super::head::{PreviewPaths, with_preview};
use super::link::LinkTarget;
use super::markup::escaped;
use super::page_address;
use super::preview::Side;
use super::structured_data;
use crate::config::public_url::PublicUrl;

/// The element that the app takes over in the built page.
const ROOT: &str = r#"<div id="root"></div>"#;
const HEAD_END: &str = "</head>";

/// The largest number of terms that are listed.
const TERMS_MAX: usize = 100;

/// Tells search engines to leave a page out.
const NOT_FOR_SEARCH: &str = r#"<meta name="robots" content="noindex" />"#;

/// Returns the app's page with all that is public of a collection: a preview, structured data and a text. `link` is the
/// address that was requested.
#[must_use]
pub fn render(
    page: &str,
    target: &LinkTarget,
    feed: &str,
    link: &str,
    network: Network,
    public_url: &PublicUrl,
) -> String {
    let (row, side) = (&*target.row, target.subject.side);
    let (canonical, picture) = (page_address::of_row(side, row), target.picture_path());
    let paths = PreviewPaths { page: link, picture: &picture, feed, canonical: &canonical };
    let page = with_preview(page, &target.preview, public_url, paths);
    let data = structured_data::element(row, &target.preview, side, network, public_url, &canonical);
    page.replacen(HEAD_END, &format!("  {data}\n  {HEAD_END}"), 1).replacen(
        ROOT,
        &format!("{ROOT}\n    {}", text(target, feed)),
        1,
    )
}

/// Returns the app's page for an address that names no collection of this market.
#[must_use]
pub fn of_nothing(page: &str) -> String {
    page.replacen(HEAD_END, &format!("  {NOT_FOR_SEARCH}\n  {HEAD_END}"), 1)
}

/// Returns the text, in place of the app.
fn text(target: &LinkTarget, feed: &str) -> String {
    let (row, side) = (&*target.row, target.subject.side);
    let name = escaped(&row.collection_name);
    let (other_side, other_title) = match side {
        Side::Borrow => (Side::Lend, format!("Lend against {name}")),
        Side::Lend => (Side::Borrow, format!("Borrow against {name}")),
    };
    format!(
        r#"<noscript>
      <main class="public-page">
        <p><a href="/">Lienbook</a></p>
        <h1>{title}</h1>
        <p>{description}</p>
        {price}
        {quotes}
        {terms}
        <p><a href="{other}">{other_title}</a> · <a href="{feed}">Newest offers and loans (Atom)</a> · <a href="/guide">How it works</a></p>
        <p>To borrow or lend, allow JavaScript for this site.</p>
      </main>
    </noscript>"#,
        title = escaped(&target.preview.title),
        description = escaped(&target.preview.description),
        price = price(row),
        quotes = quotes(row),
        terms = terms(row),
        other = escaped(&page_address::of_row(other_side, row)),
        feed = escaped(feed),
    )
}

fn price(row: &Row) -> String {
    let price = match (row.floor, row.unit_price) {
        (Some(floor), _) => format!("Floor price: {}.", btc(floor)),
        (None, Some(price)) => format!("Price: {}.", unit_price(price.0)),
        (None, None) => "The price is not known now.".to_owned(),
    };
    format!("<p>{}</p>", escaped(&price))
}

/// Returns the table of the best offers.
fn quotes(row: &Row) -> String {
    let of = |quotes: &Option<Quotes>, process, kind: &str| {
        let quotes = quotes.as_ref()?;
        let best = BestQuote::among(quotes, process)?;
        let cells = [
            btc(best.principal),
            percent(best.interest),
            days(best.term_days),
            best.ltv.map_or_else(|| "unknown".to_owned(), percent),
            quotes.offer_count.to_string(),
            btc(quotes.liquidity_sats),
        ];
        Some(table_row(kind, &cells))
    };
    let rows: String = [
        of(&row.instant, ProcessName::Instant, "Instant, funded by a vault"),
        of(&row.manual, ProcessName::Manual, "Manual, counter-signed by the lender"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if rows.is_empty() {
        return "<p>There are no offers now.</p>".to_owned();
    }
    table("Best offers", &["Kind", "Principal", "Interest", "Term", "LTV", "Offers", "To borrow in all"], &rows)
}

/// Returns the table of the terms at which offers are taken.
fn terms(row: &Row) -> String {
    let rows: String = row
        .sub_collections
        .iter()
        .take(TERMS_MAX)
        .map(|sub| table_row(sub.slug.as_str(), &[days(sub.term), percent(sub.interest), percent(sub.apy)]))
        .collect();
    table("Terms", &["Name", "Term", "Interest", "APY"], &rows)
}

fn table(caption: &str, heads: &[&str], rows: &str) -> String {
    let heads: Vec<_> = heads.iter().map(|head| format!(r#"<th scope="col">{head}</th>"#)).collect();
    let heads = heads.concat();
    format!("<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
}

fn table_row(name: &str, cells: &[String]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    format!(r#"<tr><th scope="row">{}</th>{}</tr>"#, escaped(name), cells.concat())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::GroupId;

    use super::super::picture_cache::PictureSubject;
    use super::super::preview::Preview;
    use super::super::row_example::{quoted_row, row};
    use super::*;

    const PAGE: &str = r#"<html><head><title>Lienbook</title></head><body><div id="root"></div></body></html>"#;

    fn page(row: Row, side: Side) -> String {
        let subject = PictureSubject { side, group: GroupId(1), offer: None };
        let target = LinkTarget { preview: Preview::of_collection(&row, side), row: Arc::new(row), subject };
        let url = "https://lienbook.example".parse().unwrap();
        render(PAGE, &target, "/feed.atom", "/borrow/ordinals?collection=a&view=detail", Network::Regtest, &url)
    }

    #[test]
    fn a_hostile_name_stays_text() {
        let hostile = "</noscript></title><script>alert(1)</script><img src=x onerror=alert(1)> \" onload='x' {{}}";
        for side in [Side::Borrow, Side::Lend] {
            let page = page(row(hostile), side);
            assert_eq!(page.matches("<script").count(), 1, "{page}");
            assert_eq!(page.matches("</noscript>").count(), 1, "{page}");
            assert!(!page.contains("<img") && !page.contains("onerror=alert(1)>"), "{page}");
            assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{page}");
        }
    }

    #[test]
    fn the_best_offers_are_in_a_table_and_the_address_is_one() {
        let page = page(quoted_row("Paper Frogs", 500_000), Side::Borrow);
        let cells = "<td>0.005 BTC</td><td>1.2 %</td><td>7 days</td><td>50 %</td><td>1</td>";
        assert!(page.contains(cells), "{page}");
        let canonical = r#"<link rel="canonical" href="https://lienbook.example/borrow/ordinals?collection=a" />"#;
        assert!(page.contains(canonical), "{page}");
        assert!(page.contains("url=https%3A%2F%2Flienbook.example%2Fborrow%2Fordinals%3Fcollection%3Da"), "{page}");
        let root = page.find(ROOT).unwrap();
        assert!(page[root..].starts_with(&format!("{ROOT}\n    <noscript>")), "{page}");
    }

    #[test]
    fn a_page_about_nothing_is_not_for_search_engines() {
        assert!(of_nothing(PAGE).contains(NOT_FOR_SEARCH));
        assert!(!page(row("a"), Side::Lend).contains(NOT_FOR_SEARCH));
    }
}
