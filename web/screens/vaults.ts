import { expect, type Page } from "@playwright/test";
import {
  attestOtherKeys,
  createVault,
  openVaultDialog,
  openWithVault,
  refuseAttestation,
  sign,
} from "../e2e/vault-steps";
import { signedIn } from "./signed-in";

export async function openNewVault(page: Page): Promise<void> {
  await signedIn(page, "Lender 1");
  await createVault(page, await openVaultDialog(page));
}

export async function openFundedVault(page: Page): Promise<void> {
  await openWithVault(page, "/lend/ordinals", "Lender 1");
  await openVaultDialog(page);
}

/** A vault whose address is not what its keys give. */
export async function openVaultOfOtherKeys(page: Page): Promise<void> {
  await signedIn(page, "Lender 1");
  await attestOtherKeys(page);
  const dialog = await openVaultDialog(page);
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await sign(page);
  await expect(dialog.getByRole("alert")).toContainText("Do not pay");
}

/** A vault whose signers do not all answer. */
export async function openUncheckedVault(page: Page): Promise<void> {
  await signedIn(page, "Lender 1");
  await refuseAttestation(page);
  const dialog = await openVaultDialog(page);
  await dialog.getByRole("button", { name: "Create vault" }).click();
  await sign(page);
  await expect(dialog.getByRole("alert")).toContainText("could not be checked");
}

/** A vault that an earlier signer still holds. */
export async function openVaultToMove(page: Page): Promise<void> {
  await page.route("**/api/v1/vaults/me", async (route) => {
    const response = await route.fetch();
    const own = await response.json();
    const held = { signerKeys: own.signerKeys.slice(0, 1), signersRequired: 1 };
    await route.fulfill({ response, json: { ...own, ...held, newSigners: { required: 2, count: 3 } } });
  });
  await openFundedVault(page);
  await expect(page.getByRole("region", { name: "Move your vault" })).toBeVisible();
}
