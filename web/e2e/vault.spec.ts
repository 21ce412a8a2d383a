import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { openAs } from "./browser-session";
import { expectToast } from "./lend-steps";
import { test } from "./market-test";
import { startOutage } from "./outages";
import {
  ATTESTED,
  attestOtherKeys,
  createVault,
  deposit,
  getCoins,
  mineUntilShown,
  openVaultDialog,
  refuseAttestation,
  sign,
} from "./vault-steps";
import { walletWindow } from "./wallet-steps";

test.beforeEach(async ({ page }) => {
  await openAs(page, "/lend/ordinals", "Lender 1");
});

test("a lender opens a vault with one signature and gets its address, its kit and its rules", async ({
  page,
}) => {
  const dialog = await openVaultDialog(page);
  await dialog.getByRole("button", { name: "Create vault" }).click();
  const signing = walletWindow(page, "Sign message");
  for (const line of ["Lienbook: open vault", "Payment address: bcrt1q", "Vault: ", "Network: regtest"]) {
    await expect(signing).toContainText(line);
  }
  await expect(dialog).toHaveAttribute("aria-busy", "true");
  await sign(page);
  await expect(dialog.getByTestId("vault-address")).toHaveText(/^bcrt1p/);
  await expectToast(page, "Your vault is open");
  await expect(dialog.getByRole("img", { name: "The vault's address as a QR code" })).toBeVisible();
  await expect(dialog.getByTestId("vault-usable")).toContainText("0.000000");
  await expect(dialog.getByRole("status")).toContainText(
    "Address checked in this browser. It follows from your own key and the keys of the 3 signers",
  );

  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Vault kit" }).click();
  expect((await download).suggestedFilename()).toBe("lienbook-vault-kit.json");
  await dialog.getByText("What may be signed from your vault").click();
  await expect(dialog.getByText("names the hash of these rules")).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);

  await dialog.getByRole("radio", { name: "History" }).click();
  await expect(dialog.getByText("Nothing yet")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await page.reload();
  await expect((await openVaultDialog(page)).getByTestId("vault-address")).toBeVisible();
});

test("a user who cancels in the wallet has no vault, and is informed", async ({ page }) => {
  const dialog = await openVaultDialog(page);
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await walletWindow(page, "Sign message").getByRole("button", { name: "Cancel" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Signature request was cancelled");
  await expect(dialog.getByRole("alert")).toContainText("No vault was opened");
  await createVault(page, dialog);
});

test("without a signer, and without a nonce, no vault is opened", { tag: "@desktop" }, async ({ page }) => {
  await page.route("**/api/v1/account/nonce", (route) => route.abort());
  const dialog = await openVaultDialog(page);
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "Get nonce request failure: The server could not be reached",
  );

  await startOutage(page, "signer");
  await page.reload();
  await openVaultDialog(page);
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Vault canister hash not configured");
});

test("an address that does not follow from the lender's and the signers' keys is never shown for a payment", {
  tag: "@desktop",
}, async ({ page }) => {
  await attestOtherKeys(page);
  const dialog = await openVaultDialog(page);
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await sign(page);
  await expect(dialog.getByRole("alert")).toContainText(
    "Do not pay to the address that this server shows. It was derived again in this browser, and it is not yours: a key is of no signer",
  );
  await expectToast(page, "Its address is not checked: do not pay to it yet.");
  await expect(dialog.getByTestId("vault-address")).toHaveCount(0);
  await expect(dialog.getByText("signers sign each payment")).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: "Review deposit" })).toHaveCount(0);

  // One that does not answer leaves it open, and nothing is signed.
  await page.unroute(ATTESTED);
  await refuseAttestation(page);
  await page.reload();
  await openVaultDialog(page);
  await expect(dialog.getByRole("alert")).toContainText("could not be checked in this browser yet");
  await expect(dialog.getByText("The address is shown once it is checked.")).toBeVisible();
  await expect(dialog.getByTestId("vault-address")).toHaveCount(0);
  await dialog.getByLabel("Deposit from your wallet").fill("0.01");
  await dialog.getByRole("button", { name: "Review deposit" }).click();
  await expect(dialog.getByText("Nothing has left your wallet.")).toBeVisible();

  await page.unroute(ATTESTED);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(dialog.getByRole("status")).toContainText("Address checked in this browser");
  await expect(dialog.getByTestId("vault-address")).toBeVisible();
  // What was checked once stays so: the keys of an address never change.
  await refuseAttestation(page);
  await page.reload();
  await openVaultDialog(page);
  await expect(dialog.getByRole("status")).toContainText("Address checked in this browser");
});

test("money is deposited from the wallet and withdrawn again, and every step is in the history", async ({
  page,
}) => {
  test.slow();
  await getCoins(page);
  const dialog = await openVaultDialog(page);
  await createVault(page, dialog);

  await dialog.getByLabel("Deposit from your wallet").fill("0.04");
  await dialog.getByRole("button", { name: "Review deposit" }).click();
  await expect(dialog.getByRole("region", { name: "What you sign" })).toContainText("Arrives in your vault");
  await dialog.getByRole("button", { name: "Deposit 0.04 BTC" }).click();
  // The dialog stays open while the wallet asks.
  await expect(dialog.getByRole("button", { name: "Close" })).toBeDisabled();
  await walletWindow(page, "Sign transaction").getByRole("button", { name: "Cancel" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "Wallet cancelled request. Nothing has left your wallet.",
  );
  await dialog.getByRole("button", { name: "Back" }).click();
  await deposit(page, dialog, "0.04");
  await expect(dialog.getByTestId("vault-usable")).toContainText("0.040000");
  await expect(dialog.getByRole("list", { name: "Deposits" })).toContainText("Counted");
  await expect(dialog.getByText("Your deposit has arrived.")).toBeVisible();

  await dialog.getByRole("radio", { name: "Withdraw" }).click();
  const amount = dialog.getByLabel("Withdraw to your wallet");
  await amount.fill("0.05");
  await expect(dialog.getByRole("alert")).toHaveText("Insufficient vault balance");
  await expect(dialog.getByRole("button", { name: "Review withdrawal" })).toBeDisabled();
  await amount.fill("0.01");
  await dialog.getByRole("button", { name: "Review withdrawal" }).click();
  await dialog.getByRole("button", { name: "Withdraw 0.01 BTC" }).click();
  await expect(walletWindow(page, "Sign message")).toContainText("Withdraw sats: 1000000");
  await sign(page);
  await expect(dialog.getByText(/^Your withdrawal is (on its way|confirmed)/)).toBeVisible();
  await mineUntilShown(page, () =>
    expect(dialog.getByTestId("vault-usable")).toContainText("0.030000", { timeout: 6_000 }),
  );
  await dialog.getByRole("radio", { name: "History" }).click();
  await expect(dialog.getByText("Withdrawal", { exact: true })).toBeVisible();
  await expect(dialog.getByText("Deposit").first()).toBeVisible();
  const rows = await dialog.locator("[data-kind]").allInnerTexts();
  const signed = rows.flatMap((row) => row.match(/[+−]\d+\.\d{8}/) ?? []);
  const sats = signed.map((text) => Number(text.replace("−", "-").replace(".", "")));
  expect(sats.reduce((sum, each) => sum + each, 0)).toBe(3_000_000);
});

test("a deposit that the wallet cannot pay is refused before anything is signed", {
  tag: "@desktop",
}, async ({ page }) => {
  const dialog = await openVaultDialog(page);
  await createVault(page, dialog);
  await dialog.getByLabel("Deposit from your wallet").fill("0.04");
  await dialog.getByRole("button", { name: "Review deposit" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Nothing has left your wallet.");
  await expect(walletWindow(page, "Sign transaction")).toHaveCount(0);
});
