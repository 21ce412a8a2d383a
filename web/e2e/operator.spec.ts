import { expect, type Page } from "@playwright/test";
import {
  busyCollection,
  callApi,
  inscriptionChoices,
  openBorrowDialog,
  takeFromFaucet,
} from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { openInstantDialog, serveVerification, withoutVerification } from "./instant-steps";
import { expectToast } from "./lend-steps";
import { mineUntil, runningLoan, signInWallet } from "./loan-steps";
import { expectAccessible, expectLive } from "./market-steps";
import { endOutage, startOutage } from "./outages";
import { test } from "./own-market";
import { BORROWER_1, Party } from "./party";
import { createVault, deposit, getCoins, openVaultDialog, openWithVault, sign } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

test.setTimeout(300_000);

const SLUG = "quiet-moons";
const CREATE = "**/api/v1/offers/instant/ordinals";
const LISTING = `
slug = "harbour-lights"
name = "Harbour Lights"
symbol = "HARB"
[collateral]
type = "inscription"
[[sub_collections]]
slug = "harbour-lights-7d"
term_days = 7
interest_basis_points = 120
manual = true
instant = true
`;

const TOKENS = `
slug = "harbour-ropes"
name = "Harbour Ropes"
symbol = "ROPE"
[collateral]
type = "rune"
rune_id = "840000:1"
rune_name = "HARBOUR•ROPES"
decimals = 0
[[sub_collections]]
slug = "harbour-ropes-1000"
bundle = "1000"
interest_basis_points = 120
manual = true
`;

async function createOffer(page: Page, slug: string) {
  const dialog = await openInstantDialog(page, "ordinals", slug);
  await dialog.getByLabel("Principal", { exact: true }).fill("0.0004");
  await dialog.getByRole("button", { name: "Create Offer" }).click();
}

async function fundVault(page: Page): Promise<void> {
  const dialog = await openVaultDialog(page);
  await createVault(page, dialog);
  await deposit(page, dialog, "0.04");
  await page.keyboard.press("Escape");
}

test("a verification is shown once, and the signed offer is sent again with its token", {
  tag: "@desktop",
}, async ({ page }) => {
  await openWithVault(page, "/lend/ordinals", "Lender 1");
  const tokens: Array<string | undefined> = [];
  await page.route(CREATE, async (route) => {
    tokens.push(route.request().postDataJSON().cf_turnstile_response);
    await route.continue();
  });
  await withoutVerification(page);
  const dismiss = async () => {
    const success = page.getByRole("dialog", { name: "Success" });
    await success.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: "Done" }).click();
  };
  // The first one needs no verification.
  await createOffer(page, SLUG);
  await sign(page);
  await expectToast(page, "1 offer(s) created successfully!");
  await dismiss();

  await createOffer(page, SLUG);
  await sign(page);
  const verification = page.getByRole("dialog", { name: "Verification Required" });
  await expect(verification).toContainText("Please complete the verification below to continue.");
  await expect(verification.getByRole("alert")).toContainText(
    "challenges.cloudflare.com could not be reached",
  );
  await serveVerification(page);
  await verification.getByRole("button", { name: "Try again" }).click();
  await verification.getByRole("button", { name: "I am a person" }).click();
  await dismiss();
  expect(tokens).toEqual([undefined, undefined, "token-for-1x00000000000000000000AA-offer"]);

  await createOffer(page, SLUG);
  await sign(page);
  await expect(verification).toBeVisible();
  await startOutage(page, "bot-check");
  await verification.getByRole("button", { name: "I am a person" }).click();
  await expectToast(page, "Failed to create offer 1");
  await expect(
    page.getByText("Error: The verification could not be checked, please try again"),
  ).toBeVisible();
  await expect(verification).toHaveCount(0);
});

test("a collection without prices and offers is shown as such, and has no instant lending", {
  tag: "@desktop",
}, async ({ page, market }) => {
  market.operate(["collection", "add"], LISTING);
  const address = "/borrow/ordinals?collection=harbour-lights&view=detail";
  await page.goto(address);
  const detail = page.getByRole("dialog");
  await expect(detail.getByText("No price data available")).toBeVisible();
  await expect(detail.getByRole("button", { name: "Borrow" })).toBeDisabled();
  await expect(detail.getByRole("button", { name: "Lend" })).toBeEnabled();
  await expectAccessible(page);

  await openWithVault(page, "/lend/ordinals", "Lender 1");
  await createOffer(page, "harbour-lights");
  await sign(page);
  await expectToast(page, "Offer could not be created");
  await expectToast(page, "the price of this collection is not known yet");

  await page.goto("/borrow/ordinals?process=manual&collection=harbour-lights&view=borrow");
  await expect(detail.getByRole("button", { name: /^Borrow/ })).toBeDisabled();
  await detail.getByRole("radio", { name: "Custom" }).click();
  await detail.getByLabel("Fee rate", { exact: true }).press("Enter");
  await expect(detail.getByRole("alert")).toContainText("No lender offer ID available");

  market.operate(["price", "set", "harbour-lights", "1000000"]);
  await page.goto(address);
  await expect(detail.getByText("Insufficient historical data for this time range.")).toBeVisible();
});

test("collateral worth less than the smallest offer cannot be lent against", {
  tag: "@desktop",
}, async ({ page, market }) => {
  market.operate(["collection", "add"], LISTING.replaceAll("harbour-lights", "harbour-stones"));
  market.operate(["price", "set", "harbour-stones", "100"]);
  market.operate(["collection", "add"], TOKENS);
  market.operate(["price", "set", "harbour-ropes", "0.001"]);
  await openWithVault(page, "/lend/ordinals", "Lender 1");
  for (const [path, message] of [
    ["ordinals?process=manual&collection=harbour-stones", "No available terms"],
    ["runes?process=manual&collection=harbour-ropes", "No bundle sizes available"],
  ]) {
    await page.goto(`/lend/${path}&view=lend`);
    await expect(page.getByRole("dialog").getByText(message ?? "")).toBeVisible();
  }
  await expectAccessible(page);
});

test("data that a backup does not contain is reported as gone", { tag: "@desktop" }, async ({
  page,
  market,
}) => {
  // The page must not see the restored market before the message is signed, by the feed or by polling once the feed is
  // down for long: it would close the dialog.
  let isFeedCut = false;
  await page.route("**/api/v1/collections*", (route) => (isFeedCut ? route.abort() : route.fallback()));
  await page.routeWebSocket("**/api/v1/feed", (socket) => {
    if (isFeedCut) void socket.close();
    else socket.connectToServer();
  });
  const restore = async () => {
    isFeedCut = true;
    await market.restore();
  };

  await openAs(page, "/lend/ordinals", "Lender 2");
  await getCoins(page);
  await market.backUp();
  // Reloaded at once, instead of waiting for the socket to reconnect.
  await page.goto("/lend/ordinals");
  await fundVault(page);
  await createOffer(page, SLUG);
  await expect(walletWindow(page, "Sign message")).toBeVisible();
  await restore();
  await sign(page);
  await expectToast(page, "Failed to create offer 1");
  await expect(page.getByText("Error: Vault not found")).toBeVisible();

  isFeedCut = false;
  // The backup has the session as it was before this browser last refreshed it.
  await openAs(page, "/lend/ordinals", "Lender 2");
  await fundVault(page);
  await market.backUp();
  market.operate(["collection", "add"], LISTING.replaceAll("harbour-lights", "harbour-lamps"));
  market.operate(["price", "set", "harbour-lamps", "1000000"]);
  await createOffer(page, "harbour-lamps");
  await expect(walletWindow(page, "Sign message")).toBeVisible();
  await restore();
  await sign(page);
  await expectToast(page, "Collection Harbour Lights not found");
});

test("terms that the operator announces are refused without a signer, and accepted with one", {
  tag: "@desktop",
}, async ({ page, market }) => {
  await openWithVault(page, "/lend/ordinals", "Lender 3");
  const lending = await openInstantDialog(page, "ordinals", SLUG);
  await lending.getByLabel("Principal", { exact: true }).fill("0.0004");
  await lending.getByRole("checkbox", { name: "Accept upcoming term changes" }).click();
  await lending.getByRole("button", { name: "Create Offer" }).click();
  await sign(page);
  await expectToast(page, "1 offer(s) created successfully!");
  type Offers = { data: Array<{ collectionSlug: string }> };
  const { data } = await callApi<Offers>(page, "GET", "/api/v1/offers");
  const terms = ["--term-days", "30", "--interest-basis-points", "450", "--in-days", "5"];
  market.operate(["term", "announce", data[0]?.collectionSlug ?? "", ...terms]);

  await page.goto("/portfolio?tab=offers");
  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^Update offer/ })
    .click();
  const dialog = page.getByRole("dialog", { name: "Accept new terms" });
  await expect(dialog).toContainText("the offer will be paused");
  const agreement = dialog.getByRole("checkbox");
  const accept = dialog.getByRole("button", { name: "Accept terms" });
  await expect(agreement).toBeChecked();
  await agreement.click();
  await expect(accept).toBeDisabled();
  await agreement.click();
  await expectAccessible(page);

  const wallet = walletWindow(page, "Sign message");
  await accept.click();
  await wallet.getByRole("button", { name: "Cancel" }).click();
  await expectToast(page, "Signature request was cancelled");
  await startOutage(page, "signer");
  await accept.click();
  await sign(page);
  await expectToast(page, "Failed to accept new terms");
  await endOutage(page);
  await accept.click();
  await sign(page);
  await expectToast(page, "Successfully accepted new terms");
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("[data-offer]").getByRole("button", { name: /^Update offer/ })).toHaveCount(0);
});

test("while new loans are halted nothing can be borrowed, and a running loan can be repaid", {
  tag: "@desktop",
}, async ({ page, market }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1, market.url);
  const lender = await Party.join(undefined, 0, market.url);
  const { loanId } = await runningLoan(lender, borrower, 2);
  await openAs(page, "/borrow/ordinals", "Borrower 1");
  const collection = await busyCollection(page, "inscription", "manual");
  await takeFromFaucet(page, "Ordinals", collection.name);
  await page.goto("/portfolio?tab=loans");
  const notice = page.getByTestId("halt");
  await expect(page.locator(`[data-loan="${loanId}"]`)).toContainText("Running");
  await expect(notice).toHaveCount(0);

  market.operate(["halt", "new-loans", "--reason", "Two indexers disagree"]);
  await expect(notice).toContainText("New loans are halted since");
  await expect(notice).toContainText("The operator’s reason: Two indexers disagree");
  await expectAccessible(page);
  for (const address of [
    "/",
    "/borrow/runes",
    "/lend/ordinals",
    "/requests",
    "/settings/sessions",
    "/guide",
    "/privacy",
  ]) {
    await page.goto(address);
    await expect(notice, address).toBeVisible();
  }

  const dialog = await openBorrowDialog(page, collection, "manual");
  await inscriptionChoices(dialog).first().check();
  await expect(dialog).toContainText("No loan can begin for now.");
  const borrow = dialog.getByRole("button", { name: /^Borrow 0/ });
  await expect(borrow).toBeDisabled();
  await expectAccessible(page);

  await page.goto("/portfolio?tab=loans");
  await page.locator(`[data-loan="${loanId}"]`).getByRole("button").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Repay" }).click();
  const repaying = page.getByRole("dialog", { name: /^Repay/ });
  await repaying.getByRole("button", { name: "Continue" }).click();
  await repaying.getByRole("button", { name: /^Repay \d/ }).click();
  await signInWallet(page);
  await expect(repaying.getByRole("heading", { name: "Repayment sent" })).toBeVisible();
  await repaying.getByRole("button", { name: "Done" }).click();
  await mineUntil(borrower, loanId, "REPAID");

  await openBorrowDialog(page, collection, "manual");
  await inscriptionChoices(dialog).first().check();
  await expect(borrow).toBeDisabled();
  market.operate(["resume", "new-loans"]);
  await expect(borrow).toBeEnabled();
  await expect(dialog).not.toContainText("No loan can begin for now.");
  await borrow.click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toBeVisible({ timeout: 30_000 });
  await page.goto("/borrow/ordinals");
  await expectLive(page);
  await expect(notice).toHaveCount(0);
});
