import { expect, type Page } from "@playwright/test";
import { createSeed } from "../e2e/browser-session";
import { offerOfTheFloor, runningLoan } from "../e2e/loan-steps";
import { BORROWER_1, Party } from "../e2e/party";
import {
  chooseInstantRefinance,
  loanRow,
  loanWithInstantOffers,
  openLoan,
  serveMatch,
} from "../e2e/refinance-steps";
import { signInAs } from "../e2e/wallet-steps";

const LOANS = "/portfolio?tab=loans";

/** The refinance of a loan, with an instant offer chosen. */
export async function chooseInstantOffer(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const loanId = await loanWithInstantOffers(await Party.join(), borrower);
  await page.goto(LOANS);
  await signInAs(page, "Borrower 1");
  await chooseInstantRefinance(page, loanId);
}

/** The form of a standing order. */
export async function fillInOrder(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const { loanId } = await runningLoan(await Party.join(), borrower);
  await page.goto(LOANS);
  await signInAs(page, "Borrower 1");
  const facts = await openLoan(page, loanId);
  await facts.getByRole("button", { name: "Set order" }).click();
  await expect(page.getByLabel("Principal at least")).toBeVisible();
}

/** A running loan that another offer would make cheaper, in the list. */
export async function listCheaperOffer(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const { loanId } = await runningLoan(await Party.join(), borrower);
  const { offerIds, principalSats } = await offerOfTheFloor(await Party.join(), 96);
  await serveMatch(page, { loanId, offerId: offerIds[0] ?? "", principalSats });
  await page.goto(LOANS);
  await signInAs(page, "Borrower 1");
  await expect(loanRow(page, loanId)).toContainText("less interest a day");
}
