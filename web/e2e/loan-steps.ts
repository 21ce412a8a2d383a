import { expect, type Page } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";
import type { Party, ToSign } from "./party";
import { walletWindow } from "./wallet-steps";

type Wire = components["schemas"];

/** A collection of inscriptions that accepts manual offers, and the cheapest term in it. */
export async function manualTerm(party: Party): Promise<{ groupSlug: string; slug: string; floor: number }> {
  const { data } = await party.call<Wire["CollectionsPage"]>(
    "GET",
    "/api/v1/collections?category=ordinals&process=manual&limit=50",
  );
  for (const { groupSlug, subCollections, floor } of data) {
    const sub = subCollections.find(({ manual, bundleSize }) => manual && (bundleSize ?? "1") === "1");
    if (sub && floor) return { groupSlug, slug: sub.slug, floor };
  }
  throw new Error("No collection takes manual offers");
}

/** The conditions of a new offer; null if anyone can take it. */
type Conditions = Wire["AskedConditions"] | null;

/** Creates equal manual offers of the lender's, each with a coin to fund it: without one it is paused. */
export async function offerManually(
  lender: Party,
  slug: string,
  principal: number,
  count = 1,
  conditions: Conditions = null,
): Promise<string[]> {
  // A coin that is reserved for one loan cannot fund another.
  for (let coin = 0; coin < count; coin += 1) await lender.fund(principal * 2);
  await lender.mine();
  return await quoteManually(lender, slug, principal, count, conditions);
}

/** The same without the coins, for tests without a chain. */
export async function quoteManually(
  lender: Party,
  slug: string,
  principal: number,
  count = 1,
  conditions: Conditions = null,
): Promise<string[]> {
  const { payment, ordinals } = lender.keys;
  const { offers } = await lender.call<Wire["CreatedOffers"]>("POST", "/api/v1/offers/manual", {
    offers: [
      {
        collection_slug: slug,
        principal_amount: principal,
        wallet: "DevWallet",
        conditions,
        quantity: count,
        payment_address: payment.address,
        payment_pubkey: payment.pubKey,
        ordinal_address: ordinals.address,
        ordinal_pubkey: ordinals.pubKey,
        hardware_wallet: false,
      },
    ],
  });
  return offers.map(({ offerId }) => offerId);
}

export async function cancelOffers(lender: Party, offerIds: readonly string[]): Promise<void> {
  await lender.call("POST", "/api/v1/offers/manual/cancel", { offerIds });
}

/** Offers of the lender's at half the floor, and the label of their term. */
export function offerHalfTheFloor(lender: Party, count = 1) {
  return offerOfTheFloor(lender, 50, count);
}

/** Offers of the lender's at a percentage of the floor, in whole thousands of sats. */
export async function offerOfTheFloor(lender: Party, percent: number, count = 1) {
  const { groupSlug, slug, floor } = await manualTerm(lender);
  const principalSats = Math.floor((floor * percent) / 100_000) * 1_000;
  return {
    groupSlug,
    slug,
    principalSats,
    offerIds: await offerManually(lender, slug, principalSats, count),
  };
}

/** The minimum fee rate in the demo; elsewhere blocks may cost more. */
const FEE_RATE_LEAST = 5;

/** Takes an offer with an inscription, or several together; the lender has to counter-sign next. Returns the loan's id. */
export async function acceptOffer(
  borrower: Party,
  offerId: string,
  ...inscriptionIds: string[]
): Promise<string> {
  const [inscriptionId, ...others] = inscriptionIds;
  const { feeRates } = await borrower.call<Wire["ChainStatus"]>("GET", "/api/v1/chain");
  const prepared = await borrower.call<Wire["PreparedAcceptance"]>("POST", "/api/v1/loans/manual/prepare", {
    offerId,
    ...(others.length === 0 ? { inscriptionId } : { inscriptionIds }),
    feeRate: Math.max(FEE_RATE_LEAST, feeRates.fast),
    ...borrower.borrowerFields(),
  });
  await borrower.call("POST", "/api/v1/loans/manual/accept", {
    acceptRequest: prepared.offerAcceptRequestId,
    walletName: "DevWallet",
    base64: borrower.sign(prepared),
  });
  return prepared.loanId;
}

/** Signs a loan as its lender and has a block confirm it. */
export async function counterSign(lender: Party, loanId: string): Promise<void> {
  const path = `/api/v1/loans/${loanId}/countersignature`;
  const prepared = await lender.call<ToSign & { payouts: ToSign[] }>("GET", path);
  await lender.call("POST", path, {
    walletName: "DevWallet",
    base64: lender.sign(prepared),
    payouts: prepared.payouts.map((payout) => lender.sign(payout)),
  });
  await lender.mine();
}

/** A running loan at half the floor, and the lender's remaining offers. */
export async function runningLoan(lender: Party, borrower: Party, offers = 1) {
  // A coin that is reserved for one loan cannot fund another.
  for (let offer = 0; offer < offers; offer += 1) await lender.fund();
  await borrower.fund();
  const { groupSlug, principalSats, offerIds } = await offerHalfTheFloor(lender, offers);
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();
  const [taken = "", ...otherIds] = offerIds;
  const loanId = await acceptOffer(borrower, taken, inscription);
  await counterSign(lender, loanId);
  await mineUntil(borrower, loanId, "ACTIVE");
  return { loanId, inscription, principalSats, otherIds };
}

/** The inscriptions of listed collections at a party's ordinals address, as found on the chain. */
export async function inscriptionsOf(party: Party): Promise<string[]> {
  const { inscriptions } = await party.call<Wire["OwnCollateral"]>("GET", "/api/v1/me/collateral");
  return inscriptions.map(({ inscription_id }) => inscription_id);
}

export function loanOf(party: Party, loanId: string): Promise<Wire["LoanView"]> {
  return party.call("GET", `/api/v1/me/loans/${loanId}`);
}

/** Mines until a loan is in the expected state. */
export async function mineUntil(party: Party, loanId: string, state: Wire["LoanState"]): Promise<void> {
  await expect
    .poll(
      async () => {
        const loan = await loanOf(party, loanId);
        if (loan.state !== state) await party.mine();
        return loan.state;
      },
      { timeout: 60_000, intervals: [1_000, 2_000] },
    )
    .toBe(state);
}

/** Approves the wallet's requests the given number of times. */
export async function signInWallet(page: Page, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const window = walletWindow(page, "Sign transaction");
    await window.getByRole("button", { name: "Sign", exact: true }).click();
    await expect(window).toHaveCount(times - time > 1 ? 1 : 0);
  }
}

/** The slug of a collection's first term that takes manual offers. */
export async function manualSlug(party: Party, groupSlug: string): Promise<string> {
  type Group = { subCollections: Array<{ slug: string; manual: boolean }> };
  const { subCollections } = await party.call<Group>("GET", `/api/v1/collections/${groupSlug}`);
  return subCollections.find(({ manual }) => manual)?.slug ?? "";
}
