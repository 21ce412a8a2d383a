import type { BorrowRequest } from "./borrow-request";
import type { Collection } from "./collection";
import type { Loan } from "./loan";
import type { LoanTerms, Negotiation } from "./negotiation";

/** Another lender's offer, on which the user proposes other terms. */
export interface NegotiableOffer {
  kind: "offer";
  offerId: string;
  terms: LoanTerms;
  /** The collateral of these terms in its smallest unit; of an offer that is open in its amount, for a part of it. */
  raw: bigint;
  isOpenAmount: boolean;
  /** The inscription that is chosen already; null for none. */
  inscriptionId: string | null;
  /** The inscriptions that the offer takes; null if it takes any. */
  taken: ReadonlySet<string> | null;
}

/** What a negotiation begins with: an offer, a borrow request, or a running loan to extend. */
export type NegotiationSubject =
  | NegotiableOffer
  | { kind: "request"; asked: BorrowRequest }
  | { kind: "loan"; loan: Loan };

/** What a counter-offer answers: the beginning of a negotiation, or the other side's latest proposal. */
export type CounterOfferSubject = NegotiationSubject | { kind: "proposal"; negotiation: Negotiation };

/** Whether it is about the extension of a running loan, which keeps its principal and its collateral. */
export function isExtension(subject: CounterOfferSubject): boolean {
  return subject.kind === "loan" || (subject.kind === "proposal" && subject.negotiation.loanId !== null);
}

export interface CounterOfferProps {
  subject: CounterOfferSubject;
  row: Collection;
  onClose: () => void;
  /** Called when it was sent, after `onClose`. */
  onSent?: () => void;
}
