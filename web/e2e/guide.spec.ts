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

const PICTURES = [
  ["borrowing", "When no offer fits", /A borrower signs a request/],
  ["borrowing", "Offers with conditions", /checked when a borrower takes it/],
  ["borrowing", "Counter-offers", /at most 10 proposals, each good for at most 72 hours/],
  ["borrowing", "Several inscriptions in one loan", /go together into one escrow/],
  ["borrowing", "Loans that move on", /The next loan repays the old lender/],
  ["lending", "Offers with conditions", /checked when a borrower takes it/],
  ["lending", "Fill what borrowers ask for", /A borrower signs a request/],
  ["lending", "Counter-offers", /at most 10 proposals, each good for at most 72 hours/],
  ["lending", "Follow the floor", /between a least and a largest principal/],
  ["lending", "Lending limits", /Absence pauses all offers/],
] as const;

test("the guide has a picture of each way to lend and to borrow", async ({ page }) => {
  for (const part of ["borrowing", "lending"]) {
    await page.goto(`/guide/${part}`);
    for (const [, heading, picture] of PICTURES.filter(([where]) => where === part)) {
      await expect(page.getByRole("heading", { name: heading })).toBeVisible();
      await expect(page.getByRole("img", { name: picture })).toBeVisible();
    }
  }
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
