//! Checks that the policy of an external signer matches this server: otherwise it refuses every request.

use bitcoin::{Address, ScriptBuf};
use signer::policy::PolicyText;
use signer::request::Description;

use crate::config::settings::Settings;

/// Returns the contradictions of a signer's policy to the settings of this server, one line each. `counts` are those of
/// [`signer::signers::Signers::counts`], where they are settings of this server.
pub(super) fn contradictions(
    described: &Description,
    settings: &Settings,
    domain: &str,
    platform: Option<&ScriptBuf>,
    counts: Option<(usize, usize)>,
) -> Vec<String> {
    let platform = platform.and_then(|script| Address::from_script(script, settings.network).ok());
    let rules = [
        ("Network", Some(settings.network.to_string())),
        ("Domain", Some(domain.to_owned())),
        // Without a platform address there is nothing to contradict.
        ("Platform address", platform.map(|address| address.to_string())),
    ];
    let line = |name: &str, signer_value: &str, own_value: &str| {
        format!("the policy of the vaults' signer says {name}: {signer_value}, and here it is {own_value}")
    };
    let wrong = rules.into_iter().filter_map(|(name, own_value)| {
        let (own_value, signer_value) = (own_value?, rule(&described.policy, name).unwrap_or("nothing"));
        (own_value != signer_value).then(|| line(name, signer_value, &own_value))
    });
    let theirs = signers_of(&described.policy);
    let numbers = |(required, signers): (usize, usize)| format!("{required} of {signers}");
    let others = counts.filter(|ours| *ours != theirs).map(|ours| line("Signers", &numbers(theirs), &numbers(ours)));
    wrong.chain(others).collect()
}

/// The number of signers that sign each payment, and that of all.
fn signers_of(policy: &str) -> (usize, usize) {
    PolicyText::read(policy).map_or((1, 1), |text| (text.signers.required(), text.signers.identities().len()))
}

fn rule<'a>(policy: &'a str, name: &str) -> Option<&'a str> {
    policy.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::{Hash as _, sha256};

    use super::*;

    #[test]
    fn each_rule_that_differs_is_named_with_both_values() {
        let settings = Settings::default();
        let policy_hash = sha256::Hash::all_zeros();
        let policy = "Lienbook vault policy: 1\nNetwork: regtest\nDomain: lienbook.example\n\
                      Platform address: bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
        let described = Description { policy_hash, policy: policy.to_owned() };
        let check =
            |domain: &str, platform: Option<&ScriptBuf>| contradictions(&described, &settings, domain, platform, None);
        assert_eq!(check("lienbook.example", None), Vec::<String>::new());
        let [line] = <[String; 1]>::try_from(check("127.0.0.1:8080", None)).unwrap();
        assert!(line.contains("Domain: lienbook.example") && line.contains("127.0.0.1:8080"), "{line}");
        let other = ScriptBuf::new_p2wpkh(&bitcoin::WPubkeyHash::all_zeros());
        assert_eq!(check("lienbook.example", Some(&other)).len(), 1);
        let alone = |count: usize| {
            contradictions(&described, &settings, "lienbook.example", None, Some((count / 2 + 1, count)))
        };
        assert_eq!(alone(1), Vec::<String>::new());
        let [line] = <[String; 1]>::try_from(alone(3)).unwrap();
        assert!(line.contains("says Signers: 1 of 1, and here it is 2 of 3"), "{line}");
        let silent = Description { policy_hash, policy: String::new() };
        assert_eq!(contradictions(&silent, &settings, "d", Some(&other), None).len(), 3);
    }
}
