import { expect, type Page } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";
import { inscriptionChoices } from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { expectToast, fundWallet, signInFunded } from "./lend-steps";
import { cancelOffers, manualSlug, offerManually } from "./loan-steps";
import type { Row } from "./market-of";
import { collections, expectAccessible, expectLive, openMarket } from "./market-steps";
import { test } from "./market-test";
import { BORROWER_1, Party } from "./party";
import { signInAs } from "./wallet-steps";

test.setTimeout(180_000);

type Wire = components["schemas"];

/** A collection whose small offers no other user takes. */
const SLUG = "quiet-moons";
const SMALL_BTC = "0.00036";
const BOOK = `/borrow/ordinals?collection=${SLUG}&view=book&process=manual`;

const line = (page: Page, offerId: string) => page.getByRole("dialog").locator(`tr[data-line="${offerId}"]`);
const linkedText = (page: Page) => page.getByRole("dialog").locator("[data-linked]");

/** The id of the only offer that a lender's page shows. */
async function onlyOffer(page: Page): Promise<string> {
  await page.goto("/portfolio?tab=offers");
  const offer = page.locator("[data-offer]");
  await expect(offer).toHaveCount(1);
  return (await offer.getAttribute("data-offer")) ?? "";
}

test("an offer for one borrower is seen and chosen by that borrower alone, live", async ({
  page,
  browser,
}) => {
  const contexts = await Promise.all([browser.newContext(), browser.newContext()]);
  const [borrowerPage, publicPage] = await Promise.all(contexts.map((each) => each.newPage()));
  if (!borrowerPage || !publicPage) throw new Error("a page for each context");
  const borrower = await Party.join(await createSeed(borrowerPage), BORROWER_1);
  await borrowerPage.emulateMedia({ reducedMotion: "reduce" });
  await openAs(borrowerPage, "/borrow/ordinals", "Borrower 1");
  await publicPage.goto(BOOK);

  await signInFunded(page, "Lender 2");
  await page.goto(`/lend/ordinals?process=manual&collection=${SLUG}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Principal", { exact: true }).fill(SMALL_BTC);
  await dialog.getByRole("radio", { name: "One borrower" }).click();
  await expect(dialog.getByRole("button", { name: "Create Offer" })).toBeDisabled();
  await dialog.getByLabel("Payment address of the borrower").fill("bcrt1qnobodyhassignedinwiththis");
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "No user has signed in with this payment address");
  await dialog.getByLabel("Payment address of the borrower").fill(borrower.keys.payment.address);
  await expect(dialog.getByTestId("rank")).toContainText("–");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  const created = page.getByRole("dialog", { name: "Offer created" });
  await expect(created).toContainText(`only for ${borrower.keys.payment.address}`);
  const offerId = await onlyOffer(page);

  // The notice leads to the offer, whichever term the book would show first.
  await borrowerPage.getByRole("button", { name: /^Notices/ }).click();
  await borrowerPage.getByRole("link", { name: /A lender made an offer to you/ }).click();
  await expect(linkedText(borrowerPage)).toContainText("The linked offer is marked below.");
  await expect(line(borrowerPage, offerId)).toContainText("Only for you");
  await expectAccessible(borrowerPage);
  await line(borrowerPage, offerId).getByRole("button", { name: "Borrow" }).click();
  const borrowing = borrowerPage.getByRole("dialog").last();
  await expect(borrowing).toContainText("Only for you");
  await expect(borrowing.getByRole("button", { name: `Borrow ${SMALL_BTC} BTC` })).toBeVisible();
  await expect(publicPage.getByRole("dialog").getByRole("table", { name: "Active offers" })).toBeVisible();
  await expect(line(publicPage, offerId)).toHaveCount(0);

  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^Cancel offer/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel offer", exact: true }).click();
  await expect(line(borrowerPage, offerId)).toHaveCount(0);
  await Promise.all(contexts.map((each) => each.close()));
});

test("an offer for one borrower is the best of the market for that borrower alone", async ({
  page,
  browser,
}) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const lender = await Party.join();
  const { collectionName, floor } = await lender.call<Row>("GET", `/api/v1/collections/${SLUG}`);
  // More than any public offer lends.
  const principalSats = Math.floor(((floor ?? 0) * 97) / 100_000) * 1_000;
  const offerIds = await offerManually(lender, await manualSlug(lender, SLUG), principalSats, 1, {
    borrower_address: borrower.keys.payment.address,
    unlisted: false,
    repaid_min: 0,
    default_free_days: 0,
    inscriptions: [],
    numbers: [],
  });
  const principalBtc = (principalSats / 100_000_000).toFixed(5);
  const list = `/borrow/ordinals?process=manual&q=${encodeURIComponent(collectionName)}`;
  const publicPage = await browser.newPage();
  for (const each of [page, publicPage]) {
    await openMarket(each, list);
    await expect(collections(each)).toHaveCount(1);
    await expect(collections(each)).not.toContainText("For you");
  }

  await signInAs(page, "Borrower 1");
  await expect(collections(page)).toContainText("For you");
  await expect(collections(page)).toContainText(principalBtc);
  await expectAccessible(page);
  await expectLive(publicPage);
  await expect(collections(publicPage)).not.toContainText(principalBtc);

  // The head of the book counts it too, whichever term the book would show first.
  await page.goto(`/borrow/ordinals?collection=${SLUG}&offer=${offerIds[0]}`);
  const best = page.getByRole("dialog").locator("dl > div").filter({ hasText: "Best, floor" });
  await expect(best).toContainText("For you");
  await expect(best).toContainText(principalBtc);

  await openMarket(page, list);
  await expect(collections(page)).toContainText("For you");
  await cancelOffers(lender, offerIds);
  await expect(collections(page)).not.toContainText("For you");
  await publicPage.close();
});

test("an unlisted offer is found by its link, once the wallet is connected", async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openAs(page, "/lend/ordinals", "Lender 1");
  await fundWallet(page);
  await page.goto(`/lend/ordinals?process=manual&collection=${SLUG}`);
  await page.getByRole("dialog").getByLabel("Principal", { exact: true }).fill(SMALL_BTC);
  await page.getByRole("dialog").getByRole("radio", { name: "By link" }).click();
  await page.getByRole("button", { name: "Create Offer" }).click();
  await expect(page.getByRole("dialog", { name: "Offer created" })).toContainText("only by its link");
  const offerId = await onlyOffer(page);
  await page
    .locator("[data-offer]")
    .getByRole("button", { name: /^View offer/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Copy link" }).click();
  await expectToast(page, "Copied to clipboard");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(new RegExp(`offer=${offerId}#key=[0-9a-f]{32}$`));

  const otherPage = await browser.newPage();
  await createSeed(otherPage);
  await otherPage.goto(link);
  await expect(linkedText(otherPage)).toContainText("Connect your wallet to see the linked offer.");
  await openAs(otherPage, "/borrow/ordinals", "Borrower 1");
  await otherPage.goto(link);
  await expect(linkedText(otherPage)).toContainText("The linked offer is marked below.");
  await expect(line(otherPage, offerId)).toContainText(SMALL_BTC);
  await otherPage.goto(link.replace(/#.*/, `#key=${"0".repeat(32)}`));
  await otherPage.reload();
  await expect(linkedText(otherPage)).toContainText("The linked offer is no longer in the order book.");
  await otherPage.close();

  await page.getByRole("dialog").getByRole("button", { name: "Cancel offer" }).click();
  await page.getByRole("dialog").last().getByRole("button", { name: "Cancel offer", exact: true }).click();
  await expect(page.getByText("No offers.", { exact: true })).toBeVisible();
});

test("of a borrower's inscriptions only those that the offer takes can be chosen", async ({ page }) => {
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const taken = await borrower.fund(SLUG);
  await borrower.fund(SLUG);
  const lender = await Party.join();
  const slug = await manualSlug(lender, SLUG);
  const [offerId = ""] = await offerManually(lender, slug, 36_000, 1, {
    borrower_address: null,
    unlisted: false,
    repaid_min: 0,
    default_free_days: 0,
    inscriptions: [taken ?? ""],
    numbers: [],
  });
  await openAs(page, "/borrow/ordinals", "Borrower 1");
  await page.goto(`/borrow/ordinals?collection=${SLUG}&offer=${offerId}`);
  await expect(linkedText(page)).toContainText("Borrowers who meet its conditions can take it.");
  await expect(line(page, offerId)).toContainText("Conditions");
  await line(page, offerId).getByRole("button", { name: "Borrow" }).click();
  const borrowing = page.getByRole("dialog").last();
  const choices = inscriptionChoices(borrowing);
  await expect(choices).toHaveCount(2);
  await expect(borrowing.getByText("not taken by this offer")).toHaveCount(1);
  // The only one that it takes is chosen already.
  await expect(choices.and(page.locator(":checked:enabled"))).toHaveCount(1);
  await expectAccessible(page);
});

test("an offer is for inscriptions of a list and for a range of numbers", async ({ page, browser }) => {
  const context = await browser.newContext();
  const borrowerPage = await context.newPage();
  const borrower = await Party.join(await createSeed(borrowerPage), BORROWER_1);
  const ids = [await borrower.fund(SLUG), await borrower.fund(SLUG), await borrower.fund(SLUG)];
  await borrower.mine();
  const { inscriptions } = await borrower.call<Wire["OwnCollateral"]>("GET", "/api/v1/me/collateral");
  const numberOf = (id?: string | null) =>
    inscriptions.find(({ inscription_id }) => inscription_id === id)?.inscription_number ?? -1;

  await signInFunded(page, "Lender 2");
  await page.goto(`/lend/ordinals?process=manual&collection=${SLUG}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Principal", { exact: true }).fill(SMALL_BTC);
  await dialog.getByRole("radio", { name: "Conditions" }).click();
  const list = dialog.getByLabel(/^Only these inscriptions/);
  const read = async (name: string, text: string) => {
    const chooser = page.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "Read from a file" }).click();
    await (await chooser).setFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  };
  await read("empty.csv", "id,name\n");
  await expect(dialog).toContainText("empty.csv names no inscription");
  await read("moons.csv", `id,name\n${ids[0]},"First"\n`);
  await expect(list).toHaveValue(ids[0] ?? "");
  await list.press("End");
  await list.pressSequentially(` ${numberOf(ids[2])}-${numberOf(ids[2])}`);
  await expect(dialog).toContainText("1 inscription and 1 range of numbers");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  await expect(page.getByRole("dialog", { name: "Offer created" })).toContainText("1 chosen inscription");
  const offerId = await onlyOffer(page);

  await openAs(borrowerPage, "/borrow/ordinals", "Borrower 1");
  await borrowerPage.goto(`/borrow/ordinals?collection=${SLUG}&offer=${offerId}`);
  await line(borrowerPage, offerId).getByRole("button", { name: "Borrow" }).click();
  const borrowing = borrowerPage.getByRole("dialog").last();
  await expect(inscriptionChoices(borrowing)).toHaveCount(3);
  await expect(borrowing.getByText("not taken by this offer")).toHaveCount(1);
  await borrowing.getByLabel(new RegExp(`#${numberOf(ids[2])}\\b`)).click();
  await expect(borrowing.getByRole("button", { name: `Borrow ${SMALL_BTC} BTC` })).toBeEnabled();
  await context.close();
});
