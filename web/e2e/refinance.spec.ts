import { expect } from "@playwright/test";
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
import { BORROWER_1, createSeed, Party } from "./party";
import { signInAs } from "./wallet-steps";

test.setTimeout(180_000);

test("a refinanced loan is repaid by its successor, which holds the collateral from then on", async ({
  page,
}) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const nextLender = await Party.join();
  await nextLender.fund();
  const { loanId, inscription, principalSats } = await runningLoan(lender, borrower);

  await page.goto("/portfolio?tab=loans");
  await signInAs(page, "Borrower 1");
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
