import * as v from "valibot";

/** A vault as the server describes it, and the parts of the message that name it. */
export interface DescribedVault {
  network: string;
  /** The lender's id in the script. */
  lenderId: number;
  /** The user's own ordinals key, as the session has it. */
  ordinalsKey: string;
  /** As in the message. */
  policyHash: string;
  policy: string;
  signers: ReadonlyArray<{ key: string; signer: string | null; attestation: string | null }>;
  /** As in the message. */
  address: string;
}

const answer = v.variant("result", [
  v.object({
    result: v.literal("agrees"),
    required: v.number(),
    count: v.number(),
    /** Whether the policy names the signers, so that the keys are known to be theirs. */
    isAttested: v.boolean(),
  }),
  v.object({ result: v.literal("disagrees"), reason: v.string() }),
]);
export type VaultAnswer = v.InferOutput<typeof answer>;
/** The signers of a vault whose address agrees. */
export type VaultAgreement = Omit<Extract<VaultAnswer, { result: "agrees" }>, "result">;

/** Some wallets prefix the x-only key with its parity. */
const KEY_DIGITS = 64;

/** The text for the module that derives the address again. */
export function vaultText(vault: DescribedVault): string {
  return JSON.stringify({ vault: { ...vault, ordinalsKey: vault.ordinalsKey.slice(-KEY_DIGITS) } });
}

/** The answer of the module; anything else than an answer is a refusal. */
export function vaultAnswer(text: string): VaultAnswer {
  try {
    return v.parse(answer, JSON.parse(text));
  } catch {
    return { result: "disagrees", reason: "the address could not be checked in this browser" };
  }
}
