//! People in a browser, at `lienbook serve --network regtest` with Bitcoin Core and ord behind it and nothing else.
//!
//! The web app's own tests are told where the market is, and where somebody does for them what they do in the demo by
//! themselves: mine, give, take an upstream away.

mod chain_desk;
mod listings;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use bitcoin::{Address, Network};

use super::people::PLATFORM;
use super::process::{Served, lienbook};
use super::stage::now_seconds;
use super::worlds::person::Person;
use super::worlds::real_world::CoreAndOrd;
use super::worlds::{etcher, world::World as _};
use chain_desk::ChainDesk;

/// Who etches the rune and gives it away.
const TREASURER: u8 = 0x7e;
/// What is run in the web app's folder when nothing else is asked for.
const USUAL_COMMAND: &str = "npm run --silent e2e:regtest";

#[actix_web::test]
#[ignore = "it takes the web app's packages and a browser: `make e2e` runs it"]
async fn people_lend_and_borrow_in_a_browser_with_core_and_ord_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("market");
    let world = Box::pin(CoreAndOrd::start_at(now_seconds())).await;
    let (rune, gifts) = etcher::etch(&world, &Person::new(TREASURER), [listings::RUNE_GIFT_RAW; 6]).await;
    let operator = listings::Operator::new(&data, folder.path());

    let market = serve(&world, &data).await;
    operator.list_all(rune);
    let desk = ChainDesk::open(world, market.base.clone(), operator, gifts.map(|gift| gift.coin));
    let command = std::env::var_os("LIENBOOK_BROWSER_COMMAND").unwrap_or_else(|| OsString::from(USUAL_COMMAND));
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    let mut tests = Command::new("bash");
    tests
        .arg("-c")
        .arg(command)
        .current_dir(web)
        .envs([("LIENBOOK_URL", &market.base), ("LIENBOOK_DEVNET", &desk.url)]);
    let played = actix_web::web::block(move || tests.status()).await.unwrap().unwrap();
    desk.close().await;
    market.terminate();
    assert!(played.success(), "see what the browser's tests said above");
}

async fn serve(world: &CoreAndOrd, data: &Path) -> Served {
    world.mine(1).await;
    let (node_url, cookie) = world.node_access().await;
    let ord_url = world.ord_url().await;
    let mut command = lienbook(&["serve", "--network", "regtest", "--listen", "127.0.0.1:0", "--log", "error"]);
    command.arg("--data").arg(data).arg("--node-cookie").arg(cookie);
    command.args(["--node-url", &node_url, "--ord-url", &ord_url]);
    let platform = Address::from_script(&Person::new(PLATFORM).purse(), Network::Regtest).unwrap();
    command.args(["--platform-address", &platform.to_string()]);
    // Everybody comes from one address here, as in the demo.
    for quota in ["sign_ins_per_minute=6000", "tickets_per_minute=60000", "reads_per_minute=60000"] {
        command.args(["--set", &format!("quotas.{quota}")]);
    }
    command.args(["--set", "signer_in_process=true"]);
    Served::launch_command(&mut command, "Serving ").0
}
