//! Scenarios of loans against BRC-20 with their balances, and of rival transfer inscriptions.

use bitcoin::absolute::LockTime;
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf, Transaction};
use engine::asset_index::{AssetIndex as _, Brc20Balance, InscriptionId};
use engine::chain::Chain as _;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::assets::commit::Commit;
use escrow::contract::assets::inscription::Inscription;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::fault::OriginationFault;
use escrow::contract::loan::origination_outputs::{COMMIT, PRINCIPAL};
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::unspendable::Purpose;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::{CustomTransaction, assembled, pay};
use crate::deal::{CLAIM_AFTER, Deal, LENT_SATS, Parties, assert_inscription, fee_rate};
use crate::inscriber::inscribe_this;
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::world::{World, confirm, refusal, send};

const SCRIPT_FAILS: &str = "mempool-script-verify-flag-failed";
const TOKEN: u128 = 1_000_000_000_000_000_000;
/// The borrower's balance, and the amount of the transfer inscription.
const MINTED: u128 = 1_000 * TOKEN;
const PLEDGED: u128 = 600 * TOKEN;

/// The borrower's transfer inscription and its coin.
struct Note {
    coin: AssetCoin,
    transfer: Brc20Transfer,
}

impl Note {
    async fn new(world: &impl World, borrower: &TestWallet) -> Self {
        for text in [
            r#"{"p":"brc-20","op":"deploy","tick":"ordi","max":"21000000"}"#,
            r#"{"p":"brc-20","op":"mint","tick":"ordi","amt":"1000"}"#,
        ] {
            let content = Inscription { content_type: "text/plain;charset=utf-8".to_owned(), body: text.into() };
            inscribe_this(world, &content, borrower, 0, 546).await;
        }
        assert_balance(world, &borrower.ordinals_script(), (MINTED, 0)).await;
        let transfer = Brc20Transfer::new("ordi", PLEDGED).unwrap();
        let (note, coin) = inscribe_this(world, &transfer.inscription(), borrower, 0, 546).await;
        assert_note(world, note, true).await;
        assert_balance(world, &borrower.ordinals_script(), (MINTED - PLEDGED, PLEDGED)).await;
        Self { coin, transfer }
    }

    fn collateral(&self) -> Collateral<'_> {
        Collateral::Brc20 { coin: &self.coin, transfer: &self.transfer }
    }

    /// Signs a loan against it without broadcasting: the lender's coin holds exactly what is paid.
    async fn deal(&self, world: &impl World) -> Deal {
        let parties = Parties::manual();
        let exact = [funded(world, parties.lender.payment(), LENT_SATS).await];
        let change = parties.lender.payment_script();
        Deal::sign(parties, self.collateral(), Funding::Coins { coins: &exact, change: &change })
    }
}

/// Asserts the balances of a script, available and transferable, in worlds that index them.
pub(crate) async fn assert_balance(world: &impl World, owner: &ScriptBuf, (available, transferable): (u128, u128)) {
    if let Some(found) = world.balance(owner, "ordi").await {
        assert_eq!(found, Brc20Balance { available, transferable });
    }
}

/// Asserts that an inscription is an unused transfer inscription, or none, in worlds that index balances.
pub(crate) async fn assert_note(world: &impl World, inscription: InscriptionId, is_good: bool) {
    if let Some(found) = world.is_unused_note(inscription).await {
        assert_eq!(found, is_good, "{inscription}");
    }
}

/// Returns the first inscription of a transaction.
fn first_of(reveal: &Transaction) -> InscriptionId {
    InscriptionId { txid: reveal.compute_txid(), index: 0 }
}

fn package(deal: &Deal) -> [Transaction; 2] {
    [deal.origination.clone(), deal.reveal.clone().unwrap()]
}

/// Returns commit and reveal of the same transfer inscription by the lender, from a coin of the lender's, into the
/// escrow.
fn rival(deal: &Deal, note: &Note, coin: &Coin, fee: u64) -> [Transaction; 2] {
    let lender = &deal.parties.lender;
    let commit = Commit::new(&note.transfer.inscription(), lender.key(), Purpose::LoanTransfer(5)).unwrap();
    let value = coin.output.value - Amount::from_sat(fee);
    let committing =
        CustomTransaction::new(vec![Spend::Coin(coin)], vec![commit.output(value)]).signed(&[lender], None);
    let spend = commit.spend(OutPoint::new(committing.compute_txid(), 0), value);
    let escrow = pay(deal.loan.escrow.output().script_pubkey(), 546);
    let back = pay(lender.payment_script(), value.to_sat() - 546 - fee);
    let revealing = CustomTransaction::new(vec![spend], vec![escrow, back]).signed(&[lender], None);
    [committing, revealing]
}

/// Lets the lender claim a transfer inscription that was inscribed into the escrow, after the claim time.
async fn claim_note(world: &impl World, deal: &Deal, note: OutPoint) -> Transaction {
    let lender = &deal.parties.lender;
    let fee_coin = funded(world, lender.payment(), 20_000).await;
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    let escrow = &deal.loan.escrow;
    let escrow = escrow.output().spend(note, Amount::from_sat(546), escrow.claim_leaf());
    let outputs = vec![pay(lender.ordinals_script(), 546), pay(lender.payment_script(), 15_000)];
    let claim = CustomTransaction {
        lock_time: LockTime::from_time(CLAIM_AFTER).unwrap(),
        ..CustomTransaction::new(vec![escrow, Spend::Coin(&fee_coin)], outputs)
    };
    let claim = claim.signed(&[lender], None);
    confirm(world, &claim).await;
    claim
}

pub(crate) async fn the_balance_follows_the_transfer_inscription_into_the_escrow_and_back(world: &impl World) {
    let borrower = TestWallet::new(1);
    let note = Note::new(world, &borrower).await;
    let deal = note.deal(world).await;
    let package = package(&deal);
    let escrow = deal.loan.escrow.output().script_pubkey();
    assert_eq!(refusal(world, &package[1]).await, "bad-txns-inputs-missingorspent", "a reveal of nothing");
    assert_eq!(world.node().broadcast(&package).await, Ok(()));
    world.mine(1).await;
    assert_note(world, first_of(&package[1]), true).await;
    assert_balance(world, &escrow, (0, PLEDGED)).await;
    assert_balance(world, &borrower.ordinals_script(), (MINTED - PLEDGED, 0)).await;
    // The first transfer inscription's sats still need both signatures: it is used up, and moves no balance.
    let leaf = deal.loan.escrow.extension_leaf();
    let fee_coin = funded(world, borrower.payment(), 20_000).await;
    let first = OutPoint::new(package[0].compute_txid(), 0);
    let first = deal.loan.escrow.output().spend(first, package[0].output[0].value, &leaf);
    let taken =
        CustomTransaction::new(vec![first, Spend::Coin(&fee_coin)], vec![pay(borrower.payment_script(), 18_000)]);
    let alone = assembled(&taken.template(), &[&deal.parties.lender], None);
    assert_eq!(refusal(world, &alone).await, SCRIPT_FAILS, "the first note's sats by the lender alone");
    confirm(world, &taken.signed(&[&borrower, &deal.parties.lender], None)).await;
    assert_balance(world, &escrow, (0, PLEDGED)).await;
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let ended = deal.repay(TRUC, &coin, fee_rate());
    confirm(world, &ended).await;
    assert_inscription(world, first_of(&package[1]), (OutPoint::new(ended.compute_txid(), 1), 0)).await;
    assert_note(world, first_of(&package[1]), false).await;
    assert_balance(world, &escrow, (0, 0)).await;
    assert_balance(world, &borrower.ordinals_script(), (MINTED, 0)).await;
}

pub(crate) async fn the_lender_claims_the_transfer_inscription_and_its_balance(world: &impl World) {
    let borrower = TestWallet::new(1);
    let note = Note::new(world, &borrower).await;
    let deal = note.deal(world).await;
    assert_eq!(world.node().broadcast(&package(&deal)).await, Ok(()));
    world.mine(1).await;
    let fee_coin = funded(world, deal.parties.lender.payment(), 20_000).await;
    let claim = deal.claim(Some(&fee_coin));
    assert_eq!(refusal(world, &claim).await, "non-final", "a claim before its time, refused by the node");
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    confirm(world, &claim).await;
    assert_balance(world, &deal.parties.lender.ordinals_script(), (PLEDGED, 0)).await;
    assert_balance(world, &borrower.ordinals_script(), (MINTED - PLEDGED, 0)).await;
}

/// Another account can inscribe into the escrow; that would count only between origination and reveal, where nothing
/// can be inserted.
pub(crate) async fn a_rival_transfer_inscription_is_too_early_or_too_late(world: &impl World) {
    let borrower = TestWallet::new(1);
    let note = Note::new(world, &borrower).await;
    let deal = note.deal(world).await;
    let coins = [
        funded(world, deal.parties.lender.payment(), 500_000).await,
        funded(world, deal.parties.lender.payment(), 500_000).await,
        funded(world, deal.parties.lender.payment(), 500_000).await,
    ];
    // One with a fee a hundred times higher, one with a lower fee, and a third one afterwards.
    let (generous, cheap, late) = (
        rival(&deal, &note, &coins[0], 100_000),
        rival(&deal, &note, &coins[1], 500),
        rival(&deal, &note, &coins[2], 500),
    );
    let own = package(&deal);
    for transaction in generous.iter().chain(&cheap) {
        send(world, transaction).await;
    }
    assert_eq!(world.node().broadcast(&own).await, Ok(()));
    world.mine(1).await;
    let mined = world.block(world.node().tip().await.unwrap().height).await.unwrap().txdata;
    let place = |wanted: &Transaction| mined.iter().position(|found| found == wanted).unwrap();
    assert_eq!(place(&own[0]) + 1, place(&own[1]), "nothing fits between them");
    assert!(place(&generous[1]) < place(&own[0]) && place(&cheap[1]) > place(&own[1]));
    for transaction in &late {
        confirm(world, transaction).await;
    }
    assert_note(world, first_of(&own[1]), true).await;
    for attack in [&generous, &cheap, &late] {
        assert_note(world, first_of(&attack[1]), false).await;
    }
    assert_balance(world, &deal.loan.escrow.output().script_pubkey(), (0, PLEDGED)).await;
}

/// Shows why no output of such an origination may be the lender's: the lender could spend it after the origination with
/// a fee that gets it mined before the reveal. So the loan counts as started only when an indexer takes the transfer
/// inscription for valid.
pub(crate) async fn with_an_output_of_the_origination_the_lender_could_precede_the_reveal(world: &impl World) {
    let borrower = TestWallet::new(1);
    let note = Note::new(world, &borrower).await;
    let parties = Parties::manual();
    let (coins, change) = ([funded(world, parties.lender.payment(), LENT_SATS).await], parties.lender.payment_script());
    let funding = Funding::Coins { coins: &coins, change: &change };
    let (altered, reveal, fault): (Template, Template, _) =
        parties.with_origination(note.collateral(), funding, |origination| {
            let mut altered = origination.build().unwrap();
            altered.psbt.outputs.push(bitcoin::psbt::Output::default());
            altered.psbt.unsigned_tx.output[PRINCIPAL].value -= Amount::from_sat(200_000);
            altered.psbt.unsigned_tx.output.push(pay(parties.lender.payment_script(), 200_000));
            let reveal = origination.reveal(&altered).unwrap().build().unwrap();
            let fault = origination.check(&altered);
            (altered, reveal, fault)
        });
    let last = altered.psbt.unsigned_tx.output.len() - 1;
    assert_eq!(fault, Err(OriginationFault::LenderOutput { index: last }), "refused by the check of the builder");
    let deal = note.deal(world).await;
    let begun = assembled(&altered, &[&borrower, &parties.lender], None);
    let revealed = assembled(&reveal, &[&borrower], None);
    assert_eq!(revealed.input[0].previous_output, OutPoint::new(begun.compute_txid(), u32::try_from(COMMIT).unwrap()));
    let own = [begun, revealed];
    assert_eq!(world.node().broadcast(&own).await, Ok(()));
    let change = coin_of(&own[0], u32::try_from(last).unwrap(), parties.lender.payment());
    let attack = rival(&deal, &note, &change, 60_000);
    for transaction in &attack {
        send(world, transaction).await;
    }
    world.mine(1).await;
    let mined = world.block(world.node().tip().await.unwrap().height).await.unwrap().txdata;
    let place = |wanted: &Transaction| mined.iter().position(|found| found == wanted).unwrap();
    assert!(place(&attack[1]) < place(&own[1]), "the rival comes first");
    let rival_note = OutPoint::new(attack[1].compute_txid(), 0);
    assert_inscription(world, first_of(&attack[1]), (rival_note, 0)).await;
    assert_inscription(world, first_of(&own[1]), (OutPoint::new(own[1].compute_txid(), 0), 0)).await;
    assert_note(world, first_of(&attack[1]), true).await;
    assert_note(world, first_of(&own[1]), false).await;
    let claim = claim_note(world, &deal, rival_note).await;
    assert_inscription(world, first_of(&attack[1]), (OutPoint::new(claim.compute_txid(), 0), 0)).await;
    assert_balance(world, &parties.lender.ordinals_script(), (PLEDGED, 0)).await;
}

/// The balance stays with the escrow, and after the claim time the lender inscribes a transfer of it.
pub(crate) async fn a_borrower_who_reveals_to_another_script_gains_no_balance(world: &impl World) {
    let borrower = TestWallet::new(1);
    let note = Note::new(world, &borrower).await;
    let deal = note.deal(world).await;
    let escrow = deal.loan.escrow.output().script_pubkey();
    let own = package(&deal);
    confirm(world, &own[0]).await;
    assert_balance(world, &escrow, (PLEDGED, 0)).await;
    let commit =
        Commit::new(&note.transfer.inscription(), borrower.key(), Purpose::LoanTransfer(deal.loan.escrow.terms().loan))
            .unwrap();
    let committed = own[0].output[COMMIT].clone();
    let spend = || vec![commit.spend(own[1].input[0].previous_output, committed.value)];
    let home = |owner: &TestWallet| vec![pay(owner.ordinals_script(), 546)];
    let foreign = CustomTransaction::new(spend(), home(&deal.parties.lender)).signed(&[&deal.parties.lender], None);
    assert_eq!(refusal(world, &foreign).await, SCRIPT_FAILS, "a reveal by the lender, refused by the script");
    let mut turned = own[1].clone();
    turned.output[0].script_pubkey = deal.parties.lender.ordinals_script();
    assert_eq!(refusal(world, &turned).await, SCRIPT_FAILS, "a reveal turned elsewhere, refused by the script");
    let at_home = CustomTransaction::new(spend(), home(&borrower)).signed(&[&borrower], None);
    confirm(world, &at_home).await;
    assert_note(world, first_of(&at_home), false).await;
    assert_eq!(world.node().unspent(deal.loan.outpoint).await, Ok(None));
    assert_eq!(world.indexer().sat_point(first_of(&own[1])).await, Ok(None), "the loan has not begun");
    assert_balance(world, &escrow, (PLEDGED, 0)).await;
    assert_balance(world, &borrower.ordinals_script(), (MINTED - PLEDGED, 0)).await;
    let coin = funded(world, deal.parties.lender.payment(), 500_000).await;
    let [committing, revealing] = rival(&deal, &note, &coin, 500);
    confirm(world, &committing).await;
    confirm(world, &revealing).await;
    assert_note(world, first_of(&revealing), true).await;
    claim_note(world, &deal, OutPoint::new(revealing.compute_txid(), 0)).await;
    assert_balance(world, &escrow, (0, 0)).await;
    assert_balance(world, &deal.parties.lender.ordinals_script(), (PLEDGED, 0)).await;
}

/// Its inscription is still in the borrower's coin, so only an indexer of balances can detect it: the loan must not
/// count as started before that indexer takes the new transfer inscription for valid.
pub(crate) async fn a_used_transfer_inscription_secures_nothing(world: &impl World) {
    let borrower = TestWallet::new(1);
    let fresh = Note::new(world, &borrower).await;
    let fee_coin = funded(world, borrower.payment(), 20_000).await;
    let spends = vec![Spend::Coin(&fresh.coin.coin), Spend::Coin(&fee_coin)];
    let outputs = vec![pay(borrower.ordinals_script(), 546), pay(borrower.payment_script(), 18_000)];
    let moved = CustomTransaction::new(spends, outputs).signed(&[&borrower], None);
    confirm(world, &moved).await;
    assert_balance(world, &borrower.ordinals_script(), (MINTED, 0)).await;
    let coin = AssetCoin { coin: coin_of(&moved, 0, borrower.ordinals()), ..fresh.coin };
    let used = Note { coin, transfer: fresh.transfer };
    let deal = used.deal(world).await;
    let own = package(&deal);
    assert_eq!(world.node().broadcast(&own).await, Ok(()));
    world.mine(1).await;
    assert_inscription(world, first_of(&own[1]), (deal.loan.outpoint, 0)).await;
    assert_note(world, first_of(&own[1]), false).await;
    assert_balance(world, &deal.loan.escrow.output().script_pubkey(), (0, 0)).await;
    assert_balance(world, &borrower.ordinals_script(), (MINTED, 0)).await;
    // The lender need not wait for it, and the borrower has lost nothing either and can repay.
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    confirm(world, &deal.repay(Version::TWO, &coin, fee_rate())).await;
}
