// A fan-out as one would write it with `ws`: every delta to every socket. Controlled by lines of JSON, as the server's own
// measurements are: it prints its address, and answers a request to publish with the times of the deltas.
//
//   node fanout-ws.mjs BYTES    the length of each delta in bytes

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const { WebSocketServer } = createRequire(new URL("../../web/package.json", import.meta.url))("ws");

const BACKLOG = 4_096;
const length = Number(process.argv[2]);
const http = createServer();
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false, skipUTF8Validation: true, clientTracking: true });
let sequence = 0;

sockets.on("connection", (socket) => {
  socket.on("message", () => socket.send('{"type":"snapshot"}'));
  socket.on("error", () => socket.terminate());
});

/** A delta of the wanted length; encoded once for all sockets. */
function delta() {
  const head = `{"type":"delta","channel":"book:1","epoch":"bench","prev":${sequence},"seq":${sequence + 1},"ops":["`;
  sequence += 1;
  return Buffer.from(`${head}${"x".repeat(Math.max(0, length - head.length - 3))}"]}`);
}

async function publish({ frames, interval_us }) {
  const deltas = [];
  const start = performance.now();
  for (let number = 0; number < frames; number += 1) {
    const due = start + (number * interval_us) / 1_000;
    const early = due - performance.now();
    // Also when it is late: the sockets must be written to meanwhile.
    await sleep(Math.max(0, early));
    const sentAt = Number(process.hrtime.bigint());
    const frame = delta();
    for (const socket of sockets.clients) socket.send(frame, { binary: false });
    deltas.push([sequence, sentAt]);
  }
  return { deltas, lagged: 0, subscribers: sockets.clients.size };
}

http.listen({ host: "127.0.0.1", port: 0, backlog: BACKLOG }, () => {
  process.stdout.write(`${JSON.stringify({ address: `127.0.0.1:${http.address().port}` })}\n`);
});
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await publish(JSON.parse(line).Publish))}\n`);
}
process.exit(0);
