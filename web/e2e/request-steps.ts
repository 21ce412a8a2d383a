import type { components } from "../src/shared/api/schema.gen";
import { actionMessage } from "../src/shared/bitcoin/action-message";
import { signBip322Simple } from "../src/shared/bitcoin/bip322";
import type { Party } from "./party";

type Wire = components["schemas"];

const DAY_S = 86_400;
const INTEREST_MAX = 2_000;

/** A number of inscriptions of a collection from the faucet. */
export async function fundInscriptions(borrower: Party, groupSlug: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let each = 0; each < count; each += 1) ids.push((await borrower.fund(groupSlug)) ?? "");
  await borrower.mine();
  return ids;
}

/** Requests a loan against inscriptions together, for any term of the collection; returns the request's id. */
export async function requestLoan(
  borrower: Party,
  groupSlug: string,
  inscriptionIds: readonly string[],
  principalSats: number,
): Promise<string> {
  const terms = (await manualTerms(borrower, groupSlug)).map(({ term }) => term);
  const { address } = borrower.keys.payment;
  type Nonce = { data: { nonce: string; issued: number; expires: number; domain: string; network: string } };
  const { data } = await borrower.call<Nonce>("POST", "/api/v1/account/nonce", { address });
  const days = { termMinDays: Math.min(...terms), termMaxDays: Math.max(...terms) };
  const goodUntilS = data.issued + DAY_S;
  const message = actionMessage(
    {
      type: "requestLoan",
      collectionSlug: groupSlug,
      inscriptionIds,
      principalSats: BigInt(principalSats),
      interestMax: INTEREST_MAX,
      ...days,
      goodUntilS,
    },
    { ...data, issuedS: data.issued, expiresS: data.expires, address },
  );
  const [first, ...others] = inscriptionIds;
  const { requestId } = await borrower.call<Wire["RequestView"]>("POST", "/api/v1/requests", {
    collection: groupSlug,
    ...(others.length === 0 ? { inscriptionId: first } : { inscriptionIds }),
    principalAmountSats: principalSats,
    interestMax: INTEREST_MAX,
    ...days,
    goodUntil: goodUntilS * 1_000,
    message,
    signature: signBip322Simple(borrower.keys.payment, message),
    signatureTimestamp: data.issued,
  });
  return requestId;
}

/** Fills a request from the lender's wallet; returns the id of the offer, which its borrower can take. */
export async function fillRequest(lender: Party, requestId: string, groupSlug: string): Promise<string> {
  const [term] = await manualTerms(lender, groupSlug);
  type Filled = { offer: { offerId: string } };
  const { offer } = await lender.call<Filled>("POST", `/api/v1/requests/${requestId}/fill`, {
    collectionSlug: term?.slug,
  });
  return offer.offerId;
}

async function manualTerms(party: Party, groupSlug: string) {
  type Group = { subCollections: Array<{ slug: string; term: number; manual: boolean }> };
  const { subCollections } = await party.call<Group>("GET", `/api/v1/collections/${groupSlug}`);
  return subCollections.filter(({ manual }) => manual);
}
