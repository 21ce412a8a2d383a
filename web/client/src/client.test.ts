import { describe, expect, it } from "vitest";
import { CallError, Client } from "./client.ts";

interface Sent {
  url: string;
  headers: Record<string, string>;
}

/** A client with scripted answers, the requests that it sent, and its waits. */
function scripted(answers: (Response | Error)[]) {
  const [sent, waits]: [Sent[], number[]] = [[], []];
  const client = new Client({
    url: "http://127.0.0.1:1/",
    key: "lbk_1_secret",
    fetch: async (input, init) => {
      sent.push({ url: String(input), headers: init?.headers as Record<string, string> });
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no more answers");
      return answer;
    },
    sleep: async (ms) => void waits.push(ms),
    random: () => 0,
    now: () => 0,
  });
  return { client, sent, waits };
}

const json = (body: unknown, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const problem = (code: string, status: number, headers = {}) => json({ code, detail: "" }, status, headers);
const cancel = (client: Client, idempotencyKey?: string) =>
  client.call("post", "/api/v1/offers/manual/cancel", { body: { offerIds: ["of_1"] }, idempotencyKey });

describe("the client", () => {
  it("sends the key, the path and the query", async () => {
    const { client, sent } = scripted([json({ data: [], nextCursor: null }), json({})]);
    const page = await client.call("get", "/api/v1/collections", { query: { limit: 2, search: "a b" } });
    expect(page.data).toEqual([]);
    await client.call("get", "/api/v1/collections/{name}", { path: { name: "../x" } });
    expect(sent.map(({ url }) => url)).toEqual([
      "http://127.0.0.1:1/api/v1/collections?limit=2&search=a+b",
      "http://127.0.0.1:1/api/v1/collections/..%2Fx",
    ]);
    expect(sent[0]?.headers.authorization).toBe("Bearer lbk_1_secret");
  });

  it("repeats a write with its idempotency key, and gives the server the time that it asks for", async () => {
    const { client, sent, waits } = scripted([
      problem("no_writer", 503, { "retry-after": "2" }),
      new Error("reset"),
      json({ results: [] }),
    ]);
    expect(await cancel(client, "once")).toEqual({ results: [] });
    expect(sent.map(({ headers }) => headers["idempotency-key"])).toEqual(["once", "once", "once"]);
    expect(waits).toEqual([2_125, 250]);
  });

  it("does not repeat a write without a key whose outcome is unknown", async () => {
    const { client, sent } = scripted([new Error("reset"), json({ results: [] })]);
    const error = await cancel(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallError);
    expect([(error as CallError).mayHaveHappened, sent.length]).toEqual([true, 1]);
  });

  it("passes refusals on with their code", async () => {
    const { client } = scripted([
      problem("api_key_scope", 403),
      problem("rate_limited", 429, { "retry-after": "60" }),
    ]);
    await expect(cancel(client, "a")).rejects.toMatchObject({
      code: "api_key_scope",
      mayHaveHappened: false,
    });
    await expect(cancel(client, "b")).rejects.toThrow("wait 61 s");
  });

  it("waits for a spent quota, and ends after six attempts", async () => {
    const spent = { "ratelimit-policy": '"writes";q=120;w=60', ratelimit: '"writes";r=0;t=60' };
    const { client, waits } = scripted([json({ results: [] }, 200, spent), json({ results: [] })]);
    await cancel(client, "a");
    await cancel(client, "b");
    expect(waits).toEqual([500]);
    const busy = scripted(Array.from({ length: 6 }, () => problem("no_writer", 503)));
    await expect(cancel(busy.client, "c")).rejects.toMatchObject({ code: "no_writer" });
    expect(busy.sent).toHaveLength(6);
  });

  it("sends a key over TLS or to this machine only", () => {
    for (const url of ["http://lienbook.example", "ftp://127.0.0.1", "https://a:b@c", "https://c/?q=1"]) {
      expect(() => new Client({ url })).toThrow();
    }
    expect(new Client({ url: "https://lienbook.example/" }).url).toBe("https://lienbook.example");
    expect(() => new Client({ url: "https://c", key: "a\nb" })).toThrow("the key is not valid");
  });
});
