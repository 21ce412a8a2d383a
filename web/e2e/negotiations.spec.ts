import { expect, type Page } from "@playwright/test";
import {
  busyCollection,
  inscriptionChoices,
  openBorrowDialog,
  openOffer,
  requestSignature,
  takeFromFaucet,
} from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { expectToast, signInFunded } from "./lend-steps";
import { counterSign, manualSlug, mineUntil, offerManually, runningLoan, signInWallet } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { answer, changeTerms, counterOfferDialog, negotiations, sendCounterOffer } from "./negotiation-steps";
import { BORROWER_1, LENDER_3, Party } from "./party";
import { sign } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

test.setTimeout(180_000);

/** A collection whose small offers no other user takes. */
const SLUG = "quiet-moons";
const NAME = "Quiet Moons";
const PRINCIPAL_SATS = 36_000;
const PRINCIPAL_BTC = "0.00036";

test("an offer is negotiated on both sides, live, and the loan has the agreed interest and term", async ({
  page,
  browser,
}) => {
  const lender = await Party.join(await createSeed(page), LENDER_3);
  const context = await browser.newContext();
  const borrowerPage = await context.newPage();
  const borrower = await Party.join(await createSeed(borrowerPage), BORROWER_1);
  await borrower.fund(SLUG);
  await borrower.fund();
  const [offerId = ""] = await offerManually(lender, await manualSlug(lender, SLUG), PRINCIPAL_SATS);
  await openAs(page, "/portfolio/pending", "Lender 3");
  await borrowerPage.emulateMedia({ reducedMotion: "reduce" });
  await openAs(borrowerPage, "/borrow/ordinals", "Borrower 1");

  const borrowing = await openOffer(borrowerPage, offerId, { slug: SLUG, category: "ordinals" });
  await borrowing.getByRole("button", { name: "Counter-offer" }).click();
  const dialog = counterOfferDialog(borrowerPage);
  await inscriptionChoices(dialog).first().click();
  await expect(dialog).toContainText("Change the principal, the interest or the term");
  await changeTerms(dialog, { term: "400" });
  await expect(dialog).toContainText("Enter a term of 1 to 365 days");
  // Enter in a field must not borrow on the terms of the offer below.
  await dialog.getByRole("textbox", { name: "Term", exact: true }).press("Enter");
  await expect(dialog).toBeVisible();
  await changeTerms(dialog, { interest: "1.25", term: "21" });
  await expect(dialog).toContainText("Above the offer: 0.85%");
  await expectAccessible(borrowerPage);
  await sendCounterOffer(borrowerPage);
  await expect(borrowerPage.getByRole("region", { name: "Loan breakdown" })).toHaveCount(0);
  await expect(borrowerPage.locator(`tr[data-line="${offerId}"]`)).toContainText("Negotiating");

  // The lender's page was open before the counter-offer.
  await expect(negotiations(page)).toContainText("Your turn");
  await expect(negotiations(page)).toContainText(NAME);
  await expectAccessible(page);
  await answer(page, { interest: "1.75" });
  await expect(negotiations(page)).toContainText("Waiting for the borrower");
  await expect(negotiations(page)).toContainText("Round 2 of 10");

  await borrowerPage.goto("/portfolio/pending");
  await expect(borrowerPage.getByRole("link", { name: /^Pending/ })).toContainText("1");
  await negotiations(borrowerPage).getByRole("button", { name: "Accept" }).click();
  const accepting = borrowerPage.getByRole("dialog", { name: "Accept the counter-offer" });
  await expect(accepting).toContainText("21 days");
  await expectAccessible(borrowerPage);
  await accepting.getByRole("button", { name: `Accept ${PRINCIPAL_BTC} BTC` }).click();
  await expectToast(borrowerPage, "Counter-offer accepted");
  await expect(negotiations(page)).toContainText("The borrower can sign until");

  await negotiations(borrowerPage).getByRole("link", { name: "Sign the loan" }).click();
  const line = borrowerPage.getByRole("dialog").locator("tr[aria-current]");
  await expect(line).toContainText("Only for you");
  await expect(line).toContainText("1.75% for 21 d");
  await line.getByRole("button", { name: "Borrow" }).press("Enter");
  const signing = borrowerPage.getByRole("dialog").last();
  await expect(signing).toContainText("21 days of the first confirmation");
  await requestSignature(signing, `Borrow ${PRINCIPAL_BTC} BTC`);
  await signInWallet(borrowerPage);
  await expect(signing.getByText(/lender must counter-sign/)).toBeVisible({ timeout: 30_000 });
  await expect(negotiations(page)).toContainText("The borrower has signed the loan");

  const [loan] = await lender.loans();
  await counterSign(lender, loan?.loanId ?? "");
  expect(loan).toMatchObject({ interest: 1.75, term: 21, principal: PRINCIPAL_SATS });
  await context.close();
});

/** Asks for a loan on the requests page, as a borrower who holds one inscription. */
async function askForLoan(page: Page): Promise<void> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  await borrower.fund(SLUG);
  await borrower.mine();
  await openAs(page, "/requests", "Borrower 1");
  await page.getByRole("button", { name: "Request a loan" }).click();
  const dialog = page.getByRole("dialog", { name: "Request a loan" });
  await dialog.getByRole("button", { name: /^Collection/ }).click();
  await page.getByRole("menuitemradio", { name: NAME }).click();
  await expect(inscriptionChoices(dialog)).toHaveCount(1, { timeout: 45_000 });
  await inscriptionChoices(dialog).click();
  await dialog.getByLabel("Principal", { exact: true }).fill(PRINCIPAL_BTC);
  await dialog.getByLabel(/Interest at most/).fill("20");
  await dialog.getByRole("button", { name: "Sign request" }).click();
  await expect(walletWindow(page, "Sign message")).toContainText("Lienbook: borrow request");
  await sign(page);
  await expectToast(page, "Request placed");
}

test("a request is answered by a counter-offer, which is declined, and another one is withdrawn", async ({
  page,
  browser,
}) => {
  const context = await browser.newContext();
  const borrowerPage = await context.newPage();
  await signInFunded(page, "Lender 2");
  await askForLoan(borrowerPage);
  await borrowerPage.goto("/portfolio/pending");

  const request = page.locator("[data-request]").filter({ hasText: PRINCIPAL_BTC });
  const openDialog = async () => {
    await page.goto("/requests");
    await request.getByRole("button", { name: "Fill" }).click();
    const filling = page.getByRole("dialog", { name: "Fill a request" });
    await filling.getByRole("button", { name: "Counter-offer" }).click();
    return counterOfferDialog(page);
  };
  await changeTerms(await openDialog(), { principal: "0.00032", interest: "18", term: "10" });
  await expect(counterOfferDialog(page)).toContainText("Below the request");
  await sendCounterOffer(page);
  await expect(request).toContainText("Negotiating");
  await request.getByRole("button", { name: "Fill" }).click();
  await page.getByRole("link", { name: "See negotiation" }).click();
  await expect(negotiations(page)).toContainText("Waiting for the borrower");

  await expect(negotiations(borrowerPage)).toContainText("You borrow");
  await negotiations(borrowerPage).getByRole("button", { name: "Decline" }).click();
  await expectToast(borrowerPage, "Counter-offer declined");
  await expect(negotiations(page)).toContainText("Declined by the borrower");
  await expect(negotiations(borrowerPage)).toContainText("You declined");

  await changeTerms(await openDialog(), { interest: "19" });
  await sendCounterOffer(page);
  await page.goto("/portfolio/pending");
  await negotiations(page).first().getByRole("button", { name: "Withdraw" }).click();
  await expectToast(page, "Counter-offer withdrawn");
  await expect(negotiations(borrowerPage).first()).toContainText("Withdrawn by the lender");
  // The request stays open for other lenders.
  await expect(borrowerPage.locator("[data-request]")).toHaveAttribute("data-state", "open");
  await borrowerPage.locator("[data-request]").getByRole("button", { name: "Withdraw" }).click();
  await context.close();
});

test("a part of an offer against a rune is negotiated", async ({ page }) => {
  await openAs(page, "/borrow/runes", "Borrower 1");
  const collection = await busyCollection(page, "rune", "instant");
  await takeFromFaucet(page, "Runes", collection.name);
  const borrowing = await openBorrowDialog(page, collection, "instant", "runes");
  await expect(borrowing.getByRole("textbox", { name: "Collateral" })).not.toHaveValue("");
  await borrowing.getByRole("button", { name: "Counter-offer" }).click();
  const dialog = counterOfferDialog(page);
  const amount = dialog.getByLabel(/to pledge$/);
  const pledged = await amount.inputValue();
  await amount.fill("");
  await expect(dialog).toContainText("Enter an amount of tokens");
  await amount.fill(pledged);
  await expect(dialog).toContainText("Change the principal, the interest or the term");
  await changeTerms(dialog, { term: "5" });
  await expect(dialog).toContainText("Below the offer");
  await expectAccessible(page);
  await sendCounterOffer(page);
  await page.goto("/portfolio/pending");
  await expect(negotiations(page)).toContainText(Number(pledged).toLocaleString("en-US"));
  await expect(negotiations(page)).toContainText("5 days");
  await negotiations(page).getByRole("button", { name: "Withdraw" }).click();
  await expect(negotiations(page)).toContainText("You withdrew");
});

test("both sides of a running loan agree on the terms of its extension", async ({ page, browser }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const context = await browser.newContext();
  const lenderPage = await context.newPage();
  const lender = await Party.join(await createSeed(lenderPage), LENDER_3);
  const { loanId } = await runningLoan(lender, borrower);
  await lenderPage.emulateMedia({ reducedMotion: "reduce" });
  const address = `/portfolio?tab=loans&loan=${loanId}`;
  await openAs(lenderPage, "/portfolio", "Lender 3");
  await lenderPage.goto(address);
  await openAs(page, "/portfolio", "Borrower 1");
  await page.goto(address);

  await page.getByRole("dialog").getByRole("button", { name: "Extend" }).click();
  const extending = page.getByRole("dialog", { name: /^Extend/ });
  await expect(extending).toContainText("You can propose other terms to the lender.");
  await extending.getByRole("button", { name: "Counter-offer" }).click();
  const proposing = page.getByRole("dialog", { name: "Propose an extension" });
  await expect(proposing.getByLabel("Principal", { exact: true })).toHaveCount(0);
  await proposing.getByLabel("Interest for the next term").fill("0.9");
  await proposing.getByRole("textbox", { name: "Next term", exact: true }).fill("17");
  await expect(proposing).toContainText("Above the loan: 7 d");
  await expectAccessible(page);
  await proposing.getByRole("button", { name: "Send counter-offer" }).click();
  await expectToast(page, "Counter-offer sent");

  // The lender's page was open before: the negotiation is there, and a second one is not begun.
  await lenderPage.getByRole("dialog").getByRole("button", { name: "Propose extension" }).click();
  await expect(lenderPage.getByRole("dialog")).toContainText("You negotiate about this loan");
  await lenderPage.getByRole("link", { name: "See negotiation" }).click();
  await expect(negotiations(lenderPage)).toContainText("Extension of what you lent");
  await negotiations(lenderPage).getByRole("button", { name: "Counter-offer", exact: true }).click();
  const countering = counterOfferDialog(lenderPage);
  await countering.getByLabel("Interest for the next term").fill("1.35");
  await expect(countering).toContainText("Above the borrower");
  await expectAccessible(lenderPage);
  await sendCounterOffer(lenderPage);

  await page.goto("/portfolio/pending");
  await negotiations(page).getByRole("button", { name: "Accept" }).click();
  const accepting = page.getByRole("dialog", { name: "Accept the counter-offer" });
  await expect(accepting).toContainText("The principal stays lent");
  await expectAccessible(page);
  await accepting.getByRole("button", { name: "Accept 17 days at 1.35%" }).click();
  await expectToast(page, "Counter-offer accepted");
  await expect(negotiations(lenderPage)).toContainText("The borrower can sign until");

  await negotiations(page).getByRole("link", { name: "Go to the loan to extend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Extend" }).click();
  await expect(extending.getByRole("radio", { name: "17 days at 1.35%, agreed" })).toBeChecked();
  await extending.getByRole("button", { name: "Continue" }).click();
  await extending.getByRole("button", { name: "Ask for 17 more days" }).click();
  await signInWallet(page);
  await expect(extending.getByRole("heading", { name: "Extension requested" })).toBeVisible();
  await expect(negotiations(lenderPage)).toContainText("The borrower has signed the extension");

  type Waiting = { data: Array<{ loanId: string; interest: number; term: number }> };
  const [next] = (await lender.call<Waiting>("GET", "/api/v1/me/loans/waiting")).data;
  expect(next).toMatchObject({ interest: 1.35, term: 17 });
  await counterSign(lender, next?.loanId ?? "");
  await mineUntil(borrower, loanId, "REPAID");
  await expect(negotiations(lenderPage).getByRole("link", { name: "See extension" })).toBeVisible();
  await context.close();
});
