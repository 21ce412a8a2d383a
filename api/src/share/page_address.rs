//! The addresses of the public pages of collections.

use actix_web::web;
use engine::wire::{CollateralName, Row};
use serde::Deserialize;
use thiserror::Error;

use super::preview::Side;
use crate::config::public_url::PublicUrl;
use crate::http::request_limits::URL_LENGTH_MAX;

/// Returns the path of a collection's page, with its query: its one address on this server.
#[must_use]
pub fn of_row(side: Side, row: &Row) -> String {
    format!("/{}/{}?collection={}", side.name(), category(row.collateral_type), row.group_slug)
}

/// Returns the name of a table in the paths of the app.
#[must_use]
pub const fn category(collateral: CollateralName) -> &'static str {
    match collateral {
        CollateralName::Inscription => "ordinals",
        CollateralName::Rune => "runes",
        CollateralName::Brc20 => "brc-20",
    }
}

/// The reason why a text is not the address of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PageAddressError {
    /// It is longer than any address of this server.
    #[error("the address is too long")]
    TooLong,
    /// It is an address of another server.
    #[error("the address is not of this server")]
    Foreign,
    /// It is an address of this server, and not of a collection's page.
    #[error("the address is not of a collection's page")]
    OtherPage,
}

/// The address of a collection's page, as users copy it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAddress {
    /// The side of the page.
    pub side: Side,
    /// The collection, by its slug or id.
    pub collection: String,
    /// The offer in it, if the address names one.
    pub offer: Option<String>,
    /// The inscription to borrow against, if the address names one.
    pub inscription: Option<String>,
}

/// The query of such an address, with what else the app writes into it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageQuery {
    collection: String,
    offer: Option<String>,
    inscription: Option<String>,
    #[serde(rename = "view")]
    _view: Option<String>,
    #[serde(rename = "process")]
    _process: Option<String>,
}

impl PageAddress {
    /// Parses an absolute address of this server. It is compared as text: other spellings, user names and fragments are
    /// refused.
    ///
    /// # Errors
    /// [`PageAddressError`].
    pub fn parse(text: &str, public_url: &PublicUrl) -> Result<Self, PageAddressError> {
        if text.len() > URL_LENGTH_MAX {
            return Err(PageAddressError::TooLong);
        }
        let rest = text.strip_prefix(&public_url.to_string()).filter(|rest| rest.starts_with('/'));
        let rest = rest.ok_or(PageAddressError::Foreign)?;
        let is_plain = rest.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'#' | b'\\'));
        let (path, query) = rest.split_once('?').filter(|_| is_plain).ok_or(PageAddressError::OtherPage)?;
        let (side, table) = path[1..].split_once('/').ok_or(PageAddressError::OtherPage)?;
        let side = match side {
            "borrow" => Side::Borrow,
            "lend" => Side::Lend,
            _ => return Err(PageAddressError::OtherPage),
        };
        if !matches!(table, "ordinals" | "runes" | "brc-20") {
            return Err(PageAddressError::OtherPage);
        }
        let query = web::Query::<PageQuery>::from_query(query).map_err(|_| PageAddressError::OtherPage)?;
        let PageQuery { collection, offer, inscription, .. } = query.into_inner();
        Ok(Self { side, collection, offer, inscription })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PageAddress, PageAddressError> {
        PageAddress::parse(text, &"https://lienbook.example".parse().unwrap())
    }

    #[test]
    fn addresses_that_the_app_writes_are_read() {
        let read = parse("https://lienbook.example/lend/runes?collection=frog-pond&view=detail").unwrap();
        assert_eq!((read.side, read.collection.as_str(), read.inscription), (Side::Lend, "frog-pond", None));
        let read = parse("https://lienbook.example/borrow/ordinals?collection=a&process=manual&inscription=b").unwrap();
        assert_eq!((read.side, read.inscription.as_deref()), (Side::Borrow, Some("b")));
        let read = parse("https://lienbook.example/borrow/brc-20?collection=a&offer=of_1").unwrap();
        assert_eq!(read.offer.as_deref(), Some("of_1"));
    }

    #[test]
    fn addresses_of_other_servers_are_foreign_however_they_are_written() {
        for foreign in [
            "https://evil.example/borrow/ordinals?collection=a",
            "http://lienbook.example/borrow/ordinals?collection=a",
            "https://lienbook.example:444/borrow/ordinals?collection=a",
            "https://lienbook.example.evil.example/borrow/ordinals?collection=a",
            "https://lienbook.example@evil.example/borrow/ordinals?collection=a",
            "https://user@lienbook.example/borrow/ordinals?collection=a",
            "https://LIENBOOK.example/borrow/ordinals?collection=a",
            "//lienbook.example/borrow/ordinals?collection=a",
            " https://lienbook.example/borrow/ordinals?collection=a",
            "javascript:alert(1)",
            "https://lienbook.example",
            "",
        ] {
            assert_eq!(parse(foreign), Err(PageAddressError::Foreign), "{foreign}");
        }
    }

    #[test]
    fn other_addresses_of_this_server_are_not_pages_of_collections() {
        for other in [
            "/",
            "/portfolio",
            "/borrow/ordinals",
            "/borrow/ordinals?",
            "/borrow/ordinals?collection=a&collection=b",
            "/borrow/ordinals?collection=a&next=b",
            "/borrow/ordinals?collection=a#key=1",
            "/borrow/ordinals/?collection=a",
            "/borrow/../borrow/ordinals?collection=a",
            "//borrow/ordinals?collection=a",
            "/borrow\\ordinals?collection=a",
            "/borrow/brc20?collection=a",
            "/borrow/ordinals?collection=a b",
        ] {
            let parsed = parse(&format!("https://lienbook.example{other}"));
            assert_eq!(parsed, Err(PageAddressError::OtherPage), "{other}");
        }
        let long = format!("https://lienbook.example/borrow/ordinals?collection={}", "a".repeat(URL_LENGTH_MAX));
        assert_eq!(parse(&long), Err(PageAddressError::TooLong));
    }
}
