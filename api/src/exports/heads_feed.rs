//! The published heads of the public log as an Atom feed (RFC 4287).

use std::sync::Arc;

use atom_syndication::{Content, Entry, Feed, Generator, Person, Text};
use domain::UnixMs;
use public_log::LogPublicKey;

use super::atom::{date, link};
use crate::config::public_url::PublicUrl;
use crate::public_log::Publication;

/// The largest number of entries.
pub const ENTRIES_MAX: usize = 50;

/// The path of the feed.
const PATH: &str = "/api/v1/heads.atom";

/// Returns the feed of publications, the latest first. `now` dates a feed without entries.
#[must_use]
pub fn feed(latest: &[Arc<Publication>], key: &LogPublicKey, public_url: &PublicUrl, now: UnixMs) -> String {
    let feed = Feed {
        title: Text::plain("Heads of the public log of Lienbook"),
        subtitle: Some(Text::plain(format!("Signed by {key}"))),
        id: format!("{public_url}{PATH}"),
        updated: date(latest.first().map_or(now, |publication| publication.heads.at)),
        authors: vec![Person { name: "Lienbook".to_owned(), ..Person::default() }],
        generator: Some(Generator { value: "Lienbook".to_owned(), ..Generator::default() }),
        links: vec![link("self", format!("{public_url}{PATH}"))],
        entries: latest.iter().map(|publication| entry(publication, public_url)).collect(),
        ..Feed::default()
    };
    feed.to_string()
}

fn entry(Publication { signed, heads }: &Publication, public_url: &PublicUrl) -> Entry {
    Entry {
        id: format!("tag:{},2026:heads-{}", public_url.domain(), signed.digest()),
        title: Text::plain(format!("Heads of {} books at commit {}", heads.books.len(), heads.position)),
        updated: date(heads.at),
        published: Some(date(heads.at)),
        links: vec![link("alternate", format!("{public_url}/api/v1/heads"))],
        content: Some(Content {
            value: Some(signed.to_string()),
            content_type: Some("text".to_owned()),
            ..Content::default()
        }),
        ..Entry::default()
    }
}
