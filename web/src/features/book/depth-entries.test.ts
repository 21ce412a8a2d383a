import { bookOf } from "@client/book.ts";
import { describe, expect, it } from "vitest";
import { offer, row } from "@/shared/feed/feed-fixtures";
import { exampleRequest } from "@/shared/requests/request-example";
import { offerEntries, requestEntries } from "./depth-entries";

const ROW = row({ unitPrice: "1000000.00000000" });
const WITHOUT_PRICE = row({ unitPrice: null });

const request = exampleRequest({ inscriptionIds: ["i0", "i1"] });

describe("the offers of the depth", () => {
  const offers = [
    offer(1, { principal_amount_sats: 400_000, available_sats: 400_000, lender_id: "us_a" }),
    offer(2, { principal_amount_sats: 600_000, available_sats: 250_000, process: "instant" }),
    offer(3, { state: "reserved", available_sats: 0 }),
    offer(4, { state: "conditional" }),
  ];

  it("are those of both process types that anyone can take, with what is left of them", () => {
    expect(offerEntries(bookOf({ row: ROW, offers, loans: [] }), "us_a")).toEqual([
      { ltvBps: 4_000, sats: 400_000n, own: true },
      { ltvBps: 6_000, sats: 250_000n, own: false },
    ]);
  });

  it("are none without a price", () => {
    expect(offerEntries(bookOf({ row: WITHOUT_PRICE, offers, loans: [] }), null)).toEqual([]);
  });
});

describe("the requests of the depth", () => {
  it("have the LTV of all their collateral together", () => {
    expect(requestEntries([request], ROW, "us_b")).toEqual([{ ltvBps: 2_500, sats: 500_000n, own: true }]);
    expect(requestEntries([request], ROW, null)).toMatchObject([{ own: false }]);
  });

  it("are none without a price", () => {
    expect(requestEntries([request], WITHOUT_PRICE, null)).toEqual([]);
  });
});
