import { expect, type Locator } from "@playwright/test";
import {
  approveTransaction,
  busyCollection,
  inscriptionChoices,
  openBorrowDialog,
  openOffer,
  openSummary,
  requestSignature,
  takeFromFaucet,
} from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { expectToast } from "./lend-steps";
import { acceptOffer, offerManually } from "./loan-steps";
import { test } from "./market-test";
import { endOutage, startOutage } from "./outages";
import { BORROWER_1, Party } from "./party";
import { breakWallet, changeAccount, openWalletChoice, restoreWallet, signInWatched } from "./wallet-faults";
import { walletWindow } from "./wallet-steps";

test.setTimeout(300_000);

/** Seldom traded, so that own offers stay. */
const QUIET = { slug: "meridian-maps", category: "ordinals" } as const;
const PREPARE = "**/prepare-accept";
const MANUAL_PREPARE = "**/api/v1/loans/manual/prepare";

/** A little more than the best offer of the term: two offers are taken together when they differ by two percent at most. */
async function leadingPrincipal(lender: Party): Promise<number> {
  type Row = { manual: { bestOffer: number | null } };
  const { manual } = await lender.call<Row>("GET", `/api/v1/collections/${QUIET.slug}`);
  return Math.max(310_000, Math.ceil(((manual.bestOffer ?? 0) * 1.01) / 1_000) * 1_000);
}

/** Prepares two loans of two offers. */
async function prepareTwo(dialog: Locator): Promise<void> {
  await dialog.getByRole("radio", { name: /^14 days/ }).check();
  for (const choice of [0, 1]) await inscriptionChoices(dialog).nth(choice).check();
  await expect(await openSummary(dialog, /^Borrow 0/)).toContainText(" in all ");
}

test("a wallet that reports only one address is not connected", async ({ page }) => {
  await page.goto("/borrow/ordinals");
  await openWalletChoice(page);
  await breakWallet(page, "has one address");
  await page.getByRole("button", { name: "Dev Wallet" }).click();
  await walletWindow(page, "Choose an account").getByRole("button", { name: "Connect" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "missing user addresses!" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("banner").getByRole("button", { name: "Connect" })).toBeVisible();
});

test("every failure of an instant loan is named, and the form is restored", { tag: "@desktop" }, async ({
  page,
}) => {
  await page.goto("/borrow/ordinals");
  await signInWatched(page, "Borrower 1");
  const collection = await busyCollection(page, "inscription", "instant");
  await takeFromFaucet(page, "Ordinals", collection.name);
  await page.getByPlaceholder("Search...").fill(collection.name);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Borrow\b/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Instant" }).click();
  const borrow = dialog.getByRole("button", { name: /^Borrow 0/ });
  await inscriptionChoices(dialog).first().check();

  await startOutage(page, "signer");
  await borrow.click();
  await expectToast(page, "Failed to prepare offer");
  await endOutage(page);
  // The response is lost.
  await page.route(PREPARE, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), transactionBase64: "" } });
  });
  await borrow.click();
  await expectToast(page, "No data received");
  await page.unroute(PREPARE);

  await breakWallet(page, "fails");
  await requestSignature(dialog, /^Borrow 0/);
  await expectToast(page, "Failed to sign transaction");
  await breakWallet(page, "signs nothing");
  await requestSignature(dialog, /^Borrow 0/);
  await expectToast(page, "Failed to accept offer");

  await openSummary(dialog, /^Borrow 0/);
  await changeAccount(page);
  await expectToast(page, "Please reconnect your wallet");
  await expect(dialog.getByText("Not signed in", { exact: true })).toBeVisible();
  await expect(dialog.getByText("Please sign in: your session has ended.")).toBeVisible();
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  await expectToast(page, "User not signed in");
  await expect(dialog.getByRole("button", { name: "Connect" })).toBeVisible();
});

test("of two offers both fail without signatures, and both are accepted with them", {
  tag: "@desktop",
}, async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  await offerManually(lender, `${QUIET.slug}-14d`, await leadingPrincipal(lender), 3);
  for (let copy = 0; copy < 2; copy += 1) await borrower.fund(QUIET.slug);
  await borrower.mine();

  await openAs(page, "/borrow/ordinals", "Borrower 1");
  const dialog = await openBorrowDialog(page, QUIET, "manual");
  await breakWallet(page, "signs nothing");
  await prepareTwo(dialog);
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  await expectToast(page, "Error submitting signature for offer 1");
  await expectToast(page, "Error submitting signature for offer 2");
  await expectToast(page, "Error accepting offers");
  await expect(dialog.getByText("Unsuccessful")).toBeVisible();
  await dialog.getByRole("button", { name: "Try again" }).click();

  await restoreWallet(page);
  await prepareTwo(dialog);
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  for (const offer of [1, 2]) {
    await approveTransaction(page);
    await expectToast(page, `Offer ${offer}/2 accepted`);
  }
  await expect(dialog.getByText("Success", { exact: true })).toBeVisible();
});

test("an offer that another borrower has taken is named, and so is one that is gone", {
  tag: "@desktop",
}, async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const [lender, otherLender] = [await Party.join(), await Party.join()];
  await lender.fund();
  await lender.fund();
  await borrower.fund(QUIET.slug);
  const otherInscription = (await otherLender.fund(QUIET.slug)) ?? "";
  await otherLender.mine();
  const [offerId = "", other = ""] = await offerManually(lender, "meridian-maps-14d", 60_000, 2);

  await openAs(page, "/borrow/ordinals", "Borrower 1");
  const dialog = await openOffer(page, offerId, QUIET);
  await inscriptionChoices(dialog).first().check();
  // The rival is faster by the duration of a request.
  await page.route(MANUAL_PREPARE, async (route) => {
    await acceptOffer(otherLender, offerId, otherInscription);
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Borrow 0.00060 BTC" }).click();
  await expectToast(page, "Offer has already been used, refreshing offers...");
  await expect(dialog.getByRole("button", { name: "Borrow", exact: true })).toBeDisabled();
  await page.unroute(MANUAL_PREPARE);

  // The alternative is named, and one button takes it.
  const instead = dialog.getByRole("alert").filter({ hasText: "This offer cannot be taken now" });
  await expect(instead).toContainText(/The next offer is 0\.\d+ BTC for 14 days at /);
  await instead.getByRole("button", { name: "Take the next offer" }).click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toBeVisible();
  await dialog.getByRole("button", { name: "Back" }).click();

  await openOffer(page, other, QUIET);
  await inscriptionChoices(dialog).first().check();
  await breakWallet(page, "signs nothing");
  await dialog.getByRole("button", { name: "Borrow 0.00060 BTC" }).click();
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  await expectToast(page, "Error accepting this offer");
  await restoreWallet(page);
  await startOutage(page, "node");
  await dialog.getByRole("button", { name: "Borrow 0.00060 BTC" }).click();
  await expectToast(page, "Failed to process borrow request");
  await endOutage(page);
  await dialog.getByRole("button", { name: "Borrow 0.00060 BTC" }).click();
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  await approveTransaction(page);
  await expectToast(page, "Offer accepted");
});
