//! Repayment: the borrower ends loans, several in one transaction if wanted, and again with a higher fee.

use std::collections::BTreeSet;

use bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, Transaction, Txid};
use domain::{Ending, LoanAccount, LoanEvent, LoanId, LoanStage, UserId};
use engine::chain::Chain as _;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::{Repayment, RepaymentError};
use escrow::contract::signing::checked_template::CheckedTemplate;
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::signing::spent_output::InputPolicy;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::coin_selection::COINS_MAX;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::kit::rebuild;

use crate::lookups::lookup::Lookup;
use crate::lookups::ports::Ports;
use crate::records::outpoint;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::unsigned_transactions::UnsignedPsbt;

/// The most loans that one transaction repays.
pub const BATCH_MAX: usize = 10;

/// A transaction that ends loans, for the wallet of the party that ends them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedEnding {
    /// The transaction.
    pub transaction: UnsignedPsbt,
    /// Its final txid.
    pub txid: Txid,
    /// The fee.
    pub fee: Amount,
}

/// Running loans of one borrower, by id.
struct Owed {
    loans: Vec<(LoanAccount, Running)>,
    /// The borrower's payment key, and the key to which the collateral returns.
    payment: CoinKey,
    ordinals: CoinKey,
}

impl Owed {
    fn repayable(&self) -> Vec<RepayableLoan<'_>> {
        let records = self.loans.iter().map(|(_, running)| running.record());
        records.map(|record| RepayableLoan { loan: &record.loan, pre_signatures: &record.pre_signatures }).collect()
    }

    /// Returns the outputs spent by unconfirmed transactions that the new one would replace.
    fn replaced(&self) -> BTreeSet<OutPoint> {
        let waiting = self.loans.iter().filter_map(|(account, _)| unconfirmed_ending(account));
        waiting.flat_map(|transaction| transaction.input).map(|input| input.previous_output).collect()
    }
}

/// Returns the unconfirmed transaction that was sent to end a loan.
pub(crate) fn unconfirmed_ending(account: &LoanAccount) -> Option<Transaction> {
    let end = account.end.as_ref().filter(|end| end.mined.is_none())?;
    deserialize_hex(end.transaction.as_deref()?).ok()
}

/// Returns the confirmed transaction that ended a loan, if it is this one with its signatures.
pub(crate) fn confirmed_ending_of(account: &LoanAccount, unsigned: &Transaction) -> Option<Txid> {
    let end = account.end.as_ref().filter(|_| account.stage.is_over())?;
    let mut transaction: Transaction = deserialize_hex(end.transaction.as_deref()?).ok()?;
    let txid = transaction.compute_txid();
    for input in &mut transaction.input {
        (input.script_sig, input.witness) = Default::default();
    }
    (transaction == *unsigned).then_some(txid)
}

impl<P: Ports> LoanService<P> {
    /// Builds a repayment of these loans for the borrower's wallet. Nothing is reserved or stored for it.
    pub async fn prepare_repayment(
        &self,
        borrower: UserId,
        ids: &[LoanId],
        fee_rate: FeeRate,
    ) -> Result<UnsignedEnding, LoanServiceError> {
        self.check_fee_rate(fee_rate)?;
        let owed = self.owed(borrower, ids).await?;
        let lookup = Lookup { replaced: owed.replaced(), ..self.lookup() };
        let holdings = lookup.holdings(&owed.payment).await?;
        let mut coins: Vec<Coin> = holdings.plain().map(|held| held.coin.clone()).collect();
        // The largest pay; the smallest replace padding coins that were spent.
        coins.sort_by_key(|coin| (std::cmp::Reverse(coin.output.value), coin.outpoint));
        coins.retain(|coin| self.is_free(coin.outpoint, None));
        let own = owed.loans.iter().flat_map(|(_, running)| running.borrower.pads());
        let mut pads: Vec<Coin> = own.filter(|pad| coins.contains(pad)).cloned().collect();
        coins.retain(|coin| !pads.contains(coin));
        let returning = owed.loans.iter().map(|(_, running)| running.record().loan.pledge.range_count());
        let wanted = 1 + returning.sum::<usize>();
        while pads.len() < wanted {
            let Some(coin) = coins.pop() else { break };
            pads.push(coin);
        }
        coins.truncate(COINS_MAX);
        let template = cheapest(&owed, &pads, &coins, fee_rate)?;
        let checked = self.check_repayment(&lookup, &owed, &template).await?;
        let keys = [owed.ordinals, owed.payment];
        let transaction = UnsignedPsbt::new(checked, &keys, self.rules.network);
        let fee = template.fee().ok_or(LoanServiceError::OutOfRange)?;
        Ok(UnsignedEnding { transaction, txid: template.final_txid(), fee })
    }

    /// Verifies the borrower's signatures of a prepared repayment and broadcasts it; returns its txid. Idempotent.
    pub async fn submit_repayment(
        &self,
        borrower: UserId,
        ids: &[LoanId],
        signed: &str,
    ) -> Result<Txid, LoanServiceError> {
        let unsigned = parse_psbt(signed)?.unsigned_tx;
        if let Some(txid) = self.ended_by(borrower, ids, &unsigned).await? {
            return Ok(txid);
        }
        let owed = self.owed(borrower, ids).await?;
        let lookup = Lookup { replaced: owed.replaced(), ..self.lookup() };
        let escrows: BTreeSet<OutPoint> =
            owed.loans.iter().map(|(_, running)| running.record().loan.outpoint).collect();
        let coins = lookup.own_coins(&unsigned, &escrows, owed.payment).await?;
        let repayable = owed.repayable();
        let ordinals_script = owed.ordinals.script_pubkey();
        let template = rebuild::repayment(&repayable, &owed.payment, &ordinals_script, &unsigned, &coins)?;
        self.check_signed_fee_rate(&template)?;
        self.check_repayment(&lookup, &owed, &template).await?;
        let keys = [owed.ordinals, owed.payment];
        let mut signatures = template.check_returned(signed, &keys)?;
        for (_, running) in &owed.loans {
            signatures = signatures.merge(running.borrower.pre_signatures(&template)?)?;
        }
        let transaction = template.finish(&signatures, template.final_txid())?;
        self.submit_ending(
            &owed.loans.iter().map(|(account, _)| account).collect::<Vec<_>>(),
            Ending::Repayment,
            transaction,
        )
        .await
    }

    /// Journals a transaction that ends loans, and broadcasts it.
    pub(crate) async fn submit_ending(
        &self,
        loans: &[&LoanAccount],
        ending: Ending,
        transaction: Transaction,
    ) -> Result<Txid, LoanServiceError> {
        let txid = transaction.compute_txid();
        let id = outpoint::to_domain(OutPoint::new(txid, 0)).txid;
        if loans.iter().all(|loan| loan.end.as_ref().is_some_and(|end| end.txid == id)) {
            return Ok(txid);
        }
        self.ports.chain().test_accept(std::slice::from_ref(&transaction)).await?;
        for loan in loans {
            let signed = LoanEvent::EndingSigned { ending, txid: id, transaction: serialize_hex(&transaction) };
            self.market.step_loan(loan.id, signed).await?;
        }
        self.broadcast_or_log(std::slice::from_ref(&transaction)).await;
        Ok(txid)
    }

    /// Refuses an excessive fee rate in a transaction that a wallet returned.
    pub(crate) fn check_signed_fee_rate(&self, template: &Template) -> Result<(), LoanServiceError> {
        let fee = template.fee().ok_or(LoanServiceError::OutOfRange)?;
        let most = self.rules.fee_rate_max.fee_wu(template.weight).ok_or(LoanServiceError::OutOfRange)?;
        if fee <= most {
            Ok(())
        } else {
            Err(LoanServiceError::FeeRate {
                min: crate::service::fee_bounds::FEE_RATE_MIN,
                max: self.rules.fee_rate_max,
            })
        }
    }

    /// Returns the transaction that has ended all of these loans already, if it is this one with its signatures: a
    /// repeated request whose first answer was lost.
    async fn ended_by(
        &self,
        borrower: UserId,
        ids: &[LoanId],
        unsigned: &Transaction,
    ) -> Result<Option<Txid>, LoanServiceError> {
        let mut txid = None;
        for id in ids {
            let account = self.loan_of_borrower(borrower, *id).await?;
            let ended = confirmed_ending_of(&account, unsigned);
            if ended.is_none() {
                return Ok(None);
            }
            txid = ended;
        }
        Ok(txid)
    }

    async fn owed(&self, borrower: UserId, ids: &[LoanId]) -> Result<Owed, LoanServiceError> {
        let ids: BTreeSet<LoanId> = ids.iter().copied().collect();
        if ids.is_empty() || ids.len() > BATCH_MAX {
            return Err(LoanServiceError::BatchSize { max: BATCH_MAX });
        }
        let mut loans = Vec::with_capacity(ids.len());
        for id in ids {
            let account = self.loan_of_borrower(borrower, id).await?;
            if let Some(follower) = account.successor() {
                return Err(LoanServiceError::Replaced(follower));
            }
            // Repayable until the claim is confirmed.
            if !matches!(
                account.stage,
                LoanStage::Active | LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming
            ) {
                return Err(LoanServiceError::WrongStage { stage: account.stage });
            }
            let running = Running::of(&account)?;
            loans.push((account, running));
        }
        let payment = *loans.first().ok_or(LoanServiceError::BatchSize { max: BATCH_MAX })?.1.borrower.payment();
        let ordinals_of = |running: &Running| running.record().loan.escrow.terms().borrower;
        let first = ordinals_of(&loans[0].1);
        if loans.iter().any(|(_, running)| *running.borrower.payment() != payment || ordinals_of(running) != first) {
            return Err(LoanServiceError::DifferentWallets);
        }
        Ok(Owed { loans, payment, ordinals: CoinKey::P2tr(first) })
    }

    async fn check_repayment<'t>(
        &self,
        lookup: &Lookup<'_, P>,
        owed: &Owed,
        template: &'t Template,
    ) -> Result<CheckedTemplate<'t>, LoanServiceError> {
        let carrying: Vec<_> = owed.loans.iter().map(|(_, running)| running.record().loan.carried_assets()).collect();
        let spending = InputPolicy { collateral: &carrying, unconfirmed: &[] };
        Ok(lookup.check(template, &spending).await?)
    }
}

/// Builds the repayment from as few coins as suffice; in version 3, unless it is too heavy for that.
fn cheapest(owed: &Owed, pads: &[Coin], coins: &[Coin], fee_rate: FeeRate) -> Result<Template, LoanServiceError> {
    let (repayable, change) = (owed.repayable(), owed.payment.script_pubkey());
    let ordinals_script = owed.ordinals.script_pubkey();
    let build = |count: usize, version: Version| {
        let funding = &coins[..count];
        let loans = &repayable;
        Repayment {
            loans,
            version,
            pads,
            funding,
            unconfirmed: &[],
            destination: &ordinals_script,
            change: &change,
            fee_rate,
        }
        .build()
    };
    let mut last = build(coins.len(), TRUC);
    if matches!(last, Err(RepaymentError::Assembly(AssemblyError::TooHeavy { .. }))) {
        last = build(coins.len(), Version::TWO);
    }
    let fewer = (0..coins.len()).find_map(|count| match build(count, TRUC) {
        Err(RepaymentError::Assembly(AssemblyError::InsufficientFunds { .. })) => None,
        Err(RepaymentError::Assembly(AssemblyError::TooHeavy { .. })) => Some(build(count, Version::TWO)),
        other => Some(other),
    });
    Ok(fewer.unwrap_or(last)?)
}

/// Returns the amounts wanted and found, where a repayment fails for lack of coins.
#[must_use]
pub const fn shortfall(error: &RepaymentError) -> Option<(Amount, Amount)> {
    match error {
        RepaymentError::Assembly(AssemblyError::InsufficientFunds { wanted, found }) => Some((*wanted, *found)),
        _ => None,
    }
}
