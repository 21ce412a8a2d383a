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
