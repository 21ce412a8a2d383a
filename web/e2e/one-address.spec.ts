import { expect } from "@playwright/test";
import { devnetURL } from "../playwright.config";
import { approveTransaction, callApi, inscriptionChoices, openOffer } from "./borrow-steps";
import {
  agreeToPledge,
  BUNDLE_RAW,
  collateralPanel,
  FUNDING_SATS,
  inscribe,
  openInscribeDialog,
  PRINCIPAL_SATS,
  SUB_COLLECTION,
  TOKEN,
} from "./brc20-steps";
import { openAs } from "./browser-session";
import { openInstantDialog } from "./instant-steps";
import { expectToast } from "./lend-steps";
import { acceptOffer, counterSign, mineUntil, offerManually, signInWallet } from "./loan-steps";
import { test } from "./market-test";
import { Party } from "./party";
import { createVault, openVaultDialog, openWithVault, sign } from "./vault-steps";

test.setTimeout(300_000);

/** Seldom traded, so that own offers stay. */
const QUIET = { slug: "meridian-maps", category: "ordinals" } as const;

test("a wallet with one taproot address for everything lends, borrows and opens a vault", {
  tag: "@regtest",
}, async ({ page }) => {
  const other = await Party.join();
  await openAs(page, "/lend/ordinals", "One address");
  const fund = (body: object) =>
    callApi<{ inscriptionId: string }>(page, "POST", `${devnetURL}/faucet`, body);
  await fund({ amount: "100000000" });
  const { inscriptionId } = await fund({ collection_group_slug: QUIET.slug });
  await other.fund();
  const otherInscription = (await other.fund(QUIET.slug)) ?? "";
  await other.mine();

  await page.goto(`/lend/ordinals?process=manual&collection=${QUIET.slug}`);
  const lending = page.getByRole("dialog");
  await lending.getByLabel("Principal", { exact: true }).fill("0.0006");
  await lending.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "Offer created");
  const { data } = await callApi<{ data: Array<{ offerId: string }> }>(page, "GET", "/api/v1/offers");
  const lent = await acceptOffer(other, data[0]?.offerId ?? "", otherInscription);
  await page.goto("/portfolio/pending");
  await page
    .getByRole("button", { name: /^Counter-sign/ })
    .first()
    .click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Lend \d/ })
    .click();
  await signInWallet(page, 3);
  await expect(page.getByRole("heading", { name: "Loan started" })).toBeVisible();
  await mineUntil(other, lent, "ACTIVE");

  const [offerId = ""] = await offerManually(other, "meridian-maps-14d", 60_000);
  const borrowing = await openOffer(page, offerId, QUIET);
  await inscriptionChoices(borrowing).first().check();
  await borrowing.getByRole("button", { name: "Borrow 0.00060 BTC" }).click();
  await expect(borrowing.getByRole("region", { name: "What you sign" })).toContainText("Meridian Maps");
  await borrowing.getByRole("button", { name: /^Sign and borrow/ }).click();
  await approveTransaction(page);
  await expectToast(page, "Offer accepted");
  const borrowed = (await other.loans()).find((loan) => loan.inscriptionId === inscriptionId)?.loanId ?? "";
  await counterSign(other, borrowed);
  await mineUntil(other, borrowed, "ACTIVE");

  await page.goto("/portfolio?tab=offers");
  await createVault(page, await openVaultDialog(page));
});

test("a wallet with one taproot address fills a vault, lends at once and borrows against BRC-20", {
  tag: "@regtest",
}, async ({ page }) => {
  const lender = await Party.join();
  await openWithVault(page, "/lend/ordinals", "One address");
  const lending = await openInstantDialog(page, "ordinals", "quiet-moons");
  await lending.getByLabel("Principal", { exact: true }).fill("0.0004");
  await lending.getByRole("button", { name: "Create Offer" }).click();
  await sign(page);
  await expectToast(page, "1 offer(s) created successfully!");

  await lender.fund(FUNDING_SATS);
  const [offerId = ""] = await offerManually(lender, SUB_COLLECTION, PRINCIPAL_SATS);
  const fund = (body: object) => callApi(page, "POST", `${devnetURL}/faucet`, body);
  await fund({ collection_group_slug: TOKEN.slug, amount: BUNDLE_RAW });
  await fund({ amount: "100000000" });
  await lender.mine();
  const before = await openOffer(page, offerId, TOKEN);
  await inscribe(page, await openInscribeDialog(page, collateralPanel(before)));
  await lender.mine();
  await agreeToPledge(await openOffer(page, offerId, TOKEN));
  await signInWallet(page, 2);
  await expectToast(page, "Offer accepted");
  const [loan] = await lender.loans();
  await counterSign(lender, loan?.loanId ?? "");
  await mineUntil(lender, loan?.loanId ?? "", "ACTIVE");
});
