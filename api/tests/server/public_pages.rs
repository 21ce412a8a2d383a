//! Tests of the pages of collections for readers that run no scripts, and of the files that lead search engines to them.

use domain::{CollectionGroup, GroupId};
use reqwest::{Method, StatusCode};

use super::lender::TestUser;
use super::rig::{Rig, groups};

const HOSTILE: &str = "</title></noscript><script>alert(1)</script>\"'><img src=x onerror=alert(2)> &amp; \u{2028}";

async fn page(rig: &Rig, path: &str) -> (StatusCode, String) {
    let response = rig.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8", "{path}");
    (response.status(), response.text().await.unwrap())
}

#[actix_web::test]
async fn a_page_says_what_is_public_without_a_script() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.quote(&rig, "paper-frogs-7d", 500_000, 2).await;
    let path = "/borrow/ordinals?collection=paper-frogs";
    let response = rig.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.headers()["cache-control"], "public, max-age=0, s-maxage=10");
    let (_, borrow) = page(&rig, path).await;
    let (_, text) = borrow.split_once("<noscript>").unwrap();
    assert!(text.contains("<h1>Borrow against paper frogs</h1>"), "{text}");
    let cells = "<td>0.005 BTC</td><td>1.2 %</td><td>7 days</td><td>50 %</td><td>2</td><td>0.01 BTC</td>";
    assert!(text.contains(cells), "{text}");
    assert!(text.contains(r#"<a href="/api/v1/collections/paper-frogs/activity.atom">"#), "{text}");
    let canonical = format!(r#"<link rel="canonical" href="{}{path}" />"#, rig.base);
    let oembed = r#"<link rel="alternate" type="application/json+oembed" "#;
    // Other views of it have the same address, in whatever table they are asked for.
    for other in ["/borrow/ordinals?view=detail&collection=paper-frogs", "/borrow/runes?collection=paper-frogs"] {
        let (status, other) = page(&rig, other).await;
        assert!(status == 200 && other.contains(&canonical) && other.contains(oembed), "{other}");
    }
    let (_, tokens) = page(&rig, "/lend/brc-20?collection=newt").await;
    assert!(tokens.contains(&format!(r#"canonical" href="{}/lend/brc-20?collection=newt""#, rig.base)), "{tokens}");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_collection_that_is_not_listed_has_no_page() {
    let rig = Rig::start().await;
    for path in
        ["/borrow/ordinals?collection=no-such-thing", "/lend/runes?collection=%3Cscript%3E", "/lend/x?collection=%FF"]
    {
        let (status, text) = page(&rig, path).await;
        assert!(status == 404 && text.contains(r#"<meta name="robots" content="noindex" />"#), "{text}");
        // The app is there, and says so too.
        assert!(text.contains(r#"<div id="root"></div>"#) && !text.contains("<noscript>"), "{text}");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_hostile_name_is_text_wherever_it_is_written() {
    let rig = Rig::start().await;
    let listed = groups().remove(0);
    let mut hostile = CollectionGroup { id: GroupId(4), name: HOSTILE.into(), ..listed };
    hostile.slug = "hostile".parse().unwrap();
    for (index, sub) in hostile.sub_collections.iter_mut().enumerate() {
        sub.slug = format!("hostile-{index}").parse().unwrap();
    }
    rig.app().market.list_group(hostile).await.unwrap();
    let plain = rig.request(Method::GET, "/").send().await.unwrap().text().await.unwrap();
    for path in ["/borrow/ordinals?collection=hostile", "/lend/ordinals?collection=hostile"] {
        let (_, text) = page(&rig, path).await;
        assert_eq!(
            text.matches("<script").count(),
            plain.matches("<script").count() + 1,
            "only structured data: {text}"
        );
        assert_eq!(text.matches("</noscript>").count(), 1, "{text}");
        assert!(!text.contains("<img") && text.contains("&lt;img src=x onerror=alert(2)&gt;"), "{text}");
        let (_, data) = text.split_once(r#"<script type="application/ld+json">"#).unwrap();
        let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(data["@graph"][1]["itemListElement"][1]["name"], HOSTILE);
    }
    let url = format!("{}/borrow/ordinals?collection=hostile", rig.base).replace('&', "%26").replace('?', "%3F");
    let oembed = rig.get(&format!("/api/v1/oembed?url={url}")).await.ok();
    assert_eq!(oembed["title"], format!("Borrow against {HOSTILE}"));
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_sitemap_has_every_listed_collection() {
    let rig = Rig::start().await;
    let response = rig.request(Method::GET, "/sitemap.xml").send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/xml; charset=utf-8");
    let text = response.text().await.unwrap();
    let pages = ["ordinals?collection=paper-frogs", "runes?collection=frog-pond", "brc-20?collection=newt"];
    for (side, at) in ["borrow", "lend"].iter().flat_map(|side| pages.map(|at| (side, at))) {
        let path = format!("/{side}/{at}");
        assert!(text.contains(&format!("<loc>{}{path}</loc>", rig.base)), "{path}: {text}");
        assert_eq!(page(&rig, &path).await.0, 200);
    }
    let robots = rig.request(Method::GET, "/robots.txt").send().await.unwrap();
    assert_eq!(robots.headers()["content-type"], "text/plain; charset=utf-8");
    // The coins of this market are no bitcoin.
    assert_eq!(robots.text().await.unwrap(), "User-agent: *\nDisallow: /\n");
    rig.server.stop().await;
}
