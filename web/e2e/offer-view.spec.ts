import { expect, type Locator, type Page } from "@playwright/test";
import { approveTransaction } from "./borrow-steps";
import { PRINCIPAL_SATS, SUB_COLLECTION } from "./brc20-steps";
import { createSeed, openAs } from "./browser-session";
import { expectToast } from "./lend-steps";
import { cancelOffers, offerHalfTheFloor, offerManually } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { LENDER_2, Party } from "./party";

/** The drawer of the only offer. */
async function openOffer(page: Page): Promise<Locator> {
  await openAs(page, "/portfolio?tab=offers", "Lender 2");
  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^View offer/ })
    .click();
  return page.getByRole("dialog");
}

test("an offer is opened, and one that is gone is reported", async ({ page }) => {
  const lender = await Party.join(await createSeed(page), LENDER_2);
  const { offerIds } = await offerHalfTheFloor(lender);
  const drawer = await openOffer(page);
  await expect(drawer).toContainText(/#\d+ of \d+/);
  await expect(drawer.getByRole("progressbar", { name: "Filled" })).toHaveAttribute("aria-valuenow", "0");
  await expect(drawer).toContainText("1 inscription");
  await expect(drawer).toContainText("Current LTV");
  await expect(page).toHaveURL(new RegExp(`offer=${offerIds[0]}`));
  await expectAccessible(page);
  await expectHistory(drawer);
  await expectAccessible(page);

  await drawer.getByRole("button", { name: "Cancel offer" }).click();
  await page
    .getByRole("dialog", { name: "Cancel this offer?" })
    .getByRole("button", { name: "Cancel offer" })
    .click();
  await expectToast(page, "Offer deleted");
  await expectToast(page, "Cannot view offer");
  await expect(page.getByText("No offers.", { exact: true })).toBeVisible();
});

test("a lender sees why the price is held", async ({ page }) => {
  const lender = await Party.join(await createSeed(page), LENDER_2);
  await offerHalfTheFloor(lender);
  // The demo sets its prices itself and queries no marketplace; the server's own response about a held price
  // is tested there.
  await page.route("**/api/v1/collections/*/price-source", (route) =>
    route.fulfill({
      json: { price: 1, sources: [], hold: { reason: "tooFewSources", found: 1, needed: 2 } },
    }),
  );
  const drawer = await openOffer(page);
  await expect(drawer).toContainText("1 of the 2 marketplaces it needs reports one now");
  await expectAccessible(page);
});

test("a lender creates the coin that an offer against BRC-20 needs to be taken", async ({ page }) => {
  const lender = await Party.join(await createSeed(page), LENDER_2);
  await lender.fund();
  await lender.mine();
  const offerIds = await offerManually(lender, SUB_COLLECTION, PRINCIPAL_SATS);
  const drawer = await openOffer(page);
  const notice = drawer.getByRole("status").filter({ hasText: "This offer cannot be taken yet" });
  await expect(notice).toContainText("one coin of exactly 0.0010065 BTC");
  await expectAccessible(page);
  await notice.getByRole("button", { name: "Make the coin" }).click();
  const dialog = page.getByRole("dialog", { name: "This loan needs a coin of the exact amount" });
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Make a coin of 0.0010065 BTC" }).click();
  await approveTransaction(page);
  await expect(dialog.getByText("This offer can be taken once the coin is confirmed.")).toBeVisible();
  await lender.mine();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(notice).toHaveCount(0, { timeout: 30_000 });
  await cancelOffers(lender, offerIds);
});

/** Both figures are drawn, readable by keyboard, and also in a table. */
async function expectHistory(drawer: Locator): Promise<void> {
  const history = drawer.getByRole("region", { name: "History" });
  const ltv = history.getByRole("slider", { name: "LTV over time" });
  await ltv.focus();
  await expect(ltv).toHaveAttribute("aria-valuetext", /^[\d.]+%, /);
  const last = Number(await ltv.getAttribute("aria-valuemax"));
  await ltv.press("Home");
  await expect(ltv).toHaveAttribute("aria-valuenow", "0");
  expect(await history.getByRole("row").count()).toBeGreaterThanOrEqual(last + 2);
  await history.getByRole("radio", { name: "Rank" }).click();
  await expect(history.getByRole("slider", { name: "Rank over time" })).toHaveAttribute(
    "aria-valuetext",
    /^#\d+, /,
  );
  await expect(history).toContainText("Recorded on this page since");
}
