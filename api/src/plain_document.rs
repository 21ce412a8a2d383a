//! A document of one HTML file, without a script and without anything to load.

use crate::share::markup::escaped;

/// The design tokens of the web app, so that there is one set of them.
const TOKENS: &str = include_str!("../../web/src/shared/theme/tokens.css");
const STYLE: &str = include_str!("plain_document/plain-document.css");

/// The parts of a document that differ from one to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainDocument<'a> {
    /// The title, without the name of the site; escaped here.
    pub(crate) title: &'a str,
    /// The rules that only this document needs.
    pub(crate) style: &'static str,
    /// The content of `main` as HTML, in which every text is escaped.
    pub(crate) main: &'a str,
}

impl PlainDocument<'_> {
    /// Returns the document as HTML.
    pub(crate) fn html(&self) -> String {
        let Self { title, style, main } = self;
        format!(
            r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title} · Lienbook</title>
<style>{TOKENS}{STYLE}{style}</style>
</head>
<body>
<main>
{main}
</main>
</body>
</html>
"#,
            title = escaped(title),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_complete_without_loading_anything() {
        let html = PlainDocument { title: "Fish & chips", style: "b { color: red; }", main: "<b>Fried</b>" }.html();
        for part in
            ["<title>Fish &amp; chips · Lienbook</title>", "b { color: red; }</style>", "<main>\n<b>Fried</b>\n</main>"]
        {
            assert!(html.contains(part), "{part} is not in\n{html}");
        }
        assert!(html.contains("--ground:"), "the colours are in the document");
        for reference in ["<script", "<link", "@import", "url(", "src="] {
            assert!(!html.contains(reference), "{reference} is in\n{html}");
        }
    }
}
