//! The parts of a loan's transactions, and the transactions built of them, deterministically.

use bitcoin::hashes::sha256;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Txid};
use domain::{LoanCoins, LoanId, UserId};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::escrow_move::MoveOutputs;
use escrow::contract::loan::extension::{Extension, ExtensionError};
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowError, EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::{Origination, OriginationError};
use escrow::contract::loan::origination_outputs;
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::refinance::{Refinance, RefinanceError};
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::reveal::{self, RevealError};
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::signing::spent_output::CarriedAssets;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::key_set::KeySetError;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultError, VaultTerms};
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::kit_error::KitError;
use ordinals::RuneId;
use signer::pre_signed_loan::RepayShares;
use thiserror::Error;

use crate::records::outpoint;
use crate::records::party::Party;

/// Everything that the transactions which originate a loan are built of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The loan.
    pub loan: LoanId,
    /// The party that brings the collateral.
    pub borrower: Party,
    /// The party that brings the principal.
    pub lender: Party,
    /// The time from which the lender may claim, in Unix seconds by median time past.
    pub claim_after: u32,
    /// The collateral.
    pub pledged: Pledged,
    /// The source of the principal.
    pub source: Source,
    /// The principal.
    pub principal: Amount,
    /// The lender's payout at repayment.
    pub payout: Amount,
    /// The output that pays the platform fee, paid by the lender.
    pub platform_fee: Option<TxOut>,
    /// The fee rate, paid by the borrower out of the principal.
    pub fee_rate: FeeRate,
}

/// The borrower's collateral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pledged {
    /// The coin of an inscription.
    Inscription(AssetCoin),
    /// The coins of several inscriptions, in their order.
    Inscriptions(Vec<AssetCoin>),
    /// Coins that hold a rune.
    Runes {
        /// The coins.
        coins: Vec<AssetCoin>,
        /// The rune.
        id: RuneId,
        /// The amount pledged, in raw units.
        amount: u128,
    },
    /// The coin of an unused transfer inscription.
    Note {
        /// The coin.
        coin: AssetCoin,
        /// The content of the transfer inscription.
        transfer: Brc20Transfer,
    },
    /// The collateral of a running loan, which this one replaces.
    Running {
        /// The borrower's kit of that loan.
        kit: String,
        /// Coins that the borrower adds.
        coins: Vec<Coin>,
    },
}

/// The source of the principal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Coins of the payment address.
    Coins(Vec<Coin>),
    /// Outputs of the vault.
    Vault(Box<VaultSource>),
    /// The principal of the running loan, which stays lent: only its interest is paid, by the borrower.
    Rollover {
        /// The interest of the current term.
        interest: Amount,
    },
}

/// Outputs of a vault, and the signer's work at preparation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultSource {
    /// The vault's owner.
    pub lender: UserId,
    /// Its signers.
    pub signers: VaultSigners,
    /// The outputs spent.
    pub outputs: Vec<(OutPoint, Amount)>,
    /// The number of change outputs.
    pub change_outputs: u8,
    /// The signer's name of the offer.
    pub admission: sha256::Hash,
    /// The keys that signed the repayment beforehand, with their signatures.
    pub repay: RepayShares,
}

/// The transactions that originate a loan, and the loan.
#[derive(Clone, Debug)]
pub struct LoanTransactions {
    /// The transaction that pays collateral into the escrow and principal to the borrower.
    pub origination: Template,
    /// The reveal of the new transfer inscription into the escrow, with BRC-20 only.
    pub reveal: Option<Template>,
    /// The loan that results.
    pub loan: RunningLoan,
    /// The padding coins that precede the escrow's input in the repayment.
    pub pads: Vec<Coin>,
    ordinals_script: ScriptBuf,
    change_script: ScriptBuf,
}

/// The reason why a contract gives no transactions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ContractError {
    /// The escrow's terms are invalid.
    #[error(transparent)]
    Escrow(#[from] EscrowError),
    /// The vault's terms are invalid.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The loan cannot be originated like this.
    #[error(transparent)]
    Origination(#[from] OriginationError),
    /// The reveal of the transfer inscription cannot be built.
    #[error(transparent)]
    Reveal(#[from] RevealError),
    /// The refinance cannot be built.
    #[error(transparent)]
    Refinance(#[from] RefinanceError),
    /// The extension cannot be built.
    #[error(transparent)]
    Extension(#[from] ExtensionError),
    /// The kit of the replaced loan is invalid.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// The repay keys of the vault's signers are impossible.
    #[error(transparent)]
    RepayKeys(#[from] KeySetError),
    /// A transaction lacks its padding outputs.
    #[error("the transaction has no pads")]
    NoPads,
}

impl ContractError {
    /// Returns the amounts wanted and found where the borrower's own coins do not suffice.
    #[must_use]
    pub const fn shortfall(&self) -> Option<(Amount, Amount)> {
        use AssemblyError::InsufficientFunds;
        match self {
            Self::Refinance(RefinanceError::Assembly(InsufficientFunds { wanted, found }))
            | Self::Extension(ExtensionError::Assembly(InsufficientFunds { wanted, found })) => Some((*wanted, *found)),
            _ => None,
        }
    }
}

impl Contract {
    /// Builds the transactions. Deterministic: the same contract always gives the same transactions.
    pub fn build(&self) -> Result<LoanTransactions, ContractError> {
        let escrow = LoanEscrow::new(EscrowTerms {
            loan: self.loan.0,
            borrower: self.borrower.ordinals,
            repay: self.repay_keys()?,
            lender: self.lender.ordinals,
            claim_after: self.claim_after,
        })?;
        let vault = match &self.source {
            Source::Coins(_) | Source::Rollover { .. } => None,
            Source::Vault(source) => Some(Vault::new(VaultTerms {
                lender_id: source.lender.0,
                signers: source.signers.clone(),
                lender: self.lender.ordinals,
            })?),
        };
        let (ordinals_script, change_script, lender_change) =
            (self.borrower.ordinals_script(), self.borrower.payment_script(), self.lender.payment_script());
        let funding = match (&self.source, &vault) {
            (Source::Vault(source), Some(vault)) => Funding::Vault { vault, outputs: &source.outputs },
            (Source::Coins(coins), _) => Funding::Coins { coins, change: &lender_change },
            (Source::Vault(_) | Source::Rollover { .. }, _) => Funding::Coins { coins: &[], change: &lender_change },
        };
        let payout = TxOut { value: self.payout, script_pubkey: lender_change.clone() };
        if let Pledged::Running { kit, coins } = &self.pledged {
            let ending = borrower_kit(kit)?;
            if let Source::Rollover { interest } = self.source {
                return self.extend(&ending, coins, &escrow, interest, payout);
            }
            let record = ending.record();
            let refinance = Refinance {
                ending: RepayableLoan { loan: &record.loan, pre_signatures: &record.pre_signatures },
                escrow: &escrow,
                version: TRUC,
                pads: ending.pads(),
                funding,
                principal: self.principal,
                platform_fee: self.platform_fee.as_ref(),
                coins,
                unconfirmed: &[],
                borrower_payment: &change_script,
                fee_rate: self.fee_rate,
            };
            let template = refinance.build()?;
            let loan = refinance.running(template.final_txid(), payout);
            let pads = self.pads(&template, MoveOutputs::of(&record.loan).pads())?;
            return Ok(LoanTransactions {
                origination: template,
                reveal: None,
                loan,
                pads,
                ordinals_script,
                change_script,
            });
        }
        let origination = Origination {
            escrow: &escrow,
            collateral: self.pledged.collateral(&ordinals_script).ok_or(ContractError::NoPads)?,
            funding,
            principal: self.principal,
            platform_fee: self.platform_fee.as_ref(),
            borrower_payment: &change_script,
            fee_rate: self.fee_rate,
            change_outputs: match &self.source {
                Source::Vault(source) => usize::from(source.change_outputs),
                Source::Coins(_) | Source::Rollover { .. } => 1,
            },
        };
        let template = origination.build()?;
        let loan = origination.running_loan(&template, payout)?;
        let reveal = origination.reveal(&template).map(|reveal| reveal.build()).transpose()?;
        let pads = match &reveal {
            Some(reveal) => self.pads(reveal, reveal::PADS)?,
            None => self.pads(&template, origination_outputs::pads(loan.pledge.range_count()))?,
        };
        Ok(LoanTransactions { origination: template, reveal, loan, pads, ordinals_script, change_script })
    }

    /// Builds an extension: a running loan whose lender grants a new term.
    fn extend(
        &self,
        ending: &BorrowerKit,
        coins: &[Coin],
        escrow: &LoanEscrow,
        interest: Amount,
        payout: TxOut,
    ) -> Result<LoanTransactions, ContractError> {
        let (ordinals_script, change_script) = (self.borrower.ordinals_script(), self.borrower.payment_script());
        let extension = Extension {
            loan: &ending.record().loan,
            escrow,
            version: TRUC,
            pads: ending.pads(),
            interest: &TxOut { value: interest, script_pubkey: payout.script_pubkey.clone() },
            coins,
            unconfirmed: &[],
            borrower_payment: &change_script,
            fee_rate: self.fee_rate,
        };
        let template = extension.build()?;
        let loan = extension.running(template.final_txid(), payout);
        let pads = self.pads(&template, MoveOutputs::of(&ending.record().loan).pads())?;
        Ok(LoanTransactions { origination: template, reveal: None, loan, pads, ordinals_script, change_script })
    }

    fn pads(&self, template: &Template, places: impl IntoIterator<Item = usize>) -> Result<Vec<Coin>, ContractError> {
        let txid = template.final_txid();
        let pad = |index: usize| -> Result<Coin, ContractError> {
            let output = template.psbt.unsigned_tx.output.get(index).cloned().ok_or(ContractError::NoPads)?;
            let vout = u32::try_from(index).map_err(|_| ContractError::NoPads)?;
            Ok(Coin { outpoint: OutPoint::new(txid, vout), output, key: self.borrower.payment })
        };
        places.into_iter().map(pad).collect()
    }

    /// Returns the keys that sign the repayment beforehand.
    pub(crate) fn repay_keys(&self) -> Result<RepayKeys, KeySetError> {
        match &self.source {
            Source::Coins(_) | Source::Rollover { .. } => Ok(self.lender.ordinals.into()),
            Source::Vault(source) => source.repay.keys(),
        }
    }

    /// Returns the assets that the collateral's outputs carry, for their lookup.
    #[must_use]
    pub fn expected_assets(&self) -> Vec<(OutPoint, CarriedAssets)> {
        let coins = self.pledged.coins().iter().map(AssetCoin::carried_assets);
        coins.chain(self.pledged.replaced_kit().map(|kit| kit.record().loan.carried_assets())).collect()
    }

    /// Returns all outputs that no other loan may spend. Not a vault's: its ledger reserves the sum.
    #[must_use]
    pub fn reserved_outputs(&self) -> Vec<OutPoint> {
        self.collateral_coins().into_iter().chain(self.funding_coins()).collect()
    }

    /// Returns the same for the ledger, which reserves it once the borrower has signed.
    #[must_use]
    pub fn coins_to_reserve(&self) -> LoanCoins {
        let to_domain = |coins: Vec<OutPoint>| coins.into_iter().map(outpoint::to_domain).collect();
        LoanCoins { collateral: to_domain(self.collateral_coins()), money: to_domain(self.funding_coins()) }
    }

    /// Returns the outputs of the collateral; for collateral of a running loan its escrow, padding coins and added
    /// coins.
    fn collateral_coins(&self) -> Vec<OutPoint> {
        let mut own: Vec<OutPoint> = self.pledged.coins().iter().map(|coin| coin.coin.outpoint).collect();
        if let (Some(kit), Pledged::Running { coins, .. }) = (self.pledged.replaced_kit(), &self.pledged) {
            own.push(kit.record().loan.outpoint);
            own.extend(kit.pads().iter().chain(coins).map(|coin| coin.outpoint));
        }
        own
    }

    fn funding_coins(&self) -> Vec<OutPoint> {
        match &self.source {
            Source::Coins(coins) => coins.iter().map(|coin| coin.outpoint).collect(),
            Source::Vault(_) | Source::Rollover { .. } => Vec::new(),
        }
    }
}

impl Pledged {
    /// The coins that carry the collateral.
    #[must_use]
    pub fn coins(&self) -> &[AssetCoin] {
        match self {
            Self::Inscription(coin) | Self::Note { coin, .. } => std::slice::from_ref(coin),
            Self::Inscriptions(coins) | Self::Runes { coins, .. } => coins,
            Self::Running { .. } => &[],
        }
    }

    /// The borrower's kit of the running loan that this collateral comes from, if any.
    #[must_use]
    pub fn replaced_kit(&self) -> Option<BorrowerKit> {
        match self {
            Self::Running { kit, .. } => borrower_kit(kit).ok(),
            Self::Inscription(_) | Self::Inscriptions(_) | Self::Runes { .. } | Self::Note { .. } => None,
        }
    }

    fn collateral<'a>(&'a self, rest: &'a ScriptBuf) -> Option<Collateral<'a>> {
        match self {
            Self::Inscription(coin) => Some(Collateral::Inscription(coin)),
            Self::Inscriptions(coins) => Some(Collateral::Inscriptions(coins)),
            Self::Runes { coins, id, amount } => Some(Collateral::Runes { coins, id: *id, amount: *amount, rest }),
            Self::Note { coin, transfer } => Some(Collateral::Brc20 { coin, transfer }),
            Self::Running { .. } => None,
        }
    }
}

fn borrower_kit(text: &str) -> Result<BorrowerKit, ContractError> {
    match Kit::read(text)? {
        Kit::Borrower(kit) => Ok(*kit),
        Kit::Lender(_) | Kit::Vault(_) => Err(ContractError::NoPads),
    }
}

impl LoanTransactions {
    /// Returns the request for the lender's signatures of the repayment.
    #[must_use]
    pub fn payout_request(&self) -> PayoutRequest<'_> {
        PayoutRequest {
            loan: &self.loan,
            pads: &self.pads,
            destination: &self.ordinals_script,
            change: &self.change_script,
        }
    }

    /// The transaction that creates the escrow and identifies the loan.
    #[must_use]
    pub const fn txid(&self) -> Txid {
        self.loan.outpoint.txid
    }

    /// All transactions, parents before children.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        std::iter::once(&self.origination).chain(&self.reveal)
    }
}
