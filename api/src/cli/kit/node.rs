//! The user's Bitcoin node.

use std::fs;

use bitcoin::blockdata::constants::genesis_block;
use bitcoin::{FeeRate, Network, OutPoint, TxOut, Txid};
use engine::chain::{Chain as _, Tip};
use escrow::kit::loan_record::LoanRecord;
use escrow::kit::time_left::in_words;
use escrow::utc::utc;
use providers::{BitcoinCore, Credentials};
use secrecy::SecretString;

use super::arguments::InputOptions;
use crate::cli::terminal::note;
use crate::clock;
use crate::failure::Failure;

/// The number of blocks within which a transaction should be confirmed.
const SOON_BLOCKS: u16 = 2;
/// The largest normal lag, in seconds, of the chain's median time, which is about one hour; beyond it the node is
/// missing blocks.
const LATE_SECONDS: u32 = 6 * 3_600;

/// A node of the kit's network.
pub(super) struct Node {
    /// The node.
    pub(super) core: BitcoinCore,
    /// Its best block.
    pub(super) tip: Tip,
}

impl Node {
    /// Connects to the node and checks its network.
    pub(super) async fn open(input: &InputOptions, network: Network) -> Result<Self, Failure> {
        let core = BitcoinCore::new(&input.node, credentials(input)?).map_err(Failure::new)?;
        let tip = core.tip().await.map_err(Failure::new)?;
        let genesis = core.block_hash(0).await.map_err(Failure::new)?;
        if genesis != Some(genesis_block(network).block_hash()) {
            return Err(Failure::new(format!("the kit is of the network {network}, and this node is on another one")));
        }
        let node = Self { core, tip };
        let behind = now_seconds().saturating_sub(node.tip.median_time_seconds);
        if behind > LATE_SECONDS {
            let (time, behind) = (utc(node.tip.median_time_seconds), in_words(behind));
            note(format_args!(
                "Warning: the node's last blocks are of {time}, {behind} ago. If it is still catching up, what it says \
                 here is out of date: wait until it has."
            ));
        }
        Ok(node)
    }

    /// Returns the current time in unix seconds: that of this machine or that of the chain, whichever is later.
    pub(super) fn now_seconds(&self) -> u32 {
        now_seconds().max(self.tip.median_time_seconds)
    }

    /// Checks that the loan is running, and returns the unconfirmed transaction that would end it, if there is one.
    pub(super) async fn check_escrow(&self, record: &LoanRecord) -> Result<Option<Txid>, Failure> {
        let outpoint = record.loan.outpoint;
        let held = TxOut { value: record.loan.value, script_pubkey: record.loan.escrow.output().script_pubkey() };
        match self.core.confirmed_unspent(outpoint).await.map_err(Failure::new)? {
            Some(found) if found.output == held => {}
            Some(_) => return Err(Failure::new(format!("the node says that {outpoint} holds something else"))),
            None if self.core.unspent(outpoint).await.map_err(Failure::new)?.is_some() => {
                return Err(Failure::new(format!("the loan has not begun: {outpoint} waits for a block")));
            }
            None => {
                return Err(Failure::new(format!(
                    "the escrow {outpoint} is not there, so the loan has ended (repaid, claimed or moved), or the node \
                     has not come to its block yet; look the output up in a block explorer"
                )));
            }
        }
        let waiting = self.core.mempool_spender(outpoint).await.map_err(Failure::new)?;
        if let Some(txid) = waiting {
            note(format_args!(
                "Note: the transaction {txid}, which spends the escrow, waits for a block. If it is yours, another one \
                 with a higher fee replaces it; the loan cannot be paid twice."
            ));
        }
        Ok(waiting)
    }

    /// Returns whether an unconfirmed transaction other than `replaced` spends an output.
    pub(super) async fn is_spent_in_mempool(
        &self,
        outpoint: OutPoint,
        replaced: Option<Txid>,
    ) -> Result<bool, Failure> {
        let spender = self.core.mempool_spender(outpoint).await.map_err(Failure::new)?;
        Ok(spender.is_some() && spender != replaced)
    }

    /// Returns the wanted rate, or the node's estimate for a confirmation soon.
    pub(super) async fn fee_rate(&self, wanted: Option<FeeRate>) -> Result<FeeRate, Failure> {
        match wanted {
            Some(rate) => Ok(rate),
            None => self.core.fee_rate(SOON_BLOCKS).await.map_err(Failure::new),
        }
    }
}

fn now_seconds() -> u32 {
    u32::try_from(clock::now_s()).unwrap_or(u32::MAX)
}

fn credentials(input: &InputOptions) -> Result<Credentials, Failure> {
    match (&input.cookie, &input.user, &input.password_file) {
        (Some(cookie), None, None) => Ok(Credentials::Cookie(cookie.clone())),
        (None, Some(name), Some(file)) => {
            let password = fs::read_to_string(file);
            let password =
                password.map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?;
            let password = SecretString::from(password.trim_end_matches(['\r', '\n']));
            Ok(Credentials::User { name: name.clone(), password })
        }
        _ => Err(Failure::new(
            "a node asks who you are: give its cookie file with --cookie, or --user with --password-file",
        )),
    }
}
