import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { externalUrl, lenientArray, rawAmount, text, wholeNumber } from "./wire";

/** New arrivals in the wallet are visible within this time. */
const RENEWED_MS = 20_000;

const ownInscription = v.object({
  inscription_id: text,
  inscription_name: text,
  inscription_number: v.nullable(wholeNumber),
  /** URL of its content; null where no indexer provides one. */
  content_url: externalUrl,
  collectionId: text,
  isPromised: v.boolean(),
});

const ownRune = v.object({ runeId: text, freeRaw: rawAmount });

const ownCollateral = v.object({
  inscriptions: lenientArray(ownInscription),
  runes: lenientArray(ownRune),
});

/** An inscription at the user's ordinals address that belongs to a collection of the market. */
export type OwnInscription = v.InferOutput<typeof ownInscription>;

/** The collateral at the user's ordinals address that the market accepts, as found on the chain. */
export type OwnCollateral = v.InferOutput<typeof ownCollateral>;

export function ownCollateralQuery(userId: string) {
  return queryOptions({
    queryKey: ["own-collateral", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/collateral", ownCollateral, { signal }),
    staleTime: 0,
    refetchInterval: RENEWED_MS,
  });
}
