import { expect } from "@playwright/test";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";

test("the guide is read from part to part", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Guide" }).click();
  await expect(page.getByRole("heading", { name: "Who holds the collateral" })).toBeVisible();
  await expect(page.getByRole("img", { name: /goes into an escrow on Bitcoin/ })).toBeVisible();

  const parts = page.getByRole("navigation", { name: "Guide" });
  await parts.getByRole("link", { name: "Borrowing" }).click();
  await expect(page.getByRole("heading", { name: "Loans that move on" })).toBeVisible();
  await expect(page.getByRole("img", { name: /The next loan repays the old lender/ })).toBeVisible();
  await parts.getByRole("link", { name: "Lending" }).click();
  await expect(page.getByRole("heading", { name: "What a vault asks you to trust" })).toBeVisible();
  await parts.getByRole("link", { name: "Recovery" }).click();
  await expect(page.getByText("lienbook kit repay KIT.json")).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/guide\/lending$/);
});

test("an unknown part of the guide is not found", async ({ page }) => {
  await page.goto("/guide/nothing");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});

for (const theme of ["dark", "light"] as const) {
  test(`the guide is accessible in the ${theme} theme, and nothing is wider than the page`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const address of ["/guide", "/guide/borrowing", "/guide/lending", "/guide/recovery"]) {
      await page.goto(address);
      await expect(page.getByRole("article")).toBeVisible();
      await expectAccessible(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, address).toBeLessThanOrEqual(0);
    }
  });
}
