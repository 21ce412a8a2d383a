//! What can be asked of the signer, and what it answers.

use bitcoin::hashes::sha256;
use bitcoin::secp256k1::schnorr;
use bitcoin::{Amount, CompressedPublicKey, OutPoint, Psbt, ScriptBuf, TxOut, Txid, XOnlyPublicKey, taproot};
use escrow::contract::asset_coin::AssetCoin;
use escrow::contract::coin::{Coin, CoinKey};
use escrow::contract::payout_signatures::PayoutSignatures;
use escrow::contract::template::OWN_PAYOUT;
use ordinals::RuneId;
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::signed_text::SignedText;
use crate::term_sheet::Term;
use crate::{as_script, as_text};

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Which policy the signer keeps to.
    Describe,
    /// The signer's key for the vault of a lender.
    PublicKey {
        /// Which lender.
        lender_id: u64,
    },
    /// A lender opens the vault, or names another payment address for it.
    OpenVault {
        /// Which lender.
        lender_id: u64,
        /// The lender's ordinals key, which stands in the vault's script.
        #[serde(with = "as_text")]
        lender: XOnlyPublicKey,
        /// The lender's `open vault`, signed by the address of that key.
        signed: SignedText,
    },
    /// A lender quotes an instant offer. To be told while the message is fresh; the offer serves for longer.
    AdmitOffer {
        /// Which lender.
        lender_id: u64,
        /// By which id the lender will name it when cancelling it.
        offer_id: String,
        /// The lender's `create offer` or `edit offer`.
        signed: SignedText,
    },
    /// A lender cancels, pauses or resumes offers, or quoted what came to nothing.
    ReviseOffers {
        /// Which lender.
        lender_id: u64,
        /// The lender's `cancel offers`, `pause offer` or `resume offer`; or a `create offer` or `edit offer` of which
        /// nothing shall stand: neither the offer that it makes nor the one that it takes back.
        signed: SignedText,
    },
    /// A lender accepts a change of an offer's term.
    AcceptTerm {
        /// Which lender.
        lender_id: u64,
        /// The lender's `accept term`.
        signed: SignedText,
    },
    /// How these offers stand, as far as the lenders and this policy are concerned. Changes nothing.
    Standing {
        /// At most [`STANDING_MAX`] admitted offers.
        offers: Vec<OfferName>,
    },
    /// Make a loan's repay key, sign the repayment with it, and destroy it. Moves no money.
    PrepareLoan(Box<LoanRequest>),
    /// Sign for the vault's outputs in the transaction that begins a loan.
    SignLoan(Box<SignLoan>),
    /// Sign for the vault's outputs in a withdrawal.
    SignWithdrawal(Box<WithdrawalRequest>),
    /// Sign for an output of the change of a loan or a withdrawal that waits for a block, in a child that pays for both.
    BumpFee(Box<FeeBumpRequest>),
}

/// The most offers that are asked about at once.
pub const STANDING_MAX: usize = 1_000;

/// How loans name an offer: the SHA-256 of the text that admitted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OfferName(#[serde(with = "as_text")] pub sha256::Hash);

/// How an admitted offer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It can be lent by, and nothing was yet.
    Open,
    /// It can be lent by, as far as something is left.
    Used {
        /// The principal of all loans that were signed for, begun or not: what is signed can still be sent.
        sats: u64,
    },
    /// Its lender paused it.
    Paused,
    /// It was signed for another policy than the signer's.
    OtherPolicy,
}

/// What the borrower pledges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pledged {
    /// An inscription, with the coin that carries it.
    Inscription(BorrowerCoin),
    /// Runes, all that the coins hold or a part.
    Runes {
        /// Coins that hold it.
        coins: Vec<BorrowerCoin>,
        /// Which rune.
        #[serde(with = "as_text")]
        id: RuneId,
        /// How much of it is pledged, in raw units.
        #[serde(with = "as_text")]
        amount: u128,
        /// Where the rest goes.
        #[serde(with = "as_script")]
        rest: ScriptBuf,
    },
}

/// A coin of the borrower, and what is said to stand on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BorrowerCoin {
    /// Where it is and what it holds.
    pub output: SpentOutput,
    /// Whose it is.
    pub key: BorrowerKey,
    /// Of each inscription, how many of the coin's sats come before it.
    pub inscription_offsets: Vec<u64>,
    /// Runes in raw units.
    pub runes: Vec<RuneHolding>,
}

/// So much of a rune.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuneHolding {
    /// Which.
    #[serde(with = "as_text")]
    pub id: RuneId,
    /// Raw units.
    #[serde(with = "as_text")]
    pub amount: u128,
}

/// The key of the borrower's coin, [`CoinKey`] as it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BorrowerKey {
    /// Taproot by its internal key.
    P2tr(#[serde(with = "as_text")] XOnlyPublicKey),
    /// Native segwit.
    P2wpkh(#[serde(with = "as_text")] CompressedPublicKey),
    /// Segwit nested in P2SH.
    P2shP2wpkh(#[serde(with = "as_text")] CompressedPublicKey),
}

/// An output that is spent. What it holds need not be believed: the signature commits to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpentOutput {
    /// Where it is.
    #[serde(with = "as_text")]
    pub outpoint: OutPoint,
    /// What it holds, in sats.
    pub sats: u64,
}

/// An instant loan, all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoanRequest {
    /// Whose vault pays.
    pub lender_id: u64,
    /// The admitted offer: the SHA-256 of its text.
    #[serde(with = "as_text")]
    pub offer: sha256::Hash,
    /// The loan's id, of which the escrow's internal key is made.
    #[serde(with = "as_text")]
    pub loan_id: u128,
    /// The borrower's ordinals key.
    #[serde(with = "as_text")]
    pub borrower: XOnlyPublicKey,
    /// Where the borrower is paid.
    #[serde(with = "as_script")]
    pub borrower_payment: ScriptBuf,
    /// What is pledged.
    pub pledged: Pledged,
    /// Outputs of the vault that pay.
    pub vault_outputs: Vec<SpentOutput>,
    /// What is lent.
    pub principal_sats: u64,
    /// For how long, and at which interest.
    pub term: Term,
    /// From when on the lender may claim, in unix seconds.
    pub claim_after: u32,
    /// What the platform gets from the vault; 0 for nothing.
    pub platform_fee_sats: u64,
    /// What the borrower pays the miners, in sats per 1,000 weight units.
    pub fee_rate_sat_per_kwu: u64,
    /// In how many outputs the rest goes back to the vault; once there was one at most.
    #[serde(default = "one_output", skip_serializing_if = "is_one_output")]
    pub change_outputs: u8,
}

/// In how many outputs a rest goes back where nothing is said.
#[must_use]
pub const fn one_output() -> u8 {
    1
}

/// Whether nothing need be said of the number of outputs.
#[must_use]
pub const fn is_one_output(count: &u8) -> bool {
    *count == one_output()
}

/// What [`Request::SignLoan`] needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignLoan {
    /// The loan, as it was prepared.
    pub loan: LoanRequest,
    /// The key that signed its repayment.
    #[serde(with = "as_text")]
    pub repay_key: XOnlyPublicKey,
    /// The signer's proof that it made this key.
    #[serde(with = "as_text")]
    pub repay_proof: sha256::Hash,
    /// That key's signatures.
    pub payout: PayoutText,
    /// The transaction that begins it, with every output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// A withdrawal, all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalRequest {
    /// Whose vault.
    pub lender_id: u64,
    /// The lender's `withdraw`.
    pub signed: SignedText,
    /// Outputs of the vault that pay.
    pub vault_outputs: Vec<SpentOutput>,
    /// What the lender pays the miners, in sats per 1,000 weight units.
    pub fee_rate_sat_per_kwu: u64,
    /// In how many outputs the rest goes back to the vault; once there was one at most.
    #[serde(default = "one_output", skip_serializing_if = "is_one_output")]
    pub back_outputs: u8,
    /// The transaction, with every output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// A child of a transaction that this signer signed, all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeeBumpRequest {
    /// Whose vault.
    pub lender_id: u64,
    /// The output of the parent's change that it spends.
    pub vault_output: SpentOutput,
    /// What it pays the miners, in sats.
    pub fee_sats: u64,
    /// The child, with the output that it spends.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// [`PayoutSignatures`] as they travel: without the byte that says SINGLE|ANYONECANPAY.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayoutText {
    /// For a repayment of version 2.
    #[serde(with = "as_text")]
    pub two: schnorr::Signature,
    /// For a repayment of version 3.
    #[serde(with = "as_text")]
    pub truc: schnorr::Signature,
}

/// A signature of DEFAULT by the vault's signer leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSignature {
    /// Which input.
    pub index: usize,
    /// The signature.
    #[serde(with = "as_text")]
    pub signature: schnorr::Signature,
}

/// A loan whose repayment is signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedLoan {
    /// The key that signed, and that nobody has any more.
    #[serde(with = "as_text")]
    pub repay_key: XOnlyPublicKey,
    /// By which the signer will know again that it made this key; nobody else can use it for anything.
    #[serde(with = "as_text")]
    pub repay_proof: sha256::Hash,
    /// Its signatures.
    pub payout: PayoutText,
    /// The transaction that begins the loan, as the signer builds it.
    #[serde(with = "as_text")]
    pub psbt: Psbt,
}

/// A transaction that the signer signed for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedTransaction {
    /// The id it will have.
    #[serde(with = "as_text")]
    pub txid: Txid,
    /// One for each output of the vault that it spends.
    pub signatures: Vec<InputSignature>,
}

/// Which policy a signer keeps to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The SHA-256 of the text: the vault that instant offers name (`canisterId`).
    #[serde(with = "as_text")]
    pub policy_hash: sha256::Hash,
    /// The public policy.
    pub policy: String,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// To [`Request::Describe`].
    Description(Description),
    /// To [`Request::PublicKey`].
    PublicKey(#[serde(with = "as_text")] XOnlyPublicKey),
    /// To [`Request::OpenVault`]: what pays to the vault.
    Vault(#[serde(with = "as_script")] ScriptBuf),
    /// To [`Request::AdmitOffer`]: how loans name it.
    Offer(#[serde(with = "as_text")] sha256::Hash),
    /// To [`Request::ReviseOffers`] and [`Request::AcceptTerm`].
    Revised,
    /// To [`Request::Standing`]: those that are known, in the order of the question.
    Standing(Vec<(OfferName, Standing)>),
    /// To [`Request::PrepareLoan`].
    Prepared(Box<PreparedLoan>),
    /// To [`Request::SignLoan`], [`Request::SignWithdrawal`] and [`Request::BumpFee`].
    Signed(SignedTransaction),
    /// To anything.
    Refused(Refusal),
}

impl From<BorrowerKey> for CoinKey {
    fn from(key: BorrowerKey) -> Self {
        match key {
            BorrowerKey::P2tr(key) => Self::P2tr(key),
            BorrowerKey::P2wpkh(key) => Self::P2wpkh(key),
            BorrowerKey::P2shP2wpkh(key) => Self::P2shP2wpkh(key),
        }
    }
}

impl From<CoinKey> for BorrowerKey {
    fn from(key: CoinKey) -> Self {
        match key {
            CoinKey::P2tr(key) => Self::P2tr(key),
            CoinKey::P2wpkh(key) => Self::P2wpkh(key),
            CoinKey::P2shP2wpkh(key) => Self::P2shP2wpkh(key),
        }
    }
}

impl From<&AssetCoin> for BorrowerCoin {
    fn from(coin: &AssetCoin) -> Self {
        Self {
            output: SpentOutput { outpoint: coin.coin.outpoint, sats: coin.coin.output.value.to_sat() },
            key: coin.coin.key.into(),
            inscription_offsets: coin.inscriptions.iter().map(|offset| offset.to_sat()).collect(),
            runes: coin.runes.iter().map(|(id, amount)| RuneHolding { id: *id, amount: *amount }).collect(),
        }
    }
}

impl SpentOutput {
    /// What it holds.
    #[must_use]
    pub const fn value(&self) -> Amount {
        Amount::from_sat(self.sats)
    }
}

impl From<&BorrowerCoin> for AssetCoin {
    fn from(coin: &BorrowerCoin) -> Self {
        let key = CoinKey::from(coin.key);
        let output = TxOut { value: coin.output.value(), script_pubkey: key.script_pubkey() };
        Self {
            coin: Coin { outpoint: coin.output.outpoint, output, key },
            inscriptions: coin.inscription_offsets.iter().copied().map(Amount::from_sat).collect(),
            runes: coin.runes.iter().map(|held| (held.id, held.amount)).collect(),
        }
    }
}

impl From<PayoutSignatures> for PayoutText {
    fn from(signatures: PayoutSignatures) -> Self {
        Self { two: signatures.two.signature, truc: signatures.truc.signature }
    }
}

impl From<PayoutText> for PayoutSignatures {
    fn from(text: PayoutText) -> Self {
        let signed = |signature| taproot::Signature { signature, sighash_type: OWN_PAYOUT };
        Self { two: signed(text.two), truc: signed(text.truc) }
    }
}
