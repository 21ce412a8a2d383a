import { expect } from "@playwright/test";
import { expectToast } from "./lend-steps";
import { test as base } from "./market-test";
import { OwnMarket } from "./own-market";
import { mineUntilShown, openVaultDialog, openWithVault, sign } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

/** A market whose vaults one signer holds. */
const test = base.extend<object, { market: OwnMarket }>({
  market: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from its pattern.
    async ({}, use) => {
      const market = await OwnMarket.open(["signers_in_process=1", "signers_required=1"]);
      await use(market);
      await market.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ market }, use) => use(market.url),
});

test("a lender moves a vault to two of three signers by one signature", { tag: "@desktop" }, async ({
  page,
  market,
}) => {
  test.setTimeout(240_000);
  await openWithVault(page, "/lend/ordinals", "Lender 1");
  await market.restartWith(["signers_in_process=3", "signers_required=2"]);
  await page.reload();
  const dialog = await openVaultDialog(page);
  const move = dialog.getByRole("region", { name: "Move your vault" });
  await expect(move).toContainText("Your vault is still held by an earlier single signer.");
  await expect(move).toContainText("any 2 of 3 signers");
  await dialog.getByRole("radio", { name: "Fund" }).click();
  const before = (await dialog.getByTestId("vault-address").textContent()) ?? "";

  // A server that puts a key of its own among those of the signers has nothing signed.
  await page.route("**/api/v1/vaults/me/moves/prepare", async (route) => {
    const response = await route.fetch();
    const prepared = await response.json();
    prepared.to.signers[0].key = prepared.to.lenderKey;
    await route.fulfill({ response, json: prepared });
  });
  await move.getByRole("button", { name: "Review the move" }).click();
  await expect(move.getByRole("alert")).toContainText("Your wallet was not asked: a key is of no signer");
  await page.unroute("**/api/v1/vaults/me/moves/prepare");

  await move.getByRole("button", { name: "Review the move" }).click();
  await expect(move).toContainText("held by 2 of 3 signers");
  await expect(move).toContainText(`from ${before.slice(0, 6)}…${before.slice(-6)}`);
  await expect(move).toContainText("Your instant offers leave the book");
  await move.getByRole("button", { name: "Move the vault" }).click();
  const signing = walletWindow(page, "Sign message");
  for (const line of ["Lienbook: move vault", "From vault: ", "To: bcrt1p", "Max fee sats: ", "Vault: "]) {
    await expect(signing).toContainText(line);
  }
  await sign(page);
  await expectToast(page, "Your vault is moving");
  await expect(move).toHaveCount(0);
  await mineUntilShown(page, () =>
    expect(dialog.getByTestId("vault-usable")).not.toContainText("0.000000", { timeout: 6_000 }),
  );
  await expect(dialog.getByTestId("vault-address")).not.toHaveText(before);
  await expect(dialog).toContainText("Any 2 of 3 signers sign each payment");
  const earlier = dialog.getByRole("region", { name: "Earlier addresses" });
  await expect(earlier).toContainText(before);
  await expect(earlier).toContainText("Nothing is there");
  const download = page.waitForEvent("download");
  await earlier.getByRole("button", { name: "Kit" }).click();
  expect((await download).suggestedFilename()).toBe(`lienbook-vault-kit-${before}.json`);
  await dialog.getByRole("radio", { name: "History" }).click();
  await expect(dialog.getByText("Moved to other signers, fee")).toBeVisible();
});
