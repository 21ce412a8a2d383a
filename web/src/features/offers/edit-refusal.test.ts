import { expect, it } from "vitest";
import type { MyOffer } from "@/shared/api/my-offer";
import { editRefusal } from "./edit-refusal";
import { exampleOffer } from "./offer-example";

it.each<[Partial<MyOffer>, string | null]>([
  [{}, null],
  [{ bundleSize: 1n }, null],
  [{ fungibleAmount: 5n, bundleSize: 1n }, "it is against the inscriptions of a request"],
  [{ collateralType: "rune", fungibleAmount: 500n, bundleSize: 100n }, null],
  [{ tags: ["under offer"] }, "a borrower is taking it"],
  [{ isAgreed: true, fungibleAmount: 5n }, "its terms were agreed on with the borrower"],
])("an offer with %o is refused an edit because %s", (fields, reason) => {
  expect(editRefusal(exampleOffer(fields))).toBe(reason);
});
