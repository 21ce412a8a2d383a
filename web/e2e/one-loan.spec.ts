import { expect, type Locator, type Page } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";
import { openOffer } from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { acceptOffer, counterSign, loanOf, mineUntil, offerHalfTheFloor } from "./loan-steps";
import { test } from "./market-test";
import { BORROWER_1, LENDER_1, Party, type ToSign } from "./party";

type Loan = components["schemas"]["LoanView"];

test.setTimeout(180_000);

const btc = (sats: number) => (sats / 100_000_000).toFixed(8);
const yearly = (percent: number) =>
  `${percent.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}%`;

/** The values of a breakdown or a list of sums, by label. */
async function figures(shown: Locator): Promise<Record<string, string>> {
  const pairs = await shown
    .locator("dl > div")
    .evaluateAll((lines) =>
      lines.map((line) => [
        line.querySelector("dt")?.textContent ?? "",
        line.querySelector("dd")?.textContent?.replace(/ BTC$/, "") ?? "",
      ]),
    );
  return Object.fromEntries(pairs);
}

async function repay(borrower: Party, loanId: string): Promise<void> {
  const body = { loanIds: [loanId] };
  const prepared = await borrower.call<ToSign>("POST", "/api/v1/loans/repayment/prepare", {
    ...body,
    feeRate: 5,
  });
  await borrower.call("POST", "/api/v1/loans/repayment", {
    ...body,
    walletName: "DevWallet",
    base64: borrower.sign(prepared),
  });
}

async function expectLendDialog(page: Page, groupSlug: string, loan: Loan): Promise<void> {
  await page.goto(`/lend/ordinals?collection=${groupSlug}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Principal", { exact: true }).fill(String(loan.principal / 100_000_000));
  const breakdown = dialog.getByRole("region", { name: "Loan breakdown" });
  const fee = loan.platformFeeSats ?? 0;
  await expect
    .poll(() => figures(breakdown))
    .toMatchObject({
      "You lend": btc(loan.principal),
      Interest: btc(loan.interestSats),
      "You are repaid": btc(loan.payoutSats),
      APY: yearly(loan.apy),
      ...(fee > 0 && {
        "Platform fee, at the start": btc(fee),
        "Leaves your wallet": btc(loan.principal + fee),
      }),
    });
}

test("every screen of a loan shows the same figures", { tag: "@desktop" }, async ({ page, browser }) => {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const other = await (await browser.newContext()).newPage();
  const borrower = await Party.join(await createSeed(other), BORROWER_1);
  await lender.fund();
  await borrower.fund();
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender);
  const [offerId = ""] = offerIds;
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();

  const borrowing = await openOffer(other, offerId, { slug: groupSlug, category: "ordinals" });
  const breakdown = await figures(borrowing.getByRole("region", { name: "Loan breakdown" }));
  const loanId = await acceptOffer(borrower, offerId, inscription);
  const loan = await loanOf(lender, loanId);
  expect(breakdown).toMatchObject({
    Interest: btc(loan.interestSats),
    "You repay": btc(loan.payoutSats),
    APY: yearly(loan.apy),
  });
  expect(Number(breakdown["You receive, before the network fee"])).toBe(loan.principal / 100_000_000);

  await openAs(page, "/portfolio/pending", "Lender 1");
  await page
    .locator(`[data-loan="${loanId}"]`)
    .getByRole("button", { name: /^Counter-sign/ })
    .click();
  const signed = page.getByRole("region", { name: "What you sign" });
  const fee = loan.platformFeeSats ?? 0;
  await expect(signed).toContainText(`${btc(loan.principal + fee)} BTC`);
  await expect(signed).toContainText(`${btc(loan.payoutSats)} BTC`);
  if (fee > 0) await expect(signed).toContainText(`${btc(fee)} BTC`);
  await expectLendDialog(page, groupSlug, loan);

  await counterSign(lender, loanId);
  await mineUntil(borrower, loanId, "ACTIVE");
  await page.goto("/portfolio?tab=loans");
  const row = page.locator(`[data-loan="${loanId}"]`);
  await expect(row).toContainText(btc(loan.principal));
  await expect(row).toContainText(`${btc(loan.payoutSats)} to repay`);
  await row.getByRole("button").first().click();
  await expect
    .poll(() => figures(page.getByRole("dialog")))
    .toMatchObject({
      Principal: btc(loan.principal),
      "You are repaid": btc(loan.payoutSats),
      APY: yearly(loan.apy),
      ...(fee > 0 && { "Platform fee, at the start": btc(fee) }),
    });

  await repay(borrower, loanId);
  await mineUntil(borrower, loanId, "REPAID");
  await page.goto("/portfolio?tab=history");
  await expect(row).toContainText(btc(loan.principal));
  await expect(row).toContainText(`+${btc(loan.interestSats - fee)}`);
  await expect(row).toContainText(yearly(loan.apy));
  await openAs(other, "/portfolio?tab=history", "Borrower 1");
  await expect(other.locator(`[data-loan="${loanId}"]`)).toContainText(`\u2212${btc(loan.interestSats)}`);
  await other.context().close();
});
