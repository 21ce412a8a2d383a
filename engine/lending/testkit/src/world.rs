//! The complete environment of a loan service.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf};
use devchain::EmbeddedChain;
use domain::{Nonce, UnixMs, VaultKeys};
use engine::clock::{Clock as _, ManualClock};
use engine::{FailStop, Market, NonceUse, Settings};
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::envelope::Envelope;
use lending::lookups::lookup::RetryPolicy;
use lending::lookups::ports::Ports as _;
use lending::service::loan_service::{LoanRules, LoanService};
use ordinals::RuneId;
use signer::master_seed::MasterSeed;
use signer::policy::{Limits, Policy, PolicyDraft};
use signer::signed_text::SignedText;
use signer::signer::Signer;
use signer::signer_set::SignerSetDraft;
use signer::term_sheet::TermSheet;
use signer::vault_signer::VaultSigner as _;
use tempfile::TempDir;

use crate::fake_journal::FakeJournal;
use crate::faults::SharedFaults;
use crate::groups::{NOWHERE, groups, price, sheet};
use crate::people::{Person, addresses, wallet};
use crate::ports::WorldPorts;
use crate::randomness::Randomness;

/// The start time of chain and clock.
pub const START_S: u32 = 1_800_000_000;
/// The domain in signed messages.
pub const DOMAIN: &str = "lienbook.example";
/// The wallet of the platform's operator.
pub const PLATFORM: u8 = 99;

/// A chain, a market, a signer, and the loan service that joins them. Clones are handles to the same.
#[derive(Clone)]
pub struct World {
    /// The chain.
    pub chain: EmbeddedChain,
    /// The loan service.
    pub service: LoanService<WorldPorts>,
    /// The journal.
    pub journal: FakeJournal,
    /// The clock of market and signer.
    pub clock: Arc<ManualClock>,
    /// The faults of the ports.
    pub faults: SharedFaults,
    /// The number of signers that sign each payment, and all of them.
    signers: (usize, Vec<Arc<Mutex<Signer>>>),
    /// The signers of earlier vaults, once others have succeeded them.
    previous: Option<(usize, Vec<Arc<Mutex<Signer>>>)>,
    setup: Arc<SignerSetup>,
    /// The folder of the signer's log.
    folder: Arc<TempDir>,
    nonces: Arc<AtomicU64>,
    randomness: Option<Randomness>,
}

/// A signed message, and its nonce.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The message with its signature.
    pub text: SignedText,
    /// The use of its nonce.
    pub nonce_use: NonceUse,
}

fn seed(number: usize) -> MasterSeed {
    MasterSeed::new(Box::new([0x5a + u8::try_from(number).unwrap(); 32]))
}

/// The setup of a signer, besides its seed and its log.
#[derive(Debug)]
struct SignerSetup {
    draft: PolicyDraft,
    gold: RuneId,
    randomness: Option<Randomness>,
}

impl SignerSetup {
    fn open(&self, number: usize, log: &Path) -> Signer {
        let seed = seed(number);
        let policy = Policy::new(self.draft.clone(), &seed).unwrap();
        let (mut signer, _) = Signer::open(seed, policy, sheet(self.gold), log).unwrap();
        if let Some(randomness) = &self.randomness {
            signer.set_key_source(randomness.keys());
        }
        signer
    }
}

/// The policy of signers, of which `required` sign each payment.
fn policy_draft((required, count): (usize, usize)) -> PolicyDraft {
    policy_draft_of(required, &(0..count).collect::<Vec<_>>())
}

fn policy_draft_of(required: usize, numbers: &[usize]) -> PolicyDraft {
    let most = u64::MAX / 4;
    PolicyDraft {
        network: Network::Regtest,
        domain: DOMAIN.to_owned(),
        platform_address: wallet(PLATFORM).payment_address().to_string(),
        platform_fee_max_bps: 2_000,
        grace_seconds: 86_400,
        // A loan's claim time is fixed when it is prepared.
        claim_slack_seconds: 86_400,
        fee_rate_min_sat_per_kwu: 25,
        fee_rate_max_sat_per_kwu: 125_000,
        offer_age_max_seconds: 30 * 86_400,
        limits: Limits {
            loan_max_sats: most,
            hour_max_sats: most,
            hour_max_count: 1_000_000,
            vault_hour_max_sats: most,
            vault_hour_max_count: None,
            kept_percent: None,
        },
        signers: (numbers.len() > 1).then(|| {
            let identity = |number: &usize| seed(*number).identity().unwrap().public_key();
            SignerSetDraft { required, identities: numbers.iter().map(identity).collect() }
        }),
    }
}

fn log_of(folder: &TempDir, number: usize) -> PathBuf {
    folder.path().join(format!("signed-{number}.jsonl"))
}

fn settings(randomness: Option<&Randomness>) -> Settings {
    let fail_stop = FailStop::calling(|_| {});
    let epoch = "epoch-1".to_owned();
    let usual = Settings::default();
    // On several threads no run is like another one.
    let arbiters = if randomness.is_some() { 0 } else { usual.arbiters };
    Settings { epoch, arbiters, rank_interval_ms: 0, market_interval_ms: 0, fail_stop, ..usual }
}

fn service(market: Market, ports: WorldPorts, randomness: Option<&Randomness>) -> LoanService<WorldPorts> {
    let rules = LoanRules {
        network: Network::Regtest,
        platform_script: Some(wallet(PLATFORM).payment_address().script_pubkey()),
        retry_policy: RetryPolicy { retries: 1, delay: Duration::from_millis(1) },
        fee_rate_max: FeeRate::from_sat_per_vb_u32(500),
    };
    let service = LoanService::new(market, Arc::new(ports), Arc::new(rules));
    match randomness {
        Some(randomness) => service.with_loan_ids(randomness.loan_ids()),
        None => service,
    }
}

impl World {
    /// Three collections with prices. Gold is a rune that is not etched.
    pub async fn new() -> Self {
        Self::on(EmbeddedChain::new(START_S).unwrap(), NOWHERE, (1, 1)).await
    }

    /// The same with three signers, two of which sign each payment.
    pub async fn of_three_signers() -> Self {
        Self::on(EmbeddedChain::new(START_S).unwrap(), NOWHERE, (2, 3)).await
    }

    /// The same where gold is this rune, and of so many signers some sign each payment.
    pub async fn on(chain: EmbeddedChain, gold: RuneId, signers: (usize, usize)) -> Self {
        Self::with(chain, gold, signers, None).await
    }

    /// The same on one thread, where everything random is drawn from this source. Such a run can be repeated.
    pub async fn repeatable(chain: EmbeddedChain, gold: RuneId, signers: (usize, usize), from: Randomness) -> Self {
        Self::with(chain, gold, signers, Some(from)).await
    }

    async fn with(
        chain: EmbeddedChain,
        gold: RuneId,
        (required, count): (usize, usize),
        randomness: Option<Randomness>,
    ) -> Self {
        let clock = Arc::new(ManualClock::new(UnixMs(u64::from(START_S) * 1_000)));
        let (folder, journal, faults) =
            (Arc::new(tempfile::tempdir().unwrap()), FakeJournal::default(), SharedFaults::default());
        let market = Market::start(Arc::new(journal.clone()), clock.clone(), settings(randomness.as_ref())).unwrap();
        for group in groups(gold) {
            let id = group.id;
            market.list_group(group).await.unwrap();
            market.move_price(id, price(id), clock.now()).await.unwrap();
        }
        let setup = SignerSetup { draft: policy_draft((required, count)), gold, randomness: randomness.clone() };
        let open = |number| Arc::new(Mutex::new(setup.open(number, &log_of(&folder, number))));
        let signers: Vec<_> = (0..count).map(open).collect();
        let setup = Arc::new(setup);
        let ports = WorldPorts::new(chain.clone(), &market, (required, &signers), None, &clock, faults.clone());
        let (signers, previous) = ((required, signers), None);
        let nonces = Arc::new(AtomicU64::new(1));
        let service = service(market, ports, randomness.as_ref());
        Self { chain, service, journal, clock, faults, signers, previous, setup, folder, nonces, randomness }
    }

    /// Restarts the server with new signers, two of three, beside those until now, which keep the vaults that they have.
    pub fn with_successors(self) -> Self {
        self.with_new_signers(2, 3)
    }

    /// The same with so many new signers, of which some sign each payment.
    pub fn with_new_signers(mut self, required: usize, count: usize) -> Self {
        let folder = Arc::clone(&self.folder);
        let first = self.signers.1.len();
        let setup = SignerSetup {
            draft: policy_draft_of(required, &(first..first + count).collect::<Vec<_>>()),
            gold: self.setup.gold,
            randomness: self.randomness.clone(),
        };
        let open = |number| Arc::new(Mutex::new(setup.open(number, &log_of(&folder, number))));
        let successors = (first..first + count).map(open).collect();
        self.previous = Some(std::mem::replace(&mut self.signers, (required, successors)));
        self.restarted()
    }

    /// Restarts the server after a crash with only the first `count` batches of its journal on disk. The signer is
    /// another process and keeps running; all injected faults end.
    pub fn after_crash(&self, count: usize) -> Self {
        let (journal, faults) = (self.journal.cut_to(count), self.faults.after_crash());
        let randomness = self.randomness.clone();
        let settings = settings(randomness.as_ref());
        let market = Market::start(Arc::new(journal.clone()), self.clock.clone(), settings).unwrap();
        let (chain, clock, signers) = (self.chain.clone(), self.clock.clone(), self.signers.clone());
        let previous = self.previous.clone();
        let before = previous.as_ref().map(|(required, signers)| (*required, signers.as_slice()));
        let ports = WorldPorts::new(chain.clone(), &market, (signers.0, &signers.1), before, &clock, faults.clone());
        let (folder, nonces, setup) = (self.folder.clone(), self.nonces.clone(), self.setup.clone());
        let service = service(market, ports, randomness.as_ref());
        Self { chain, service, journal, clock, faults, signers, previous, setup, folder, nonces, randomness }
    }

    /// Kills a signer, and starts it again on its log.
    pub fn restart_signer(&self, number: usize) {
        let mut signer = self.signers.1[number].lock().unwrap();
        // One process at a time has a log, so the old one is gone before the new one opens it.
        *signer = self.setup.open(number, &self.folder.path().join(format!("elsewhere-{number}.jsonl")));
        *signer = self.setup.open(number, &log_of(&self.folder, number));
    }

    /// The number of signers.
    pub fn signers_count(&self) -> usize {
        self.signers.1.len()
    }

    /// Restarts the server after a crash with all batches written.
    pub fn restarted(&self) -> Self {
        self.after_crash(self.journal.batches().len())
    }

    /// Passes time, on the clock and on the chain.
    pub fn pass(&self, seconds: u32) {
        self.clock.advance_ms(u64::from(seconds) * 1_000);
        self.chain.set_time(u32::try_from(self.clock.now().0 / 1_000).unwrap());
    }

    /// Pays sats to a script in a block.
    pub fn fund(&self, script: &ScriptBuf, sats: u64) -> OutPoint {
        self.chain.fund(script, Amount::from_sat(sats)).unwrap()
    }

    /// A fresh nonce.
    pub fn nonce(&self) -> NonceUse {
        let nonce = Nonce(u128::from(self.nonces.fetch_add(1, Ordering::Relaxed)));
        NonceUse { nonce, expires_at: self.clock.now().plus_ms(600_000) }
    }

    /// Signs a user in with this wallet.
    pub async fn person(&self, number: u8) -> Person {
        let wallet = wallet(number);
        let user = self.service.market.sign_in(&addresses(&wallet), self.nonce()).await.unwrap().user;
        Person { wallet, user }
    }

    /// The first lender.
    pub async fn lender(&self) -> Person {
        self.person(1).await
    }

    /// The first borrower.
    pub async fn borrower(&self) -> Person {
        self.person(101).await
    }

    /// A message signed now, with a fresh nonce.
    pub fn sign(&self, person: &Person, kind: AddressKind, action: Action) -> Signed {
        let nonce_use = self.nonce();
        let issued_s = self.clock.now().0 / 1_000;
        let envelope = Envelope {
            domain: DOMAIN.to_owned(),
            network: Network::Regtest,
            address: person.wallet.address(kind).to_string(),
            nonce: format!("{:032x}", nonce_use.nonce.0),
            issued_s,
            expires_s: issued_s + 600,
        };
        let message = ActionMessage::new(action, envelope).unwrap().to_text();
        let signature = person.wallet.sign_bip322(kind, &message).unwrap();
        Signed { text: SignedText { message, signature }, nonce_use }
    }

    /// Replaces the signer's term sheet.
    pub fn set_sheet(&self, sheet: &TermSheet) {
        self.signers.1.iter().for_each(|signer| signer.lock().unwrap().set_sheet(sheet.clone()));
    }

    /// The hash of the signer's policy, as in messages.
    pub async fn policy(&self) -> String {
        self.service.ports.signer().describe().await.unwrap().policy_hash.to_string()
    }

    /// The hash of the policy of the signers that hold a lender's vault, as in messages about it.
    pub async fn policy_of(&self, lender: &Person) -> String {
        self.service.ports.signer().describe_vault(lender.user.0).await.unwrap().policy_hash.to_string()
    }

    /// Opens a lender's vault, at the signer and in the market.
    pub async fn open_vault(&self, lender: &Person) -> Vault {
        let payment_address = lender.wallet.payment_address().to_string();
        let action = Action::OpenVault { payment_address: payment_address.clone(), vault: self.policy().await };
        let Signed { text, nonce_use } = self.sign(lender, AddressKind::P2tr, action);
        let (port, id, key) = (self.service.ports.signer(), lender.user.0, lender.ordinals_key());
        let script = port.open_vault(id, key, text).await.unwrap();
        let signers = port.vault_signers(id).await.unwrap();
        let keys = VaultKeys {
            signers: lending::vaults::vault::signer_keys(&signers),
            lender_key: key.serialize(),
            payment_address,
        };
        self.service.market.open_vault(lender.user, keys, nonce_use).await.unwrap();
        let vault = Vault::new(VaultTerms { lender_id: id, signers, lender: key }).unwrap();
        assert_eq!(vault.output().script_pubkey(), script);
        vault
    }
}
