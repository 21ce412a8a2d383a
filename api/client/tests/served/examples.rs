//! The examples as programs, against a server in this process.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use lienbook_client::ListMyOffersQuery;
use tokio::task::spawn_blocking;

use super::market::{Lender, Market};

/// An example as cargo built it, in the folder beside that of this test.
fn example(name: &str) -> Command {
    let path: PathBuf = std::env::current_exe().unwrap().parent().unwrap().with_file_name("examples").join(name);
    assert!(path.exists(), "{} is not built: cargo test -p lienbook-client builds it", path.display());
    let mut command = Command::new(path);
    command.env_remove("LIENBOOK_API_KEY").stdin(Stdio::null());
    command
}

async fn run(mut command: Command) -> (Output, String) {
    let output = spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output, text)
}

#[actix_web::test]
async fn a_book_is_watched() {
    let market = Market::start().await;
    let lender = Lender::new(&market, 1).await;
    let id = lender.quote("paper-frogs-7d", 400_000).await;
    let mut command = example("watch_book");
    command.args(["--url", &market.url(), "--collection", "paper-frogs", "--changes", "1"]);
    let (output, text) = run(command).await;
    assert!(output.status.success(), "{output:?}");
    let wanted = format!("paper-frogs floor 1000000; {id} Manual: 400000 sats at 1.2 % for 7 days, 1 in all\n");
    assert_eq!(text, wanted);
    market.server.stop().await;
}

#[actix_web::test]
async fn a_quote_is_made_and_cancelled() {
    let market = Market::start().await;
    let lender = Lender::new(&market, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let wallet = folder.path().join("wallet.json");
    fs::write(&wallet, lender.wallet().to_string()).unwrap();
    let mut command = example("quote_and_cancel");
    command.args(["--url", &market.url(), "--collection", "paper-frogs", "--wallet", wallet.to_str().unwrap()]);
    command.env("LIENBOOK_API_KEY", &lender.secret);
    let (output, text) = run(command).await;
    assert!(output.status.success(), "{output:?}");
    assert!(text.starts_with("quoted 500000 sats for 7 days: of_") && text.contains("\ncancelled of_"), "{text}");
    market.server.stop().await;
}

/// A program that runs; killed if the test fails.
struct Running(Child);

impl Running {
    /// Sends a signal until the program has ended, and asserts that it succeeded. One that arrives between two waits of the
    /// program is not seen.
    async fn end(&mut self, signal: &str) {
        let mut ended = None;
        for _ in 0..600 {
            let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).stderr(Stdio::null()).status();
            assert!(sent.is_ok());
            tokio::time::sleep(Duration::from_millis(50)).await;
            ended = self.0.try_wait().unwrap();
            if ended.is_some() {
                break;
            }
        }
        assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[actix_web::test]
async fn the_first_bot_quotes_half_of_the_floor_and_cancels_at_its_end() {
    let market = Market::start().await;
    let lender = Lender::new(&market, 1).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wallet.json"), lender.wallet().to_string()).unwrap();
    let mut command = example("first_bot");
    command.current_dir(folder.path()).env("LIENBOOK_URL", market.url()).env("LIENBOOK_COLLECTION", "paper-frogs");
    let mut bot = Running(command.env("LIENBOOK_API_KEY", &lender.secret).spawn().unwrap());
    let until_quoted = async |expected: &[u64]| {
        let mut principals = Vec::new();
        for _ in 0..600 {
            let offers = lender.client.list_my_offers(&ListMyOffersQuery::default()).await.unwrap().data;
            principals = offers.iter().map(|offer| offer.principal).collect();
            if principals == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{principals:?} instead of {expected:?}");
    };
    until_quoted(&[500_000]).await;
    market.move_floor(800_000).await;
    until_quoted(&[400_000]).await;
    bot.end("-INT").await;
    until_quoted(&[]).await;
    market.server.stop().await;
}

/// A market maker, and its log.
struct MarketMaker {
    running: Running,
    lines: Option<BufReader<ChildStdout>>,
}

impl MarketMaker {
    /// Reads its log up to a line that contains a text.
    async fn says(&mut self, text: &'static str) -> String {
        let mut lines = self.lines.take().unwrap();
        let (lines, line) = spawn_blocking(move || {
            let began = Instant::now();
            loop {
                let mut line = String::new();
                assert_ne!(lines.read_line(&mut line).unwrap(), 0, "it ended before it said {text}");
                assert!(began.elapsed() < Duration::from_mins(1), "it did not say {text}: {line}");
                if line.contains(text) {
                    return (lines, line);
                }
            }
        })
        .await
        .unwrap();
        self.lines = Some(lines);
        line
    }
}

#[actix_web::test]
async fn a_market_maker_quotes_follows_the_floor_and_cancels_at_its_end() {
    let market = Market::start().await;
    let lender = Lender::new(&market, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let (wallet, config) = (folder.path().join("wallet.json"), folder.path().join("maker.toml"));
    fs::write(&wallet, lender.wallet().to_string()).unwrap();
    let text = format!(
        "collection = \"paper-frogs\"\nwallet = {wallet:?}\ntolerance = 100\ninterval_ms = 1000\nhistory_min_ms = 0\n\
         [rule]\nbudget_sats = 800000\ndue_window_sats = 800000\nltv = 5000\nltv_min = 2000\nvolatility_weight = 0\n\
         inventory_weight = 0\nprincipal_min_sats = 100000\nstale_after_ms = 60000\n"
    );
    fs::write(&config, text).unwrap();
    let mut command = example("market_maker");
    command.args(["--url", &market.url(), "--config", config.to_str().unwrap()]);
    command.env("LIENBOOK_API_KEY", &lender.secret).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = child.stdout.take().map(BufReader::new);
    let mut maker = MarketMaker { running: Running(child), lines };

    // Half of the floor, and the rest of the budget.
    maker.says("create paper-frogs-7d 500000 and paper-frogs-30d 300000").await;
    maker.says("keep 2, cancel 0, create 0").await;
    market.move_floor(800_000).await;
    maker.says("keep 0, cancel 2, create paper-frogs-7d 400000 and paper-frogs-30d 400000").await;
    maker.says("keep 2, cancel 0, create 0").await;
    let standing = async || lender.client.list_my_offers(&ListMyOffersQuery::default()).await.unwrap().data.len();
    assert_eq!(standing().await, 2);

    let status = Command::new("kill").args(["-TERM", &maker.running.0.id().to_string()]).status().unwrap();
    assert!(status.success());
    maker.says("keep 0, cancel 2, create 0: the program ends").await;
    let mut ended = None;
    for _ in 0..600 {
        ended = maker.running.0.try_wait().unwrap();
        if ended.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
    assert_eq!(standing().await, 0);
    market.server.stop().await;
}
