//! A market with only Bitcoin Core and ord: `lienbook serve --network regtest`, with collections, and with the
//! endpoints that the demo has built in: mining, gifts and outages.
//!
//! It is served until Ctrl-C (`make regtest`), or for the duration of a command that is run in `web/` with
//! `LIENBOOK_URL` and `LIENBOOK_DEVNET`, whose exit status it returns: the browser tests are such a command.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub,
    reason = "a program of tests stops at the first surprise"
)]

mod devnet_api;
mod listings;
#[path = "../../tests/program/process.rs"]
#[allow(dead_code, reason = "each user needs another part of it")]
mod process;

use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use actix_web::rt::signal::ctrl_c;
use actix_web::rt::signal::unix::{SignalKind, signal};
use bitcoin::{Address, Network};

use devnet_api::DevnetApi;
use process::{Served, lienbook};
use testkit::etcher;
use testkit::real_world::CoreAndOrd;
use testkit::test_wallet::TestWallet;
use testkit::world::World as _;

/// The seeds of the user that etches the rune and gives it away, and of the platform.
const TREASURER: u8 = 0x7e;
const PLATFORM: u8 = 0xf3;

/// The interval between checks whether the command has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

#[actix_web::main]
async fn main() -> ExitCode {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("market");
    let world = Box::pin(CoreAndOrd::start_at(now_seconds())).await;
    let (rune, gifts) = etcher::etch(&world, &TestWallet::new(TREASURER), [listings::RUNE_GIFT_RAW; 6]).await;
    let market = serve(&world, &data).await;
    let operator = listings::Operator::new(&data, folder.path());
    operator.list_all(rune);
    let devnet_api = DevnetApi::open(world, market.base.clone(), operator, gifts.map(|gift| gift.coin).to_vec());

    let command: Vec<String> = std::env::args().skip(1).collect();
    let mut running = command.split_first().map(|(program, arguments)| {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
        let mut run = Command::new(program);
        run.args(arguments).current_dir(web);
        run.envs([("LIENBOOK_URL", &market.base), ("LIENBOOK_DEVNET", &devnet_api.url)]).spawn().unwrap()
    });
    if running.is_none() {
        println!("A market on Bitcoin Core and ord: {}", market.base);
        println!("Blocks and gifts, as the demo has them under /api/v1/devnet: {}", devnet_api.url);
    }
    // A termination signal also ends the child processes.
    let mut terminate_signal = signal(SignalKind::terminate()).unwrap();
    let is_served = running.is_none();
    let is_success = tokio::select! {
        is_success = ended(&mut running) => is_success,
        _ = terminate_signal.recv() => false,
        _ = ctrl_c() => is_served,
    };
    if let Some(mut running) = running {
        // It may have ended already.
        let _ = running.kill();
        let _ = running.wait();
    }
    devnet_api.close().await;
    market.terminate();
    if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Waits until a command has ended, without one forever, and returns whether it succeeded.
async fn ended(running: &mut Option<Child>) -> bool {
    loop {
        if let Some(status) = running.as_mut().and_then(|running| running.try_wait().unwrap()) {
            return status.success();
        }
        actix_web::rt::time::sleep(POLL_INTERVAL).await;
    }
}

/// Returns the machine's time, which the server uses too.
pub(crate) fn now_seconds() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u32::try_from(since.as_secs()).unwrap()
}

async fn serve(world: &CoreAndOrd, data: &Path) -> Served {
    world.mine(1).await;
    let (node_url, cookie) = world.node_access().await;
    let ord_url = world.ord_url().await;
    let mut command = lienbook(&["serve", "--network", "regtest", "--listen", "127.0.0.1:0", "--log", "error"]);
    command.arg("--data").arg(data).arg("--node-cookie").arg(cookie);
    command.args(["--node-url", &node_url, "--ord-url", &ord_url]);
    let platform = Address::from_script(&TestWallet::new(PLATFORM).payment_script(), Network::Regtest).unwrap();
    command.args(["--platform-address", &platform.to_string()]);
    // All clients have one IP address here, as in the demo.
    for quota in ["sign_ins_per_minute=6000", "tickets_per_minute=60000", "reads_per_minute=60000"] {
        command.args(["--set", &format!("quotas.{quota}")]);
    }
    for setting in ["signer_in_process=true", "signers_in_process=3", "signers_required=2"] {
        command.args(["--set", setting]);
    }
    Served::launch_command(&mut command, "Serving ").0
}
