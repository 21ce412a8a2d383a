//! `/sitemap.xml` and `/robots.txt`, by which search engines find the pages of collections.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use bitcoin::Network;
use engine::wire::Row;

use crate::app::App;
use crate::config::public_url::PublicUrl;
use crate::http::api_error::ApiError;
use crate::share::markup::escaped;
use crate::share::page_address;
use crate::share::preview::Side;

/// The largest number of collections: a sitemap has at most 50,000 addresses, and each collection has two.
const COLLECTIONS_MAX: usize = 24_000;

/// The pages that are there without any collection.
const PAGES: [&str; 7] =
    ["/borrow/ordinals", "/borrow/runes", "/borrow/brc-20", "/lend/ordinals", "/lend/runes", "/lend/brc-20", "/guide"];

const CACHING: (actix_web::http::header::HeaderName, &str) = (CACHE_CONTROL, "public, max-age=300");

/// Returns the addresses of all public pages.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
pub async fn sitemap(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let rows = app.market.rows();
    let of_row = |row: &Row| [Side::Borrow, Side::Lend].map(|side| page_address::of_row(side, row));
    let collections = rows.iter().take(COLLECTIONS_MAX).flat_map(|row| of_row(row));
    let pages = PAGES.into_iter().map(str::to_owned).chain(collections);
    let entry = |path: String| format!("<url><loc>{}</loc></url>\n", escaped(&format!("{}{path}", app.public_url)));
    let entries: Vec<_> = pages.map(entry).collect();
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{}</urlset>\n",
        entries.concat()
    );
    Ok(HttpResponse::Ok().insert_header(CACHING).content_type("application/xml; charset=utf-8").body(text))
}

/// Returns the rules for search engines.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
pub async fn robots(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let rules = rules(app.settings.network, &app.public_url);
    Ok(HttpResponse::Ok().insert_header(CACHING).content_type("text/plain; charset=utf-8").body(rules))
}

/// Returns the rules: a market of test coins is not for search engines, and of another one only what is public to all. The
/// API stays open to them, because the app that they may run reads it.
fn rules(network: Network, public_url: &PublicUrl) -> String {
    if network == Network::Bitcoin {
        format!(
            "User-agent: *\nDisallow: /portfolio\nDisallow: /settings\nDisallow: /embed/\nDisallow: /api/v1/me/\n\n\
             Sitemap: {public_url}/sitemap.xml\n"
        )
    } else {
        "User-agent: *\nDisallow: /\n".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_market_of_bitcoin_is_for_search_engines() {
        let url = "https://lienbook.example".parse().unwrap();
        for network in [Network::Regtest, Network::Signet, Network::Testnet, Network::Testnet4] {
            assert_eq!(rules(network, &url), "User-agent: *\nDisallow: /\n");
        }
        let rules = rules(Network::Bitcoin, &url);
        assert!(rules.ends_with("\nSitemap: https://lienbook.example/sitemap.xml\n"), "{rules}");
        assert!(!rules.contains("Disallow: /\n") && !rules.contains("Disallow: /borrow"), "{rules}");
    }
}
