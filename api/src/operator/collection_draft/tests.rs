use super::*;
use crate::operator::request::{LINE_LENGTH_MAX, Request};

const RUNE: &str = r#"
slug = "frog-pond"
name = "FROG•POND"
symbol = "F"
image = "/frogs.svg"
external_link = "https://frogs.example"
points_multiplier = 10

[collateral]
type = "rune"
rune_id = "840000:1"
rune_name = "FROG•POND"
decimals = 2

[[sub_collections]]
slug = "frog-pond-bundle"
term_days = 14
interest_basis_points = 120
bundle = "1000000.5"
manual = true

[[sub_collections]]
slug = "frog-pond-open"
interest_basis_points = 250
bundle = "open"
instant = true
"#;

fn group(text: &str) -> Result<CollectionGroup, DraftRejection> {
    CollectionDraft::from_toml(text).unwrap().into_group(GroupId(7))
}

/// The rune above with one text replaced.
fn with(before: &str, after: &str) -> String {
    assert!(RUNE.contains(before), "there is no {before}");
    RUNE.replacen(before, after, 1)
}

fn slug(text: &str) -> Slug {
    text.parse().unwrap()
}

#[test]
fn a_rune_has_bundles_and_open_terms() {
    let group = group(RUNE).unwrap();
    assert_eq!((group.id, group.slug.as_str(), group.points_multiplier), (GroupId(7), "frog-pond", 10));
    assert!(group.is_lending_allowed);
    let [bundle, open] = group.sub_collections.as_slice() else { panic!("{group:?}") };
    assert_eq!(bundle.bundle, Bundle::Fixed(Quantity::tokens(100_000_050, 2)));
    assert_eq!(
        (bundle.id, bundle.term, bundle.manual, bundle.instant),
        (SubCollectionId(0), TermDays(14), true, false)
    );
    assert_eq!(bundle.interest, InterestRate::from_basis_points(120));
    assert_eq!((open.id, open.term, open.bundle), (SubCollectionId(1), TermDays::DEFAULT, Bundle::Open));
}

#[test]
fn the_example_of_the_operating_page_is_a_collection() {
    let page = include_str!("../../../OPERATING.md");
    let (_, section) = page.split_once("\n## The collection file\n").unwrap();
    let (_, rest) = section.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let group = group(example).unwrap();
    assert_eq!(group.collateral, CollateralType::Inscription);
    assert!(group.sub_collections.iter().all(|sub| sub.bundle == Bundle::Fixed(Quantity::inscriptions(1))));
}

#[test]
fn every_rule_of_a_collection_is_checked() {
    let text = |field, max| DraftRejection::Text { field, max };
    for (before, after, rejection) in [
        ("name = \"FROG•POND\"", "name = \" \"", text("name", NAME_LENGTH_MAX)),
        ("symbol = \"F\"", "symbol = \"FROGPONDFROGPONDS\"", text("symbol", SYMBOL_LENGTH_MAX)),
        ("symbol = \"F\"", "symbol = \"F\\n\"", text("symbol", SYMBOL_LENGTH_MAX)),
        ("/frogs.svg", "https://frogs.example/frogs.svg", DraftRejection::Image),
        ("/frogs.svg", "//frogs.example/frogs.svg", DraftRejection::Image),
        ("/frogs.svg", "/\\\\frogs.example/frogs.svg", DraftRejection::Image),
        ("https://frogs.example", "javascript:alert(1)", DraftRejection::ExternalLink),
        ("840000:1", "840000", DraftRejection::RuneId("840000".to_owned())),
        ("840000:1", "0840000:1", DraftRejection::RuneId("0840000:1".to_owned())),
        ("rune_name = \"FROG•POND\"", "rune_name = \"\"", text("rune_name", NAME_LENGTH_MAX)),
        ("decimals = 2", "decimals = 39", DraftRejection::Decimals { max: 38 }),
    ] {
        assert_eq!(group(&with(before, after)), Err(rejection), "{after}");
    }
    let draft = CollectionDraft::from_toml(RUNE).unwrap();
    for count in [0, SUB_COLLECTIONS_MAX + 1] {
        let sub_collections = vec![draft.sub_collections[0].clone(); count];
        let rejected = CollectionDraft { sub_collections, ..draft.clone() }.into_group(GroupId(7));
        assert_eq!(rejected, Err(DraftRejection::SubCollectionCount(count)));
    }
    for ticker in ["newts", "ñew"] {
        let collateral = CollateralDraft::Brc20 { ticker: ticker.to_owned(), decimals: 18 };
        assert!(collateral.into_collateral().is_ok(), "{ticker}");
    }
    for ticker in ["new", "newtss", "n wt"] {
        let collateral = CollateralDraft::Brc20 { ticker: ticker.to_owned(), decimals: 18 };
        assert_eq!(collateral.into_collateral(), Err(DraftRejection::Ticker(ticker.to_owned())));
    }
    let collateral = CollateralDraft::Brc20 { ticker: "newt".to_owned(), decimals: 19 };
    assert_eq!(collateral.into_collateral(), Err(DraftRejection::Decimals { max: 18 }));
}

#[test]
fn every_rule_of_a_term_or_bundle_is_checked() {
    let (bundle, open) = (slug("frog-pond-bundle"), slug("frog-pond-open"));
    let bad = |text: &str| DraftRejection::Bundle { slug: bundle.clone(), text: text.to_owned(), decimals: 2 };
    for (before, after, rejection) in [
        ("term_days = 14", "term_days = 0", DraftRejection::Term(bundle.clone())),
        ("term_days = 14", "term_days = 3651", DraftRejection::Term(bundle.clone())),
        ("points = 120", "points = 10001", DraftRejection::Interest(bundle.clone())),
        ("manual = true", "", DraftRejection::NoProcess(bundle.clone())),
        ("bundle = \"1000000.5\"", "", DraftRejection::NoBundle(bundle.clone())),
        ("\"1000000.5\"", "\"0\"", bad("0")),
        ("\"1000000.5\"", "\"0.005\"", bad("0.005")),
        ("\"1000000.5\"", "\"many\"", bad("many")),
        ("manual = true", "instant = true", DraftRejection::InstantBundle(bundle.clone())),
        ("\"1000000.5\"", "\"open\"", DraftRejection::OpenBundle(bundle.clone())),
        ("instant = true", "instant = true\nmanual = true", DraftRejection::OpenBundle(open)),
    ] {
        assert_eq!(group(&with(before, after)), Err(rejection), "{after}");
    }
}

#[test]
fn an_invalid_key_is_named_in_one_line() {
    for (text, named) in [
        (with("symbol", "symbl"), "symbl"),
        (with("slug = \"frog-pond\"", "slug = \"Frog Pond\""), "slug"),
        (with("term_days = 14", "term_days = -1"), "sub_collections.0.term_days"),
        (with("\"1000000.5\"", "5"), "sub_collections.0.bundle"),
        (with("\"rune\"", "\"stamp\""), "stamp"),
        (with("\"840000:1\"", ""), "rune_id"),
        (String::new(), "slug"),
    ] {
        let failure = CollectionDraft::from_toml(&text).unwrap_err().to_string();
        assert!(failure.contains(named) && !failure.contains('\n'), "{failure}");
    }
}

#[test]
fn the_longest_draft_fits_in_a_line() {
    let long = "x".repeat(64);
    let sub = SubCollectionDraft {
        slug: slug(&long),
        term_days: TERM_DAYS_MAX,
        interest_basis_points: INTEREST_BASIS_POINTS_MAX,
        bundle: Some(u128::MAX.to_string()),
        manual: true,
        instant: false,
    };
    let draft = CollectionDraft {
        slug: slug(&long),
        // The character with the most bytes.
        name: "🐸".repeat(NAME_LENGTH_MAX),
        symbol: "🐸".repeat(SYMBOL_LENGTH_MAX),
        image: Some(format!("/{}", "🐸".repeat(ADDRESS_LENGTH_MAX - 1))),
        external_link: Some(format!("https://{}", "🐸".repeat(ADDRESS_LENGTH_MAX - 8))),
        points_multiplier: u16::MAX,
        is_lending_allowed: true,
        collateral: CollateralDraft::Rune {
            rune_id: format!("{}:{}", u64::MAX, u32::MAX),
            rune_name: "🐸".repeat(NAME_LENGTH_MAX),
            decimals: 0,
        },
        sub_collections: vec![sub; SUB_COLLECTIONS_MAX],
    };
    assert!(draft.clone().into_group(GroupId(7)).is_ok());
    let line = serde_json::to_string(&Request::AddCollection { collection: draft }).unwrap();
    assert!(u64::try_from(line.len()).unwrap() < LINE_LENGTH_MAX, "{} bytes", line.len());
}
