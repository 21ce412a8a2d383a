//! The settings of the page that other sites embed.

use serde::{Deserialize, Serialize};

use super::public_url::PublicUrl;

/// The largest number of origins: all of them are in a header of each answer.
const ORIGINS_MAX: usize = 32;

/// The sites that may embed `/embed/borrow`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbedSettings {
    /// The origins whose pages may frame the page that is made for it, such as `https://marketplace.example`; by default
    /// none. They may frame no other page.
    pub origins: Vec<PublicUrl>,
}

impl EmbedSettings {
    /// Returns what a server cannot run with.
    pub fn faults(&self) -> impl Iterator<Item = String> {
        let count = self.origins.len();
        let too_many = (count > ORIGINS_MAX)
            .then(|| format!("the setting embeds.origins must have at most {ORIGINS_MAX} origins, not {count}"));
        // A content policy has no form for them, and browsers would ignore the entry.
        let unnamed = self.origins.iter().filter(|origin| origin.host().starts_with('['));
        let unnamed =
            unnamed.map(|origin| format!("the setting embeds.origins cannot name {origin}: use a host name or IPv4"));
        too_many.into_iter().chain(unnamed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_few_and_of_a_form_that_browsers_understand() {
        let faults = |origins: &[&str]| {
            let origins = origins.iter().map(|origin| origin.parse().unwrap()).collect();
            EmbedSettings { origins }.faults().count()
        };
        assert_eq!(EmbedSettings::default().faults().count(), 0);
        assert_eq!(faults(&["https://marketplace.example", "http://127.0.0.1:8081"]), 0);
        assert_eq!(faults(&["http://[::1]:8081"]), 1);
        assert_eq!(faults(&["https://marketplace.example"; 32]), 0);
        assert_eq!(faults(&["https://marketplace.example"; 33]), 1);
    }
}
