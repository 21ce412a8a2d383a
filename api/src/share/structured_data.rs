//! Structured data of a collection's page (JSON-LD, schema.org), for search engines.

use bitcoin::{Amount, Denomination, Network};
use engine::wire::Row;
use serde_json::{Value, json};

use super::best_quote::BestQuote;
use super::page_address::category;
use super::preview::{Preview, Side};
use crate::config::public_url::PublicUrl;

/// Returns the script element with the data about a collection's page at `path`.
///
/// It says what is true of every such page, and of a borrower's page the best offer. Interest is left out: ours is for the
/// whole term, and the vocabulary's rates are yearly. So is an offer on a test network, whose coins are no bitcoin.
#[must_use]
pub fn element(
    row: &Row,
    preview: &Preview,
    side: Side,
    network: Network,
    public_url: &PublicUrl,
    path: &str,
) -> String {
    let server = public_url.to_string();
    let page = format!("{server}{path}");
    let table = format!("{server}/{}/{}", side.name(), category(row.collateral_type));
    let step = |position: u8, name: &str, item: &str| json!({"@type": "ListItem", "position": position, "name": name, "item": item});
    let mut graph = vec![
        json!({
            "@type": "WebPage",
            "@id": page,
            "url": page,
            "name": preview.title,
            "description": preview.description,
            "isPartOf": {"@type": "WebSite", "name": "Lienbook", "url": server},
        }),
        json!({
            "@type": "BreadcrumbList",
            "itemListElement": [step(1, "Lienbook", &table), step(2, &row.collection_name, &page)],
        }),
    ];
    if network == Network::Bitcoin && side == Side::Borrow {
        graph.extend(BestQuote::of(row).map(|quote| loan(&quote, row, preview, &page)));
    }
    let data = json!({"@context": "https://schema.org", "@graph": graph});
    format!(r#"<script type="application/ld+json">{}</script>"#, in_script(&data))
}

fn loan(quote: &BestQuote, row: &Row, preview: &Preview, page: &str) -> Value {
    let principal = Amount::from_sat(quote.principal.get()).to_string_in(Denomination::Bitcoin);
    json!({
        "@type": "LoanOrCredit",
        "name": preview.title,
        "url": page,
        "amount": {"@type": "MonetaryAmount", "currency": "BTC", "value": principal},
        "loanTerm": {"@type": "QuantitativeValue", "value": quote.term_days, "unitCode": "DAY"},
        "requiredCollateral": row.collection_name,
    })
}

/// Returns JSON that cannot end the script element around it: such characters are only in strings, which have escapes.
fn in_script(data: &Value) -> String {
    let escape = |character: char| match character {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", u32::from(character)),
        other => other.to_string(),
    };
    let escaped: Vec<_> = data.to_string().chars().map(escape).collect();
    escaped.concat()
}

#[cfg(test)]
mod tests {
    use super::super::row_example::{quoted_row, row};
    use super::*;

    fn data(element: &str) -> Value {
        let inside = element.strip_prefix(r#"<script type="application/ld+json">"#).unwrap();
        serde_json::from_str(inside.strip_suffix("</script>").unwrap()).unwrap()
    }

    fn element_of(row: &Row, side: Side, network: Network) -> String {
        let url = "https://lienbook.example".parse().unwrap();
        element(row, &Preview::of_collection(row, side), side, network, &url, "/borrow/ordinals?collection=a")
    }

    #[test]
    fn no_name_ends_the_element_and_every_name_is_read_as_it_is() {
        let hostile = "</script><script>alert(1)</script><!-- \u{2028}&amp;\"\\";
        let text = element_of(&row(hostile), Side::Borrow, Network::Bitcoin);
        assert_eq!(text.matches('<').count(), 2, "{text}");
        assert_eq!(data(&text)["@graph"][1]["itemListElement"][1]["name"], hostile);
    }

    #[test]
    fn an_offer_is_stated_on_mainnet_and_for_borrowers_only() {
        let offered = quoted_row("Paper Frogs", 500_000);
        let text = element_of(&offered, Side::Borrow, Network::Bitcoin);
        let loan = &data(&text)["@graph"][2];
        assert_eq!((&loan["amount"]["value"], &loan["loanTerm"]["value"]), (&json!("0.005"), &json!(7)));
        for (side, network) in [(Side::Lend, Network::Bitcoin), (Side::Borrow, Network::Regtest)] {
            assert_eq!(data(&element_of(&offered, side, network))["@graph"].as_array().unwrap().len(), 2);
        }
        assert_eq!(data(&element_of(&row("a"), Side::Borrow, Network::Bitcoin))["@graph"].as_array().unwrap().len(), 2);
    }
}
