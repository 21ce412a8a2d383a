import { expect, type Locator, type Page } from "@playwright/test";
import { devnetURL } from "../playwright.config";
import { approveTransaction, callApi, inscriptionChoices, openOffer, openSummary } from "./borrow-steps";
import { createSeed, openAs } from "./browser-session";
import { openInstantDialog } from "./instant-steps";
import { expectToast, expectToastsGone, signInFunded } from "./lend-steps";
import { manualTerm } from "./loan-steps";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { test as marketTest } from "./own-market";
import { BORROWER_1, Party } from "./party";
import { boundsOf, fillPeg, offerPegged } from "./peg-steps";
import { openWithVault, sign } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

// Chain, wallet and several users are slow.
test.setTimeout(180_000);
marketTest.setTimeout(300_000);

/** Its floor is far above the small offers of these tests, and no other user takes them. */
const SLUG = "quiet-moons";
const SMALL = { share: 5, least: 30_000, most: 60_000 };

const LISTING = `
slug = "harbour-beacons"
name = "Harbour Beacons"
symbol = "BEAC"
[collateral]
type = "inscription"
[[sub_collections]]
slug = "harbour-beacons-7d"
term_days = 7
interest_basis_points = 120
manual = true
instant = true
`;

async function openManualDialog(page: Page, slug: string): Promise<Locator> {
  await page.goto(`/lend/ordinals?process=manual&collection=${slug}&view=lend`);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Principal", { exact: true })).toBeVisible({ timeout: 30_000 });
  return dialog;
}

test("an offer follows the floor within its bounds, and is fixed and pegged again by edits", async ({
  page,
}) => {
  await signInFunded(page, "Lender 1");
  const dialog = await openManualDialog(page, SLUG);
  const create = dialog.getByRole("button", { name: "Create Offer" });
  await fillPeg(dialog, SMALL);
  await expect(dialog.getByLabel("Principal", { exact: true })).toHaveCount(0);
  await expect(dialog.getByTestId("principal-now")).toHaveText(/^0\.000\d\d BTC$/);
  const preview = dialog.getByRole("region", { name: "Principal and floor" });
  await expect(preview).toContainText(/Pauses below a floor of 0\.00600 BTC/);
  await expect(preview.getByRole("img", { name: /^Principal against the floor/ })).toBeVisible();
  await expectAccessible(page);

  await dialog.getByLabel("At least").fill("0.00001");
  await expect(dialog.getByText("Below min offer of ₿0.0003")).toBeVisible();
  await expect(create).toBeDisabled();
  await dialog.getByLabel("At least").fill("0.0007");
  await expect(dialog.getByText("Above the largest principal of ₿0.0006")).toBeVisible();
  await dialog.getByLabel("At least").fill("0.0003");
  await dialog.getByLabel("Share of the floor").fill("1");
  await expect(dialog.getByText(/₿0\.0003 is at [\d.]+% LTV now, above 1%/)).toBeVisible();
  await dialog.getByLabel("Share of the floor").fill("99");
  await expect(dialog.getByText("Offer cannot be above 98% LTV")).toBeVisible();
  await dialog.getByLabel("Share of the floor").fill("5");
  await create.click();
  await expectToast(page, "Offer created");

  await page.goto("/portfolio?tab=offers");
  const offer = page.locator("[data-offer]");
  await expect(offer).toHaveCount(1);
  await expect(offer).toContainText("5% of the floor");
  await page.getByRole("button", { name: /^View offer/ }).click();
  const view = page.getByRole("dialog");
  const peg = view.getByRole("region", { name: "Follows the floor" });
  await expect(peg).toContainText("0.0003 – 0.0006 BTC in steps of 0.00001");
  await expect(peg).toContainText("Pauses below a floor of 0.00600 BTC");
  await expectToastsGone(page);
  await expectAccessible(page);

  await view.getByRole("button", { name: "Edit offer" }).click();
  const edit = page.getByRole("dialog");
  await expect(edit.getByLabel("Share of the floor")).toHaveValue("5");
  await expect(edit.getByLabel("At most")).toHaveValue("0.0006");
  await expect(edit.getByRole("button", { name: "Edit Offer" })).toBeDisabled();
  await edit.getByRole("radio", { name: "Fixed principal" }).click();
  await edit.getByLabel("Principal", { exact: true }).fill("0.0004");
  await edit.getByRole("button", { name: "Edit Offer" }).click();
  await expectToast(page, "Offer edited");
  await expect(offer).toContainText("0.00040");
  await expect(offer).not.toContainText("of the floor");

  await page.getByRole("button", { name: /^Edit offer/ }).click();
  await fillPeg(edit, { ...SMALL, share: 6 });
  await edit.getByRole("button", { name: "Edit Offer" }).click();
  await expect(offer).toContainText("6% of the floor");

  await page.getByRole("button", { name: /^Cancel offer/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel offer" }).click();
  await expectToast(page, "Offer deleted");
});

test("an instant offer follows the floor within the bounds that its lender signs", async ({ page }) => {
  await openWithVault(page, "/lend/ordinals", "Lender 2");
  const dialog = await openInstantDialog(page, "ordinals", SLUG);
  await fillPeg(dialog, SMALL);
  await expect(dialog.getByLabel("Auto-pause above max LTV")).toHaveCount(0);
  await expect(dialog.getByTestId("principal-now")).toHaveText(/^0\.000\d\d BTC$/);
  await dialog.getByRole("button", { name: "Create Offer" }).click();
  const message = walletWindow(page, "Sign message");
  await expect(message).toContainText("Principal sats: 60000");
  await expect(message).toContainText("Min principal sats: 30000");
  await expect(message).toContainText("Max LTV x100: 500");
  await sign(page);
  await expectToast(page, "1 offer(s) created successfully!");

  await page.goto("/portfolio?tab=offers");
  const offer = page.locator("[data-offer]");
  await expect(offer).toHaveCount(1);
  await expect(offer).toContainText("5% of the floor");
  await page.getByRole("button", { name: /^Edit offer/ }).click();
  const edit = page.getByRole("dialog");
  await expect(edit.getByLabel("At least")).toHaveValue("0.0003");
  await edit.getByLabel("At most").fill("0.0007");
  await edit.getByRole("button", { name: "Update Offer" }).click();
  await sign(page);
  await expectToast(page, "Offer edited");
  await page.getByRole("button", { name: /^View offer/ }).click();
  const peg = page.getByRole("dialog").getByRole("region", { name: "Follows the floor" });
  await expect(peg).toContainText("0.0003 – 0.0007 BTC");
});

test("a refused loan of an offer that followed the floor is reviewed anew", { tag: "@desktop" }, async ({
  page,
}) => {
  const lender = await Party.join();
  const borrower = await Party.join(await createSeed(page), BORROWER_1);
  const { groupSlug, slug, floor } = await manualTerm(lender);
  await lender.fund();
  await borrower.fund();
  await borrower.fund(groupSlug);
  await borrower.mine();
  const offerId = await offerPegged(lender, slug, boundsOf(floor));
  await openAs(page, "/borrow/ordinals", "Borrower 1");
  await page.goto(`/borrow/ordinals?collection=${groupSlug}&view=book&offer=${offerId}`);
  await expect(page.locator(`tr[data-line="${offerId}"]`)).toContainText("Follows the floor");
  const dialog = await openOffer(page, offerId, { slug: groupSlug, category: "ordinals" });
  await expect(dialog).toContainText("The principal follows the floor until you sign. Then it is fixed.");
  await inscriptionChoices(dialog).first().check();
  await openSummary(dialog, /^Borrow 0/);

  // The principal moves between the signature and the request.
  await page.route("**/api/v1/loans/manual/accept", (route) =>
    route.fulfill({
      status: 409,
      contentType: "application/problem+json",
      json: {
        type: "/errors/offer_used",
        code: "offer_used",
        title: "Offer has already been used, refreshing offers...",
        status: 409,
        detail: "the offer changed meanwhile, prepare the loan again",
        requestId: "r",
      },
    }),
  );
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  await approveTransaction(page);
  await expectToast(page, "The principal has changed");
  await page.unroute("**/api/v1/loans/manual/accept");
  await expect(dialog.getByText("This offer cannot be taken now")).toHaveCount(0);
  await openSummary(dialog, /^Borrow 0/);
  await dialog.getByRole("button", { name: /^Sign and borrow/ }).click();
  await approveTransaction(page);
  await expectToast(page, "Offer accepted");
});

marketTest(
  "a fixed offer is outbid while the floor rises, and leads again when it falls",
  {
    tag: "@desktop",
  },
  async ({ page, browser, market }) => {
    const setFloor = (sats: number) => market.operate(["price", "set", "harbour-beacons", String(sats)]);
    market.operate(["collection", "add"], LISTING);
    setFloor(1_000_000);
    await signInFunded(page, "Lender 1");
    const dialog = await openManualDialog(page, "harbour-beacons");
    await fillPeg(dialog, { share: 60, least: 300_000, most: 900_000 });
    await expect(dialog.getByTestId("principal-now")).toHaveText("0.00600 BTC");
    await expect(dialog).toContainText("Rises to 0.00606 BTC at a floor of 0.01010 BTC");
    await expect(dialog).toContainText("Falls to 0.00594 BTC below a floor of 0.01000 BTC");
    await dialog.getByRole("button", { name: "Create Offer" }).click();
    await expectToast(page, "Offer created");
    await page.goto("/portfolio?tab=offers");
    const pegged = page.locator("[data-offer]");
    await expect(pegged).toContainText("#1 of 1");

    const other = await browser.newContext({ baseURL: market.url });
    const otherPage = await other.newPage();
    await signInFunded(otherPage, "Lender 2");
    const bid = await openManualDialog(otherPage, "harbour-beacons");
    await bid.getByLabel("Principal", { exact: true }).fill("0.0061");
    await bid.getByRole("button", { name: "Create Offer" }).click();
    await expectToast(otherPage, "Offer created");
    await otherPage.goto("/portfolio?tab=offers");
    const fixed = otherPage.locator("[data-offer]");
    await expect(fixed).toContainText("#1 of 2, in the lead");
    await expect(pegged).toContainText("#2 of 2, 0.00011 to lead");

    setFloor(1_050_000);
    await expect(pegged).toContainText("#1 of 2, in the lead");
    await expect(pegged).toContainText("0.00630");
    await expect(fixed).toContainText("#2 of 2, 0.00021 to lead");

    setFloor(1_000_000);
    await expect(fixed).toContainText("#1 of 2, in the lead");
    await expect(pegged).toContainText("0.00600");

    await page.getByRole("button", { name: /^View offer/ }).click();
    const view = page.getByRole("dialog");
    await expect(view).toContainText("Rises to 0.00606 BTC at a floor of 0.01010 BTC");
    setFloor(400_000);
    await expect(view).toContainText("Paused: Floor below 0.00500 BTC");
    await expect(view).toContainText("Paused until the floor is 0.00500 BTC");
    await expectToastsGone(page);
    await expectAccessible(page);
    setFloor(2_000_000);
    await expect(view).not.toContainText("Paused");
    await expect(view).toContainText("#1 of 2, in the lead");
    await expect(view).toContainText("Principal now0.00900 BTC");
    await other.close();
  },
);

marketTest(
  "a borrower sees in the review that the principal has moved, and reviews it again",
  {
    tag: "@desktop",
  },
  async ({ page, browser, market }) => {
    type Row = { floor: number };
    await signInFunded(page, "Borrower 1");
    const { floor } = await callApi<Row>(page, "GET", `/api/v1/collections/${SLUG}`);
    await callApi(page, "POST", `${devnetURL}/faucet`, { collection_group_slug: SLUG });
    await callApi(page, "POST", `${devnetURL}/mine`);

    const other = await browser.newContext({ baseURL: market.url });
    const lenderPage = await other.newPage();
    await signInFunded(lenderPage, "Lender 3");
    const lending = await openManualDialog(lenderPage, SLUG);
    await fillPeg(lending, boundsOf(floor, 70));
    await lending.getByRole("button", { name: "Create Offer" }).click();
    await expectToast(lenderPage, "Offer created");
    type Offers = { data: Array<{ offerId: string }> };
    const [offer] = (await callApi<Offers>(lenderPage, "GET", "/api/v1/offers")).data;

    const dialog = await openOffer(page, offer?.offerId ?? "", { slug: SLUG, category: "ordinals" });
    await inscriptionChoices(dialog).first().check();
    await openSummary(dialog, /^Borrow 0/);
    const again = dialog.getByRole("button", { name: /^Review 0\.\d{5} BTC/ });
    // The demo's own price comes back in some seconds.
    await expect(async () => {
      market.operate(["price", "set", SLUG, String(Math.round(floor * 1.15))]);
      await expect(dialog.getByRole("alert")).toContainText("The price has moved", { timeout: 3_000 });
      await again.click({ timeout: 1_000 });
    }).toPass({ timeout: 60_000 });
    await expect(async () => {
      if (await again.isVisible()) await again.click();
      const borrow = dialog.getByRole("button", { name: /^Borrow 0/ });
      if (await borrow.isVisible()) await borrow.click();
      await dialog.getByRole("button", { name: /^Sign and borrow 0/ }).click({ timeout: 5_000 });
      await approveTransaction(page);
      await expect(dialog.getByText("must counter-sign")).toBeVisible({ timeout: 5_000 });
    }).toPass({ timeout: 90_000 });
    await other.close();
  },
);
