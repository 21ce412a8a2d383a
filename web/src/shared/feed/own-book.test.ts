import { bookOf } from "@client/book.ts";
import { expect, it } from "vitest";
import { offer, row } from "./feed-fixtures";
import { withOwnOffers } from "./own-book";

const NONE = { requests: null, negotiations: [] };

it("adds the offers of its own group, and is the same book without any", () => {
  const book = bookOf({ row: row(), offers: [offer(1)], loans: [] });
  const forMe = offer(2, { state: "conditional" });
  const inGroup = (groupId: string) => ({ groupId, requestId: null, offer: forMe });
  expect(withOwnOffers(book, [inGroup("g_2")], NONE)).toBe(book);
  const own = withOwnOffers(book, [inGroup("g_1")], NONE);
  expect([...own.offers.keys()]).toEqual([offer(1).offerId, forMe.offerId]);
  expect(book.offers.size).toBe(1);
});
