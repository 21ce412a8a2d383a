import * as v from "valibot";
import { UNKNOWN_ERROR } from "./error-text";
import { RequestProblem } from "./problem";
import { request } from "./request";
import { count, text } from "./wire";

const answer = v.object({
  ok: v.boolean(),
  data: v.nullable(v.object({ nonce: text, issued: count, expires: count, domain: text, network: text })),
  errorMessage: v.nullable(text),
});

/** A nonce that the server adds to a message to sign: valid once, for this address, until it expires. */
export interface Nonce {
  nonce: string;
  domain: string;
  network: string;
  /** Unix seconds, like `expiresS`. */
  issuedS: number;
  expiresS: number;
}

const PATH = { signIn: "/api/v1/session/nonce", offers: "/api/v1/account/nonce" } as const;

/**
 * Fetches a nonce for a message that signs a user in or acts on offers. The error's text can be shown as it
 * is.
 */
export async function fetchNonce(purpose: keyof typeof PATH, address: string): Promise<Nonce> {
  const failure = (message: string) => new Error(`Get nonce request failure: ${message}`);
  const { ok, data, errorMessage } = await request("POST", PATH[purpose], answer, {
    body: { address },
  }).catch((error: unknown) => {
    throw failure(error instanceof RequestProblem ? error.message : UNKNOWN_ERROR);
  });
  if (!ok || !data) throw failure(errorMessage ?? UNKNOWN_ERROR);
  return {
    nonce: data.nonce,
    domain: data.domain,
    network: data.network,
    issuedS: data.issued,
    expiresS: data.expires,
  };
}
