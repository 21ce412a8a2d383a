import type { CounterOfferSubject } from "@/shared/api/counter-offer";
import type { Negotiation } from "@/shared/api/negotiation";

/** The open negotiation that the user began about an offer or a request; undefined without one. */
export function begunAbout(
  subject: Exclude<CounterOfferSubject, { kind: "proposal" }>,
  negotiations: Iterable<Negotiation>,
): Negotiation | undefined {
  return [...negotiations].find(
    ({ state, role, offerId, requestId }) =>
      state === "open" &&
      (subject.kind === "offer"
        ? role === "borrower" && offerId === subject.offerId
        : role === "lender" && requestId === subject.asked.requestId),
  );
}

/** The offers and requests that the user negotiates about, by id. */
export function negotiatedIds(negotiations: Iterable<Negotiation>): ReadonlySet<string> {
  const open = [...negotiations].filter(({ state }) => state === "open");
  return new Set(open.flatMap(({ offerId, requestId }) => [offerId, requestId].filter((id) => id !== null)));
}
