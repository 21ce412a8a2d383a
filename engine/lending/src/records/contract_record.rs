//! The journal's record of a contract: versioned JSON, written and read only in this file.

use bitcoin::hashes::sha256;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, XOnlyPublicKey};
use domain::{LoanId, UserId};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::{Brc20Transfer, Brc20TransferError};
use escrow::contract::loan::repay_keys::RepayKeysError;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use ordinals::RuneId;
use serde::{Deserialize, Serialize};
use signer::request::{BorrowerCoin, BorrowerKey, PayoutText, SpentOutput, is_one_output, one_output};
use signer::{as_script, as_text};
use thiserror::Error;

use crate::records::contract::{Contract, Pledged, Source, VaultSource};
use crate::records::party::Party;
use crate::records::signed_repay_keys::{SignedRepayKey, SignedRepayKeys};

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
    RepayKeys(#[from] RepayKeysError),
    /// A single repay key is in the form of several.
    #[error("the record has a single repay key in the form of several")]
    SingleRepayKey,
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
    #[serde(with = "as_text")]
    signer_key: XOnlyPublicKey,
    outputs: Vec<SpentOutput>,
    change_outputs: u8,
    #[serde(with = "as_text")]
    admission: sha256::Hash,
    repay_keys: Vec<RepayKeyRecord>,
}

/// One of several repay keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepayKeyRecord {
    #[serde(with = "as_text")]
    key: XOnlyPublicKey,
    #[serde(with = "as_text")]
    proof: sha256::Hash,
    beforehand: PayoutText,
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
                let VaultSource { lender, signer_key, change_outputs, admission, .. } = **vault;
                let outputs = vault.outputs.iter().map(|(outpoint, value)| spent(*outpoint, *value)).collect();
                match vault.repay.only() {
                    Some(own) => Self::Vault(Box::new(VaultRecord {
                        lender,
                        signer_key,
                        outputs,
                        change_outputs,
                        admission,
                        repay_key: own.key,
                        repay_proof: own.proof,
                        beforehand: own.signatures.into(),
                    })),
                    None => Self::SharedVault(Box::new(SharedVaultRecord {
                        lender,
                        signer_key,
                        outputs,
                        change_outputs,
                        admission,
                        repay_keys: vault.repay.signed().iter().map(RepayKeyRecord::of).collect(),
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
                signer_key: vault.signer_key,
                outputs: values(&vault.outputs),
                change_outputs: vault.change_outputs,
                admission: vault.admission,
                repay: SignedRepayKey {
                    key: vault.repay_key,
                    proof: vault.repay_proof,
                    signatures: vault.beforehand.into(),
                }
                .into(),
            })),
            Self::SharedVault(vault) => {
                let repay = SignedRepayKeys::new(vault.repay_keys.iter().map(RepayKeyRecord::signed).collect())?;
                if repay.only().is_some() {
                    return Err(RecordError::SingleRepayKey);
                }
                Source::Vault(Box::new(VaultSource {
                    lender: vault.lender,
                    signer_key: vault.signer_key,
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

impl RepayKeyRecord {
    fn of(own: &SignedRepayKey) -> Self {
        Self { key: own.key, proof: own.proof, beforehand: own.signatures.into() }
    }

    fn signed(&self) -> SignedRepayKey {
        SignedRepayKey { key: self.key, proof: self.proof, signatures: self.beforehand.into() }
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
mod tests {
    use bitcoin::hashes::Hash as _;
    use bitcoin::secp256k1::{Keypair, Message, Secp256k1, SecretKey, schnorr};
    use bitcoin::{CompressedPublicKey, Txid};
    use escrow::contract::loan::repay_keys::REPAY_KEYS_MAX;
    use proptest::prelude::*;

    use super::*;

    /// Contracts of every kind as written by the first version.
    const GOLDEN: &str = include_str!("../../tests/contracts.v1.jsonl");

    fn pair(seed: [u8; 32]) -> Keypair {
        let secret = SecretKey::from_slice(&seed).or_else(|_| SecretKey::from_slice(&[1; 32])).unwrap();
        Keypair::from_secret_key(&Secp256k1::new(), &secret)
    }

    fn key() -> impl Strategy<Value = XOnlyPublicKey> {
        any::<[u8; 32]>().prop_map(|seed| pair(seed).x_only_public_key().0)
    }

    fn coin_key() -> impl Strategy<Value = CoinKey> {
        (any::<[u8; 32]>(), 0..3_u8).prop_map(|(seed, kind)| {
            let whole = CompressedPublicKey(pair(seed).public_key());
            match kind {
                0 => CoinKey::P2tr(pair(seed).x_only_public_key().0),
                1 => CoinKey::P2wpkh(whole),
                _ => CoinKey::P2shP2wpkh(whole),
            }
        })
    }

    fn sats() -> impl Strategy<Value = Amount> {
        (0..=Amount::MAX_MONEY.to_sat()).prop_map(Amount::from_sat)
    }

    fn outpoint() -> impl Strategy<Value = OutPoint> {
        (any::<[u8; 32]>(), any::<u32>()).prop_map(|(txid, vout)| OutPoint::new(Txid::from_byte_array(txid), vout))
    }

    fn coin() -> impl Strategy<Value = Coin> {
        (outpoint(), sats(), coin_key()).prop_map(|(outpoint, value, key)| {
            let output = TxOut { value, script_pubkey: key.script_pubkey() };
            Coin { outpoint, output, key }
        })
    }

    fn rune() -> impl Strategy<Value = RuneId> {
        (1_u64.., any::<u32>()).prop_map(|(block, tx)| RuneId { block, tx })
    }

    fn asset_coin() -> impl Strategy<Value = AssetCoin> {
        let runes = proptest::collection::vec((rune(), any::<u128>()), 0..3);
        (coin(), proptest::collection::vec(sats(), 0..3), runes).prop_map(|(coin, inscriptions, runes)| AssetCoin {
            coin,
            inscriptions,
            runes,
        })
    }

    fn pledged() -> impl Strategy<Value = Pledged> {
        let coins = proptest::collection::vec(asset_coin(), 1..4);
        // Any text that a ticker may be, including quotes and two-byte characters.
        let transfer = ("[a-zA-Z\"\\\\0-9]{4,5}|é[a-z]{2}", 1..u128::from(u64::MAX));
        let transfer = transfer.prop_map(|(ticker, raw)| Brc20Transfer::new(&ticker, raw).unwrap());
        prop_oneof![
            asset_coin().prop_map(Pledged::Inscription),
            proptest::collection::vec(asset_coin(), 2..4).prop_map(Pledged::Inscriptions),
            (coins, rune(), any::<u128>()).prop_map(|(coins, id, amount)| Pledged::Runes { coins, id, amount }),
            (asset_coin(), transfer).prop_map(|(coin, transfer)| Pledged::Note { coin, transfer }),
        ]
    }

    fn signature() -> impl Strategy<Value = schnorr::Signature> {
        (any::<[u8; 32]>(), any::<[u8; 32]>()).prop_map(|(seed, digest)| {
            Secp256k1::new().sign_schnorr_no_aux_rand(&Message::from_digest(digest), &pair(seed))
        })
    }

    fn hash() -> impl Strategy<Value = sha256::Hash> {
        any::<[u8; 32]>().prop_map(sha256::Hash::from_byte_array)
    }

    fn repay() -> impl Strategy<Value = SignedRepayKeys> {
        let own = (key(), hash(), signature(), signature());
        let own = own.prop_map(|(key, proof, two, truc)| SignedRepayKey {
            key,
            proof,
            signatures: PayoutText { two, truc }.into(),
        });
        let distinct = "the keys of random seeds are distinct";
        proptest::collection::vec(own, 1..=REPAY_KEYS_MAX)
            .prop_filter_map(distinct, |signed| SignedRepayKeys::new(signed).ok())
    }

    fn source() -> impl Strategy<Value = Source> {
        let outputs = proptest::collection::vec((outpoint(), sats()), 1..4);
        let outputs = (outputs, 1_u8..9);
        let vault = (any::<u64>(), key(), outputs, hash(), repay());
        let vault = vault.prop_map(|(lender, signer_key, (outputs, change_outputs), admission, repay)| {
            let lender = UserId(lender);
            Source::Vault(Box::new(VaultSource { lender, signer_key, outputs, change_outputs, admission, repay }))
        });
        let lent = sats().prop_map(|interest| Source::Rollover { interest });
        prop_oneof![proptest::collection::vec(coin(), 1..4).prop_map(Source::Coins), vault, lent]
    }

    fn party() -> impl Strategy<Value = Party> {
        (key(), coin_key()).prop_map(|(ordinals, payment)| Party { ordinals, payment })
    }

    fn contract() -> impl Strategy<Value = Contract> {
        let script = proptest::collection::vec(any::<u8>(), 0..40).prop_map(ScriptBuf::from_bytes);
        let platform =
            proptest::option::of((sats(), script).prop_map(|(value, script_pubkey)| TxOut { value, script_pubkey }));
        let parts = (
            (any::<u128>(), party(), party(), any::<u32>()),
            (pledged(), source(), sats(), sats(), platform, any::<u64>()),
        );
        parts.prop_map(|((loan, borrower, lender, claim_after), rest)| {
            let (pledged, source, principal, payout, platform_fee, rate) = rest;
            let (loan, fee_rate) = (LoanId(loan), FeeRate::from_sat_per_kwu(rate));
            Contract { loan, borrower, lender, claim_after, pledged, source, principal, payout, platform_fee, fee_rate }
        })
    }

    proptest! {
        #[test]
        fn a_contract_round_trips_through_its_record(contract in contract()) {
            let text = contract.to_record();
            let again = Contract::from_record(&text).unwrap();
            prop_assert_eq!(&again, &contract);
            prop_assert_eq!(again.to_record(), text);
        }

        #[test]
        fn a_truncated_record_is_refused(contract in contract(), place in any::<prop::sample::Index>()) {
            let text = contract.to_record();
            let cut = (0..=place.index(text.len())).rev().find(|cut| text.is_char_boundary(*cut)).unwrap();
            prop_assert!(Contract::from_record(&text[..cut]).is_err());
        }
    }

    #[test]
    fn records_of_the_first_version_stay_readable() {
        let kinds: Vec<Contract> = GOLDEN.lines().map(|record| Contract::from_record(record).unwrap()).collect();
        assert!(matches!((&kinds[0].pledged, &kinds[0].source), (Pledged::Inscription(_), Source::Coins(_))));
        assert!(matches!((&kinds[1].pledged, &kinds[1].source), (Pledged::Runes { .. }, Source::Vault(_))));
        assert!(matches!((&kinds[2].pledged, &kinds[2].source), (Pledged::Note { .. }, Source::Coins(_))));
        assert!(matches!((&kinds[3].pledged, &kinds[3].source), (Pledged::Running { .. }, Source::Rollover { .. })));
        let written: Vec<String> = kinds.iter().map(Contract::to_record).collect();
        assert_eq!(written, GOLDEN.lines().collect::<Vec<_>>(), "the written form is unchanged");
        // The transactions built are those that were signed.
        let txids: Vec<String> = kinds.iter().map(|kind| kind.build().unwrap().txid().to_string()).collect();
        assert_eq!(txids, TXIDS);
    }

    /// The txids of the golden loans.
    const TXIDS: [&str; 4] = [
        "2ba2a93da6bd4567095a69ef13314a1d85166acba797cef98a6b0252eeff307e",
        "3574c0a8e3f01dd160792a53ccea44488d465bad28f18302f6b10fb9ccd4e676",
        "f25f4eee535407a20e316b29a815e0cdc2c600f86245312b7132a52567f40880",
        "b36aafb198b1204c3d4c9f78117cd30a25f5acd1a6ce101d0137b3f3aaf6d679",
    ];

    #[test]
    fn a_record_of_another_version_or_with_an_unknown_field_is_refused() {
        let golden: Vec<&str> = GOLDEN.lines().collect();
        for version in [0, 2, 255] {
            let record = golden[0].replacen(r#""version":1,"#, &format!(r#""version":{version},"#), 1);
            let error = Contract::from_record(&record).unwrap_err();
            assert!(matches!(error, RecordError::Version(found) if found == version), "{error}");
        }
        let more = golden[0].replacen('{', r#"{"more":1,"#, 1);
        assert!(matches!(Contract::from_record(&more), Err(RecordError::Json(_))));
        let note = golden[2].replacen(r#""ticker":"newt""#, r#""ticker":"newtss""#, 1);
        assert!(matches!(Contract::from_record(&note), Err(RecordError::Note(_))));
    }
}
