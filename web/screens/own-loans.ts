import { expect, type Page } from "@playwright/test";
import { PRINCIPAL_SATS, SUB_COLLECTION } from "../e2e/brc20-steps";
import { createSeed } from "../e2e/browser-session";
import {
  acceptOffer,
  counterSign,
  mineUntil,
  offerHalfTheFloor,
  offerManually,
  runningLoan,
} from "../e2e/loan-steps";
import { BORROWER_1, LENDER_1, Party } from "../e2e/party";
import { signInAs } from "../e2e/wallet-steps";

/** Signs in as the borrower of a running loan at a URL of the portfolio. Returns the loan's id. */
export async function withRunningLoan(page: Page, address: string): Promise<string> {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const loanId = await borrow(lender, borrower);
  await counterSign(lender, loanId);
  await mineUntil(borrower, loanId, "ACTIVE");
  await page.goto(address);
  await signInAs(page, "Borrower 1");
  return loanId;
}

export async function openOwnLoan(page: Page): Promise<void> {
  const loanId = await withRunningLoan(page, "/portfolio?tab=loans");
  await page.locator(`[data-loan="${loanId}"]`).getByRole("button").first().click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Repay" })).toBeVisible();
}

/** Signs in as a lender whose signature a loan waits for. */
export async function withWaitingLoan(page: Page): Promise<void> {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  await borrow(lender, await Party.join());
  await page.goto("/portfolio/pending");
  await signInAs(page, "Lender 1");
  await expect(page.locator("[data-loan]").first()).toBeVisible();
}

export async function openNotices(page: Page): Promise<void> {
  await withWaitingLoan(page);
  await page.getByRole("button", { name: /^Notices/ }).click();
}

export async function withOffers(page: Page): Promise<void> {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  await offerHalfTheFloor(lender, 3);
  await page.goto("/portfolio?tab=offers");
  await signInAs(page, "Lender 1");
  await expect(page.locator("[data-offer]").first()).toBeVisible();
}

/** The offers of a lender with limits of every kind, of which a running loan has taken. */
export async function withLimitedOffers(page: Page): Promise<void> {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const { principalSats } = await runningLoan(lender, await Party.join(), 3);
  const offers = await lender.call<{ data: Array<{ groupId: string }> }>("GET", "/api/v1/offers");
  await lender.call("PUT", "/api/v1/me/lending-limits", {
    budgetSats: Math.floor(principalSats * 1.5),
    dailySats: principalSats * 4,
    collections: [{ collection: offers.data[0]?.groupId, budgetSats: principalSats }],
    absenceMinutes: 60,
  });
  await page.goto("/portfolio?tab=offers");
  await signInAs(page, "Lender 1");
  await expect(page.locator("[data-offer]").first()).toContainText("Over your lending limits");
}

export async function viewOffer(page: Page): Promise<void> {
  await withOffers(page);
  await page
    .getByRole("button", { name: /^View offer/ })
    .first()
    .click();
  await expect(page.getByRole("dialog")).toContainText("Current LTV");
}

/** The marketplaces disagree on the price by which the offer is judged. */
export async function viewOfferOfHeldPrice(page: Page): Promise<void> {
  const hold = { reason: "disagreement", low: 1_400_000, high: 1_900_000 };
  await page.route("**/price-source", (route) => route.fulfill({ json: { sources: [], hold } }));
  await viewOffer(page);
  await expect(page.getByRole("dialog")).toContainText("The price is not updating");
}

/** The lender of an offer against BRC-20 has no coin of the exact sum. */
export async function viewOfferWithoutCoin(page: Page): Promise<void> {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  await offerManually(lender, SUB_COLLECTION, PRINCIPAL_SATS);
  await page.goto("/portfolio?tab=offers");
  await signInAs(page, "Lender 1");
  await page.getByRole("button", { name: /^View offer/ }).click();
  await expect(page.getByRole("dialog")).toContainText("This offer cannot be taken yet");
}

export async function viewOfferHistory(page: Page): Promise<void> {
  await viewOffer(page);
  const history = page.getByRole("region", { name: "History" });
  await history.getByRole("slider").focus();
  await history.scrollIntoViewIfNeeded();
}

/** Accepts an offer; returns the loan's id. */
async function borrow(lender: Party, borrower: Party): Promise<string> {
  await lender.fund();
  await borrower.fund();
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender);
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();
  return acceptOffer(borrower, offerIds[0] ?? "", inscription);
}
