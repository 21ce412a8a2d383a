import { expect } from "@playwright/test";
import { openAs } from "./browser-session";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";
import { openWithVault } from "./vault-steps";
import { walletWindow } from "./wallet-steps";

const DELEGATION_ID = "0123456789abcdef0123456789abcdef";
/** The x-only public key whose secret key is 1. */
const PROGRAM_KEY = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";

test("a lender permits a program within limits that the wallet shows, and revokes it", async ({ page }) => {
  await openWithVault(page, "/lend/ordinals", "Lender 2");
  await page.goto("/settings/sessions");
  const programs = page.getByRole("region", { name: "Programs that may quote from your vault" });
  await expect(programs).toContainText("No program may quote for you.");
  await programs.getByRole("button", { name: "Permit a program" }).click();
  const form = page.getByRole("dialog", { name: "Permit a program" });
  await form.getByRole("button", { name: "Sign and permit" }).click();
  await expect(form.getByText("64 digits 0-9 and a-f, as the program shows them")).toBeVisible();
  await form.getByLabel("Delegation id").fill(DELEGATION_ID);
  await form.getByLabel("Public key of the program").fill(PROGRAM_KEY);
  await form.getByLabel("Largest loan").fill("0.01");
  await form.getByLabel("Lent within 24 hours").fill("0.02");
  await form.getByLabel("Lowest interest").fill("3");
  await form.getByLabel("Collections").fill("quiet-moons-14d");
  await expectAccessible(page);
  await form.getByRole("button", { name: "Sign and permit" }).click();
  const signing = walletWindow(page, "Sign message");
  for (const line of [
    "Lienbook: delegate quotes",
    `Delegation: ${DELEGATION_ID}`,
    `Program key: ${PROGRAM_KEY}`,
    "Collection: quiet-moons-14d",
    "Max principal sats: 1000000",
    "Max daily sats: 2000000",
    "Min interest x100: 300",
    "Max term days: 30",
  ]) {
    await expect(signing).toContainText(line);
  }
  await signing.getByRole("button", { name: "Sign", exact: true }).click();
  await expect(form).toHaveCount(0);
  await expect(programs).toContainText(`Key ${PROGRAM_KEY}`);
  await expect(programs).toContainText("0 of 0.02 BTC lent within 24 hours");
  await expectAccessible(page);

  await programs.getByRole("button", { name: "Revoke program 01234567" }).click();
  await page
    .getByRole("dialog", { name: "Revoke program 01234567?" })
    .getByRole("button", { name: "Revoke" })
    .click();
  await expect(programs).toContainText(/Revoked|Waiting for the vault's signer/);
  await page.reload();
  await expect(programs).toContainText("Revoked");
});

test("a lender without a vault reads why no program can be permitted", async ({ page }) => {
  await openAs(page, "/settings/sessions", "Lender 3");
  const programs = page.getByRole("region", { name: "Programs that may quote from your vault" });
  await expect(programs).toContainText("You have no vault yet. Once it is open, a program may lend from it.");
  await expect(programs.getByRole("button", { name: "Permit a program" })).toBeDisabled();
});
