import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { externalUrl, lenientArray, text, wholeNumber } from "./wire";

/** What an inscription is called and has seldom changes. */
const FRESH_MS = 600_000;

const inscription = v.object({
  /** What its collection calls it. */
  inscriptionName: v.nullable(text),
  inscriptionNumber: v.nullable(wholeNumber),
  mimeType: v.nullable(text),
  contentURI: externalUrl,
  provider: text,
  attributes: lenientArray(v.object({ traitType: text, value: text })),
});

/** What an inscription is, as whoever shows inscriptions describes it. */
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
