import { expect } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { expectToast, expectToastsGone } from "./lend-steps";
import {
  counterSign,
  inscriptionsOf,
  loanOf,
  mineUntil,
  offerOfTheFloor,
  runningLoan,
  signInWallet,
} from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, Party } from "./party";
import {
  chooseInstantRefinance,
  loanRow,
  loanWithInstantOffers,
  openLoan,
  serveMatch,
} from "./refinance-steps";

test.setTimeout(180_000);

test("a refinanced loan is repaid by its successor, which holds the collateral from then on", async ({
  page,
}) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const nextLender = await Party.join();
  await nextLender.fund();
  const { loanId, inscription, principalSats } = await runningLoan(lender, borrower);

  await openAs(page, "/portfolio?tab=loans", "Borrower 1");
  await page.locator(`[data-loan="${loanId}"]`).getByRole("button").first().click();
  // Larger than the offers of the demo's lenders here, so that it is among the choices; and second, because
  // the demo's borrowers may take the best one.
  const next = await offerOfTheFloor(nextLender, 96);
  await page.getByRole("dialog").getByRole("button", { name: "Refinance" }).click();
  const dialog = page.getByRole("dialog", { name: /^Refinance/ });
  const principal = (next.principalSats / 100_000_000).toFixed(5);
  await dialog.getByRole("radio", { name: principal }).first().check();
  const comparison = dialog.getByRole("table");
  await expect(comparison.getByRole("row", { name: /^Principal/ })).toContainText(
    [principalSats, next.principalSats].map((sats) => (sats / 100_000_000).toFixed(8)).join(""),
  );
  await expect(dialog).toContainText("You receive now");
  await expectAccessible(page);

  await dialog.getByRole("button", { name: "Continue" }).click();
  const summary = dialog.getByRole("region", { name: "What you sign" });
  await expect(summary).toContainText("from this loan's escrow into the new one's");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: `Refinance with ${principal} BTC` }).click();
  await signInWallet(page);
  await expect(dialog.getByRole("heading", { name: "Offer accepted" })).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  const waiting = await nextLender.call<{ data: Array<{ loanId: string }> }>(
    "GET",
    "/api/v1/me/loans/waiting",
  );
  const nextId = waiting.data[0]?.loanId ?? "";
  await counterSign(nextLender, nextId);
  await mineUntil(borrower, loanId, "REPAID");
  await expect(page.getByRole("dialog")).toContainText("Another loan paid it and holds the collateral now.");
  const [old, successor] = await Promise.all([loanOf(borrower, loanId), loanOf(borrower, nextId)]);
  // One transaction ends the old loan and starts the new one.
  expect(old.endingTransactionId).toBe(successor.transactionId);
  expect(successor.principal).toBe(next.principalSats);
  expect(await inscriptionsOf(borrower)).not.toContain(inscription);

  await page.keyboard.press("Escape");
  const row = page.locator(`[data-loan="${nextId}"]`);
  await expect(row).toContainText("Running");
  await expect(row).toContainText(principal);
});

test("an instant offer refinances a loan with the borrower's signature and a block", async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const loanId = await loanWithInstantOffers(await Party.join(), borrower);
  await openAs(page, "/portfolio?tab=loans", "Borrower 1");

  const dialog = await chooseInstantRefinance(page, loanId);
  await expect(dialog.getByRole("table")).toContainText("Interest a day");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const summary = dialog.getByRole("region", { name: "What you sign" });
  await expect(summary).toContainText("from this loan's escrow into the new one's", { timeout: 30_000 });
  await expect(summary).toContainText("Repays the current loan");
  await expect(summary).toContainText("The new lender's vault signs at once.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: /^Refinance with \d/ }).click();
  await signInWallet(page);
  await expect(dialog.getByRole("heading", { name: "Loan refinanced" })).toBeVisible({ timeout: 30_000 });
  await dialog.getByRole("button", { name: "Done" }).click();

  await mineUntil(borrower, loanId, "REPAID");
  const next = (await borrower.loans()).find(({ follows }) => follows === loanId);
  expect(next?.loanProcessType).toBe("Instant");
  const old = await loanOf(borrower, loanId);
  expect([old.ending, old.endingTransactionId]).toEqual(["refinance", next?.transactionId]);
  await mineUntil(borrower, next?.loanId ?? "", "ACTIVE");
  await page.keyboard.press("Escape");
  await expect(loanRow(page, next?.loanId ?? "")).toContainText("Running");
});

test("a standing order is set, changed and removed, and a cheaper offer opens from the loan's row", async ({
  page,
}) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const nextLender = await Party.join();
  const { loanId } = await runningLoan(await Party.join(), borrower);
  const { offerIds, principalSats } = await offerOfTheFloor(nextLender, 96);
  const offerId = offerIds[0] ?? "";
  await serveMatch(page, { loanId, offerId, principalSats });
  await openAs(page, "/portfolio?tab=loans", "Borrower 1");

  const facts = await openLoan(page, loanId);
  await facts.getByRole("button", { name: "Set order" }).click();
  const dialog = page.getByRole("dialog", { name: "Standing order" });
  const { payoutSats, interest } = await loanOf(borrower, loanId);
  await expect(dialog.getByLabel("Principal at least")).toHaveValue(String(payoutSats / 100_000_000));
  await expect(dialog.getByLabel(/^Interest at most/)).toHaveValue(String(interest));
  await expect(dialog).toContainText("Nothing is signed or reserved now.");
  await dialog.getByLabel(/^Interest at most/).fill("");
  await expect(dialog.getByRole("button", { name: "Save order" })).toBeDisabled();
  await expect(dialog.getByText("Enter the highest interest")).toBeVisible();
  await dialog.getByLabel(/^Interest at most/).fill("2.5");
  await dialog.getByRole("radio", { name: "7 days" }).click();
  await expectAccessible(page);
  await dialog.getByLabel("Principal at least").press("Enter");
  await expectToast(page, "Standing order saved");
  expect((await loanOf(borrower, loanId)).refinanceOrder).toMatchObject({
    principalMinSats: payoutSats,
    interestMaxPercentage: 2.5,
    daysBefore: 7,
  });
  const order = page.getByRole("dialog").getByRole("region", { name: "Standing order" });
  await expect(order).toContainText("at up to 2.5%");
  await order.getByRole("button", { name: "Change order" }).click();
  await expect(dialog.getByLabel(/^Interest at most/)).toHaveValue("2.5");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expectToast(page, "Standing order removed");
  await expect(order).toContainText("None.");
  expect((await loanOf(borrower, loanId)).refinanceOrder).toBeNull();

  await expect(page.getByRole("dialog").getByRole("region", { name: "Another offer" })).toContainText(
    "23% less",
  );
  await page.keyboard.press("Escape");
  await expectToastsGone(page);
  const row = loanRow(page, loanId);
  await expect(row).toContainText("23% less interest a day with another offer");
  await row.getByRole("button", { name: /^See the offer/ }).click();
  await expect(page).toHaveURL(new RegExp(`loan=${loanId}.*refinance=${offerId}`));
  const refinance = page.getByRole("dialog", { name: /^Refinance/ });
  const principal = (principalSats / 100_000_000).toFixed(5);
  await expect(refinance.getByRole("radio", { name: new RegExp(`^${principal}`) })).toBeChecked();
  await expectAccessible(page);
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
