import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { devnetURL } from "../playwright.config";
import { callApi } from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { expectToast, expectToastsGone, openLendDialog, signInFunded } from "./lend-steps";
import { acceptOffer, offerHalfTheFloor } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { LENDER_3, Party } from "./party";

test.setTimeout(180_000);

test("several offers are created at once, paused, filtered and deleted together", async ({ page }) => {
  await signInFunded(page, "Lender 3");
  // The demo's borrowers take the best offers, but not against BRC-20.
  const { dialog, name } = await openLendDialog(page, "Tarnwater", "brc-20");
  await dialog.getByRole("button", { name: "One more" }).click();
  await dialog.getByRole("button", { name: "One more" }).click();
  await dialog.getByRole("button", { name: "Create 3 Offers" }).click();
  await expectToast(page, "3 offers created successfully");
  const resultDialog = page.getByRole("dialog", { name: "3 offers created, paused for now" });
  await expect(resultDialog).toContainText(
    "They cannot be taken until one coin of exactly the amount to lend",
  );
  await expect(resultDialog.getByRole("button", { name: "Make the coin" })).toHaveCount(1);

  await page.goto("/portfolio?tab=offers");
  const offers = page.locator("[data-offer]");
  await expect(offers).toHaveCount(3);
  // Each of them needs one coin of exactly this sum, and is paused until there is one.
  type Offers = { data: Array<{ offerId: string; tags: string[] }> };
  const own = () => callApi<Offers>(page, "GET", "/api/v1/offers");
  const [first] = (await own()).data;
  const coin = await callApi<{ fundingSats: number }>(
    page,
    "GET",
    `/api/v1/me/funds/exact/${first?.offerId}`,
  );
  await callApi(page, "POST", `${devnetURL}/faucet`, { amount: String(coin.fundingSats) });
  await callApi(page, "POST", `${devnetURL}/mine`);
  await expect
    .poll(async () => (await own()).data.filter(({ tags }) => tags.includes("paused")).length, {
      timeout: 30_000,
    })
    .toBe(0);

  await page
    .getByRole("button", { name: `Pause offer for ${name}` })
    .first()
    .click();
  await expectToast(page, "Offer paused");
  await expect(offers.filter({ hasText: "Paused by you" })).toHaveCount(1);
  await page.getByRole("button", { name: "paused", exact: true }).click();
  await expect(offers).toHaveCount(1);
  await page.getByRole("button", { name: `Resume offer for ${name}` }).click();
  await expectToast(page, "Offer resumed");
  await expect(page.getByText("No results found")).toBeVisible();
  await page.getByRole("button", { name: "Show all 3 offers" }).click();
  await expect(offers).toHaveCount(3);

  await page.getByRole("searchbox", { name: "Search by collection name" }).fill("no such collection");
  await expect(page.getByText("No results found")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search by collection name" }).fill(name.slice(0, 4));
  await expect(offers).toHaveCount(3);

  const { violations } = await new AxeBuilder({ page }).include("main").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);

  for (const box of await page.getByRole("checkbox", { name: `Select offer for ${name}` }).all())
    await box.click();
  await page.getByRole("button", { name: "Delete 3 offers" }).click();
  const confirmation = page.getByRole("dialog", { name: "Delete Selected Offers?" });
  await expect(confirmation.getByRole("button", { name: /Manual Offers/ })).toBeVisible();
  await expect(confirmation.getByText("Instant Offers")).toHaveCount(0);
  await confirmation.getByRole("button", { name: "Delete Offers" }).click();
  await expectToast(page, "Successfully deleted 3 offer(s)");
  await expect(page.getByText("No offers.", { exact: true })).toBeVisible();
});

test("an offer is good for a day, and then until it is cancelled", async ({ page }) => {
  await signInFunded(page, "Lender 2");
  const { dialog, name } = await openLendDialog(page, "Tarnwater", "brc-20");
  await dialog.getByRole("radio", { name: "1 day" }).click();
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "Offer created");

  await page.goto("/portfolio?tab=offers");
  await expect(page.locator("[data-offer]").first()).toContainText(/Good until/);
  await page
    .getByRole("button", { name: `View offer for ${name}` })
    .first()
    .click();
  const view = page.getByRole("dialog", { name });
  const expiry = view.getByRole("region", { name: "Expiry" });
  await expect(expiry).toContainText(/Good until \d/);
  await expectAccessible(page);
  await expiry.getByRole("button", { name: "Change expiry" }).click();
  await expect(expiry.getByRole("button", { name: "Save expiry" })).toBeDisabled();
  await expiry.getByRole("radio", { name: "No expiry" }).click();
  await expiry.getByRole("button", { name: "Save expiry" }).click();
  await expectToast(page, "Expiry changed");
  await expect(expiry).toContainText("Good until you cancel it");
  await view.getByRole("button", { name: "Cancel offer" }).click();
  await page
    .getByRole("button", { name: /^Delete|^Cancel offer$/ })
    .last()
    .click();
  await expect(page.locator("[data-offer]")).toHaveCount(0);
});

test("signed out, the portfolio offers to connect", async ({ page }) => {
  await page.goto("/portfolio?tab=offers");
  await expect(page.getByRole("main").getByRole("button", { name: "Connect" })).toBeVisible();
});

test("of several offers those that a borrower takes stay, with the reason, and are retried", {
  tag: "@desktop",
}, async ({ page }) => {
  const lender = await Party.join(await createSeed(page), LENDER_3);
  const borrower = await Party.join();
  await lender.fund();
  await borrower.fund();
  const { groupSlug, offerIds } = await offerHalfTheFloor(lender, 2);
  const inscription = (await borrower.fund(groupSlug)) ?? "";
  await borrower.mine();
  await openAs(page, "/portfolio?tab=offers", "Lender 3");
  const boxes = page.getByRole("checkbox", { name: /^Select offer for/ });
  await expect(boxes).toHaveCount(2);
  for (const box of await boxes.all()) await box.click();
  await page.getByRole("button", { name: "Delete 2 offers" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Selected Offers?" });
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  const group = dialog.getByRole("button", { name: /Manual Offers/ });
  await group.click();
  await expect(dialog.getByRole("listitem")).toHaveCount(0);
  await group.click();

  // A borrower is faster.
  const loanId = await acceptOffer(borrower, offerIds[0] ?? "", inscription);
  await dialog.getByRole("button", { name: "Delete Offers" }).click();
  const ended = page.getByRole("dialog", { name: "1 of 2 offers deleted" });
  await expectToast(page, "Successfully deleted 1 offer(s)");
  await expectToast(page, "Failed to delete manual offers");
  await expect(ended).toContainText("1 offer is still in place");
  await expect(ended.getByRole("img", { name: "Deleted", exact: true })).toHaveCount(1);
  await expect(ended.getByRole("img", { name: "Not deleted" })).toHaveCount(1);
  await expectToastsGone(page);
  await expectAccessible(page);

  await borrower.call("DELETE", `/api/v1/loans/${loanId}/acceptance`);
  await ended.getByRole("button", { name: "Try it again" }).click();
  await expectToast(page, "Successfully deleted 1 offer(s)");
  await expect(page.getByText("No offers.", { exact: true })).toBeVisible();
});
