import * as v from "valibot";
import { errorText } from "@/shared/api/error-text";
import { myOffer } from "@/shared/api/my-offer";
import type { Wire } from "@/shared/api/operation";
import { RequestProblem } from "@/shared/api/problem";
import { request, satsToWire } from "@/shared/api/request";
import type { Session } from "@/shared/session/session-store";
import type { Verify } from "@/shared/verification/use-verification";
import { sendVerified } from "@/shared/verification/verified";
import { type LendDraft, principalOf } from "./lend-draft";
import { pegBounds } from "./peg-draft";

/** The properties that new offers have in common. */
export interface OfferOptions {
  /** Null if they are good until they are cancelled. */
  goodUntilMs: number | null;
  /** Null if anyone can take them. */
  conditions: Wire["AskedConditions"] | null;
}

/** The fields of a fixed principal, or of the bounds within which it follows the floor. */
function principalFields(draft: LendDraft) {
  const bounds = draft.peg && pegBounds(draft.peg, draft.target);
  if (!bounds) return { principal_amount: satsToWire(principalOf(draft)) };
  return {
    principal_amount: satsToWire(bounds.maxSats),
    principal_min_amount: satsToWire(bounds.minSats),
    ltv_max: bounds.ltvBps,
  };
}

/** The body of a request for new offers. Every text of the session was proved by a signature. */
export function createBody(
  drafts: readonly LendDraft[],
  session: Session,
  { goodUntilMs, conditions }: OfferOptions,
): Wire["CreateManualOffers"] {
  const { payment, ordinals } = session.addresses;
  return {
    offers: drafts.map((draft) => ({
      collection_slug: draft.target.collectionSlug,
      ...principalFields(draft),
      wallet: session.wallet,
      quantity: draft.count,
      payment_address: payment.address,
      payment_pubkey: payment.pubKey,
      ordinal_address: ordinals.address,
      ordinal_pubkey: ordinals.pubKey,
      hardware_wallet: session.hardwareWallet,
      good_until: goodUntilMs,
      conditions,
    })),
  };
}

/** A repetition with a verification token is another request, and so has another key. */
function sent(idempotencyKey: string, token: string | null) {
  return {
    token: token === null ? {} : { cf_turnstile_response: token },
    idempotencyKey: token === null ? idempotencyKey : crypto.randomUUID(),
  };
}

/** The result of a submission, as text of the toast. */
export interface Outcome {
  /** Whether the offer is as requested. */
  isDone: boolean;
  /**
   * Whether the server has decided. Without its response the same submission can be repeated and takes effect
   * once.
   */
  isAnswered: boolean;
  title: string;
  detail?: string;
  /** The ids of the created offers. */
  offerIds: readonly string[];
}

function refused(title: string, error: unknown): Outcome {
  return {
    isDone: false,
    isAnswered: error instanceof RequestProblem && error.status > 0 && error.status < 500,
    title,
    detail: errorText(error),
    offerIds: [],
  };
}

/** Only the ids are read here: the offers themselves arrive by the feed. */
const created = v.object({
  offers: v.array(v.object({ offerId: v.string() })),
  refused: v.optional(v.array(v.object({ error: v.object({ title: v.string(), detail: v.string() }) })), []),
});

export async function createOffers(
  drafts: readonly LendDraft[],
  session: Session,
  options: OfferOptions,
  idempotencyKey: string,
  verify: Verify,
): Promise<Outcome> {
  const count = drafts.reduce((sum, draft) => sum + draft.count, 0);
  try {
    const body = createBody(drafts, session, options);
    const { offers, refused: left } = await sendVerified((token) => {
      const extra = sent(idempotencyKey, token);
      return request("POST", "/api/v1/offers/manual", created, {
        body: { ...body, ...extra.token },
        idempotencyKey: extra.idempotencyKey,
      });
    }, verify);
    const [first] = left;
    if (first && offers.length === 0)
      return refused("Failed to create offers", new Error(first.error.detail));
    const title = offers.length > 1 ? `${offers.length} offers created successfully` : "Offer created";
    const detail = first ? `${left.length} could not be created: ${first.error.detail}` : undefined;
    const offerIds = offers.map(({ offerId }) => offerId);
    return { isDone: true, isAnswered: true, title, offerIds, ...(detail ? { detail } : {}) };
  } catch (error) {
    return refused(count > 1 ? "Failed to create offers" : "Offer could not be created", error);
  }
}

export async function editOffer(
  offerId: string,
  draft: LendDraft,
  idempotencyKey: string,
  verify: Verify,
): Promise<Outcome> {
  try {
    await sendVerified((token) => {
      const extra = sent(idempotencyKey, token);
      return request("PATCH", "/api/v1/offers/manual/{offer_id}", v.object({ offer: myOffer }), {
        path: { offer_id: offerId },
        body: { offer_id: offerId, ...principalFields(draft), ...extra.token },
        idempotencyKey: extra.idempotencyKey,
      });
    }, verify);
    return { isDone: true, isAnswered: true, title: "Offer edited", offerIds: [] };
  } catch (error) {
    // The server did it, and only its response could not be read.
    if (error instanceof RequestProblem && error.code === "unreadable" && error.status === 200) {
      return {
        isDone: true,
        isAnswered: true,
        title: "Offer edited successfully but UI not updated, please refresh the page",
        offerIds: [],
      };
    }
    return refused("Offer could not be edited", error);
  }
}
