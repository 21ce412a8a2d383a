import { expect, test } from "@playwright/test";
import { collectionName, collections, openMarket } from "./market-steps";

test("a row opens the collection in detail, and the back button closes it", async ({ page }) => {
  await openMarket(page);
  const name = (await collectionName(collections(page).first()).textContent()) ?? "";
  await collectionName(collections(page).first()).click();
  await expect(page).toHaveURL(/collection=.*view=detail/);
  await expect(page.getByRole("dialog", { name })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).not.toHaveURL(/collection=/);
});

// Touch leaves no focus.
test("closing gives the focus back to the row", { tag: "@desktop" }, async ({ page }) => {
  await openMarket(page, "/borrow/ordinals?sort=name");
  const name = collectionName(collections(page).first());
  await name.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(name).toBeFocused();
  await expect(page).not.toHaveURL(/collection=|view=/);
});

test("a path to lend opens the lend dialog of the collection it names", async ({ page }) => {
  await page.goto("/lend/ordinals?collection=lantern-foxes");
  await expect(page.getByRole("dialog").getByLabel("Principal")).toBeVisible();
});

test("the view in the address outranks the path", async ({ page }) => {
  await page.goto("/lend/ordinals?collection=lantern-foxes&view=book");
  await expect(page.getByRole("dialog").getByText("Instant liquidity")).toBeVisible();
  await page.goto("/borrow/ordinals?collection=lantern-foxes&view=lend");
  await expect(page.getByRole("dialog").getByLabel("Principal")).toBeVisible();
});

test("an old link to a collection that is gone says so", async ({ page }) => {
  await page.goto("/borrow/ordinals?collection=never-was");
  await expect(page.getByText("This collection is not listed")).toBeVisible();
});
