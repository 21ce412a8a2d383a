import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";
import { reading, type Wire } from "./operation";
import { request } from "./request";
import { lenientArray, sats, text } from "./wire";

function answering(body: unknown = {}) {
  const fetch = vi.fn(async (_path: string, _options: RequestInit) => Response.json(body));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

afterEach(() => vi.unstubAllGlobals());

describe("the address of a request", () => {
  it("has its parameters filled in and encoded", async () => {
    const fetch = answering();
    await request("GET", "/api/v1/collections/{name}/orderbook", v.unknown(), { path: { name: "../a b?c" } });
    expect(fetch.mock.calls[0]?.[0]).toBe("/api/v1/collections/..%2Fa%20b%3Fc/orderbook");
  });

  it("has the given query parameters and no others", async () => {
    const fetch = answering();
    const query = { limit: 2, search: "a&b", cursor: undefined };
    await request("GET", "/api/v1/collections", v.unknown(), { query });
    await request("GET", "/api/v1/offers", v.unknown(), { query: { cursor: undefined } });
    expect(fetch.mock.calls.map(([path]) => path)).toEqual([
      "/api/v1/collections?limit=2&search=a%26b",
      "/api/v1/offers",
    ]);
  });
});

describe("a request that contradicts the description", () => {
  it("does not compile", () => {
    // None of these is called: each `@ts-expect-error` line fails to compile when it expects no error.
    const mistakes = [
      // @ts-expect-error there is no such address
      () => request("GET", "/api/v1/collection", v.unknown()),
      // @ts-expect-error the address takes another method
      () => request("GET", "/api/v1/session/nonce", v.unknown()),
      // @ts-expect-error the name is missing
      () => request("GET", "/api/v1/collections/{name}", v.unknown()),
      // @ts-expect-error the name has another name
      () => request("GET", "/api/v1/collections/{name}", v.unknown(), { path: { id: "g_1" } }),
      // @ts-expect-error the query is of another type
      () => request("GET", "/api/v1/collections", v.unknown(), { query: { limit: "2" } }),
      // @ts-expect-error the body is missing
      () => request("POST", "/api/v1/offers/pause", v.unknown(), { idempotencyKey: "k" }),
      // @ts-expect-error the body has another field
      () => request("POST", "/api/v1/offers/pause", v.unknown(), { body: { ids: [] }, idempotencyKey: "k" }),
      // @ts-expect-error a write that can be safe to send twice is not
      () => request("POST", "/api/v1/offers/pause", v.unknown(), { body: { offerIds: [] } }),
      // @ts-expect-error a read has no key
      () => request("GET", "/api/v1/config", v.unknown(), { idempotencyKey: "k" }),
      // @ts-expect-error the field is of another type
      () => request("GET", "/api/v1/config", v.object({ limits: v.object({ maxOfferSats: text }) })),
      // @ts-expect-error the field may be null
      () => request("GET", "/api/v1/vault", v.object({ vaultAddress: text })),
      // @ts-expect-error there is no such field in the items
      () => request("GET", "/api/v1/offers", v.object({ data: lenientArray(v.object({ price: sats })) })),
      // @ts-expect-error there are more kinds
      () => reading<Wire["ProcessName"]>()(v.picklist(["manual"])),
    ];
    expect(mistakes).toHaveLength(13);
  });
});
