//! The book as a table of PostgreSQL.

use std::{
    io,
    time::{Duration, Instant},
};

use postgres_testkit::Server;
use tokio_postgres::{Client, NoTls, Statement, types::ToSql};

use super::{contestant::Round, table::filling};
use crate::{
    closed_loop,
    orders::{Order, OrderSource, Shares},
};

/// Memory and log as for a server of its own; what makes commits durable stays as it is by default.
pub(super) const SETTINGS: [&str; 5] = [
    "shared_buffers=512MB",
    "max_wal_size=4GB",
    "checkpoint_timeout=30min",
    "max_connections=200",
    "wal_compression=off",
];

/// The table, and a function for each order. A function is one statement and so one transaction: it changes the offer and
/// reads its rank and the best offer, in one round trip. `is_ranked` leaves the rank out if it is false.
const SCHEMA: &str = "
CREATE TABLE offers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lender bigint NOT NULL,
    sub_collection smallint NOT NULL,
    process smallint NOT NULL,
    principal bigint NOT NULL,
    turn bigint NOT NULL,
    is_open boolean NOT NULL DEFAULT true,
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE SEQUENCE turns CACHE 1;
CREATE INDEX offers_ranked ON offers (sub_collection, process, principal DESC, turn) INCLUDE (id) WHERE is_open;
CREATE INDEX offers_of_lender ON offers (lender) WHERE is_open;

CREATE FUNCTION ranked(sub smallint, proc smallint, amount bigint, since bigint, is_ranked boolean,
    OUT rank bigint, OUT best bigint, OUT best_principal bigint) LANGUAGE plpgsql AS $$
BEGIN
    IF is_ranked THEN
        SELECT 1 + (SELECT count(*) FROM offers
                WHERE is_open AND sub_collection = sub AND process = proc AND principal > amount)
            + (SELECT count(*) FROM offers
                WHERE is_open AND sub_collection = sub AND process = proc AND principal = amount AND turn < since)
            INTO rank;
    END IF;
    SELECT o.id, o.principal INTO best, best_principal FROM offers o
        WHERE o.is_open AND o.sub_collection = sub AND o.process = proc ORDER BY o.principal DESC, o.turn LIMIT 1;
END $$;

CREATE FUNCTION place(by bigint, sub smallint, proc smallint, amount bigint, is_ranked boolean,
    OUT offer bigint, OUT rank bigint, OUT best bigint, OUT best_principal bigint) LANGUAGE plpgsql AS $$
DECLARE since bigint;
BEGIN
    INSERT INTO offers (lender, sub_collection, process, principal, turn)
        VALUES (by, sub, proc, amount, nextval('turns')) RETURNING id, turn INTO offer, since;
    SELECT r.rank, r.best, r.best_principal INTO rank, best, best_principal FROM ranked(sub, proc, amount, since, is_ranked) r;
END $$;

CREATE FUNCTION edit(by bigint, of bigint, amount bigint, is_ranked boolean,
    OUT offer bigint, OUT rank bigint, OUT best bigint, OUT best_principal bigint) LANGUAGE plpgsql AS $$
DECLARE sub smallint; proc smallint; since bigint;
BEGIN
    UPDATE offers SET principal = amount, turn = nextval('turns'), changed_at = now()
        WHERE id = of AND lender = by AND is_open RETURNING id, sub_collection, process, turn INTO STRICT offer, sub, proc, since;
    SELECT r.rank, r.best, r.best_principal INTO rank, best, best_principal FROM ranked(sub, proc, amount, since, is_ranked) r;
END $$;

CREATE FUNCTION cancel(by bigint, of bigint, OUT best bigint, OUT best_principal bigint) LANGUAGE plpgsql AS $$
DECLARE sub smallint; proc smallint;
BEGIN
    UPDATE offers SET is_open = false, changed_at = now()
        WHERE id = of AND lender = by AND is_open RETURNING sub_collection, process INTO STRICT sub, proc;
    SELECT r.best, r.best_principal INTO best, best_principal FROM ranked(sub, proc, 0, 0, false) r;
END $$;
";

/// A connection with its prepared statements; a lender of its own.
struct Connection {
    client: Client,
    lender: i64,
    is_ranked: bool,
    place: Statement,
    edit: Statement,
    cancel: Statement,
}

impl Connection {
    async fn open(server: &Server, lender: i64, is_ranked: bool) -> io::Result<Self> {
        let client = connect(server).await?;
        let prepare = async |sql| client.prepare(sql).await.map_err(io::Error::other);
        let place = prepare("SELECT offer, rank, best, best_principal FROM place($1, $2, 0::smallint, $3, $4)").await?;
        let edit = prepare("SELECT offer, rank, best, best_principal FROM edit($1, $2, $3, $4)").await?;
        let cancel = prepare("SELECT best, best_principal FROM cancel($1, $2)").await?;
        Ok(Self { client, lender, is_ranked, place, edit, cancel })
    }

    /// Executes an order; returns the offer that is open now.
    async fn execute(&self, order: Order<i64>) -> io::Result<Option<i64>> {
        let row = match order {
            Order::Place { sub_collection, principal } => {
                let sub_collection = i16::try_from(sub_collection).map_err(io::Error::other)?;
                let principal = i64::try_from(principal).map_err(io::Error::other)?;
                let values: [&(dyn ToSql + Sync); 4] = [&self.lender, &sub_collection, &principal, &self.is_ranked];
                self.client.query_one(&self.place, &values).await
            }
            Order::Edit { offer, principal } => {
                let principal = i64::try_from(principal).map_err(io::Error::other)?;
                let values: [&(dyn ToSql + Sync); 4] = [&self.lender, &offer, &principal, &self.is_ranked];
                self.client.query_one(&self.edit, &values).await
            }
            Order::Cancel { offer } => {
                let values: [&(dyn ToSql + Sync); 2] = [&self.lender, &offer];
                self.client.query_one(&self.cancel, &values).await.map_err(io::Error::other)?;
                return Ok(None);
            }
        };
        let row = row.map_err(io::Error::other)?;
        if self.is_ranked && row.get::<_, Option<i64>>(1).is_none_or(|rank| rank < 1) {
            return Err(io::Error::other("an open offer has no rank"));
        }
        Ok(Some(row.get(0)))
    }
}

async fn connect(server: &Server) -> io::Result<Client> {
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.map_err(io::Error::other)?;
    // It ends with the client.
    tokio::spawn(connection);
    Ok(client)
}

/// Several connections, each a lender with at most `depth` orders unanswered.
pub(super) struct Postgres {
    connections: Vec<(Connection, OrderSource<i64>)>,
    depth: usize,
}

impl Postgres {
    /// Creates the table in a new server and fills it.
    pub(super) async fn fill(server: &Server, seed: u64, offers: usize) -> io::Result<()> {
        let client = connect(server).await?;
        client.batch_execute(SCHEMA).await.map_err(io::Error::other)?;
        let insert = "INSERT INTO offers (lender, sub_collection, process, principal, turn)
            SELECT l, s, 0, p, nextval('turns') FROM unnest($1::bigint[], $2::smallint[], $3::bigint[]) AS t (l, s, p)";
        let rows = filling(seed, offers);
        for rows in rows.chunks(10_000) {
            let lenders: Vec<i64> = rows.iter().map(|row| row.lender).collect();
            let sub_collections: Vec<i16> = rows.iter().map(|row| row.sub_collection).collect();
            let principals: Vec<i64> = rows.iter().map(|row| row.principal).collect();
            let values: [&(dyn ToSql + Sync); 3] = [&lenders, &sub_collections, &principals];
            client.execute(insert, &values).await.map_err(io::Error::other)?;
        }
        client.batch_execute("VACUUM ANALYZE offers").await.map_err(io::Error::other)?;
        client.batch_execute("CHECKPOINT").await.map_err(io::Error::other)
    }

    /// Opens connections to a filled table. `first_lender` is a number that no other contestant uses.
    pub(super) async fn open(
        server: &Server,
        seed: u64,
        first_lender: usize,
        [connections, depth]: [usize; 2],
        is_ranked: bool,
    ) -> io::Result<Self> {
        let mut opened = Vec::with_capacity(connections);
        for number in 0..connections {
            let lender = i64::try_from(first_lender + number).map_err(io::Error::other)?;
            let source = OrderSource::new(seed, number, Shares::STEADY, usize::MAX);
            opened.push((Connection::open(server, lender, is_ranked).await?, source));
        }
        Ok(Self { connections: opened, depth })
    }

    /// Executes orders for this long; the table has its size again afterwards.
    pub(super) async fn round(&mut self, duration: Duration) -> io::Result<Round> {
        let depth = self.depth;
        let start = Instant::now();
        let clients = self.connections.iter_mut().map(|(connection, source)| {
            let connection = &*connection;
            closed_loop::drive(source, || start.elapsed() < duration, depth, |order| connection.execute(order))
        });
        let found = futures_util::future::try_join_all(clients).await?;
        let round = Round::of_singles(start, &found);
        for (connection, source) in &mut self.connections {
            let connection = &*connection;
            closed_loop::trim(source, 0, 64, |order| connection.execute(order)).await?;
        }
        Ok(round)
    }
}
