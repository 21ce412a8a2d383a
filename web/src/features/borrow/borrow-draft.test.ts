import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BorrowDraft,
  type BorrowTarget,
  calculateSummary,
  getErrors,
  newDraft,
  reducer,
} from "./borrow-draft";
import { type BorrowOffer, type BorrowSubCollection, bundleOf, nextOffer } from "./borrow-offer";

const offer = (offerId: string, principalSats: bigint, fields: Partial<BorrowOffer> = {}): BorrowOffer => ({
  offerId,
  lenderId: `us_${offerId}`,
  subCollectionId: "0",
  principalSats,
  raw: 1n,
  interestBps: 150,
  termDays: 14,
  ltvBps: 6_000,
  conditions: null,
  isPegged: false,
  ...fields,
});
const subCollection = (subCollectionId: string, ...offers: BorrowOffer[]): BorrowSubCollection => ({
  subCollectionId,
  termDays: 14,
  interestBps: 150,
  raw: 1n,
  offers: offers.map((each) => ({ ...each, subCollectionId })),
});
const LIMITS = { preparedMax: 10, preparedPerLenderMax: 5 };
const target = (fields: Partial<BorrowTarget> = {}): BorrowTarget => ({
  kind: "inscription",
  process: "manual",
  subCollections: [
    subCollection("0", offer("best", 1_000_000n), offer("near", 985_000n), offer("far", 900_000n)),
  ],
  pinnedOfferId: null,
  preparedLimits: LIMITS,
  ...fields,
});
const applied = (draft: BorrowDraft, ...actions: Parameters<typeof reducer>[1][]) =>
  actions.reduce(reducer, draft);
const toggle = (inscriptionId: string) => ({ type: "inscriptionToggled", inscriptionId }) as const;
const ids = (draft: BorrowDraft) => calculateSummary(draft).offers.map(({ offerId }) => offerId);

describe("the initial term of a draft", () => {
  const week = subCollection("0", offer("week", 1_115_000n));
  const term14 = subCollection("1", offer("fortnight", 1_730_000n));

  it("is the one of the best offer, which the market row shows", () => {
    expect(ids(newDraft(target({ subCollections: [week, term14] })))).toEqual(["fortnight"]);
  });

  it("is the first of equally good ones", () => {
    const same = subCollection("1", offer("same", 1_115_000n));
    expect(ids(newDraft(target({ subCollections: [week, same] })))).toEqual(["week"]);
  });

  it("is the one with the most sats for each unit of collateral, whatever the bundle", () => {
    const large = subCollection("1", offer("large", 2_000_000n, { raw: 2n }));
    expect(ids(newDraft(target({ kind: "rune", subCollections: [week, large] })))).toEqual(["week"]);
  });

  it("stays when another term becomes the best", () => {
    const draft = newDraft(target({ subCollections: [term14] }));
    const better = subCollection("2", offer("better", 1_900_000n));
    const moved = { type: "marketMoved", target: target({ subCollections: [term14, better] }) } as const;
    expect(ids(applied(draft, moved))).toEqual(["fortnight"]);
  });

  it("is the best remaining one when its offers have gone", () => {
    const draft = newDraft(target({ subCollections: [week, term14] }));
    expect(ids(applied(draft, { type: "marketMoved", target: target({ subCollections: [week] }) }))).toEqual([
      "week",
    ]);
    expect(ids(applied(draft, { type: "marketMoved", target: target({ subCollections: [] }) }))).toEqual([]);
  });

  it("is set when the first offer arrives", () => {
    const draft = newDraft(target({ subCollections: [] }));
    const moved = applied(draft, { type: "marketMoved", target: target({ subCollections: [term14] }) });
    expect(ids(moved)).toEqual(["fortnight"]);
    const grown = target({ subCollections: [term14, subCollection("2", offer("better", 1_900_000n))] });
    expect(ids(applied(moved, { type: "marketMoved", target: grown }))).toEqual(["fortnight"]);
  });
});

describe("the offers taken by a draft", () => {
  it.each<[string, BorrowDraft, string[]]>([
    ["the best where nothing is chosen yet", newDraft(target()), ["best"]],
    ["one for each inscription", applied(newDraft(target()), toggle("a"), toggle("b")), ["best", "near"]],
    [
      "none further than two percent from the best",
      applied(newDraft(target()), toggle("a"), toggle("b"), toggle("c")),
      ["best", "near"],
    ],
    [
      "one alone where a vault pays",
      applied(newDraft(target({ process: "instant" })), toggle("a"), toggle("b")),
      ["best"],
    ],
    [
      "the one of the order book alone",
      applied(newDraft(target({ pinnedOfferId: "far" })), toggle("a"), toggle("b")),
      ["far"],
    ],
    ["none when that one has gone", newDraft(target({ pinnedOfferId: "gone" })), []],
    ["none where there are none", newDraft(target({ subCollections: [] })), []],
    [
      "those of the place that was chosen",
      applied(
        newDraft(
          target({
            subCollections: [subCollection("0", offer("a", 2n)), subCollection("1", offer("b", 1n))],
          }),
        ),
        {
          type: "placeChosen",
          subCollectionId: "1",
        },
      ),
      ["b"],
    ],
    [
      "as many as bundles of a rune",
      applied(newDraft(target({ kind: "rune" })), { type: "countSet", count: 2 }),
      ["best", "near"],
    ],
    [
      "one bundle of BRC-20",
      applied(newDraft(target({ kind: "brc20" })), { type: "countSet", count: 2 }),
      ["best"],
    ],
  ])("are %s", (_, draft, expected) => {
    expect(ids(draft)).toEqual(expected);
  });

  it("keep within two percent of the best, the edge included", () => {
    const offers = [offer("a", 1_000n), offer("b", 980n), offer("c", 979n)];
    expect(bundleOf(offers, LIMITS).map(({ offerId }) => offerId)).toEqual(["a", "b"]);
  });

  it("includes as many offers as the server prepares, of a lender and in total", () => {
    const many = (lenderId: string) =>
      Array.from({ length: 7 }, (_, index) => offer(`${lenderId}-${index}`, 1_000n, { lenderId }));
    const bundle = bundleOf([...many("one"), ...many("two"), ...many("three")], LIMITS);
    expect(bundle.map(({ lenderId }) => lenderId)).toEqual([
      ...Array.from({ length: 5 }, () => "one"),
      ...Array.from({ length: 5 }, () => "two"),
    ]);
  });
});

describe("the next offer after a refusal", () => {
  const small = subCollection("0", offer("same-term", 900n), offer("less", 800n));
  const other = subCollection("1", offer("other-term", 950n));
  const large = subCollection("2", offer("other-bundle", 5_000n, { raw: 2n }));
  it.each([
    ["of the same term first", [other, small], "same-term"],
    ["of another term for the same collateral", [other, large], "other-term"],
    ["not one that takes another bundle", [large], null],
    ["none where there is none", [], null],
  ])("is %s", (_, subCollections, expected) => {
    expect(nextOffer(subCollections, { subCollectionId: "0", raw: 1n })?.offerId ?? null).toBe(expected);
  });
});

describe("choosing", () => {
  it("drops the oldest inscription when there are more than offers", () => {
    const draft = applied(newDraft(target()), toggle("a"), toggle("b"), toggle("c"));
    expect(draft.inscriptionIds).toEqual(["b", "c"]);
    expect(applied(draft, toggle("b")).inscriptionIds).toEqual(["c"]);
  });

  it("selects the only inscription, unless another one is chosen", () => {
    const lone = { type: "loneInscriptionFound", inscriptionId: "lone" } as const;
    expect(applied(newDraft(target()), lone).inscriptionIds).toEqual(["lone"]);
    expect(applied(newDraft(target()), toggle("a"), lone).inscriptionIds).toEqual(["a"]);
    // After the user deselects it, a market update does not select it again.
    const without = applied(newDraft(target()), lone, toggle("lone"), {
      type: "marketMoved",
      target: target(),
    });
    expect(without.inscriptionIds).toEqual([]);
  });

  it("replaces the one inscription of an instant loan", () => {
    const draft = applied(newDraft(target({ process: "instant" })), toggle("a"), toggle("b"));
    expect(draft.inscriptionIds).toEqual(["b"]);
  });

  it("follows the market: offers that are gone are not counted", () => {
    const draft = applied(newDraft(target()), toggle("a"), toggle("b"), {
      type: "marketMoved",
      target: target({ subCollections: [subCollection("0", offer("only", 5n))] }),
    });
    expect([draft.inscriptionIds, ids(draft)]).toEqual([["b"], ["only"]]);
  });
});

describe("an offer that takes several inscriptions together", () => {
  const together = newDraft(
    target({
      subCollections: [subCollection("0", offer("five", 5_000_000n, { raw: 5n }))],
      pinnedOfferId: "five",
    }),
  );
  const wallet = { addresses: ["a", "b", "c", "d"], feeRate: 1 };

  it("is one loan, without a choice of the user's", () => {
    expect(calculateSummary(together)).toMatchObject({ inscriptionCount: 5, countMax: 1 });
    expect(ids(together)).toEqual(["five"]);
    expect(getErrors(together, { ...wallet, isCollateralReady: true })).toEqual([]);
  });

  it("cannot be taken before all of them are known to be in the wallet", () => {
    expect(getErrors(together, { ...wallet, isCollateralReady: false })).toEqual([
      { at: "collateral", text: "Not all inscriptions of the request are known to be in your wallet" },
    ]);
  });

  it("is none with one inscription, nor with tokens", () => {
    expect(calculateSummary(newDraft(target())).inscriptionCount).toBe(1);
    const tokens = subCollection("0", offer("bundle", 1n, { raw: 700n }));
    expect(
      calculateSummary(newDraft(target({ kind: "rune", subCollections: [tokens] }))).inscriptionCount,
    ).toBe(1);
  });
});

describe("the reasons why a draft cannot be submitted", () => {
  type Wallet = Parameters<typeof getErrors>[1];
  const wallet: Wallet = { addresses: ["a", "b", "c", "d"], feeRate: 1, isCollateralReady: true };
  const chosen = applied(newDraft(target()), toggle("a"));
  it.each<[string | undefined, BorrowDraft, Partial<Wallet>]>([
    [undefined, chosen, {}],
    ["missing user addresses!", chosen, { addresses: ["a", "b", "c", ""] }],
    ["missing user addresses!", chosen, { addresses: ["a"] }],
    ["No inscription selected", newDraft(target()), {}],
    ["No lender offer ID available", newDraft(target({ subCollections: [] })), {}],
    ["No offer selected", newDraft(target({ subCollections: [], process: "instant" })), {}],
    ["Selected offer is no longer available", newDraft(target({ pinnedOfferId: "gone" })), {}],
    ["Select a fee rate", chosen, { feeRate: null }],
    ["No collateral amount", newDraft(target({ kind: "brc20" })), { isCollateralReady: false }],
  ])("%s", (error, draft, fields) => {
    expect(getErrors(draft, { ...wallet, ...fields })[0]?.text).toBe(error);
  });
});

describe("any choice", () => {
  const offers = fc.array(fc.bigInt(1n, 2_000_000_000n), { minLength: 1, maxLength: 6 });
  it("leaves sums non-negative, and takes no offer twice or without collateral", () => {
    fc.assert(
      fc.property(
        offers,
        fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f", "g"), { maxLength: 12 }),
        fc.integer({ min: -3, max: 9 }),
        fc.constantFrom("inscription", "rune", "brc20" as const),
        (principals, toggles, count, kind) => {
          const sorted = principals.sort((one, other) => (one > other ? -1 : 1));
          const subCollections = [
            subCollection("0", ...sorted.map((sats, index) => offer(`of_${index}`, sats))),
          ];
          const draft = applied(
            newDraft(target({ subCollections, kind: kind as "rune" })),
            ...toggles.map(toggle),
            {
              type: "countSet",
              count,
            },
          );
          const summary = calculateSummary(draft);
          expect(new Set(ids(draft)).size).toBe(summary.offers.length);
          expect(summary.payoutSats).toBe(summary.principalSats + summary.interestSats);
          expect(summary.interestSats >= 0n).toBe(true);
          expect(summary.offers.length).toBeGreaterThan(0);
          expect(summary.offers.length).toBeLessThanOrEqual(summary.countMax);
          if (kind === "inscription") {
            expect(summary.offers.length).toBe(Math.max(1, draft.inscriptionIds.length));
          }
        },
      ),
    );
  });
});
