import type { BorrowRequest } from "./borrow-request";
import type { Collection } from "./collection";
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

/** What a counter-offer answers: an offer, a borrow request, or the other side's latest proposal. */
export type CounterOfferSubject =
  | NegotiableOffer
  | { kind: "request"; asked: BorrowRequest }
  | { kind: "proposal"; negotiation: Negotiation };

export interface CounterOfferProps {
  subject: CounterOfferSubject;
  row: Collection;
  onClose: () => void;
  /** Called when it was sent, after `onClose`. */
  onSent?: () => void;
}
