import { demandOf } from "./turnstile";
import type { Verify } from "./use-verification";

/**
 * Sends a request, and once more with the token of a verification when the server asks for one. A second demand is the
 * error that it is: nobody is asked twice for the same submission.
 */
export async function sendVerified<Answer>(
  send: (token: string | null) => Promise<Answer>,
  verify: Verify,
): Promise<Answer> {
  try {
    return await send(null);
  } catch (error) {
    if (demandOf(error) === null) throw error;
    return send(await verify());
  }
}
