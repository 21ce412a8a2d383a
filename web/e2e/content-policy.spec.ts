import { expect, type Page } from "@playwright/test";
import { expectToast } from "./lend-steps";
import { collections, openMarket } from "./market-steps";
import { test } from "./market-test";
import { chooseDevWallet, signInAs, walletWindow } from "./wallet-steps";

const PAGES = [
  "/borrow/ordinals",
  "/lend/runes",
  "/portfolio",
  "/settings/notifications",
  "/settings/sessions",
  "/guide",
  "/build",
];

/** Collects every violation of the server's content policy by a page from now on. */
function violations(page: Page): string[] {
  const seen: string[] = [];
  page.on("console", (message) => {
    if (/content security policy|refused to (apply|load|execute|connect)/i.test(message.text())) {
      seen.push(`${page.url()}: ${message.text()}`);
    }
  });
  return seen;
}

test("no page, dialog, menu or toast violates the content policy", async ({ page }) => {
  const seen = violations(page);
  const answer = await page.goto("/borrow/ordinals");
  const policy = answer?.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("style-src 'self';");
  expect(policy).not.toContain("unsafe-inline");

  await chooseDevWallet(page);
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Cancel" }).click();
  await expectToast(page, "Wallet request was cancelled");
  await page.keyboard.press("Escape");
  await signInAs(page, "Lender 1");
  for (const address of PAGES) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Wallet / })
    .click();
  await page.keyboard.press("Escape");
  await page.getByRole("banner").getByRole("button", { name: "Search commands and collections" }).click();
  await expect(page.getByRole("dialog", { name: "Search commands and collections" })).toBeVisible();
  await page.keyboard.press("Escape");
  await openMarket(page);
  await collections(page).first().click();
  await expect(page.getByRole("dialog").first()).toBeVisible();
  expect(seen).toEqual([]);
});

test("the description of the API conforms to the policy too", { tag: "@desktop" }, async ({ page }) => {
  const seen = violations(page);
  await page.goto("/api/docs/");
  await expect(page.getByText("/api/v1/session").first()).toBeVisible();
  expect(seen).toEqual([]);
});
