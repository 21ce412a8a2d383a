import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokensText } from "@/shared/format/raw-tokens";
import {
  amountOf,
  calculateSummary,
  cardsOf,
  getErrors,
  ltvSteps,
  maxRaw,
  newDraft,
  offersMessage,
  parseTokens,
  type RuneAction,
  type RuneDraft,
  type RuneTarget,
  reducer,
  withoutRefused,
} from "./rune-draft";
import type { RuneQuote } from "./rune-quotes";

const quote = (offerId: string, termDays: number, fields: Partial<RuneQuote> = {}): RuneQuote => ({
  offerId,
  termDays,
  interestBps: 200,
  availableSats: 600_000n,
  availableRaw: 100_000n,
  fromRaw: 10_000n,
  toRaw: 100_000n,
  ...fields,
});
/** Two decimals and ten sats per whole token: 100,000 raw units are worth 10,000 sats. */
const target = (fields: Partial<RuneTarget> = {}): RuneTarget => ({
  quotes: [quote("week", 7), quote("month", 30, { availableSats: 700_000n })],
  balance: 80_000n,
  decimals: 2,
  price: 1_000_000_000n,
  pinnedOfferId: null,
  ...fields,
});
const applied = (draft: RuneDraft, ...actions: RuneAction[]) => actions.reduce(reducer, draft);
const typed = (text: string) => ({ type: "amountTyped", text }) as const;

describe("the collateral", () => {
  it.each<[string, Partial<RuneTarget>, string | null]>([
    ["70 percent of the balance in whole tokens", {}, "560"],
    ["rounded to the next whole token", { balance: 10_110n }, "71"],
    ["one token at least", { balance: 101n }, "1"],
    ["no more than there is", { balance: 55n }, "0.55"],
    ["no more than the largest offer takes", { balance: 900_000n }, "1000"],
    ["nothing while offers are fetched", { quotes: null }, null],
    ["nothing without tokens", { balance: 0n }, null],
  ])("starts with %s", (_, fields, text) => {
    expect(newDraft(target(fields)).amountText).toBe(text);
  });

  it.each([
    ["12.34", "12.34"],
    ["12.345", "12.34"],
    ["12,5", "12.5"],
    ["12.", "12."],
    [".5", ".5"],
    ["12a", ""],
    ["-1", ""],
    ["1e3", ""],
    ["", ""],
    ["5000", "800"],
  ])("typed as %s becomes %s", (text, shown) => {
    expect(applied(newDraft(target()), typed(text)).amountText).toBe(shown);
  });

  it("has no decimals where the rune has none", () => {
    expect(applied(newDraft(target({ decimals: 0 })), typed("12.5")).amountText).toBe("12");
  });

  it("is limited by the balance and by the largest offer", () => {
    expect(maxRaw(target())).toBe(80_000n);
    expect(maxRaw(target({ balance: 200_000n }))).toBe(100_000n);
    expect(maxRaw(target({ balance: null }))).toBe(100_000n);
    expect(maxRaw(target({ pinnedOfferId: "gone" }))).toBe(0n);
  });

  it("is reduced when the market accepts less", () => {
    const smaller = target({ quotes: [quote("week", 7, { toRaw: 20_000n })] });
    expect(applied(newDraft(target()), { type: "marketMoved", target: smaller }).amountText).toBe("200");
  });
});

describe("the terms", () => {
  const terms = (...actions: RuneAction[]) => applied(newDraft(target()), ...actions).terms;
  const toggle = (termDays: number) => ({ type: "termToggled", termDays }) as const;
  it("are all at first, and choosing one replaces all", () => {
    expect(terms()).toEqual([]);
    expect(terms(toggle(7))).toEqual([7]);
    expect(terms(toggle(7), toggle(30))).toEqual([7, 30]);
  });
  it("are all again when the last one is deselected, or All is chosen", () => {
    expect(terms(toggle(7), toggle(7))).toEqual([]);
    expect(terms(toggle(7), toggle(30), { type: "allTermsChosen" })).toEqual([]);
  });
});

describe("the offer", () => {
  it("with the highest LTV is selected by default", () => {
    expect(newDraft(target()).offerId).toBe("month");
    expect(calculateSummary(newDraft(target()))).toMatchObject({
      principalSats: 392_000n,
      interestSats: 7_840n,
      payoutSats: 399_840n,
      ltvBps: 700_000,
      termDays: 30,
    });
  });
  it("stays as the user chose it", () => {
    const draft = applied(newDraft(target()), { type: "offerChosen", offerId: "week" }, typed("300"));
    expect(draft.offerId).toBe("week");
  });
  it("is selected again when the terms or the amount exclude it", () => {
    const dropped = applied(newDraft(target()), { type: "termToggled", termDays: 7 });
    expect(dropped.offerId).toBe("week");
    const none = applied(newDraft(target()), typed("1"));
    expect([none.offerId, applied(none, typed("200")).offerId]).toEqual([null, "month"]);
  });
  it("is one card for each term, with its best offer", () => {
    const quotes = [quote("a", 7), quote("b", 7, { availableSats: 650_000n }), quote("c", 30)];
    expect(cardsOf(newDraft(target({ quotes }))).map(({ offerId }) => offerId)).toEqual(["b", "c"]);
  });
});

describe("the message", () => {
  const message = (draft: RuneDraft) => offersMessage(draft, "GOOD•RUNE");
  it.each<[string | null, RuneDraft]>([
    [null, newDraft(target())],
    ["Fetching offers...", newDraft(target({ quotes: null }))],
    ["No offers are currently available for this collection.", newDraft(target({ quotes: [] }))],
    ["You don't have any GOOD•RUNE tokens to use as collateral.", newDraft(target({ balance: 0n }))],
    ["No offers for that amount", applied(newDraft(target()), typed("1"))],
    [
      "Select a term to view offers.",
      applied(
        newDraft(target()),
        { type: "termToggled", termDays: 7 },
        { type: "marketMoved", target: target({ quotes: [quote("month", 30)] }) },
      ),
    ],
    ["Selected offer is no longer available", newDraft(target({ pinnedOfferId: "gone" }))],
  ])("%s", (text, draft) => {
    expect(message(draft)).toBe(text);
  });

  const wallet = { addresses: ["a", "b", "c", "d"], feeRate: 1 };
  it.each<[string | undefined, RuneDraft, Partial<Parameters<typeof getErrors>[1]>]>([
    [undefined, newDraft(target()), {}],
    ["No collateral amount", applied(newDraft(target()), typed("")), {}],
    ["No offer selected", applied(newDraft(target()), typed("1")), {}],
    ["Selected offer is no longer available", newDraft(target({ pinnedOfferId: "gone" })), {}],
    ["missing user addresses!", newDraft(target()), { addresses: [] }],
    ["Select a fee rate", newDraft(target()), { feeRate: null }],
  ])("on submitting: %s", (error, draft, fields) => {
    expect(getErrors(draft, { ...wallet, ...fields })[0]?.text).toBe(error);
  });
});

describe("the next offer after a refusal", () => {
  it("is the best of the others, though one was chosen in the order book", () => {
    const before = target({ pinnedOfferId: "month" });
    const left = withoutRefused(before, new Set(["month"]));
    const draft = applied(newDraft(before), { type: "marketMoved", target: left });
    expect(calculateSummary(draft).card?.offerId).toBe("week");
    expect(draft.amountText).toBe(newDraft(before).amountText);
    expect(withoutRefused(before, new Set())).toEqual(before);
  });
});

describe("the graph", () => {
  it("has a step where an offer begins or ends", () => {
    const quotes = [
      quote("small", 7, { fromRaw: 0n, toRaw: 20_000n, availableSats: 800_000n }),
      quote("large", 7, { fromRaw: 10_000n, toRaw: 60_000n }),
    ];
    const steps = ltvSteps(newDraft(target({ quotes })));
    expect(steps.map(({ raw, ltvBps }) => [raw, ltvBps])).toEqual([
      [0n, 800_000],
      [10_000n, 800_000],
      [20_001n, 600_000],
      [60_000n, 600_000],
    ]);
  });
});

describe("any input and slider moves", () => {
  const action = fc.oneof(
    fc.string({ maxLength: 14 }).map(typed),
    fc.bigInt(-10n, 10n ** 12n).map((raw): RuneAction => ({ type: "amountSet", raw })),
    fc.constantFrom(7, 30, 90).map((termDays): RuneAction => ({ type: "termToggled", termDays })),
    fc.constant<RuneAction>({ type: "allTermsChosen" }),
    fc.constantFrom("week", "month").map((offerId): RuneAction => ({ type: "offerChosen", offerId })),
    fc
      .bigInt(0n, 200_000n)
      .map((balance): RuneAction => ({ type: "marketMoved", target: target({ balance }) })),
  );
  it("keep the amount acceptable to the server, within the range of the chosen offer", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
        const draft = applied(newDraft(target()), ...actions);
        const raw = amountOf(draft);
        expect(raw >= 0n && raw <= maxRaw(draft.target)).toBe(true);
        expect(tokensText(raw, 2)).toMatch(/^\d+(\.\d{1,2})?$/);
        expect(parseTokens(tokensText(raw, 2), 2)).toBe(raw);
        const { card, principalSats } = calculateSummary(draft);
        expect(principalSats >= 0n).toBe(true);
        if (card) {
          const taken = draft.target.quotes?.find(({ offerId }) => offerId === card.offerId);
          expect(taken && raw >= taken.fromRaw && raw <= taken.toRaw).toBe(true);
        }
      }),
    );
  });
});
