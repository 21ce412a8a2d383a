//! Unsigned PSBTs for a wallet, with the inputs it is to sign.

use std::collections::BTreeMap;

use bitcoin::{Network, OutPoint, Txid};
use domain::{LoanId, UnixMs};
use escrow::contract::checked_template::CheckedTemplate;
use escrow::contract::coin::CoinKey;
use escrow::contract::origination::COMMIT;
use escrow::contract::spent_output::{Spending, SpentOutput};
use escrow::contract::template::Template;

use crate::contract::{Beginning, Contract};
use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::ports::Ports;
use crate::sides::{Side, sides};

/// A transaction for a wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForWallet {
    /// The unsigned PSBT in base64 (BIP-174).
    pub base64: String,
    /// The inputs that the wallet signs, and how.
    pub sides: Vec<Side>,
}

/// The transactions that originate a loan, for the party that signs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handout {
    /// The loan.
    pub loan: LoanId,
    /// The transactions, parents before children: one, or two for BRC-20.
    pub transactions: Vec<ForWallet>,
    /// The final txid of the last one.
    pub txid: Txid,
    /// The time until which they can be signed.
    pub expires_at: UnixMs,
}

impl ForWallet {
    pub(crate) fn new(checked: CheckedTemplate<'_>, holder: &[CoinKey], network: Network) -> Self {
        Self { base64: checked.to_base64(), sides: sides(&checked, holder, network) }
    }
}

impl<P: Ports> Desk<P> {
    /// Looks up all outputs that a loan's transactions spend; transactions that pass may be signed.
    pub(crate) async fn look_up<'b>(
        &self,
        contract: &Contract,
        beginning: &'b Beginning,
    ) -> Result<Vec<CheckedTemplate<'b>>, DeskError> {
        let carrying = contract.carrying();
        let spending = Spending { carrying: &carrying, waiting: &[] };
        let mut checked = vec![self.lookup().check(&beginning.origination, &spending).await?];
        if let Some(reveal) = &beginning.reveal {
            checked.push(check_reveal(&beginning.origination, reveal)?);
        }
        Ok(checked)
    }

    /// Returns the transactions of a loan for the wallet with these keys.
    pub(crate) async fn hand_out(
        &self,
        contract: &Contract,
        beginning: &Beginning,
        holder: &[CoinKey],
        expires_at: UnixMs,
    ) -> Result<Handout, DeskError> {
        let checked = self.look_up(contract, beginning).await?;
        let transactions =
            checked.into_iter().map(|checked| ForWallet::new(checked, holder, self.rules.network)).collect();
        Ok(Handout { loan: contract.loan, transactions, txid: beginning.txid(), expires_at })
    }
}

/// Checks a reveal. It spends only the commit, which does not exist before both are broadcast.
fn check_reveal<'r>(origination: &Template, reveal: &'r Template) -> Result<CheckedTemplate<'r>, DeskError> {
    let output = origination.psbt.unsigned_tx.output.get(COMMIT).cloned().ok_or(DeskError::OtherBeginning)?;
    let vout = u32::try_from(COMMIT).map_err(|_| DeskError::OtherBeginning)?;
    let commit = OutPoint::new(origination.final_txid(), vout);
    let spent = SpentOutput { output, confirmations: 0, is_coinbase: false, carried: None };
    let spending = Spending { carrying: &[], waiting: &[commit] };
    let checked = spending.check(reveal, &BTreeMap::from([(commit, spent)]));
    Ok(checked.map_err(crate::lookup::LookupError::from)?)
}
