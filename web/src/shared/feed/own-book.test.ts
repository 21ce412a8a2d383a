import { expect, it } from "vitest";
import { bookOf } from "./book-channel";
import { offer, row } from "./feed-fixtures";
import { withOwnOffers } from "./own-book";

it("adds the offers of its own group, and is the same book without any", () => {
  const book = bookOf({ row: row(), offers: [offer(1)], loans: [] });
  const forMe = offer(2, { state: "conditional" });
  expect(withOwnOffers(book, [{ groupId: "g_2", offer: forMe }])).toBe(book);
  const own = withOwnOffers(book, [{ groupId: "g_1", offer: forMe }]);
  expect([...own.offers.keys()]).toEqual([offer(1).offerId, forMe.offerId]);
  expect(book.offers.size).toBe(1);
});
