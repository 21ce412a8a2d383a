//! Unsigned PSBTs for a wallet, with the inputs it is to sign.

use std::collections::BTreeMap;

use bitcoin::{Network, OutPoint, Txid};
use domain::{LoanCost, LoanDeal, LoanId, UnixMs};
use escrow::contract::loan::origination_outputs::COMMIT;
use escrow::contract::signing::checked_template::CheckedTemplate;
use escrow::contract::signing::spent_output::{InputPolicy, SpentOutput};
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::template::Template;

use crate::lookups::ports::Ports;
use crate::records::contract::{Contract, LoanTransactions};
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::sides::{Side, sides};

/// A transaction for a wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedPsbt {
    /// The unsigned PSBT in base64 (BIP-174).
    pub base64: String,
    /// The inputs that the wallet signs, and how.
    pub sides: Vec<Side>,
}

/// The transactions that originate a loan, for the party that signs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedLoan {
    /// The loan.
    pub loan: LoanId,
    /// The transactions, parents before children: one, or two for BRC-20.
    pub transactions: Vec<UnsignedPsbt>,
    /// The contract that they follow from.
    pub contract: Box<Contract>,
    /// The cost to the borrower.
    pub cost: LoanCost,
    /// The final txid of the last one.
    pub txid: Txid,
    /// The time until which they can be signed.
    pub expires_at: UnixMs,
}

impl UnsignedPsbt {
    pub(crate) fn new(checked: CheckedTemplate<'_>, holder: &[CoinKey], network: Network) -> Self {
        Self { base64: checked.to_base64(), sides: sides(&checked, holder, network) }
    }
}

impl<P: Ports> LoanService<P> {
    /// Looks up all outputs that a loan's transactions spend; transactions that pass may be signed.
    pub(crate) async fn check_inputs<'b>(
        &self,
        contract: &Contract,
        beginning: &'b LoanTransactions,
    ) -> Result<Vec<CheckedTemplate<'b>>, LoanServiceError> {
        let carrying = contract.expected_assets();
        let spending = InputPolicy { collateral: &carrying, unconfirmed: &[] };
        let mut checked = vec![self.lookup().check(&beginning.origination, &spending).await?];
        if let Some(reveal) = &beginning.reveal {
            checked.push(check_reveal(&beginning.origination, reveal)?);
        }
        Ok(checked)
    }

    /// Returns the transactions of a loan for the wallet with these keys.
    pub(crate) async fn unsigned_loan(
        &self,
        deal: &LoanDeal,
        contract: &Contract,
        beginning: &LoanTransactions,
        holder: &[CoinKey],
        expires_at: UnixMs,
    ) -> Result<UnsignedLoan, LoanServiceError> {
        let checked = self.check_inputs(contract, beginning).await?;
        let transactions =
            checked.into_iter().map(|checked| UnsignedPsbt::new(checked, holder, self.rules.network)).collect();
        let cost = contract.cost(deal, beginning).ok_or(LoanServiceError::OutOfRange)?;
        let (loan, contract) = (contract.loan, Box::new(contract.clone()));
        Ok(UnsignedLoan { loan, transactions, contract, cost, txid: beginning.txid(), expires_at })
    }
}

/// Checks a reveal. It spends only the commit, which does not exist before both are broadcast.
fn check_reveal<'r>(origination: &Template, reveal: &'r Template) -> Result<CheckedTemplate<'r>, LoanServiceError> {
    let output =
        origination.psbt.unsigned_tx.output.get(COMMIT).cloned().ok_or(LoanServiceError::TransactionMismatch)?;
    let vout = u32::try_from(COMMIT).map_err(|_| LoanServiceError::TransactionMismatch)?;
    let commit = OutPoint::new(origination.final_txid(), vout);
    let spent = SpentOutput { output, confirmations: 0, is_coinbase: false, assets: None };
    let spending = InputPolicy { collateral: &[], unconfirmed: &[commit] };
    let checked = spending.check(reveal, &BTreeMap::from([(commit, spent)]));
    Ok(checked.map_err(crate::lookups::lookup::LookupError::from)?)
}
