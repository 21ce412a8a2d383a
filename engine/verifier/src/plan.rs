//! The transactions that follow from a described contract.
//!
//! They are built here a second time and not with the server's code for it; only the builders of `escrow` are shared.

use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::escrow_move::MoveOutputs;
use escrow::contract::loan::extension::Extension;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::origination_outputs;
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::refinance::Refinance;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::reveal;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;

use crate::contract::DescribedContract;
use crate::contract::described_coin::{DescribedAssetCoin, DescribedCoin};
use crate::fault::Fault;

/// The transactions of a loan that begins, and the loan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The transaction that pays into the escrow.
    pub origination: Template,
    /// The second transaction, with BRC-20 only.
    pub reveal: Option<Template>,
    /// The loan that results.
    pub loan: RunningLoan,
    /// The loan that is replaced.
    pub replaced: Option<RunningLoan>,
    /// The borrower's payment script.
    pub borrower_payment: ScriptBuf,
    /// The borrower's ordinals script.
    pub borrower_ordinals: ScriptBuf,
    /// The lender's payment script.
    pub lender_payment: ScriptBuf,
    /// The script of the vault that pays.
    pub vault: Option<ScriptBuf>,
    /// The output that pays the platform fee.
    pub platform_fee: Option<TxOut>,
    pads: Vec<Coin>,
}

/// The parts that every kind of beginning shares.
struct Parts<'a> {
    contract: &'a DescribedContract,
    escrow: LoanEscrow,
    payout: TxOut,
    borrower_payment: ScriptBuf,
    borrower_ordinals: ScriptBuf,
    lender_payment: ScriptBuf,
    platform_fee: Option<TxOut>,
    fee_rate: FeeRate,
}

impl Plan {
    /// Builds the transactions of a contract.
    ///
    /// # Errors
    /// [`Fault::Unbuildable`] if none follow from it, [`Fault::Kit`] for the kit of a replaced loan.
    pub fn of(contract: &DescribedContract) -> Result<Self, Fault> {
        let lender_payment = contract.lender.payment_key.coin_key().script_pubkey();
        let repay = match &contract.vault {
            Some(vault) => vault.keys()?,
            None => RepayKeys::from(contract.lender.ordinals_key.0),
        };
        let escrow = LoanEscrow::new(EscrowTerms {
            loan: contract.loan_id.0,
            borrower: contract.borrower.ordinals_key.0,
            repay,
            lender: contract.lender.ordinals_key.0,
            claim_after: contract.claim_after_seconds,
        });
        let parts = Parts {
            contract,
            escrow: escrow.map_err(Fault::unbuildable)?,
            payout: TxOut { value: Amount::from_sat(contract.payout_sats), script_pubkey: lender_payment.clone() },
            borrower_payment: contract.borrower.payment_key.coin_key().script_pubkey(),
            borrower_ordinals: CoinKey::P2tr(contract.borrower.ordinals_key.0).script_pubkey(),
            lender_payment,
            platform_fee: contract
                .platform_fee
                .as_ref()
                .map(crate::contract::described_funding::DescribedOutput::output),
            fee_rate: FeeRate::from_sat_per_kwu(contract.fee_rate_sat_per_kwu),
        };
        match (&contract.replaced_kit, contract.interest_now_sats) {
            (Some(kit), Some(interest)) => parts.extension(&borrower_kit(kit)?, Amount::from_sat(interest)),
            (Some(kit), None) => parts.with_funding(|parts, funding| parts.refinance(&borrower_kit(kit)?, funding)),
            (None, None) => parts.with_funding(Parts::origination),
            (None, Some(_)) => Err(Fault::unbuildable("an extension without a running loan")),
        }
    }

    /// The request for the lender's signatures of the repayment.
    #[must_use]
    pub fn payout_request(&self) -> PayoutRequest<'_> {
        PayoutRequest {
            loan: &self.loan,
            pads: &self.pads,
            destination: &self.borrower_ordinals,
            change: &self.borrower_payment,
        }
    }
}

impl Parts<'_> {
    /// Passes on the lender's funding: coins, or outputs of a vault and the vault.
    fn with_funding(&self, build: impl Fn(&Self, Funding<'_>) -> Result<Plan, Fault>) -> Result<Plan, Fault> {
        let coins: Vec<Coin> = self.contract.funding_coins.iter().map(DescribedCoin::coin).collect();
        let Some(described) = &self.contract.vault else {
            return build(self, Funding::Coins { coins: &coins, change: &self.lender_payment });
        };
        if !coins.is_empty() {
            return Err(Fault::unbuildable("both coins and a vault pay the principal"));
        }
        let lender_id = u64::try_from(described.lender_id.0).map_err(Fault::unbuildable)?;
        let lender = self.contract.lender.ordinals_key.0;
        let terms = VaultTerms { lender_id, signers: described.signers()?, lender };
        let vault = Vault::new(terms).map_err(Fault::unbuildable)?;
        let mut plan = build(self, Funding::Vault { vault: &vault, outputs: &described.outputs() })?;
        plan.vault = Some(vault.output().script_pubkey());
        Ok(plan)
    }

    fn origination(&self, funding: Funding<'_>) -> Result<Plan, Fault> {
        let Self { contract, .. } = self;
        let coins: Vec<AssetCoin> = contract.collateral_coins.iter().map(DescribedAssetCoin::asset_coin).collect();
        let transfer = contract.transfer.as_ref().map(|own| Brc20Transfer::new(&own.ticker, own.amount_raw.0));
        let transfer = transfer.transpose().map_err(Fault::unbuildable)?;
        let collateral = match (&coins[..], &contract.rune, &transfer) {
            (coins, Some(rune), None) => {
                Collateral::Runes { coins, id: rune.id.0, amount: rune.amount_raw.0, rest: &self.borrower_ordinals }
            }
            ([coin], None, Some(transfer)) => Collateral::Brc20 { coin, transfer },
            ([coin], None, None) => Collateral::Inscription(coin),
            (coins, None, None) => Collateral::Inscriptions(coins),
            _ => return Err(Fault::unbuildable("the collateral is of two kinds")),
        };
        let origination = Origination {
            escrow: &self.escrow,
            collateral,
            funding,
            principal: Amount::from_sat(contract.principal_sats),
            platform_fee: self.platform_fee.as_ref(),
            borrower_payment: &self.borrower_payment,
            fee_rate: self.fee_rate,
            change_outputs: contract.vault.as_ref().map_or(1, |vault| vault.change_outputs),
        };
        let template = origination.build().map_err(Fault::unbuildable)?;
        let loan = origination.running_loan(&template, self.payout.clone()).map_err(Fault::unbuildable)?;
        let reveal = origination.reveal(&template).map(|reveal| reveal.build()).transpose();
        let reveal = reveal.map_err(Fault::unbuildable)?;
        let pads = match &reveal {
            Some(reveal) => self.pads(reveal, reveal::PADS)?,
            None => self.pads(&template, origination_outputs::pads(loan.pledge.range_count()))?,
        };
        Ok(self.plan(template, reveal, loan, None, pads))
    }

    fn refinance(&self, ending: &BorrowerKit, funding: Funding<'_>) -> Result<Plan, Fault> {
        let record = ending.record();
        let coins: Vec<Coin> = self.contract.added_coins.iter().map(DescribedCoin::coin).collect();
        let refinance = Refinance {
            ending: RepayableLoan { loan: &record.loan, pre_signatures: &record.pre_signatures },
            escrow: &self.escrow,
            version: TRUC,
            pads: ending.pads(),
            funding,
            principal: Amount::from_sat(self.contract.principal_sats),
            platform_fee: self.platform_fee.as_ref(),
            coins: &coins,
            unconfirmed: &[],
            borrower_payment: &self.borrower_payment,
            fee_rate: self.fee_rate,
        };
        let template = refinance.build().map_err(Fault::unbuildable)?;
        let loan = refinance.running(template.final_txid(), self.payout.clone());
        self.moved(template, loan, ending)
    }

    fn extension(&self, ending: &BorrowerKit, interest: Amount) -> Result<Plan, Fault> {
        let coins: Vec<Coin> = self.contract.added_coins.iter().map(DescribedCoin::coin).collect();
        let interest = TxOut { value: interest, script_pubkey: self.lender_payment.clone() };
        let extension = Extension {
            loan: &ending.record().loan,
            escrow: &self.escrow,
            version: TRUC,
            pads: ending.pads(),
            interest: &interest,
            coins: &coins,
            unconfirmed: &[],
            borrower_payment: &self.borrower_payment,
            fee_rate: self.fee_rate,
        };
        let template = extension.build().map_err(Fault::unbuildable)?;
        let loan = extension.running(template.final_txid(), self.payout.clone());
        self.moved(template, loan, ending)
    }

    fn moved(&self, template: Template, loan: RunningLoan, ending: &BorrowerKit) -> Result<Plan, Fault> {
        let replaced = &ending.record().loan;
        let pads = self.pads(&template, MoveOutputs::of(replaced).pads())?;
        Ok(self.plan(template, None, loan, Some(replaced.clone()), pads))
    }

    fn plan(
        &self,
        origination: Template,
        reveal: Option<Template>,
        loan: RunningLoan,
        replaced: Option<RunningLoan>,
        pads: Vec<Coin>,
    ) -> Plan {
        Plan {
            origination,
            reveal,
            loan,
            replaced,
            borrower_payment: self.borrower_payment.clone(),
            borrower_ordinals: self.borrower_ordinals.clone(),
            lender_payment: self.lender_payment.clone(),
            vault: None,
            platform_fee: self.platform_fee.clone(),
            pads,
        }
    }

    fn pads(&self, template: &Template, places: impl IntoIterator<Item = usize>) -> Result<Vec<Coin>, Fault> {
        let (txid, key) = (template.final_txid(), self.contract.borrower.payment_key.coin_key());
        let pad = |index: usize| {
            let output = template.psbt.unsigned_tx.output.get(index).cloned();
            let output = output.ok_or_else(|| Fault::unbuildable("the transaction has no pads"))?;
            let vout = u32::try_from(index).map_err(Fault::unbuildable)?;
            Ok(Coin { outpoint: OutPoint::new(txid, vout), output, key })
        };
        places.into_iter().map(pad).collect()
    }
}

/// Reads the borrower's kit of a loan.
///
/// # Errors
/// [`Fault::Kit`].
pub fn borrower_kit(text: &str) -> Result<BorrowerKit, Fault> {
    match Kit::read(text).map_err(Fault::kit)? {
        Kit::Borrower(kit) => Ok(*kit),
        Kit::Lender(_) | Kit::Vault(_) => Err(Fault::kit("it is not a borrower's")),
    }
}
