import { RequestProblem } from "@/shared/api/problem";
import { verificationCodeOf } from "./turnstile";
import type { Verify } from "./use-verification";

/**
 * Sends a request, and repeats it with a verification token when the server demands one. A second demand is
 * an error: the user is asked only once per submission.
 */
export async function sendVerified<Answer>(
  send: (token: string | null) => Promise<Answer>,
  verify: Verify,
): Promise<Answer> {
  try {
    return await send(null);
  } catch (error) {
    if (verificationCodeOf(error) === null) throw error;
    return send(await verify());
  }
}

/** Adds the verification token to a repeated request. */
export function withToken<Body extends object>(body: Body, token: string | null): Body {
  return token === null ? body : { ...body, cf_turnstile_response: token };
}

/** Error codes of an outdated signed message, for example after a slow verification. */
const STALE = new Set(["message_expired", "nonce_unknown", "nonce_used"]);

/**
 * Signs a message and sends it. After a verification the same message is sent with the token; it is signed
 * again only if it has become too old meanwhile.
 */
export async function sendSigned<Signed, Answer>(
  sign: () => Promise<Signed>,
  send: (signed: Signed, token: string | null) => Promise<Answer>,
  verify: Verify,
): Promise<Answer> {
  let signed = await sign();
  return sendVerified(async (token) => {
    try {
      return await send(signed, token);
    } catch (error) {
      const isStale = error instanceof RequestProblem && STALE.has(error.code);
      if (token === null || !isStale) throw error;
      signed = await sign();
      return send(signed, token);
    }
  }, verify);
}
