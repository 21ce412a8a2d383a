import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { expectToast, openLendDialog } from "./lend-steps";
import { signInAs } from "./wallet-steps";

test("several offers are made at once, paused, filtered and deleted together", async ({ page }) => {
  await page.goto("/lend/ordinals");
  await signInAs(page, "Lender 3");
  const { dialog, name } = await openLendDialog(page);
  await dialog.getByRole("button", { name: "One more" }).click();
  await dialog.getByRole("button", { name: "One more" }).click();
  await dialog.getByRole("button", { name: "Create 3 Offers" }).click();
  await expectToast(page, "3 offers created successfully");

  await page.goto("/portfolio");
  const offers = page.locator("[data-offer]");
  await expect(offers).toHaveCount(3);

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

test("signed out, the portfolio offers to connect", async ({ page }) => {
  await page.goto("/portfolio");
  await expect(page.getByRole("main").getByRole("button", { name: "Connect" })).toBeVisible();
});
