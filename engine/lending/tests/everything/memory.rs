//! The clients' memory, which survives crashes of the server.

use std::collections::{BTreeMap, VecDeque};

use bitcoin::{OutPoint, Psbt, ScriptBuf, Txid};
use domain::{LoanId, Nonce, OfferId};
use lending::service::unsigned_transactions::{UnsignedLoan, UnsignedPsbt};

use crate::participants::Owner;
use crate::request::Request;

/// The most requests kept for repetition.
const PAST_MAX: usize = 200;

/// A loan that waits for its borrower's signature.
#[derive(Clone, Debug)]
pub(crate) struct PreparedLoan {
    pub(crate) borrower: usize,
    pub(crate) is_instant: bool,
    pub(crate) handout: UnsignedLoan,
}

/// A fact that the server acknowledged.
#[derive(Clone, Debug)]
pub(crate) enum Fact {
    Quoted(OfferId),
    Cancelled(OfferId),
    Prepared(LoanId),
    Accepted(LoanId),
    GivenUp(LoanId),
    Originated(LoanId, Txid),
    Ending(LoanId, Txid),
    Withdrawn(Nonce, Txid),
}

/// The answer that a repeated request must get again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastingAnswer {
    Sent(Txid),
    Offer(OfferId),
}

/// The clients' memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Offers with the index of their lender, and whether they are instant.
    pub(crate) offers: Vec<(OfferId, usize, bool)>,
    pub(crate) prepared: Vec<PreparedLoan>,
    pub(crate) accepted: Vec<LoanId>,
    pub(crate) originated: Vec<LoanId>,
    /// Past requests, with their answers.
    pub(crate) past: VecDeque<(Request, Option<LastingAnswer>)>,
    pub(crate) facts: Vec<Fact>,
    /// The outputs that the transaction spends which a borrower saw last, with their scripts.
    pub(crate) inputs: BTreeMap<LoanId, Vec<(OutPoint, ScriptBuf)>>,
    /// Coins sent to others or to oneself: sender, recipient and amount.
    pub(crate) gifts: BTreeMap<Txid, (Owner, Owner, u64)>,
    /// The nonces of withdrawals, with lender and amount.
    pub(crate) withdrawals: BTreeMap<Nonce, (usize, u64)>,
}

impl Memory {
    pub(crate) fn remember(&mut self, request: Request, answer: Option<LastingAnswer>) {
        self.past.push_back((request, answer));
        if self.past.len() > PAST_MAX {
            self.past.pop_front();
        }
    }

    /// Records what was handed to a borrower.
    pub(crate) fn record_inputs(&mut self, handout: &UnsignedLoan) {
        self.inputs.insert(handout.loan, inputs(&handout.transactions[0]));
    }
}

fn inputs(transaction: &UnsignedPsbt) -> Vec<(OutPoint, ScriptBuf)> {
    let psbt: Psbt = transaction.base64.parse().unwrap();
    let scripts = psbt.inputs.iter().map(|input| input.witness_utxo.clone().unwrap().script_pubkey);
    psbt.unsigned_tx.input.iter().map(|input| input.previous_output).zip(scripts).collect()
}
