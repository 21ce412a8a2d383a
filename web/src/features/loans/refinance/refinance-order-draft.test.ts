import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { collection } from "@/shared/api/collection";
import type { RefinanceOrder } from "@/shared/api/loan";
import type { Wire } from "@/shared/api/operation";
import { wireRow } from "@/shared/feed/feed-fixtures";
import { exampleLoan } from "../loan-example";
import {
  daysBeforeChoices,
  type OrderDraft,
  orderBody,
  orderDraft,
  orderError,
  orderOf,
  orderTerms,
} from "./refinance-order-draft";

const order: RefinanceOrder = {
  principalMinSats: 5_000_001n,
  interestMaxPercentage: 2.55,
  termMinDays: 10,
  termMaxDays: 30,
  daysBefore: 5,
};
const typed: OrderDraft = {
  principalText: "0.05",
  interestText: "2.5",
  termMinDays: 7,
  termMaxDays: 30,
  daysBefore: 3,
};

type Term = Wire["Row"]["subCollections"][number];

/** A row with these terms, each a bundle size and the processes that it takes. */
function rowOf(...terms: Array<Pick<Term, "term" | "bundleSize" | "manual" | "instant">>) {
  const [sub] = wireRow().subCollections;
  const subCollections = terms.map((term, index) => ({
    ...(sub as Term),
    id: String(index),
    ...term,
  }));
  return v.parse(collection, wireRow({ subCollections }));
}

describe("the terms of a standing order", () => {
  const both = { manual: true, instant: true };

  it("are those of offers for exactly the collateral, each once, the shortest first", () => {
    const row = rowOf(
      { term: 30, bundleSize: "1", ...both },
      { term: 7, bundleSize: null, manual: false, instant: true },
      { term: 30, bundleSize: "1", ...both },
      { term: 14, bundleSize: "2", ...both },
      { term: 21, bundleSize: "1", manual: false, instant: false },
    );
    expect(orderTerms(exampleLoan(), row)).toEqual([7, 30]);
  });

  it("include those of the order itself, whatever the collection has now", () => {
    const row = rowOf({ term: 14, bundleSize: "1", ...both });
    expect(orderTerms(exampleLoan({ refinanceOrder: order }), row)).toEqual([10, 14, 30]);
  });

  it("are the loan's own where the collection has none", () => {
    expect(orderTerms(exampleLoan(), rowOf())).toEqual([14]);
  });
});

describe("a draft of a standing order", () => {
  it("repays the loan at no more interest than now, for any term, three days before the due date", () => {
    expect(orderDraft(exampleLoan(), [7, 14, 30])).toEqual({
      principalText: "0.0515",
      interestText: "3",
      termMinDays: 7,
      termMaxDays: 30,
      daysBefore: 3,
    });
  });

  it("is the order that is set, and saves it unchanged", () => {
    const draft = orderDraft(exampleLoan({ refinanceOrder: order }), [7, 14]);
    expect(draft).toEqual({
      principalText: "0.05000001",
      interestText: "2.55",
      termMinDays: 10,
      termMaxDays: 30,
      daysBefore: 5,
    });
    expect(orderOf(draft)).toEqual(order);
  });

  it("offers the usual days, and those of the order", () => {
    expect(daysBeforeChoices({ refinanceOrder: null })).toEqual([1, 3, 7, 14]);
    expect(daysBeforeChoices({ refinanceOrder: order })).toEqual([1, 3, 5, 7, 14]);
  });

  it.each([
    [{}, null],
    [{ interestText: "0" }, null],
    [{ principalText: "" }, /least principal/],
    [{ principalText: "0" }, /least principal/],
    [{ interestText: "" }, /highest interest/],
    [{ interestText: "2.555" }, /highest interest/],
    [{ interestText: "x" }, /highest interest/],
  ])("with %o is refused by: %s", (part, reason) => {
    const error = orderError({ ...typed, ...part });
    if (reason === null) expect(error).toBeNull();
    else expect(error).toMatch(reason);
    expect(orderOf({ ...typed, ...part }) === null).toBe(reason !== null);
  });

  it("is sent in sats and hundredths of a percent", () => {
    expect(orderBody(order)).toEqual({
      principalMinSats: 5_000_001,
      interestMax: 255,
      termMinDays: 10,
      termMaxDays: 30,
      daysBefore: 5,
    });
    // 1.1 times 100 is not 110 in binary.
    expect(orderBody({ ...order, interestMaxPercentage: 1.1 }).interestMax).toBe(110);
  });
});
