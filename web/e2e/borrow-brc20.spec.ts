import { expect, type Locator, type Page } from "@playwright/test";
import { approveTransaction, openOffer } from "./borrow-steps";
import {
  agreeToPledge,
  BUNDLE_RAW,
  collateralPanel,
  FUNDING_SATS,
  inscribe,
  openInscribeDialog,
  PRINCIPAL_SATS,
  SUB_COLLECTION,
  TOKEN,
} from "./brc20-steps";
import { createSeed, openAs } from "./browser-session";
import { expectToast } from "./lend-steps";
import { mineUntil, offerManually, signInWallet } from "./loan-steps";
import { expectAccessible, tryAgain } from "./market-steps";
import { test } from "./market-test";
import { endOutage, startOutage } from "./outages";
import { BORROWER_1, Party } from "./party";
import { breakWallet, restoreWallet } from "./wallet-faults";
import { walletWindow } from "./wallet-steps";

test.setTimeout(300_000);

test("a BRC-20 transfer is inscribed and pledged, the lender counter-signs, and the loan runs", async ({
  page,
  browser,
}) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lenderPage = await (await browser.newContext()).newPage();
  const lender = await Party.join(await createSeed(lenderPage));
  const exact = await lender.fundCoin(FUNDING_SATS);
  await lender.fund();
  const [offerId = ""] = await offerManually(lender, SUB_COLLECTION, PRINCIPAL_SATS);

  await openAs(page, "/borrow/brc-20", "Borrower 1");
  const dialog = await openOffer(page, offerId, TOKEN);
  const panel = collateralPanel(dialog);
  const borrow = dialog.getByRole("button", { name: "Borrow 0.00100 BTC" });
  await expect(panel.getByText(/^Insufficient [A-Z]+$/)).toBeVisible();
  await expect(borrow).toBeDisabled();

  await borrower.fundTokens(TOKEN.slug, BUNDLE_RAW);
  await borrower.fund();
  await borrower.mine();
  await openOffer(page, offerId, TOKEN);
  await expect(panel.getByText("Select a fee rate")).toBeVisible();
  await expect(panel.getByLabel("Fee rate", { exact: true })).toHaveValue("30");
  await expect(borrow).toBeDisabled();
  await expectAccessible(page);
  const note = await openInscribeDialog(page, panel);
  const summary = note.getByRole("region", { name: "What you sign" });
  for (const text of ["Leaves your wallet", "1 transfer note of 200", "Network fee", "Sign by"]) {
    await expect(summary).toContainText(text);
  }
  await expectAccessible(page);
  await note.getByRole("button", { name: "Sign and inscribe" }).click();
  await walletWindow(page, "Sign transaction").getByRole("button", { name: "Cancel" }).click();
  await expectToast(page, "Wallet cancelled request");
  await inscribe(page, note);

  await borrower.mine();
  await openOffer(page, offerId, TOKEN);
  await agreeToPledge(dialog);
  await signInWallet(page, 2);
  await expectToast(page, "Offer accepted");
  await expect(dialog.getByText(/lender must counter-sign/)).toBeVisible();

  // Outside of the market, with another wallet of the same keys.
  await lender.spend(exact);
  await openAs(lenderPage, "/portfolio/pending", "Lender 1");
  const counterSign = lenderPage.getByRole("button", { name: /^Counter-sign/ }).first();
  await makeExactCoin(lenderPage, counterSign);
  await lender.mine();
  // The loan takes another coin now, so its borrower signs once more.
  await expect(counterSign).toHaveCount(0);
  await page.goto("/portfolio/pending");
  await page.getByRole("button", { name: /^Sign/ }).first().click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Sign|^Borrow/ })
    .last()
    .click();
  await signInWallet(page, 2);
  await expect(page.getByRole("heading", { name: "Offer accepted" })).toBeVisible();
  await counterSign.click();
  const lending = lenderPage.getByRole("dialog", { name: /^Lend against/ });
  await lending.getByRole("button", { name: /^Lend 0.001/ }).click();
  await signInWallet(lenderPage, 3);
  await expect(lending.getByRole("heading", { name: "Loan started" })).toBeVisible();
  const [loan] = await borrower.loans();
  await mineUntil(borrower, loan?.loanId ?? "", "ACTIVE");
  await lenderPage.close();
});

test("every failure of a transfer inscription is named, and the inscription can be retried", {
  tag: "@desktop",
}, async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  // An offer for the bundle that the borrower owns: the best one of the market may be for another.
  const lender = await Party.join();
  await lender.fundCoin(FUNDING_SATS);
  await lender.fund();
  const [offerId = ""] = await offerManually(lender, SUB_COLLECTION, PRINCIPAL_SATS);
  await borrower.fundTokens(TOKEN.slug, BUNDLE_RAW);
  await borrower.mine();
  await openAs(page, "/borrow/brc-20", "Borrower 1");
  await startOutage(page, "indexer");
  await openOffer(page, offerId, TOKEN);
  const panel = collateralPanel(page.getByRole("dialog"));
  await expect(panel.getByText("Failed to check transfer notes")).toBeVisible();
  await endOutage(page);
  const inscribe = panel.getByRole("button", { name: "Inscribe transfer note" });
  await tryAgain(panel, inscribe);
  await panel.getByLabel("Fee rate", { exact: true }).fill("2");
  await inscribe.click();
  await expectToast(page, /^could not prepare signature: /);
  const orders = "**/api/v1/brc20/orders";
  await page.route(orders, (route) => route.abort());
  await inscribe.click();
  await expectToast(page, "Could not pepare signature");
  await page.unroute(orders);
  await borrower.fund();
  await borrower.mine();

  await inscribe.click();
  const note = page.getByRole("dialog", { name: /^Transfer note of / });
  const sign = note.getByRole("button", { name: "Sign and inscribe" });
  await breakWallet(page, "fails");
  await sign.click();
  await expectToast(page, "Failed to sign transaction");
  await breakWallet(page, "signs nothing");
  await sign.click();
  await expectToast(page, /^could not submit signature: /);
  await restoreWallet(page);
  await startOutage(page, "node");
  await sign.click();
  await approveTransaction(page);
  await expectToast(page, "could not broadcast signature");
  await endOutage(page);
  // The demo's next block may come at any moment, so the response is set back to the state before it.
  await page.route("**/api/v1/brc20/panels/*", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const isMined = body.state === "note_available";
    await route.fulfill({
      response: answer,
      json: isMined ? { ...body, state: "note_pending", note: null } : body,
    });
  });
  await sign.click();
  await approveTransaction(page);
  await expect(panel.getByText("The transfer note is waiting for confirmation.")).toBeVisible();
  await expect(panel.getByText(/^Checking again in \d+ s\.$/)).toBeVisible();
});

/** Makes another exact coin when the first one was spent. */
async function makeExactCoin(page: Page, counterSign: Locator): Promise<void> {
  await counterSign.click();
  const dialog = page.getByRole("dialog", { name: "This loan needs a coin of the exact amount" });
  await expect(dialog).toContainText("0.0010065 BTC");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toContainText("as one coin");
  await dialog.getByRole("button", { name: "Make a coin of 0.0010065 BTC" }).click();
  await approveTransaction(page);
  await expect(dialog.getByRole("heading", { name: "Coin on its way" })).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
}
