import { afterEach, describe, expect, it, vi } from "vitest";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { CounterOfferSubject, NegotiableOffer } from "@/shared/api/counter-offer";
import { negotiation, wireNegotiation, wireProposal } from "@/shared/feed/feed-fixtures";
import { acceptProposal, type CounterOffer, sendCounterOffer } from "./negotiation-requests";

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

function answering() {
  vi.useFakeTimers({ now: NOW });
  const fetch = vi.fn(async (_path: string, _options: RequestInit) => Response.json(wireNegotiation()));
  vi.stubGlobal("fetch", fetch);
  return () => {
    const [path, options] = fetch.mock.calls[0] ?? [];
    return { path, body: JSON.parse(String(options?.body)) };
  };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const offered = (pledge: CounterOffer["pledge"] = null): CounterOffer => ({
  terms: { principalSats: 36_000n, interestBps: 125, termDays: 21 },
  hours: 72,
  pledge,
});
const send = (subject: CounterOfferSubject, pledge?: CounterOffer["pledge"]) =>
  sendCounterOffer(subject, offered(pledge), () => Promise.reject(new Error("not asked for")));

const offer = { kind: "offer", offerId: "of_1" } as NegotiableOffer;
const terms = { principalAmountSats: 36_000, interest: 125, termDays: 21 };

describe("a counter-offer", () => {
  it("on an offer names it and the collateral, and is good for less than the longest time", async () => {
    const sent = answering();
    await send(offer, { inscriptionId: "i0" });
    const { path, body } = sent();
    expect(path).toBe("/api/v1/negotiations");
    expect(body).toMatchObject({ ...terms, offerId: "of_1", inscriptionId: "i0" });
    expect(body.goodUntil).toBeLessThan(NOW + 72 * HOUR_MS);
    expect(body.goodUntil).toBeGreaterThan(NOW + 71 * HOUR_MS);
  });

  it("on an offer that is open in its amount has it as text, since it may be no exact number", async () => {
    const sent = answering();
    await send(offer, { fungibleAmount: 12_345_678_901_234_567_890n });
    expect(sent().body.fungibleAmount).toBe("12345678901234567890");
  });

  it("on a request names no collateral", async () => {
    const sent = answering();
    await send({ kind: "request", asked: { requestId: "rq_1" } as BorrowRequest });
    const { body } = sent();
    expect(Object.keys(body).sort()).toEqual([...Object.keys(terms), "goodUntil", "requestId"].sort());
  });

  it("on a proposal names the proposal that the user has seen, and so does its acceptance", async () => {
    const seen = negotiation({ proposals: [wireProposal(), wireProposal({ by: "lender" })] });
    const sent = answering();
    await send({ kind: "proposal", negotiation: seen });
    expect(sent()).toMatchObject({
      path: "/api/v1/negotiations/ng_1/proposals",
      body: { ...terms, round: 2 },
    });
    const accepted = answering();
    await acceptProposal(seen);
    expect(accepted()).toEqual({ path: "/api/v1/negotiations/ng_1/accept", body: { round: 2 } });
  });
});
