import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";
import { createSeed, openAs } from "./browser-session";
import { acceptOffer, offerHalfTheFloor, runningLoan } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, LENDER_1, Party } from "./party";

type Loan = components["schemas"]["LoanView"];

test.setTimeout(150_000);

/** A loan that the lender refuses; returns its id. */
async function refusedLoan(lender: Party, borrower: Party): Promise<string> {
  await lender.fund();
  await borrower.fund();
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender);
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();
  const loanId = await acceptOffer(borrower, offerIds[0] ?? "", inscription);
  await lender.call("DELETE", `/api/v1/loans/${loanId}/countersignature`);
  return loanId;
}

/** The rows of the downloaded table, by the names of their columns. No field of these loans is quoted. */
async function savedTable(page: Page): Promise<Array<Record<string, string>>> {
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const text = await readFile(await (await saving).path(), "utf8");
  const [head = [], ...rows] = text
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index] ?? ""])));
}

test("the history is filtered by side and ending, and its table has the same loans to the sat", async ({
  page,
}) => {
  const user = await Party.join(await createSeed(page), BORROWER_1);
  const other = await Party.join();
  const lent = await refusedLoan(user, other);
  const borrowed = await refusedLoan(other, user);
  const { loanId: running } = await runningLoan(other, user);

  await openAs(page, "/portfolio?tab=history", "Borrower 1");
  const shown = () =>
    page.locator("[data-loan]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-loan")));
  const side = page.getByRole("radiogroup", { name: "Side" });
  const ending = page.getByRole("radiogroup", { name: "Ending" });
  await expect.poll(shown).toEqual([borrowed, lent]);
  expect((await savedTable(page)).map(({ loan }) => loan)).toEqual([borrowed, lent]);
  await expect(page.locator(`[data-loan="${lent}"]`)).toContainText("Not lent");
  await expect(page.locator(`[data-loan="${borrowed}"]`)).toContainText("Not borrowed");

  for (const [label, loanId] of [
    ["Lent", lent],
    ["Borrowed", borrowed],
  ] as const) {
    await side.getByText(label, { exact: true }).click();
    await expect.poll(shown).toEqual([loanId]);
    const [row, ...others] = await savedTable(page);
    expect(others).toEqual([]);
    const loan = await user.call<Loan>("GET", `/api/v1/me/loans/${loanId}`);
    expect(row).toMatchObject({
      loan: loanId,
      role: loan.role,
      state: loan.state,
      collection: loan.collectionName,
      collateral: loan.inscriptionId,
      principal_sats: String(loan.principal),
      interest_sats: String(loan.interestSats),
      payout_sats: String(loan.payoutSats),
      apy_percent: loan.apy.toFixed(2),
    });
  }
  await ending.getByText("Not started", { exact: true }).click();
  await expect.poll(shown).toEqual([borrowed]);
  await ending.getByText("Repaid", { exact: true }).click();
  await expect(page.getByText("No results found")).toBeVisible();
  await expect(page.getByRole("button", { name: "CSV" })).toBeDisabled();
  await expectAccessible(page);
  expect((await user.loans()).map(({ loanId }) => loanId)).toContain(running);
});

test("an action that is not possible yet shows why, on touch, by keyboard and to a screen reader", async ({
  page,
  isMobile,
}) => {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const { loanId } = await runningLoan(lender, await Party.join());
  await openAs(page, "/portfolio?tab=loans", "Lender 1");
  const row = page.locator(`[data-loan="${loanId}"]`);
  const claim = row.getByRole("button", { name: /^Claim/ });
  const reason = /^Only if it is not repaid, from \d+ \w+ \d{4}/;
  await expect(claim).toBeDisabled();
  await expect(claim).toHaveAccessibleDescription(reason);
  if (isMobile) await expect(row.getByText(reason).filter({ visible: true })).toBeInViewport();

  const hint = page.getByText(reason).filter({ visible: true }).last();
  const visibleInitially = isMobile ? 1 : 0;
  const visible = page.getByText(reason).filter({ visible: true });
  await expect(visible).toHaveCount(visibleInitially);
  await claim.focus();
  await page.keyboard.press("Enter");
  await expect(visible).toHaveCount(visibleInitially + 1);
  await page.keyboard.press("Escape");
  await expect(visible).toHaveCount(visibleInitially);
  if (isMobile) await claim.tap({ force: true });
  else await claim.click({ force: true });
  await expect(hint).toBeVisible();
  await expect(visible).toHaveCount(visibleInitially + 1);
  await expectAccessible(page);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Escape");

  await row.getByRole("button").first().click();
  const facts = page.getByRole("dialog");
  const inDialog = facts.getByRole("button", { name: "Claim" });
  await expect(inDialog).toBeDisabled();
  await expect(inDialog).toHaveAccessibleDescription(reason);
  await expect(facts.getByText(reason).filter({ visible: true })).toBeVisible();
});

test("an unconfirmed loan shows everything that waits for its block", async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const { loanId } = await runningLoan(await Party.join(), borrower);
  // The demo's next block may come at any moment, so the response is set back to the state before it.
  await page.route(/\/api\/v1\/me\/loans[/?]/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const loan of body.data ?? [body]) {
      Object.assign(loan, { stage: "broadcast", state: "BROADCAST", startedAt: null, dueAt: null });
    }
    await route.fulfill({ response: answer, json: body });
  });
  await openAs(page, "/portfolio?tab=loans", "Borrower 1");
  await page.locator(`[data-loan="${loanId}"]`).getByRole("button").first().click();
  const facts = page.getByRole("dialog");
  for (const name of ["Repay", "Refinance", "Extend"]) {
    const button = facts.getByRole("button", { name, exact: true });
    await expect(button).toBeDisabled();
    await expect(button).toHaveAccessibleDescription(/^The loan is unconfirmed\./);
    await button.focus();
    await page.keyboard.press("Enter");
  }
  await expect(facts.getByText("It can be ended once it is confirmed.")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await expectAccessible(page);
});
