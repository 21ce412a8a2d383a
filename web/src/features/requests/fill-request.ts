import * as v from "valibot";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { SubCollection } from "@/shared/api/collection";
import { fetchNonce } from "@/shared/api/nonce";
import { isSeveral } from "@/shared/api/pledge";
import { request } from "@/shared/api/request";
import { actionMessage, type NewOffer } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import type { Verify } from "@/shared/verification/use-verification";
import { sendSigned, sendVerified } from "@/shared/verification/verified";

/** The loan with which a lender fills a request. */
export interface Fill {
  asked: BorrowRequest;
  term: SubCollection;
  /** The hours that the borrower has to sign. */
  hours: number;
  /** From the vault; null if the lender counter-signs. */
  vault: { signerId: string; ltvMax: number } | null;
}

const filled = v.object({ offer: v.object({ offerId: v.string() }) });
const borrowerAddress = v.object({ paymentAddress: v.string() });

const HOUR_S = 3_600;
/** The server's clock may be behind, and its limit is the longest choice. */
const SLACK_S = 120;

/** Fills a request; resolves to the id of the offer. Rejects with an error that can be shown. */
export async function fillRequest(fill: Fill, session: Session, verify: Verify): Promise<string> {
  const { asked, term, hours, vault } = fill;
  const goodUntilS = Math.floor(Date.now() / 1_000) + hours * HOUR_S - SLACK_S;
  const send = (instant: SignedOffer | null, token: string | null) =>
    request("POST", "/api/v1/requests/{request_id}/fill", filled, {
      path: { request_id: asked.requestId },
      body: {
        collectionSlug: term.slug,
        goodUntil: goodUntilS * 1_000,
        ...(instant === null ? {} : { instant }),
        ...(token === null ? {} : { cf_turnstile_response: token }),
      },
      idempotencyKey: crypto.randomUUID(),
    });
  const { offer } = await (vault === null
    ? sendVerified((token) => send(null, token), verify)
    : sendSigned(() => sign(fill, vault, session, goodUntilS), send, verify));
  return offer.offerId;
}

interface SignedOffer {
  ltvMax: number;
  message: string;
  signature: string;
  signatureTimestamp: number;
}

/** The offer from the vault that the lender signs: it names its borrower, its time, and several inscriptions. */
export function filledOffer({
  asked,
  term,
  ltvMax,
  borrower,
  goodUntilS,
  signerId,
}: Pick<Fill, "asked" | "term"> &
  NonNullable<Fill["vault"]> & { borrower: string; goodUntilS: number }): NewOffer {
  return {
    process: "instant",
    collectionSlug: term.slug,
    principalSats: asked.principalSats,
    fungibleAmount: term.bundleSize === null ? asked.fungibleAmount : null,
    ...(isSeveral(asked) && { inscriptions: asked.inscriptionIds.length }),
    ltvMax,
    acceptNextTerm: false,
    borrower,
    goodUntilS,
    vault: signerId,
  };
}

/** Signs the offer from the vault. */
async function sign(
  { asked, term }: Fill,
  { signerId, ltvMax }: NonNullable<Fill["vault"]>,
  session: Session,
  goodUntilS: number,
): Promise<SignedOffer> {
  const { address } = session.addresses.payment;
  const { paymentAddress } = await request("GET", "/api/v1/requests/{request_id}/borrower", borrowerAddress, {
    path: { request_id: asked.requestId },
  });
  const nonce = await fetchNonce("offers", address);
  const newOffer = filledOffer({ asked, term, ltvMax, borrower: paymentAddress, goodUntilS, signerId });
  const message = actionMessage({ type: "createOffer", newOffer }, { ...nonce, address });
  return {
    ltvMax,
    message,
    signature: await signMessage(address, message),
    signatureTimestamp: nonce.issuedS,
  };
}
