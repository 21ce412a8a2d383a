import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankAmong, rankText } from "./offer-rank";

const quote = (principalSats: bigint, raw = 1n) => ({ principalSats, raw });

describe("a rank", () => {
  it.each([
    ["an empty book is led", [], { rank: 1, of: 1, toLeadSats: 0n }],
    ["more sats lead", [quote(900n)], { rank: 1, of: 2, toLeadSats: 0n }],
    ["an equal earlier offer stays ahead", [quote(1_000n)], { rank: 2, of: 2, toLeadSats: 1n }],
    [
      "what is missing is counted from the leader",
      [quote(1_500n), quote(2_000n)],
      { rank: 3, of: 3, toLeadSats: 1_001n },
    ],
    [
      "a bigger bundle for the same money ranks lower",
      [quote(1_000n, 2n)],
      { rank: 1, of: 2, toLeadSats: 0n },
    ],
    [
      "a smaller bundle for the same money ranks higher",
      [quote(600n, 1n)],
      { rank: 1, of: 2, toLeadSats: 0n },
    ],
  ])("%s", (_, others, expected) => {
    expect(rankAmong(quote(1_000n), others)).toEqual(expected);
  });

  it("is first once the missing sats are added, and not before", () => {
    const quotes = fc.record({
      principalSats: fc.bigInt(1n, 2_000_000_000n),
      raw: fc.bigInt(1n, 1_000_000n),
    });
    fc.assert(
      fc.property(quotes, fc.array(quotes, { maxLength: 20 }), (own, others) => {
        const { rank, of, toLeadSats } = rankAmong(own, others);
        expect(of).toBe(others.length + 1);
        expect(rank === 1).toBe(toLeadSats === 0n);
        const raised = { ...own, principalSats: own.principalSats + toLeadSats };
        expect(rankAmong(raised, others).rank).toBe(1);
        if (toLeadSats > 0n) {
          const almost = { ...raised, principalSats: raised.principalSats - 1n };
          expect(rankAmong(almost, others).rank).toBeGreaterThan(1);
        }
      }),
    );
  });

  it.each([
    ["#2 of 14, 0.00310 to lead", { rank: 2, of: 14, toLeadSats: 310_000n }],
    ["#2 of 2, 0.00001 to lead", { rank: 2, of: 2, toLeadSats: 1n }],
    ["#9 of 9, 1.50001 to lead", { rank: 9, of: 9, toLeadSats: 150_000_001n }],
    ["#1 of 3, in the lead", { rank: 1, of: 3, toLeadSats: 0n }],
  ])("is read as %s", (text, rank) => {
    expect(rankText(rank)).toBe(text);
  });
});
