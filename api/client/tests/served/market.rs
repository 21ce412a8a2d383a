//! A server with one collection of inscriptions, and a user with an API key.

use bitcoin::Network;
use domain::{
    Bundle, CollateralType, CollectionGroup, GroupId, InterestRate, Quantity, Sats, SubCollection, SubCollectionId,
    TermDays, UnitPrice,
};
use escrow::action::{Action, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use escrow::new_api_key::{KeyScope, NewApiKey};
use escrow::wallet_key::WalletKey;
use lienbook::config::settings::Settings;
use lienbook::server::Server;
use lienbook_client::types::{CreateApiKey, CreateManualOffers, ManualItem, NonceData, NonceRequest, SignInRequest};
use lienbook_client::{ApiKey, Client, IdempotencyKey};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const FLOOR_SATS: u64 = 1_000_000;
const GROUP: GroupId = GroupId(1);

pub struct Market {
    pub server: Server,
    _folder: TempDir,
}

impl Market {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            data: folder.path().to_owned(),
            workers: 1,
            network: Network::Regtest,
            signer_in_process: true,
            ..Settings::default()
        };
        let server = Box::pin(Server::builder(settings).start()).await.unwrap();
        server.app().market.list_group(group()).await.unwrap();
        let market = Self { server, _folder: folder };
        market.move_floor(FLOOR_SATS).await;
        market
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    pub fn visitor(&self) -> Client {
        Client::new(self.url().parse().unwrap(), None).unwrap()
    }

    pub async fn move_floor(&self, sats: u64) {
        let (price, now) = (UnitPrice::from_sats(Sats::new(sats)).unwrap(), self.server.app().now());
        self.server.app().market.move_price(GROUP, price, now).await.unwrap();
    }
}

fn group() -> CollectionGroup {
    let place = |number: u16, days: u16| SubCollection {
        id: SubCollectionId(number),
        slug: format!("paper-frogs-{days}d").parse().unwrap(),
        term: TermDays(days),
        interest: InterestRate::from_basis_points(120),
        bundle: Bundle::Fixed(Quantity::inscriptions(1)),
        manual: true,
        instant: true,
    };
    CollectionGroup {
        id: GROUP,
        slug: "paper-frogs".parse().unwrap(),
        name: "Paper Frogs".into(),
        symbol: "FROG".into(),
        image: "/frogs.svg".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![place(0, 7), place(1, 30)],
    }
}

/// A lender with an API key for everything.
pub struct Lender {
    wallet: WalletKey,
    pub secret: String,
    pub client: Client,
}

impl Lender {
    pub async fn new(market: &Market, seed: u8) -> Self {
        let wallet = WalletKey::from_seed([seed; 32], Network::Regtest).unwrap();
        let visitor = market.visitor();
        let shown = shown(&wallet);
        let address = NonceRequest { address: text(&shown["payment_address"]) };
        let nonce = visitor.issue_sign_in_nonce(&address).await.unwrap().data;
        let sign_in = SignIn {
            ordinals_address: text(&shown["ordinal_address"]),
            ordinals_public_key: text(&shown["ordinal_pubkey"]),
            payment_address: text(&shown["payment_address"]),
            payment_public_key: text(&shown["payment_pubkey"]),
        };
        let message = message(Action::SignIn(sign_in), &address.address, &nonce);
        let mut body = shown.clone();
        body["signature"] = wallet.sign_bip322(AddressKind::P2wpkh, &message).unwrap().into();
        body["ordinal_signature"] = wallet.sign_bip322(AddressKind::P2tr, &message).unwrap().into();
        body["message"] = message.into();
        let body: SignInRequest = serde_json::from_value(body).unwrap();
        let token = visitor.sign_in(&body).await.unwrap().jwt;
        let session = Client::new(market.url().parse().unwrap(), Some(token.parse().unwrap())).unwrap();

        let nonce = session.issue_message_nonce(&address).await.unwrap().data;
        let key = NewApiKey {
            name: "bot".to_owned(),
            scopes: KeyScope::ALL.into(),
            principal_max_sats: 10 * FLOOR_SATS,
            outstanding_max_sats: 100 * FLOOR_SATS,
            daily_max_sats: 1_000 * FLOOR_SATS,
            collections: None,
            addresses: None,
            valid_until_s: nonce.issued + 3_600,
        };
        let message = self::message(Action::CreateApiKey(key), &address.address, &nonce);
        let signature = wallet.sign_bip322(AddressKind::P2wpkh, &message).unwrap();
        let secret = session.create_api_key(&CreateApiKey { message, signature }).await.unwrap().secret;
        let key: ApiKey = secret.parse().unwrap();
        let client = Client::new(market.url().parse().unwrap(), Some(key)).unwrap();
        Self { wallet, secret, client }
    }

    /// The output of `lienbook wallet show`.
    pub fn wallet(&self) -> Value {
        shown(&self.wallet)
    }

    pub fn item(&self, slug: &str, principal_sats: u64) -> ManualItem {
        let mut item = self.wallet();
        item["collection_slug"] = slug.into();
        item["principal_amount"] = principal_sats.into();
        item["quantity"] = 1.into();
        serde_json::from_value(item).unwrap()
    }

    pub async fn quote(&self, slug: &str, principal_sats: u64) -> String {
        let body = CreateManualOffers { offers: vec![self.item(slug, principal_sats)], cf_turnstile_response: None };
        let created = self.client.create_manual_offers(&body, &IdempotencyKey::random()).await.unwrap();
        created.offers[0].offer_id.clone()
    }
}

fn shown(wallet: &WalletKey) -> Value {
    json!({
        "wallet": "test",
        "hardware_wallet": false,
        "payment_address": wallet.payment_address().to_string(),
        "payment_pubkey": wallet.public_key_hex(AddressKind::P2wpkh),
        "ordinal_address": wallet.ordinals_address().to_string(),
        "ordinal_pubkey": wallet.public_key_hex(AddressKind::P2tr),
    })
}

fn message(action: Action, address: &str, nonce: &NonceData) -> String {
    let envelope = Envelope {
        domain: nonce.domain.clone(),
        network: nonce.network.parse().unwrap(),
        address: address.to_owned(),
        nonce: nonce.nonce.clone(),
        issued_s: nonce.issued,
        expires_s: nonce.expires,
    };
    ActionMessage::new(action, envelope).unwrap().to_text()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
