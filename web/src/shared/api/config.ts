import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import type { CollateralType, ProcessType } from "./collection";
import { request } from "./request";
import { count, percent, sats, text } from "./wire";

const config = v.object({
  network: v.picklist(["bitcoin", "testnet", "testnet4", "signet", "regtest"]),
  domain: text,
  /** A market of simulated users on a chain of its own: nothing in it has any value. */
  demo: v.boolean(),
  /** Without a Bitcoin node there are offers, but no loans. */
  hasNode: v.boolean(),
  /** Hash of the vault signer's public policy; messages about instant offers include it. */
  vaultSignerId: v.nullable(text),
  /** The challenge that is shown when the server demands a verification; null where it never does. */
  botCheck: v.nullish(v.object({ siteKey: text, action: text }), null),
  /** The platform's share of the interest; null without a platform fee. */
  platformFee: v.nullable(v.object({ percent: count, minSats: sats })),
  limits: v.object({
    minOfferSats: v.object({ inscription: sats, rune: sats, brc20: sats, instantRune: sats }),
    maxOfferSats: sats,
    /** The highest interest that can be negotiated, in basis points. */
    negotiatedInterestMax: count,
    /** The longest term that can be negotiated. */
    negotiatedTermMaxDays: count,
    maxLtv: percent,
    countMax: v.pipe(v.number(), v.integer(), v.minValue(1)),
    minLtvGap: percent,
    defaultMaxLtvOffset: percent,
    /** Limits of loans that wait for one borrower's signature: in total, and per lender. */
    preparedMax: v.pipe(v.number(), v.integer(), v.minValue(1)),
    preparedPerLenderMax: v.pipe(v.number(), v.integer(), v.minValue(1)),
  }),
});
/** The server's public configuration. */
export type ServerConfig = v.InferOutput<typeof config>;
/** The limits of offers, which borrow requests share. */
export type Limits = ServerConfig["limits"];

/** The smallest offer of a process against a kind of collateral. */
export function smallestOffer(
  { minOfferSats }: Pick<Limits, "minOfferSats">,
  collateralType: CollateralType,
  process: ProcessType,
): bigint {
  if (collateralType === "rune" && process === "instant") return minOfferSats.instantRune;
  return minOfferSats[collateralType];
}

/** Constant while the server runs. */
export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: ({ signal }) => request("GET", "/api/v1/config", config, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
