import { expect } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";
import { openBorrowDialog, openOffer } from "./borrow-steps";
import {
  agreeToPledge,
  BUNDLE_RAW,
  collateralPanel,
  FUNDING_SATS,
  PRINCIPAL_SATS,
  SUB_COLLECTION,
  TOKEN,
} from "./brc20-steps";
import { createSeed, openAs, setSeed } from "./browser-session";
import { expectToast } from "./lend-steps";
import { counterSign, mineUntil, offerManually, signInWallet } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, Party } from "./party";

type Row = components["schemas"]["Row"];
type Book = components["schemas"]["OrderBookView"];
type Bundle = Row["subCollections"][number] & { bundleSize: string };

test.setTimeout(300_000);

/** The seed of the demo's lender whose loans were not repaid. */
const CLAIMING_LENDER = new TextEncoder().encode("a lender who claims, in the demo");

/** A token that the demo's lenders quote for, and one of its bundles that has an offer. */
async function quotedToken(party: Party): Promise<{ row: Row; bundle: Bundle }> {
  const { data } = await party.call<{ data: Row[] }>(
    "GET",
    "/api/v1/collections?category=brc-20&process=manual&has_offers=true&limit=50",
  );
  for (const row of data) {
    const book = await party.call<Book>("GET", `/api/v1/collections/${row.groupSlug}/orderbook`);
    for (const { subCollectionId } of book.manualOffers) {
      const bundle = row.subCollections.find(({ id }) => id === subCollectionId);
      if (bundle?.bundleSize) return { row, bundle: { ...bundle, bundleSize: bundle.bundleSize } };
    }
  }
  throw new Error("the lenders have made no coin yet");
}

test("a demo lender's offer against BRC-20 can be taken", async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  // Its lender has created the exact coin: without it the offer would not be in the book.
  let found: { row: Row; bundle: Bundle } | null = null;
  await expect(async () => {
    found = await quotedToken(borrower);
  }).toPass({ timeout: 120_000, intervals: [5_000] });
  if (found === null) return;
  const { row, bundle }: { row: Row; bundle: Bundle } = found;
  await borrower.fundTokens(row.groupSlug, bundle.bundleSize, true);
  await borrower.fund();
  await borrower.mine();

  await openAs(page, "/borrow/brc-20", "Borrower 1");
  const dialog = await openBorrowDialog(page, { slug: row.groupSlug }, "manual", "brc-20");
  const size = dialog.getByRole("group", { name: "Bundle size" });
  const summary = dialog.getByRole("region", { name: "What you sign" });
  await expect(async () => {
    if (await summary.isVisible()) return;
    for (const choice of await size.getByRole("radio").all()) {
      // The radio is hidden; its label takes the press.
      await choice.check({ force: true });
      const note = collateralPanel(dialog).getByRole("checkbox", { name: /^My transfer note of / });
      if (!(await note.isVisible())) continue;
      await note.check();
      await dialog.getByRole("button", { name: /^Borrow 0/ }).click();
      await expect(summary).toBeVisible({ timeout: 10_000 });
      return;
    }
    throw new Error("no bundle takes the note");
  }).toPass({ timeout: 90_000, intervals: [2_000] });
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  await signInWallet(page, 2);
  await expectToast(page, "Offer accepted");
});

test("a loan against BRC-20 is borrowed, runs, and is repaid", async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  await lender.fundCoin(FUNDING_SATS);
  await borrower.fundTokens(TOKEN.slug, BUNDLE_RAW, true);
  for (let coin = 0; coin < 2; coin += 1) await borrower.fund();
  const [offerId = ""] = await offerManually(lender, SUB_COLLECTION, PRINCIPAL_SATS);

  await openAs(page, "/borrow/brc-20", "Borrower 1");
  await agreeToPledge(await openOffer(page, offerId, TOKEN));
  await signInWallet(page, 2);
  await expectToast(page, "Offer accepted");
  const [loan] = await borrower.loans();
  const loanId = loan?.loanId ?? "";
  await counterSign(lender, loanId);
  await mineUntil(borrower, loanId, "ACTIVE");

  await page.goto("/portfolio?tab=loans");
  const row = page.locator(`[data-loan="${loanId}"]`);
  await expect(row).toContainText("Running");
  await row.getByRole("button", { name: /^Repay/ }).click();
  const repaying = page.getByRole("dialog", { name: /^Repay/ });
  await repaying.getByRole("button", { name: "Continue" }).click();
  await expect(repaying.getByRole("region", { name: "What you sign" })).toContainText(
    "Arrives in your wallet",
  );
  await expectAccessible(page);
  await repaying.getByRole("button", { name: /^Repay \d/ }).click();
  await signInWallet(page);
  await expect(repaying.getByRole("heading", { name: "Repayment sent" })).toBeVisible();
  await repaying.getByRole("button", { name: "Done" }).click();
  await mineUntil(borrower, loanId, "REPAID");
  await page.goto("/portfolio?tab=history");
  await expect(page.locator(`[data-loan="${loanId}"]`)).toContainText("Repaid");
});

test("a loan against BRC-20 that was not repaid is claimed", async ({ page }) => {
  await setSeed(page, CLAIMING_LENDER);
  const lender = await Party.join(CLAIMING_LENDER);
  const tokens = (await lender.loans()).filter(({ collateralType }) => collateralType === "brc20");
  const waiting = tokens.find(({ waitsFor }) => waitsFor === "claim");
  // When it was claimed at another width before, it is in the history.
  expect(tokens).not.toHaveLength(0);
  const loanId = (waiting ?? tokens[0])?.loanId ?? "";
  await openAs(page, "/portfolio/pending", "Lender 1");
  if (waiting) {
    const row = page.getByRole("region", { name: "Claims" }).locator(`[data-loan="${loanId}"]`);
    await row.getByRole("button", { name: /^Claim/ }).click();
    const dialog = page.getByRole("dialog", { name: /^Claim/ });
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(dialog.getByRole("region", { name: "What you sign" })).toContainText(
      "Arrives in your wallet",
    );
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /^Claim/ }).click();
    await signInWallet(page);
    await expect(dialog.getByRole("heading", { name: "Claim sent" })).toBeVisible();
    await dialog.getByRole("button", { name: "Done" }).click();
  }
  await mineUntil(lender, loanId, "CLAIMED");
  await page.goto("/portfolio?tab=history");
  await expect(page.locator(`[data-loan="${loanId}"]`)).toContainText("Claimed");
});
