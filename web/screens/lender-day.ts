import type { Page } from "@playwright/test";
import { createSeed } from "../e2e/browser-session";
import { acceptOffer, counterSign, mineUntil, offerHalfTheFloor } from "../e2e/loan-steps";
import { LENDER_1, Party } from "../e2e/party";
import { fundInscriptions } from "../e2e/request-steps";
import { signInAs } from "../e2e/wallet-steps";
import type { components } from "../src/shared/api/schema.gen";

type Wire = components["schemas"];

const DAY_MS = 86_400_000;

/** The portfolio of a lender with two running loans, one to counter-sign and a paused offer. */
export async function showLenderDay(page: Page): Promise<void> {
  const lender = await Party.join(await createSeed(page), LENDER_1);
  const borrower = await Party.join();
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender, 4);
  for (let loan = 0; loan < 3; loan += 1) await borrower.fund();
  const inscriptions = await fundInscriptions(borrower, groupSlug, 3);
  const loanIds: string[] = [];
  for (const [index, inscription] of inscriptions.entries()) {
    loanIds.push(await acceptOffer(borrower, offerIds[index] ?? "", inscription));
  }
  const [first = "", second = ""] = loanIds;
  for (const loanId of [first, second]) await counterSign(lender, loanId);
  for (const loanId of [first, second]) await mineUntil(lender, loanId, "ACTIVE");
  await lender.call("POST", "/api/v1/offers/pause", { offerIds: offerIds.slice(3) });
  await withinTheWeek(page, first, second);
  await page.goto("/portfolio");
  await signInAs(page, "Lender 1");
  await page.getByRole("region", { name: "Lending today" }).getByText("1 offer is paused").waitFor();
}

/**
 * Two loans are due within the week, and the second owes more than its collateral is worth: terms and prices
 * do not change that much while a picture is taken.
 */
async function withinTheWeek(page: Page, first: string, second: string): Promise<void> {
  await page.route(/\/api\/v1\/me\/loans\?/, async (route) => {
    const answer = await route.fetch();
    const body: Wire["LoansPage"] = await answer.json();
    for (const loan of body.data) {
      if (loan.loanId === first) loan.dueAt = Date.now() + DAY_MS;
      if (loan.loanId !== second) continue;
      loan.dueAt = Date.now() + 4 * DAY_MS;
      loan.payoutSats = Math.floor(loan.principal * 2.2);
    }
    await route.fulfill({ response: answer, json: body });
  });
}
