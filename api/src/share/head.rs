//! Preview tags in the head of a page.

use url::form_urlencoded;

use crate::config::public_url::PublicUrl;

use super::markup::escaped;
use super::picture::{HEIGHT, WIDTH};
use super::preview::Preview;

/// The title and description in the built page.
const TITLE: &str = "<title>Lienbook</title>";
const DESCRIPTION: &str = r#"<meta name="description""#;

/// The paths on this server that a preview refers to.
#[derive(Clone, Copy, Debug)]
pub struct PreviewPaths<'a> {
    /// The page, with its query.
    pub page: &'a str,
    /// The picture.
    pub picture: &'a str,
    /// The Atom feed of the collection.
    pub feed: &'a str,
    /// The page, by its one address.
    pub canonical: &'a str,
}

/// Returns the page with a preview in its head.
#[must_use]
pub fn with_preview(page: &str, preview: &Preview, public_url: &PublicUrl, paths: PreviewPaths<'_>) -> String {
    let (title, description) = (escaped(&preview.title), escaped(&preview.description));
    let [link, picture, feed, canonical] =
        [paths.page, paths.picture, paths.feed, paths.canonical].map(|path| escaped(&format!("{public_url}{path}")));
    let oembed = escaped(&oembed_address(public_url, paths.canonical));
    let name = escaped(&preview.name);
    let tags = format!(
        r#"<title>{title} · Lienbook</title>
    <meta name="description" content="{description}" />
    <meta property="og:site_name" content="Lienbook" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="{title}" />
    <meta property="og:description" content="{description}" />
    <meta property="og:url" content="{link}" />
    <meta property="og:image" content="{picture}" />
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="{WIDTH}" />
    <meta property="og:image:height" content="{HEIGHT}" />
    <meta property="og:image:alt" content="{title}. {description}" />
    <meta name="twitter:card" content="summary_large_image" />
    <link rel="canonical" href="{canonical}" />
    <link rel="alternate" type="application/atom+xml" title="{name} on Lienbook" href="{feed}" />
    <link rel="alternate" type="application/json+oembed" title="{title}" href="{oembed}" />"#
    );
    without_description(page).replacen(TITLE, &tags, 1)
}

/// Returns the address of the oEmbed answer about a page.
fn oembed_address(public_url: &PublicUrl, path: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("url", &format!("{public_url}{path}"));
    format!("{public_url}/api/v1/oembed?{}", query.finish())
}

/// Removes the description of the whole site, which would be a second one.
fn without_description(page: &str) -> String {
    let Some((before, rest)) = page.split_once(DESCRIPTION) else { return page.to_owned() };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

#[cfg(test)]
mod tests {
    use super::super::preview::Figure;
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_attribute() {
        let figure = || Figure { label: "Offers", value: "1".to_owned() };
        let preview = Preview {
            title: "Borrow against \"><script>x</script>".to_owned(),
            description: "One.".to_owned(),
            call: String::new(),
            name: String::new(),
            figures: [figure(), figure(), figure()],
        };
        let page = r#"<head><meta name="description" content="All." /><title>Lienbook</title></head>"#;
        let url: PublicUrl = "https://lienbook.example".parse().unwrap();
        let paths = PreviewPaths {
            page: "/borrow/ordinals?collection=a&offer=b",
            picture: "/share-images/borrow/a.png",
            feed: "/api/v1/collections/a/activity.atom",
            canonical: "/borrow/ordinals?collection=a",
        };
        let page = with_preview(page, &preview, &url, paths);
        assert!(!page.contains("<script>"), "{page}");
        assert_eq!(page.matches(r#"name="description""#).count(), 1, "{page}");
        assert!(page.contains(r#"og:image" content="https://lienbook.example/share-images/borrow/a.png""#), "{page}");
        assert!(
            page.contains(r#"og:url" content="https://lienbook.example/borrow/ordinals?collection=a&amp;offer=b""#)
        );
    }
}
