import { expect, type Locator, type Page } from "@playwright/test";
import { busyCollection, inscriptionChoices, openBorrowDialog, takeFromFaucet } from "./borrow-steps";
import { openAs } from "./browser-session";
import { test } from "./market-test";
import { collateralElsewhere, type Prepared, stopTampering, tamper } from "./tampered-answers";
import { walletWindow } from "./wallet-steps";

test.setTimeout(180_000);

/** Goes back from a review. Until the server has released the loan, the same request would return it again. */
async function goBack(page: Page, dialog: Locator): Promise<void> {
  const released = page.waitForResponse((response) => response.request().method() === "DELETE");
  await dialog.getByRole("button", { name: "Back" }).click();
  await released;
}

for (const process of ["instant", "manual"] as const) {
  test(`a transaction that is not as agreed is refused and the wallet is not asked (${process})`, async ({
    page,
  }) => {
    await openAs(page, "/borrow/ordinals", "Borrower 1");
    const collection = await busyCollection(page, "inscription", process);
    await takeFromFaucet(page, "Ordinals", collection.name);

    await test.step("an honest transaction is shown as checked", async () => {
      const dialog = await openBorrowDialog(page, collection, process);
      await inscriptionChoices(dialog).first().check();
      await dialog.getByRole("button", { name: /^Borrow 0/ }).click();
      const checked = dialog.getByRole("region", { name: "Checked in this browser" });
      await expect(checked).toContainText("The collateral, in the escrow of this loan");
      await expect(checked).toContainText(
        process === "instant" ? "both signatures are valid" : "its lender has to sign the repayment",
      );
      await expect(dialog.getByRole("button", { name: /^Sign and borrow/ })).toBeEnabled();
      await goBack(page, dialog);
      await dialog.getByRole("button", { name: "Cancel" }).click();
    });

    const lies: Array<[string, (prepared: Prepared) => void, RegExp]> = [
      [
        "an address of another instead of the escrow",
        collateralElsewhere,
        /Output 0 of the loan's transaction pays/,
      ],
      [
        "a contract with a payment key of another",
        ({ contract }) => {
          contract.borrower.paymentKey = contract.lender.paymentKey;
        },
        /another payment key than yours/,
      ],
    ];
    for (const [name, change, reason] of lies) {
      await test.step(name, async () => {
        await tamper(page, change);
        const dialog = await openBorrowDialog(page, collection, process);
        await inscriptionChoices(dialog).first().check();
        await dialog.getByRole("button", { name: /^Borrow 0/ }).click();
        const refused = dialog.getByRole("alert", { name: "Refused by the check in this browser" });
        await expect(refused).toContainText(reason, { timeout: 30_000 });
        const sign = dialog.getByRole("button", { name: /^Sign and borrow/ });
        await expect(sign).toBeDisabled();
        await expect(walletWindow(page, "Sign transaction")).toHaveCount(0);
        await stopTampering(page);
        await goBack(page, dialog);
        await dialog.getByRole("button", { name: "Cancel" }).click();
      });
    }
  });
}
