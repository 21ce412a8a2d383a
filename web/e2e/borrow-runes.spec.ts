import { expect } from "@playwright/test";
import {
  approveTransaction,
  busyCollection,
  openBorrowDialog,
  openSummary,
  requestSignature,
  takeFromFaucet,
} from "./borrow-steps";
import { openAs } from "./browser-session";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { RETRIES } from "./retries";

// Chain and wallet are slow.
test.setTimeout(150_000);

test("a rune is pledged for an instant loan, from choosing the amount to the start", async ({ page }) => {
  await openAs(page, "/borrow/runes", "Borrower 1");
  const collection = await busyCollection(page, "rune", "instant");
  const dialogBefore = await openBorrowDialog(page, collection, "instant", "runes");
  await expect(
    dialogBefore.getByText(`You don't have any ${collection.name} tokens to use as collateral.`),
  ).toBeVisible();
  await expect(dialogBefore.getByRole("button", { name: "Submit" })).toBeDisabled();
  await dialogBefore.getByRole("button", { name: "Close" }).last().click();

  await takeFromFaucet(page, "Runes", collection.name);
  const dialog = await openBorrowDialog(page, collection, "instant", "runes");
  const collateral = dialog.getByRole("textbox", { name: "Collateral" });
  // The next block confirms the gift, and the app polls every 20 seconds.
  await expect(collateral).not.toHaveValue("", { timeout: 45_000 });
  const all = dialog.getByRole("button", { name: "All", exact: true });
  await expect(all).toHaveAttribute("aria-pressed", "true");
  const days = await dialog
    .getByRole("button", { name: /^\d+ days$/ })
    .first()
    .textContent();
  const term = dialog.getByRole("button", { name: days ?? "", exact: true });
  await term.click();
  await expect(all).toHaveAttribute("aria-pressed", "false");
  await term.click();
  await expect(all).toHaveAttribute("aria-pressed", "true");

  await collateral.fill("abc");
  await expect(collateral).toHaveValue("");
  await expect(dialog.getByText("No offers for that amount")).toBeVisible();
  await collateral.press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("No collateral amount");
  await collateral.fill("1");
  await collateral.press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("No offer selected");

  await dialog.getByRole("slider").focus();
  await page.keyboard.press("End");
  const graph = dialog.getByTestId("ltv-graph");
  await expect(graph).toBeVisible();
  // The axis below is the collateral, from none to all that can be pledged.
  await expect(graph.locator("text").filter({ hasText: /^0$/ })).toBeVisible();
  await expect(graph.locator("text").filter({ hasText: /^[\d.]+[KMBT]?$/ })).toHaveCount(5);
  await page.keyboard.press("PageDown");
  await expect(dialog.getByRole("group", { name: "Offer" }).locator("input:checked")).toHaveCount(1);
  await expectAccessible(page);

  await expect(await openSummary(dialog, "Submit")).toContainText(collection.name);
  await requestSignature(dialog, "Submit");
  await expect(dialog.getByRole("button", { name: "Please sign with wallet..." })).toBeDisabled();
  await approveTransaction(page);
  await expect(dialog.getByText("Loan started")).toBeVisible({ timeout: 30_000 });
});

test("another indexer's rune balance is shown while the pledgeable amount is unknown", {
  tag: "@desktop",
}, async ({ page }) => {
  await openAs(page, "/borrow/runes", "Borrower 1");
  const collection = await busyCollection(page, "rune", "instant");
  const reason = {
    code: "indexer_unavailable",
    status: 503,
    title: "Indexer unavailable",
    detail: "It is away.",
  };
  await page.route("**/api/v1/me/collateral", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", json: reason }),
  );
  const { runeId } = await (
    await page.request.get(`/api/v1/collections/${collection.slug}`, { maxRetries: RETRIES })
  ).json();
  const balances = { provider: "unisat", runes: [{ runeId, raw: "1234567" }] };
  await page.route("**/api/v1/me/rune-balances", (route) => route.fulfill({ json: balances }));
  const dialog = await openBorrowDialog(page, collection, "instant", "runes");
  await expect(dialog.getByText(/^unisat reports [\d,.]+ .+ at your address\./)).toBeVisible();
  await expect(dialog.getByText(reason.detail)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Submit" })).toBeDisabled();
  await expectAccessible(page);
});
