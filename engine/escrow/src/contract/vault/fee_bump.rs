//! CPFP for an unconfirmed transaction of a vault: the child spends one of its change outputs and returns the value
//! less the fee to the vault.
//!
//! The lender signs nothing for it, so its fee has a limit of its own, which signer and market both enforce.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, TxOut, Weight, absolute};
use thiserror::Error;

use super::Vault;
use crate::contract::transaction::template::{Template, fee_of, total};

/// The version of the child, and of every parent that it can have: nodes do not relay a child of version 2 of an
/// unconfirmed parent of version 3, and no transaction that spends from a vault has that version.
pub const VERSION: Version = Version::TWO;
/// The divisor for the maximum fee: a child pays at most this fraction of the output that it spends. The change is the
/// lender's, and a delay of some hours is not worth more of it.
pub const FEE_DIVISOR: u64 = 10;
/// The absolute limit of a child's fee, in sats: 100 sats per virtual byte for parent and child of 1,000 virtual bytes,
/// which is more than an origination with eight change outputs needs.
pub const FEE_MAX: Amount = Amount::from_sat(100_000);

/// The child transaction.
#[derive(Clone, Copy, Debug)]
pub struct FeeBump<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The change output of the parent that it spends.
    pub output: (OutPoint, Amount),
    /// The fee.
    pub fee: Amount,
}

/// The reason why there is no such child.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FeeBumpError {
    /// The fee exceeds the limit.
    #[error("the fee is {found}, and at most {max} is allowed for this output")]
    FeeTooHigh {
        /// The maximum.
        max: Amount,
        /// The requested fee.
        found: Amount,
    },
    /// The value after the fee would be dust.
    #[error("after the fee, {held} leaves less than the dust limit of {min}")]
    TooSmall {
        /// The value of the output.
        held: Amount,
        /// The minimum that must remain.
        min: Amount,
    },
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] FeeBumpFault),
}

/// A fault that the final check of a finished child can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FeeBumpFault {
    /// The version, locktime or weight is wrong.
    #[error("version, locktime or weight is not as expected")]
    WrongForm,
    /// An input is not the one output of the vault, spent by the signer's script.
    #[error("input {index} is not the expected output of the vault, spent by the signer's script")]
    ForeignInput {
        /// Its index.
        index: usize,
    },
    /// The outputs are not a single one that pays to the vault.
    #[error("it has other outputs than one to the vault")]
    ForeignOutput,
    /// The fee is not the one requested.
    #[error("the fee is {found}, and {expected} was requested")]
    WrongFee {
        /// The requested fee.
        expected: Amount,
        /// The fee paid.
        found: Amount,
    },
}

/// The maximum fee of a child that spends this amount.
#[must_use]
pub fn fee_max(held: Amount) -> Amount {
    Amount::from_sat(held.to_sat() / FEE_DIVISOR).min(FEE_MAX)
}

/// The fee of a child of this weight that raises the package to a fee rate; `None` on overflow.
#[must_use]
pub fn child_fee(parent: (Weight, Amount), child: Weight, rate: FeeRate) -> Option<Amount> {
    let (weight, paid) = parent;
    let package = fee_of(weight.checked_add(child)?, rate)?;
    Some(package.checked_sub(paid).unwrap_or(Amount::ZERO))
}

impl FeeBump<'_> {
    /// Builds the transaction.
    ///
    /// # Errors
    /// [`FeeBumpError`].
    pub fn build(&self) -> Result<Template, FeeBumpError> {
        let (_, held) = self.output;
        let (max, found) = (fee_max(held), self.fee);
        if found > max {
            return Err(FeeBumpError::FeeTooHigh { max, found });
        }
        let script_pubkey = self.vault.output().script_pubkey();
        let min = script_pubkey.minimal_non_dust();
        let left = held.checked_sub(found).filter(|left| *left >= min);
        let value = left.ok_or(FeeBumpError::TooSmall { held, min })?;
        let spends = self.vault.spends(&[self.output], self.vault.signer_leaf());
        let outputs = vec![TxOut { value, script_pubkey }];
        let template = Template::new(VERSION, absolute::LockTime::ZERO, &spends, outputs);
        self.check(&template)?;
        Ok(template)
    }

    /// Runs the final check: computed from the finished transaction alone, independently of how it was built.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, template: &Template) -> Result<(), FeeBumpFault> {
        let spends = self.vault.spends(&[self.output], self.vault.signer_leaf());
        if let Some(index) = template.first_mismatched_input(spends.iter().cloned()) {
            return Err(FeeBumpFault::ForeignInput { index });
        }
        if !template.has_form(VERSION, &spends) {
            return Err(FeeBumpFault::WrongForm);
        }
        let vault = self.vault.output().script_pubkey();
        let outputs = &template.psbt.unsigned_tx.output;
        if outputs.len() != 1 || outputs.iter().any(|output| output.script_pubkey != vault) {
            return Err(FeeBumpFault::ForeignOutput);
        }
        let (held, left) = (total(template.input_amounts()), total(template.output_amounts()));
        let found = held.checked_sub(left).unwrap_or(Amount::MAX);
        if found == self.fee { Ok(()) } else { Err(FeeBumpFault::WrongFee { expected: self.fee, found }) }
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::Hash as _;
    use bitcoin::secp256k1::{Secp256k1, SecretKey};
    use bitcoin::{Sequence, Txid};
    use proptest::prelude::*;

    use super::*;
    use crate::contract::vault::VaultTerms;

    fn vault() -> Vault {
        let key = |byte| SecretKey::from_slice(&[byte; 32]).unwrap().x_only_public_key(&Secp256k1::new()).0;
        Vault::new(VaultTerms { lender_id: 4, signers: key(1).into(), lender: key(2) }).unwrap()
    }

    fn output(sats: u64) -> (OutPoint, Amount) {
        (OutPoint::new(Txid::all_zeros(), 3), Amount::from_sat(sats))
    }

    #[test]
    fn a_child_pays_a_tenth_of_what_it_spends_and_never_more_than_the_limit() {
        for (held, max) in [(0, 0), (9, 0), (500_000, 50_000), (1_000_000, 100_000), (5_000_000, 100_000)] {
            assert_eq!(fee_max(Amount::from_sat(held)).to_sat(), max, "{held}");
        }
        let (vault, fee) = (vault(), Amount::from_sat(50_001));
        let bump = FeeBump { vault: &vault, output: output(500_000), fee };
        let max = Amount::from_sat(50_000);
        assert_eq!(bump.build(), Err(FeeBumpError::FeeTooHigh { max, found: fee }));
        let (held, min) = (Amount::from_sat(340), Amount::from_sat(330));
        let small = FeeBump { output: output(340), fee: Amount::from_sat(11), ..bump };
        assert_eq!(small.build(), Err(FeeBumpError::TooSmall { held, min }));
    }

    #[test]
    fn each_fault_of_a_child_is_found() {
        let vault = vault();
        let bump = FeeBump { vault: &vault, output: output(500_000), fee: Amount::from_sat(20_000) };
        let good = bump.build().unwrap();
        let fault = |alter: &dyn Fn(&mut Template)| {
            let mut altered = good.clone();
            alter(&mut altered);
            bump.check(&altered).unwrap_err()
        };
        let foreign = FeeBumpFault::ForeignInput { index: 0 };
        assert_eq!(fault(&|it| it.psbt.unsigned_tx.input[0].sequence = Sequence::MAX), foreign);
        assert_eq!(fault(&|it| it.psbt.unsigned_tx.input[0].previous_output.vout = 4), foreign);
        assert_eq!(fault(&|it| it.psbt.unsigned_tx.version = Version(3)), FeeBumpFault::WrongForm);
        let more = good.psbt.unsigned_tx.input[0].clone();
        assert_eq!(fault(&|it| it.psbt.unsigned_tx.input.push(more.clone())), FeeBumpFault::ForeignInput { index: 1 });
        let misdirected =
            |it: &mut Template| it.psbt.unsigned_tx.output[0].script_pubkey = Vec::from([0x51; 34]).into();
        assert_eq!(fault(&misdirected), FeeBumpFault::ForeignOutput);
        let overpaid = |it: &mut Template| it.psbt.unsigned_tx.output[0].value -= Amount::from_sat(1);
        let (expected, found) = (Amount::from_sat(20_000), Amount::from_sat(20_001));
        assert_eq!(fault(&overpaid), FeeBumpFault::WrongFee { expected, found });
    }

    proptest! {
        #[test]
        fn parent_and_child_together_pay_the_rate_and_hardly_more(
            weight in 400_u64..40_000, parent_rate in 25_u64..5_000, more in 1_u64..20_000,
        ) {
            let vault = vault();
            let built = FeeBump { vault: &vault, output: output(1_000_000), fee: Amount::ZERO }.build().unwrap();
            let (weight, rate) = (Weight::from_wu(weight), FeeRate::from_sat_per_kwu(parent_rate + more));
            let paid = fee_of(weight, FeeRate::from_sat_per_kwu(parent_rate)).unwrap();
            let fee = child_fee((weight, paid), built.weight, rate).unwrap();
            let package = fee_of(weight + built.weight, rate).unwrap();
            prop_assert_eq!((paid + fee).max(package), paid + fee);
            prop_assert!(paid + fee <= package + Amount::from_sat(1));
            prop_assert!(fee + Amount::from_sat(1) >= fee_of(built.weight, rate).unwrap(), "alone it pays no less");
            if fee <= fee_max(Amount::from_sat(1_000_000)) {
                let child = FeeBump { vault: &vault, output: output(1_000_000), fee }.build().unwrap();
                prop_assert_eq!((child.fee(), child.weight), (Some(fee), built.weight));
            }
        }
    }
}
