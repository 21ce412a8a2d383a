import { expect } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { expectToast } from "./lend-steps";
import {
  acceptOffer,
  counterSign,
  loanOf,
  mineUntil,
  offerHalfTheFloor,
  runningLoan,
  signInWallet,
} from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, LENDER_1, Party } from "./party";
import { walletWindow } from "./wallet-steps";

test.setTimeout(180_000);

test("a lender counter-signs a waiting loan, and the loan runs", { tag: "@regtest" }, async ({ page }) => {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const borrower = await Party.join();
  // A coin that is reserved for one loan cannot fund another.
  await lender.fund();
  await lender.fund();
  await borrower.fund();
  await borrower.fund();
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender, 2);
  const inscriptions = [await borrower.fund(groupSlug), await borrower.fund(groupSlug)];
  await borrower.mine();
  const loanId = await acceptOffer(borrower, offerIds[0] ?? "", inscriptions[0] ?? "");
  const refused = await acceptOffer(borrower, offerIds[1] ?? "", inscriptions[1] ?? "");

  await openAs(page, "/portfolio/pending", "Lender 1");
  const waiting = page.getByRole("region", { name: "Counter-signatures" });
  await expect(waiting.locator("[data-loan]")).toHaveCount(2);
  await expect(waiting).toContainText(/11h \d+m to sign/);
  await expectAccessible(page);

  await page
    .locator(`[data-loan="${loanId}"]`)
    .getByRole("button", { name: /^Counter-sign/ })
    .click();
  const dialog = page.getByRole("dialog", { name: /^Lend against/ });
  const summary = dialog.getByRole("region", { name: "What you sign" });
  await expect(summary).toContainText("Leaves your wallet");
  await expect(summary).toContainText(/principal.* to the borrower/);
  await expect(summary).toContainText(/Yearly return[\d,]+\.\d{2}%/);
  const terms = page.waitForEvent("download");
  await summary.getByRole("button", { name: "Save as a file" }).click();
  expect((await terms).suggestedFilename()).toBe(`lienbook-loan-${loanId}-terms.html`);
  await expectAccessible(page);

  await dialog.getByRole("button", { name: /^Lend \d/ }).click();
  await walletWindow(page, "Sign transaction").getByRole("button", { name: "Cancel" }).click();
  await expectToast(page, "Wallet cancelled request");
  await dialog.getByRole("button", { name: /^Lend \d/ }).click();
  await signInWallet(page, 3);
  await expect(dialog.getByRole("heading", { name: "Loan started" })).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  await page.locator(`[data-loan="${refused}"]`).getByRole("button").first().click();
  const facts = page.getByRole("dialog");
  await expect(facts.getByRole("region", { name: "Inscription" })).toBeVisible();
  await facts.getByRole("button", { name: "Refuse" }).click();
  await page
    .getByRole("dialog", { name: "Refuse this loan?" })
    .getByRole("button", { name: "Refuse" })
    .click();
  await expectToast(page, "Loan refused");
  expect((await loanOf(borrower, refused)).state).toBe("CANCELLED");
  await mineUntil(borrower, loanId, "ACTIVE");
});

test("a repaid loan returns the inscription", { tag: "@regtest" }, async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const { loanId, inscription, otherIds } = await runningLoan(lender, borrower, 2);

  await openAs(page, "/portfolio?tab=loans", "Borrower 1");
  const row = page.locator(`[data-loan="${loanId}"]`);
  await expect(row).toContainText("Running");
  await expect(row).toContainText(/≈ [\d,]+ blocks/);
  await row.getByRole("button").first().click();
  const facts = page.getByRole("dialog");
  await expect(facts).toContainText("From");
  await expect(facts.getByRole("region", { name: "Inscription" })).toContainText("Content");
  const kit = page.waitForEvent("download");
  await facts.getByRole("button", { name: "Loan kit" }).click();
  expect((await kit).suggestedFilename()).toContain(loanId);
  const entry = page.waitForEvent("download");
  await facts.getByRole("button", { name: "Calendar entry" }).click();
  expect((await entry).suggestedFilename()).toMatch(/\.ics$/);
  await expectAccessible(page);

  await facts.getByRole("button", { name: "Repay" }).click();
  const repaying = page.getByRole("dialog", { name: /^Repay/ });
  await repaying.getByRole("button", { name: "Continue" }).click();
  await expect(repaying.getByRole("region", { name: "What you sign" })).toContainText(
    "Arrives in your wallet",
  );
  await repaying.getByRole("button", { name: /^Repay \d/ }).click();
  await signInWallet(page);
  await expect(repaying.getByRole("heading", { name: "Repayment sent" })).toBeVisible();
  await repaying.getByRole("button", { name: "Done" }).click();
  await mineUntil(borrower, loanId, "REPAID");
  await expect(page.getByRole("dialog")).toContainText("The collateral is back at your ordinals address.");

  // The same inscription can be pledged again: it is in the wallet and not reserved.
  await acceptOffer(borrower, otherIds[0] ?? "", inscription);
});

test("an extension is requested by the borrower and accepted by the lender, and the old loan ends", {
  tag: "@regtest",
}, async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const { loanId } = await runningLoan(lender, borrower);

  await openAs(page, "/portfolio?tab=loans", "Borrower 1");
  await page.locator(`[data-loan="${loanId}"]`).getByRole("button").first().click();
  await expect(page.getByRole("region", { name: "Inscription" })).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Extend" }).click();
  const asking = page.getByRole("dialog", { name: /^Extend/ });
  await asking.getByRole("button", { name: "Continue" }).click();
  await asking.getByRole("button", { name: /^Ask for \d+ more days/ }).click();
  await signInWallet(page);
  await expect(asking.getByRole("heading", { name: "Extension requested" })).toBeVisible();
  await asking.getByRole("button", { name: "Done" }).click();
  await expect(page.locator("[data-loan]", { hasText: /Extension until \d+ \w+/ })).toHaveCount(1);

  const [next] = (await lender.call<{ data: Array<{ loanId: string }> }>("GET", "/api/v1/me/loans/waiting"))
    .data;
  await counterSign(lender, next?.loanId ?? "");
  await mineUntil(borrower, loanId, "REPAID");
  await expect(page.getByRole("dialog")).toContainText("Extended");
  await page.keyboard.press("Escape");
  await expect(page.locator(`[data-loan="${next?.loanId}"]`)).toContainText("Running");

  await page.getByRole("link", { name: "History" }).click();
  await expect(page.locator(`[data-loan="${loanId}"]`)).toContainText("Extended");
  const table = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  expect((await table).suggestedFilename()).toBe("lienbook-loans.csv");
  await page.getByText("Claimed", { exact: true }).click();
  await expect(page.getByText("No results found")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page.getByRole("region", { name: "LTV of running loans" }).getByRole("link")).toHaveCount(1);
  await expect(page.getByRole("region", { name: "Lending today" })).toHaveCount(0);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  for (const total of await page.getByText(/^\d+\.\d{8} BTC$/).all()) {
    expect(await total.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(
      0,
    );
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

test("two loans are repaid by one transaction", { tag: "@regtest" }, async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  for (let time = 0; time < 2; time += 1) {
    await lender.fund();
    await borrower.fund();
  }
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender, 2);
  const inscriptions = [await borrower.fund(groupSlug), await borrower.fund(groupSlug)];
  await borrower.mine();
  const loanIds: string[] = [];
  for (const [index, offerId] of offerIds.entries()) {
    const loanId = await acceptOffer(borrower, offerId, inscriptions[index] ?? "");
    await counterSign(lender, loanId);
    loanIds.push(loanId);
  }
  for (const loanId of loanIds) await mineUntil(borrower, loanId, "ACTIVE");

  await openAs(page, "/portfolio?tab=loans", "Borrower 1");
  for (const loanId of loanIds) await page.locator(`[data-loan="${loanId}"]`).getByRole("checkbox").click();
  await page.getByRole("button", { name: "Repay 2 loans" }).click();
  const repaying = page.getByRole("dialog", { name: "Repay 2 loans" });
  await repaying.getByRole("button", { name: "Continue" }).click();
  await repaying.getByRole("button", { name: /^Repay \d/ }).click();
  await signInWallet(page);
  await expect(repaying.getByRole("heading", { name: "Repayment sent" })).toBeVisible();
  await repaying.getByRole("button", { name: "Done" }).click();
  for (const loanId of loanIds) await mineUntil(borrower, loanId, "REPAID");
  const endings = await Promise.all(loanIds.map((loanId) => loanOf(borrower, loanId)));
  expect(new Set(endings.map(({ endingTransactionId }) => endingTransactionId)).size).toBe(1);
  await expect(page.getByText("No active loans.")).toBeVisible();
});

test("a lender's day shows what is lent, due and under water, and leads to what is to do", async ({
  page,
}) => {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const { loanId, principalSats, otherIds } = await runningLoan(lender, await Party.join(), 2);
  await lender.call("POST", "/api/v1/offers/pause", { offerIds: otherIds });
  // Neither the floor nor the due date of a loan moves as far while a test runs.
  await page.route(/\/api\/v1\/me\/loans\?/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const loan of body.data) {
      Object.assign(loan, { dueAt: Date.now() + 86_400_000, payoutSats: principalSats * 4 });
    }
    await route.fulfill({ response: answer, json: body });
  });
  await openAs(page, "/portfolio", "Lender 1");
  const day = page.getByRole("region", { name: "Lending today" });
  await expect(day).toContainText(`${(principalSats / 1e8).toFixed(8)} BTC`);
  await expect(day).toContainText("1 loan running, nothing reserved");
  await expect(day).toContainText(/\d+\.\d{2}%\s*Of 1 loan, if repaid in time/);
  const days = day.getByRole("list", { name: "Due in the next 7 days" }).getByRole("listitem");
  await expect(days).toHaveCount(7);
  await expect(days.nth(1)).toContainText(/Tomorrow.*1 loan/);
  await expectAccessible(page);

  const below = day.getByRole("list", { name: "Loans under water" }).getByRole("link");
  await expect(below).toHaveAttribute("href", `/portfolio?tab=loans&loan=${loanId}`);
  await day.getByRole("link", { name: /^1 offer is paused/ }).click();
  await expect(page.getByRole("dialog")).toContainText("Paused by you");
});
