import type { Page, Route } from "@playwright/test";
import { base64 } from "@scure/base";
import { Transaction } from "@scure/btc-signer";

const PREPARE = /\/prepare-accept$|\/loans\/manual\/prepare$/;

/** The parts of a prepared loan that a server could lie about. */
export interface Prepared {
  transactionBase64: string;
  contract: { borrower: { paymentKey: unknown }; lender: { paymentKey: unknown } };
}

/** Has the server's answers changed on their way to the browser, as a server that lies would send them. */
export async function tamper(page: Page, change: (prepared: Prepared) => void): Promise<void> {
  await page.route(PREPARE, async (route: Route) => {
    const response = await route.fetch();
    const prepared = (await response.json()) as Prepared;
    if (response.ok()) change(prepared);
    await route.fulfill({ response, json: prepared });
  });
}

/** Has the server's answers arrive unchanged again. */
export async function stopTampering(page: Page): Promise<void> {
  await page.unroute(PREPARE);
}

/** The collateral to an address of another, in an otherwise unchanged transaction: its sums are as agreed. */
export function collateralElsewhere(prepared: Prepared): void {
  const transaction = Transaction.fromPSBT(base64.decode(prepared.transactionBase64));
  transaction.updateOutput(0, { script: Uint8Array.from([0, 20, ...new Uint8Array(20).fill(7)]) }, true);
  prepared.transactionBase64 = base64.encode(transaction.toPSBT());
}
