import { expect } from "@playwright/test";
import { openAs, setSeed } from "./browser-session";
import { inscriptionsOf, loanOf, mineUntil, signInWallet } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { Party } from "./party";

test.setTimeout(150_000);

/** The seed of the demo's lender whose loans were not repaid. */
const CLAIMING_LENDER = new TextEncoder().encode("a lender who claims, in the demo");

test("a claimed loan moves the inscription to the lender", async ({ page }) => {
  await setSeed(page, CLAIMING_LENDER);
  const lender = await Party.join(CLAIMING_LENDER);

  await openAs(page, "/portfolio/pending", "Lender 1");
  const claims = page.getByRole("region", { name: "Claims" });
  await expect(claims).toContainText("Not repaid in time. The borrower can still repay until you claim.");
  const loans = await lender.loans();
  const claimable = loans.find(
    ({ waitsFor, inscriptionIds }) => waitsFor === "claim" && inscriptionIds.length === 1,
  );
  const loanId = claimable?.loanId ?? "";
  const row = claims.locator(`[data-loan="${loanId}"]`);
  const { inscriptionId } = await loanOf(lender, loanId);
  expect(await inscriptionsOf(lender)).not.toContain(inscriptionId);
  await row.getByRole("button", { name: /^Claim/ }).click();

  // The feed reports the claim before its response arrives.
  await page.route("**/api/v1/loans/*/claim", async (route) => {
    const response = await route.fetch();
    await page.waitForTimeout(2_000);
    await route.fulfill({ response });
  });

  const dialog = page.getByRole("dialog", { name: /^Claim/ });
  await expect(dialog).toContainText("Claimable since");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const summary = dialog.getByRole("region", { name: "What you sign" });
  await expect(summary).toContainText("Arrives in your wallet");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: /^Claim/ }).click();
  await signInWallet(page);
  await expect(dialog.getByRole("heading", { name: "Claim sent" })).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  await mineUntil(lender, loanId, "CLAIMED");
  expect(await inscriptionsOf(lender)).toContain(inscriptionId);
  await page.goto("/portfolio?tab=history");
  await expect(page.locator(`[data-loan="${loanId}"]`)).toContainText("Claimed");
});
