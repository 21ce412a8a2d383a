import { expect, test } from "@playwright/test";
import { expectToast } from "./lend-steps";
import { chooseDevWallet, signInAs, walletWindow } from "./wallet-steps";

test.beforeEach(async ({ page }) => {
  await page.goto("/portfolio");
});

test("a person reads the whole message before signing, and a reload keeps the session", async ({ page }) => {
  await chooseDevWallet(page);
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Connect" }).click();
  const signing = walletWindow(page, "Sign message");
  for (const line of [
    "Lienbook: sign in",
    "Ordinals address:",
    "Payment public key:",
    "Domain:",
    "Network: regtest",
  ]) {
    await expect(signing).toContainText(line);
  }
  await signing.getByRole("button", { name: "Sign", exact: true }).click();
  const wallet = page.getByRole("button", { name: "Wallet Lender 1" });
  await expect(wallet).toBeVisible();

  await page.reload();
  await expect(wallet).toBeVisible();
  await wallet.click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("banner").getByRole("button", { name: "Connect" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("banner").getByRole("button", { name: "Connect" })).toBeVisible();
});

test("leaving the choice of an account cancels the wallet request", async ({ page }) => {
  await chooseDevWallet(page);
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Wallet request was cancelled" })).toBeVisible();
  await expectToast(page, "Wallet request was cancelled");
});

test("leaving the message unsigned cancels the signature, and a second try works", async ({ page }) => {
  await chooseDevWallet(page);
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Connect" }).click();
  await expect(walletWindow(page, "Sign message")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("alert").filter({ hasText: "Signature request was cancelled" })).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await signInAs(page, "Lender 2");
});
