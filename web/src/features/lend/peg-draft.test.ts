import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  editDraft,
  type LendAction,
  type LendDraft,
  type LendTarget,
  newDraft,
  principalOf,
  reducer,
} from "./lend-draft";
import { getErrors } from "./lend-errors";
import { INSCRIPTION, PEGGED } from "./lend-fixtures";
import { calculateSummary } from "./lend-summary";
import { pegBounds, pegKey, pegLevel } from "./peg-draft";

function drafted(target: Partial<LendTarget>, ...actions: LendAction[]): LendDraft {
  return actions.reduce(reducer, newDraft({ ...INSCRIPTION, ...target }));
}
const follow: LendAction = { type: "pegSet", isPegged: true };
const fix: LendAction = { type: "pegSet", isPegged: false };
const share = (text: string): LendAction => ({ type: "pegTyped", field: "shareText", text });
const least = (text: string): LendAction => ({ type: "pegTyped", field: "leastText", text });
const most = (text: string): LendAction => ({ type: "pegTyped", field: "mostText", text });
const floor = (sats: bigint): LendAction => ({
  type: "marketMoved",
  target: { ...INSCRIPTION, price: sats * 100_000_000n },
});

describe("the bounds of a principal that follows the floor", () => {
  it.each([
    ["are around the fixed principal at first", {}, [follow], ["50", "0.025", "0.075"]],
    ["are around the best offer", { bestOfferSats: 6_234_567n }, [follow], ["62", "0.03117", "0.09351"]],
    ["are not below the minimum", { minOfferSats: 3_000_000n }, [follow], ["50", "0.03", "0.075"]],
    ["are not above the maximum", { maxOfferSats: 6_000_000n }, [follow], ["50", "0.025", "0.06"]],
    ["are typed like amounts", {}, [follow, least("0.0123456"), most("21")], ["50", "0.01234", "20"]],
    ["do not take letters", {}, [follow, share("6x"), least("a"), most("-1")], ["50", "0.025", "0.075"]],
    [
      "take a share with two decimals",
      {},
      [follow, share("59.55"), share("59.555")],
      ["59.55", "0.025", "0.075"],
    ],
    ["take a comma", {}, [follow, share("59,5")], ["59.5", "0.025", "0.075"]],
    ["follow the keys of the LTV", {}, [follow, { type: "ltvNudged", by: 1 }], ["51", "0.025", "0.075"]],
    [
      "have a share of at most 98 percent by the keys",
      {},
      [follow, share("97.5"), { type: "ltvNudged", by: 1 }],
      ["98", "0.025", "0.075"],
    ],
    [
      "have a share of at least one percent by the keys",
      {},
      [follow, share(""), { type: "ltvNudged", by: -1 }],
      ["1", "0.025", "0.075"],
    ],
  ] satisfies Array<[string, Partial<LendTarget>, LendAction[], string[]]>)(
    "%s",
    (_, target, actions, texts) => {
      const { peg } = drafted(target, ...actions);
      expect([peg?.shareText, peg?.leastText, peg?.mostText]).toEqual(texts);
    },
  );

  it("are not asked for without a price", () => {
    expect(drafted({ price: null }, follow).peg).toBeNull();
  });

  it("of an edit are the offer's own, with all decimals", () => {
    const peg = {
      ltv: 45.25,
      minSats: 1_234_567n,
      maxSats: 7_654_321n,
      stepSats: 65_000n,
      fallsBelow: null,
      risesAt: null,
    };
    const draft = editDraft(INSCRIPTION, 4_500_000n, peg);
    expect(draft.peg).toEqual({ shareText: "45.25", leastText: "0.01234567", mostText: "0.07654321" });
    expect(draft.peg && pegBounds(draft.peg, INSCRIPTION)).toMatchObject({
      ltvBps: 4_525,
      minSats: 1_234_567n,
      maxSats: 7_654_321n,
    });
  });

  it("are equal however they are typed", () => {
    const one = drafted({}, follow, share("60"), least("0.03"));
    const other = drafted({}, follow, share("60.0"), least("0.030"));
    expect(pegKey(one.peg)).toBe(pegKey(other.peg));
    expect(pegKey(one.peg)).not.toBe(pegKey(drafted({}, follow, share("60.01"), least("0.03")).peg));
  });
});

describe("the principal", () => {
  it("is the largest step within the share of the floor, and moves with it", () => {
    const draft = drafted({}, ...PEGGED);
    const at = (sats: bigint) => principalOf(reducer(draft, floor(sats)));
    expect([principalOf(draft), at(12_000_000n), at(100_000_000n), at(1_000n)]).toEqual([
      5_940_000n,
      7_140_000n,
      9_000_000n,
      3_000_000n,
    ]);
    expect(calculateSummary(draft)).toMatchObject({ principalSats: 5_940_000n, ltvBps: 5_940 });
  });

  it("is fixed at the present one afterwards", () => {
    const draft = drafted({}, ...PEGGED, floor(12_000_000n), fix);
    expect([draft.peg, draft.amountText, draft.ltvPercent]).toEqual([null, "0.0714", 60]);
  });

  it("is the fixed one again when the bounds were incomplete", () => {
    expect(drafted({}, follow, most(""), fix).amountText).toBe("0.05");
  });

  it("is none while bounds or price are missing", () => {
    for (const action of [share(""), least(""), most(""), least("0.08")]) {
      expect(principalOf(drafted({}, follow, action))).toBe(0n);
    }
    const unknown: LendAction = { type: "marketMoved", target: { ...INSCRIPTION, price: null } };
    expect(principalOf(drafted({}, follow, unknown))).toBe(0n);
  });
});

describe("the errors of bounds", () => {
  it.each([
    ["nothing wrong", [], null, []],
    ["an empty amount", [least("")], null, []],
    ["an empty share", [share("")], null, ["Enter a share of 1% to 98%"]],
    ["a share below one percent", [share("0.99"), least("0.0003")], null, ["Enter a share of 1% to 98%"]],
    ["a share above the ceiling", [share("98.01")], null, ["Offer cannot be above 98% LTV"]],
    ["the ceiling", [share("98")], null, []],
    ["too little", [least("0.00029")], null, ["Below min offer of ₿0.0003"]],
    ["the minimum", [least("0.0003")], null, []],
    [
      "the two amounts in the wrong order",
      [least("0.05"), most("0.04")],
      null,
      ["Above the largest principal of ₿0.04"],
    ],
    ["one level", [least("0.05"), most("0.05")], null, []],
    [
      "a least principal above the share of the floor",
      [share("40"), least("0.05")],
      null,
      ["₿0.05 is at 50% LTV now, above 40%"],
    ],
    ["a largest principal far above the floor", [most("5")], null, []],
    ["the present principal above the balance", [], 4_000_000n, ["Insufficient BTC balance"]],
    ["the largest principal above the balance", [], 5_100_000n, []],
  ] satisfies Array<[string, LendAction[], bigint | null, string[]]>)(
    "of %s",
    (_, actions, balance, errors) => {
      expect(getErrors(drafted({}, follow, ...actions), balance)).toEqual(errors);
    },
  );
});

describe("any actions on a draft that follows the floor", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.double({ min: 0, max: 120 }).map((value) => value.toFixed(3)),
    fc.bigInt(0n, 2_100_000_000n).map((sats) => (Number(sats) / 1e8).toFixed(5)),
  );
  const actions: fc.Arbitrary<LendAction> = fc.oneof(
    texts.map(share),
    texts.map(least),
    texts.map(most),
    fc.constantFrom(follow, fix, { type: "amountLeft" } as const, { type: "ltvNudged", by: 1 } as const),
    fc.bigInt(1n, 50_000_000_000n).map(floor),
  );

  it("lead to bounds that the server accepts, unless there is an error", () => {
    fc.assert(
      fc.property(fc.array(actions, { maxLength: 30 }), (steps) => {
        const draft = [follow, ...steps].reduce(reducer, newDraft(INSCRIPTION));
        const principal = principalOf(draft);
        expect(principal).toBeGreaterThanOrEqual(0n);
        const bounds = draft.peg && pegBounds(draft.peg, draft.target);
        if (!draft.peg || !bounds || getErrors(draft, null).length > 0) return;
        expect(bounds.ltvBps).toBeGreaterThanOrEqual(100);
        expect(bounds.ltvBps).toBeLessThanOrEqual(9_800);
        expect(bounds.minSats).toBeGreaterThanOrEqual(INSCRIPTION.minOfferSats);
        expect(bounds.minSats).toBeLessThanOrEqual(bounds.maxSats);
        expect(bounds.maxSats).toBeLessThanOrEqual(INSCRIPTION.maxOfferSats);
        expect(pegLevel(draft.peg, draft.target)?.isBelow).toBe(false);
        expect(principal).toBeGreaterThanOrEqual(bounds.minSats);
        expect(principal).toBeLessThanOrEqual(bounds.maxSats);
      }),
    );
  });
});
