// A client of the public API, for the tests of what stands in front of it. The market is at https://LIENBOOK_HOST (by default
// lienbook.example), and LIENBOOK is the program that signs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { request } from "node:https";
import { join } from "node:path";

export const HOST = process.env.LIENBOOK_HOST ?? "lienbook.example";
export const TIMEOUT_MS = 20_000;

/** Sends one request on a connection of its own; returns status, headers and body. */
export function send(method, path, { body, headers = {}, from = "127.0.0.1", port } = {}) {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const type = payload === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
    const sent = request(
      { host: HOST, port, method, path, agent: false, localAddress: from, headers: { ...type, ...headers }, timeout: TIMEOUT_MS },
      (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() }));
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
    sent.on("error", reject);
    sent.end(payload);
  });
}

/** The same, for an answer in JSON that has to be a success. */
export async function ask(method, path, options) {
  const answer = await send(method, path, options);
  assert.equal(Math.floor(answer.status / 100), 2, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.text === "" ? null : JSON.parse(answer.text);
}

function lienbook(args, input = "") {
  return execFileSync(process.env.LIENBOOK, args, { input, encoding: "utf8", stdio: ["pipe", "pipe", "inherit"] });
}

/** Signs a new wallet in; returns its addresses and the headers of its session. */
export async function signIn(folder) {
  const wallet = join(folder, "lender.wallet");
  lienbook(["wallet", "new", wallet]);
  const shown = JSON.parse(lienbook(["wallet", "show", wallet]));
  const nonce = await ask("POST", "/api/v1/session/nonce", { body: { address: shown.payment_address } });
  const signed = lienbook(["wallet", "sign-in", wallet], JSON.stringify(nonce));
  const answer = await send("POST", "/api/v1/session", { body: signed });
  assert.equal(answer.status, 200, answer.text);
  const cookies = String(answer.headers["set-cookie"]);
  assert.match(cookies, /__Host-[^;]+;.*Secure/, "the session cookie is for HTTPS");
  return { shown, headers: { authorization: `Bearer ${JSON.parse(answer.text).jwt}` } };
}

/** A feed over TLS. `next(predicate)` waits for the next frame that fulfils it. */
export async function openFeed() {
  const socket = new WebSocket(`wss://${HOST}/api/v1/feed`);
  const frames = [];
  const waiting = [];
  const settle = () => {
    for (const wish of [...waiting]) {
      const at = frames.findIndex(wish.predicate);
      if (at >= 0) {
        waiting.splice(waiting.indexOf(wish), 1);
        clearTimeout(wish.timer);
        wish.resolve(frames.splice(0, at + 1).at(-1));
      }
    }
  };
  socket.addEventListener("message", ({ data }) => {
    frames.push(JSON.parse(data));
    settle();
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("the feed does not open")));
  });
  const next = (predicate, what) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${what}: ${JSON.stringify(frames).slice(0, 300)}`)), TIMEOUT_MS);
      waiting.push({ predicate, resolve, timer });
      settle();
    });
  return { socket, next };
}
