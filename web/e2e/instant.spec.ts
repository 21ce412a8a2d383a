import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { openAs } from "./browser-session";
import { openInstantDialog, refuseToSign } from "./instant-steps";
import { expectToast, expectToastsGone } from "./lend-steps";
import { test } from "./market-test";
import { startOutage } from "./outages";
import { createVault, deposit, getCoins, openWithVault, sign } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

// Low quotes, which no borrower takes before their lender acts on them.
const SLUG = "quiet-moons";
const CREATE = "**/api/v1/offers/instant/ordinals";

test.beforeEach(() => test.slow());

test("signed out, instant lending offers to connect", async ({ page }) => {
  const dialog = await openInstantDialog(page, "ordinals", SLUG);
  await expect(dialog.getByRole("button", { name: "Connect" })).toBeVisible();
  await expect(dialog.getByText("Please connect your wallet and create a vault")).toBeVisible();
});

test("from no vault to an offer in the book, which is edited and cancelled", async ({ page }) => {
  await openAs(page, "/lend/ordinals", "Lender 1");
  await getCoins(page);
  const dialog = await openInstantDialog(page, "ordinals", SLUG);
  await expect(dialog.getByText("You need to create your vault to lend")).toBeVisible();
  await expect(dialog.getByText("Create a prefunded account to provide instant liquidity")).toBeVisible();
  await dialog.getByRole("button", { name: "Create vault" }).click();
  const vault = page.getByRole("dialog", { name: /^(Create a vault|Vault)$/ });
  await createVault(page, vault);
  // On a phone a toast lies over the button, and stays as long as the pointer is over it.
  await expectToastsGone(page);
  await vault.getByRole("button", { name: "Close" }).click();
  await expect(dialog.getByText("Insufficient vault balance")).toBeVisible();
  await dialog.getByRole("button", { name: "Fund vault" }).click();
  await deposit(page, vault, "0.04");
  await expectToastsGone(page);
  await vault.getByRole("button", { name: "Close" }).click();

  await dialog.getByLabel("Principal", { exact: true }).fill("0.0004");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  await expect(page.getByText("Waiting for signature")).toBeVisible();
  const signing = walletWindow(page, "Sign message");
  for (const line of [
    "Lienbook: create offer",
    "Principal sats: 40000",
    "Max LTV x100:",
    "Accept next term: yes",
  ]) {
    await expect(signing).toContainText(line);
  }
  await sign(page);
  await expectToast(page, "1 offer(s) created successfully!");
  await expect(page.getByRole("dialog", { name: "Success" })).toContainText("Step 2 of 2, 1 created");
  await page.getByRole("dialog", { name: "Success" }).getByRole("button", { name: "Close" }).last().click();
  const shared = page.getByRole("dialog", { name: "Your offer is in the order book" });
  await expect(shared.getByRole("button", { name: "Share" })).toBeVisible();
  await shared.getByRole("button", { name: "Done" }).click();

  await page.goto("/portfolio?tab=offers");
  const offers = page.locator("[data-offer]");
  await expect(offers).toHaveCount(1);
  await page.getByRole("button", { name: /^Edit offer for / }).click();
  const editing = page.getByRole("dialog").first();
  const update = editing.getByRole("button", { name: "Update Offer" });
  await expect(update).toBeDisabled();
  await editing.getByLabel("Principal", { exact: true }).fill("0.0005");
  await editing.getByLabel("Auto-pause above max LTV").fill("60");
  await update.click();
  await refuseToSign(page);
  await expectToast(page, "Signature request was cancelled");
  await update.click();
  await expect(signing).toContainText("Lienbook: edit offer");
  await sign(page);
  await expectToast(page, "Offer edited");
  await expect(offers).toHaveCount(1);
  await expect(offers).toContainText("0.00050");

  await page.getByRole("button", { name: /^Cancel offer for / }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel offer" }).click();
  await sign(page);
  await expectToast(page, "Offer cancelled successfully");
  await expect(offers).toHaveCount(0);
});

test("an invalid amount, max LTV or number of tokens is named", async ({ page }) => {
  await openWithVault(page, "/lend/ordinals", "Lender 2");
  const ordinal = await openInstantDialog(page, "ordinals", SLUG);
  const principal = ordinal.getByLabel("Principal", { exact: true });
  const maxLtv = ordinal.getByLabel("Auto-pause above max LTV");
  const create = ordinal.getByRole("button", { name: "Create Offer" });
  await principal.fill("0.0001");
  await expect(ordinal.getByText("Below min offer of ₿0.0003")).toBeVisible();
  await principal.fill("5");
  await expect(ordinal.getByText("Offer cannot be above 98% LTV")).toBeVisible();
  await expect(ordinal.getByText("Insufficient vault balance")).toBeVisible();
  await principal.blur();
  await principal.fill("0.003");
  await maxLtv.fill("");
  await expect(ordinal.getByText("Enter a valid max LTV value")).toBeVisible();
  await expect(create).toBeDisabled();
  await maxLtv.fill("5");
  await expect(ordinal.getByText(/Below current LTV of \d+(\.\d+)?%/)).toBeVisible();
  await maxLtv.fill("99");
  await expect(ordinal.getByText("Offer cannot be above 98% LTV")).toBeVisible();
  await maxLtv.blur();
  await expect(maxLtv).toHaveValue("98");
  // An impossible LTV is capped while typing.
  await maxLtv.fill("120");
  await expect(maxLtv).toHaveValue("98");
  await expect(create).toBeEnabled();

  const rune = await openInstantDialog(page, "runes", "windmill-keepers");
  await rune.getByLabel("Principal", { exact: true }).fill("5");
  // The best offer, from which the form starts, may be for as many tokens: filling in the same would be no change.
  await rune.getByLabel("Max tokens").fill("");
  await rune.getByLabel("Max tokens").fill("200000");
  // Lowered at once to the value of the tokens: later it would interfere with typing into the next field.
  await expect(rune.getByLabel("Principal", { exact: true })).not.toHaveValue("5");
  await rune.getByLabel("Principal", { exact: true }).fill("0.0003");
  await expect(rune.getByLabel("Principal", { exact: true })).toHaveValue("0.0003");
  await rune.getByLabel("Auto-pause above max LTV").fill("50");
  await rune.getByLabel("Principal", { exact: true }).fill("0.02");
  await expect(rune.getByText("LTV larger than 50%")).toBeVisible();
  await rune.getByLabel("Principal", { exact: true }).fill("0.0001");
  await expect(rune.getByText("Below min offer of ₿0.0002")).toBeVisible();
  await rune.getByLabel("Principal", { exact: true }).fill("0.0002");
  await rune.getByLabel("Auto-pause above max LTV").fill("90");
  await expect(rune.getByRole("button", { name: "Create Offer" })).toBeEnabled();
  await rune.getByRole("button", { name: "Create Offer" }).click();
  await expect(walletWindow(page, "Sign message")).toContainText("Rune amount: 200000000");
  await sign(page);
  await expectToast(page, "Offer created");

  await page.goto("/portfolio?tab=offers");
  await page.getByRole("button", { name: /^Edit offer for / }).click();
  const editing = page.getByRole("dialog").first();
  await editing.getByLabel("Max tokens").fill("250000");
  await editing.getByRole("button", { name: "Update Offer" }).click();
  await expect(walletWindow(page, "Sign message")).toContainText("Rune amount: 250000000");
  await sign(page);
  await expectToast(page, "Offer edited");

  await page.getByRole("button", { name: /^Cancel offer for / }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel offer" }).click();
  await expect(walletWindow(page, "Sign message")).toContainText("Lienbook: ");
  await sign(page);
  await expectToast(page, "Offer cancelled successfully");
  await expect(page.getByText("No offers.", { exact: true })).toBeVisible();
});

test("of several offers one fails in the middle, and the rest continue", { tag: "@desktop" }, async ({
  page,
}) => {
  await openWithVault(page, "/lend/ordinals", "Lender 3");
  const dialog = await openInstantDialog(page, "ordinals", SLUG);
  await dialog.getByLabel("Principal", { exact: true }).fill("");
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "Missing offer data");
  await dialog.getByLabel("Principal", { exact: true }).fill("0.0004");
  await dialog.getByRole("checkbox", { name: /^Advanced/ }).click();
  await dialog.getByRole("group", { name: "Term" }).getByRole("button").nth(2).click();
  await dialog.getByLabel("Principal", { exact: true }).fill("0.0005");
  await dialog.getByRole("button", { name: "One more" }).click();
  await expect(dialog.locator("[data-selected-offer]")).toHaveCount(2);
  await dialog.getByRole("button", { name: "Create 3 Offers" }).click();
  const progress = page.getByRole("dialog", { name: "Creating 3 offers" });
  await expect(progress.getByRole("button", { name: "Close" })).toBeDisabled();
  await sign(page);
  await refuseToSign(page);
  await expect(progress).toContainText("Error: Signature request was cancelled");
  await expect(progress).toContainText("Step 2 of 4, 1 created");
  await progress.getByRole("button", { name: "Close" }).last().click();
  await dialog.getByRole("button", { name: "Continue with Remaining" }).click();
  await sign(page);
  await page.route(CREATE, (route) => route.abort());
  await sign(page);
  await expectToast(page, "Failed to create offer 3");
  await expect(progress).toContainText("Error: The server could not be reached");
  await page.getByRole("button", { name: "Skip" }).click();
  const end = page.getByRole("dialog", { name: "2 of 3 offers created" });
  await expectToast(page, "2 offer(s) created successfully!");
  await end.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: "Done" }).click();

  await openInstantDialog(page, "ordinals", SLUG);
  await dialog.getByLabel("Principal", { exact: true }).fill("0.0004");
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  await sign(page);
  await page.getByRole("button", { name: "Skip" }).click();
  await expect(page.getByRole("dialog", { name: "Unsuccessful" })).toContainText("No offer was created.");
  await page
    .getByRole("dialog", { name: "Unsuccessful" })
    .getByRole("button", { name: "Close" })
    .last()
    .click();

  await dialog.getByRole("checkbox", { name: /^Advanced/ }).click();
  await dialog.getByRole("button", { name: /^Remove / }).click();
  await expect(dialog.getByText(/^No valid offers to submit/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Create Offer" })).toBeDisabled();
});

test("without a nonce or a signer, an existing offer is not changed, and the reason is shown", {
  tag: "@desktop",
}, async ({ page }) => {
  await openWithVault(page, "/lend/runes", "Lender 2");
  const rune = await openInstantDialog(page, "runes", "windmill-keepers");
  await rune.getByLabel("Max tokens").fill("200000");
  await rune.getByLabel("Principal", { exact: true }).fill("0.0002");
  await page.route("**/api/v1/account/nonce", (route) => route.abort());
  await rune.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "Failed to prepare offer");
  await expectToast(page, "Get nonce request failure: The server could not be reached");
  await page.unroute("**/api/v1/account/nonce");
  await rune.getByRole("button", { name: "Create Offer" }).click();
  await startOutage(page, "signer");
  await sign(page);
  await expectToast(page, "Offer could not be created");
  const again = await openInstantDialog(page, "runes", "windmill-keepers");
  await again.getByLabel("Max tokens").fill("200000");
  await again.getByLabel("Principal", { exact: true }).fill("0.0002");
  await again.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "Vault canister hash not configured");
});

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}
