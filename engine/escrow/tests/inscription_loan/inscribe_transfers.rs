//! Tests of orders for a user's own transfer inscription.

use bitcoin::{Amount, OutPoint, ScriptBuf, Transaction, TxOut, Weight, XOnlyPublicKey};
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::assets::commit::Commit;
use escrow::contract::assets::inscription::Inscription;
use escrow::contract::inscribe_transfer::{
    CommitAndReveal, InscribeTransfer, InscribeTransferError, InscribeTransferFault, RevealSigningError,
};
use escrow::contract::signing::signatures::SignatureError;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::unspendable::Purpose;
use proptest::prelude::*;

use super::flow;
use super::keyring::Keyring;
use super::loan_fixture::{Party, assert_weight, coin, is_valid, rate};
use super::mutations::assert_all_found;

/// A user who orders a transfer inscription, the key that reveals it, and another user.
struct TransferOrderFixture {
    keyring: Keyring,
    party: Party,
    reveal_signer: Party,
    other_user: Party,
    transfer: Brc20Transfer,
    ordinals_script: ScriptBuf,
    change: ScriptBuf,
    coins: Vec<Coin>,
}

impl TransferOrderFixture {
    fn new() -> Self {
        let mut keyring = Keyring::new();
        let party = keyring.party(1);
        let coins = vec![coin(2, party.payment(), 30_000), coin(3, party.nested(), 20_000)];
        Self {
            ordinals_script: party.ordinals().script_pubkey(),
            change: party.payment().script_pubkey(),
            reveal_signer: Party::new(&keyring.secp, 8),
            other_user: Party::new(&keyring.secp, 9),
            transfer: Brc20Transfer::new("ordi", 1_500_000_000_000_000_000).unwrap(),
            coins,
            party,
            keyring,
        }
    }

    fn order(&self) -> InscribeTransfer<'_> {
        InscribeTransfer {
            order: 5,
            transfer: &self.transfer,
            reveal_key: key(&self.reveal_signer),
            destination: &self.ordinals_script,
            coins: &self.coins,
            change: &self.change,
            fee_rate: rate(30),
        }
    }
}

fn key(party: &Party) -> XOnlyPublicKey {
    party.keys.x_only_public_key().0
}

#[test]
fn the_user_signs_once_and_receives_the_inscription() {
    let fixture = TransferOrderFixture::new();
    let both = fixture.order().build().unwrap();
    let revealed = both.sign_reveal(&fixture.reveal_signer.keys).unwrap();
    let committed = fixture.keyring.sign(&both.commit);
    for (template, signed) in [(&both.commit, &committed), (&both.reveal, &revealed)] {
        assert!(is_valid(template, signed));
        assert_weight(template, signed);
        assert_eq!(template.fee(), rate(30).fee_wu(template.weight), "each pays its own fee");
    }
    assert_eq!(revealed.input[0].previous_output, OutPoint::new(committed.compute_txid(), 0));
    assert_eq!(
        revealed.output,
        [TxOut { value: Amount::from_sat(546), script_pubkey: fixture.ordinals_script.clone() }]
    );
    let script = revealed.input[0].witness.nth(1).unwrap();
    let (signer, inscribed) = Inscription::read(bitcoin::Script::from_bytes(script)).unwrap();
    assert_eq!(signer, key(&fixture.reveal_signer));
    assert_eq!(inscribed.body, br#"{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1.5"}"#);
    assert_eq!(flow::sats(&both.reveal), [vec![(0, 0, 546)]], "on its first sat");
    assert_eq!(committed.output[0], fixture.order().commit_output().unwrap());
    assert_eq!(committed.output[0].value, Amount::from_sat(546) + both.reveal.fee().unwrap());
    let paid = both.commit.fee().unwrap() + both.reveal.fee().unwrap() + Amount::from_sat(546);
    assert_eq!(
        committed.output[1],
        TxOut { value: Amount::from_sat(50_000) - paid, script_pubkey: fixture.change.clone() }
    );
    assert_eq!(committed.output.len(), 2);
    assert!(both.reveal.weight < Weight::from_vb(160).unwrap(), "{}", both.reveal.weight);
}

#[test]
fn a_rest_too_small_for_change_adds_to_the_fee() {
    let mut fixture = TransferOrderFixture::new();
    let held = fixture.order().commit_output().unwrap().value;
    let with = |fixture: &mut TransferOrderFixture, spare: u64| {
        fixture.coins = vec![coin(2, fixture.party.payment(), 100_000)];
        let bare = fixture.order().build().unwrap().commit;
        let change = rate(30).fee_wu(Weight::from_wu(31 * 4)).unwrap();
        let sats = held + bare.fee().unwrap() - change + Amount::from_sat(spare);
        fixture.coins = vec![coin(2, fixture.party.payment(), sats.to_sat())];
        fixture.order().build().unwrap().commit
    };
    for (spare, outputs) in [(0, 1), (294, 1), (930 + 293, 1), (930 + 294, 2)] {
        let commit = with(&mut fixture, spare);
        assert_eq!(commit.psbt.unsigned_tx.output.len(), outputs, "{spare} to spare");
        assert!(is_valid(&commit, &fixture.keyring.sign(&commit)));
    }
}

#[test]
fn only_the_holder_of_the_reveal_key_spends_the_commit() {
    let fixture = TransferOrderFixture::new();
    let both = fixture.order().build().unwrap();
    let good = both.sign_reveal(&fixture.reveal_signer.keys).unwrap();
    for other in [&fixture.party, &fixture.other_user] {
        let refused = both.sign_reveal(&other.keys);
        let foreign = SignatureError::ForeignKey { index: 0 };
        assert_eq!(refused, Err(RevealSigningError::Signature(foreign)));
        // Nor does the script accept it, however it is put there.
        let mut forged = both.clone();
        let Lock::Script(leaf) = &mut forged.reveal.locks[0] else { panic!("a commit is spent by its script") };
        leaf.signers[0].key = key(other);
        let forged = forged.sign_reveal(&other.keys).unwrap();
        assert!(!is_valid(&both.reveal, &forged));
    }
    // A signed reveal cannot be redirected, nor pay a smaller amount.
    let changes: [fn(&mut Transaction); 3] = [
        |signed| signed.output[0].script_pubkey = ScriptBuf::new_op_return([7]),
        |signed| signed.output[0].value -= Amount::ONE_SAT,
        |signed| signed.output.clear(),
    ];
    for change in changes {
        let mut altered = good.clone();
        change(&mut altered);
        assert!(!is_valid(&both.reveal, &altered));
    }
    assert!(is_valid(&both.reveal, &good));
    let of_other = fixture.order();
    let of_other = InscribeTransfer { order: 6, ..of_other }.build().unwrap();
    assert_ne!(of_other.commit.psbt.unsigned_tx.output[0], both.commit.psbt.unsigned_tx.output[0]);
    let not_a_reveal = CommitAndReveal { reveal: both.commit.clone(), ..both };
    assert_eq!(not_a_reveal.sign_reveal(&fixture.reveal_signer.keys), Err(RevealSigningError::NotAReveal));
}

#[test]
fn an_impossible_order_is_refused_by_name() {
    let fixture = TransferOrderFixture::new();
    let plain = fixture.order();
    let refusal = |order: InscribeTransfer<'_>| order.build().err();
    assert_eq!(refusal(plain), None);
    let nowhere = ScriptBuf::new_op_return([1]);
    assert_eq!(refusal(InscribeTransfer { destination: &nowhere, ..plain }), Some(InscribeTransferError::NoAddress));
    let poor = [coin(2, fixture.party.payment(), 8_000)];
    let short = refusal(InscribeTransfer { coins: &poor, ..plain });
    let found = Amount::from_sat(8_000);
    assert!(
        matches!(short, Some(InscribeTransferError::Assembly(AssemblyError::InsufficientFunds { found: own, .. })) if own == found)
    );
    let twice = [fixture.coins[0].clone(), fixture.coins[0].clone()];
    let repeated = AssemblyError::DuplicateCoin(twice[0].outpoint);
    assert_eq!(refusal(InscribeTransfer { coins: &twice, ..plain }), Some(repeated.into()));
    let mut foreign = [fixture.coins[0].clone()];
    foreign[0].key = fixture.other_user.payment();
    let error = AssemblyError::ForeignCoin(foreign[0].outpoint);
    assert_eq!(refusal(InscribeTransfer { coins: &foreign, ..plain }), Some(error.into()));
    let endless = InscribeTransfer { fee_rate: bitcoin::FeeRate::MAX, ..plain };
    assert_eq!(refusal(endless), Some(AssemblyError::Overflow.into()));
    assert_eq!(endless.commit_output(), Err(AssemblyError::Overflow.into()));
}

#[test]
fn the_final_check_names_the_fault() {
    let fixture = TransferOrderFixture::new();
    let order = fixture.order();
    let both = order.build().unwrap();
    let fault = |change: &dyn Fn(&mut CommitAndReveal)| {
        let mut altered = both.clone();
        change(&mut altered);
        order.check(&altered).err()
    };
    assert_eq!(fault(&|_| {}), None);
    let input = |both: &mut CommitAndReveal| both.commit.psbt.unsigned_tx.input[1].previous_output.vout = 7;
    assert_eq!(fault(&input), Some(InscribeTransferFault::ForeignInput { index: 1 }));
    let misdirected = |both: &mut CommitAndReveal| {
        both.commit.psbt.unsigned_tx.output[1].script_pubkey = fixture.other_user.payment().script_pubkey();
    };
    assert_eq!(fault(&misdirected), Some(InscribeTransferFault::ForeignOutput { index: 1 }));
    let gift = |both: &mut CommitAndReveal| {
        let change = both.commit.psbt.unsigned_tx.output[1].clone();
        both.commit.psbt.unsigned_tx.output.push(change);
    };
    assert_eq!(fault(&gift), Some(InscribeTransferFault::ForeignOutput { index: 2 }));
    let less = |both: &mut CommitAndReveal| both.commit.psbt.unsigned_tx.output[0].value -= Amount::ONE_SAT;
    assert_eq!(fault(&less), Some(InscribeTransferFault::WrongCommit), "the reveal is for more");
    let no_output = |both: &mut CommitAndReveal| both.commit.psbt.unsigned_tx.output.clear();
    assert_eq!(fault(&no_output), Some(InscribeTransferFault::WrongCommit));
    let by_key = |both: &mut CommitAndReveal| both.reveal.locks[0] = Lock::Key(fixture.party.ordinals());
    assert_eq!(fault(&by_key), Some(InscribeTransferFault::WrongCommit));
    let more_postage = |both: &mut CommitAndReveal| both.reveal.psbt.unsigned_tx.output[0].value += Amount::ONE_SAT;
    assert_eq!(fault(&more_postage), Some(InscribeTransferFault::InscriptionMisplaced));
    let late = |both: &mut CommitAndReveal| {
        both.reveal.psbt.unsigned_tx.lock_time = bitcoin::absolute::LockTime::from_consensus(1);
    };
    assert_eq!(fault(&late), Some(InscribeTransferFault::WrongForm));
    let heavier = |both: &mut CommitAndReveal| both.commit.weight += Weight::from_wu(1);
    assert_eq!(fault(&heavier), Some(InscribeTransferFault::WrongForm));
    let thrifty = |both: &mut CommitAndReveal| {
        both.commit.psbt.unsigned_tx.output[1].value += Amount::ONE_SAT;
        relink(both);
    };
    assert!(matches!(fault(&thrifty), Some(InscribeTransferFault::WrongCommitFee(_))));
    // A sat more for the reveal, which adds to its fee.
    let generous = |both: &mut CommitAndReveal| {
        both.commit.psbt.unsigned_tx.output[0].value += Amount::ONE_SAT;
        both.commit.psbt.unsigned_tx.output[1].value -= Amount::ONE_SAT;
        relink(both);
    };
    assert!(matches!(fault(&generous), Some(InscribeTransferFault::WrongRevealFee(_))));
    let other = Brc20Transfer::new("ordi", 1).unwrap();
    for (other, wrong) in [
        (InscribeTransfer { transfer: &other, ..order }, InscribeTransferFault::WrongInscription),
        (InscribeTransfer { reveal_key: key(&fixture.other_user), ..order }, InscribeTransferFault::WrongInscription),
        (InscribeTransfer { destination: &fixture.change, ..order }, InscribeTransferFault::InscriptionMisplaced),
    ] {
        assert_eq!(other.check(&both), Err(wrong));
    }
    // The same script elsewhere in a tree is another output.
    let commit =
        Commit::new(&fixture.transfer.inscription(), key(&fixture.reveal_signer), Purpose::InscribeTransfer(6))
            .unwrap();
    let moved = |both: &mut CommitAndReveal| {
        let output = &mut both.commit.psbt.unsigned_tx.output[0];
        output.script_pubkey = commit.output(output.value).script_pubkey;
        relink(both);
    };
    assert_eq!(fault(&moved), Some(InscribeTransferFault::WrongInscription));
}

/// Makes the reveal spend the changed commit.
fn relink(both: &mut CommitAndReveal) {
    both.reveal.psbt.unsigned_tx.input[0].previous_output.txid = both.commit.final_txid();
    both.reveal.psbt.inputs[0].witness_utxo = both.commit.psbt.unsigned_tx.output.first().cloned();
}

#[test]
fn no_change_of_the_commit_passes_the_final_check() {
    let mut fixture = TransferOrderFixture::new();
    let coins = (20..30).map(|number| coin(number, fixture.party.payment(), 10_000 + u64::from(number)));
    fixture.coins = coins.collect();
    let order = fixture.order();
    let both = order.build().unwrap();
    let with_commit = |commit: &Template| order.check(&CommitAndReveal { commit: commit.clone(), ..both.clone() });
    assert_all_found(&both.commit, 2, with_commit);
}

#[test]
fn no_change_of_the_reveal_passes_the_final_check() {
    let fixture = TransferOrderFixture::new();
    let order = fixture.order();
    let both = order.build().unwrap();
    let changes: [fn(&mut Template); 9] = [
        |reveal| reveal.psbt.unsigned_tx.output[0].value -= Amount::ONE_SAT,
        |reveal| reveal.psbt.unsigned_tx.output[0].script_pubkey = ScriptBuf::new_op_return([7]),
        |reveal| reveal.psbt.unsigned_tx.output.push(reveal.psbt.unsigned_tx.output[0].clone()),
        |reveal| reveal.psbt.unsigned_tx.output.clear(),
        |reveal| reveal.psbt.unsigned_tx.input[0].previous_output.vout = 1,
        |reveal| reveal.psbt.unsigned_tx.input.push(reveal.psbt.unsigned_tx.input[0].clone()),
        |reveal| reveal.psbt.unsigned_tx.version = bitcoin::transaction::Version(3),
        |reveal| reveal.psbt.inputs[0].witness_utxo = None,
        |reveal| reveal.weight -= Weight::from_wu(1),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut altered = both.clone();
        change(&mut altered.reveal);
        assert!(order.check(&altered).is_err(), "change {index}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_order_pays_exactly_and_is_valid(
        sats in prop::collection::vec(1_000_u64..5_000_000, 1..5),
        per_kwu in 250_u64..50_000,
        tokens in 1_u128..u128::MAX / 1_000_000_000_000_000_000_000,
        order in any::<u128>(),
    ) {
        let mut fixture = TransferOrderFixture::new();
        let keys = [fixture.party.payment(), fixture.party.nested(), fixture.party.ordinals()];
        let coins = (20_u8..).zip(&sats).map(|(number, sats)| coin(number, keys[usize::from(number) % 3], *sats));
        fixture.coins = coins.collect();
        fixture.transfer = Brc20Transfer::new("sats", tokens).unwrap();
        let fee_rate = bitcoin::FeeRate::from_sat_per_kwu(per_kwu);
        let ordered = InscribeTransfer { order, fee_rate, ..fixture.order() };
        match ordered.build() {
            Ok(both) => {
                let committed = fixture.keyring.sign(&both.commit);
                let revealed = both.sign_reveal(&fixture.reveal_signer.keys).unwrap();
                prop_assert!(is_valid(&both.commit, &committed) && is_valid(&both.reveal, &revealed));
                // Computed without the builder: everything that the coins hold is the inscription, the change, or the
                // fee.
                let coins: u64 = sats.iter().sum();
                let change: u64 = committed.output.iter().skip(1).map(|output| output.value.to_sat()).sum();
                let fees = coins - change - 546;
                let due = fee_rate.fee_wu(both.commit.weight).unwrap() + fee_rate.fee_wu(both.reveal.weight).unwrap();
                prop_assert!(fees >= due.to_sat());
                if change > 0 {
                    prop_assert_eq!(fees, due.to_sat());
                }
            }
            Err(InscribeTransferError::Assembly(AssemblyError::InsufficientFunds { wanted, found })) => {
                prop_assert_eq!(found.to_sat(), sats.iter().sum::<u64>());
                prop_assert!(wanted > found);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
