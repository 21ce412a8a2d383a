import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { externalUrl, lenientArray, rawAmount, text, wholeNumber } from "./wire";

/** What arrives in the wallet is seen within this time. */
const RENEWED_MS = 20_000;

const ownInscription = v.object({
  inscription_id: text,
  inscription_name: text,
  inscription_number: v.nullable(wholeNumber),
  /** Where its content is shown; null where no indexer tells. */
  content_url: externalUrl,
  collectionId: text,
  isPromised: v.boolean(),
});

const ownRune = v.object({ runeId: text, freeRaw: rawAmount });

const ownCollateral = v.object({
  inscriptions: lenientArray(ownInscription),
  runes: lenientArray(ownRune),
});

/** An inscription at the person's ordinals address that belongs to a collection of the market. */
export type OwnInscription = v.InferOutput<typeof ownInscription>;

/** What the person's ordinals address holds that is lent against here, as the chain has it. */
export type OwnCollateral = v.InferOutput<typeof ownCollateral>;

export function ownCollateralQuery(userId: string) {
  return queryOptions({
    queryKey: ["own-collateral", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/collateral", ownCollateral, { signal }),
    staleTime: 0,
    refetchInterval: RENEWED_MS,
  });
}
