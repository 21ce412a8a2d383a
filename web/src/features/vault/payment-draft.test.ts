import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calculateSummary, EMPTY_DRAFT, getErrors, type PaymentAction, reducer } from "./payment-draft";

const drafted = (...actions: PaymentAction[]) => actions.reduce(reducer, EMPTY_DRAFT);
const typed = (text: string): PaymentAction => ({ type: "amountTyped", text });
const wholeBalance = (sats: bigint): PaymentAction => ({ type: "everythingChosen", sats });

describe("an amount of money", () => {
  it.each([
    ["nothing", [typed("")], 0n, []],
    ["less than an output can hold", [typed("0.000009")], 0n, []],
    ["the smallest amount", [typed("0.00001")], 1_000n, []],
    ["what the vault holds", [typed("0.05")], 5_000_000n, []],
    ["more than the vault holds", [typed("0.05001")], 5_001_000n, ["Insufficient vault balance"]],
    ["no number", [typed("0.02"), typed("much")], 2_000_000n, []],
  ] satisfies Array<[string, PaymentAction[], bigint, string[]]>)("of %s", (_, actions, sats, errors) => {
    const draft = drafted(...actions);
    expect(calculateSummary(draft)).toEqual({ sats, requestedSats: sats });
    expect(getErrors(draft, 5_000_000n)).toEqual(errors);
  });

  it("below the relay limit of every node is refused", () => {
    expect(getErrors(drafted(wholeBalance(500n)), null)).toEqual(["At least ₿0.00001"]);
  });

  it("of the maximum leaves the sum to the server, until an amount is typed", () => {
    const all = drafted(wholeBalance(4_999_999n));
    expect(calculateSummary(all)).toEqual({ sats: 4_999_999n, requestedSats: null });
    expect(calculateSummary(reducer(all, typed("0.01"))).requestedSats).toBe(1_000_000n);
    expect(drafted(wholeBalance(0n)).isWholeBalance).toBe(false);
  });

  it("without an error is within the vault's balance after any actions", () => {
    const actions = fc.oneof(
      fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)).map(typed),
      fc.bigInt(0n, 10n ** 15n).map(wholeBalance),
    );
    fc.assert(
      fc.property(fc.array(actions), fc.bigInt(0n, 10n ** 15n), (steps, usable) => {
        const draft = drafted(...steps);
        const { sats } = calculateSummary(draft);
        expect(sats).toBeGreaterThanOrEqual(0n);
        if (sats === 0n || getErrors(draft, usable).length > 0) return;
        expect(sats).toBeLessThanOrEqual(usable);
        expect(Number.isSafeInteger(Number(sats))).toBe(true);
      }),
    );
  });
});
