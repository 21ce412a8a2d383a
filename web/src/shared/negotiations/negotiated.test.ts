import { describe, expect, it } from "vitest";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { NegotiableOffer } from "@/shared/api/counter-offer";
import type { Loan } from "@/shared/api/loan";
import { negotiation } from "@/shared/feed/feed-fixtures";
import { begunAbout, negotiatedIds } from "./negotiated";

const offer = { kind: "offer", offerId: "of_1" } as NegotiableOffer;
const request = { kind: "request", asked: { requestId: "rq_1" } as BorrowRequest } as const;

const aboutOffer = { offerId: "of_1", requestId: null };
const aboutRequest = { offerId: null, requestId: "rq_1" };

describe("the user's negotiation", () => {
  it("about an offer is begun as its borrower, about a request as its lender", () => {
    expect(begunAbout(offer, [negotiation(aboutOffer)])).toBeDefined();
    expect(begunAbout(request, [negotiation({ ...aboutRequest, role: "lender" })])).toBeDefined();
  });

  it("about a loan is begun by either side", () => {
    const loan = { kind: "loan", loan: { loanId: "ln_1" } as Loan } as const;
    for (const role of ["borrower", "lender"] as const) {
      expect(begunAbout(loan, [negotiation({ offerId: null, loanId: "ln_1", role })])).toBeDefined();
    }
    expect(begunAbout(loan, [negotiation({ offerId: null, loanId: "ln_2" })])).toBeUndefined();
  });

  it("is not that of the other side, of something else, or one that is over", () => {
    expect(begunAbout(offer, [negotiation({ ...aboutOffer, role: "lender" })])).toBeUndefined();
    expect(begunAbout(request, [negotiation(aboutRequest)])).toBeUndefined();
    expect(begunAbout(offer, [negotiation({ offerId: "of_2" })])).toBeUndefined();
    expect(begunAbout(offer, [negotiation({ ...aboutOffer, state: "declined" })])).toBeUndefined();
  });

  it("marks its offer or request while it is open, on both sides", () => {
    const ids = negotiatedIds([
      negotiation({ ...aboutOffer, role: "lender" }),
      negotiation(aboutRequest),
      negotiation({ offerId: "of_2", state: "closed" }),
    ]);
    expect([...ids]).toEqual(["of_1", "rq_1"]);
  });
});
