import { describe, expect, it } from "vitest";
import { offer, row } from "@/shared/feed/feed-fixtures";
import type { PreparedLoan } from "./prepared-loan";
import { isStillOffered, repricedSats } from "./repriced";

const bookOf = (...offers: ReturnType<typeof offer>[]) => ({
  row: row(),
  offers: new Map(offers.map((each) => [each.offerId, each])),
  loans: new Map(),
});
const pegged = (sats: number, state: "live" | "reserved" = "live") =>
  offer(1, { isPegged: true, principal_amount_sats: sats, state });
const fixed = offer(2, { principal_amount_sats: 500_000 });
const prepared = ({ offerId, principalSats }: ReturnType<typeof offer>) =>
  ({ loanRequest: { offerId }, principalSats }) as PreparedLoan;
const loans = [prepared(pegged(1_000_000)), prepared(fixed)];

describe("prepared loans of offers that follow the floor", () => {
  it.each([
    ["changed while the floor moved", bookOf(pegged(1_020_000), fixed), 1_520_000n],
    ["are as prepared while it did not", bookOf(pegged(1_000_000), fixed), null],
    ["are as prepared once a borrower signs", bookOf(pegged(1_020_000, "reserved"), fixed), null],
    ["are as prepared without the offers", bookOf(), null],
    ["do not follow a fixed offer", bookOf(offer(2, { principal_amount_sats: 600_000 })), null],
  ])("%s", (_, book, sats) => {
    expect(repricedSats(book, loans)).toBe(sats);
  });

  it("can be prepared again while the offer is there", () => {
    const { offerId } = pegged(1);
    expect(isStillOffered(bookOf(pegged(1_020_000)), offerId)).toBe(true);
    expect(isStillOffered(bookOf(pegged(1_020_000, "reserved")), offerId)).toBe(false);
    expect(isStillOffered(bookOf(fixed), fixed.offerId)).toBe(false);
    expect(isStillOffered(bookOf(), offerId)).toBe(false);
  });
});
