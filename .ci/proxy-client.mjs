// proxy-client.mjs use|survive|repeat: a client of https://lienbook.example, which a reverse proxy serves on this machine.
//   use      one server on 8080: page, HTTP/2, sign-in, write, feed, addresses of clients, bodies
//   survive  the server on 8080 is dead, the one on 8081 is not: every request is answered
//   repeat   both are dead; in their places are two that break what they have read
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOST, TIMEOUT_MS, ask, openFeed, send, signIn } from "./market-client.mjs";

async function usePage() {
  const page = await send("GET", "/");
  assert.equal(page.status, 200);
  assert.match(page.text, /<div id="root">/);
  assert.match(page.headers["strict-transport-security"] ?? "", /max-age=31536000/, "the server knows that it is on HTTPS");
  const plain = await fetch(`http://${HOST}/loans?a=b`, { redirect: "manual" });
  assert.ok([301, 308].includes(plain.status), `HTTP answers ${plain.status}`);
  assert.equal(plain.headers.get("location"), `https://${HOST}/loans?a=b`);
  const metrics = await send("GET", "/metrics");
  assert.doesNotMatch(metrics.text, /lienbook_http_requests_total/, "metrics are not for the public");
  const session = connect(`https://${HOST}`);
  const status = await new Promise((resolve, reject) => {
    session.on("error", reject);
    session.request({ ":path": "/health/ready" }).on("response", (headers) => resolve(headers[":status"]));
  });
  assert.equal(session.alpnProtocol, "h2");
  assert.equal(status, 200);
  session.close();
}

async function useMarket() {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  try {
    const { shown, headers } = await signIn(folder);
    const collection = await ask("GET", "/api/v1/collections/paper-frogs");
    const channel = `book:${collection.id}`;
    const { socket, next } = await openFeed();
    socket.send(JSON.stringify({ op: "subscribe", channel }));
    const of = (kind) => (frame) => frame.channel === channel && (frame.type ?? frame.op) === kind;
    await next(of("snapshot"), "snapshot");
    const draft = { ...shown, collection_slug: "paper-frogs-7d", principal_amount: 400_000, quantity: 1 };
    const made = await ask("POST", "/api/v1/offers/manual", { headers, body: { offers: [draft] } });
    const id = made.offers[0].offerId;
    const delta = await next((frame) => of("delta")(frame) && JSON.stringify(frame).includes(id), "delta with the offer");
    assert.ok(delta.seq > 0);
    // The server pings every five seconds and closes what does not answer; a pong of the feed shows that it is open.
    socket.send(JSON.stringify({ op: "ping", id: 7 }));
    await next((frame) => JSON.stringify(frame).includes("pong"), "pong");
    socket.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function useAddresses() {
  const nonce = (from, headers) =>
    send("POST", "/api/v1/session/nonce", { from, headers, body: { address: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080" } });
  let refused = 0;
  for (let count = 0; count < 200 && refused === 0; count += 1) {
    const { status, text } = await nonce("127.0.0.2");
    assert.ok([200, 429].includes(status), `${status} ${text}`);
    refused += status === 429 ? 1 : 0;
  }
  assert.equal(refused, 1, "one address is not limited");
  assert.equal((await nonce("127.0.0.3")).status, 200, "another address is limited with it");
  // If a client could name its address, all of these would pass; a few may, because the quota is refilled meanwhile.
  const forged = [];
  for (let count = 0; count < 40; count += 1) {
    forged.push((await nonce("127.0.0.2", { "x-forwarded-for": `10.0.0.${count}` })).status);
  }
  assert.ok(forged.filter((status) => status === 429).length > 20, `a forged address counts: ${forged}`);
}

async function useBodies() {
  const large = await send("POST", "/api/v1/session/nonce", { from: "127.0.0.4", body: JSON.stringify({ address: "b".repeat(70_000) }) });
  assert.equal(large.status, 413);
}

async function survive() {
  for (let count = 0; count < 30; count += 1) {
    await ask("GET", "/api/v1/collections");
  }
  const { socket, next } = await openFeed();
  socket.send(JSON.stringify({ op: "subscribe", channel: "market" }));
  await next((frame) => frame.channel === "market", "snapshot of the living node");
  socket.close();
  // A write that never reached the dead node goes to the other.
  for (let count = 0; count < 5; count += 1) {
    await ask("POST", "/api/v1/session/nonce", { from: "127.0.0.5", body: { address: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080" } });
  }
}

/** Two servers that read a request and close the connection; a GET is counted, and so is a POST. */
async function repeat() {
  const counts = { GET: 0, POST: 0 };
  const servers = await Promise.all(
    [8080, 8081].map(
      (port) =>
        new Promise((resolve, reject) => {
          const server = createServer((socket) => {
            socket.on("error", () => {});
            socket.once("data", (bytes) => {
              const [method, path] = bytes.toString("latin1").split(" ");
              if (path === "/health/ready") {
                socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                return;
              }
              counts[method] += 1;
              socket.destroy();
            });
          });
          server.on("error", reject);
          server.listen(port, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  // A proxy that asks whether nodes are ready needs a moment to find them so.
  const until = Date.now() + TIMEOUT_MS;
  while (counts.POST === 0) {
    assert.ok(Date.now() < until, "no POST arrives");
    const { status } = await send("POST", "/api/v1/session/nonce", { body: {} });
    assert.ok([502, 503, 504].includes(status), `a POST is answered with ${status}`);
  }
  assert.equal(counts.POST, 1, "a POST is repeated");
  const read = await send("GET", "/api/v1/collections");
  assert.ok([502, 503, 504].includes(read.status), `a GET is answered with ${read.status}`);
  assert.ok(counts.GET >= 2, `a GET is not repeated: ${counts.GET}`);
  servers.forEach((server) => server.close());
}

const steps = { use: [usePage, useMarket, useAddresses, useBodies], survive: [survive], repeat: [repeat] };
for (const step of steps[process.argv[2]]) {
  await step();
}
process.exit(0);
