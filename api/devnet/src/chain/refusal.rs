//! Why a transaction or a block is not taken.

use thiserror::Error;

/// A reason in the words of Bitcoin Core 31, as `testmempoolaccept` and `submitpackage` say them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// It spends nothing: on the wire that looks like a transaction with witnesses, and cannot be read.
    #[error("TX decode failed")]
    NoInputs,
    /// It pays nobody.
    #[error("bad-txns-vout-empty")]
    NoOutputs,
    /// It fits in no block.
    #[error("bad-txns-oversize")]
    Oversize,
    /// An amount is beyond what a signed number holds.
    #[error("bad-txns-vout-negative")]
    OutputNegative,
    /// An amount is more than all bitcoin there can be.
    #[error("bad-txns-vout-toolarge")]
    OutputTooLarge,
    /// The outputs together are more than all bitcoin there can be.
    #[error("bad-txns-txouttotal-toolarge")]
    TotalTooLarge,
    /// An output is spent twice.
    #[error("bad-txns-inputs-duplicate")]
    DuplicateInput,
    /// A coinbase script is too short or too long.
    #[error("bad-cb-length")]
    CoinbaseLength,
    /// It spends the null outpoint and is no coinbase.
    #[error("bad-txns-prevout-null")]
    NullInput,
    /// A coinbase outside of a block.
    #[error("coinbase")]
    Coinbase,
    /// The version is none of 1, 2 and 3.
    #[error("version")]
    Version,
    /// It weighs more than 400,000.
    #[error("tx-size")]
    TooHeavy,
    /// A signature script is longer than 1,650 bytes.
    #[error("scriptsig-size")]
    SignatureScriptSize,
    /// A signature script does more than push.
    #[error("scriptsig-not-pushonly")]
    SignatureScriptNotPushOnly,
    /// An output script of no known kind.
    #[error("scriptpubkey")]
    OutputScript,
    /// An output is too small to be worth spending.
    #[error("dust")]
    Dust,
    /// Less than 65 bytes without witness.
    #[error("tx-size-small")]
    TooSmall,
    /// The locktime is not reached.
    #[error("non-final")]
    NonFinal,
    /// Waiting already, with this witness.
    #[error("txn-already-in-mempool")]
    AlreadyWaiting,
    /// Waiting already, with another witness.
    #[error("txn-same-nonwitness-data-in-mempool")]
    OtherWitnessWaiting,
    /// A tested package may replace nothing.
    #[error("bip125-replacement-disallowed")]
    ReplacementDisallowed,
    /// In a block already.
    #[error("txn-already-known")]
    AlreadyConfirmed,
    /// An output that it spends does not exist, or is spent.
    #[error("bad-txns-inputs-missingorspent")]
    MissingInputs,
    /// An input's relative locktime is not reached (BIP-68).
    #[error("non-BIP68-final")]
    SequenceNonFinal,
    /// A miner's reward is spent too early.
    #[error("bad-txns-premature-spend-of-coinbase")]
    ImmatureCoinbase,
    /// The inputs together are more than all bitcoin there can be.
    #[error("bad-txns-inputvalues-outofrange")]
    InputsOutOfRange,
    /// More goes out than comes in.
    #[error("bad-txns-in-belowout")]
    InBelowOut,
    /// An input's script is of no known kind.
    #[error("bad-txns-nonstandard-inputs")]
    NonStandardInputs,
    /// A witness is stuffed.
    #[error("bad-witness-nonstandard")]
    NonStandardWitness,
    /// Too many signature checks.
    #[error("bad-txns-too-many-sigops")]
    TooManySigops,
    /// It pays the miners too little to be sent on.
    #[error("min relay fee not met")]
    MinRelayFee,
    /// It pays the miners more than a tenth of a bitcoin for 1,000 virtual bytes: nodes take that for a mistake.
    #[error("max-fee-exceeded")]
    MaxFee,
    /// It would be sent with money in an output that nobody can spend.
    #[error("Unspendable output exceeds maximum configured by user (maxburnamount)")]
    Burn,
    /// Version 3 with the wrong size or family (BIP-431).
    #[error("TRUC-violation")]
    Truc,
    /// It would replace transactions of too many clusters.
    #[error("too many potential replacements")]
    TooManyReplacements,
    /// It pays too little more than what it would replace.
    #[error("insufficient fee")]
    InsufficientFee,
    /// It pays too little more than the other child of its version 3 parent.
    #[error("insufficient fee (including sibling eviction)")]
    InsufficientFeeForSibling,
    /// Its cluster would exceed 64 transactions or 101,000 virtual bytes.
    #[error("too-large-cluster")]
    ClusterTooLarge,
    /// Miners would earn less in some block.
    #[error("replacement-failed")]
    ReplacementFailed,
    /// It depends on what it would replace.
    #[error("bad-txns-spends-conflicting-tx")]
    SpendsConflicting,
    /// A child leaves its parent's dust unspent.
    #[error("missing-ephemeral-spends")]
    DustUnspent,
    /// A script's locktime is not the transaction's.
    #[error("mempool-script-verify-flag-failed (Locktime requirement not satisfied)")]
    ScriptLocktime,
    /// A script or signature is invalid.
    #[error("mempool-script-verify-flag-failed")]
    Script,
    /// A signature's S value is in the upper half.
    #[error("mempool-script-verify-flag-failed (Non-canonical signature: S value is unnecessarily high)")]
    HighS,
    /// A taproot leaf of a version that has no meaning yet.
    #[error("mempool-script-verify-flag-failed (Taproot version reserved for soft-fork upgrades)")]
    LeafVersion,
    /// A tapscript with an opcode that has no meaning yet.
    #[error("mempool-script-verify-flag-failed (OP_SUCCESSx reserved for soft-fork upgrades)")]
    OpSuccess,
    /// A package of more than 25 transactions.
    #[error("package-too-many-transactions")]
    PackageTooMany,
    /// A package of more than 404,000 weight.
    #[error("package-too-large")]
    PackageTooLarge,
    /// The same transaction twice.
    #[error("package-contains-duplicates")]
    PackageDuplicates,
    /// A child before its parent.
    #[error("package-not-sorted")]
    PackageNotSorted,
    /// Two transactions that spend the same output.
    #[error("conflict-in-package")]
    PackageConflict,
    /// The last transaction does not spend from each of the others.
    #[error("package-not-child-with-parents")]
    PackageShape,
    /// A package that replaces must be one parent and one child.
    #[error("package RBF failed: package must be 1-parent-1-child")]
    PackageReplacementShape,
    /// A package that replaces must stand alone.
    #[error("package RBF failed: new transaction cannot have mempool ancestors")]
    PackageReplacementAncestors,
    /// A package pays too little more than what it would replace.
    #[error("package RBF failed: insufficient anti-DoS fees")]
    PackageReplacementFee,
    /// The child of a replacing package must lift its parent.
    #[error("package RBF failed: package feerate is less than or equal to parent feerate")]
    PackageReplacementParent,
    /// Miners would earn less in some block.
    #[error("package RBF failed: insufficient feerate: does not improve feerate diagram")]
    PackageReplacementDiagram,
    /// A block does not follow the best one.
    #[error("bad-prevblk")]
    BlockParent,
    /// A block is not later than the median of the eleven before.
    #[error("time-too-old")]
    BlockTime,
    /// A block's first transaction is no coinbase, or another one is.
    #[error("bad-cb-missing")]
    BlockCoinbase,
    /// A miner takes more than reward and fees.
    #[error("bad-cb-amount")]
    BlockReward,
    /// A block weighs more than 4,000,000.
    #[error("bad-blk-weight")]
    BlockWeight,
    /// A block holds more than 80,000 signature checks.
    #[error("bad-blk-sigops")]
    BlockSigops,
    /// A block holds a transaction whose locktime is not reached.
    #[error("bad-txns-nonfinal")]
    BlockNonFinal,
}

impl Refusal {
    /// Whether more fee, or parents in the same package, may change it.
    pub(crate) const fn is_reconsiderable(self) -> bool {
        matches!(
            self,
            Self::MinRelayFee
                | Self::InsufficientFee
                | Self::InsufficientFeeForSibling
                | Self::ReplacementFailed
                | Self::MissingInputs
        )
    }
}
