//! Tests of API keys: restart and follower, what counts against their limits, and the end of private channels.

use domain::{
    AccountRejection, ApiKey, ApiKeyId, ApiKeyRejection, ApiKeyTerms, BlockTime, Ending, GroupId, KeyQuote, KeyScope,
    LoanEvent, LoanId, Outpoint, Sats, Stream, UserId,
};
use engine::{
    Refusal,
    clock::Clock as _,
    feed::{Channel, CloseReason, Outgoing, SocketQueue, SocketQueueLimits},
};

use crate::{
    fake_journal::streams_of,
    feed_client::next,
    fixture::{FROGS, Fixture, MANUAL, settings, until_read},
    loans::{prepared, signed},
};

fn terms(fixture: &Fixture) -> ApiKeyTerms {
    ApiKeyTerms {
        name: "bot".to_owned(),
        scopes: [KeyScope::Read, KeyScope::Quote].into(),
        principal_max: Sats::new(500_000),
        outstanding_max: Sats::new(600_000),
        daily_max: Sats::new(2_000_000),
        collections: Some([FROGS].into()),
        addresses: None,
        valid_until: fixture.clock.now().plus_ms(86_400_000),
        is_hardware_wallet: false,
    }
}

impl Fixture {
    async fn key(&self, user: UserId) -> ApiKey {
        let hash = |id: ApiKeyId| [u8::try_from(id.0).unwrap(); 32];
        self.market.create_api_key(user, terms(self), self.nonce(), hash).await.unwrap()
    }

    /// Counts one offer, and takes it back if that was within the limits.
    async fn probe(&self, key: &ApiKey, principal: u64) -> Result<(), Refusal> {
        let quote = KeyQuote { group: FROGS, principal: Sats::new(principal), count: 1 };
        let open = self.market.open_principal(key.user).await?;
        let counted = self.market.count_quotes(key.user, key.id, &[quote], open).await?;
        self.market.uncount_quote(counted, quote.principal).await
    }
}

const fn outstanding(sum: u64) -> Refusal {
    let (sum, max) = (Sats::new(sum), Sats::new(600_000));
    Refusal::Account(AccountRejection::Key(ApiKeyRejection::OutstandingAboveLimit { sum, max }))
}

#[actix::test]
async fn keys_are_the_same_after_a_restart_and_on_a_follower() {
    let fixture = Fixture::new().await;
    let (user, other) = (fixture.user(1).await, fixture.user(2).await);
    let key = fixture.key(user).await;
    assert_eq!(streams_of(&fixture.journal.last_batch()), [Stream::Accounts]);
    assert_eq!((key.id, key.secret_hash), (ApiKeyId(1), [1; 32]));
    let revoked = fixture.key(user).await.id;
    let quote = KeyQuote { group: FROGS, principal: Sats::new(500_000), count: 1 };
    fixture.market.count_quotes(user, key.id, &[quote], Sats::ZERO).await.unwrap();
    let unknown = Err(Refusal::Account(AccountRejection::Key(ApiKeyRejection::Unknown(revoked))));
    assert_eq!(fixture.market.revoke_api_key(other, revoked).await, unknown);
    fixture.market.revoke_api_key(user, revoked).await.unwrap();
    fixture.market.revoke_api_key(user, revoked).await.unwrap();
    fixture.market.sign_out(user).await.unwrap();
    let before = fixture.market.api_keys(user).await;
    assert_eq!(before.len(), 2);
    assert_eq!(before[0].quoted.sum, Sats::new(500_000));
    assert!(before[1].revoked_at.is_some());
    assert!(fixture.market.api_keys(other).await.is_empty());

    let (following, follower) = Fixture::following(&fixture.journal, fixture.clock.clone(), settings());
    let late = fixture.key(user).await;
    for commit in follower.commits(usize::MAX) {
        following.market.apply(commit).await.unwrap();
    }
    assert_eq!(following.market.api_keys(user).await, fixture.market.api_keys(user).await);
    assert_eq!(following.market.api_key(late.id).await.unwrap().0, late);
    let refused = following.market.revoke_api_key(user, late.id).await;
    assert_eq!(refused, Err(Refusal::Following));

    let restarted = fixture.restarted().await;
    assert_eq!(restarted.market.api_keys(user).await[..2], before);
    assert_eq!(restarted.market.api_key(late.id).await.unwrap().0, late);
}

#[actix::test]
async fn a_key_is_created_once_by_a_message_and_for_listed_collections() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    let nonce_use = fixture.nonce();
    fixture.market.create_api_key(user, terms(&fixture), nonce_use, |_| [1; 32]).await.unwrap();
    let again = fixture.market.create_api_key(user, terms(&fixture), nonce_use, |_| [1; 32]).await;
    assert_eq!(again, Err(Refusal::Account(AccountRejection::NonceUsed)));
    let unlisted = ApiKeyTerms { collections: Some([FROGS, GroupId(99)].into()), ..terms(&fixture) };
    let refused = fixture.market.create_api_key(user, unlisted, fixture.nonce(), |_| [1; 32]).await;
    assert_eq!(refused, Err(Refusal::UnknownGroup));
    assert_eq!(fixture.market.api_keys(user).await.len(), 1);
}

#[actix::test]
async fn a_revocation_closes_private_channels_here_and_on_a_follower() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    let key = fixture.key(user).await;
    let (following, follower) = Fixture::following(&fixture.journal, fixture.clock.clone(), settings());
    let queues = [SocketQueue::new(SocketQueueLimits::default()), SocketQueue::new(SocketQueueLimits::default())];
    let _mine = fixture.market.subscribe(Channel::Me(user), &queues[0]).await.unwrap();
    let _theirs = following.market.subscribe(Channel::Me(user), &queues[1]).await.unwrap();
    for queue in &queues {
        assert!(matches!(next(queue).await, Some(Outgoing::Frame(_))));
    }
    fixture.market.revoke_api_key(user, key.id).await.unwrap();
    for commit in follower.commits(usize::MAX) {
        following.market.apply(commit).await.unwrap();
    }
    for queue in &queues {
        assert_eq!(next(queue).await, Some(Outgoing::Closed(CloseReason::SignedOut)));
    }
}

#[actix::test]
async fn an_offer_counts_once_from_its_quote_to_the_end_of_its_loan() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let key = fixture.key(lender).await;
    assert_eq!(fixture.probe(&key, 500_000).await, Ok(()));
    let offer = fixture.manual(lender, 500_000).await;
    assert_eq!(fixture.market.open_principal(lender).await, Ok(Sats::new(500_000)));
    assert_eq!(fixture.market.open_principal_of(lender, offer).await, Ok(Sats::new(500_000)));
    assert_eq!(fixture.market.open_principal_of(borrower, offer).await, Ok(Sats::ZERO));
    let is_counted = async |stage: &str| {
        assert_eq!(fixture.probe(&key, 100_001).await, Err(outstanding(600_001)), "{stage}");
        assert_eq!(fixture.probe(&key, 100_000).await, Ok(()), "{stage}");
    };
    is_counted("open").await;

    let id = LoanId(1);
    let coin = Outpoint { txid: [1; 32], vout: 0 };
    let mut event = prepared(coin, offer, MANUAL, lender, borrower, Sats::new(500_000));
    if let LoanEvent::SoftPrepared { expires_at, .. } = &mut event {
        *expires_at = fixture.clock.now().plus_ms(900_000);
    }
    fixture.market.prepare_loan(id, event).await.unwrap();
    is_counted("prepared").await;
    let until = fixture.clock.now().plus_ms(43_200_000);
    fixture.market.await_lender(id, "{}".to_owned(), until).await.unwrap();
    is_counted("signed by the borrower").await;
    fixture.market.begin_loan(id, signed(), None).await.unwrap();
    assert_eq!(fixture.market.open_principal(lender).await, Ok(Sats::ZERO));
    is_counted("signed by both").await;
    let mined = BlockTime { height: 100, at: fixture.clock.now() };
    fixture.market.step_loan(id, LoanEvent::Confirmed(mined)).await.unwrap();
    is_counted("running").await;
    fixture.market.finish_loan(id, Ending::Repayment, [6; 32], mined).await.unwrap();
    until_read("the end of the loan", async || fixture.probe(&key, 500_000).await == Ok(())).await;
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.probe(&key, 500_000).await, Ok(()));
}
