//! The lender's claim of the collateral of a loan that was not repaid.

use bitcoin::{FeeRate, Txid};
use domain::{Ending, LoanAccount, LoanId, LoanStage, UnixMs, UserId};
use engine::chain::Chain as _;
use escrow::contract::loan::claim::ClaimError;
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::signing::spent_output::InputPolicy;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::kit::lender_kit::LenderKit;

use crate::ending::repay::{UnsignedEnding, confirmed_ending_of, unconfirmed_ending};
use crate::lookups::lookup::Lookup;
use crate::lookups::ports::Ports;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::unsigned_transactions::UnsignedPsbt;

impl<P: Ports> LoanService<P> {
    /// Builds a claim for the lender's wallet to sign. Nothing is reserved or stored for it.
    pub async fn prepare_claim(
        &self,
        lender: UserId,
        id: LoanId,
        fee_rate: FeeRate,
    ) -> Result<UnsignedEnding, LoanServiceError> {
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
        let carrying = [kit.record().loan.carried_assets()];
        let checked = lookup.check(&template, &InputPolicy { collateral: &carrying, unconfirmed: &[] }).await?;
        let transaction = UnsignedPsbt::new(checked, &keys(&kit), self.rules.network);
        let fee = template.fee().ok_or(LoanServiceError::OutOfRange)?;
        Ok(UnsignedEnding { transaction, txid: template.final_txid(), fee })
    }

    /// Verifies the lender's signatures of a prepared claim and broadcasts it; returns its txid. Idempotent.
    pub async fn submit_claim(&self, lender: UserId, id: LoanId, signed: &str) -> Result<Txid, LoanServiceError> {
        let unsigned = parse_psbt(signed)?.unsigned_tx;
        if let Some(txid) = confirmed_ending_of(&self.loan_of_lender(lender, id).await?, &unsigned) {
            return Ok(txid);
        }
        let (account, kit) = self.claimable(lender, id).await?;
        let lookup = self.replacing_lookup(&account);
        let escrow = kit.record().loan.outpoint;
        let coins = lookup.own_coins(&unsigned, &[escrow].into(), *kit.payment()).await?;
        let template = kit.rebuild_claim(&unsigned, coins.first())?;
        self.check_signed_fee_rate(&template)?;
        let carrying = [kit.record().loan.carried_assets()];
        lookup.check(&template, &InputPolicy { collateral: &carrying, unconfirmed: &[] }).await?;
        let signatures = template.check_returned(signed, &keys(&kit))?;
        let transaction = template.finish(&signatures, template.final_txid())?;
        self.submit_ending(&[&account], Ending::Claim, transaction).await
    }

    async fn claimable(&self, lender: UserId, id: LoanId) -> Result<(LoanAccount, LenderKit), LoanServiceError> {
        let account = self.loan_of_lender(lender, id).await?;
        if let Some(follower) = account.successor() {
            return Err(LoanServiceError::Replaced(follower));
        }
        if !matches!(account.stage, LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming) {
            return Err(LoanServiceError::WrongStage { stage: account.stage });
        }
        let kit = Running::of(&account)?.lender_kit(account.due_at())?;
        let (now, from) =
            (self.ports.chain().tip().await?.median_time_seconds, kit.record().loan.escrow.terms().claim_after);
        // The next block is checked against the median time of this one (BIP-113).
        if now <= from {
            return Err(LoanServiceError::NotClaimable(UnixMs(u64::from(from) * 1_000)));
        }
        Ok((account, kit))
    }

    fn replacing_lookup(&self, account: &LoanAccount) -> Lookup<'_, P> {
        let waiting = unconfirmed_ending(account).into_iter().flat_map(|transaction| transaction.input);
        Lookup { replaced: waiting.map(|input| input.previous_output).collect(), ..self.lookup() }
    }
}

fn keys(kit: &LenderKit) -> [CoinKey; 2] {
    [CoinKey::P2tr(kit.record().loan.escrow.terms().lender), *kit.payment()]
}

/// Returns the claim whose fee is paid by the smallest coin that suffices.
fn claim_paid_by(kit: &LenderKit, coins: &[Coin], fee_rate: FeeRate) -> Result<Template, LoanServiceError> {
    let mut last = kit.claim(None, fee_rate);
    for coin in coins {
        last = kit.claim(Some(coin), fee_rate);
        if !matches!(last, Err(ClaimError::InsufficientFeeCoin { .. })) {
            break;
        }
    }
    Ok(last?)
}
