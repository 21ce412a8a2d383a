//! The settings of e-mail, Telegram, webhooks and Web Push: which of them belong together, and their secrets.

use bitcoin::Network;
use lettre::message::Mailbox;
use providers::Telegram;
use secrecy::SecretString;
use url::Url;

use super::mail_server::MailServer;
use super::secret_source;
use super::settings::Settings;
use crate::config::delivery_timing::DeliveryTiming;
use crate::email_address;
use crate::failure::Failure;

/// The environment variable with the password for the mail server, if it is no credential.
pub const SMTP_PASSWORD_VARIABLE: &str = "LIENBOOK_SMTP_PASSWORD";

/// The environment variable with the token of the Telegram bot, if it is no credential. Without one there is no
/// bot.
pub const TELEGRAM_TOKEN_VARIABLE: &str = "LIENBOOK_TELEGRAM_TOKEN";

/// The environment variable with the private key by which push services know this server, if it is no credential. Without
/// one it is derived from the session key.
pub const PUSH_KEY_VARIABLE: &str = "LIENBOOK_PUSH_KEY";

/// The parts of the delivery that are not settings.
#[derive(Clone, Debug, Default)]
pub struct DeliverySetup {
    /// The password for the mail server.
    pub smtp_password: Option<SecretString>,
    /// The token of the bot.
    pub telegram_token: Option<SecretString>,
    /// The private key for push services.
    pub push_key: Option<SecretString>,
    /// The timeouts and retry delays.
    pub timing: DeliveryTiming,
}

impl DeliverySetup {
    /// Reads the secrets from the environment and the credentials.
    ///
    /// # Errors
    /// Fails if a credential cannot be read.
    pub fn from_env() -> Result<Self, Failure> {
        let secret = |name| {
            let found = secret_source::find(name)?;
            Ok(found.filter(|text| !text.is_empty()).map(SecretString::from))
        };
        Ok(Self {
            smtp_password: secret(SMTP_PASSWORD_VARIABLE)?,
            telegram_token: secret(TELEGRAM_TOKEN_VARIABLE)?,
            push_key: secret(PUSH_KEY_VARIABLE)?,
            timing: DeliveryTiming::default(),
        })
    }
}

/// The access to the mail server.
#[derive(Clone, Debug)]
pub struct MailAccess {
    /// The server.
    pub server: MailServer,
    /// The user name and password; `None` if the server requires none.
    pub login: Option<(String, SecretString)>,
    /// The sender of mails.
    pub from: Mailbox,
}

impl MailAccess {
    /// Reads the access from the settings; `None` when there is no mail.
    ///
    /// # Errors
    /// One line: an invalid address of a server or mailbox, or a missing setting.
    pub fn of(settings: &Settings, password: Option<SecretString>) -> Result<Option<Self>, Failure> {
        let Some(url) = &settings.smtp_url else { return Ok(None) };
        let server = server_of(url).map_err(Failure::new)?;
        let from = settings.mail_from.as_deref().ok_or_else(|| Failure::new(MISSING_SENDER))?;
        let from = sender_of(from).map_err(Failure::new)?;
        let login = match (&settings.smtp_user, password) {
            (None, _) => None,
            (Some(user), Some(password)) => Some((user.clone(), password)),
            (Some(_), None) => {
                return Err(Failure::new(format!(
                    "the password of smtp_user is missing: put it into the variable {SMTP_PASSWORD_VARIABLE}"
                )));
            }
        };
        Ok(Some(Self { server, login, from }))
    }
}

/// Returns the bot of the settings; `None` when there is none.
///
/// # Errors
/// One line: a missing or malformed token, or an invalid address of a server.
pub fn telegram_of(settings: &Settings, token: Option<&SecretString>) -> Result<Option<Telegram>, Failure> {
    let Some(token) = token else {
        return match settings.telegram_url {
            Some(_) => Err(Failure::new(format!(
                "the setting telegram_url needs the bot's token: put it into the variable {TELEGRAM_TOKEN_VARIABLE}"
            ))),
            None => Ok(None),
        };
    };
    let url = settings.telegram_url.as_deref().unwrap_or(Telegram::URL);
    let telegram = Telegram::new(url, token);
    telegram.map(Some).map_err(|error| Failure::new(format!("the Telegram bot cannot be used: {error}")))
}

/// Returns the URL by which push services reach the operator: the setting, else the public URL if it has TLS.
#[must_use]
pub fn push_contact_of(settings: &Settings) -> Option<String> {
    let public = settings.public_url.as_ref().filter(|url| url.is_https());
    settings.push_contact.clone().or_else(|| public.map(ToString::to_string))
}

fn is_push_contact(text: &str) -> bool {
    let is_plain = text.len() <= PUSH_CONTACT_LENGTH_MAX && text.chars().all(|letter| letter.is_ascii_graphic());
    is_plain
        && match text.strip_prefix("mailto:") {
            Some(address) => email_address::parse(address).is_ok(),
            None => text.starts_with("https://") && Url::parse(text).is_ok(),
        }
}

const PUSH_CONTACT_LENGTH_MAX: usize = 200;

const MISSING_SENDER: &str = "the setting smtp_url also needs mail_from, the sender of mails";

fn server_of(url: &str) -> Result<MailServer, String> {
    url.parse().map_err(|error| format!("the setting smtp_url is not accepted: {error}"))
}

fn sender_of(text: &str) -> Result<Mailbox, String> {
    let refused = |why: String| format!("the setting mail_from is not accepted: {why}");
    let mailbox: Mailbox = text
        .parse()
        .map_err(|_| refused("it is of the form name@host.example, or Lienbook <name@host.example>".to_owned()))?;
    let address = email_address::parse(mailbox.email.as_ref()).map_err(|error| refused(error.to_string()))?;
    Ok(Mailbox::new(mailbox.name, address))
}

impl Settings {
    /// Finds mail settings without a server or sender, links in mails that would lead nowhere, webhooks on this machine
    /// beside real bitcoin, and a contact that push services cannot use.
    pub(super) fn delivery_faults(&self) -> impl Iterator<Item = String> {
        let (has_mail, telegram) = (self.smtp_url.is_some(), self.telegram_url.as_deref());
        // The check of the address needs a token of the right form only.
        let is_address = |url: &str| Telegram::new(url, &SecretString::from("1:a"));
        let no_public = "the setting smtp_url also needs public_url: mails carry links to this server";
        [
            self.smtp_url.as_deref().and_then(|url| server_of(url).err()),
            (has_mail && self.mail_from.is_none()).then(|| MISSING_SENDER.to_owned()),
            self.mail_from.as_deref().and_then(|from| sender_of(from).err()),
            (has_mail && self.public_url.is_none()).then(|| no_public.to_owned()),
            (!has_mail && (self.mail_from.is_some() || self.smtp_user.is_some()))
                .then(|| "the settings mail_from and smtp_user also need smtp_url".to_owned()),
            (self.webhook_loopback && self.network == Network::Bitcoin)
                .then(|| "the setting webhook_loopback is for demos and tests, and refused on bitcoin".to_owned()),
            self.push_contact.as_deref().filter(|contact| !is_push_contact(contact)).map(|_| {
                "the setting push_contact is not accepted: it is mailto:name@host.example or an https URL".to_owned()
            }),
            telegram
                .and_then(|url| is_address(url).err())
                .map(|error| format!("the setting telegram_url is not accepted: {error}")),
        ]
        .into_iter()
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(settings: &Settings) -> Vec<String> {
        settings.delivery_faults().collect()
    }

    #[test]
    fn mail_needs_a_server_a_sender_and_a_public_url() {
        let text = |given: bool, text: &str| given.then(|| text.to_owned());
        for bits in 0..16_u8 {
            let [url, from, public, user] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
            let settings = Settings {
                smtp_url: text(url, "smtps://mail.example.org"),
                mail_from: text(from, "Lienbook <notices@example.org>"),
                public_url: public.then(|| "https://lienbook.example".parse().unwrap()),
                smtp_user: text(user, "lienbook"),
                ..Settings::default()
            };
            let is_sound = if url { from && public } else { !from && !user };
            assert_eq!(faults(&settings).is_empty(), is_sound, "{settings:?}");
            assert_eq!(settings.validate().is_ok(), is_sound, "{settings:?}");
        }
    }

    #[test]
    fn malformed_settings_are_named() {
        let sound = Settings {
            smtp_url: Some("smtps://mail.example.org".to_owned()),
            mail_from: Some("notices@example.org".to_owned()),
            public_url: Some("https://lienbook.example".parse().unwrap()),
            ..Settings::default()
        };
        let named = |settings: Settings, name: &str| {
            let faults = faults(&settings);
            assert!(faults.len() == 1 && faults[0].contains(name), "{faults:?}");
        };
        named(Settings { smtp_url: Some("mail.example.org".to_owned()), ..sound.clone() }, "smtp_url");
        for wrong in ["notices", "a@b", "one@example.org, two@example.org", "a\r\nb@example.org"] {
            named(Settings { mail_from: Some(wrong.to_owned()), ..sound.clone() }, "mail_from");
        }
        named(Settings { telegram_url: Some("http://example.org".to_owned()), ..sound.clone() }, "telegram_url");
        let password = || Some(SecretString::from("secret"));
        let with_user = Settings { smtp_user: Some("lienbook".to_owned()), ..sound.clone() };
        let missing = MailAccess::of(&with_user, None).err().unwrap().to_string();
        assert!(missing.contains(SMTP_PASSWORD_VARIABLE), "{missing}");
        let access = MailAccess::of(&with_user, password()).unwrap().unwrap();
        assert!(access.login.is_some() && !format!("{access:?}").contains("secret"), "{access:?}");
        assert!(MailAccess::of(&sound, password()).unwrap().unwrap().login.is_none());
        assert!(MailAccess::of(&Settings::default(), password()).unwrap().is_none());
    }

    #[test]
    fn webhooks_on_this_machine_are_refused_beside_real_bitcoin() {
        let with = |network| Settings { network, webhook_loopback: true, ..Settings::default() };
        assert_eq!(faults(&with(Network::Regtest)), [""; 0]);
        let refused = faults(&with(Network::Bitcoin));
        assert!(refused.len() == 1 && refused[0].contains("webhook_loopback"), "{refused:?}");
    }

    #[test]
    fn push_services_reach_the_operator_by_mail_or_at_the_public_address() {
        let with = |contact: &str| Settings { push_contact: Some(contact.to_owned()), ..Settings::default() };
        for contact in ["mailto:ops@example.org", "https://example.org/contact"] {
            assert_eq!(faults(&with(contact)), [""; 0]);
            assert_eq!(push_contact_of(&with(contact)).as_deref(), Some(contact));
        }
        for wrong in ["ops@example.org", "mailto:", "http://example.org", "https://", "mailto:a@b.example\r\nx", ""] {
            let refused = faults(&with(wrong));
            assert!(refused.len() == 1 && refused[0].contains("push_contact"), "{wrong}: {refused:?}");
        }
        let at = |url: &str| Settings { public_url: Some(url.parse().unwrap()), ..Settings::default() };
        assert_eq!(push_contact_of(&at("https://a.example")).as_deref(), Some("https://a.example"));
        assert_eq!(push_contact_of(&at("http://127.0.0.1:1")), None);
    }

    #[test]
    fn a_bot_has_a_token() {
        let token = |text: &str| SecretString::from(text.to_owned());
        let alone = Settings { telegram_url: Some("http://127.0.0.1:1".to_owned()), ..Settings::default() };
        let missing = telegram_of(&alone, None).err().unwrap().to_string();
        assert!(missing.contains(TELEGRAM_TOKEN_VARIABLE), "{missing}");
        assert!(telegram_of(&Settings::default(), None).unwrap().is_none());
        assert!(telegram_of(&Settings::default(), Some(&token("12:abc"))).unwrap().is_some());
        let wrong = telegram_of(&alone, Some(&token("not-a-token"))).err().unwrap().to_string();
        assert!(wrong.contains("token") && !wrong.contains("not-a-token"), "{wrong}");
    }
}
