import { expect } from "@playwright/test";
import {
  approveTransaction,
  busyCollection,
  expectLoanStage,
  expectNoLoan,
  inscriptionChoices,
  openBorrowDialog,
  openSummary,
  requestSignature,
  takeFromFaucet,
} from "./borrow-steps";
import { openAs } from "./browser-session";
import { expectToast, expectToastsGone } from "./lend-steps";
import { cancelOffers, offerManually } from "./loan-steps";
import type { Row } from "./market-of";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { Party } from "./party";
import { signInAs, walletWindow } from "./wallet-steps";

// Chain and wallet are slow.
test.setTimeout(150_000);

test("an inscription is pledged for an instant loan, from connecting to the first block", async ({
  page,
}) => {
  await page.goto("/borrow/ordinals");
  await signInAs(page, "Borrower 1");
  const collection = await busyCollection(page, "inscription", "instant");
  const { inscriptionId } = await takeFromFaucet(page, "Ordinals", collection.name);
  const dialog = await openBorrowDialog(page, collection, "instant");

  await inscriptionChoices(dialog).first().check();
  await expectAccessible(page);
  const summary = await openSummary(dialog, /^Borrow 0\.\d{5} BTC/);
  for (const text of [
    "Leaves your wallet",
    `1 ${collection.name} inscription`,
    "Arrives in your wallet",
    "Total cost",
    "APR",
    "Network fee",
    "Calculation",
    "Stays with the collateral in escrow",
    "Deadline",
    "If it is not repaid",
    "If Lienbook is unavailable",
  ]) {
    await expect(summary).toContainText(text);
  }
  await summary.getByText("The transaction, input by input").click();
  await expect(summary).toContainText("Your signature of input 0 covers everything.");
  await expectAccessible(page);

  await requestSignature(dialog, /^Borrow 0/);
  await expect(dialog.getByRole("button", { name: "Please sign with wallet..." })).toBeDisabled();
  // The wallet has a button of that name too.
  await expect(dialog.getByRole("button", { name: "Cancel" }).first()).toBeDisabled();
  await approveTransaction(page);
  await expect(dialog.getByText("Loan started")).toBeVisible({ timeout: 30_000 });
  await expect(dialog.getByRole("button", { name: "Copy transaction id" })).toBeVisible();
  await expectLoanStage(page, inscriptionId, ["active"]);
  await dialog.getByRole("link", { name: "View portfolio" }).click();
  await expect(page).toHaveURL(/\/portfolio/);
});

test("a cancelled signature restores the dialog, and the offer is free again", async ({ page }) => {
  await openAs(page, "/borrow/ordinals", "Borrower 1");
  const collection = await busyCollection(page, "inscription", "instant");
  const { inscriptionId } = await takeFromFaucet(page, "Ordinals", collection.name);
  const dialog = await openBorrowDialog(page, collection, "instant");
  const borrow = dialog.getByRole("button", { name: /^Borrow 0/ });

  // The only inscription of the collection is selected already.
  await expect(inscriptionChoices(dialog).first()).toBeChecked();
  await requestSignature(dialog, /^Borrow 0/);
  await walletWindow(page, "Sign transaction").getByRole("button", { name: "Cancel" }).click();
  await expectToast(page, "Wallet cancelled request");
  await expect(borrow).toBeEnabled();
  await expectNoLoan(page, inscriptionId);

  // The same once more, and out by the button: what was prepared is released too.
  await openSummary(dialog, /^Borrow 0/);
  await dialog.getByRole("button", { name: "Back" }).click();
  await expect(borrow).toBeEnabled();
});

test("a missing input is named next to the picker, and no toast covers the button", async ({ page }) => {
  await openAs(page, "/borrow/ordinals", "Borrower 1");
  const collection = await busyCollection(page, "inscription", "instant");
  for (let copy = 0; copy < 2; copy += 1) await takeFromFaucet(page, "Ordinals", collection.name);
  const dialog = await openBorrowDialog(page, collection, "instant");
  const [choices, borrow] = [inscriptionChoices(dialog), dialog.getByRole("button", { name: /^Borrow 0/ })];
  await expect(choices).toHaveCount(2);
  await expect(dialog.locator("input:checked").and(choices)).toHaveCount(0);

  await borrow.click();
  const picker = dialog.getByRole("group", { name: /to pledge/ });
  await expect(picker.getByRole("alert")).toHaveText("No inscription selected");
  await expect(page.locator("[data-sonner-toast]")).toHaveCount(0);
  await expectAccessible(page);
  await choices.last().check();
  await expect(picker.getByRole("alert")).toHaveCount(0);

  // A refusal by the server is shown in a toast, which leaves the button free.
  await page.route("**/prepare-accept", (route) => route.abort());
  await borrow.click();
  await expectToast(page, "Failed to prepare offer");
  const [toast, button] = await Promise.all([
    page.locator("[data-sonner-toast]").first().boundingBox(),
    borrow.boundingBox(),
  ]);
  expect(toast && button).toBeTruthy();
  if (!toast || !button) return;
  const isBeside =
    toast.x + toast.width <= button.x ||
    button.x + button.width <= toast.x ||
    toast.y + toast.height <= button.y ||
    button.y + button.height <= toast.y;
  expect(isBeside, "the toast leaves the button free").toBe(true);
});

test("a user without an inscription of the collection is informed", async ({ page }) => {
  await openAs(page, "/borrow/ordinals", "Borrower 2");
  const collection = await busyCollection(page, "inscription", "instant");
  const dialog = await openBorrowDialog(page, collection, "instant");
  await expect(dialog.getByText(`You do not own any ${collection.name}`)).toBeVisible();
});

test("signed out, the borrow dialog offers to connect", async ({ page }) => {
  await page.goto("/borrow/ordinals");
  const { slug } = await busyCollection(page, "inscription", "instant");
  await page.goto(`/borrow/ordinals?process=instant&collection=${slug}`);
  await expect(page.getByRole("dialog").getByRole("button", { name: "Connect" })).toBeVisible();
});

test("a manual offer is accepted, and the lender must counter-sign", async ({ page }) => {
  await openAs(page, "/borrow/ordinals", "Borrower 1");
  const collection = await busyCollection(page, "inscription", "manual");
  const { inscriptionId } = await takeFromFaucet(page, "Ordinals", collection.name);
  const dialog = await openBorrowDialog(page, collection, "manual");

  await inscriptionChoices(dialog).first().check();
  await expect(await openSummary(dialog, /^Borrow 0/)).toContainText(
    "the lender has 12 hours to counter-sign",
  );
  await requestSignature(dialog, /^Borrow 0/);
  await approveTransaction(page);
  await expectToast(page, "Offer accepted");
  // The simulated lender may sign at once, or refuse some seconds later.
  await expectLoanStage(page, inscriptionId, ["awaiting_lender", "broadcast", "active"]);
  await expect(dialog.getByText(/lender must counter-sign/)).toBeVisible();
  await expectToastsGone(page);
  await expectAccessible(page);
});

test("the initial process type of the dialog stays when offers of the other type arrive", {
  tag: "@desktop",
}, async ({ page }) => {
  // Without coins, so that no other user can take these offers.
  const lender = await Party.join();
  const quiet = "meridian-maps";
  const first = await offerManually(lender, `${quiet}-14d`, 40_000);
  // No instant offers until the test says so, by socket or by polling.
  let instantOffers = 0;
  let rowsThatOffer = 0;
  const showOffers = (row: Row) => {
    if (row.instant) row.instant.offerCount = instantOffers;
    if (instantOffers > 0) rowsThatOffer += 1;
  };
  await page.route("**/orderbook", async (route) => {
    const response = await route.fetch();
    const book = await response.json();
    showOffers(book.row);
    await route.fulfill({ response, json: book });
  });
  await page.routeWebSocket("**/api/v1/feed", (socket) => {
    socket.connectToServer().onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (String(frame.channel).startsWith("book:")) {
        if (frame.type === "snapshot") showOffers(frame.data.row);
        for (const op of frame.ops ?? []) if (op.op === "row") showOffers(op.row);
      }
      socket.send(JSON.stringify(frame));
    });
  });
  await page.goto(`/borrow/ordinals?process=instant&collection=${quiet}`);
  const dialog = page.getByRole("dialog");
  const manual = dialog.getByRole("radio", { name: "Manual", exact: true });
  await expect(manual).toBeChecked();
  const term14 = dialog.getByRole("radio", { name: /^14 days/ });
  await term14.check();

  instantOffers = 3;
  const second = await offerManually(lender, `${quiet}-14d`, 41_000);
  await expect.poll(() => rowsThatOffer).toBeGreaterThan(0);
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted, 100))));
  await expect(manual).toBeChecked();
  await expect(term14).toBeChecked();
  await page.reload();
  await expect(dialog.getByRole("radio", { name: "Instant", exact: true })).toBeChecked();
  await cancelOffers(lender, [...first, ...second]);
});
