//! Tests of the public reads: rows, pages, books, charts.

use domain::{Sats, UnitPrice, UnixMs};
use serde_json::json;

use super::lender::TestUser;
use super::rig::Rig;

#[actix_web::test]
async fn rows_are_filtered_sorted_and_paged() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.quote(&rig, "frog-pond-bundle", 100_000, 1).await;
    let slugs = async |query: &str| {
        let page = rig.get(&format!("/api/v1/collections?{query}")).await.ok();
        let rows = page["data"].as_array().unwrap();
        rows.iter().map(|row| row["groupSlug"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(slugs("").await, ["paper-frogs", "frog-pond", "newt"]);
    assert_eq!(slugs("sort=name").await, ["frog-pond", "newt", "paper-frogs"]);
    assert_eq!(slugs("sort=name&order=desc").await, ["paper-frogs", "newt", "frog-pond"]);
    assert_eq!(slugs("sort=floor&order=desc").await, ["paper-frogs", "newt", "frog-pond"]);
    // Rows without offers come last in either order.
    assert_eq!(slugs("sort=offer").await, ["frog-pond", "paper-frogs", "newt"]);
    assert_eq!(slugs("sort=offer&order=desc").await, ["frog-pond", "paper-frogs", "newt"]);
    assert_eq!(slugs("category=brc-20").await, ["newt"]);
    assert_eq!(slugs("process=instant").await, ["paper-frogs", "frog-pond"]);
    assert_eq!(slugs("has_offers=true").await, ["frog-pond"]);
    assert_eq!(slugs("has_offers=false&process=manual").await, ["paper-frogs", "newt"]);
    assert_eq!(slugs("search=FROG").await, ["paper-frogs", "frog-pond"]);
    assert_eq!(slugs("search=%25").await, Vec::<String>::new());

    let first = rig.get("/api/v1/collections?sort=name&limit=2").await.ok();
    let cursor = first["nextCursor"].as_str().unwrap().to_owned();
    let second = rig.get(&format!("/api/v1/collections?sort=name&limit=2&cursor={cursor}")).await.ok();
    assert_eq!((second["data"][0]["groupSlug"].as_str(), &second["nextCursor"]), (Some("paper-frogs"), &json!(null)));
    for query in [format!("sort=floor&cursor={cursor}"), "cursor=AAAA".to_owned(), "cursor=%00".to_owned()] {
        rig.get(&format!("/api/v1/collections?{query}")).await.refused(400, "invalid_cursor");
    }
    for query in ["limit=0", "limit=501", "limit=-1", "sort=magic", "unknown=1", "has_offers=2", "category=RUNES"] {
        rig.get(&format!("/api/v1/collections?{query}")).await.refused(400, "invalid_query");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn own_offers_are_paged() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let ids = lender.quote(&rig, "paper-frogs-7d", 500_000, 5).await;
    let (mut seen, mut path) = (Vec::new(), "/api/v1/offers?limit=2".to_owned());
    loop {
        let page = lender.get(&rig, &path).await.ok();
        let offers = page["data"].as_array().unwrap();
        seen.extend(offers.iter().map(|offer| offer["offerId"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/api/v1/offers?limit=2&cursor={cursor}");
        other.get(&rig, &path).await.refused(400, "invalid_cursor");
    }
    assert_eq!(seen, ids);
    rig.server.stop().await;
}

#[actix_web::test]
async fn pages_of_own_offers_continue_from_one_collection_to_the_next() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let mut ids = lender.quote(&rig, "newt-bundle", 50_000, 3).await;
    ids.extend(lender.quote(&rig, "paper-frogs-7d", 500_000, 3).await);
    ids.extend(lender.quote(&rig, "frog-pond-bundle", 100_000, 3).await);
    ids.sort_unstable();
    for limit in [1, 2, 3, 4, 8, 9, 10] {
        let (mut seen, mut pages) = (Vec::new(), 0);
        let mut path = format!("/api/v1/offers?limit={limit}");
        loop {
            let page = lender.get(&rig, &path).await.ok();
            let offers = page["data"].as_array().unwrap();
            seen.extend(offers.iter().map(|offer| offer["offerId"].as_str().unwrap().to_owned()));
            pages += 1;
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            path = format!("/api/v1/offers?limit={limit}&cursor={cursor}");
        }
        assert_eq!((&seen, pages), (&ids, 9_usize.div_ceil(limit)), "{limit} a page");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn private_reads_are_rate_limited_by_user() {
    let rig = Rig::start_with(|settings| settings.quotas.reads_per_minute = 20).await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let paths = ["/api/v1/offers", "/api/v1/session", "/api/instant/ordinals/offers?collection_group_slug=paper-frogs"];
    for number in 0..20 {
        lender.get(&rig, paths[number % paths.len()]).await.ok();
    }
    let own =
        ["vault", "me/loans", "me/loans/ln_1", "me/loans/waiting", "me/history", "me/loans.csv", "me/due-dates.ics"];
    let more = ["me/portfolio", "me/points", "me/notices", "me/favourites"];
    let own = own.into_iter().chain(more).map(|name| format!("/api/v1/{name}"));
    for path in paths.into_iter().map(str::to_owned).chain(own) {
        let path = path.as_str();
        let answer = lender.get(&rig, path).await;
        answer.refused(429, "rate_limited");
        assert!(answer.headers.contains_key("retry-after"));
    }
    other.get(&rig, "/api/v1/offers").await.ok();
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_book_shows_live_offers_and_a_group_has_two_names() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let id = lender.quote(&rig, "frog-pond-bundle", 100_000, 1).await.remove(0);
    for name in ["frog-pond", "g_2"] {
        let book = rig.get(&format!("/api/v1/collections/{name}/orderbook")).await.ok();
        assert_eq!(book["manualOffers"][0]["offerId"], id.as_str());
        assert_eq!(book["manualOffers"][0]["fungible_amount"], "100000000");
        assert_eq!(book["collection"]["fungible_floor_price_sats"], "0.50000000");
        assert_eq!(book["collection"]["groupSlug"], "frog-pond");
        assert!(book["seq"].as_u64().unwrap() > 0 && book["epoch"].is_string());
    }
    let book = rig.get("/api/v1/collections/paper-frogs/orderbook").await.ok();
    assert_eq!(book["collection"]["fungible_floor_price_sats"], json!(null));
    for name in ["g_99", "nothing", "g_01", "%00", "..%2f..%2fetc", &"x".repeat(2_000)] {
        for part in ["", "/orderbook", "/price-history", "/backtest?subCollectionId=0&process=manual&budget=1&ltv=1"] {
            rig.get(&format!("/api/v1/collections/{name}{part}")).await.refused(404, "unknown_collection");
        }
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_backtest_takes_an_offer_and_a_time() {
    let rig = Rig::start().await;
    let path = |rest: &str| format!("/api/v1/collections/paper-frogs/backtest?{rest}");
    for offer in ["principal=500000", "ltv=5000&days=7"] {
        let query = format!("subCollectionId=0&process=manual&budget=1000000&{offer}");
        let report = rig.get(&path(&query)).await.ok();
        assert_eq!((&report["loanCount"], &report["loans"], &report["resultSats"]), (&json!(0), &json!([]), &json!(0)));
    }
    for wrong in [
        "",
        "subCollectionId=0&process=manual&budget=1000000&principal=0",
        "subCollectionId=0&process=manual&budget=1000000&ltv=100001",
        "subCollectionId=0&process=manual&budget=1000000&ltv=1&days=91",
        "subCollectionId=0&process=any&budget=1000000&ltv=1",
        "subCollectionId=0&process=manual&budget=-1&ltv=1",
    ] {
        rig.get(&path(wrong)).await.refused(400, "invalid_query");
    }
    let unknown = path("subCollectionId=99&process=manual&budget=1000000&ltv=1");
    rig.get(&unknown).await.refused(404, "unknown_collection");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_chart_has_the_requested_range() {
    let rig = Rig::start().await;
    let app = rig.app();
    let group = app.market.group_named("paper-frogs").unwrap().id;
    let price = UnitPrice::from_sats(Sats::new(1_250_000)).unwrap();
    app.market.move_price(group, price, UnixMs(app.now().0 + 1)).await.unwrap();
    for range in ["24h", "7d", "30d", "90d"] {
        let chart = rig.get(&format!("/api/v1/collections/paper-frogs/price-history?range={range}")).await.ok();
        assert_eq!(chart["data"].as_array().unwrap().last().unwrap()["price"], 1_250_000);
    }
    for range in ["1y", "24H", ""] {
        let path = format!("/api/v1/collections/paper-frogs/price-history?range={range}");
        rig.get(&path).await.refused(400, "invalid_query");
    }
    rig.server.stop().await;
}
