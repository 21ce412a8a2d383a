//! Tests of a market that follows another one, and takes its place.

use std::time::Duration;

use domain::{GroupId, LendingLimits, Sats, UserId};
use engine::{
    Market, Refusal,
    clock::Clock,
    feed::Channel,
    journal::{Position, ReplayError},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    actions::{create, frog_draft},
    feed::Reader,
    fixture::{FROGS, Fixture, GOLD, INSTANT, MANUAL, frogs_named, price, settings, shown, until, until_read},
    follower::Follower,
    random_loans::RandomLoans,
    random_market::RandomTraders,
};

async fn catch_up(fixture: &Fixture, follower: &Follower) {
    for commit in follower.commits(usize::MAX) {
        fixture.market.apply(commit).await.unwrap();
    }
}

const TOADS: GroupId = GroupId(7);

/// Everything that users see of their loans.
async fn loans(market: &Market, users: &[UserId]) -> Vec<String> {
    let mut texts = Vec::new();
    for user in users {
        for loan in market.loans_of(*user).await {
            texts.push(format!("{loan:?}"));
        }
        texts.push(format!("{:?}", market.negotiations(*user).await.unwrap()));
        texts.push(format!("{:?}", market.lending_limits(*user).await));
    }
    texts
}

/// Everything that a market shows of itself and to these users.
async fn everything(fixture: &Fixture, users: &[UserId]) -> Vec<String> {
    let mut texts = shown(&fixture.market, users).await;
    texts.extend(loans(&fixture.market, users).await);
    texts
}

/// Compares what two markets show, once both have published everything.
async fn compare(one: &Fixture, other: &Fixture, users: &[UserId], seed: u64) {
    for _ in 0..2_000 {
        if everything(one, users).await == everything(other, users).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let (one, other) = (everything(one, users).await, everything(other, users).await);
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other, "seed {seed}");
    }
    assert_eq!(one.len(), other.len(), "seed {seed}");
}

/// Two markets on one journal, the first of which decides.
async fn pair() -> (Fixture, Fixture, Follower) {
    let writer = Fixture::new().await;
    let (other, follower) = Fixture::following(&writer.journal, writer.clock.clone(), settings());
    (writer, other, follower)
}

#[actix::test]
async fn a_follower_shows_what_the_writer_shows_and_continues_in_its_place() {
    let (mut resumed, mut begun) = (0, 0);
    for seed in 300..306 {
        println!("seed {seed}");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (writer, other, follower) = pair().await;
        let mut traders = RandomTraders::new(&writer, seed).await;
        let mut borrowers = RandomLoans::new(&writer, seed, 4).await;
        catch_up(&other, &follower).await;
        let channels = [Channel::Market, Channel::Book(FROGS), Channel::Book(GOLD), Channel::Me(traders.users[0])];
        let mut readers = Vec::new();
        for channel in channels {
            readers.push(Reader::of(&other, channel).await);
        }
        // Continues its copy of a book at either market, where that has what follows.
        let mut traveller = Reader::of(&other, Channel::Book(FROGS)).await;
        for round in 0..120 {
            traders.random_step(&writer).await;
            // The loans are of offers below the floor.
            writer.market.move_price(FROGS, price(FROGS, 100), writer.clock.now()).await.unwrap();
            let id = borrowers.prepare(&writer).await;
            borrowers.step(&writer, id).await;
            if let Some(id) = borrowers.loans.get(random.random_range(0..borrowers.loans.len().max(1))).copied() {
                borrowers.step(&writer, id).await;
            }
            let read = random.random_range(0..6);
            for commit in follower.commits(read) {
                other.market.apply(commit).await.unwrap();
            }
            readers.iter_mut().for_each(Reader::read);
            let place = random.random_range(0..8) % 2;
            let home = if place == 0 { &writer } else { &other };
            if traveller.reconnect(home).await {
                resumed += 1;
            } else {
                begun += 1;
            }
            if round % 40 == 39 {
                catch_up(&other, &follower).await;
                compare(&writer, &other, &traders.users, seed).await;
                for reader in &mut readers {
                    until_read(&format!("seed {seed}: {} is the writer's", reader.channel), async || {
                        let mut fresh = Reader::of(&writer, reader.channel).await;
                        fresh.read();
                        reader.read();
                        reader.mirror.state().0 == fresh.mirror.state().0
                    })
                    .await;
                }
            }
        }
        traveller.reconnect(&other).await;
        traveller.check(&other, seed).await;
        traveller.reconnect(&writer).await;
        traveller.check(&writer, seed).await;
        writer.market.stop().await;
        catch_up(&other, &follower).await;
        other.market.begin_deciding().await;
        let mut traders = RandomTraders::new(&other, seed + 1_000).await;
        for _ in 0..60 {
            traders.random_step(&other).await;
        }
        for group in [FROGS, GOLD] {
            other.market.move_price(group, price(group, 101), other.clock.now()).await.unwrap();
        }
        // A market that replays the journal agrees with the one that followed it.
        let (again, _) = Fixture::following(&other.journal, other.clock.clone(), settings());
        compare(&other, &again, &traders.users, seed).await;
        assert!(other.ends.lock().unwrap().is_empty());
    }
    assert!(resumed > 300 && begun > 30, "{resumed} resumed and {begun} began anew");
}

#[actix::test]
async fn a_follower_decides_nothing() {
    let (writer, other, follower) = pair().await;
    let lender = writer.lender(1, 1_000_000).await;
    writer.submit(FROGS, create(lender, frog_draft(MANUAL, 500_000))).await.unwrap();
    catch_up(&other, &follower).await;
    let appended = other.journal.batches_count();
    assert!(other.market.is_following() && !writer.market.is_following());
    assert_eq!(other.submit(FROGS, create(lender, frog_draft(MANUAL, 400_000))).await.unwrap_err(), Refusal::Following);
    assert_eq!(other.market.credit_vault(lender, Sats::new(1)).await.unwrap_err(), Refusal::Following);
    assert_eq!(other.market.list_group(frogs_named(TOADS, "Toads")).await.unwrap_err(), Refusal::Following);
    assert_eq!(other.market.sign_out(lender).await.unwrap_err(), Refusal::Following);
    // Nor do its timers: reservations, offers and absences run out by the writer's events alone.
    other.clock.advance_ms(1_000_000_000);
    crate::fixture::short_delay().await;
    let own = other.journal.batches().split_off(appended);
    assert!(own.is_empty(), "{own:?}");
}

#[actix::test]
async fn a_commit_that_does_not_continue_a_stream_is_refused() {
    let (writer, other, follower) = pair().await;
    let lender = writer.lender(1, 1_000_000).await;
    writer.submit(FROGS, create(lender, frog_draft(MANUAL, 500_000))).await.unwrap();
    writer.market.list_group(frogs_named(TOADS, "Toads")).await.unwrap();
    for commit in follower.commits(usize::MAX) {
        let before = other.market.applied();
        other.market.apply(commit.clone()).await.unwrap();
        assert!(other.market.applied() > before);
        let again = other.market.apply(commit).await;
        assert!(matches!(again, Err(ReplayError::Damaged(_))), "{again:?}");
    }
}

#[actix::test]
async fn readers_wait_for_a_position() {
    let (writer, other, follower) = pair().await;
    let lender = writer.lender(1, 1_000_000).await;
    let commits = follower.commits(usize::MAX);
    let last = commits.last().unwrap().position;
    let market = other.market.clone();
    let waiting = crate::fixture::spawn(async move {
        market.wait_applied(last).await;
        market.vault(lender).await.is_some()
    });
    assert!(!waiting.is_finished());
    for commit in commits {
        other.market.apply(commit).await.unwrap();
    }
    assert!(waiting.await.unwrap(), "the vault is there at that position");
    let market = other.market.clone();
    let waiting = crate::fixture::spawn(async move { market.wait_applied(Position(u64::MAX)).await });
    other.market.begin_deciding().await;
    waiting.await.unwrap();
}

#[actix::test]
async fn what_came_due_while_following_is_decided_by_the_successor() {
    let (writer, other, follower) = pair().await;
    let (lender, borrower) = (writer.lender(1, 2_000_000).await, writer.user(2).await);
    let offer = writer.submit(FROGS, create(lender, frog_draft(INSTANT, 500_000))).await.unwrap().offers[0].offer_id.0;
    let request = writer.reserve_request(1, offer, borrower);
    let expires_at = request.expires_at;
    writer.market.reserve(request, None).await.unwrap();
    let limits = LendingLimits { absence_minutes: Some(5), ..LendingLimits::default() };
    writer.market.set_lending_limits(lender, limits).await.unwrap();
    writer.market.stop().await;
    catch_up(&other, &follower).await;
    other.clock.advance_ms(expires_at.0 - other.clock.now().0 + 1);
    crate::fixture::short_delay().await;
    assert_eq!(usable(&other, lender).await, Sats::new(1_500_000), "a follower releases nothing");
    other.market.begin_deciding().await;
    until_read("the reservation has expired", async || usable(&other, lender).await == Sats::new(2_000_000)).await;
    // The absence of a lender is counted from the change of the writer on.
    assert!(!other.market.lending_limits(lender).await.unwrap().is_absent);
    other.clock.advance_ms(6 * 60_000);
    until_read("the lender is absent", async || other.market.lending_limits(lender).await.unwrap().is_absent).await;
}

#[actix::test]
async fn a_lender_who_is_heard_by_a_follower_is_present() {
    let (writer, other, follower) = pair().await;
    let (lender, free) = (writer.lender(1, 2_000_000).await, writer.lender(2, 2_000_000).await);
    let limits = |absence_minutes| LendingLimits { absence_minutes, ..LendingLimits::default() };
    writer.market.set_lending_limits(lender, limits(Some(5))).await.unwrap();
    catch_up(&other, &follower).await;
    let is_absent = async |fixture: &Fixture| fixture.market.lending_limits(lender).await.unwrap().is_absent;
    // The time of both is the writer's here.
    writer.clock.advance_ms(4 * 60_000);
    let time = writer.clock.now();
    assert_eq!(other.market.heard_after(time), []);
    writer.clock.advance_ms(1_000);
    for user in [lender, free] {
        other.market.hear(user).await;
    }
    let heard = other.market.heard_after(time);
    assert_eq!(heard, [(other.clock.now(), lender)], "a lender without a limit is not reported");
    for (_, user) in heard {
        writer.market.hear(user).await;
    }
    writer.clock.advance_ms(2 * 60_000);
    crate::fixture::short_delay().await;
    assert!(!is_absent(&writer).await);
    writer.clock.advance_ms(6 * 60_000);
    until_read("the lender is absent", async || is_absent(&writer).await).await;
    catch_up(&other, &follower).await;
    assert!(is_absent(&other).await);
    // A follower records no end of the absence.
    other.market.hear(lender).await;
    assert!(is_absent(&other).await);
    writer.market.hear(lender).await;
    assert!(!is_absent(&writer).await);
    writer.market.set_lending_limits(lender, limits(None)).await.unwrap();
    catch_up(&other, &follower).await;
    other.clock.advance_ms(1_000);
    other.market.hear(lender).await;
    assert_eq!(other.market.heard_after(time), []);
}

async fn usable(fixture: &Fixture, lender: UserId) -> Sats {
    fixture.market.vault(lender).await.unwrap().usable_balance_sats
}

#[actix::test]
async fn a_writer_hands_over_under_load_and_follows() {
    for seed in 400..404 {
        println!("seed {seed}");
        let (one, two, follower) = pair().await;
        let traders = RandomTraders::new(&one, seed).await;
        let users = traders.users.clone();
        let deciding = one.market.clone();
        let load = crate::fixture::spawn(async move {
            let (mut accepted, mut refused) = (0, 0);
            for round in 0_u64.. {
                let lender = users[usize::try_from(round % 5).unwrap()];
                let draft = frog_draft(MANUAL, 300_000 + round);
                let outcomes = futures_util::future::join3(
                    deciding.command(FROGS, create(lender, draft), None),
                    deciding.credit_vault(lender, Sats::new(1)),
                    deciding.move_price(GOLD, price(GOLD, 100 + round % 2), domain::UnixMs(round)),
                );
                let (created, credited, moved) = outcomes.await;
                for outcome in [created.map(drop), credited.map(drop), moved] {
                    match outcome {
                        Ok(()) => accepted += 1,
                        Err(Refusal::Following) => refused += 1,
                        Err(other) => assert!(matches!(other, Refusal::Book(_)), "{other}"),
                    }
                }
                if refused >= 30 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            accepted
        });
        for _ in 0..50 {
            catch_up(&two, &follower).await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let journal = one.journal.clone();
        one.market.stop_deciding(|| Position(u64::try_from(journal.batches_count()).unwrap())).await;
        // The former writer follows what its successor decides.
        let (appended, back) = (one.journal.batches_count(), Follower::of(&one.journal));
        assert_eq!(one.market.applied(), engine::journal::SharedJournal::position(&back));
        catch_up(&two, &follower).await;
        two.market.begin_deciding().await;
        assert!(load.await.unwrap() > 0);
        let mut traders = RandomTraders::new(&two, seed).await;
        for _ in 0..40 {
            traders.random_step(&two).await;
        }
        assert!(one.journal.batches_count() > appended);
        catch_up(&one, &back).await;
        compare(&two, &one, &traders.users, seed).await;
        assert!(one.ends.lock().unwrap().is_empty() && two.ends.lock().unwrap().is_empty());
    }
}

#[actix::test]
async fn a_follower_closes_the_channels_of_a_user_who_signed_out() {
    let (writer, other, follower) = pair().await;
    let user = writer.user(1).await;
    catch_up(&other, &follower).await;
    let queue = engine::feed::SocketQueue::new(crate::feed::roomy());
    let _open = other.market.subscribe(Channel::Me(user), &queue).await.unwrap();
    writer.market.sign_out(user).await.unwrap();
    catch_up(&other, &follower).await;
    let mut is_closed = false;
    until("the channel is closed", || {
        while let Some(sent) = crate::feed_client::take(&queue) {
            is_closed |= matches!(sent, engine::feed::Outgoing::Closed(engine::feed::CloseReason::SignedOut));
        }
        is_closed
    })
    .await;
}
