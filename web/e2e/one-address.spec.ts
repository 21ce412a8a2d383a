import { expect, test } from "@playwright/test";
import { approveTransaction, callApi, inscriptionChoices, openOffer } from "./borrow-steps";
import { expectToast } from "./lend-steps";
import { acceptOffer, counterSign, mineUntil, offerManually, signInWallet } from "./loan-steps";
import { Party } from "./party";
import { createVault, openVaultDialog } from "./vault-steps";
import { signInAs } from "./wallet-steps";

test.setTimeout(300_000);

/** Seldom traded, so that own offers stay. */
const QUIET = { slug: "meridian-maps", category: "ordinals", place: /^14 days/ } as const;

test("a wallet with one taproot address for everything lends, borrows and opens a vault", async ({
  page,
}) => {
  const other = await Party.join();
  await page.goto("/lend/ordinals");
  await signInAs(page, "One address");
  const gift = (wish: object) =>
    callApi<{ inscriptionId: string }>(page, "POST", "/api/v1/devnet/faucet", wish);
  await gift({ amount: "100000000" });
  const { inscriptionId } = await gift({ collection_group_slug: QUIET.slug });
  await other.ask();
  const theirs = (await other.ask(QUIET.slug)) ?? "";
  await other.mine();

  await page.goto(`/lend/ordinals?process=manual&collection=${QUIET.slug}`);
  const lending = page.getByRole("dialog");
  await lending.getByLabel("Principal").fill("0.0006");
  await lending.getByRole("button", { name: "Create Offer" }).click();
  await expectToast(page, "Offer created");
  const { data } = await callApi<{ data: Array<{ offerId: string }> }>(page, "GET", "/api/v1/offers");
  const lent = await acceptOffer(other, data[0]?.offerId ?? "", theirs);
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

  await page.goto("/portfolio");
  await createVault(page, await openVaultDialog(page));
});
