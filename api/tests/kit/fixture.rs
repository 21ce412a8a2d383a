//! A borrower and a lender with simulated wallets and real coins, and a loan between them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, FeeRate, Network, OutPoint, Psbt, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Witness, absolute,
};
use escrow::address::AddressKind;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::origination_outputs::PADS;
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::kit::loan_record::LoanRecord;
use escrow::wallet_key::WalletKey;

use super::node::Node;

/// The value of an inscription's coin; coins of the payment address with this value may carry one and are not spent.
const POSTAGE: u64 = 10_000;

pub struct KitUser {
    pub wallet: WalletKey,
}

impl KitUser {
    fn new(seed: u8) -> Self {
        Self { wallet: WalletKey::from_seed([seed; 32], Network::Regtest).unwrap() }
    }

    pub fn ordinals(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2tr)
    }

    pub fn payment(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2wpkh)
    }

    pub fn signatures(&self, template: &Template) -> Signatures {
        let text = self.wallet.sign_psbt(&template.psbt.to_string()).unwrap();
        template.check_returned(&text, &[self.ordinals(), self.payment()]).unwrap()
    }
}

/// Both sides and their coins, on a chain of their own.
pub struct KitFixture {
    pub node: Node,
    pub borrower: KitUser,
    pub lender: KitUser,
    /// The script that blocks pay when their reward is not needed.
    miner_script: ScriptBuf,
    collateral: Coin,
    lent: Coin,
    /// The borrower's coin for the repayment.
    pub repayment_coin: Coin,
}

impl KitFixture {
    pub async fn start(now_seconds: u32) -> Self {
        let node = Node::start(now_seconds).await;
        let (borrower, lender) = (KitUser::new(1), KitUser::new(2));
        let miner_script = KitUser::new(3).payment().script_pubkey();
        let mut mined = Vec::new();
        for user in [&borrower, &lender] {
            node.mine(1, &user.payment().script_pubkey()).await;
            mined.push(node.coinbase().await);
        }
        node.mine(100, &miner_script).await;
        let pays = |key: CoinKey, sats| TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() };
        let outputs = vec![
            pays(borrower.ordinals(), POSTAGE),
            pays(borrower.payment(), 3_000_000),
            pays(borrower.payment(), POSTAGE),
        ];
        let split = spend(&borrower, &mined[0], outputs);
        let lent = spend(&lender, &mined[1], vec![pays(lender.payment(), 2_500_000), pays(lender.payment(), 50_000)]);
        for transaction in [&split, &lent] {
            node.send(transaction).await;
        }
        node.mine(1, &miner_script).await;
        let (collateral, repayment_coin) = (coin(&split, 0, borrower.ordinals()), coin(&split, 1, borrower.payment()));
        let lent = coin(&lent, 0, lender.payment());
        Self { node, borrower, lender, miner_script, collateral, lent, repayment_coin }
    }

    /// The lender's coin that is lent.
    pub const fn lent(&self) -> &Coin {
        &self.lent
    }

    pub async fn mine(&self, blocks: u32) {
        self.node.mine(blocks, &self.miner_script).await;
    }

    /// A running loan whose collateral can be claimed from this time on.
    pub async fn lend(&self, claim_after: u32) -> LoanRecord {
        let CoinKey::P2tr(borrower) = self.borrower.ordinals() else { panic!("no ordinals key") };
        let CoinKey::P2tr(lender) = self.lender.ordinals() else { panic!("no ordinals key") };
        let terms = EscrowTerms { loan: 77, borrower, repay: lender.into(), lender, claim_after };
        let escrow = LoanEscrow::new(terms).unwrap();
        let inscribed =
            AssetCoin { coin: self.collateral.clone(), inscriptions: vec![Amount::from_sat(500)], runes: Vec::new() };
        let (own, theirs) = (self.borrower.payment().script_pubkey(), self.lender.payment().script_pubkey());
        let coins = [self.lent.clone()];
        let origination = Origination {
            escrow: &escrow,
            collateral: Collateral::Inscription(&inscribed),
            funding: Funding::Coins { coins: &coins, change: &theirs },
            principal: Amount::from_sat(2_000_000),
            platform_fee: None,
            borrower_payment: &own,
            fee_rate: rate(2),
            change_outputs: 1,
        };
        let template = origination.build().unwrap();
        let payout = TxOut { value: Amount::from_sat(2_065_000), script_pubkey: theirs.clone() };
        let loan = origination.running_loan(&template, payout).unwrap();
        let pads = PADS.map(|pad| {
            let outpoint = OutPoint::new(template.final_txid(), u32::try_from(pad).unwrap());
            Coin { outpoint, output: template.psbt.unsigned_tx.output[pad].clone(), key: self.borrower.payment() }
        });
        let ordinals_script = self.borrower.ordinals().script_pubkey();
        let request = PayoutRequest { loan: &loan, pads: &pads, destination: &ordinals_script, change: &own };
        let sign = |version| {
            let text = self.lender.wallet.sign_psbt(&request.to_base64(version).unwrap()).unwrap();
            request.check_returned(version, &text).unwrap()
        };
        let pre_signatures = PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) }.into();
        let both = self.borrower.signatures(&template).merge(self.lender.signatures(&template)).unwrap();
        let origination = template.finish(&both, template.final_txid()).unwrap();
        self.node.send(&origination).await;
        self.mine(1).await;
        LoanRecord { network: Network::Regtest, loan, pre_signatures, due_seconds: claim_after - 86_400, origination }
    }
}

pub fn rate(sats: u64) -> FeeRate {
    FeeRate::from_sat_per_vb(sats).unwrap()
}

pub fn coin(transaction: &Transaction, vout: u32, key: CoinKey) -> Coin {
    let output = transaction.output[usize::try_from(vout).unwrap()].clone();
    Coin { outpoint: OutPoint::new(transaction.compute_txid(), vout), output, key }
}

/// Spends a mining reward of the payment key into these outputs.
fn spend(user: &KitUser, mined: &Transaction, mut output: Vec<TxOut>) -> Transaction {
    let spent = coin(mined, 0, user.payment());
    let rest = spent.output.value - output.iter().map(|output| output.value).sum() - Amount::from_sat(1_000);
    // The large rest goes to an unrelated address: the tests count the coins at the person's addresses.
    output.push(TxOut { value: rest, script_pubkey: KitUser::new(4).payment().script_pubkey() });
    let input = TxIn {
        previous_output: spent.outpoint,
        script_sig: ScriptBuf::new(),
        sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
        witness: Witness::new(),
    };
    let unsigned =
        Transaction { version: Version::TWO, lock_time: absolute::LockTime::ZERO, input: vec![input], output };
    let mut psbt = Psbt::from_unsigned_tx(unsigned.clone()).unwrap();
    psbt.inputs[0].witness_utxo = Some(spent.output);
    let text = user.wallet.sign_psbt(&STANDARD.encode(psbt.serialize())).unwrap();
    let signed = Psbt::deserialize(&STANDARD.decode(text).unwrap()).unwrap();
    let (key, signature) = signed.inputs[0].partial_sigs.iter().next().unwrap();
    let mut finished = unsigned;
    finished.input[0].witness = Witness::p2wpkh(signature, &key.inner);
    finished
}
