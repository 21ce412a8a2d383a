import { describe, expect, it } from "vitest";
import { namedOffer, offer, row } from "@/shared/feed/feed-fixtures";
import { borrowableSubCollections } from "./borrow-offer";

const listed = offer(1);
/** With more principal than the other, and a term of its own. */
const agreed = namedOffer(2, {
  principal_amount_sats: 2_000_000,
  isAgreed: true,
  loan_term_days: 21,
  interest_rate_percentage: 4,
});
const book = {
  row: row(),
  offers: new Map([listed, agreed].map((each) => [each.offerId, each])),
  loans: new Map(),
};

const subsFor = (pinnedId: string | null) =>
  borrowableSubCollections(book, "manual", "us_9", new Set(), pinnedId);

describe("an offer with negotiated terms", () => {
  it("is not among those of its sub-collection", () => {
    const [sub] = subsFor(null);
    expect(sub).toMatchObject({ termDays: 30, interestBps: 300 });
    expect(sub?.offers.map(({ offerId }) => offerId)).toEqual([listed.offerId]);
  });

  it("is taken on its own terms when it was chosen", () => {
    const [sub] = subsFor(agreed.offerId);
    expect(sub).toMatchObject({ termDays: 21, interestBps: 400 });
  });
});
