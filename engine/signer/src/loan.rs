//! The transaction that begins an instant loan, an origination or a refinance, derived from its terms alone.

use bitcoin::{Amount, FeeRate, OutPoint, Psbt, ScriptBuf, TxOut};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::refinance::Refinance;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::Vault;
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;

use crate::offer::PledgedAmount;
use crate::policy::Policy;
use crate::refusal::Refusal;
use crate::request::{LoanRequest, Pledged};

/// The maximum number of vault outputs, and of borrower coins, that one transaction spends.
pub(crate) const SPENT_OUTPUTS_MAX: usize = 64;

/// A day, in seconds.
const DAY_SECONDS: u64 = 86_400;

/// An origination, and the loan that it starts.
#[derive(Debug)]
pub(crate) struct BuiltLoan {
    pub(crate) template: Template,
    pub(crate) loan: RunningLoan,
}

/// The lender's vault and payment script, as the signer knows them, and the script of the platform's fee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payees<'a> {
    pub(crate) vault: &'a Vault,
    pub(crate) payment: &'a ScriptBuf,
    pub(crate) platform: &'a ScriptBuf,
}

impl LoanRequest {
    /// Returns the principal.
    #[must_use]
    pub const fn principal(&self) -> Amount {
        Amount::from_sat(self.principal_sats)
    }

    /// Returns the amount of collateral.
    ///
    /// # Errors
    /// [`Refusal::Unbuildable`] for an invalid kit, [`Refusal::WrongCollateral`] for one of a BRC-20 loan.
    pub(crate) fn pledged_amount(&self) -> Result<PledgedAmount, Refusal> {
        Ok(match &self.pledged {
            Pledged::Inscription(_) => PledgedAmount::Inscriptions(1),
            Pledged::Inscriptions(coins) => PledgedAmount::Inscriptions(coins.len()),
            Pledged::Runes { id, amount, .. } => PledgedAmount::Rune(*id, *amount),
            Pledged::Running { kit, .. } => match &ending_kit(kit)?.record().loan.pledge {
                Pledge::Inscription { .. } => PledgedAmount::Inscriptions(1),
                Pledge::Inscriptions(ranges) => PledgedAmount::Inscriptions(ranges.len()),
                Pledge::Runes { id, amount } => PledgedAmount::Rune(*id, *amount),
                Pledge::TransferInscription { .. } => return Err(Refusal::WrongCollateral),
            },
        })
    }

    /// Returns the outpoints of the vault outputs.
    pub(crate) fn vault_inputs(&self) -> Vec<OutPoint> {
        self.vault_outputs.iter().map(|output| output.outpoint).collect()
    }

    /// Checks the limits of the policy, regardless of the offer.
    pub(crate) fn check_bounds(&self, policy: &Policy, now_s: u64) -> Result<(), Refusal> {
        let rules = policy.draft();
        let (max, found) = (rules.limits.loan_max_sats, self.principal_sats);
        if found > max {
            return Err(Refusal::LoanTooLarge { max, found });
        }
        check_count(self.vault_outputs.len())?;
        check_count(self.coin_count())?;
        check_rate(policy, self.fee_rate_sat_per_kwu)?;
        let interest = self.interest()?;
        let (max, found) = (policy.platform_fee_max(interest).to_sat(), self.platform_fee_sats);
        if found > max {
            return Err(Refusal::PlatformFeeTooHigh { max, found });
        }
        let term = u64::from(self.term.days) * DAY_SECONDS;
        let expected = now_s.saturating_add(term).saturating_add(u64::from(rules.grace_seconds));
        let (found, slack_s) = (u64::from(self.claim_after), rules.claim_slack_seconds);
        if found.abs_diff(expected) > u64::from(slack_s) {
            return Err(Refusal::ClaimTime { expected, found, slack_s });
        }
        Ok(())
    }

    fn coin_count(&self) -> usize {
        match &self.pledged {
            Pledged::Inscription(_) => 1,
            Pledged::Inscriptions(coins) | Pledged::Runes { coins, .. } | Pledged::Running { coins, .. } => coins.len(),
        }
    }

    fn interest(&self) -> Result<Amount, Refusal> {
        self.term.interest(self.principal()).ok_or_else(|| unbuildable("the interest exceeds all money"))
    }

    /// Derives the whole transaction, with these repay keys.
    pub(crate) fn build(&self, payees: Payees<'_>, repay: RepayKeys) -> Result<BuiltLoan, Refusal> {
        let Payees { vault, payment, platform } = payees;
        let escrow = LoanEscrow::new(EscrowTerms {
            loan: self.loan_id,
            borrower: self.borrower,
            repay,
            lender: vault.terms().lender,
            claim_after: self.claim_after,
        })
        .map_err(unbuildable)?;
        let outputs: Vec<_> = self.vault_outputs.iter().map(|output| (output.outpoint, output.value())).collect();
        let fee = Amount::from_sat(self.platform_fee_sats);
        let fee = TxOut { value: fee, script_pubkey: platform.clone() };
        let funding = Funding::Vault { vault, outputs: &outputs };
        let platform_fee = (fee.value > Amount::ZERO).then_some(&fee);
        let payout = self.principal().checked_add(self.interest()?);
        let payout = payout.ok_or_else(|| unbuildable("principal and interest exceed all money"))?;
        let payout = TxOut { value: payout, script_pubkey: payment.clone() };
        if let Pledged::Running { kit, coins } = &self.pledged {
            let coins: Vec<Coin> = coins.iter().map(|coin| AssetCoin::from(coin).coin).collect();
            let ending = ending_kit(kit)?;
            let record = ending.record();
            let refinance = Refinance {
                ending: RepayableLoan { loan: &record.loan, pre_signatures: &record.pre_signatures },
                escrow: &escrow,
                version: TRUC,
                pads: ending.pads(),
                funding,
                principal: self.principal(),
                platform_fee,
                coins: &coins,
                unconfirmed: &[],
                borrower_payment: &self.borrower_payment,
                fee_rate: FeeRate::from_sat_per_kwu(self.fee_rate_sat_per_kwu),
            };
            let template = refinance.build().map_err(unbuildable)?;
            let loan = refinance.running(template.final_txid(), payout);
            return Ok(BuiltLoan { template, loan });
        }
        let coins = self.coins();
        let origination = Origination {
            escrow: &escrow,
            collateral: self.collateral(&coins)?,
            funding,
            principal: self.principal(),
            platform_fee,
            borrower_payment: &self.borrower_payment,
            fee_rate: FeeRate::from_sat_per_kwu(self.fee_rate_sat_per_kwu),
            change_outputs: usize::from(self.change_outputs),
        };
        let template = origination.build().map_err(unbuildable)?;
        let loan = origination.running_loan(&template, payout).map_err(unbuildable)?;
        Ok(BuiltLoan { template, loan })
    }

    fn coins(&self) -> Vec<AssetCoin> {
        match &self.pledged {
            Pledged::Inscription(coin) => vec![coin.into()],
            Pledged::Inscriptions(coins) | Pledged::Runes { coins, .. } => coins.iter().map(AssetCoin::from).collect(),
            Pledged::Running { .. } => Vec::new(),
        }
    }

    fn collateral<'a>(&'a self, coins: &'a [AssetCoin]) -> Result<Collateral<'a>, Refusal> {
        match &self.pledged {
            Pledged::Inscription(_) => coins.first().map(Collateral::Inscription),
            Pledged::Inscriptions(_) => Some(Collateral::Inscriptions(coins)),
            Pledged::Runes { id, amount, rest, .. } => {
                Some(Collateral::Runes { coins, id: *id, amount: *amount, rest })
            }
            Pledged::Running { .. } => None,
        }
        .ok_or_else(|| unbuildable("no coin carries the collateral"))
    }
}

/// Returns the loan that a refinance repays.
fn ending_kit(text: &str) -> Result<BorrowerKit, Refusal> {
    match Kit::read(text) {
        Ok(Kit::Borrower(kit)) => Ok(*kit),
        Ok(Kit::Lender(_) | Kit::Vault(_)) => Err(unbuildable("this is not the kit of a borrower")),
        Err(error) => Err(unbuildable(error)),
    }
}

/// Checks the number of spent outputs.
pub(crate) fn check_count(found: usize) -> Result<(), Refusal> {
    let max = SPENT_OUTPUTS_MAX;
    if found > max { Err(Refusal::TooManyInputs { max, found }) } else { Ok(()) }
}

/// Checks that the policy allows a fee rate.
pub(crate) fn check_rate(policy: &Policy, found: u64) -> Result<(), Refusal> {
    if policy.allows_rate(FeeRate::from_sat_per_kwu(found)) {
        return Ok(());
    }
    let (min, max) = (policy.draft().fee_rate_min_sat_per_kwu, policy.draft().fee_rate_max_sat_per_kwu);
    Err(Refusal::FeeRate { min, max, found })
}

/// Refuses a transaction that differs from the one derived here.
pub(crate) fn check_same(own: &Template, asked: &Psbt) -> Result<(), Refusal> {
    let other = |part: &str| Err(Refusal::OtherTransaction { part: part.to_owned() });
    let (ours, theirs) = (&own.psbt.unsigned_tx, &asked.unsigned_tx);
    if theirs.version != ours.version {
        return other("version");
    }
    if theirs.lock_time != ours.lock_time {
        return other("lock time");
    }
    if theirs.input != ours.input {
        return other("inputs");
    }
    if theirs.output != ours.output {
        return other("outputs");
    }
    let spent = |psbt: &Psbt| psbt.inputs.iter().map(|input| input.witness_utxo.clone()).collect::<Vec<_>>();
    if spent(asked) == spent(&own.psbt) { Ok(()) } else { other("spent outputs") }
}

/// Returns the refusal of a transaction that cannot be built.
pub(crate) fn unbuildable(reason: impl std::fmt::Display) -> Refusal {
    Refusal::Unbuildable { reason: reason.to_string() }
}
