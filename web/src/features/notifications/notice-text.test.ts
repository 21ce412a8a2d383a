import { describe, expect, it } from "vitest";
import type { Notice } from "@/shared/api/notice";
import { row } from "@/shared/feed/feed-fixtures";
import { collectionAddress, isForUser, isUrgent, noticeAddress, noticeText } from "./notice-text";
import { unreadOf } from "./read-notices";

function notice(fields: Partial<Notice> = {}): Notice {
  return {
    id: "n_1",
    kind: "repaid",
    at: 1_000,
    collectionName: "Quiet Foxes",
    loanId: "ln_1",
    offerId: null,
    role: "lender",
    ...fields,
  };
}

describe("a notice", () => {
  it("words the same event differently for the two sides", () => {
    expect(noticeText(notice())).toBe("You were repaid");
    expect(noticeText(notice({ role: "borrower" }))).toBe("Repaid: the collateral is back");
    expect(noticeText(notice({ kind: "lapsed" }))).toBe("You did not sign in time");
  });

  it.each([
    [notice(), "/portfolio?tab=history&loan=ln_1"],
    [notice({ kind: "due_in_24h" }), "/portfolio?tab=loans&loan=ln_1"],
    [notice({ kind: "offer_paused", loanId: null, offerId: "of_1" }), "/portfolio?offer=of_1"],
    [notice({ kind: "term_change", loanId: null }), "/portfolio"],
    [
      notice({ kind: "refinance_ordered", role: "borrower", offerId: "of_1" }),
      "/portfolio?tab=loans&loan=ln_1&refinance=of_1",
    ],
    [
      notice({ kind: "refinance_cheaper", role: "borrower", offerId: "of_1" }),
      "/portfolio?tab=loans&loan=ln_1&refinance=of_1",
    ],
    // Other notices may name the offer that the loan came from.
    [notice({ kind: "due_in_72h", offerId: "of_1" }), "/portfolio?tab=loans&loan=ln_1"],
    [notice({ kind: "counter_offer", loanId: null }), "/portfolio/pending"],
    [notice({ kind: "counter_offer_accepted", loanId: null, offerId: "of_1" }), "/portfolio/pending"],
    [notice({ kind: "counter_offer_declined", loanId: null }), "/portfolio/pending"],
    [notice({ kind: "webhook_paused", loanId: null, role: null }), "/settings/notifications"],
  ])("links to its subject", (about, address) => {
    expect(noticeAddress(about)).toBe(address);
  });

  it("of an accepted counter-offer leads a borrower to the agreed offer, which is to be signed", () => {
    const accepted = { kind: "counter_offer_accepted", loanId: null, offerId: "of_7" } as const;
    const [forBorrower, forLender] = [notice({ ...accepted, role: "borrower" }), notice(accepted)];
    expect(noticeText(forBorrower)).toBe("The lender accepted your counter-offer: sign the loan");
    expect(noticeText(forLender)).toBe("The borrower accepted your counter-offer");
    const forExtension = notice({ ...accepted, loanId: "ln_1", offerId: null, role: "borrower" });
    expect(noticeText(forExtension)).toBe("The lender accepted your counter-offer: sign the extension");
    expect(isForUser(forBorrower)).toBe(true);
    expect([isForUser(forExtension), noticeAddress(forExtension)]).toEqual([false, "/portfolio/pending"]);
    expect([isUrgent(forBorrower), isUrgent(forLender)]).toEqual([true, false]);
    const market = [row({ collectionName: "Quiet Foxes", groupSlug: "quiet-foxes" })];
    expect(collectionAddress(forBorrower, market)).toBe("/borrow/ordinals?collection=quiet-foxes&offer=of_7");
  });

  it("of an offer that could refinance a loan is urgent where the borrower ordered it", () => {
    const ordered = notice({ kind: "refinance_ordered", role: "borrower", offerId: "of_1" });
    const cheaper = notice({ kind: "refinance_cheaper", role: "borrower", offerId: "of_1" });
    expect(noticeText(ordered)).toBe("Your standing order has an offer: sign the next loan");
    expect(noticeText(cheaper)).toBe("Another loan would be cheaper");
    expect([ordered, cheaper].map(isUrgent)).toEqual([true, false]);
  });

  it("of another lender's offer links to its collection, if the market knows it", () => {
    const gone = notice({ kind: "offer_taken" });
    const market = [
      row({ collectionName: "Quiet Moons", groupSlug: "quiet-moons" }),
      row({ collectionName: "Quiet Foxes", groupSlug: "quiet-foxes", collateralType: "rune" }),
    ];
    expect(collectionAddress(gone, market)).toBe("/borrow/runes?collection=quiet-foxes&view=detail");
    expect(collectionAddress(gone, [])).toBe("/borrow/ordinals");
    const forUser = notice({ kind: "offer_for_you", offerId: "of_7" });
    expect(collectionAddress(forUser, market)).toBe("/borrow/runes?collection=quiet-foxes&offer=of_7");
  });
});

it("notices after the last visit are unread, in whatever order they arrive", () => {
  const notices = [notice({ at: 3 }), notice({ at: 1 }), notice({ at: 2 })];
  expect(unreadOf(notices, 0)).toBe(3);
  expect(unreadOf(notices, 2)).toBe(1);
  expect(unreadOf(notices, 3)).toBe(0);
});
