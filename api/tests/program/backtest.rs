//! Tests of `lienbook backtest` on a journal that a server wrote.

use std::path::Path;

use domain::{
    BookEvent, Command, GroupId, LoanEnd, LoanId, OfferDraft, ProcessType, ReservationId, Sats, SubCollectionId, Taker,
    UserId,
};
use lienbook::config::settings::Settings;
use lienbook::server::Server;
use serde_json::Value;

use super::process::{failure, prepare, run};

const BOOK: GroupId = GroupId(1);

/// Three offers of 400,000 sats at a floor of 1,000,000: the first is lent and repaid, the second lent and claimed, the
/// third stands.
async fn lend(data: &Path) {
    prepare(data).await;
    let listen = "127.0.0.1:0".parse().unwrap();
    let settings = Settings { listen, data: data.to_owned(), workers: 1, ..Settings::default() };
    let server = Server::builder(settings).start().await.unwrap();
    let market = server.app().market.clone();
    let command = async |command| market.command(BOOK, command, None).await.unwrap().events;
    let draft = OfferDraft::plain(SubCollectionId(0), ProcessType::Manual, Sats::new(400_000));
    let created = command(Command::Create { lender: UserId(1), draft, count: 3, usable: None }).await;
    let offers = created.iter().filter_map(|event| match event {
        BookEvent::OfferCreated { offer, .. } => Some(*offer),
        _ => None,
    });
    for ((number, end), offer) in [(1, LoanEnd::Repaid), (2, LoanEnd::Claimed)].into_iter().zip(offers) {
        let (reservation, loan) = (ReservationId(number), LoanId(number));
        let expires_at = server.app().now().plus_ms(3_600_000);
        let taker = Taker::new(UserId(2));
        command(Command::Reserve { reservation, offer, taker, pledged_raw: None, expires_at }).await;
        command(Command::Confirm { reservation, loan }).await;
        command(Command::EndLoan { loan, end }).await;
    }
    server.stop().await;
}

#[actix_web::test]
async fn a_rule_gets_the_loans_of_offers_that_it_outranks() {
    let folder = tempfile::tempdir().unwrap();
    lend(folder.path()).await;
    let data = folder.path().to_str().unwrap();
    let rule = ["backtest", "--data", data, "--budget-sats", "5000000"];
    let json = |more: &[&str]| {
        let output = run(&[&rule[..], more, &["--json"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let report = &json(&["--ltv", "50"])["report"];
    let total = &report["total"];
    assert_eq!((total["loans"].as_u64(), total["lentSats"].as_u64()), (Some(2), Some(1_000_000)));
    // 1.2 % of 500,000; the other 500,000 are lost for a floor of a million.
    assert_eq!(total["interestSats"], 6_000);
    assert_eq!(total["defaults"]["collateralSats"], 1_000_000);
    assert_eq!(report["resultSats"], 506_000);
    assert_eq!(report["collections"][0]["collection"], "paper-frogs");
    assert_eq!(json(&["--ltv", "39.99"])["report"]["total"]["loans"], 0, "the recorded offers are better");
    assert_eq!(json(&["--principal-sats", "400001", "--term", "30"])["report"]["total"]["loans"], 0);

    let shown = run(&[&rule[..], &["--ltv", "50"]].concat());
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.contains("paper-frogs") && text.contains("The market does not react"), "{text}");
    let unknown = failure(&run(&[&rule[..], &["--ltv", "50", "--collection", "paper-toads"]].concat()));
    assert!(unknown.ends_with("there is no collection paper-toads"), "{unknown}");
    let empty = failure(&run(&[&rule[..], &["--ltv", "50", "--from", "2100-01-01T00:00:00Z"]].concat()));
    assert!(empty.ends_with("nothing is recorded in this time"), "{empty}");
}
