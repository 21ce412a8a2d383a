//! Tests of the page that other sites may frame, of the quote that it shows, and of oEmbed.

use std::fmt::Write as _;

use engine::asset_index::InscriptionId;
use reqwest::Method;
use reqwest::header::HeaderMap;

use super::lender::TestUser;
use super::rig::{Answer, Rig};

const MARKETPLACE: &str = "https://marketplace.example";
const PAGE: &str = "/embed/borrow?collection=paper-frogs";
const QUOTE: &str = "/api/v1/collections/paper-frogs/quote";

async fn rig(origins: &[&str]) -> Rig {
    let origins: Vec<_> = origins.iter().map(|origin| origin.parse().unwrap()).collect();
    Rig::start_with(|settings| settings.embeds.origins = origins).await
}

/// An inscription, listed in the collection of frogs.
async fn listed(rig: &Rig) -> String {
    let id: InscriptionId = format!("{}i0", "ab".repeat(32)).parse().unwrap();
    let group = rig.app().market.group_named("paper-frogs").unwrap().id;
    assert_eq!(rig.app().market.list_inscriptions(group, &[id.into()]).await.unwrap(), 1);
    id.to_string()
}

async fn headers(rig: &Rig, path: &str) -> (u16, HeaderMap) {
    let response = rig.request(Method::GET, path).send().await.unwrap();
    (response.status().as_u16(), response.headers().clone())
}

fn ancestors(headers: &HeaderMap) -> &str {
    let policy = headers["content-security-policy"].to_str().unwrap();
    let (_, ancestors) = policy.split_once("frame-ancestors ").unwrap();
    ancestors.split(';').next().unwrap()
}

/// Every route of the server, with something for its parameters.
fn routes() -> Vec<String> {
    let description: serde_json::Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
    let described = description["paths"].as_object().unwrap().keys();
    let filled = described.map(|path| path.replace("{name}", "paper-frogs").replace(['{', '}'], ""));
    let pages = [
        "/",
        "/borrow/ordinals?collection=paper-frogs",
        "/borrow/ordinals?collection=no-such-thing",
        "/lend/ordinals",
        "/portfolio",
        "/guide",
        "/index.html",
        "/embed.html",
        "/embed.js",
        "/embed",
        "/embed/",
        "/embed/borrow/",
        "/embed//borrow",
        "//embed/borrow",
        "/embed/borrow.html",
        "/embed/lend",
        "/embed%2Fborrow",
        "/EMBED/borrow",
        "/x/embed/borrow",
        "/robots.txt",
        "/sitemap.xml",
        "/theme.js",
        "/favicon.svg",
        "/assets/missing.js",
        "/api/docs/",
        "/api/openapi.json",
        "/share-images/borrow/paper-frogs.png",
        "/collection-images/paper-frogs.svg",
        "/metrics",
        "/operator",
    ];
    filled.chain(pages.map(str::to_owned)).collect()
}

#[actix_web::test]
async fn only_the_page_made_for_it_can_be_framed_and_only_by_listed_origins() {
    let rig = rig(&[MARKETPLACE, "http://127.0.0.1:81"]).await;
    for path in ["/embed/borrow", PAGE, "/embed/borrow?collection=%22%3E%3Cscript%3E"] {
        let (status, headers) = headers(&rig, path).await;
        assert_eq!((status, ancestors(&headers)), (200, "https://marketplace.example http://127.0.0.1:81"), "{path}");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "), "{policy}");
        assert!(!headers.contains_key("x-frame-options"), "{path}");
        assert!(!headers.contains_key("set-cookie"), "{path}");
    }
    let all = routes();
    assert!(all.len() > 100, "{}", all.len());
    for path in all {
        let (_, headers) = headers(&rig, &path).await;
        assert_eq!(headers["x-frame-options"], "DENY", "{path}");
        assert_eq!(ancestors(&headers), "'none'", "{path}");
    }
    // A refusal at the same address is not that page.
    let refused = rig.request(Method::POST, "/embed/borrow").send().await.unwrap();
    assert_eq!((refused.status().as_u16(), ancestors(refused.headers())), (405, "'none'"));
    assert_eq!(refused.headers()["x-frame-options"], "DENY");
    rig.server.stop().await;
}

#[actix_web::test]
async fn without_listed_origins_no_page_can_be_framed() {
    let rig = rig(&[]).await;
    let (status, closed) = headers(&rig, PAGE).await;
    assert_eq!((status, ancestors(&closed), &closed["x-frame-options"]), (200, "'none'", &"DENY".parse().unwrap()));
    rig.server.stop().await;
    // The copy of a browser is not current once the operator has changed the list.
    let other = super::embeds::rig(&[MARKETPLACE]).await;
    let again = other.request(Method::GET, PAGE).header("if-none-match", &closed["etag"]).send().await.unwrap();
    assert_eq!((again.status().as_u16(), ancestors(again.headers())), (200, MARKETPLACE));
    let known = again.headers()["etag"].clone();
    let again = other.request(Method::GET, PAGE).header("if-none-match", known).send().await.unwrap();
    assert_eq!((again.status().as_u16(), ancestors(again.headers())), (304, MARKETPLACE));
    assert!(!again.headers().contains_key("x-frame-options"));
    other.server.stop().await;
}

#[actix_web::test]
async fn pages_of_other_sites_load_the_script_and_nothing_of_the_app() {
    let rig = rig(&[MARKETPLACE]).await;
    let (status, script) = headers(&rig, "/embed.js").await;
    assert_eq!((status, &script["cross-origin-resource-policy"]), (200, &"cross-origin".parse().unwrap()));
    assert!(script["content-type"].to_str().unwrap().contains("javascript"));
    for path in ["/theme.js", PAGE, QUOTE] {
        let (_, headers) = headers(&rig, path).await;
        assert_eq!(headers["cross-origin-resource-policy"], "same-origin", "{path}");
        assert!(!headers.contains_key("access-control-allow-origin"), "{path}");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_quote_is_the_best_offer_against_an_inscription_of_the_collection() {
    let rig = rig(&[]).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let (inscription, other) = (listed(&rig).await, format!("{}i0", "cd".repeat(32)));
    let empty = rig.get(&format!("{QUOTE}?inscription_id={inscription}")).await;
    assert_eq!(empty.headers["cache-control"], "public, max-age=5");
    let empty = empty.ok();
    assert!(empty["best"].is_null() && empty["isLendingAllowed"] == true, "{empty}");
    assert_eq!((&empty["inscriptionId"], &empty["collectionName"]), (&inscription.into(), &"paper frogs".into()));

    lender.quote(&rig, "paper-frogs-7d", 400_000, 1).await;
    let best = lender.quote(&rig, "paper-frogs-30d", 500_000, 1).await.remove(0);
    let quote = rig.get(QUOTE).await.ok();
    assert_eq!(quote["best"]["offerId"], best);
    assert_eq!((&quote["best"]["principalSats"], &quote["best"]["termDays"]), (&500_000.into(), &30.into()));
    assert_eq!((&quote["best"]["interestSats"], &quote["best"]["repaymentSats"]), (&6_000.into(), &506_000.into()));
    assert_eq!((&quote["best"]["ltv"], &quote["inscriptionId"]), (&50.into(), &serde_json::Value::Null));

    for unknown in [&other, "garbage", "%00", ""] {
        rig.get(&format!("{QUOTE}?inscription_id={unknown}")).await.refused(404, "unknown_inscription");
    }
    for name in ["no-such-thing", "frog-pond", "newt"] {
        rig.get(&format!("/api/v1/collections/{name}/quote")).await.refused(404, "unknown_collection");
    }
    rig.get(&format!("{QUOTE}?offer=of_1")).await.refused(400, "invalid_query");
    rig.server.stop().await;
}

async fn oembed(rig: &Rig, url: &str, rest: &str) -> Answer {
    let mut escaped = String::new();
    for byte in url.bytes() {
        write!(escaped, "%{byte:02X}").unwrap();
    }
    rig.get(&format!("/api/v1/oembed?url={escaped}{rest}")).await
}

#[actix_web::test]
async fn oembed_frames_the_quote_where_sites_may_embed_it_and_links_elsewhere() {
    let rig = rig(&[MARKETPLACE]).await;
    let inscription = listed(&rig).await;
    let page = format!("{}/borrow/ordinals?collection=paper-frogs&inscription={inscription}", rig.base);
    let rich = oembed(&rig, &page, "&format=json&maxwidth=400").await.ok();
    assert_eq!((&rich["type"], &rich["version"], &rich["width"]), (&"rich".into(), &"1.0".into(), &400.into()));
    let source = format!("{}/embed/borrow?collection=paper-frogs&amp;inscription={inscription}", rig.base);
    let html = rich["html"].as_str().unwrap();
    assert!(html.starts_with(&format!(r#"<iframe src="{source}" width="400""#)), "{html}");
    assert_eq!(rich["title"], "Borrow against paper frogs");
    // A picture that is larger than asked for is left out.
    assert!(rich.get("thumbnail_url").is_none());
    let large = oembed(&rig, &page, "").await.ok();
    assert_eq!(large["thumbnail_width"], 1_200);
    for small in ["&maxwidth=200", "&maxheight=100", "&maxwidth=0&maxheight=0"] {
        assert_eq!(oembed(&rig, &page, small).await.ok()["type"], "link", "{small}");
    }
    for path in ["/lend/ordinals?collection=paper-frogs", "/borrow/runes?collection=frog-pond"] {
        let link = oembed(&rig, &format!("{}{path}", rig.base), "").await.ok();
        assert!(link["type"] == "link" && link.get("html").is_none(), "{link}");
    }
    rig.server.stop().await;
    let closed = super::embeds::rig(&[]).await;
    let link = oembed(&closed, &format!("{}/borrow/ordinals?collection=paper-frogs", closed.base), "").await.ok();
    assert!(link["type"] == "link" && link.get("html").is_none(), "{link}");
    closed.server.stop().await;
}

#[actix_web::test]
async fn oembed_describes_pages_of_this_server_only() {
    let rig = rig(&[MARKETPLACE]).await;
    let (base, unlisted) = (&rig.base, format!("{}i0", "cd".repeat(32)));
    for (url, code) in [
        ("https://evil.example/borrow/ordinals?collection=paper-frogs".to_owned(), "not_found"),
        (format!("{base}@evil.example/borrow/ordinals?collection=paper-frogs"), "not_found"),
        (format!("{base}.evil.example/borrow/ordinals?collection=paper-frogs"), "not_found"),
        (format!("{base}/portfolio"), "not_found"),
        (format!("{base}/borrow/ordinals"), "not_found"),
        (format!("{base}/borrow/ordinals?collection=paper-frogs&collection=newt"), "not_found"),
        (format!("{base}/borrow/ordinals?collection=no-such-thing"), "unknown_collection"),
        (format!("{base}/borrow/ordinals?collection=paper-frogs&inscription={unlisted}"), "unknown_inscription"),
        (format!("{base}/borrow/ordinals?collection=paper-frogs&inscription=%22%3E"), "unknown_inscription"),
    ] {
        oembed(&rig, &url, "").await.refused(404, code);
    }
    rig.get("/api/v1/oembed").await.refused(400, "invalid_query");
    let page = format!("{base}/borrow/ordinals?collection=paper-frogs");
    for rest in ["&format=xml", "&maxwidth=-1", "&maxwidth=wide", "&next=1"] {
        oembed(&rig, &page, rest).await.refused(400, "invalid_query");
    }
    rig.server.stop().await;
}
