import { type Collection, decimalsOf } from "@/shared/api/collection";
import { type Limits, smallestOffer } from "@/shared/api/config";
import { type CounterOfferSubject, isExtension } from "@/shared/api/counter-offer";
import type { Loan, LoanRole } from "@/shared/api/loan";
import { bpsOf } from "@/shared/api/loan-figures";
import { LTV_END_BPS, loanToValueBps } from "@/shared/api/loan-to-value";
import type { LoanTerms } from "@/shared/api/negotiation";
import { pledgedRaw } from "@/shared/api/pledge";
import { amountSats, amountText } from "@/shared/format/btc-amount";
import { formatBps, typedBps } from "@/shared/format/percent";
import { rawTokens, tokensText } from "@/shared/format/raw-tokens";
import { formatBtcExact } from "@/shared/format/sats";
import { fittingTerms } from "@/shared/requests/request-ladder";
import type { CounterOffer } from "./negotiation-requests";

/** The hours for which a counter-offer can be good. */
export const HOURS = [1, 12, 24, 72];

/** The limits of a counter-offer. */
export type TermsLimits = Pick<Limits, "minOfferSats" | "negotiatedInterestMax" | "negotiatedTermMaxDays">;

/** A counter-offer as entered. */
export interface TermsDraft {
  /** Bitcoin as text. */
  principalText: string;
  /** Percent as text. */
  interestText: string;
  /** Days as text. */
  termText: string;
  hours: number;
  /** The inscription to pledge; null before one is chosen, and where the collateral is known. */
  inscriptionId: string | null;
  /** Whole tokens as text, for an offer that is open in its amount. */
  tokenText: string;
}

/** The other side's terms: those of a request leave a choice of the interest and the term. */
export interface AnsweredTerms {
  principalSats: bigint;
  interestBps: number;
  isInterestMax: boolean;
  termMinDays: number;
  termMaxDays: number;
}

/** The user's side of the loan. */
export function roleIn(subject: CounterOfferSubject): LoanRole {
  if (subject.kind === "proposal") return subject.negotiation.role;
  if (subject.kind === "loan") return subject.loan.role;
  return subject.kind === "offer" ? "borrower" : "lender";
}

/** Whether the user has to choose the collateral. */
export function choosesPledge(subject: CounterOfferSubject, { collateralType }: Collection): boolean {
  return subject.kind === "offer" && (subject.isOpenAmount || collateralType === "inscription");
}

/** A draft with the other side's terms, for the user to change. */
export function newTermsDraft(subject: CounterOfferSubject, row: Collection): TermsDraft {
  const { principalSats, interestBps, termMaxDays } = answeredTerms(subject, null);
  const isOffer = subject.kind === "offer";
  const fitting = subject.kind === "request" ? fittingTerms(subject.asked, row) : [];
  return {
    principalText: amountText(principalSats),
    interestText: String(interestBps / 100),
    termText: String(fitting.length > 0 ? Math.max(...fitting.map(({ term }) => term)) : termMaxDays),
    hours: 24,
    inscriptionId: isOffer ? subject.inscriptionId : null,
    tokenText: isOffer && subject.isOpenAmount ? tokensText(subject.raw, decimalsOf(row)) : "",
  };
}

/** The collateral in its smallest unit; null while it is not chosen. */
export function draftRaw(draft: TermsDraft, subject: CounterOfferSubject, row: Collection): bigint | null {
  if (subject.kind === "request") return pledgedRaw(subject.asked);
  if (subject.kind === "proposal") return pledgedRaw(subject.negotiation);
  if (subject.kind === "loan") return pledgedRaw(subject.loan);
  if (row.collateralType === "inscription") return draft.inscriptionId === null ? null : 1n;
  if (!subject.isOpenAmount) return subject.raw;
  return rawTokens(draft.tokenText, decimalsOf(row)) || null;
}

/** The other side's terms, those of an offer that is open in its amount for the pledged part. */
export function answeredTerms(subject: CounterOfferSubject, raw: bigint | null): AnsweredTerms {
  if (subject.kind === "request") {
    const { principalSats, interestMaxPercent, termMinDays, termMaxDays } = subject.asked;
    const interestBps = bpsOf(interestMaxPercent);
    return { principalSats, interestBps, isInterestMax: true, termMinDays, termMaxDays };
  }
  const { principalSats = 0n, interestBps = 0, termDays = 0 } = theirTerms(subject) ?? {};
  const isPart = subject.kind === "offer" && subject.isOpenAmount && raw !== null && subject.raw > 0n;
  return {
    principalSats: isPart ? (principalSats * raw) / subject.raw : principalSats,
    interestBps,
    isInterestMax: false,
    termMinDays: termDays,
    termMaxDays: termDays,
  };
}

function theirTerms(subject: Exclude<CounterOfferSubject, { kind: "request" }>): LoanTerms | undefined {
  switch (subject.kind) {
    case "offer":
      return subject.terms;
    case "proposal":
      return subject.negotiation.proposals.at(-1);
    case "loan":
      return termsOfLoan(subject.loan);
  }
}

/** The terms of a running loan, with which the negotiation of its extension begins. */
export function termsOfLoan({ principal, interest, term }: Loan): LoanTerms {
  return { principalSats: principal, interestBps: bpsOf(interest), termDays: term };
}

/** The direction in which a draft leaves the other side's terms: 0 where it keeps them, null while unknown. */
export interface Difference {
  principal: number | null;
  interest: number | null;
  term: number | null;
}

export function differenceOf(draft: TermsDraft, answered: AnsweredTerms): Difference {
  const { principalSats, interestBps, termDays } = entered(draft);
  const isWithinMax = answered.isInterestMax && interestBps !== null && interestBps <= answered.interestBps;
  return {
    principal: principalSats === 0n ? null : signOf(principalSats, answered.principalSats),
    interest: interestBps === null ? null : isWithinMax ? 0 : signOf(interestBps, answered.interestBps),
    term: termDays === null ? null : signOf(termDays, nearest(termDays, answered)),
  };
}

/** The requested term that is nearest to a number of days. */
function nearest(days: number, { termMinDays, termMaxDays }: AnsweredTerms): number {
  return Math.min(Math.max(days, termMinDays), termMaxDays);
}

function signOf<Value extends bigint | number>(one: Value, other: Value): number {
  return one === other ? 0 : one > other ? 1 : -1;
}

function entered(draft: TermsDraft) {
  return {
    principalSats: amountSats(draft.principalText),
    interestBps: typedBps(draft.interestText),
    termDays: /^\d{1,4}$/.test(draft.termText.trim()) ? Number(draft.termText) : null,
  };
}

/** The entered terms; null while one of them is missing. */
export function termsOf(draft: TermsDraft): LoanTerms | null {
  const { principalSats, interestBps, termDays } = entered(draft);
  if (principalSats === 0n || interestBps === null || termDays === null || termDays === 0) return null;
  return { principalSats, interestBps, termDays };
}

/** The LTV in basis points; null while the collateral or the price is unknown. */
export function ltvOf(principalSats: bigint, raw: bigint | null, row: Collection): number | null {
  if (raw === null || row.unitPrice === null || principalSats === 0n) return null;
  return loanToValueBps(principalSats, raw, decimalsOf(row), row.unitPrice);
}

/** The reason why the counter-offer cannot be sent yet, the first one; null when it can. */
export function termsError(
  draft: TermsDraft,
  subject: CounterOfferSubject,
  row: Collection,
  limits: TermsLimits,
): string | null {
  const { principalSats, interestBps, termDays } = entered(draft);
  const raw = draftRaw(draft, subject, row);
  if (raw === null) {
    return row.collateralType === "inscription" ? "Choose an inscription" : "Enter an amount of tokens";
  }
  const problem = isExtension(subject) ? null : principalError(principalSats, raw, row, limits);
  if (problem !== null) return problem;
  const { negotiatedInterestMax, negotiatedTermMaxDays } = limits;
  if (interestBps === null || interestBps === 0 || interestBps > negotiatedInterestMax)
    return `Enter an interest of 0.01 to ${formatBps(negotiatedInterestMax)}, with at most two decimals`;
  if (termDays === null || termDays === 0 || termDays > negotiatedTermMaxDays)
    return `Enter a term of 1 to ${negotiatedTermMaxDays} days`;
  // The terms of a running loan may well be those of its extension.
  if (subject.kind === "request" || subject.kind === "loan") return null;
  const { principal, interest, term } = differenceOf(draft, answeredTerms(subject, raw));
  if (principal === 0 && interest === 0 && term === 0)
    return "Change the principal, the interest or the term";
  return null;
}

function principalError(
  principalSats: bigint,
  raw: bigint,
  row: Collection,
  limits: TermsLimits,
): string | null {
  if (row.unitPrice === null) return "The price of this collection is not known yet";
  if (principalSats === 0n) return "Enter the principal";
  const minSats = smallestOffer(limits, row.collateralType, "manual");
  if (principalSats < minSats) return `The principal must be at least ${formatBtcExact(minSats)} BTC`;
  const isAbove = (ltvOf(principalSats, raw, row) ?? 0) >= LTV_END_BPS;
  return isAbove ? "The principal must stay below 99% of the collateral's value" : null;
}

/** The counter-offer to send; null while something is missing. */
export function counterOfferOf(
  draft: TermsDraft,
  subject: CounterOfferSubject,
  row: Collection,
): CounterOffer | null {
  const [terms, raw] = [termsOf(draft), draftRaw(draft, subject, row)];
  if (terms === null || raw === null) return null;
  const { inscriptionId, hours } = draft;
  if (!choosesPledge(subject, row)) return { terms, hours, pledge: null };
  const isInscription = row.collateralType === "inscription";
  return {
    terms,
    hours,
    pledge: isInscription ? { inscriptionId: inscriptionId ?? "" } : { fungibleAmount: raw },
  };
}
