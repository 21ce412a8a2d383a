import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { text } from "./wire";

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

const webFile = v.object({ path: text, sha256, bytes: v.number() });
/** A file of the web app, as the server lists it. */
export type WebFile = v.InferOutput<typeof webFile>;

const build = v.object({
  version: text,
  /** The commit of the sources; null if the build did not name one. */
  commit: v.nullable(text),
  /** Null in the first moments of a server. */
  binarySha256: v.nullable(sha256),
  webSha256: sha256,
  webFiles: v.array(webFile),
});
/** What the running server was built from. */
export type Build = v.InferOutput<typeof build>;

/** Asked for anew each time that it is shown: the server may have been updated since. */
export const buildQuery = queryOptions({
  queryKey: ["build"],
  queryFn: ({ signal }) => request("GET", "/api/v1/build", build, { signal }),
  staleTime: 0,
  refetchOnWindowFocus: false,
});
