//! Tests of `collection`, `price set`, `halt` and `resume`: a market without simulation, from its first collection on.

use std::fs::{self, File};
use std::path::Path;
use std::process::Output;

use bitcoin::Network;
use escrow::wallet_key::WalletKey;
use serde_json::Value;

use super::crash::TestUser;
use super::process::{Served, failure, lienbook, prepare, run};

const FROGS: &str = r#"
slug = "paper-frogs"
name = "Paper Frogs"
symbol = "FROG"

[collateral]
type = "inscription"

[[sub_collections]]
slug = "paper-frogs-7d"
term_days = 7
interest_basis_points = 120
manual = true
"#;

const RUNE: &str = r#"
slug = "frog-pond"
name = "FROG•POND"
symbol = "F"

[collateral]
type = "rune"
rune_id = "840000:1"
rune_name = "FROG•POND"
decimals = 2

[[sub_collections]]
slug = "frog-pond-1m"
interest_basis_points = 250
bundle = "1000000"
manual = true
"#;

#[track_caller]
fn said(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Every listed collection with its price.
async fn market(base: &str) -> Vec<(String, Option<String>)> {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let page: Value = http.get(format!("{base}/api/v1/collections")).send().await.unwrap().json().await.unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut rows: Vec<_> = page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (text(&row["groupSlug"]).unwrap(), text(&row["unitPrice"])))
        .collect();
    rows.sort_unstable();
    rows
}

#[actix_web::test]
async fn a_market_is_listed_and_priced_through_the_running_server_and_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let (data, frogs, rune) =
        (folder.path().join("data"), folder.path().join("frogs.toml"), folder.path().join("rune.toml"));
    fs::write(&frogs, FROGS).unwrap();
    fs::write(&rune, RUNE).unwrap();
    let add = |file: &Path| run(&["collection", "add", path(file), "--data", path(&data)]);
    let price = |collection: &str, sats: &str| run(&["price", "set", collection, sats, "--data", path(&data)]);

    let served = Served::start(&data, &[]);
    let listed = said(add(&frogs));
    assert!(listed.contains("g_1") && listed.contains("price set paper-frogs"), "{listed}");
    assert_eq!(market(&served.base).await, [("paper-frogs".to_owned(), None)]);
    let user = TestUser::sign_in(&served.base, WalletKey::from_seed([9; 32], Network::Regtest).unwrap()).await;
    assert!(user.create(&served.base, 500_000, "too-early").await.is_err(), "an offer without a price");
    assert!(said(price("paper-frogs", "1000000")).contains("none"));
    let again = said(price("g_1", "1250000.5"));
    assert!(again.contains("1,000,000 sats") && again.contains("1,250,000.5 sats"), "{again}");
    user.create(&served.base, 500_000, "a-key").await.unwrap();
    let announce = |place: &str, interest: &str| {
        let terms = ["--term-days", "7", "--interest-basis-points", interest, "--in-days", "3"];
        run(&[&["term", "announce", place, "--data", path(&data)], &terms[..]].concat())
    };
    let output = said(announce("paper-frogs-7d", "135"));
    assert!(output.contains("1.35 %") && output.contains("in 3 days"), "{output}");
    let line = failure(&announce("paper-frogs-7d", "140"));
    assert!(line.contains("a term change is announced already"), "{line}");
    let line = failure(&announce("paper-newts-7d", "140"));
    assert!(line.contains("no term or bundle is listed as paper-newts-7d"), "{line}");
    let ids = folder.path().join("ids.txt");
    let inscriptions =
        |collection: &str| run(&["collection", "inscriptions", collection, path(&ids), "--data", path(&data)]);
    // More than one request can carry.
    let many = (0..501).map(|index| format!("{}i{index}", "ab".repeat(32))).collect::<Vec<_>>().join("\n");
    fs::write(&ids, &many).unwrap();
    let listed = said(inscriptions("paper-frogs"));
    assert!(listed.contains("new          501"), "{listed}");
    fs::write(&ids, format!("{many}\n{}i0\n", "cd".repeat(32))).unwrap();
    let listed = said(inscriptions("paper-frogs"));
    assert!(listed.contains("in the file  502") && listed.contains("new          1"), "{listed}");
    let line = failure(&add(&frogs));
    assert!(line.contains("frogs.toml") && line.contains("the name paper-frogs is taken"), "{line}");
    let line = failure(&price("paper-newts", "5"));
    assert!(line.contains("no collection is listed as paper-newts"), "{line}");
    served.terminate();

    // From standard input, and directly into the journal.
    let added = lienbook(&["collection", "add", "--data", path(&data)]).stdin(File::open(&rune).unwrap()).output();
    assert!(said(added.unwrap()).contains("g_2"));
    assert!(said(price("frog-pond", "0.083")).contains("0.083 sats"));
    let line = failure(&inscriptions("frog-pond"));
    assert!(line.contains("frog-pond holds no inscriptions"), "{line}");
    let newts = folder.path().join("newts.toml");
    fs::write(&newts, FROGS.replace("paper-frogs", "paper-newts")).unwrap();
    said(add(&newts));
    let line = failure(&inscriptions("paper-newts"));
    assert!(line.contains(&format!("{}i0 belongs to another collection", "ab".repeat(32))), "{line}");
    let served = Served::start(&data, &[]);
    let frogs = ("paper-frogs".to_owned(), Some("1250000.50000000".to_owned()));
    let newts = ("paper-newts".to_owned(), None);
    assert_eq!(market(&served.base).await, [("frog-pond".to_owned(), Some("0.08300000".to_owned())), frogs, newts]);
    served.terminate();
}

#[test]
fn an_invalid_collection_is_named_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("frogs.toml"));
    let add = || failure(&run(&["collection", "add", path(&file), "--data", path(&data)]));
    let line = add();
    assert!(line.contains("cannot read") && line.contains("frogs.toml"), "{line}");
    fs::write(&file, FROGS.replace("symbol", "symbl")).unwrap();
    let line = add();
    assert!(line.contains("frogs.toml") && line.contains("symbl"), "{line}");
    fs::write(&file, FROGS).unwrap();
    let line = add();
    assert!(line.contains("has no journal") && line.contains("lienbook serve"), "{line}");
    Served::start(&data, &[]).terminate();
    let (head, sub_collection) = FROGS.split_once("[[").unwrap();
    fs::write(&file, format!("{head}{}", format!("[[{sub_collection}").repeat(1_000))).unwrap();
    let line = add();
    assert!(line.contains("65536 bytes"), "{line}");
    fs::write(&file, FROGS.replace("term_days = 7", "term_days = 0")).unwrap();
    let line = add();
    assert!(line.contains("paper-frogs-7d: term_days must be 1 to 3650"), "{line}");
    let impossible = run(&["price", "set", "paper-frogs", "0", "--data", path(&data)]);
    assert!(!impossible.status.success());
    assert!(String::from_utf8_lossy(&impossible.stderr).contains("expected sats above 0"));
}

#[actix_web::test]
async fn a_command_for_nodes_leaves_an_old_journal_in_the_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path()).await;
    let set = |journal: Option<&str>| {
        let mut command = lienbook(&["price", "set", "--data", path(folder.path()), "paper-frogs", "7000"]);
        command.envs(journal.map(|url| ("LIENBOOK_JOURNAL", url))).output().unwrap()
    };
    let line = failure(&set(Some("postgres://lienbook@127.0.0.1:1/lienbook")));
    assert!(line.contains("no node runs on ") && line.contains("--data"), "{line}");
    said(set(None));
}

/// The reasons of the halts that a server shows.
async fn halts(base: &str) -> Vec<String> {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let list: Value = http.get(format!("{base}/api/v1/halts")).send().await.unwrap().json().await.unwrap();
    list["halts"].as_array().unwrap().iter().map(|halt| halt["reason"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn new_loans_are_halted_and_resumed_through_the_running_server_and_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let halt = |reason: &str| run(&["halt", "new-loans", "--reason", reason, "--data", path(&data)]);
    let resume = || run(&["resume", "new-loans", "--data", path(&data)]);
    let line = failure(&halt("too early"));
    assert!(line.contains("has no journal"), "{line}");
    let served = Served::start(&data, &[]);
    let line = failure(&resume());
    assert!(line.contains("new_loans is not halted"), "{line}");
    let output = said(halt("  Two indexers disagree "));
    assert!(output.contains("Halted new loans") && output.contains("Two indexers disagree"), "{output}");
    assert_eq!(halts(&served.base).await, ["Two indexers disagree"]);
    let line = failure(&halt("two\nlines"));
    assert!(line.contains("a line of 1 to 200 characters"), "{line}");
    served.terminate();
    // In the journal of the stopped server.
    said(halt("A deep reorg"));
    let served = Served::start(&data, &[]);
    assert_eq!(halts(&served.base).await, ["A deep reorg"]);
    served.terminate();
    assert!(said(resume()).contains("A deep reorg"));
    let served = Served::start(&data, &[]);
    assert_eq!(halts(&served.base).await, Vec::<String>::new());
    served.terminate();
}
