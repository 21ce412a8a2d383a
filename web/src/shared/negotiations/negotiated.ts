import type { NegotiationSubject } from "@/shared/api/counter-offer";
import type { Negotiation } from "@/shared/api/negotiation";

/**
 * The open negotiation that the user began about an offer or a request, or that either side began about a
 * loan; undefined without one.
 */
export function begunAbout(
  subject: NegotiationSubject,
  negotiations: Iterable<Negotiation>,
): Negotiation | undefined {
  const isAbout = ({ role, offerId, requestId, loanId }: Negotiation) => {
    switch (subject.kind) {
      case "offer":
        return role === "borrower" && offerId === subject.offerId;
      case "request":
        return role === "lender" && requestId === subject.asked.requestId;
      case "loan":
        return loanId === subject.loan.loanId;
    }
  };
  return [...negotiations].find((each) => each.state === "open" && isAbout(each));
}

/** The offers and requests that the user negotiates about, by id. */
export function negotiatedIds(negotiations: Iterable<Negotiation>): ReadonlySet<string> {
  const open = [...negotiations].filter(({ state }) => state === "open");
  return new Set(open.flatMap(({ offerId, requestId }) => [offerId, requestId].filter((id) => id !== null)));
}
