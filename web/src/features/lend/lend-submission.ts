import * as v from "valibot";
import { myOffer } from "@/shared/api/my-offer";
import type { Wire } from "@/shared/api/operation";
import { RequestProblem } from "@/shared/api/problem";
import { request, satsToWire } from "@/shared/api/request";
import type { Session } from "@/shared/session/session-store";
import { type LendDraft, principalOf } from "./lend-draft";

/** The body of a request for new offers. Every text of the session was proved by a signature. */
export function createBody(draft: LendDraft, session: Session): Wire["CreateManualOffers"] {
  const { payment, ordinals } = session.addresses;
  return {
    offers: [
      {
        collection_slug: draft.target.collectionSlug,
        principal_amount: satsToWire(principalOf(draft)),
        wallet: session.wallet,
        quantity: draft.count,
        payment_address: payment.address,
        payment_pubkey: payment.pubKey,
        ordinal_address: ordinals.address,
        ordinal_pubkey: ordinals.pubKey,
        hardware_wallet: session.hardwareWallet,
      },
    ],
  };
}

/** How a submission ended, in the words of the toast. */
export interface Outcome {
  /** The offer stands as the person wanted. */
  isDone: boolean;
  /** The server has decided. Without its answer the same submission may be sent again and is done once. */
  isAnswered: boolean;
  title: string;
  detail?: string;
}

function refused(title: string, error: unknown): Outcome {
  return {
    isDone: false,
    isAnswered: error instanceof RequestProblem && error.status > 0 && error.status < 500,
    title,
    detail: error instanceof Error ? error.message : "An unknown error occurred",
  };
}

export async function createOffers(
  draft: LendDraft,
  session: Session,
  idempotencyKey: string,
): Promise<Outcome> {
  try {
    // Only how many there are is read here: the offers themselves arrive by the feed.
    const { offers } = await request(
      "POST",
      "/api/v1/offers/manual",
      v.object({ offers: v.array(v.unknown()) }),
      {
        body: createBody(draft, session),
        idempotencyKey,
      },
    );
    const title = offers.length > 1 ? `${offers.length} offers created successfully` : "Offer created";
    return { isDone: true, isAnswered: true, title };
  } catch (error) {
    return refused(draft.count > 1 ? "Failed to create offers" : "Offer could not be created", error);
  }
}

export async function editOffer(offerId: string, draft: LendDraft, idempotencyKey: string): Promise<Outcome> {
  try {
    await request("PATCH", "/api/v1/offers/manual/{offer_id}", v.object({ offer: myOffer }), {
      path: { offer_id: offerId },
      body: { offer_id: offerId, principal_amount: satsToWire(principalOf(draft)) },
      idempotencyKey,
    });
    return { isDone: true, isAnswered: true, title: "Offer edited" };
  } catch (error) {
    // The server did it, and only its answer could not be read.
    if (error instanceof RequestProblem && error.code === "unreadable" && error.status === 200) {
      return {
        isDone: true,
        isAnswered: true,
        title: "Offer edited successfully but UI not updated, please refresh the page",
      };
    }
    return refused("Offer could not be edited", error);
  }
}
