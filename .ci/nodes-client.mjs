// nodes-client.mjs takeover FOLDER|use: a client of three nodes behind a reverse proxy.
//   use       page, sign-in, a write, and the feed that shows it
//   takeover  the same; then it creates FOLDER/ready, waits for FOLDER/killed, which says that the writer was killed, and writes
//             and hears of its writes again
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ask, openFeed, send, signIn } from "./market-client.mjs";

/** The limit of every wait for the cluster. */
const WAIT_MS = 60_000;

/** Subscribes a new socket to a book, and waits for its snapshot. */
async function subscribe(channel) {
  const feed = await openFeed();
  feed.socket.send(JSON.stringify({ op: "subscribe", channel }));
  await feed.next((frame) => frame.channel === channel && (frame.type ?? frame.op) === "snapshot", "snapshot");
  return feed;
}

/** The ids of the own offers by their principal. */
async function ownOffers({ headers }) {
  const { data } = await ask("GET", "/api/v1/offers?limit=100", { headers });
  return new Map(data.map((offer) => [offer.principal, offer.offerId]));
}

/** Creates one offer, and repeats the request with its idempotency key until it is answered. Returns the offer's id. */
async function offer(session, principal) {
  const { shown, headers } = session;
  const key = randomUUID();
  const draft = { ...shown, collection_slug: "paper-frogs-7d", principal_amount: principal, quantity: 1 };
  const until = Date.now() + WAIT_MS;
  for (let attempts = 1; ; attempts += 1) {
    const options = { headers: { ...headers, "idempotency-key": key }, body: { offers: [draft] } };
    const answer = await send("POST", "/api/v1/offers/manual", options).catch((error) => ({ status: 0, text: String(error) }));
    if (answer.status === 201) {
      return { id: JSON.parse(answer.text).offers[0].offerId, attempts };
    }
    if (answer.text.includes('"idempotency_spent"')) {
      // An attempt before was executed by the writer that is gone.
      return { id: (await ownOffers(session)).get(principal), attempts };
    }
    assert.ok([0, 502, 503, 504].includes(answer.status), `${answer.status} ${answer.text}`);
    assert.ok(Date.now() < until, `no answer to a write: ${answer.status} ${answer.text}`);
    await pause(100);
  }
}

/** Waits for the frame of the feed with an offer: a delta, or of a socket that was opened again the snapshot. */
async function hear(feed, channel, id) {
  await feed.next((frame) => frame.channel === channel && JSON.stringify(frame).includes(id), `frame with the offer ${id}`);
}

async function begin(folder) {
  assert.match((await send("GET", "/")).text, /<div id="root">/);
  const session = await signIn(folder);
  const collection = await ask("GET", "/api/v1/collections/paper-frogs");
  const channel = `book:${collection.id}`;
  // The proxy gives each of the sockets to another node.
  const feeds = await Promise.all([subscribe(channel), subscribe(channel), subscribe(channel)]);
  const { id } = await offer(session, 400_000);
  await Promise.all(feeds.map((feed) => hear(feed, channel, id)));
  return { session, channel, feeds, ids: [id] };
}

/** Waits until a file exists. */
async function waitFor(file) {
  const until = Date.now() + 3 * WAIT_MS;
  while (!existsSync(file)) {
    assert.ok(Date.now() < until, `${file} does not come`);
    await pause(100);
  }
}

async function takeover(signals, { session, channel, feeds, ids }) {
  writeFileSync(join(signals, "ready"), "");
  await waitFor(join(signals, "killed"));
  const began = Date.now();
  const written = await offer(session, 410_000);
  console.log(`a write after the kill took ${Date.now() - began} ms and ${written.attempts} attempts`);
  ids.push(written.id);
  const isOpen = ({ socket }) => socket.readyState === WebSocket.OPEN;
  const left = feeds.filter(isOpen);
  console.log(`${left.length} of ${feeds.length} sockets are still open`);
  assert.ok(left.length > 0, "sockets of other nodes were closed");
  await Promise.all(left.map((feed) => hear(feed, channel, written.id)));
  const again = await subscribe(channel);
  const third = await offer(session, 420_000);
  ids.push(third.id);
  await Promise.all([...left, again].map((feed) => hear(feed, channel, third.id)));
  assert.deepEqual([...(await ownOffers(session)).values()].sort(), ids.sort(), "the offers are others");
}

const [step, signals] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "nodes-"));
try {
  const begun = await begin(folder);
  if (step === "takeover") {
    await takeover(signals, begun);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(0);
