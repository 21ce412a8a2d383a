//! Flags for frequent settings, and one for any other.

use clap::Args;

use crate::config::layers::Flag;

/// Flags that are not given do not override other layers.
#[derive(Debug, Args)]
pub(super) struct SettingFlags {
    /// The address to listen on [default: 127.0.0.1:8080].
    #[arg(long, global = true, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// The Bitcoin network: bitcoin, testnet4, signet, testnet or regtest [default: regtest].
    #[arg(long, global = true, value_name = "NAME")]
    network: Option<String>,
    /// The data folder [default: ./lienbook-data, for the demo ./.cache/lienbook-demo-SEED].
    #[arg(long, global = true, value_name = "FOLDER")]
    data: Option<String>,
    /// The database of the journal for several nodes, such as <postgres://lienbook@db1,db2/lienbook>, instead of the data
    /// folder. With a password it is better in the variable `LIENBOOK_JOURNAL` or the configuration file.
    #[arg(long, global = true, value_name = "URL")]
    journal: Option<String>,
    /// The number of synchronous standbys without which the database is refused; 0 accepts a single server [default: 1].
    #[arg(long, global = true, value_name = "NUMBER")]
    journal_standbys: Option<String>,
    /// The URL at which the other nodes reach this one [default: the address that it listens on].
    #[arg(long, global = true, value_name = "URL")]
    advertise_url: Option<String>,
    /// The NATS server over which the nodes announce commits to each other.
    #[arg(long, global = true, value_name = "URL")]
    nats_url: Option<String>,
    /// The seed of the demo's simulated market [default: 1].
    #[arg(long, global = true, value_name = "NUMBER")]
    seed: Option<String>,
    /// The address for the operator's metrics [default: any free port of this machine].
    #[arg(long, global = true, value_name = "ADDRESS:PORT")]
    metrics_listen: Option<String>,
    /// The URL that browsers use, such as <https://lienbook.example>.
    #[arg(long, global = true, value_name = "URL")]
    public_url: Option<String>,
    /// The JSON-RPC URL of a Bitcoin Core node with txindex=1, such as <http://127.0.0.1:8332>; without one, or an
    /// explorer in its place, there are no loans.
    #[arg(long, global = true, value_name = "URL")]
    node_url: Option<String>,
    /// The node's cookie file, such as ~/.bitcoin/.cookie.
    #[arg(long, global = true, value_name = "FILE")]
    node_cookie: Option<String>,
    /// The user name at the node, instead of a cookie; the password is in `LIENBOOK_NODE_PASSWORD`.
    #[arg(long, global = true, value_name = "NAME")]
    node_user: Option<String>,
    /// The URL of an ord server with --index-runes and --index-addresses on the same node.
    #[arg(long, global = true, value_name = "URL")]
    ord_url: Option<String>,
    /// The socket of the vault signer, which holds the keys of vaults; without one there are no instant offers.
    #[arg(long, global = true, value_name = "PATH")]
    signer_socket: Option<String>,
    /// The address for the platform's share of the interest; without one no share is taken.
    #[arg(long, global = true, value_name = "ADDRESS")]
    platform_address: Option<String>,
    /// The mail server for notifications, such as <smtps://mail.example.org>; without one no mails are sent. Its
    /// password is in `LIENBOOK_SMTP_PASSWORD`, the token of a Telegram bot in `LIENBOOK_TELEGRAM_TOKEN`.
    #[arg(long, global = true, value_name = "URL")]
    smtp_url: Option<String>,
    /// The user name at the mail server, if it requires one.
    #[arg(long, global = true, value_name = "NAME")]
    smtp_user: Option<String>,
    /// The sender of mails, such as "Lienbook <notices@lienbook.example>".
    #[arg(long, global = true, value_name = "MAILBOX")]
    mail_from: Option<String>,
    /// The public key of Cloudflare Turnstile, which enables the bot check for new offers and loans; its secret is in
    /// `LIENBOOK_TURNSTILE_SECRET`, or in the file of `turnstile.secret_file`.
    #[arg(long, global = true, value_name = "KEY")]
    turnstile_site_key: Option<String>,
    /// The interval between blocks of the demo's chain, in seconds [default: 10].
    #[arg(long, global = true, value_name = "SECONDS")]
    demo_block_seconds: Option<String>,
    /// The contents of the log: a level, or directives such as lienbook=debug.
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
    /// The format of the log: text, or json with an object on each line [default: text].
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<String>,
    /// The URL of a collector of traces (OTLP over HTTP), such as <http://127.0.0.1:4318>; without one there are none.
    #[arg(long, global = true, value_name = "URL")]
    traces_otlp: Option<String>,
    /// Any other setting.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", value_parser = parse_pair)]
    others: Vec<(String, String)>,
}

impl SettingFlags {
    /// Returns the given flags by the keys of their settings.
    pub(super) fn given(&self) -> Vec<Flag> {
        let named = [
            ("listen", &self.listen),
            ("metrics_listen", &self.metrics_listen),
            ("network", &self.network),
            ("data", &self.data),
            ("journal", &self.journal),
            ("journal_standbys", &self.journal_standbys),
            ("advertise_url", &self.advertise_url),
            ("nats_url", &self.nats_url),
            ("seed", &self.seed),
            ("public_url", &self.public_url),
            ("node_url", &self.node_url),
            ("node_cookie", &self.node_cookie),
            ("node_user", &self.node_user),
            ("ord_url", &self.ord_url),
            ("signer_socket", &self.signer_socket),
            ("platform_address", &self.platform_address),
            ("smtp_url", &self.smtp_url),
            ("smtp_user", &self.smtp_user),
            ("mail_from", &self.mail_from),
            ("turnstile.site_key", &self.turnstile_site_key),
            ("demo_block_seconds", &self.demo_block_seconds),
            ("log", &self.log),
            ("log_format", &self.log_format),
            ("traces.otlp", &self.traces_otlp),
        ];
        let given = named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?)));
        given.chain(self.others.iter().cloned()).collect()
    }
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}
