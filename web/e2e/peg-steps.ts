import type { Locator } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";
import type { Party } from "./party";

type Wire = components["schemas"];

/** The bounds within which a principal follows the floor: percent, and sats. */
export interface Bounds {
  share: number;
  least: number;
  most: number;
}

/** Creates a manual offer that follows the floor; without a coin it is paused. Returns its id. */
export async function offerPegged(lender: Party, slug: string, { share, least, most }: Bounds) {
  const { payment, ordinals } = lender.keys;
  const { offers } = await lender.call<Wire["CreatedOffers"]>("POST", "/api/v1/offers/manual", {
    offers: [
      {
        collection_slug: slug,
        principal_amount: most,
        principal_min_amount: least,
        ltv_max: share * 100,
        wallet: "DevWallet",
        quantity: 1,
        payment_address: payment.address,
        payment_pubkey: payment.pubKey,
        ordinal_address: ordinals.address,
        ordinal_pubkey: ordinals.pubKey,
        hardware_wallet: false,
      },
    ],
  });
  return offers[0]?.offerId ?? "";
}

/** Bounds of a third to a whole floor, at a share of it, in whole thousands of sats. */
export function boundsOf(floorSats: number, share = 60): Bounds {
  const part = (percent: number) => Math.floor((floorSats * percent) / 100_000) * 1_000;
  return { share, least: part(30), most: part(100) };
}

/** Lets the principal follow the floor, within the bounds. */
export async function fillPeg(dialog: Locator, { share, least, most }: Bounds): Promise<void> {
  await dialog.getByRole("radio", { name: "Follow the floor" }).click();
  await dialog.getByLabel("Share of the floor").fill(String(share));
  await dialog.getByLabel("At least").fill(btc(least));
  await dialog.getByLabel("At most").fill(btc(most));
}

function btc(sats: number): string {
  return (sats / 100_000_000).toFixed(5);
}
