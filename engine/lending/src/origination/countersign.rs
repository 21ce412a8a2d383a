//! The lender's counter-signature of a manual loan, which originates it.

use bitcoin::transaction::Version;
use bitcoin::{OutPoint, Transaction, Txid};
use domain::{CancelledBy, GRACE_MS, LoanAccount, LoanId, LoanRejection, LoanStage, UserId};
use engine::chain::{Chain as _, ChainError};
use engine::{Refusal, SignedLoan};
use escrow::contract::payout_signatures::PayoutSignatures;
use escrow::contract::running_loan::TRUC;
use escrow::contract::spent_output::SpentOutputError;
use escrow::contract::template::Spend;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::loan_record::LoanRecord;
use tracing::{Instrument as _, debug_span};

use crate::ending::refinance::replaced_loan_event;
use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::origination::accept::check_returned;
use crate::origination::prepare::{BORROWER_SIGNING_MS, LENDER_SIGNING_MS};
use crate::records::contract::{Contract, LoanTransactions, Pledged, Source};
use crate::records::contract_record::RecordError;
use crate::records::outpoint;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::sides::payout_sides;
use crate::service::unsigned_transactions::{UnsignedLoan, UnsignedPsbt};

/// The transactions for the lender's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedCountersignature {
    /// The transactions that originate the loan; those without inputs of the lender are left out.
    pub origination: UnsignedLoan,
    /// The repayment to be signed beforehand, in version 2 and in version 3.
    pub payouts: [UnsignedPsbt; 2],
}

/// The signed transactions from the lender's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Countersigned {
    /// The transaction that originates the loan.
    pub origination: String,
    /// The repayments, in version 2 and in version 3.
    pub payouts: [String; 2],
}

impl<P: Ports> LoanService<P> {
    /// Returns what the lender is to sign. If a coin of the lender was spent meanwhile the transaction is rebuilt; if
    /// the collateral was, the loan is cancelled.
    ///
    /// # Errors
    /// [`DeskError::Rebuilt`] and [`DeskError::CollateralGone`] report that this happened.
    pub async fn prepare_countersign(
        &self,
        lender: UserId,
        id: LoanId,
    ) -> Result<UnsignedCountersignature, LoanServiceError> {
        let loan = self.loan_awaiting_lender(lender, id).await?;
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.build()?;
        let unsigned = self.unsigned_loan(&contract, &beginning, &contract.lender.keys(), loan.expires_at).await;
        let mut unsigned = self.or_repair(&loan, &contract, unsigned).await?;
        unsigned.transactions.truncate(1);
        let request = beginning.payout_request();
        let payout = |version: Version| -> Result<UnsignedPsbt, LoanServiceError> {
            let sides = payout_sides(&request, version, self.rules.network)?;
            Ok(UnsignedPsbt { base64: request.to_base64(version)?, sides })
        };
        let payouts = [payout(Version::TWO)?, payout(TRUC)?];
        Ok(UnsignedCountersignature { origination: unsigned, payouts })
    }

    /// Verifies the lender's signatures and originates the loan; returns the txid of its transaction. Idempotent.
    ///
    /// # Errors
    /// As [`Self::prepare_countersign`].
    pub async fn countersign(
        &self,
        lender: UserId,
        id: LoanId,
        signed: &Countersigned,
    ) -> Result<Txid, LoanServiceError> {
        let loan = self.loan_of_lender(lender, id).await?;
        if loan.txid.is_some() {
            // It was originated, whatever its stage since.
            let contract = Contract::from_record(&loan.contract)?;
            return Ok(contract.build()?.txid());
        }
        let loan = self.loan_awaiting_lender(lender, id).await?;
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.build()?;
        let lender_signed = beginning.origination.check_returned(&signed.origination, &contract.lender.keys())?;
        let request = beginning.payout_request();
        let [two, truc] = &signed.payouts;
        let beforehand = PayoutSignatures {
            two: request.check_returned(Version::TWO, two)?,
            truc: request.check_returned(TRUC, truc)?,
        };
        let answer: Vec<String> =
            serde_json::from_str(loan.answer.as_deref().unwrap_or_default()).map_err(RecordError::from)?;
        let mut signatures = check_returned(&beginning, &answer, &contract.borrower)?;
        let mut first = signatures.remove(0).merge(lender_signed)?;
        // The lender of an extension signs the whole transaction instead.
        let is_extension = matches!(contract.source, Source::Rollover { .. });
        if let Some(ending) = contract.pledged.replaced_kit().filter(|_| !is_extension) {
            first = first.merge(ending.pre_signature(&beginning.origination)?)?;
        }
        signatures.insert(0, first);
        let both = beginning.templates().zip(&signatures);
        let transactions = both.map(|(template, signatures)| template.finish(signatures, template.final_txid()));
        let transactions = transactions.collect::<Result<Vec<_>, _>>()?;
        let originated = async {
            let looked_up = self.check_inputs(&contract, &beginning).await.map(drop);
            self.or_repair(&loan, &contract, looked_up).await?;
            self.originate_loan(&contract, &beginning, transactions, beforehand, None).await
        };
        self.or_if_originated(id, beginning.txid(), originated.await).await
    }

    /// Cancels a loan that the lender refuses to sign.
    pub async fn refuse(&self, lender: UserId, id: LoanId) -> Result<(), LoanServiceError> {
        self.loan_awaiting_lender(lender, id).await?;
        Ok(self.market.cancel_loan(id, CancelledBy::Lender).await?)
    }

    async fn loan_awaiting_lender(&self, lender: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.loan_of_lender(lender, id).await?;
        if loan.stage == LoanStage::AwaitingLender {
            Ok(loan)
        } else {
            Err(LoanServiceError::WrongStage { stage: loan.stage })
        }
    }

    /// Journals a finished loan and broadcasts it. The node checks the transactions before anything is journaled; a
    /// broadcast that it does not answer is repeated by the watcher.
    pub(crate) async fn originate_loan(
        &self,
        contract: &Contract,
        beginning: &LoanTransactions,
        transactions: Vec<Transaction>,
        beforehand: PayoutSignatures,
        vault: Option<domain::VaultSpend>,
    ) -> Result<Txid, LoanServiceError> {
        self.ports.chain().test_accept(&transactions).instrument(debug_span!("test")).await?;
        let txid = beginning.txid();
        let running = running(contract, beginning, transactions, beforehand, self.rules.network)?;
        let signed = SignedLoan {
            txid: outpoint::to_domain(OutPoint::new(txid, 0)).txid,
            running: running.to_record(),
            vault,
            ends: replaced_loan_event(contract, &running.transactions),
        };
        self.market.begin_loan(contract.loan, signed, None).instrument(debug_span!("journal")).await?;
        self.broadcast_or_log(&running.transactions).await;
        Ok(txid)
    }

    /// Resolves concurrent duplicates of a signed request: the slower one finds the coins spent and the loan
    /// originated, and returns the same answer.
    pub(crate) async fn or_if_originated(
        &self,
        id: LoanId,
        txid: Txid,
        answer: Result<Txid, LoanServiceError>,
    ) -> Result<Txid, LoanServiceError> {
        let own = outpoint::to_domain(OutPoint::new(txid, 0)).txid;
        let is_begun = |loan: LoanAccount| loan.txid == Some(own);
        match answer {
            Err(_) if self.market.loan(id).await.is_some_and(is_begun) => Ok(txid),
            answer => answer,
        }
    }

    /// Broadcasts journaled transactions. A failure is only logged: the watcher follows them on the chain.
    pub(crate) async fn broadcast_or_log(&self, transactions: &[Transaction]) {
        let sent = self.ports.chain().broadcast(transactions).instrument(debug_span!("broadcast")).await;
        if let (Err(error), Some(last)) = (&sent, transactions.last()) {
            let txid = last.compute_txid();
            match error {
                ChainError::Rejected(refusal) => tracing::warn!(%txid, %refusal, "the node refused a transaction"),
                error => tracing::warn!(%txid, %error, "the broadcast of a transaction failed; it is repeated"),
            }
        }
    }

    /// Passes an answer on, unless it reports a spent output of the loan: then the loan is first repaired as far as
    /// possible.
    async fn or_repair<T>(
        &self,
        loan: &LoanAccount,
        contract: &Contract,
        answer: Result<T, LoanServiceError>,
    ) -> Result<T, LoanServiceError> {
        let Err(LoanServiceError::Lookup(LookupError::Spent(SpentOutputError::MissingOrSpent(gone)))) = answer else {
            return answer;
        };
        Err(self.repair_loan(loan, contract, gone).await?)
    }

    /// Repairs a loan of which an output was spent: a coin of the lender is replaced and the transaction rebuilt;
    /// without one of the borrower's the loan is cancelled. Returns the error for the caller.
    pub(crate) async fn repair_loan(
        &self,
        loan: &LoanAccount,
        contract: &Contract,
        gone: OutPoint,
    ) -> Result<LoanServiceError, LoanServiceError> {
        if matches!(contract.source, Source::Rollover { .. }) {
            self.market.cancel_loan(loan.id, CancelledBy::Market).await?;
            return Ok(LoanServiceError::ExtensionCoinSpent(gone));
        }
        let is_lenders =
            matches!(&contract.source, Source::Coins(coins) if coins.iter().any(|coin| coin.outpoint == gone));
        if !is_lenders {
            // An output of the borrower: the collateral, or the loan to be replaced and the coins that pay for that.
            let is_collateral = contract.pledged.coins().iter().any(|coin| coin.coin.outpoint == gone);
            let by = if is_collateral { CancelledBy::CollateralMoved } else { CancelledBy::Market };
            self.market.cancel_loan(loan.id, by).await?;
            return Ok(LoanServiceError::CollateralSpent(gone));
        }
        let until = self.signing_deadline(LENDER_SIGNING_MS, loan.sign_by());
        if until < self.market.now().plus_ms(BORROWER_SIGNING_MS) {
            // The claim time is fixed in the script: another signing round would cut the term.
            self.market.cancel_loan(loan.id, CancelledBy::Time).await?;
            return Ok(Refusal::from(LoanRejection::TooLate(until)).into());
        }
        let spends: Vec<_> = contract.pledged.coins().iter().map(|coin| Spend::Coin(&coin.coin)).collect();
        let fee = contract.platform_fee.as_ref().map_or(bitcoin::Amount::ZERO, |output| output.value);
        let amount = contract.principal.checked_add(fee).ok_or(LoanServiceError::OutOfRange)?;
        let is_exact = matches!(contract.pledged, Pledged::Note { .. });
        let coins =
            self.lender_coins(&contract.lender, amount, is_exact, contract.fee_rate, &spends, Some(loan.id)).await?;
        let rebuilt = Contract { source: Source::Coins(coins), ..contract.clone() };
        let beginning = rebuilt.build()?;
        self.check_inputs(&rebuilt, &beginning).await?;
        let reserved = rebuilt.reserved_outputs().into_iter().map(outpoint::to_domain).collect();
        self.market.rebuild_loan(loan.id, rebuilt.to_record(), reserved, until).await?;
        Ok(LoanServiceError::Rebuilt)
    }
}

/// Builds the record of the running loan.
fn running(
    contract: &Contract,
    beginning: &LoanTransactions,
    transactions: Vec<Transaction>,
    pre_signatures: PayoutSignatures,
    network: bitcoin::Network,
) -> Result<Running, LoanServiceError> {
    let grace = u32::try_from(GRACE_MS / 1_000).map_err(|_| LoanServiceError::OutOfRange)?;
    let record = LoanRecord {
        network,
        loan: beginning.loan.clone(),
        pre_signatures,
        due_seconds: contract.claim_after.saturating_sub(grace),
        origination: transactions.last().cloned().ok_or(LoanServiceError::TransactionMismatch)?,
    };
    let pads = beginning.pads.each_ref().map(|pad| pad.outpoint);
    let borrower = BorrowerKit::new(record, contract.borrower.payment, pads)?;
    Ok(Running { transactions, borrower, lender_payment: contract.lender.payment })
}
