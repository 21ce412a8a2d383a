//! The output that holds a loan's collateral.

use bitcoin::{TapSighashType, XOnlyPublicKey};
use thiserror::Error;

use super::repay_keys::RepayKeys;
use crate::contract::transaction::contract_output::ContractOutput;
use crate::contract::transaction::leaf::{Leaf, LeafSigner};
use crate::contract::transaction::unspendable::Purpose;

/// The minimum locktime that is a time; lower ones are block heights.
const FIRST_TIME: u32 = 500_000_000;
/// The maximum argument of `after()`.
const LAST_TIME: u32 = 0x7fff_ffff;

/// The terms of a loan's escrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscrowTerms {
    /// The loan's id.
    pub loan: u128,
    /// The borrower's ordinals key.
    pub borrower: XOnlyPublicKey,
    /// The keys that pre-sign the repayment: the lender's ordinals key or, for an instant loan, single-use keys.
    pub repay: RepayKeys,
    /// The lender's ordinals key.
    pub lender: XOnlyPublicKey,
    /// The claim time: from this Unix time on, in seconds by median-time-past, the lender may take the collateral.
    pub claim_after: u32,
}

/// The reason why there can be no such escrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EscrowError {
    /// The claim time would be read as a height, or is too large.
    #[error("a claim time is between {FIRST_TIME} and {LAST_TIME}, not {0}")]
    ClaimTime(u32),
    /// The borrower's key equals the lender's or a repay key.
    #[error("the borrower's key must be neither the lender's nor a repay key")]
    SameKey,
    /// The lender's key is one of several repay keys; only in a manual loan does it pre-sign, alone.
    #[error("the lender's key can be the only repay key, and not one of several")]
    LenderAmongRepayKeys,
    /// The loan id gives no key, which happens for one in 2^127.
    #[error("this loan id gives no internal key: take another")]
    UnusableId,
}

/// `tr(unspendable, {and_v(v:pk(borrower),pk(repay)), and_v(v:pk(lender),after(claim_after))})`; with several repay keys
/// the first leaf is `and_v(v:pk(borrower),and_v(v:pk(repay),…pk(repay)))`.
#[derive(Clone, Debug)]
pub struct LoanEscrow {
    terms: EscrowTerms,
    output: ContractOutput,
}

impl LoanEscrow {
    /// Builds the escrow of these terms.
    pub fn new(terms: EscrowTerms) -> Result<Self, EscrowError> {
        let EscrowTerms { loan, borrower, ref repay, lender, claim_after } = terms;
        if !(FIRST_TIME..=LAST_TIME).contains(&claim_after) {
            return Err(EscrowError::ClaimTime(claim_after));
        }
        if repay.contains(&borrower) || borrower == lender {
            return Err(EscrowError::SameKey);
        }
        if repay.contains(&lender) && repay.only().is_none() {
            return Err(EscrowError::LenderAmongRepayKeys);
        }
        let scripts = [
            format!("and_v(v:pk({borrower}),{})", repay.miniscript()),
            format!("and_v(v:pk({lender}),after({claim_after}))"),
        ];
        let signers = [
            repay.in_witness_order().chain([LeafSigner::with_default_sighash(borrower)]).collect(),
            vec![LeafSigner::with_default_sighash(lender)],
        ];
        let output = ContractOutput::new(Purpose::Loan(loan), [&scripts[0], &scripts[1]], signers);
        let output = output.ok_or(EscrowError::UnusableId)?;
        Ok(Self { terms, output })
    }

    /// Returns its terms.
    #[must_use]
    pub const fn terms(&self) -> &EscrowTerms {
        &self.terms
    }

    /// Returns its output.
    #[must_use]
    pub const fn output(&self) -> &ContractOutput {
        &self.output
    }

    /// The script of a repayment: the borrower's signature and the pre-signature of each repay key.
    #[must_use]
    pub const fn repay_leaf(&self) -> &Leaf {
        &self.output.first
    }

    /// The script of the repay leaf for an extension: borrower and lender both sign the whole transaction.
    #[must_use]
    pub fn extension_leaf(&self) -> Leaf {
        let mut leaf = self.repay_leaf().clone();
        for signer in &mut leaf.signers {
            signer.sighash = TapSighashType::Default;
        }
        leaf
    }

    /// The script of a claim: the lender alone, after the claim time.
    #[must_use]
    pub const fn claim_leaf(&self) -> &Leaf {
        &self.output.second
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::TapLeafHash;
    use bitcoin::opcodes::all::{OP_CHECKSIG, OP_CHECKSIGVERIFY, OP_CLTV};
    use bitcoin::script::Builder;
    use bitcoin::secp256k1::Secp256k1;

    use super::*;

    fn key(byte: u8) -> XOnlyPublicKey {
        let secp = Secp256k1::new();
        bitcoin::secp256k1::Keypair::from_seckey_slice(&secp, &[byte; 32]).unwrap().x_only_public_key().0
    }

    fn terms() -> EscrowTerms {
        EscrowTerms { loan: 7, borrower: key(1), repay: key(2).into(), lender: key(2), claim_after: 1_900_000_000 }
    }

    #[test]
    fn it_has_exactly_its_two_scripts() {
        let escrow = LoanEscrow::new(terms()).unwrap();
        let repay = Builder::new()
            .push_x_only_key(&key(1))
            .push_opcode(OP_CHECKSIGVERIFY)
            .push_x_only_key(&key(2))
            .push_opcode(OP_CHECKSIG);
        let claim = Builder::new()
            .push_x_only_key(&key(2))
            .push_opcode(OP_CHECKSIGVERIFY)
            .push_int(1_900_000_000)
            .push_opcode(OP_CLTV);
        assert_eq!(escrow.repay_leaf().script, repay.into_script());
        assert_eq!(escrow.claim_leaf().script, claim.into_script());
        for leaf in [escrow.repay_leaf(), escrow.claim_leaf()] {
            assert_eq!(leaf.hash, TapLeafHash::from_script(&leaf.script, bitcoin::taproot::LeafVersion::TapScript));
            let output = XOnlyPublicKey::from_slice(&escrow.output().script_pubkey().as_bytes()[2..]).unwrap();
            assert!(leaf.control_block.verify_taproot_commitment(&Secp256k1::new(), output, &leaf.script));
        }
    }

    #[test]
    fn each_further_repay_key_is_verified_before_the_last() {
        let repay = RepayKeys::new([key(3), key(4), key(5)]).unwrap();
        let escrow = LoanEscrow::new(EscrowTerms { repay: repay.clone(), ..terms() }).unwrap();
        let [one, two, three] = repay.keys() else { panic!("three keys") };
        let script = [key(1), *one, *two]
            .iter()
            .fold(Builder::new(), |script, verified| script.push_x_only_key(verified).push_opcode(OP_CHECKSIGVERIFY));
        let script = script.push_x_only_key(three).push_opcode(OP_CHECKSIG).into_script();
        assert_eq!(escrow.repay_leaf().script, script);
        let signers: Vec<XOnlyPublicKey> = escrow.repay_leaf().signers.iter().map(|signer| signer.key).collect();
        assert_eq!(signers, [*three, *two, *one, key(1)]);
    }

    #[test]
    fn loans_between_the_same_parties_have_different_escrows() {
        let (one, other) = (terms(), EscrowTerms { loan: 8, ..terms() });
        let scripts = [one, other].map(|terms| LoanEscrow::new(terms).unwrap().output().script_pubkey());
        assert_ne!(scripts[0], scripts[1]);
    }

    #[test]
    fn impossible_escrow_terms_are_refused_by_name() {
        let refusal = |terms| LoanEscrow::new(terms).err();
        for time in [0, FIRST_TIME - 1, LAST_TIME + 1] {
            assert_eq!(refusal(EscrowTerms { claim_after: time, ..terms() }), Some(EscrowError::ClaimTime(time)));
        }
        assert_eq!(refusal(EscrowTerms { borrower: key(2), ..terms() }), Some(EscrowError::SameKey));
        assert_eq!(refusal(EscrowTerms { repay: key(1).into(), ..terms() }), Some(EscrowError::SameKey));
        assert_eq!(refusal(EscrowTerms { lender: key(1), ..terms() }), Some(EscrowError::SameKey));
        assert_eq!(refusal(EscrowTerms { claim_after: LAST_TIME, ..terms() }), None);
        let with = |keys: &[u8]| {
            let repay = RepayKeys::new(keys.iter().copied().map(key)).unwrap();
            refusal(EscrowTerms { repay, ..terms() })
        };
        assert_eq!(with(&[3, 1]), Some(EscrowError::SameKey));
        assert_eq!(with(&[3, 2]), Some(EscrowError::LenderAmongRepayKeys));
        assert_eq!(with(&[3, 4]), None);
    }
}
