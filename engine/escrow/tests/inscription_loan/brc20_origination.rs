//! Tests of the origination against BRC-20: two transactions, of which the second inscribes a new transfer into the
//! escrow.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, Transaction, TxOut, Txid};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::asset_coin::POSTAGE;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::assets::commit::{Commit, CommitError};
use escrow::contract::assets::inscription::{Inscription, InscriptionError};
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::collateral::{Collateral, CollateralError};
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::fault::OriginationFault;
use escrow::contract::loan::origination::{Origination, OriginationError};
use escrow::contract::loan::origination_outputs::{COMMIT, ESCROW, PAD, PRINCIPAL};
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::reveal::{Reveal, RevealError, RevealFault};
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::unspendable::Purpose;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::{Vault, VaultTerms};

use super::flow;
use super::keyring::Keyring;
use super::loan_fixture::{
    LoanFixture, PAYOUT_SATS, PRINCIPAL_SATS, Party, assert_weight, coin, coin_of, is_valid, rate,
};

/// A loan fixture with a transfer inscription, and coins of the lender that hold exactly the amount due.
struct Brc20Fixture {
    loan_fixture: LoanFixture,
    keyring: Keyring,
    transfer: Brc20Transfer,
    exact: Vec<Coin>,
}

impl Brc20Fixture {
    fn new(postage: u64, offset: u64, fee_rate: FeeRate) -> Self {
        let loan_fixture = LoanFixture::new(postage, offset, fee_rate);
        let mut keyring = Keyring::new();
        keyring.party(1);
        keyring.party(2);
        let transfer = Brc20Transfer::new("ordi", 1_500_000_000_000_000_000).unwrap();
        let exact = vec![
            coin(2, loan_fixture.lender.payment(), 1_000_000),
            coin(3, loan_fixture.lender.nested(), PRINCIPAL_SATS + 13_000 - 1_000_000),
        ];
        Self { loan_fixture, keyring, transfer, exact }
    }

    fn origination(&self) -> Origination<'_> {
        Origination {
            collateral: Collateral::Brc20 { coin: &self.loan_fixture.collateral, transfer: &self.transfer },
            funding: Funding::Coins { coins: &self.exact, change: &self.loan_fixture.lender_payment },
            ..self.loan_fixture.origination()
        }
    }

    fn built(&self) -> (Template, Template) {
        let template = self.origination().build().unwrap();
        let reveal = self.origination().reveal(&template).unwrap().build().unwrap();
        (template, reveal)
    }
}

fn package_fee(package: [&Template; 2], fee_rate: FeeRate) -> (Amount, Amount) {
    let paid = package.map(|template| template.fee().unwrap());
    let weight = package[0].weight + package[1].weight;
    (paid[0] + paid[1], fee_rate.fee_wu(weight).unwrap())
}

#[test]
fn two_transactions_inscribe_a_transfer_into_the_escrow_and_only_the_borrower_gets_it_back() {
    let mut fixture = Brc20Fixture::new(546, 0, rate(20));
    let (template, reveal) = fixture.built();
    let (originated, revealed) = (fixture.keyring.sign(&template), fixture.keyring.sign(&reveal));
    for (template, signed) in [(&template, &originated), (&reveal, &revealed)] {
        assert!(is_valid(template, signed));
        assert_weight(template, signed);
    }
    assert_eq!(revealed.input[0].previous_output, OutPoint::new(originated.compute_txid(), 2), "known before signing");
    let script = revealed.input[0].witness.nth(1).unwrap();
    let (key, inscribed) = Inscription::read(bitcoin::Script::from_bytes(script)).unwrap();
    assert_eq!(key, fixture.loan_fixture.borrower.keys.x_only_public_key().0);
    assert_eq!(inscribed.body, br#"{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1.5"}"#);
    let escrow = fixture.loan_fixture.escrow.output().script_pubkey();
    assert_eq!(revealed.output[0], TxOut { value: Amount::from_sat(546), script_pubkey: escrow.clone() });
    // The first inscription's sat arrives in the escrow, whose value is the minimum for that.
    assert_eq!(originated.output[0], TxOut { value: Amount::from_sat(330), script_pubkey: escrow });
    assert_eq!(flow::sats(&template)[0], vec![(0, 0, 330)]);
    assert_eq!(flow::sats(&reveal)[0], vec![(0, 0, 546)]);
    assert_eq!(template.fee(), Some(Amount::from_sat(100)), "too little to be mined alone");
    let (paid, due) = package_fee([&template, &reveal], rate(20));
    assert_eq!(paid, due);
    let borrowers = originated.output[PRINCIPAL].value + PAD + PAD;
    assert_eq!(borrowers, Amount::from_sat(PRINCIPAL_SATS + 546 - 330 - 546) - due);

    let payout =
        TxOut { value: Amount::from_sat(PAYOUT_SATS), script_pubkey: fixture.loan_fixture.lender_payment.clone() };
    let loan = fixture.origination().running_loan(&template, payout).unwrap();
    assert_eq!(loan.outpoint, OutPoint::new(revealed.compute_txid(), 0));
    assert_eq!((loan.value, loan.pledge.clone()), (POSTAGE, Pledge::TransferInscription { offset: Amount::ZERO }));
    let pre_signatures = fixture.keyring.pre_sign(&loan);
    let pads = [1, 2].map(|vout| coin_of(&revealed, vout, fixture.loan_fixture.borrower.payment()));
    let funding = [coin(9, fixture.loan_fixture.borrower.payment(), 3_000_000)];
    for version in [Version::TWO, TRUC] {
        let repayment = Repayment {
            loans: &[RepayableLoan { loan: &loan, pre_signatures: &pre_signatures }],
            version,
            pads: &pads,
            funding: &funding,
            unconfirmed: &[],
            destination: &fixture.loan_fixture.ordinals_script,
            change: &fixture.loan_fixture.borrower_payment,
            fee_rate: rate(20),
        };
        let template = repayment.build().unwrap();
        let ended = fixture.keyring.sign(&template);
        assert!(is_valid(&template, &ended));
        assert_eq!(
            ended.output[1],
            TxOut { value: POSTAGE, script_pubkey: fixture.loan_fixture.ordinals_script.clone() }
        );
    }
}

#[test]
fn only_the_borrower_reveals_the_transfer() {
    let fixture = Brc20Fixture::new(546, 0, rate(5));
    let (_, reveal) = fixture.built();
    let Lock::Script(leaf) = &reveal.locks[0] else { panic!("a commit is spent by its script") };
    let is_valid_by = |party: &Party| {
        let mut signed = reveal.psbt.unsigned_tx.clone();
        let signature = fixture.loan_fixture.sign_leaf(&reveal, 0, leaf, party).to_vec();
        signed.input[0].witness = reveal.locks[0].witness(&[signature]);
        is_valid(&reveal, &signed)
    };
    assert!(is_valid_by(&fixture.loan_fixture.borrower));
    assert!(!is_valid_by(&fixture.loan_fixture.lender));
    let mut other = reveal.clone();
    other.psbt.unsigned_tx.output[0].script_pubkey = fixture.loan_fixture.ordinals_script.clone();
    let mut signed = reveal.psbt.unsigned_tx.clone();
    let signature = fixture.loan_fixture.sign_leaf(&other, 0, leaf, &fixture.loan_fixture.borrower).to_vec();
    signed.input[0].witness = reveal.locks[0].witness(&[signature]);
    assert!(!is_valid(&reveal, &signed), "signed for another output");
}

#[test]
fn the_escrow_receives_a_transfer_at_any_offset() {
    for (postage, offset, caught) in
        [(330, 0, 330), (10_000, 0, 330), (10_000, 329, 330), (10_000, 330, 331), (546, 545, 546)]
    {
        let fixture = Brc20Fixture::new(postage, offset, rate(3));
        let (template, _) = fixture.built();
        assert_eq!(flow::sats(&template)[0], vec![(0, 0, caught)], "{postage} sats, the inscription at {offset}");
    }
}

#[test]
fn the_package_pays_any_fee_rate_and_nodes_relay_both() {
    // 0.1, 0.2, 0.25, 0.3, 1 and 2,000 sats per virtual byte.
    for rate_kwu in [25, 50, 62, 75, 250, 500_000] {
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        let fixture = Brc20Fixture::new(546, 0, fee_rate);
        let (template, reveal) = fixture.built();
        let (paid, due) = package_fee([&template, &reveal], fee_rate);
        assert!(paid >= due && paid <= due + Amount::ONE_SAT, "at {rate_kwu}: {paid} for {due}");
        assert!(template.fee().unwrap() <= Amount::from_sat(100));
        for template in [template, reveal] {
            let least = template.weight.to_vbytes_ceil().div_ceil(10);
            assert!(template.fee().unwrap() >= Amount::from_sat(least), "at {rate_kwu}");
        }
    }
}

#[test]
fn a_large_origination_pays_enough_to_be_relayed() {
    let mut fixture = Brc20Fixture::new(546, 0, rate(30));
    let share = (PRINCIPAL_SATS + 13_000) / 20;
    fixture.exact = (0..20).map(|number| coin(100 + number, fixture.loan_fixture.lender.payment(), share)).collect();
    assert_eq!(share * 20, PRINCIPAL_SATS + 13_000);
    let (template, reveal) = fixture.built();
    let vbytes = template.weight.to_vbytes_ceil();
    assert!(vbytes > 1_000);
    assert_eq!(template.fee(), Some(Amount::from_sat(vbytes.div_ceil(10))));
    let (paid, due) = package_fee([&template, &reveal], rate(30));
    assert_eq!(paid, due);
}

#[test]
fn a_transfer_that_cannot_be_pledged_is_refused_by_name() {
    let fixture = Brc20Fixture::new(546, 0, rate(5));
    let plain = fixture.origination();
    let refusal = |origination: Origination<'_>| origination.build().err();
    assert_eq!(refusal(plain), None);
    let (lender, wanted) = (fixture.loan_fixture.lender.payment(), Amount::from_sat(PRINCIPAL_SATS + 13_000));
    let funded = |sats| {
        let coins = [coin(7, lender, sats)];
        refusal(Origination {
            funding: Funding::Coins { coins: &coins, change: &fixture.loan_fixture.lender_payment },
            ..plain
        })
    };
    let found = wanted + Amount::ONE_SAT;
    assert_eq!(funded(found.to_sat()), Some(OriginationError::FundingNotExact { wanted, found }));
    let found = wanted - Amount::ONE_SAT;
    assert_eq!(funded(found.to_sat()), Some(OriginationError::InsufficientFunds { wanted, found }));
    let key = |byte| Party::new(&fixture.loan_fixture.secp, byte).keys.x_only_public_key().0;
    let vault = Vault::new(VaultTerms { lender_id: 4, signers: key(9).into(), lender: key(2) }).unwrap();
    let outputs = [(OutPoint::new(Txid::from_byte_array([6; 32]), 1), Amount::from_sat(5_000_000))];
    let rest_in_vault = refusal(Origination { funding: Funding::Vault { vault: &vault, outputs: &outputs }, ..plain });
    let found = Amount::from_sat(5_000_000);
    assert_eq!(rest_in_vault, Some(OriginationError::FundingNotExact { wanted, found }));
    let two = AssetCoin { inscriptions: vec![Amount::ZERO; 2], ..fixture.loan_fixture.collateral.clone() };
    let collateral = Collateral::Brc20 { coin: &two, transfer: &fixture.transfer };
    let error = CollateralError::Inscriptions { index: 0, wanted: 1, found: 2 };
    assert_eq!(refusal(Origination { collateral, ..plain }), Some(OriginationError::Collateral(error)));
    let long = Inscription { content_type: "a".repeat(521), body: Vec::new() };
    let error = CommitError::Inscription(InscriptionError::ContentTypeTooLong(521));
    assert_eq!(Commit::new(&long, key(1), Purpose::LoanTransfer(7)), Err(error));
}

#[test]
fn the_final_check_finds_every_separation_of_transfer_and_escrow() {
    let fixture = Brc20Fixture::new(10_000, 400, rate(5));
    let origination = fixture.origination();
    let template = origination.build().unwrap();
    assert_eq!(origination.check(&template), Ok(()));
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        origination.check(&altered).err()
    };
    let outputs = |change: &dyn Fn(&mut Vec<TxOut>)| fault(&|altered| change(&mut altered.psbt.unsigned_tx.output));
    assert_eq!(outputs(&|outputs| outputs[ESCROW].value -= Amount::ONE_SAT), Some(OriginationFault::WrongEscrow));
    let from_nowhere = |altered: &mut Template| altered.psbt.inputs.clear();
    assert_eq!(fault(&from_nowhere), Some(OriginationFault::InscriptionMisplaced { found: None }));
    let other = fixture.loan_fixture.ordinals_script.clone();
    assert_eq!(outputs(&|outputs| outputs[COMMIT].value += Amount::ONE_SAT), Some(OriginationFault::WrongCommit));
    assert_eq!(outputs(&|outputs| outputs[COMMIT].script_pubkey = other.clone()), Some(OriginationFault::WrongCommit));
    assert_eq!(outputs(&|outputs| outputs.truncate(2)), Some(OriginationFault::WrongCommit));
    for script_pubkey in [&fixture.loan_fixture.lender_payment, &fixture.loan_fixture.lender.nested().script_pubkey()] {
        let gift = |outputs: &mut Vec<TxOut>| {
            outputs[PRINCIPAL].value -= Amount::from_sat(1_000);
            outputs.push(TxOut { value: Amount::from_sat(1_000), script_pubkey: script_pubkey.clone() });
        };
        assert_eq!(outputs(&gift), Some(OriginationFault::LenderOutput { index: 4 }));
    }
    let away = |outputs: &mut Vec<TxOut>| {
        outputs[PRINCIPAL].value -= Amount::from_sat(1_000);
        outputs.push(TxOut { value: Amount::from_sat(1_000), script_pubkey: ScriptBuf::new() });
    };
    assert!(matches!(outputs(&away), Some(OriginationFault::BorrowerUnderpaid { .. })));
    let thrifty = |outputs: &mut Vec<TxOut>| outputs[PRINCIPAL].value += Amount::ONE_SAT;
    assert!(matches!(outputs(&thrifty), Some(OriginationFault::WrongFee { .. })));
    assert_eq!(outputs(&|outputs| outputs.remove(3).value = Amount::ZERO), Some(OriginationFault::PlatformFeeUnpaid));
    let more = Origination { principal: Amount::from_sat(PRINCIPAL_SATS + 1), ..origination };
    assert!(matches!(more.check(&template), Err(OriginationFault::LenderPays { .. })));
}

#[test]
fn the_final_check_finds_every_fault_of_a_reveal() {
    let fixture = Brc20Fixture::new(546, 0, rate(5));
    let (template, reveal) = fixture.built();
    let look = fixture.origination();
    let look = look.reveal(&template).unwrap();
    assert_eq!(look.check(&reveal), Ok(()));
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = reveal.clone();
        change(&mut altered);
        look.check(&altered).err()
    };
    let of_transaction = |change: &dyn Fn(&mut Transaction)| fault(&|altered| change(&mut altered.psbt.unsigned_tx));
    let elsewhere = |transaction: &mut Transaction| transaction.input[0].previous_output.vout = 1;
    assert_eq!(of_transaction(&elsewhere), Some(RevealFault::WrongCommit));
    let twice = |transaction: &mut Transaction| transaction.input.push(transaction.input[0].clone());
    assert_eq!(of_transaction(&twice), Some(RevealFault::WrongCommit));
    let misstated = |altered: &mut Template| {
        altered.psbt.inputs[0].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
    };
    assert_eq!(fault(&misstated), Some(RevealFault::WrongCommit));
    let other = Brc20Transfer::new("ordi", 1_400_000_000_000_000_000).unwrap();
    assert_eq!(Reveal { transfer: &other, ..look }.check(&reveal), Err(RevealFault::WrongInscription));
    let key = |party: &Party| party.keys.x_only_public_key().0;
    let (borrower, lender) = (key(&fixture.loan_fixture.borrower), key(&fixture.loan_fixture.lender));
    let locked_by = |inscription: &Inscription, key, loan| {
        let leaf = Commit::new(inscription, key, Purpose::LoanTransfer(loan)).unwrap().leaf().clone();
        fault(&|altered| altered.locks[0] = Lock::Script(Box::new(leaf.clone())))
    };
    assert_eq!(locked_by(&fixture.transfer.inscription(), borrower, 77), None);
    assert_eq!(locked_by(&fixture.transfer.inscription(), lender, 77), Some(RevealFault::WrongInscription));
    assert_eq!(locked_by(&fixture.transfer.inscription(), borrower, 78), Some(RevealFault::WrongInscription));
    assert_eq!(locked_by(&other.inscription(), borrower, 77), Some(RevealFault::WrongInscription));
    let by_key = |altered: &mut Template| altered.locks[0] = Lock::Key(fixture.loan_fixture.borrower.ordinals());
    assert_eq!(fault(&by_key), Some(RevealFault::WrongInscription));
    let misdirected = |transaction: &mut Transaction| {
        transaction.output[0].script_pubkey = fixture.loan_fixture.ordinals_script.clone();
    };
    assert_eq!(of_transaction(&misdirected), Some(RevealFault::WrongEscrow));
    let no_pad = |transaction: &mut Transaction| transaction.output[2].value -= Amount::ONE_SAT;
    assert_eq!(of_transaction(&no_pad), Some(RevealFault::PadMissing { index: 2 }));
    let more = |transaction: &mut Transaction| {
        transaction.output.push(TxOut { value: Amount::ZERO, script_pubkey: ScriptBuf::new() });
    };
    assert_eq!(of_transaction(&more), Some(RevealFault::ForeignOutput { index: 3 }));
    let (paid, _) = package_fee([&template, &reveal], rate(5));
    let faster = Reveal { fee_rate: rate(6), ..look }.check(&reveal);
    assert!(matches!(faster, Err(RevealFault::WrongFee { found, .. }) if found == Some(paid)), "{faster:?}");
    // Without any sat in the commit there is none for the inscription.
    let mut empty = template.clone();
    empty.psbt.unsigned_tx.output[COMMIT].value = Amount::ZERO;
    let origination = Reveal { origination: &empty, ..look };
    let mut of_nothing = reveal.clone();
    of_nothing.psbt.unsigned_tx.input[0].previous_output.txid = empty.final_txid();
    of_nothing.psbt.inputs[0].witness_utxo.as_mut().unwrap().value = Amount::ZERO;
    assert_eq!(origination.check(&of_nothing), Err(RevealFault::InscriptionMisplaced { found: None }));
    empty.psbt.unsigned_tx.output.truncate(COMMIT);
    assert_eq!(Reveal { origination: &empty, ..look }.build(), Err(RevealError::NoCommit));
    let (with_change, _) = fixture.loan_fixture.originate();
    let unsound = RevealError::Unsound(RevealFault::WrongCommit);
    assert_eq!(Reveal { origination: &with_change, ..look }.build(), Err(unsound));
}
