//! The lender's claim of the collateral of a loan that was not repaid.

use bitcoin::{FeeRate, Txid};
use domain::{Ending, LoanAccount, LoanId, LoanStage, UnixMs, UserId};
use engine::chain::Chain as _;
use escrow::contract::claim::ClaimError;
use escrow::contract::coin::{Coin, CoinKey};
use escrow::contract::returned::parse_psbt;
use escrow::contract::spent_output::Spending;
use escrow::contract::template::Template;
use escrow::kit::lender_kit::LenderKit;

use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::handout::ForWallet;
use crate::lookup::Lookup;
use crate::ports::Ports;
use crate::repay::{EndingHandout, ended_like, waiting_end};
use crate::running_record::Running;

impl<P: Ports> Desk<P> {
    /// Builds a claim for the lender's wallet to sign. Nothing is reserved or stored for it.
    pub async fn prepare_claim(
        &self,
        lender: UserId,
        id: LoanId,
        fee_rate: FeeRate,
    ) -> Result<EndingHandout, DeskError> {
        self.check_fee_rate(fee_rate)?;
        let (account, kit) = self.claimable(lender, id).await?;
        let lookup = self.replacing_lookup(&account);
        let template = match kit.claim(None, fee_rate) {
            Err(ClaimError::NeedsFeeCoin { .. }) => {
                let holdings = lookup.holdings(kit.payment()).await?;
                let mut coins: Vec<Coin> = holdings.plain().map(|held| held.coin.clone()).collect();
                coins.retain(|coin| self.is_free(coin.outpoint, None));
                coins.sort_by_key(|coin| (coin.output.value, coin.outpoint));
                claim_paid_by(&kit, &coins, fee_rate)?
            }
            other => other?,
        };
        let carrying = [kit.record().loan.carried()];
        let checked = lookup.check(&template, &Spending { carrying: &carrying, waiting: &[] }).await?;
        let transaction = ForWallet::new(checked, &keys(&kit), self.rules.network);
        let fee = template.fee().ok_or(DeskError::OutOfRange)?;
        Ok(EndingHandout { transaction, txid: template.final_txid(), fee })
    }

    /// Verifies the lender's signatures of a prepared claim and broadcasts it; returns its txid. Idempotent.
    pub async fn submit_claim(&self, lender: UserId, id: LoanId, signed: &str) -> Result<Txid, DeskError> {
        let unsigned = parse_psbt(signed)?.unsigned_tx;
        if let Some(txid) = ended_like(&self.loan_of_lender(lender, id).await?, &unsigned) {
            return Ok(txid);
        }
        let (account, kit) = self.claimable(lender, id).await?;
        let lookup = self.replacing_lookup(&account);
        let escrow = kit.record().loan.outpoint;
        let coins = lookup.own_coins(&unsigned, &[escrow].into(), *kit.payment()).await?;
        let template = kit.claim_again(&unsigned, coins.first())?;
        self.check_paid_rate(&template)?;
        let carrying = [kit.record().loan.carried()];
        lookup.check(&template, &Spending { carrying: &carrying, waiting: &[] }).await?;
        let signatures = template.check_returned(signed, &keys(&kit))?;
        let transaction = template.finish(&signatures, template.final_txid())?;
        self.end(&[&account], Ending::Claim, transaction).await
    }

    async fn claimable(&self, lender: UserId, id: LoanId) -> Result<(LoanAccount, LenderKit), DeskError> {
        let account = self.loan_of_lender(lender, id).await?;
        if let Some(follower) = account.follower() {
            return Err(DeskError::GoesOn(follower));
        }
        if !matches!(account.stage, LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming) {
            return Err(DeskError::WrongStage { stage: account.stage });
        }
        let kit = Running::of(&account)?.lender_kit(account.due_at())?;
        let (now, from) =
            (self.ports.chain().tip().await?.median_time_seconds, kit.record().loan.escrow.terms().claim_after);
        // The next block is checked against the median time of this one (BIP-113).
        if now <= from {
            return Err(DeskError::NotClaimable(UnixMs(u64::from(from) * 1_000)));
        }
        Ok((account, kit))
    }

    fn replacing_lookup(&self, account: &LoanAccount) -> Lookup<'_, P> {
        let waiting = waiting_end(account).into_iter().flat_map(|transaction| transaction.input);
        Lookup { replaced: waiting.map(|input| input.previous_output).collect(), ..self.lookup() }
    }
}

fn keys(kit: &LenderKit) -> [CoinKey; 2] {
    [CoinKey::P2tr(kit.record().loan.escrow.terms().lender), *kit.payment()]
}

/// Returns the claim whose fee is paid by the smallest coin that suffices.
fn claim_paid_by(kit: &LenderKit, coins: &[Coin], fee_rate: FeeRate) -> Result<Template, DeskError> {
    let mut last = kit.claim(None, fee_rate);
    for coin in coins {
        last = kit.claim(Some(coin), fee_rate);
        if !matches!(last, Err(ClaimError::FeeCoinShort { .. })) {
            break;
        }
    }
    Ok(last?)
}
