import { expect, type Page } from "@playwright/test";
import { inscriptionChoices, openOffer } from "../e2e/borrow-steps";
import { createSeed } from "../e2e/browser-session";
import { manualSlug, offerManually, runningLoan } from "../e2e/loan-steps";
import { changeTerms, counterOfferDialog, negotiations } from "../e2e/negotiation-steps";
import { BORROWER_1, Party } from "../e2e/party";
import type { components } from "../src/shared/api/schema.gen";
import { signedIn } from "./signed-in";

type Wire = components["schemas"];

const SLUG = "quiet-moons";
const PRINCIPAL_SATS = 36_000;
const HOUR_MS = 3_600_000;

/** A principal, an interest in basis points, and days. */
type Terms = [number, number, number];

const termsOf = ([principalAmountSats, interest, termDays]: Terms) => ({
  principalAmountSats,
  interest,
  termDays,
  goodUntil: Date.now() + 11 * HOUR_MS,
});

/** A lender's offer, and a borrower with an inscription for each of `count` negotiations about such offers. */
async function withOffers(page: Page, count: number) {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const inscriptions: string[] = [];
  for (let each = 0; each < count; each += 1) inscriptions.push((await borrower.fund(SLUG)) ?? "");
  await borrower.fund();
  const offerIds = await offerManually(lender, await manualSlug(lender, SLUG), PRINCIPAL_SATS, count);
  return { borrower, lender, inscriptions, offerIds };
}

/** Proposes terms in turns, the borrower first; returns the negotiation's id. */
async function negotiate(
  { borrower, lender, inscriptions, offerIds }: Awaited<ReturnType<typeof withOffers>>,
  index: number,
  [first, ...others]: [Terms, ...Terms[]],
): Promise<string> {
  const { negotiationId } = await borrower.call<Wire["NegotiationView"]>("POST", "/api/v1/negotiations", {
    offerId: offerIds[index],
    inscriptionId: inscriptions[index],
    ...termsOf(first),
  });
  let round = 1;
  for (const terms of others) {
    const by = round % 2 === 1 ? lender : borrower;
    await by.call("POST", `/api/v1/negotiations/${negotiationId}/proposals`, { round, ...termsOf(terms) });
    round += 1;
  }
  return negotiationId;
}

/** Negotiations to answer, to wait for, to sign, and one that was declined. */
export async function showNegotiations(page: Page): Promise<void> {
  const sides = await withOffers(page, 4);
  const answered = await negotiate(sides, 0, [
    [40_000, 50, 30],
    [PRINCIPAL_SATS, 125, 21],
    [38_000, 75, 21],
    [37_000, 100, 21],
  ]);
  await negotiate(sides, 1, [[40_000, 60, 14]]);
  const agreed = await negotiate(sides, 2, [[PRINCIPAL_SATS, 100, 14]]);
  await sides.lender.call("POST", `/api/v1/negotiations/${agreed}/accept`, { round: 1 });
  const declined = await negotiate(sides, 3, [[60_000, 10, 90]]);
  await sides.lender.call("DELETE", `/api/v1/negotiations/${declined}?round=1`);
  await signedIn(page, "Borrower 1");
  await page.goto("/portfolio/pending");
  await expect(negotiations(page)).toHaveCount(4);
  await expect(page.locator(`[data-negotiation="${answered}"]`)).toContainText("Your turn");
}

/** The sums of a proposal, before it is accepted. */
export async function acceptCounterOffer(page: Page): Promise<void> {
  await showNegotiations(page);
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByRole("dialog", { name: "Accept the counter-offer" }).waitFor();
}

/** Other terms than those of an offer. */
export async function makeCounterOffer(page: Page): Promise<void> {
  const { offerIds } = await withOffers(page, 1);
  await signedIn(page, "Borrower 1");
  const borrowing = await openOffer(page, offerIds[0] ?? "", { slug: SLUG, category: "ordinals" });
  await borrowing.getByRole("button", { name: "Counter-offer" }).click();
  const dialog = counterOfferDialog(page);
  await inscriptionChoices(dialog).first().click();
  await changeTerms(dialog, { interest: "1.25", term: "21" });
}

/** The order book with an offer that the user negotiates about, and one that was agreed. */
export async function bookWithNegotiations(page: Page): Promise<void> {
  const sides = await withOffers(page, 2);
  await negotiate(sides, 0, [[40_000, 60, 14]]);
  const agreed = await negotiate(sides, 1, [[37_000, 100, 14]]);
  type Agreed = Wire["NegotiationView"];
  const { agreedOfferId } = await sides.lender.call<Agreed>("POST", `/api/v1/negotiations/${agreed}/accept`, {
    round: 1,
  });
  await signedIn(page, "Borrower 1");
  await page.goto(`/borrow/ordinals?collection=${SLUG}&view=book&offer=${agreedOfferId}`);
  await page.getByRole("dialog").getByText("Only for you").first().waitFor();
}

/** A borrower's running loan about whose extension both sides negotiate. */
async function extensionNegotiated(page: Page) {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const { loanId } = await runningLoan(lender, borrower);
  const { principal } = await borrower.call<Wire["LoanView"]>("GET", `/api/v1/me/loans/${loanId}`);
  const { negotiationId } = await borrower.call<Wire["NegotiationView"]>("POST", "/api/v1/negotiations", {
    loanId,
    ...termsOf([principal, 90, 21]),
  });
  const { goodUntil, ...terms } = termsOf([principal, 135, 17]);
  const counter = { round: 1, goodUntil, ...terms };
  await lender.call("POST", `/api/v1/negotiations/${negotiationId}/proposals`, counter);
  await signedIn(page, "Borrower 1");
  return { borrower, loanId, negotiationId };
}

/** An extension to accept. */
export async function acceptExtension(page: Page): Promise<void> {
  await extensionNegotiated(page);
  await page.goto("/portfolio/pending");
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByRole("dialog", { name: "Accept the counter-offer" }).waitFor();
}

/** A loan that can be extended on the terms of its collection, and on agreed ones. */
export async function extendAsAgreed(page: Page): Promise<void> {
  const { borrower, loanId, negotiationId } = await extensionNegotiated(page);
  await borrower.call("POST", `/api/v1/negotiations/${negotiationId}/accept`, { round: 2 });
  await page.goto(`/portfolio?tab=loans&loan=${loanId}`);
  await page.getByRole("dialog").getByRole("button", { name: "Extend" }).click();
  await page.getByText("17 days at 1.35%, agreed").waitFor();
}

/** Terms for the extension of a running loan. */
export async function proposeExtension(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const { loanId } = await runningLoan(await Party.join(), borrower);
  await signedIn(page, "Borrower 1");
  await page.goto(`/portfolio?tab=loans&loan=${loanId}`);
  await page.getByRole("dialog").getByRole("button", { name: "Extend" }).click();
  await page.getByRole("button", { name: "Counter-offer" }).click();
  await page.getByRole("dialog", { name: "Propose an extension" }).waitFor();
}
