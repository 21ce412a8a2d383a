//! What a wallet is given to sign: texts, and which inputs of them.

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
    /// The PSBT in base64 (BIP-174), nobody's signatures in it.
    pub base64: String,
    /// Which inputs the wallet signs, and how.
    pub sides: Vec<Side>,
}

/// The transactions that begin a loan, for the one who signs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handout {
    /// Which loan.
    pub loan: LoanId,
    /// Parents before children: one, or with BRC-20 two.
    pub transactions: Vec<ForWallet>,
    /// The id that the last of them will have.
    pub txid: Txid,
    /// Until when they can be signed.
    pub expires_at: UnixMs,
}

impl ForWallet {
    pub(crate) fn new(checked: CheckedTemplate<'_>, holder: &[CoinKey], network: Network) -> Self {
        Self { base64: checked.to_base64(), sides: sides(&checked, holder, network) }
    }
}

impl<P: Ports> Desk<P> {
    /// Looks everything up that the transactions of a loan spend; what stands this may be signed.
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

    /// The transactions of a loan for the wallet with these keys.
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

/// A reveal spends nothing but the commit, which is not there before both are sent.
fn check_reveal<'r>(origination: &Template, reveal: &'r Template) -> Result<CheckedTemplate<'r>, DeskError> {
    let output = origination.psbt.unsigned_tx.output.get(COMMIT).cloned().ok_or(DeskError::OtherBeginning)?;
    let vout = u32::try_from(COMMIT).map_err(|_| DeskError::OtherBeginning)?;
    let commit = OutPoint::new(origination.final_txid(), vout);
    let spent = SpentOutput { output, confirmations: 0, is_coinbase: false, carried: None };
    let spending = Spending { carrying: &[], waiting: &[commit] };
    let checked = spending.check(reveal, &BTreeMap::from([(commit, spent)]));
    Ok(checked.map_err(crate::lookup::LookupError::from)?)
}
