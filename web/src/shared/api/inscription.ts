import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { externalUrl, lenientArray, text, wholeNumber } from "./wire";

/** Names and traits of an inscription seldom change. */
const FRESH_MS = 600_000;

const inscription = v.object({
  /** Its name within its collection. */
  inscriptionName: v.nullable(text),
  inscriptionNumber: v.nullable(wholeNumber),
  mimeType: v.nullable(text),
  contentURI: externalUrl,
  provider: text,
  attributes: lenientArray(v.object({ traitType: text, value: text })),
});

/** An inscription as an indexer describes it. */
export type Inscription = v.InferOutput<typeof inscription>;

export function inscriptionQuery(inscriptionId: string) {
  return queryOptions({
    queryKey: ["inscription", inscriptionId],
    queryFn: ({ signal }) =>
      request("GET", "/api/v1/inscriptions/{inscription_id}", inscription, {
        path: { inscription_id: inscriptionId },
        signal,
      }),
    staleTime: FRESH_MS,
  });
}
