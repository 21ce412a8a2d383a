import { expect, type Page } from "@playwright/test";
import { inscriptionChoices, openOffer, openSummary } from "../e2e/borrow-steps";
import { createSeed } from "../e2e/browser-session";
import { acceptOffer, counterSign, mineUntil } from "../e2e/loan-steps";
import { BORROWER_1, Party } from "../e2e/party";
import { fillRequest, fundInscriptions, requestLoan } from "../e2e/request-steps";
import { signInAs } from "../e2e/wallet-steps";
import { funded, signedIn } from "./signed-in";

const SLUG = "quiet-moons";
const NAME = "Quiet Moons";
const COUNT = 5;
const PRINCIPAL_SATS = 180_000;

/** The form of a request that pledges five inscriptions together. */
export async function fillInRequestForSeveral(page: Page): Promise<void> {
  await fundInscriptions(await Party.join(await createSeed(page), BORROWER_1), SLUG, COUNT + 1);
  await page.goto("/requests");
  await signedIn(page, "Borrower 1");
  await page.goto("/requests");
  await page.getByRole("button", { name: "Request a loan" }).click();
  const dialog = page.getByRole("dialog", { name: "Request a loan" });
  await dialog.getByRole("button", { name: /^Collection/ }).click();
  await page.getByRole("menuitemradio", { name: NAME }).click();
  for (let each = 0; each < COUNT; each += 1) await inscriptionChoices(dialog).nth(each).check();
  await dialog.getByLabel("Principal").fill("0.0018");
  await expect(dialog).toContainText(`${COUNT} of 20 chosen`);
}

/** The dialog that fills a request for five inscriptions. */
export async function fillRequestForSeveral(page: Page): Promise<void> {
  const borrower = await Party.join();
  const requestId = await requestLoan(
    borrower,
    SLUG,
    await fundInscriptions(borrower, SLUG, COUNT),
    PRINCIPAL_SATS,
  );
  await funded(page, "Lender 1");
  await page.goto("/requests");
  await page.locator(`[data-request="${requestId}"]`).getByRole("button", { name: "Fill" }).click();
  await page
    .getByRole("dialog", { name: "Fill a request" })
    .getByText(`${COUNT} inscriptions`)
    .first()
    .waitFor();
}

/** The offer that fills a request for five inscriptions, before its borrower takes it. */
export async function borrowWithSeveral(page: Page) {
  const { offerId } = await filledRequest(await Party.join(await createSeed(page), BORROWER_1));
  await signedIn(page, "Borrower 1");
  const dialog = await openOffer(page, offerId, { slug: SLUG, category: "ordinals" });
  await expect(dialog.getByRole("region", { name: "Inscriptions to pledge" })).toContainText("together");
  return dialog;
}

/** The review of that loan. */
export async function reviewLoanOfSeveral(page: Page): Promise<void> {
  const dialog = await borrowWithSeveral(page);
  await openSummary(dialog, /^Borrow 0/);
}

/** A running loan against five inscriptions, in its dialog. */
export async function openLoanOfSeveral(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const { lender, offerId, inscriptionIds } = await filledRequest(borrower);
  const loanId = await acceptOffer(borrower, offerId, ...inscriptionIds);
  await counterSign(lender, loanId);
  await mineUntil(borrower, loanId, "ACTIVE");
  await page.goto("/portfolio?tab=loans");
  await signInAs(page, "Borrower 1");
  await page.locator(`[data-loan="${loanId}"]`).getByRole("button").first().click();
  await expect(page.getByRole("dialog")).toContainText(`${COUNT} inscriptions, repaid and claimed together`);
}

/** A borrower's request for five inscriptions, filled by a lender who counter-signs. */
async function filledRequest(borrower: Party) {
  await borrower.fund();
  const inscriptionIds = await fundInscriptions(borrower, SLUG, COUNT);
  const lender = await Party.join();
  await lender.fund();
  await lender.mine();
  const requestId = await requestLoan(borrower, SLUG, inscriptionIds, PRINCIPAL_SATS);
  return { lender, inscriptionIds, offerId: await fillRequest(lender, requestId, SLUG) };
}
