//! The model of one signer, replayed on a signer: paths that take every pair of steps of its graph, with crashes that lose the end of
//! its log; and the numbers of signers that the model has, compared with the rules of the code.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use bitcoin::hashes::sha256;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use escrow::action::{Action, CancelOffers};
use escrow::contract::vault::vault_signers::VaultSigners;
use model::graph::{Graph, Step};
use model::pairs::Pairs;
use model::signers::answers::{Loan, Request as Asked};
use model::signers::one_signer::OneSigner;
use model::signers::rules::Rules;
use model::signers::signer::{Age, Signer as Expected, SignerAction, SignerRules};
use model::takeover::signer_epoch::SignerEpoch;
use signer::policy::Policy;
use signer::quorum::acknowledging;
use signer::request::{Answer, LoanRequest, OfferHash, OfferStatus, Request, SpentOutput};
use signer::signer::{PendingAnswer, Signer};
use signer::term_sheet::TermSheet;
use tempfile::TempDir;

use crate::rig::{LENDER_ID, PRINCIPAL_SATS, Rig, START_MS, VAULT_SATS, draft, outpoint, seed, sheet, signing};

/// The most steps of a path: each begins with an opened vault.
const PATH_LENGTH_MAX: usize = 80;

/// The requests of the model as a lender and a server make them, and the log of a signer that has only opened the vault.
struct Requests {
    folder: TempDir,
    admit: Request,
    cancel: Request,
    loans: [Request; 3],
    offer: sha256::Hash,
}

fn place_of(loan: Loan) -> usize {
    Loan::ALL.iter().position(|other| *other == loan).unwrap()
}

impl Requests {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut rig = Rig::new();
        rig.open_vault();
        fs::copy(rig.log(), opened_log(&folder)).unwrap();
        let admit = rig.admission("of_1", None);
        let cancel = CancelOffers {
            ordinal_offer_ids: vec!["of_1".to_owned()],
            rune_offer_ids: Vec::new(),
            vault: Some(rig.policy_hash().to_string()),
        };
        let cancel = Request::ReviseOffers { lender_id: LENDER_ID, signed: rig.sign(Action::CancelOffers(cancel)) };
        let Answer::Offer(offer) = rig.ask(admit.clone()) else { panic!("not admitted") };
        let of = |number: u8, output: u8| LoanRequest {
            loan_id: u128::from(number),
            vault_outputs: vec![SpentOutput { outpoint: outpoint(output), sats: VAULT_SATS }],
            ..rig.loan(offer)
        };
        let loans = [of(1, 50), of(2, 51), of(3, 50)];
        let loans = loans.map(|loan| {
            let prepared = rig.prepare(&loan);
            signing(&loan, &prepared)
        });
        Self { folder, admit, cancel, loans, offer }
    }

    fn of(&self, asked: Asked) -> Request {
        match asked {
            Asked::Admit => self.admit.clone(),
            Asked::Cancel => self.cancel.clone(),
            Asked::Sign(loan) => self.loans[place_of(loan)].clone(),
        }
    }
}

fn opened_log(folder: &TempDir) -> PathBuf {
    folder.path().join("opened.jsonl")
}

fn open(log: &Path) -> Signer {
    let policy = Policy::new(draft(), &seed()).unwrap();
    Signer::open(seed(), policy, TermSheet::new(sheet()), log).unwrap().0
}

/// A signer in the state of the model.
struct Replay<'a> {
    requests: &'a Requests,
    log: PathBuf,
    signer: Option<Signer>,
    waiting: Vec<(Asked, PendingAnswer)>,
    synced_bytes: u64,
    now_ms: u64,
}

impl<'a> Replay<'a> {
    fn new(requests: &'a Requests) -> Self {
        let log = requests.folder.path().join("replayed.jsonl");
        fs::copy(opened_log(&requests.folder), &log).unwrap();
        let signer = Some(open(&log));
        let synced_bytes = fs::metadata(&log).unwrap().len();
        Self { requests, log, signer, waiting: Vec::new(), synced_bytes, now_ms: START_MS }
    }

    fn decide(&mut self, asked: Asked) {
        let answer = self.signer.as_mut().unwrap().decide(self.requests.of(asked), self.now_ms);
        self.waiting.push((asked, answer));
    }

    fn sync(&mut self, path: &[SignerAction]) {
        for (asked, answer) in self.waiting.drain(..) {
            let answer = answer.wait();
            let is_expected = match asked {
                Asked::Admit => answer == Answer::Offer(self.requests.offer),
                Asked::Cancel => answer == Answer::Revised,
                Asked::Sign(_) => matches!(answer, Answer::Signed(_)),
            };
            assert!(is_expected, "{asked:?} is answered by {answer:?} after {path:?}");
        }
        self.synced_bytes = fs::metadata(&self.log).unwrap().len();
    }

    /// Ends the signer, loses what is not synced, and starts it again.
    fn crash(&mut self) {
        self.waiting.clear();
        drop(self.signer.take());
        File::options().write(true).open(&self.log).unwrap().set_len(self.synced_bytes).unwrap();
        self.signer = Some(open(&self.log));
    }

    fn take(&mut self, action: SignerAction, path: &[SignerAction], rules: SignerRules) {
        match action {
            SignerAction::Decide(asked) => {
                self.decide(asked);
                if rules.is_atomic {
                    self.sync(path);
                }
            }
            SignerAction::Sync => self.sync(path),
            SignerAction::Crash => self.crash(),
            SignerAction::Age(Age::Fresh) => {}
            SignerAction::Age(Age::Expired) => self.now_ms = START_MS + 601_000,
            SignerAction::Age(Age::Forgotten) => self.now_ms = START_MS + 721_000,
            SignerAction::Forget => panic!("the rules do not allow it"),
        }
    }

    /// Compares a signer whose log is synced: how it holds the offer, and everything that it refuses.
    fn compare(&mut self, expected: &Expected, rules: SignerRules, path: &[SignerAction]) {
        let (signer, offer) = (self.signer.as_mut().unwrap(), OfferHash(self.requests.offer));
        let standing = signer.answer(Request::Standing { offers: vec![offer] }, self.now_ms);
        let used = u64::try_from(expected.written.signed.iter().count()).unwrap() * PRINCIPAL_SATS;
        let status = match (expected.written.is_held, used) {
            (false, _) => Vec::new(),
            (true, 0) => vec![(offer, OfferStatus::Open)],
            (true, sats) => vec![(offer, OfferStatus::Used { sats })],
        };
        assert_eq!(standing, Answer::Standing(status), "{path:?}");
        for asked in Asked::all(&Loan::ALL) {
            if expected.decide(&rules, asked).is_none() {
                let answer = signer.answer(self.requests.of(asked), self.now_ms);
                assert!(matches!(answer, Answer::Refused(_)), "{asked:?} is not refused after {path:?}: {answer:?}");
            }
        }
        assert_eq!(fs::metadata(&self.log).unwrap().len(), self.synced_bytes, "a refusal is in the log: {path:?}");
    }
}

fn replay(name: &str, model: &OneSigner) {
    let (graph, requests) = (Graph::explore(&Pairs(model.clone())), Requests::new());
    let paths = graph.covering_paths(PATH_LENGTH_MAX);
    let mut taken = 0;
    for path in &paths {
        let (mut replay, mut so_far) = (Replay::new(&requests), Vec::new());
        for Step { action, to } in path {
            so_far.push(*action);
            replay.take(*action, &so_far, model.rules);
            if replay.waiting.is_empty() {
                replay.compare(&graph.state(*to).0, model.rules, &so_far);
            }
        }
        taken += path.len();
    }
    println!(
        "{name}: {} states, {} pairs of steps, all taken on a signer by {} paths of {taken} steps",
        Graph::explore(model).states_count(),
        graph.steps_count(),
        paths.len()
    );
}

#[test]
fn a_signer_takes_every_step_of_the_model_with_crashes_that_lose_the_end_of_its_log() {
    replay("signer that crashes", &OneSigner { rules: SignerRules::REAL, loans: Loan::ALL.to_vec(), ages: false });
}

#[test]
fn a_signer_takes_every_step_of_the_model_while_messages_age() {
    replay(
        "signer whose messages age",
        &OneSigner { rules: SignerRules::ATOMIC, loans: Loan::ALL.to_vec(), ages: true },
    );
}

#[test]
#[should_panic(expected = "is answered by Refused")]
fn a_model_of_a_signer_that_counts_no_uses_is_not_the_signer() {
    let rules = SignerRules { counts_uses: false, ..SignerRules::REAL };
    replay("signer that counts nothing", &OneSigner { rules, loans: Loan::TWO.to_vec(), ages: false });
}

#[test]
#[should_panic(expected = "is answered by Refused")]
fn a_model_of_a_signer_that_remembers_no_cancellation_is_not_the_signer() {
    let rules = SignerRules { remembers_cancellations: false, ..SignerRules::ATOMIC };
    replay("signer that remembers nothing", &OneSigner { rules, loans: Vec::new(), ages: false });
}

#[test]
fn the_model_has_the_numbers_of_signers_that_the_code_has() {
    const SIGNERS_MAX: u8 = 7;
    let key = |byte: u8| Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap().x_only_public_key().0;
    for signers in 1..=SIGNERS_MAX {
        for required in 1..=usize::from(signers) + 1 {
            let count = usize::from(signers);
            let accepted = VaultSigners::new(required, (1..=signers).map(key)).is_ok();
            assert_eq!(accepted, Rules::is_majority(required, count), "{required} of {signers}");
            if accepted {
                assert_eq!(acknowledging(required, count), Rules::of(required, count, 0).acknowledging);
            }
        }
    }
}

#[test]
fn a_signer_hears_epochs_as_the_model_does() {
    const EPOCHS_MAX: u8 = 3;
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let write = signing(&loan, &prepared);
    let read = Request::PublicKey { lender_id: LENDER_ID };
    for latest in 0..=EPOCHS_MAX {
        let model = SignerEpoch(latest);
        // A later epoch is heard last: it raises the signer's.
        for (epoch, is_read) in
            [None, Some(0), Some(1), Some(2), Some(3)].into_iter().flat_map(|it| [(it, true), (it, false)])
        {
            if epoch.is_some_and(|epoch| epoch > latest || epoch == 0) {
                continue;
            }
            let request = if is_read { read.clone() } else { write.clone() };
            let request = match epoch {
                None => request,
                Some(epoch) => Request::OfWriter { epoch: u64::from(epoch), request: Box::new(request) },
            };
            let is_refused = matches!(rig.ask(request), Answer::Refused(_));
            assert_eq!(is_refused, model.after(epoch, is_read).is_none(), "{latest} {epoch:?} {is_read}");
        }
        let next = Request::OfWriter { epoch: u64::from(latest) + 1, request: Box::new(read.clone()) };
        assert!(matches!(rig.ask(next), Answer::PublicKey(_)));
        assert_eq!(model.after(Some(latest + 1), true), Some(SignerEpoch(latest + 1)));
    }
}
