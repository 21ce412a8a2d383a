import { expect, it } from "vitest";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import { negotiation, offer } from "./feed-fixtures";
import { withPledge } from "./pledged-offer";

const forMe = offer(1, { state: "conditional" });
const filling = { groupId: "g_1", requestId: "rq_1", offer: forMe };
const requestFor = (...inscriptionIds: string[]) =>
  new Map([
    ["rq_1", { requestId: "rq_1", inscriptionIds, fungibleAmount: null } as unknown as BorrowRequest],
  ]);
const countOf = (...[own, origins]: Parameters<typeof withPledge>) => withPledge(own, origins).fungibleAmount;

it("an offer that fills a request takes all of its inscriptions", () => {
  expect(countOf(filling, { requests: requestFor("a", "b", "c"), negotiations: [] })).toBe(3n);
});

it("an agreed offer takes those of the negotiation", () => {
  const agreed = negotiation({ agreedOfferId: forMe.offerId, inscriptionIds: ["a", "b"] });
  const own = { ...filling, requestId: null };
  expect(countOf(own, { requests: new Map(), negotiations: [negotiation(), agreed] })).toBe(2n);
});

it.each([
  ["one inscription", { requests: requestFor("a"), negotiations: [] }],
  ["a request that is loading", { requests: null, negotiations: [] }],
  ["a request that has ended", { requests: new Map(), negotiations: [negotiation()] }],
])("with %s the offer stays as it is", (_, origins) => {
  expect(withPledge(filling, origins)).toBe(forMe);
});

it("an amount that the order book names stays", () => {
  const tokens = { ...filling, offer: offer(1, { fungible_amount: "700" }) };
  expect(countOf(tokens, { requests: requestFor("a", "b"), negotiations: [] })).toBe(700n);
});
