import * as v from "valibot";
import type { CounterOfferSubject, NegotiationSubject } from "@/shared/api/counter-offer";
import { type LoanTerms, type Negotiation, negotiation } from "@/shared/api/negotiation";
import type { Wire } from "@/shared/api/operation";
import { request, satsToWire } from "@/shared/api/request";
import type { Verify } from "@/shared/verification/use-verification";
import { sendVerified } from "@/shared/verification/verified";

const HOUR_MS = 3_600_000;
/** The server's clock may be behind, and its limit is the longest choice. */
const SLACK_MS = 120_000;

/** The terms of a counter-offer, and the hours for which it is good. */
export interface CounterOffer {
  terms: LoanTerms;
  hours: number;
  /** The collateral of a borrower who answers an offer; null where it is known already. */
  pledge: { inscriptionId: string } | { fungibleAmount: bigint } | null;
}

/** Sends a counter-offer. Rejects with an error that can be shown. */
export async function sendCounterOffer(
  subject: CounterOfferSubject,
  offered: CounterOffer,
  verify: Verify,
): Promise<Negotiation> {
  const { terms, hours, pledge } = offered;
  const body = {
    principalAmountSats: satsToWire(terms.principalSats),
    interest: terms.interestBps,
    termDays: terms.termDays,
    goodUntil: Date.now() + hours * HOUR_MS - SLACK_MS,
  };
  if (subject.kind === "proposal") {
    const { negotiationId, proposals } = subject.negotiation;
    return request("POST", "/api/v1/negotiations/{negotiation_id}/proposals", negotiation, {
      path: { negotiation_id: negotiationId },
      body: { ...body, round: proposals.length },
      idempotencyKey: crypto.randomUUID(),
    });
  }
  const about = wireSubject(subject);
  // One key for a request that is sent again with the token of the bot check.
  const idempotencyKey = crypto.randomUUID();
  return sendVerified(
    (token) =>
      request("POST", "/api/v1/negotiations", negotiation, {
        body: { ...body, ...about, ...wirePledge(pledge), ...(token && { cf_turnstile_response: token }) },
        idempotencyKey,
      }),
    verify,
  );
}

function wireSubject(
  subject: NegotiationSubject,
): Pick<Wire["OpenNegotiation"], "offerId" | "requestId" | "loanId"> {
  switch (subject.kind) {
    case "offer":
      return { offerId: subject.offerId };
    case "request":
      return { requestId: subject.asked.requestId };
    case "loan":
      return { loanId: subject.loan.loanId };
  }
}

function wirePledge(pledge: CounterOffer["pledge"]): { inscriptionId?: string; fungibleAmount?: string } {
  if (pledge === null) return {};
  if ("inscriptionId" in pledge) return pledge;
  return { fungibleAmount: pledge.fungibleAmount.toString() };
}

/** Accepts the latest proposal that the user has seen; a newer one is refused. */
export async function acceptProposal({ negotiationId, proposals }: Negotiation): Promise<Negotiation> {
  return request("POST", "/api/v1/negotiations/{negotiation_id}/accept", negotiation, {
    path: { negotiation_id: negotiationId },
    body: { round: proposals.length },
    idempotencyKey: crypto.randomUUID(),
  });
}

/** Declines the latest proposal that the user has seen, or withdraws the user's own; a newer one is refused. */
export async function endNegotiation({ negotiationId, proposals }: Negotiation): Promise<void> {
  await request("DELETE", "/api/v1/negotiations/{negotiation_id}", v.null(), {
    path: { negotiation_id: negotiationId },
    query: { round: proposals.length },
  });
}
