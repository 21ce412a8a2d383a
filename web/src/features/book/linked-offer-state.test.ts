import { bookOf } from "@client/book.ts";
import { expect, test } from "vitest";
import { NO_CONDITIONS } from "@/shared/api/conditions-example";
import { offer, row } from "@/shared/feed/feed-fixtures";
import { linkedState, selectionOf } from "./linked-offer-state";

const live = offer(1, { lender_id: "us_a", process: "instant", subCollectionId: "1" });
const reserved = offer(2, { lender_id: "us_b", state: "reserved" });
const conditional = (number: number, borrowerAddress: string | null) =>
  offer(number, {
    lender_id: "us_b",
    state: "conditional",
    conditions: { ...NO_CONDITIONS, borrowerAddress },
  });
const [forSome, forOne] = [conditional(3, null), conditional(4, "bc1q")];
const book = bookOf({ row: row(), offers: [live, reserved, forSome, forOne], loans: [] });

test.each([
  [live.offerId, null, "live"],
  [live.offerId, "us_b", "live"],
  [live.offerId, "us_a", "own"],
  [reserved.offerId, "us_a", "reserved"],
  [reserved.offerId, "us_b", "own"],
  [forSome.offerId, "us_a", "conditional"],
  [forOne.offerId, "us_a", "for you"],
  [forOne.offerId, "us_b", "own"],
  ["of_never_was", "us_a", "gone"],
])("the offer %s is to %s: %s", (offerId, userId, state) => {
  expect(linkedState(book, offerId, userId)).toBe(state);
});

test("a book opens at the place of the linked offer, if it is in the book", () => {
  expect(selectionOf(book, live.offerId)).toEqual({ subCollectionId: "1", process: "instant" });
  expect(selectionOf(book, "of_never_was")).toBeNull();
  expect(selectionOf(book, null)).toBeNull();
});
