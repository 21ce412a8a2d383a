//! Refinance: a loan that takes over the collateral of another and repays its lender, in one transaction.

use bitcoin::consensus::encode::serialize_hex;
use bitcoin::{OutPoint, Transaction};
use domain::{Ending, GroupId, LoanEvent, LoanId, LoanStage, PledgedIds, UserId};
use engine::asset_index::InscriptionId;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::COINS_MAX;
use escrow::kit::Kit;

use crate::lookups::ports::Ports;
use crate::records::contract::{Contract, Pledged, Source};
use crate::records::outpoint;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

impl<P: Ports> LoanService<P> {
    /// Returns the collateral of a running loan of the borrower, for an offer of the same collection and amount.
    pub(crate) async fn refinanced_collateral(
        &self,
        borrower: UserId,
        id: LoanId,
        inscriptions: &[InscriptionId],
        group: GroupId,
        pledged_raw: u128,
    ) -> Result<(Pledged, PledgedIds), LoanServiceError> {
        let loan = self.loan_of_borrower(borrower, id).await?;
        if !matches!(loan.stage, LoanStage::Active | LoanStage::Expired) {
            return Err(LoanServiceError::WrongStage { stage: loan.stage });
        }
        let running = Running::of(&loan)?;
        let is_note = matches!(running.record().loan.pledge, Pledge::TransferInscription { .. });
        let is_own = |named: &InscriptionId| loan.deal.pledged_ids.iter().any(|own| own == named.to_string());
        if !inscriptions.iter().all(is_own) {
            // The collateral is that of the running loan, whatever else the borrower owns.
            return Err(LoanServiceError::NotReplaceable(id));
        }
        if is_note || loan.deal.group() != group || loan.deal.pledged_raw != pledged_raw {
            return Err(LoanServiceError::NotReplaceable(id));
        }
        let kit = Kit::Borrower(Box::new(running.borrower)).write();
        Ok((Pledged::Running { kit, coins: Vec::new() }, loan.deal.pledged_ids))
    }

    /// Returns the contract with as few coins of the borrower as suffice, where the new principal does not cover the
    /// payout of the old loan, or there is none.
    pub(crate) async fn with_borrower_coins(&self, contract: Contract) -> Result<Contract, LoanServiceError> {
        let (Pledged::Running { kit, .. }, Some(ending)) = (&contract.pledged, contract.pledged.replaced_kit()) else {
            return Ok(contract);
        };
        let holdings = self.lookup().holdings(&contract.borrower.payment).await?;
        let mut own: Vec<Coin> = holdings.plain().map(|held| held.coin.clone()).collect();
        own.retain(|coin| !ending.pads().contains(coin) && self.is_free(coin.outpoint, None));
        own.sort_by_key(|coin| (std::cmp::Reverse(coin.output.value), coin.outpoint));
        own.truncate(COINS_MAX);
        let mut count = 0;
        loop {
            let pledged = Pledged::Running { kit: kit.clone(), coins: own[..count].to_vec() };
            let candidate = Contract { pledged, ..contract.clone() };
            match candidate.build() {
                Ok(_) => return Ok(candidate),
                Err(error) if error.shortfall().is_some() && count < own.len() => count += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Returns the event for the loan that these transactions end, if any.
pub(crate) fn replaced_loan_event(contract: &Contract, transactions: &[Transaction]) -> Option<(LoanId, LoanEvent)> {
    let (ending, transaction) = (contract.pledged.replaced_kit()?, transactions.last()?);
    let id = LoanId(ending.record().loan.escrow.terms().loan);
    let txid = outpoint::to_domain(OutPoint::new(transaction.compute_txid(), 0)).txid;
    let (ending, transaction) = (ending_by_successor(&contract.source, contract.loan), serialize_hex(transaction));
    Some((id, LoanEvent::EndingSigned { ending, txid, transaction }))
}

/// Returns how a loan ends that is followed by another one with this source.
const fn ending_by_successor(source: &Source, follower: LoanId) -> Ending {
    match source {
        Source::Rollover { .. } => Ending::Extension(follower),
        Source::Coins(_) | Source::Vault(_) => Ending::Refinance(follower),
    }
}
