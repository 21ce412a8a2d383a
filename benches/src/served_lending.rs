//! The real server with its own chain, as a separate process: vaults can be funded and loans be made.

use std::{io, path::Path};

use bitcoin::{Amount, Network, ScriptBuf};
use devchain::EmbeddedChain;
use domain::Inscription;
use escrow::address::WalletAddress;
use lienbook::{
    config::settings::Settings,
    node::Node,
    server::{Server, open_files},
};
use serde::{Deserialize, Serialize};

use crate::{
    market,
    served_market::{GROUP, unlimited_quotas},
    server_process::{ServerProcess, answer, ready},
    stages::{Durations, Stages},
};

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "serve-lending";

/// The value of outputs with inscriptions, in sats.
const POSTAGE: Amount = Amount::from_sat(10_000);

/// The requests to the server.
#[derive(Debug, Serialize, Deserialize)]
enum Request {
    /// Inscribe this many for each address, and list them.
    Inscribe(Vec<(String, usize)>),
    /// Pay this many outputs of this many sats to each address, in blocks, and scan every vault.
    Pay(Vec<(String, usize)>, u64),
    /// Report the durations of loan stages since the last report.
    Stages,
}

/// Makes inscriptions for each address, and lists them in the only group. Returns their ids, by address.
///
/// # Errors
/// If the server has ended.
pub fn inscribe(server: &mut ServerProcess, wanted: Vec<(String, usize)>) -> io::Result<Vec<Vec<String>>> {
    server.ask(&Request::Inscribe(wanted))
}

/// Pays outputs of `sats` to each address, and waits until the vaults among them have the money.
///
/// # Errors
/// If the server has ended.
pub fn pay(server: &mut ServerProcess, wanted: Vec<(String, usize)>, sats: u64) -> io::Result<()> {
    server.ask(&Request::Pay(wanted, sats))
}

/// Returns the durations of loan stages since the last call.
///
/// # Errors
/// If the server has ended.
pub fn stages(server: &mut ServerProcess) -> io::Result<Durations> {
    server.ask(&Request::Stages)
}

/// Serves the folder until its input ends; on the server's side.
///
/// # Errors
/// If it cannot start or the reader is gone.
pub fn serve(data: &Path, signers: usize) -> io::Result<()> {
    open_files::raise_limit();
    let stages = Stages::listen();
    actix::System::new().block_on(async {
        let failed = |failure: lienbook::failure::Failure| io::Error::other(failure.to_string());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_err(io::Error::other)?;
        let chain = EmbeddedChain::new(u32::try_from(now.as_secs()).map_err(io::Error::other)?);
        let chain = chain.map_err(io::Error::other)?;
        let settings = Settings {
            listen: "127.0.0.1:0".parse().expect("an address"),
            data: data.to_owned(),
            quotas: unlimited_quotas(),
            network: Network::Regtest,
            signer_in_process: true,
            signers_in_process: signers,
            signers_required: signers / 2 + 1,
            ..Settings::default()
        };
        let node = Some(Node::Embedded(chain.clone().into()));
        let server = Server::builder(settings).node(node).start().await.map_err(failed)?;
        let market = &server.app().market;
        market.list_group((*market::group(GROUP.0)).clone()).await.map_err(io::Error::other)?;
        let observed_at = server.app().now();
        market.move_price(GROUP, market::floor_price(), observed_at).await.map_err(io::Error::other)?;
        let mut requests = ready(&server.address)?;
        while let Some(request) = requests.recv().await {
            match request {
                Request::Inscribe(wanted) => answer(&inscribed(&server, &chain, &wanted).await?)?,
                Request::Pay(wanted, sats) => answer(&paid(&server, &chain, &wanted, Amount::from_sat(sats)).await?)?,
                Request::Stages => answer(&stages.take())?,
            }
        }
        server.stop().await;
        Ok(())
    })
}

fn script(address: &str) -> io::Result<ScriptBuf> {
    let address = WalletAddress::parse(address, Network::Regtest).map_err(io::Error::other)?;
    Ok(address.script_pubkey())
}

async fn inscribed(server: &Server, chain: &EmbeddedChain, wanted: &[(String, usize)]) -> io::Result<Vec<Vec<String>>> {
    let mut all = Vec::new();
    for (address, count) in wanted {
        let script = script(address)?;
        let inscribed = (0..*count).map(|_| chain.inscribe(&script, POSTAGE, "text/plain", b"one of many"));
        let inscribed = inscribed.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
        let listed: Vec<Inscription> = inscribed.iter().copied().map(Into::into).collect();
        server.app().market.list_inscriptions(GROUP, &listed).await.map_err(io::Error::other)?;
        all.push(inscribed.iter().map(ToString::to_string).collect());
    }
    Ok(all)
}

async fn paid(server: &Server, chain: &EmbeddedChain, wanted: &[(String, usize)], each: Amount) -> io::Result<()> {
    for (address, count) in wanted {
        let script = script(address)?;
        for _ in 0..*count {
            chain.fund(&script, each).map_err(io::Error::other)?;
        }
    }
    let Some(watch) = &server.app().vault_watch else { return Err(io::Error::other("the vaults are not watched")) };
    loop {
        let round = watch.round().await.map_err(io::Error::other)?;
        if !round.has_more && round.failed.is_empty() {
            return Ok(());
        }
    }
}
