//! A delegation: the offers that a program may sign in a lender's place.

use bitcoin::XOnlyPublicKey;

use crate::delegation_id::DelegationId;
use crate::message_error::MessageError;
use crate::new_api_key::{COLLECTIONS_MAX, LIMIT_SATS_MAX, check_list, check_number};
use crate::text_reader::TextReader;
use crate::text_writer::TextWriter;

/// The most vaults that one delegation lists.
pub const VAULTS_MAX: usize = 8;

/// The longest validity of a delegation, in seconds from the issue of its message: 90 days.
pub const VALIDITY_S_MAX: u64 = 90 * 24 * 3_600;

/// The longest term that a delegation can name, in days.
pub const TERM_DAYS_MAX: u16 = 3_650;

/// The highest least interest that a delegation can name: 100 % for the whole term.
pub const INTEREST_MIN_MAX: u32 = 10_000;

/// The limits within which a program signs instant offers in place of the lender's wallet.
///
/// ```text
/// Lienbook: delegate quotes
/// Delegation: 5f2c1d0e9b8a77665f2c1d0e9b8a7766
/// Program key: c7f12003196442943d8588e01aee840423cc54fc1521526a3b85c2b0cbd58872
/// Vault: 9d1f0c2ab3e4556677889900aabbccdd
/// Collection: pizza-ninjas-14d
/// Collection: pizza-ninjas-30d
/// Max principal sats: 1250000
/// Max daily sats: 10000000
/// Min interest x100: 120
/// Max term days: 30
/// Valid until: 1807776000
/// ```
///
/// In place of the lines `Vault` the line `Vaults: all`, in place of the lines `Collection` the line `Collections: all`, if
/// nothing is restricted. A loan-to-value is not among the limits: the vault signer knows no price, so it could not check
/// one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewDelegation {
    /// Its random id.
    pub id: DelegationId,
    /// The key of the program, which alone has the secret.
    pub program_key: XOnlyPublicKey,
    /// The hashes of the policies of the vaults that it may lend from, 1 to [`VAULTS_MAX`]; `None` for all of the lender's.
    pub vaults: Option<Vec<String>>,
    /// The slugs that its offers may name, 1 to [`COLLECTIONS_MAX`]; `None` for all.
    pub collections: Option<Vec<String>>,
    /// The largest principal of one loan, in sats.
    pub principal_max_sats: u64,
    /// The largest sum of the principals of loans within 24 hours, in sats.
    pub daily_max_sats: u64,
    /// The least interest for the whole term of a loan, in hundredths of a percent of the principal.
    pub interest_min_bps: u32,
    /// The longest term of a loan, in days.
    pub term_max_days: u16,
    /// The time from which nothing is lent by it, in unix seconds: at most [`VALIDITY_S_MAX`] after the message was issued.
    pub valid_until_s: u64,
}

/// The limit that an offer, or a loan, exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    /// The delegation names other collections.
    Collection {
        /// The slug of the offer.
        slug: String,
    },
    /// The principal is too large.
    Principal {
        /// The limit, in sats.
        max: u64,
        /// The principal, in sats.
        found: u64,
    },
    /// The interest is too low.
    Interest {
        /// The limit, in hundredths of a percent of the principal.
        min: u32,
        /// The interest.
        found: u32,
    },
    /// The term is too long.
    Term {
        /// The limit, in days.
        max: u16,
        /// The term.
        found: u16,
    },
}

impl NewDelegation {
    /// Checks an offer or a loan against the limits of each loan; interest in hundredths of a percent of the principal, for
    /// the whole term. The sum of 24 hours is counted where loans are signed.
    ///
    /// # Errors
    /// The first limit that is exceeded.
    pub fn check_terms(
        &self,
        slug: &str,
        principal_sats: u64,
        interest_bps: u32,
        term_days: u16,
    ) -> Result<(), ExceededLimit> {
        if !self.covers_collection(slug) {
            return Err(ExceededLimit::Collection { slug: slug.to_owned() });
        }
        let (max, found) = (self.principal_max_sats, principal_sats);
        if found > max {
            return Err(ExceededLimit::Principal { max, found });
        }
        let (min, found) = (self.interest_min_bps, interest_bps);
        if found < min {
            return Err(ExceededLimit::Interest { min, found });
        }
        let (max, found) = (self.term_max_days, term_days);
        if found > max { Err(ExceededLimit::Term { max, found }) } else { Ok(()) }
    }

    /// Returns whether it names the vault of this policy.
    #[must_use]
    pub fn covers_vault(&self, policy: &str) -> bool {
        self.vaults.as_ref().is_none_or(|vaults| vaults.iter().any(|vault| vault == policy))
    }

    /// Returns whether offers under it may name this slug.
    fn covers_collection(&self, slug: &str) -> bool {
        self.collections.as_ref().is_none_or(|slugs| slugs.iter().any(|listed| listed == slug))
    }

    /// Checks the bounds; `issued_s` is the issue time of the message, in unix seconds.
    pub(crate) fn check(&self, issued_s: u64) -> Result<(), MessageError> {
        if let Some(vaults) = &self.vaults {
            check_list("Vault", vaults, VAULTS_MAX)?;
        }
        if let Some(slugs) = &self.collections {
            check_list("Collection", slugs, COLLECTIONS_MAX)?;
        }
        check_number("Max principal sats", self.principal_max_sats, 1, LIMIT_SATS_MAX)?;
        check_number("Max daily sats", self.daily_max_sats, 1, LIMIT_SATS_MAX)?;
        check_number("Min interest x100", u64::from(self.interest_min_bps), 0, u64::from(INTEREST_MIN_MAX))?;
        check_number("Max term days", u64::from(self.term_max_days), 1, u64::from(TERM_DAYS_MAX))?;
        let (min, max) = (issued_s.saturating_add(1), issued_s.saturating_add(VALIDITY_S_MAX));
        check_number("Valid until", self.valid_until_s, min, max)
    }

    pub(crate) fn write(&self, writer: &mut TextWriter) -> Result<(), MessageError> {
        writer.word("Delegation", &self.id.to_string());
        writer.word("Program key", &self.program_key.to_string());
        match &self.vaults {
            Some(vaults) => vaults.iter().try_for_each(|vault| writer.text("Vault", vault))?,
            None => writer.word("Vaults", "all"),
        }
        match &self.collections {
            Some(slugs) => slugs.iter().try_for_each(|slug| writer.text("Collection", slug))?,
            None => writer.word("Collections", "all"),
        }
        writer.number("Max principal sats", self.principal_max_sats);
        writer.number("Max daily sats", self.daily_max_sats);
        writer.number("Min interest x100", self.interest_min_bps);
        writer.number("Max term days", self.term_max_days);
        writer.number("Valid until", self.valid_until_s);
        Ok(())
    }

    pub(crate) fn read(reader: &mut TextReader<'_>) -> Result<Self, MessageError> {
        Ok(Self {
            id: reader.value("Delegation")?,
            program_key: reader.value("Program key")?,
            vaults: all_or_listed(reader, "Vaults", "Vault")?,
            collections: all_or_listed(reader, "Collections", "Collection")?,
            principal_max_sats: reader.value("Max principal sats")?,
            daily_max_sats: reader.value("Max daily sats")?,
            interest_min_bps: reader.value("Min interest x100")?,
            term_max_days: reader.value("Max term days")?,
            valid_until_s: reader.value("Valid until")?,
        })
    }
}

/// Reads the one line that says `all`, or the lines of a list.
fn all_or_listed(
    reader: &mut TextReader<'_>,
    all: &'static str,
    each: &'static str,
) -> Result<Option<Vec<String>>, MessageError> {
    match reader.optional(all) {
        Some("all") => Ok(None),
        Some(_) => Err(reader.impossible(all)),
        None => Ok(Some(reader.repeated(each))),
    }
}
