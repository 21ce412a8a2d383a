import { expect } from "@playwright/test";
import { inscriptionChoices, openOffer, requestSignature } from "./borrow-steps";
import { createSeed, openAs, setSeed } from "./browser-session";
import { expectToast, signInFunded } from "./lend-steps";
import { counterSign, inscriptionsOf, loanOf, mineUntil, signInWallet } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, LENDER_1, Party } from "./party";
import { fundInscriptions } from "./request-steps";
import { sign } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

test.setTimeout(240_000);

const SLUG = "quiet-moons";
const NAME = "Quiet Moons";
const COUNT = 5;
const PRINCIPAL_BTC = "0.0018";
/** The seed of the demo's lender whose loans were not repaid. */
const CLAIMING_LENDER = new TextEncoder().encode("a lender who claims, in the demo");

test("five inscriptions are requested in one loan, lent against, and repaid together", async ({
  page,
  browser,
}) => {
  const lenderPage = await (await browser.newContext()).newPage();
  const lender = await Party.join(await createSeed(lenderPage), LENDER_1);
  await signInFunded(lenderPage, "Lender 1");
  await lenderPage.goto("/requests");

  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  await borrower.fund();
  const inscriptionIds = await fundInscriptions(borrower, SLUG, COUNT);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openAs(page, "/requests", "Borrower 1");
  await page.getByRole("button", { name: "Request a loan" }).click();
  const asking = page.getByRole("dialog", { name: "Request a loan" });
  await asking.getByRole("button", { name: /^Collection/ }).click();
  await page.getByRole("menuitemradio", { name: NAME }).click();
  await expect(inscriptionChoices(asking)).toHaveCount(COUNT, { timeout: 45_000 });
  for (let each = 0; each < COUNT; each += 1) await inscriptionChoices(asking).nth(each).check();
  await expect(asking).toContainText(`${COUNT} of 20 chosen`);
  await asking.getByLabel("Principal", { exact: true }).fill(PRINCIPAL_BTC);
  await asking.getByLabel(/Interest at most/).fill("20");
  await expectAccessible(page);
  await asking.getByRole("button", { name: "Sign request" }).click();
  const message = walletWindow(page, "Sign message");
  for (const id of inscriptionIds) await expect(message).toContainText(`Inscription: ${id}`);
  await sign(page);
  await expectToast(page, "Request placed");

  const request = lenderPage.locator("[data-request]").filter({ hasText: PRINCIPAL_BTC });
  await expect(request).toContainText(`${COUNT} inscriptions`);
  await request.getByRole("button", { name: "Fill" }).click();
  const filling = lenderPage.getByRole("dialog", { name: "Fill a request" });
  await expect(filling).toContainText(`${COUNT} inscriptions`);
  await expectAccessible(lenderPage);
  await filling.getByRole("button", { name: "Fill request" }).click();
  await expectToast(lenderPage, "Request filled");

  type Listed = { data: Array<{ offer: { offerId: string } }> };
  const { data } = await borrower.call<Listed>("GET", "/api/v1/offers/for-me");
  const offerId = data[0]?.offer.offerId ?? "";
  const borrowing = await openOffer(page, offerId, { slug: SLUG, category: "ordinals" });
  await expect(borrowing.getByRole("region", { name: "Inscriptions to pledge" })).toContainText("together");
  await requestSignature(borrowing, /^Borrow 0\.0018/);
  await expectAccessible(page);
  await signInWallet(page);
  await expect(borrowing.getByText(/lender must counter-sign/)).toBeVisible({ timeout: 30_000 });
  expect(await inscriptionsOf(borrower)).toEqual(expect.arrayContaining(inscriptionIds));
  const [loan] = await borrower.loans();
  const loanId = loan?.loanId ?? "";
  await counterSign(lender, loanId);
  await mineUntil(borrower, loanId, "ACTIVE");
  expect((await loanOf(borrower, loanId)).inscriptionIds).toHaveLength(COUNT);
  expect(await inscriptionsOf(borrower)).toEqual([]);

  await page.goto("/portfolio?tab=loans");
  await page
    .locator(`[data-loan="${loanId}"]`)
    .getByRole("button", { name: /^Repay/ })
    .click();
  const repaying = page.getByRole("dialog", { name: /^Repay/ });
  await expect(repaying).toContainText(`${COUNT} inscriptions`);
  await repaying.getByRole("button", { name: "Continue" }).click();
  await expect(repaying.getByRole("region", { name: "What you sign" })).toContainText(
    `${COUNT} inscriptions`,
  );
  await repaying.getByRole("button", { name: /^Repay \d/ }).click();
  await signInWallet(page);
  await expect(repaying.getByRole("heading", { name: "Repayment sent" })).toBeVisible({ timeout: 30_000 });
  await mineUntil(borrower, loanId, "REPAID");
  await expect.poll(() => inscriptionsOf(borrower)).toEqual(expect.arrayContaining(inscriptionIds));
  await lenderPage.context().close();
});

test("a lender claims five inscriptions of one loan together", async ({ page }) => {
  await setSeed(page, CLAIMING_LENDER);
  const lender = await Party.join(CLAIMING_LENDER);
  const loans = await lender.loans();
  const claimable = loans.find(
    ({ waitsFor, inscriptionIds }) => waitsFor === "claim" && inscriptionIds.length === COUNT,
  );
  const { loanId = "", inscriptionIds = [] } = claimable ?? {};
  expect(inscriptionIds).toHaveLength(COUNT);
  await openAs(page, "/portfolio/pending", "Lender 1");
  const row = page.getByRole("region", { name: "Claims" }).locator(`[data-loan="${loanId}"]`);
  await expect(row).toContainText(`${COUNT} inscriptions`);
  await row.getByRole("button", { name: /^Claim/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Claim/ });
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toContainText(`${COUNT} inscriptions`);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: /^Claim/ }).click();
  await signInWallet(page);
  await expect(dialog.getByRole("heading", { name: "Claim sent" })).toBeVisible();
  await mineUntil(lender, loanId, "CLAIMED");
  expect(await inscriptionsOf(lender)).toEqual(expect.arrayContaining(inscriptionIds));
});
