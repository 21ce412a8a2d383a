import { afterEach, describe, expect, it, vi } from "vitest";
import { EXAMPLE_SESSION as session } from "@/shared/session/session-example";
import { newDraft, reducer } from "./lend-draft";
import { INSCRIPTION, PEGGED } from "./lend-fixtures";
import { createOffers, editOffer } from "./lend-submission";

const one = newDraft(INSCRIPTION);
const verify = () => Promise.resolve("token");
/** 59.5 % of a floor of 0.1 BTC, from 0.03 to 0.09 BTC: 0.0594 BTC now. */
const pegged = PEGGED.reduce(reducer, one);
const three = reducer(one, { type: "countSet", count: 3 });

function answering(status: number, body: unknown) {
  const fetch = vi.fn(async (_path: string, _options: RequestInit) => Response.json(body, { status }));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}
const problem = {
  type: "/errors/x",
  code: "x",
  title: "Refused",
  status: 422,
  detail: "Below min offer of ₿0.0005",
  requestId: "r",
};

const OPTIONS = { goodUntilMs: null, conditions: null };
const CREATED = ["of_1", "of_2", "of_3"].map((offerId) => ({ offerId }));

afterEach(() => vi.unstubAllGlobals());

describe("making offers", () => {
  it("sends whole sats, the quantity and the addresses of the session", async () => {
    const fetch = answering(201, { offers: CREATED });
    await createOffers([three], session, OPTIONS, "key-1", verify);
    const [path, options] = fetch.mock.calls[0] ?? [];
    expect(path).toBe("/api/v1/offers/manual");
    expect(new Headers(options?.headers).get("Idempotency-Key")).toBe("key-1");
    expect(JSON.parse(String(options?.body))).toEqual({
      offers: [
        {
          collection_slug: "quiet-foxes-14d",
          principal_amount: 5_000_000,
          wallet: "DevWallet",
          quantity: 3,
          payment_address: "bcrt1qpay",
          payment_pubkey: "02aa",
          ordinal_address: "bcrt1pkeep",
          ordinal_pubkey: "bb",
          hardware_wallet: false,
          good_until: null,
          conditions: null,
        },
      ],
    });
  });

  it("that follow the floor sends their bounds instead of the principal now", async () => {
    const fetch = answering(201, { offers: CREATED });
    await createOffers([pegged], session, OPTIONS, "key-1", verify);
    const { offers } = JSON.parse(String(fetch.mock.calls[0]?.[1].body));
    expect(offers[0]).toMatchObject({
      principal_amount: 9_000_000,
      principal_min_amount: 3_000_000,
      ltv_max: 5_950,
      quantity: 1,
    });
  });

  it.each([
    [
      "one",
      one,
      201,
      { offers: CREATED.slice(0, 1) },
      { isDone: true, title: "Offer created", offerIds: ["of_1"] },
    ],
    [
      "three",
      three,
      201,
      { offers: CREATED },
      { isDone: true, title: "3 offers created successfully", offerIds: ["of_1", "of_2", "of_3"] },
    ],
    [
      "one refused",
      one,
      422,
      problem,
      { isDone: false, isAnswered: true, title: "Offer could not be created", detail: problem.detail },
    ],
    ["three refused", three, 422, problem, { isDone: false, title: "Failed to create offers" }],
    ["one at an overloaded server", one, 503, null, { isDone: false, isAnswered: false }],
  ])("reports the result of %s", async (_, draft, status, body, outcome) => {
    answering(status, body);
    expect(await createOffers([draft], session, OPTIONS, "key", verify)).toMatchObject(outcome);
  });

  it("can be repeated without a response", async () => {
    vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("no network")));
    expect(await createOffers([one], session, OPTIONS, "key", verify)).toMatchObject({
      isDone: false,
      isAnswered: false,
      detail: "The server could not be reached",
    });
  });
});

describe("editing an offer", () => {
  it("sends the new principal alone", async () => {
    const fetch = answering(200, {});
    await editOffer("of_1", one, "key", verify);
    const [path, options] = fetch.mock.calls[0] ?? [];
    expect([path, options?.method]).toEqual(["/api/v1/offers/manual/of_1", "PATCH"]);
    expect(JSON.parse(String(options?.body))).toEqual({ offer_id: "of_1", principal_amount: 5_000_000 });
  });

  it("sends the bounds of one that follows the floor, and nothing of them once it is fixed", async () => {
    const fetch = answering(200, {});
    const fixed = reducer(pegged, { type: "pegSet", isPegged: false });
    for (const draft of [pegged, fixed]) await editOffer("of_1", draft, "key", verify);
    expect(fetch.mock.calls.map(([, options]) => JSON.parse(String(options.body)))).toEqual([
      { offer_id: "of_1", principal_amount: 9_000_000, principal_min_amount: 3_000_000, ltv_max: 5_950 },
      { offer_id: "of_1", principal_amount: 5_940_000 },
    ]);
  });

  it("reports when only the response was unreadable", async () => {
    answering(200, {});
    expect(await editOffer("of_1", one, "key", verify)).toMatchObject({
      isDone: true,
      title: "Offer edited successfully but UI not updated, please refresh the page",
    });
  });

  it("reports why it was refused", async () => {
    answering(409, { ...problem, status: 409, detail: "Offer has already been used" });
    expect(await editOffer("of_1", one, "key", verify)).toMatchObject({
      isDone: false,
      title: "Offer could not be edited",
      detail: "Offer has already been used",
    });
  });
});
