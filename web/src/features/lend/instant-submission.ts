import * as v from "valibot";
import type { ServerConfig } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import { fetchNonce, type Nonce } from "@/shared/api/nonce";
import { RequestProblem } from "@/shared/api/problem";
import { request, satsToWire } from "@/shared/api/request";
import { actionMessage, type NewOffer } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import type { NamedStep } from "@/shared/ui/step-list";
import type { Verify } from "@/shared/verification/use-verification";
import { sendSigned } from "@/shared/verification/verified";
import { type InstantDraft, maxLtvPercent } from "./instant-draft";
import { principalOf } from "./lend-draft";
import { pegBounds } from "./peg-draft";

/** A requested instant offer. */
export interface InstantOfferRequest {
  kind: "inscription" | "rune";
  collectionSlug: string;
  /** The largest one if it follows the floor. */
  principalSats: bigint;
  /** The least principal of an offer that follows the floor; null if it is fixed. */
  principalMinSats: bigint | null;
  /** Runes only: the maximum of tokens to accept, in raw units. */
  fungibleAmount: bigint | null;
  /** Percent times 100; of an offer that follows the floor the share. */
  ltvMax: number;
  acceptNextTerm: boolean;
  /** The offer that this one replaces; null for a new one. */
  replaces: string | null;
  /** Payment address of the only borrower of the replaced offer; null if it names none. */
  borrower: string | null;
  /** The signed time of the replaced offer, in unix milliseconds; null if it has none. */
  goodUntilMs: number | null;
}

/** The part of an edited offer that stays. */
type Kept = Pick<MyOffer, "offerId" | "conditions" | "goodUntil" | "isTimeSigned" | "isExpired">;

/** The request of the draft. Null while the server would not accept it. */
export function offerRequestOf(draft: InstantDraft, edited: Kept | null): InstantOfferRequest | null {
  const { offer, target, acceptNextTerm } = draft;
  const principalSats = principalOf(offer);
  const bounds = offer.peg && pegBounds(offer.peg, offer.target);
  const percent = bounds ? bounds.ltvBps / 100 : maxLtvPercent(draft);
  if (principalSats === 0n || percent === null || (target.isRune && offer.target.raw === 0n)) return null;
  return {
    kind: target.isRune ? "rune" : "inscription",
    collectionSlug: target.collectionSlug,
    principalSats: bounds?.maxSats ?? principalSats,
    principalMinSats: bounds?.minSats ?? null,
    fungibleAmount: target.isRune ? offer.target.raw : null,
    ltvMax: Math.round(percent * 100),
    acceptNextTerm,
    replaces: edited?.offerId ?? null,
    borrower: edited?.conditions?.borrowerAddress ?? null,
    goodUntilMs: edited?.isTimeSigned && !edited.isExpired ? edited.goodUntil : null,
  };
}

/** The lender, and the vault. */
export interface InstantLender {
  session: Session;
  config: Pick<ServerConfig, "vaultSignerId">;
  vaultAddress: string | null;
  /** Display name. */
  collectionName: string;
}

export type OfferStep = "preparing" | "nonce" | "signature" | "processing";

export const OFFER_STEPS: ReadonlyArray<NamedStep<OfferStep>> = [
  { id: "preparing", label: "Preparing offer" },
  { id: "nonce", label: "Fetching nonce" },
  { id: "signature", label: "Waiting for signature" },
  { id: "processing", label: "Processing offer" },
];

interface SignedOffer {
  offerRequest: InstantOfferRequest;
  nonce: Nonce;
  message: string;
  signature: string;
  canisterId: string;
  vaultAddress: string;
}

/**
 * Creates an instant offer, or replaces one: a nonce, a signature, the request. When the server demands a
 * verification, the signed offer is kept and sent again with its token, or signed again if it has become too
 * old meanwhile. Resolves to the offer's id; rejects with an error that can be shown; no offer has been
 * created then.
 */
export async function placeInstantOffer(
  offerRequest: InstantOfferRequest,
  lender: InstantLender,
  onStep: (step: OfferStep) => void,
  verify: Verify,
): Promise<string> {
  const { offer } = await sendSigned(
    () => sign(offerRequest, lender, onStep),
    (signed, token) =>
      send(signed, lender.session, token).catch((error: unknown) => {
        if (isUnknownCollection(error)) throw new Error(`Collection ${lender.collectionName} not found`);
        throw error;
      }),
    verify,
  );
  return offer.offerId;
}

function isUnknownCollection(error: unknown): boolean {
  return error instanceof RequestProblem && error.code === "unknown_collection";
}

async function sign(
  offerRequest: InstantOfferRequest,
  { session, config, vaultAddress, collectionName }: InstantLender,
  onStep: (step: OfferStep) => void,
): Promise<SignedOffer> {
  onStep("preparing");
  const canisterId = config.vaultSignerId;
  if (!canisterId) throw new Error("Vault canister hash not configured");
  if (!vaultAddress) throw new Error("Vault not found");
  if (!offerRequest.collectionSlug) throw new Error(`Collection ${collectionName} not found`);
  const { address } = session.addresses.payment;
  onStep("nonce");
  const nonce = await fetchNonce("offers", address);
  const newOffer: NewOffer = {
    process: "instant",
    collectionSlug: offerRequest.collectionSlug,
    principalSats: offerRequest.principalSats,
    ...(offerRequest.principalMinSats === null ? {} : { principalMinSats: offerRequest.principalMinSats }),
    fungibleAmount: offerRequest.fungibleAmount,
    ltvMax: offerRequest.ltvMax,
    acceptNextTerm: offerRequest.acceptNextTerm,
    ...(offerRequest.borrower === null ? {} : { borrower: offerRequest.borrower }),
    ...(offerRequest.goodUntilMs === null ? {} : { goodUntilS: offerRequest.goodUntilMs / 1_000 }),
    vault: canisterId,
  };
  const message = actionMessage(
    offerRequest.replaces === null
      ? { type: "createOffer", newOffer }
      : { type: "editOffer", deleteOfferId: offerRequest.replaces, newOffer },
    { ...nonce, address },
  );
  onStep("signature");
  const signature = await signMessage(address, message);
  onStep("processing");
  return { offerRequest, nonce, message, signature, canisterId, vaultAddress };
}

/** Only the id is read here: the offer itself arrives by the feed. */
const answer = v.object({ offer: v.object({ offerId: v.string() }) });
type Answer = v.InferOutput<typeof answer>;

function send(signed: SignedOffer, session: Session, token: string | null): Promise<Answer> {
  return signed.offerRequest.replaces === null
    ? create(signed, token)
    : edit(signed, signed.offerRequest.replaces, session, token);
}

function create(signed: SignedOffer, token: string | null): Promise<Answer> {
  const { offerRequest, nonce, message, signature, vaultAddress } = signed;
  const body = {
    collection_slug: offerRequest.collectionSlug,
    principal_amount_sats: satsToWire(offerRequest.principalSats),
    ltv_max: offerRequest.ltvMax,
    accept_next_term: offerRequest.acceptNextTerm,
    vault_address: vaultAddress,
    message,
    signature,
    signature_timestamp: nonce.issuedS,
    ...(token === null ? {} : { cf_turnstile_response: token }),
  };
  const idempotencyKey = crypto.randomUUID();
  const { fungibleAmount, principalMinSats } = offerRequest;
  if (fungibleAmount === null) {
    const least =
      principalMinSats === null ? {} : { principal_min_amount_sats: satsToWire(principalMinSats) };
    return request("POST", "/api/v1/offers/instant/ordinals", answer, {
      body: { ...body, ...least },
      idempotencyKey,
    });
  }
  return request("POST", "/api/v1/offers/instant/runes", answer, {
    body: { ...body, fungible_amount: fungibleAmount.toString() },
    idempotencyKey,
  });
}

function edit(
  signed: SignedOffer,
  deleteOfferExternalId: string,
  session: Session,
  token: string | null,
): Promise<Answer> {
  const { offerRequest, nonce, message, signature, canisterId, vaultAddress } = signed;
  const { address, pubKey } = session.addresses.payment;
  const terms = {
    principalAmountSats: satsToWire(offerRequest.principalSats),
    ltvMax: offerRequest.ltvMax,
    acceptNextTerm: offerRequest.acceptNextTerm,
  };
  const { collectionSlug, fungibleAmount, principalMinSats } = offerRequest;
  const least = principalMinSats === null ? {} : { principalMinAmountSats: satsToWire(principalMinSats) };
  return request("POST", "/api/v1/offers/instant/batch-edit", answer, {
    body: {
      offerType: offerRequest.kind,
      userAddress: address,
      publicKey: pubKey,
      signature,
      signatureTimestamp: nonce.issuedS,
      nonce: nonce.nonce,
      canisterId,
      vaultAddress,
      message,
      ...(fungibleAmount === null
        ? {
            editOrdinalOffer: {
              deleteOfferExternalId,
              newOffer: { ...terms, ...least, childCollectionSlug: collectionSlug },
            },
          }
        : {
            editRuneOffer: {
              deleteOfferExternalId,
              newOffer: { ...terms, collectionSlug, fungibleAmount: fungibleAmount.toString() },
            },
          }),
      ...(token === null ? {} : { cf_turnstile_response: token }),
    },
    idempotencyKey: crypto.randomUUID(),
  });
}
