import { expect, type Locator, type Page } from "@playwright/test";
import { createSeed, openAs } from "./browser-session";
import { offerOfTheFloor, runningLoan } from "./loan-steps";
import { test } from "./market-test";
import { BORROWER_1, Party } from "./party";

test.setTimeout(180_000);

/** Ways to leave a review: each must release everything. */
const EXITS: Record<string, (page: Page, dialog: Locator) => Promise<void>> = {
  "the way back": async (_, dialog) => dialog.getByRole("button", { name: "Back" }).click(),
  Escape: async (page) => page.keyboard.press("Escape"),
  "the cross": async (_, dialog) => dialog.getByRole("button", { name: "Close" }).click(),
  "another page": async (page) => {
    await page.evaluate(() => window.history.back());
  },
};

/** The stages of the borrower's loans other than the running one. */
async function otherStages(borrower: Party, loanId: string): Promise<string[]> {
  const loans = await borrower.loans();
  return loans.filter((loan) => loan.loanId !== loanId).map(({ stage }) => stage);
}

/** Opens an action of the running loan up to its review; the server reserves something from then on. */
async function review(page: Page, borrower: Party, loanId: string, action: "Refinance" | "Extend") {
  await page.goto("/borrow/ordinals");
  await page.goto("/portfolio?tab=loans");
  await page.locator(`[data-loan="${loanId}"]`).getByRole("button").first().click();
  await page.getByRole("dialog").getByRole("button", { name: action }).click();
  const dialog = page.getByRole("dialog", { name: action === "Refinance" ? /^Refinance/ : /^Extend/ });
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toBeVisible();
  expect(await otherStages(borrower, loanId)).toContain("prepared");
  return dialog;
}

for (const action of ["Refinance", "Extend"] as const) {
  test(`leaving the review of ${action === "Refinance" ? "a refinance" : "an extension"} releases what was prepared`, {
    tag: "@desktop",
  }, async ({ page }) => {
    const borrower = await Party.join(await createSeed(page), BORROWER_1);
    const [lender, nextLender] = [await Party.join(), await Party.join()];
    await nextLender.fund();
    const { loanId } = await runningLoan(lender, borrower);
    await offerOfTheFloor(nextLender, 96);
    await openAs(page, "/portfolio?tab=loans", "Borrower 1");

    for (const [name, exit] of Object.entries(EXITS)) {
      const dialog = await review(page, borrower, loanId, action);
      await exit(page, dialog);
      await expect
        .poll(async () => (await otherStages(borrower, loanId)).filter((stage) => stage !== "cancelled"), {
          message: `by ${name}`,
        })
        .toEqual([]);
    }
    await page.goto("/portfolio/pending");
    await expect(page.getByRole("button", { name: /^Sign/ })).toHaveCount(0);
  });
}
