import { test as base } from "@playwright/test";
import { Party } from "./party";

/** A test on a market that others use after it: the offers that its parties leave are cancelled. */
export const test = base.extend<{ cancelsOffers: undefined }>({
  cancelsOffers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from its pattern.
    async ({}, use) => {
      await use(undefined);
      await Party.leaveAll();
    },
    { auto: true },
  ],
});
