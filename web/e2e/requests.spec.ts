import { expect, type Page } from "@playwright/test";
import { inscriptionChoices, requestSignature } from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { expectToast, signInFunded } from "./lend-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, Party } from "./party";
import { mineBlock, openWithVault, sign } from "./vault-steps";
import { breakWallet, openWalletChoice } from "./wallet-faults";
import { signInWith, walletWindow } from "./wallet-steps";

test.setTimeout(180_000);

const SLUG = "quiet-moons";
const NAME = "Quiet Moons";
const PRINCIPAL_BTC = "0.00036";

/** The rows of requests of a page, by the principal that the test asks for. */
const request = (page: Page) => page.locator("[data-request]").filter({ hasText: PRINCIPAL_BTC });

/** Asks for a loan on the requests page, as a borrower who holds one inscription. */
async function askForLoan(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  await borrower.fund(SLUG);
  await mineBlock(page);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openAs(page, "/requests", "Borrower 1");
  await page.getByRole("button", { name: "Request a loan" }).click();
  const dialog = page.getByRole("dialog", { name: "Request a loan" });
  await dialog.getByRole("button", { name: /^Collection/ }).click();
  await page.getByRole("menuitemradio", { name: NAME }).click();
  await expect(dialog.getByRole("button", { name: "Sign request" })).toBeDisabled();
  await expect(dialog).toContainText("Choose an inscription");
  // The list of holdings is renewed every 20 seconds.
  await expect(inscriptionChoices(dialog)).toHaveCount(1, { timeout: 45_000 });
  await inscriptionChoices(dialog).click();
  await dialog.getByLabel("Principal", { exact: true }).fill("0.00001");
  await expect(dialog).toContainText("The principal is below the smallest offer of this collection");
  await dialog.getByLabel("Principal", { exact: true }).fill(PRINCIPAL_BTC);
  await dialog.getByLabel(/Interest at most/).fill("0");
  await expect(dialog).toContainText("No term of this collection is within this interest and these days");
  await dialog.getByLabel(/Interest at most/).fill("20");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Sign request" }).click();
  await expect(walletWindow(page, "Sign message")).toContainText("Lienbook: borrow request");
  await sign(page);
  await expectToast(page, "Request placed");
  await expect(request(page)).toHaveAttribute("data-state", "open");
}

test("a request is filled from the wallet, live on both sides, and its borrower signs the loan", async ({
  page,
  browser,
}) => {
  const context = await browser.newContext();
  const borrowerPage = await context.newPage();
  await signInFunded(page, "Lender 2");
  await page.goto("/requests");
  await askForLoan(borrowerPage);

  // The lender's page was open before the request.
  await request(page).getByRole("button", { name: "Fill" }).click();
  const dialog = page.getByRole("dialog", { name: "Fill a request" });
  await expect(dialog).toContainText(NAME);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Fill request" }).click();
  await expectToast(page, "Request filled");
  await expect(request(page)).toHaveCount(0);

  await expect(request(borrowerPage)).toHaveAttribute("data-state", "filled");
  await borrowerPage.goto("/portfolio/pending");
  await expect(borrowerPage.getByText("Nothing to do")).toHaveCount(0);
  await request(borrowerPage).getByRole("link", { name: "Sign the loan" }).click();
  const line = borrowerPage.getByRole("dialog").locator("tr[aria-current]");
  await expect(line).toContainText("Only for you");
  await line.getByRole("button", { name: "Borrow" }).press("Enter");
  const borrowing = borrowerPage.getByRole("dialog").last();
  await requestSignature(borrowing, `Borrow ${PRINCIPAL_BTC} BTC`);
  await walletWindow(borrowerPage, "Sign transaction")
    .getByRole("button", { name: "Sign", exact: true })
    .click();
  await expect(borrowing.getByText(/lender must counter-sign/)).toBeVisible({ timeout: 30_000 });
  await context.close();
});

test("a request is found in the order book, filled from the vault, and withdrawn while it is open", async ({
  page,
  browser,
}) => {
  const context = await browser.newContext();
  const borrowerPage = await context.newPage();
  await askForLoan(borrowerPage);
  await openWithVault(page, "/lend/ordinals", "Lender 1");
  await page.goto(`/lend/ordinals?collection=${SLUG}&view=book`);
  const book = page.getByRole("dialog").first();
  const tab = book.getByRole("tab", { name: /^Requests/ });
  const table = book.getByRole("table", { name: "Open requests" });
  await expect(tab.or(table).first()).toBeVisible();
  if (await tab.isVisible()) await tab.click();
  await table
    .getByRole("row")
    .filter({ hasText: PRINCIPAL_BTC })
    .getByRole("button", { name: "Fill" })
    .click();
  const dialog = page.getByRole("dialog", { name: "Fill a request" });
  await dialog.getByRole("radio", { name: "From your vault" }).click();
  await dialog.getByLabel("Max LTV").fill("99");
  await expect(dialog).toContainText("Enter a max LTV of 1 to 98%");
  await dialog.getByLabel("Max LTV").fill("90");
  await dialog.getByRole("button", { name: "Sign and fill" }).click();
  const message = walletWindow(page, "Sign message");
  await expect(message).toContainText("Borrower: ");
  await expect(message).toContainText("Good until: ");
  await sign(page);
  await expectToast(page, "Request filled");
  await expect(request(borrowerPage)).toHaveAttribute("data-state", "filled");
  await expect(request(borrowerPage).getByRole("link", { name: "Sign the loan" })).toBeVisible();

  // The lender takes the offer back, and the request can be filled again.
  await page.goto("/portfolio?tab=offers");
  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^Cancel offer/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel offer", exact: true }).click();
  await sign(page);
  await expect(request(borrowerPage)).toHaveAttribute("data-state", "open");
  await request(borrowerPage).getByRole("button", { name: "Withdraw" }).click();
  await expectToast(borrowerPage, "Request withdrawn");
  await expect(request(borrowerPage)).toHaveCount(0);
  await context.close();
});

test("a hardware wallet cannot request a loan against ordinals, and sees why", async ({ page }) => {
  await page.goto("/requests");
  await openWalletChoice(page);
  await breakWallet(page, "is hardware");
  await page.getByRole("button", { name: "Dev Wallet" }).click();
  await signInWith(page, "Borrower 1");
  await page.getByRole("button", { name: "Request a loan" }).click();
  const dialog = page.getByRole("dialog", { name: "Request a loan" });
  await dialog.getByRole("button", { name: /^Collection/ }).click();
  await page.getByRole("menuitemradio", { name: NAME }).click();
  await expect(dialog).toContainText("Hardware wallets cannot pledge ordinals here.");
  await expect(dialog.getByRole("button", { name: "Sign request" })).toBeDisabled();
});
