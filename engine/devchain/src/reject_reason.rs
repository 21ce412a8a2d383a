//! Reasons for rejecting a transaction or a block.

use thiserror::Error;

/// The reason for a rejection in the words of Bitcoin Core 31, as `testmempoolaccept` and `submitpackage` report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum RejectReason {
    /// It has no inputs: serialized, that looks like a transaction with witnesses, and cannot be decoded.
    #[error("TX decode failed")]
    NoInputs,
    /// It has no outputs.
    #[error("bad-txns-vout-empty")]
    NoOutputs,
    /// It exceeds the size of a block.
    #[error("bad-txns-oversize")]
    Oversize,
    /// An amount is negative as a signed number.
    #[error("bad-txns-vout-negative")]
    OutputNegative,
    /// An amount exceeds the maximum amount of money.
    #[error("bad-txns-vout-toolarge")]
    OutputTooLarge,
    /// The outputs together exceed the maximum amount of money.
    #[error("bad-txns-txouttotal-toolarge")]
    TotalTooLarge,
    /// An output is spent twice.
    #[error("bad-txns-inputs-duplicate")]
    DuplicateInput,
    /// The coinbase script is too short or too long.
    #[error("bad-cb-length")]
    CoinbaseLength,
    /// It spends the null outpoint and is not a coinbase.
    #[error("bad-txns-prevout-null")]
    NullInput,
    /// A coinbase outside of a block.
    #[error("coinbase")]
    Coinbase,
    /// The version is not 1, 2 or 3.
    #[error("version")]
    Version,
    /// Its weight exceeds 400,000.
    #[error("tx-size")]
    TooHeavy,
    /// A `scriptSig` is longer than 1,650 bytes.
    #[error("scriptsig-size")]
    SignatureScriptSize,
    /// A `scriptSig` has opcodes other than pushes.
    #[error("scriptsig-not-pushonly")]
    SignatureScriptNotPushOnly,
    /// An output script is of no standard kind.
    #[error("scriptpubkey")]
    OutputScript,
    /// An output is below the dust limit.
    #[error("dust")]
    Dust,
    /// It has less than 65 bytes without witness.
    #[error("tx-size-small")]
    TooSmall,
    /// The locktime is not reached.
    #[error("non-final")]
    NonFinal,
    /// It is in the mempool already, with the same witness.
    #[error("txn-already-in-mempool")]
    AlreadyInMempool,
    /// It is in the mempool already, with another witness.
    #[error("txn-same-nonwitness-data-in-mempool")]
    SameNonWitnessDataInMempool,
    /// A tested package may replace nothing.
    #[error("bip125-replacement-disallowed")]
    ReplacementDisallowed,
    /// It is confirmed already.
    #[error("txn-already-known")]
    AlreadyConfirmed,
    /// An output that it spends does not exist, or is spent.
    #[error("bad-txns-inputs-missingorspent")]
    MissingInputs,
    /// An input's relative locktime is not reached (BIP-68).
    #[error("non-BIP68-final")]
    SequenceNonFinal,
    /// A coinbase output is spent before maturity.
    #[error("bad-txns-premature-spend-of-coinbase")]
    ImmatureCoinbase,
    /// The inputs together exceed the maximum amount of money.
    #[error("bad-txns-inputvalues-outofrange")]
    InputsOutOfRange,
    /// The outputs exceed the inputs.
    #[error("bad-txns-in-belowout")]
    InBelowOut,
    /// The script of a spent output is of no standard kind.
    #[error("bad-txns-nonstandard-inputs")]
    NonStandardInputs,
    /// A witness exceeds the standard limits.
    #[error("bad-witness-nonstandard")]
    NonStandardWitness,
    /// It has too many sigops.
    #[error("bad-txns-too-many-sigops")]
    TooManySigops,
    /// It pays less than the minimum relay fee.
    #[error("min relay fee not met")]
    MinRelayFee,
    /// It pays a fee of more than a tenth of a bitcoin for 1,000 virtual bytes: nodes take that for a mistake.
    #[error("max-fee-exceeded")]
    MaxFee,
    /// It would put money into an unspendable output.
    #[error("Unspendable output exceeds maximum configured by user (maxburnamount)")]
    NonceUse,
    /// It violates the rules for version 3 transactions (BIP-431).
    #[error("TRUC-violation")]
    Truc,
    /// It would replace transactions of too many clusters.
    #[error("too many potential replacements")]
    TooManyReplacements,
    /// Its additional fee is too low for what it would replace.
    #[error("insufficient fee")]
    InsufficientFee,
    /// Its additional fee is too low to evict the other child of its version 3 parent.
    #[error("insufficient fee (including sibling eviction)")]
    InsufficientFeeForSibling,
    /// Its cluster would exceed 64 transactions or 101,000 virtual bytes.
    #[error("too-large-cluster")]
    ClusterTooLarge,
    /// The replacement would not improve the fee rate diagram.
    #[error("replacement-failed")]
    ReplacementFailed,
    /// It depends on a transaction that it would replace.
    #[error("bad-txns-spends-conflicting-tx")]
    SpendsConflicting,
    /// A child leaves its parent's dust unspent.
    #[error("missing-ephemeral-spends")]
    DustUnspent,
    /// A script's locktime does not match the transaction's.
    #[error("mempool-script-verify-flag-failed (Locktime requirement not satisfied)")]
    ScriptLocktime,
    /// A script or signature is invalid.
    #[error("mempool-script-verify-flag-failed")]
    Script,
    /// A signature's S value is in the upper half.
    #[error("mempool-script-verify-flag-failed (Non-canonical signature: S value is unnecessarily high)")]
    HighS,
    /// A taproot leaf version has no meaning yet.
    #[error("mempool-script-verify-flag-failed (Taproot version reserved for soft-fork upgrades)")]
    LeafVersion,
    /// A tapscript has an opcode without a meaning yet.
    #[error("mempool-script-verify-flag-failed (OP_SUCCESSx reserved for soft-fork upgrades)")]
    OpSuccess,
    /// A package has more than 25 transactions.
    #[error("package-too-many-transactions")]
    PackageTooMany,
    /// A package has a weight of more than 404,000.
    #[error("package-too-large")]
    PackageTooLarge,
    /// A package has the same transaction twice.
    #[error("package-contains-duplicates")]
    PackageDuplicates,
    /// A package has a child before its parent.
    #[error("package-not-sorted")]
    PackageNotSorted,
    /// Two transactions of a package spend the same output.
    #[error("conflict-in-package")]
    PackageConflict,
    /// The last transaction does not spend from each of the others.
    #[error("package-not-child-with-parents")]
    PackageShape,
    /// A package that replaces must be one parent and one child.
    #[error("package RBF failed: package must be 1-parent-1-child")]
    PackageReplacementShape,
    /// A package that replaces must have no ancestors in the mempool.
    #[error("package RBF failed: new transaction cannot have mempool ancestors")]
    PackageReplacementAncestors,
    /// The additional fee of a package is too low for what it would replace.
    #[error("package RBF failed: insufficient anti-DoS fees")]
    PackageReplacementFee,
    /// The child of a replacing package must raise its parent's fee rate.
    #[error("package RBF failed: package feerate is less than or equal to parent feerate")]
    PackageReplacementParent,
    /// The replacement by a package would not improve the fee rate diagram.
    #[error("package RBF failed: insufficient feerate: does not improve feerate diagram")]
    PackageReplacementDiagram,
    /// A block's parent is not the tip.
    #[error("bad-prevblk")]
    BlockParent,
    /// A block's time is not above the median time past.
    #[error("time-too-old")]
    BlockTime,
    /// A block's first transaction is not a coinbase, or another one is.
    #[error("bad-cb-missing")]
    BlockCoinbase,
    /// A coinbase pays more than subsidy and fees.
    #[error("bad-cb-amount")]
    BlockReward,
    /// A block's weight exceeds 4,000,000.
    #[error("bad-blk-weight")]
    BlockWeight,
    /// A block has more than 80,000 sigops.
    #[error("bad-blk-sigops")]
    BlockSigops,
    /// A block has a transaction whose locktime is not reached.
    #[error("bad-txns-nonfinal")]
    BlockNonFinal,
}

impl RejectReason {
    /// Whether a higher fee, or parents in the same package, may change it.
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
