import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  editDraft,
  type LendAction,
  type LendDraft,
  type LendTarget,
  ltvOf,
  newDraft,
  principalOf,
  reducer,
} from "./lend-draft";
import { getErrors } from "./lend-errors";
import { INSCRIPTION } from "./lend-fixtures";
import { calculateSummary } from "./lend-summary";

const bundle = { raw: 100_000n, decimals: 2, price: 12_345_000n };

function drafted(target: Partial<LendTarget>, ...actions: LendAction[]): LendDraft {
  return actions.reduce(reducer, newDraft({ ...INSCRIPTION, ...target }));
}
const typed = (text: string): LendAction => ({ type: "amountTyped", text });
const left: LendAction = { type: "amountLeft" };

describe("the first amount", () => {
  it.each([
    ["is half of the floor without offers", {}, "0.05", 50],
    ["is the best offer", { bestOfferSats: 6_200_000n }, "0.062", 62],
    ["has five decimals at most", { bestOfferSats: 6_234_567n }, "0.06234", 62],
    [
      "is half of the floor when the best offer stands above the ceiling",
      { bestOfferSats: 9_900_000n },
      "0.05",
      50,
    ],
    ["is half of the floor when the best offer is less than a step", { bestOfferSats: 999n }, "0.05", 50],
    ["is the best offer when no price is known", { price: null, bestOfferSats: 6_200_000n }, "0.062", 50],
    ["is empty without offers and price", { price: null }, "", 50],
    ["is half of a bundle's value", { ...bundle, price: 5_000_000_000_000n }, "0.25", 50],
    ["is 20 BTC at most", { price: 10n ** 19n }, "20", 2],
  ] satisfies Array<[string, Partial<LendTarget>, string, number]>)("%s", (_, target, text, ltv) => {
    const draft = newDraft({ ...INSCRIPTION, ...target });
    expect([draft.amountText, draft.ltvPercent, draft.count]).toEqual([text, ltv, 1]);
  });

  it("of an edit is the offer's own, with all its decimals", () => {
    expect(editDraft({ ...INSCRIPTION, bestOfferSats: 6_200_000n }, 4_123_456n).amountText).toBe(
      "0.04123456",
    );
  });
});

describe("typing an amount", () => {
  it.each([
    ["0.04", "0.04"],
    [",04", ".04"],
    ["0.1234567", "0.12345"],
    ["20.00001", "20"],
    ["21", "20"],
    ["1e3", "0.05"],
    ["-1", "0.05"],
    ["0.0.1", "0.05"],
    ["NaN", "0.05"],
    ["=", "0.05"],
    ["", ""],
    [".", "."],
  ])("%j over 0.05 leaves %j", (text, expected) => {
    expect(drafted({}, typed(text)).amountText).toBe(expected);
  });

  it("updates the LTV", () => {
    expect(drafted({}, typed("0.0733")).ltvPercent).toBe(73);
    expect(drafted({}, typed("5")).ltvPercent).toBe(98);
  });

  it("steps by 0.00001 between zero and 20", () => {
    expect(drafted({}, { type: "amountStepped", steps: 1 }).amountText).toBe("0.05001");
    expect(drafted({}, typed(""), { type: "amountStepped", steps: -1 }).amountText).toBe("");
    expect(drafted({}, typed("20"), { type: "amountStepped", steps: 1 }).amountText).toBe("20");
  });
});

describe("the LTV", () => {
  it.each([
    [1, 51, "0.051"],
    [-1, 49, "0.049"],
  ] as const)("nudged by %d is %d percent", (by, percent, text) => {
    const draft = drafted({}, { type: "ltvNudged", by });
    expect([draft.ltvPercent, draft.amountText]).toEqual([percent, text]);
  });

  it("stays between 1 and 98 percent", () => {
    expect(drafted({}, { type: "ltvSet", percent: 120 }).ltvPercent).toBe(98);
    expect(drafted({}, { type: "ltvSet", percent: -3 }).ltvPercent).toBe(1);
    expect(drafted({}, { type: "ltvSet", percent: 98 }, { type: "ltvNudged", by: 1 }).ltvPercent).toBe(98);
    expect(drafted({}, { type: "ltvSet", percent: Number.NaN }).ltvPercent).toBe(1);
  });

  it("moves on when a percent is less than a step of the amount", () => {
    const cheap = { price: 60_000n * 100_000_000n };
    const nudge: LendAction = { type: "ltvNudged", by: 1 };
    const percents = [drafted(cheap, nudge), drafted(cheap, nudge, nudge)].map(
      ({ ltvPercent }) => ltvPercent,
    );
    expect(percents).toEqual([51, 52]);
  });

  it("follows the price while the amount stays", () => {
    const draft = drafted(
      {},
      { type: "marketMoved", target: { ...INSCRIPTION, price: 8_000_000n * 100_000_000n } },
    );
    expect([draft.amountText, draft.ltvPercent]).toEqual(["0.05", 63]);
  });

  it("of the highest slider position is allowed", () => {
    expect(getErrors(drafted({}, { type: "ltvSet", percent: 98 }), null)).toEqual([]);
  });
});

describe("the count", () => {
  it.each([
    [3, 3],
    [0, 1],
    [9, 5],
    [2.4, 2],
    [Number.NaN, 1],
  ])("of %d is %d", (count, expected) => {
    expect(drafted({}, { type: "countSet", count }).count).toBe(expected);
  });

  it("survives a change of the sub-collection, unlike the amount", () => {
    const other = { ...INSCRIPTION, subCollectionId: "1", bestOfferSats: 7_000_000n };
    const draft = drafted(
      {},
      typed("0.03"),
      { type: "countSet", count: 4 },
      { type: "targetChosen", target: other },
    );
    expect([draft.count, draft.amountText]).toEqual([4, "0.07"]);
  });
});

describe("the errors", () => {
  const ceiling = "Offer cannot be above 98% LTV";
  it.each([
    ["nothing wrong", [typed("0.05")], null, []],
    ["an empty amount", [typed("")], null, []],
    ["below the minimum", [typed("0.00029")], null, ["Below min offer of ₿0.0003"]],
    ["at the minimum", [typed("0.0003")], null, []],
    ["just below 99 percent", [typed("0.09899")], null, []],
    ["99 percent", [typed("0.099")], null, [ceiling]],
    ["above the ceiling and put back", [typed("0.5"), left], null, [ceiling]],
    ["put back, then chosen anew", [typed("0.5"), left, typed("0.04")], null, []],
    ["put back, then the slider moved", [typed("0.5"), left, { type: "ltvSet", percent: 60 }], null, []],
    ["left below the ceiling", [typed("0.04"), left], null, []],
    ["more than the balance", [typed("0.05")], 4_000_000n, ["Insufficient BTC balance"]],
    ["exactly the balance", [typed("0.05")], 5_000_000n, ["Insufficient BTC balance"]],
    ["less than the balance", [typed("0.05")], 5_000_001n, []],
    ["two at once", [typed("0.5")], 1n, [ceiling, "Insufficient BTC balance"]],
  ] satisfies Array<[string, LendAction[], bigint | null, string[]]>)(
    "of %s",
    (_, actions, balance, errors) => {
      expect(getErrors(drafted({}, ...actions), balance)).toEqual(errors);
    },
  );

  it("reset the amount to the best offer, or half of the floor", () => {
    expect(drafted({}, typed("0.5"), left).amountText).toBe("0.05");
    expect(drafted({ bestOfferSats: 6_200_000n }, typed("0.5"), left).amountText).toBe("0.062");
  });

  it("have no ceiling without a price", () => {
    expect(getErrors(drafted({ price: null }, typed("20"), left), null)).toEqual([]);
  });
});

describe("the summary", () => {
  it("deducts the fee from the interest alone", () => {
    const summary = calculateSummary(drafted({}, typed("0.05"), { type: "countSet", count: 3 }));
    expect(summary).toMatchObject({
      principalSats: 5_000_000n,
      totalSats: 15_000_000n,
      ltvBps: 5_000,
      interestSats: 150_000n,
      platformFeeSats: 30_000n,
      lentSats: 5_030_000n,
      payoutSats: 5_150_000n,
      termDays: 14,
    });
    expect(summary.apy).toBe(116.11);
  });
});

describe("any actions on a draft", () => {
  const amounts = fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String));
  const targets: fc.Arbitrary<LendTarget> = fc.record({
    subCollectionId: fc.constantFrom("0", "1"),
    collectionSlug: fc.constant("slug"),
    price: fc.option(fc.bigInt(1n, 5n * 10n ** 18n)),
    raw: fc.bigInt(1n, 10n ** 30n),
    decimals: fc.integer({ min: 0, max: 38 }),
    interestBps: fc.integer({ min: 0, max: 10_000 }),
    termDays: fc.integer({ min: 1, max: 365 }),
    platformFee: fc.option(fc.record({ percent: fc.constant(20), minSats: fc.constantFrom(294n, 330n) })),
    bestOfferSats: fc.option(fc.bigInt(0n, 2_000_000_000n)),
    minOfferSats: fc.bigInt(1n, 100_000n),
    maxOfferSats: fc.constant(2_000_000_000n),
    countMax: fc.constant(5),
  });
  const actions: fc.Arbitrary<LendAction> = fc.oneof(
    amounts.map(typed),
    fc.double().map((steps): LendAction => ({ type: "amountStepped", steps })),
    fc.constant(left),
    fc.double().map((percent): LendAction => ({ type: "ltvSet", percent })),
    fc.constantFrom(1 as const, -1 as const).map((by): LendAction => ({ type: "ltvNudged", by })),
    fc.double().map((count): LendAction => ({ type: "countSet", count })),
    targets.map((target): LendAction => ({ type: "targetChosen", target })),
    targets.map((target): LendAction => ({ type: "marketMoved", target })),
  );

  it("leave nothing negative, not a number or out of range", () => {
    fc.assert(
      fc.property(targets, fc.array(actions, { maxLength: 30 }), (target, steps) => {
        const draft = steps.reduce(reducer, newDraft(target));
        const summary = calculateSummary(draft);
        expect(draft.ltvPercent).toBeGreaterThanOrEqual(1);
        expect(draft.ltvPercent).toBeLessThanOrEqual(98);
        expect([1, 2, 3, 4, 5]).toContain(draft.count);
        expect(summary.principalSats).toBeGreaterThanOrEqual(0n);
        expect(summary.principalSats).toBeLessThanOrEqual(draft.target.maxOfferSats);
        expect(summary.platformFeeSats).toBeLessThanOrEqual(summary.interestSats);
        expect(summary.payoutSats).toBeGreaterThanOrEqual(summary.principalSats);
        expect(Number.isNaN(summary.apy)).toBe(false);
        expect(draft.amountText).toMatch(/^\d{0,8}(\.\d{0,8})?$/);
      }),
    );
  });

  it("lead to an amount that the server accepts, unless there is an error", () => {
    fc.assert(
      fc.property(targets, fc.array(actions, { maxLength: 30 }), (target, steps) => {
        const draft = steps.reduce(reducer, newDraft(target));
        const principal = principalOf(draft);
        if (principal === 0n || getErrors(draft, null).length > 0) return;
        expect(principal).toBeGreaterThanOrEqual(draft.target.minOfferSats);
        expect(principal).toBeLessThanOrEqual(2_000_000_000n);
        expect(Number.isSafeInteger(Number(principal))).toBe(true);
        expect(ltvOf(draft.target, principal) ?? 0).toBeLessThan(9_900);
      }),
    );
  });
});
