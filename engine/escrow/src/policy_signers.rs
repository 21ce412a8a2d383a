//! The signers that the text of a vault policy names.

use bitcoin::{Network, XOnlyPublicKey};

/// The network of a policy, and its signers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySigners {
    /// The network.
    pub network: Network,
    /// The number of signers that sign each payment.
    pub required: usize,
    /// The identities of several signers; none of a single one, whose keys are not attested.
    pub identities: Vec<XOnlyPublicKey>,
}

/// Returns the value of a rule of a policy's text.
#[must_use]
pub fn rule<'a>(policy: &'a str, name: &str) -> Option<&'a str> {
    policy.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

impl PolicySigners {
    /// Reads the text of a policy; `None` for one of a later version.
    #[must_use]
    pub fn read(policy: &str) -> Option<Self> {
        let network = rule(policy, "Network")?.parse().ok()?;
        match rule(policy, "Lienbook vault policy")? {
            "1" => Some(Self { network, required: 1, identities: Vec::new() }),
            "2" => {
                let (required, identities) = rule(policy, "Signers")?.split_once(" of ")?;
                let identities = identities.split(' ').map(|key| key.parse().ok()).collect::<Option<_>>()?;
                Some(Self { network, required: required.parse().ok()?, identities })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";

    #[test]
    fn a_policy_names_one_signer_or_the_identities_of_several() {
        let one = format!("Lienbook vault policy: 1\nNetwork: regtest\nDomain: lienbook.example\nSigner: {KEY}");
        let read = PolicySigners::read(&one).unwrap();
        assert_eq!((read.network, read.required, read.identities.len()), (Network::Regtest, 1, 0));
        let several = format!("Lienbook vault policy: 2\nNetwork: bitcoin\nSigners: 2 of {KEY} {KEY}");
        let read = PolicySigners::read(&several).unwrap();
        assert_eq!((read.network, read.required, read.identities.len()), (Network::Bitcoin, 2, 2));
        for unreadable in [
            several.replace("policy: 2", "policy: 3"),
            several.replace("2 of", "two of"),
            several.replace("Network: bitcoin\n", ""),
            several.replace(KEY, "00"),
        ] {
            assert_eq!(PolicySigners::read(&unreadable), None, "{unreadable}");
        }
    }
}
