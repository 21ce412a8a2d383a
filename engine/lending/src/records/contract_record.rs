//! The journal's record of a contract: versioned JSON, written and read only in this file.

use bitcoin::hashes::sha256;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, XOnlyPublicKey};
use domain::{LoanId, UserId};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::{Brc20Transfer, Brc20TransferError};
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::key_set::KeySetError;
use escrow::contract::vault::vault_signers::{VaultSigners, VaultSignersError};
use ordinals::RuneId;
use serde::{Deserialize, Serialize};
use signer::pre_signed_loan::RepayShares;
use signer::request::shared::RepaySignatures;
use signer::request::{BorrowerCoin, BorrowerKey, PayoutText, SpentOutput, is_one_output, one_output};
use signer::{as_script, as_text};
use thiserror::Error;

use crate::records::contract::{Contract, Pledged, Source, VaultSource};
use crate::records::party::Party;

/// The version that is written.
const VERSION: u8 = 1;

/// The reason why a record is unreadable: another program wrote it, or it is damaged.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Invalid JSON, or of another form.
    #[error("the record is not understood: {0}")]
    Json(#[from] serde_json::Error),
    /// A record of an unsupported version.
    #[error("the record has version {0}, and this program reads version {VERSION}")]
    Version(u8),
    /// The keys cannot be the repay keys of a loan.
    #[error("the repay keys of the record are impossible: {0}")]
    RepayKeys(#[from] KeySetError),
    /// The keys cannot be the signers of a vault.
    #[error("the signers of the record are impossible: {0}")]
    Signers(#[from] VaultSignersError),
    /// Not a valid transfer inscription.
    #[error(transparent)]
    Note(#[from] Brc20TransferError),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContractRecord {
    version: u8,
    loan: LoanId,
    borrower: PartyRecord,
    lender: PartyRecord,
    claim_after_seconds: u32,
    pledged: PledgedRecord,
    source: SourceRecord,
    principal_sats: u64,
    payout_sats: u64,
    platform_fee: Option<OutputRecord>,
    fee_rate_sat_per_kwu: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartyRecord {
    #[serde(with = "as_text")]
    ordinals: XOnlyPublicKey,
    payment: BorrowerKey,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum PledgedRecord {
    Inscription(BorrowerCoin),
    Inscriptions(Vec<BorrowerCoin>),
    Runes {
        coins: Vec<BorrowerCoin>,
        #[serde(with = "as_text")]
        id: RuneId,
        #[serde(with = "as_text")]
        amount: u128,
    },
    Note {
        coin: BorrowerCoin,
        ticker: String,
        #[serde(with = "as_text")]
        amount: u128,
    },
    Running {
        kit: String,
        coins: Vec<CoinRecord>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SourceRecord {
    Coins(Vec<CoinRecord>),
    Vault(Box<VaultRecord>),
    /// A vault whose signers have made a repay key each.
    SharedVault(Box<SharedVaultRecord>),
    Lent {
        interest_sats: u64,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VaultRecord {
    lender: UserId,
    #[serde(with = "as_text")]
    signer_key: XOnlyPublicKey,
    outputs: Vec<SpentOutput>,
    /// Absent in older records, which had at most one.
    #[serde(default = "one_output", skip_serializing_if = "is_one_output")]
    change_outputs: u8,
    #[serde(with = "as_text")]
    admission: sha256::Hash,
    #[serde(with = "as_text")]
    repay_key: XOnlyPublicKey,
    #[serde(with = "as_text")]
    repay_proof: sha256::Hash,
    beforehand: PayoutText,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharedVaultRecord {
    lender: UserId,
    signers_required: usize,
    #[serde(with = "as_text::list")]
    signer_keys: Vec<XOnlyPublicKey>,
    outputs: Vec<SpentOutput>,
    change_outputs: u8,
    #[serde(with = "as_text")]
    admission: sha256::Hash,
    repay: Vec<RepaySignatures>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoinRecord {
    output: SpentOutput,
    key: BorrowerKey,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputRecord {
    sats: u64,
    #[serde(with = "as_script")]
    script: ScriptBuf,
}

impl Contract {
    /// Serializes the contract.
    #[must_use]
    pub fn to_record(&self) -> String {
        let record = ContractRecord {
            version: VERSION,
            loan: self.loan,
            borrower: PartyRecord::of(&self.borrower),
            lender: PartyRecord::of(&self.lender),
            claim_after_seconds: self.claim_after,
            pledged: PledgedRecord::of(&self.pledged),
            source: SourceRecord::of(&self.source),
            principal_sats: self.principal.to_sat(),
            payout_sats: self.payout.to_sat(),
            platform_fee: self
                .platform_fee
                .as_ref()
                .map(|output| OutputRecord { sats: output.value.to_sat(), script: output.script_pubkey.clone() }),
            fee_rate_sat_per_kwu: self.fee_rate.to_sat_per_kwu(),
        };
        // Serializing strings, numbers and lists cannot fail.
        serde_json::to_string(&record).unwrap_or_default()
    }

    /// Parses a record.
    pub fn from_record(text: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Head {
            version: u8,
        }
        let Head { version } = serde_json::from_str(text)?;
        if version != VERSION {
            return Err(RecordError::Version(version));
        }
        let record: ContractRecord = serde_json::from_str(text)?;
        Ok(Self {
            loan: record.loan,
            borrower: record.borrower.party(),
            lender: record.lender.party(),
            claim_after: record.claim_after_seconds,
            pledged: record.pledged.pledged()?,
            source: record.source.source()?,
            principal: Amount::from_sat(record.principal_sats),
            payout: Amount::from_sat(record.payout_sats),
            platform_fee: record
                .platform_fee
                .map(|output| TxOut { value: Amount::from_sat(output.sats), script_pubkey: output.script }),
            fee_rate: FeeRate::from_sat_per_kwu(record.fee_rate_sat_per_kwu),
        })
    }
}

impl PartyRecord {
    fn of(party: &Party) -> Self {
        Self { ordinals: party.ordinals, payment: party.payment.into() }
    }

    fn party(&self) -> Party {
        Party { ordinals: self.ordinals, payment: self.payment.into() }
    }
}

impl PledgedRecord {
    fn of(pledged: &Pledged) -> Self {
        match pledged {
            Pledged::Inscription(coin) => Self::Inscription(coin.into()),
            Pledged::Inscriptions(coins) => Self::Inscriptions(coins.iter().map(BorrowerCoin::from).collect()),
            Pledged::Runes { coins, id, amount } => {
                Self::Runes { coins: coins.iter().map(BorrowerCoin::from).collect(), id: *id, amount: *amount }
            }
            Pledged::Note { coin, transfer } => {
                Self::Note { coin: coin.into(), ticker: transfer.ticker().to_owned(), amount: transfer.amount() }
            }
            Pledged::Running { kit, coins } => {
                Self::Running { kit: kit.clone(), coins: coins.iter().map(CoinRecord::of).collect() }
            }
        }
    }

    fn pledged(&self) -> Result<Pledged, RecordError> {
        Ok(match self {
            Self::Inscription(coin) => Pledged::Inscription(coin.into()),
            Self::Inscriptions(coins) => Pledged::Inscriptions(coins.iter().map(AssetCoin::from).collect()),
            Self::Runes { coins, id, amount } => {
                Pledged::Runes { coins: coins.iter().map(AssetCoin::from).collect(), id: *id, amount: *amount }
            }
            Self::Note { coin, ticker, amount } => {
                Pledged::Note { coin: coin.into(), transfer: Brc20Transfer::new(ticker, *amount)? }
            }
            Self::Running { kit, coins } => {
                Pledged::Running { kit: kit.clone(), coins: coins.iter().map(CoinRecord::coin).collect() }
            }
        })
    }
}

impl SourceRecord {
    fn of(source: &Source) -> Self {
        match source {
            Source::Coins(coins) => Self::Coins(coins.iter().map(CoinRecord::of).collect()),
            Source::Vault(vault) => {
                let VaultSource { lender, signers, change_outputs, admission, repay, .. } = &**vault;
                let (lender, change_outputs, admission) = (*lender, *change_outputs, *admission);
                let outputs = vault.outputs.iter().map(|(outpoint, value)| spent(*outpoint, *value)).collect();
                match (signers.only(), repay) {
                    (Some(signer_key), RepayShares::Single { key, proof, payout }) => {
                        Self::Vault(Box::new(VaultRecord {
                            lender,
                            signer_key,
                            outputs,
                            change_outputs,
                            admission,
                            repay_key: *key,
                            repay_proof: *proof,
                            beforehand: *payout,
                        }))
                    }
                    (_, repay) => Self::SharedVault(Box::new(SharedVaultRecord {
                        lender,
                        signers_required: signers.required(),
                        signer_keys: signers.keys().to_vec(),
                        outputs,
                        change_outputs,
                        admission,
                        repay: repay.shared().to_vec(),
                    })),
                }
            }
            Source::Rollover { interest } => Self::Lent { interest_sats: interest.to_sat() },
        }
    }

    fn source(self) -> Result<Source, RecordError> {
        let values = |outputs: &[SpentOutput]| outputs.iter().map(|output| (output.outpoint, output.value())).collect();
        Ok(match self {
            Self::Coins(coins) => Source::Coins(coins.iter().map(CoinRecord::coin).collect()),
            Self::Vault(vault) => Source::Vault(Box::new(VaultSource {
                lender: vault.lender,
                signers: vault.signer_key.into(),
                outputs: values(&vault.outputs),
                change_outputs: vault.change_outputs,
                admission: vault.admission,
                repay: RepayShares::Single { key: vault.repay_key, proof: vault.repay_proof, payout: vault.beforehand },
            })),
            Self::SharedVault(vault) => {
                let repay = RepayShares::Shared(vault.repay);
                repay.keys()?;
                Source::Vault(Box::new(VaultSource {
                    lender: vault.lender,
                    signers: VaultSigners::new(vault.signers_required, vault.signer_keys)?,
                    outputs: values(&vault.outputs),
                    change_outputs: vault.change_outputs,
                    admission: vault.admission,
                    repay,
                }))
            }
            Self::Lent { interest_sats } => Source::Rollover { interest: Amount::from_sat(interest_sats) },
        })
    }
}

impl CoinRecord {
    fn of(coin: &Coin) -> Self {
        Self { output: spent(coin.outpoint, coin.output.value), key: coin.key.into() }
    }

    fn coin(&self) -> Coin {
        let key = CoinKey::from(self.key);
        let output = TxOut { value: self.output.value(), script_pubkey: key.script_pubkey() };
        Coin { outpoint: self.output.outpoint, output, key }
    }
}

fn spent(outpoint: OutPoint, value: Amount) -> SpentOutput {
    SpentOutput { outpoint, sats: value.to_sat() }
}

#[cfg(test)]
mod tests;
