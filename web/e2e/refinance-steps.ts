import { expect, type Locator, type Page } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";
import { acceptOffer, counterSign, manualSlug, mineUntil, offerManually } from "./loan-steps";
import type { Party } from "./party";

type Wire = components["schemas"];

/** The collection of inscriptions with the most instant offers that takes manual offers too. */
async function collectionOfBoth(party: Party): Promise<{ groupSlug: string; floor: number }> {
  const { data } = await party.call<Wire["CollectionsPage"]>(
    "GET",
    "/api/v1/collections?category=ordinals&limit=100",
  );
  const count = ({ instant }: Wire["Row"]) => instant?.offerCount ?? 0;
  const [row] = data
    .filter(({ manual, floor }) => manual !== null && floor !== null)
    .sort((one, other) => count(other) - count(one));
  if (!row || count(row) === 0) throw new Error("No collection has instant offers");
  return { groupSlug: row.groupSlug, floor: row.floor ?? 0 };
}

/** A running loan at half the floor that instant offers could refinance; returns its id. */
export async function loanWithInstantOffers(lender: Party, borrower: Party): Promise<string> {
  const { groupSlug, floor } = await collectionOfBoth(borrower);
  const principalSats = Math.floor((floor * 50) / 100_000) * 1_000;
  const slug = await manualSlug(borrower, groupSlug);
  const [offerId = ""] = await offerManually(lender, slug, principalSats);
  await borrower.fund();
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();
  const loanId = await acceptOffer(borrower, offerId, inscription);
  await counterSign(lender, loanId);
  await mineUntil(borrower, loanId, "ACTIVE");
  return loanId;
}

export function loanRow(page: Page, loanId: string): Locator {
  return page.locator(`[data-loan="${loanId}"]`);
}

/** Opens the dialog of a loan from its row. */
export async function openLoan(page: Page, loanId: string): Promise<Locator> {
  await loanRow(page, loanId).getByRole("button").first().click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Refinance", exact: true })).toBeVisible();
  return dialog;
}

/** Opens the refinance of a loan, with an instant offer chosen. */
export async function chooseInstantRefinance(page: Page, loanId: string): Promise<Locator> {
  const facts = await openLoan(page, loanId);
  await facts.getByRole("button", { name: "Refinance", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: /^Refinance/ });
  // The last one, because the demo's borrowers take the best ones.
  await dialog
    .getByRole("radio", { name: /Instant/ })
    .last()
    .check();
  return dialog;
}

/** The server's search finds this offer for a loan. */
export async function serveMatch(
  page: Page,
  match: Pick<Wire["RefinanceView"], "loanId" | "offerId" | "principalSats">,
): Promise<void> {
  const found: Wire["RefinanceView"] = {
    process: "manual",
    interestPercentage: 1,
    termDays: 7,
    payoutSats: Math.ceil(match.principalSats * 1.01),
    savedPercentage: 23.5,
    isOrdered: false,
    ...match,
  };
  await page.route("**/api/v1/me/refinances", (route) => route.fulfill({ json: { refinances: [found] } }));
}
