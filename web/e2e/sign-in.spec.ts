import { expect } from "@playwright/test";
import { createSeed, setSeed } from "./browser-session";
import { expectToast } from "./lend-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { breakWallet, openWalletChoice, restoreWallet } from "./wallet-faults";
import { chooseDevWallet, signInAs, walletWindow } from "./wallet-steps";

test.beforeEach(async ({ page }) => {
  await page.goto("/portfolio?tab=offers");
});

test("a user reads the whole message before signing, and a reload keeps the session", async ({ page }) => {
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
  await expect(signing).toContainText(/Lender 1, bcrt1q.*signs this text/);
  const steps = page.getByRole("dialog", { name: "Connect a wallet" });
  await expect(steps.getByText("Please sign with wallet...")).toHaveAttribute("aria-current", "step");
  await signing.getByRole("button", { name: "Sign", exact: true }).click();
  // The ordinals address signs the same text, so that it cannot be claimed without its key.
  await expect(signing).toContainText(/Lender 1, bcrt1p.*signs this text/);
  await expect(signing).toContainText("Lienbook: sign in");
  await expect(steps.getByText("Please sign with your ordinals address too")).toHaveAttribute(
    "aria-current",
    "step",
  );
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

test("closing the choice of an account cancels the wallet request", async ({ page }) => {
  await chooseDevWallet(page);
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Wallet request was cancelled" })).toBeVisible();
  await expectToast(page, "Wallet request was cancelled");
});

test("closing the message unsigned cancels the signature, and a second attempt works", async ({ page }) => {
  await chooseDevWallet(page);
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Connect" }).click();
  await expect(walletWindow(page, "Sign message")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("alert").filter({ hasText: "Signature request was cancelled" })).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await signInAs(page, "Lender 2");
});

test("a sign-in that the ordinals address does not sign opens no session", async ({ page }) => {
  await chooseDevWallet(page);
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Connect" }).click();
  const signing = walletWindow(page, "Sign message");
  await signing.getByRole("button", { name: "Sign", exact: true }).click();
  await expect(signing).toContainText(/bcrt1p.*signs this text/);
  await signing.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Signature request was cancelled" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Wallet Lender 1" })).toBeHidden();
});

test("a wallet that fails is reported, before anything is signed and while it is", {
  tag: "@desktop",
}, async ({ page }) => {
  await openWalletChoice(page);
  await breakWallet(page, "fails");
  await page.getByRole("button", { name: "Dev Wallet" }).click();
  const problem = page.getByRole("dialog", { name: "Connect a wallet" }).getByRole("alert");
  await expect(problem).toHaveText("Wallet not connected");
  await restoreWallet(page);
  await page.getByRole("button", { name: "Dev Wallet" }).click();
  const choice = walletWindow(page, "Choose an account");
  await expect(choice).toBeVisible();
  await breakWallet(page, "fails");
  await choice.getByRole("button", { name: "Connect" }).click();
  await expect(problem).toHaveText("Failed to sign message");
  await restoreWallet(page);
  await page.keyboard.press("Escape");
  await signInAs(page, "Lender 2");
});

test("a user sees their sessions and ends the one of another browser", async ({ browser, page }) => {
  const seed = await createSeed(page);
  await page.goto("/settings/sessions");
  await signInAs(page, "Lender 1");
  const other = await (await browser.newContext()).newPage();
  await setSeed(other, seed);
  await other.goto("/settings/sessions");
  await signInAs(other, "Lender 1");
  await expect(other.getByText("This browser")).toHaveCount(1);

  await page.reload();
  const list = page.getByRole("listitem").filter({ hasText: "last used" });
  await expect(list).toHaveCount(2);
  await expect(list.first()).toContainText("This browser");
  await expectAccessible(page);
  await list
    .last()
    .getByRole("button", { name: /^End the session of/ })
    .click();
  await expect(list).toHaveCount(1);
  await other.reload();
  await expect(other.getByRole("banner").getByRole("button", { name: "Connect" })).toBeVisible();

  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page.getByRole("banner").getByRole("button", { name: "Connect" })).toBeVisible();
});
