import * as v from "valibot";

const movement = v.object({
  what: v.string(),
  to: v.picklist(["you", "escrow", "other_side", "platform", "network", "data"]),
  sats: v.pipe(
    v.number(),
    v.safeInteger(),
    v.transform((value) => BigInt(value)),
  ),
  address: v.nullable(v.string()),
});
/** A payment of the checked transactions, or their fee. */
export type CheckedMovement = v.InferOutput<typeof movement>;

export const verdict = v.object({
  agrees: v.boolean(),
  faults: v.array(v.object({ code: v.string(), text: v.string() })),
  movements: v.array(movement),
  proofs: v.array(v.string()),
});
/** The outcome of a check. */
export type Verdict = v.InferOutput<typeof verdict>;

/** A transaction is not what the terms demand, or could not be checked. The wallet was not asked. */
export class Disagreement extends Error {
  override readonly name = "Disagreement";

  readonly reason: string;

  constructor(reason: string) {
    super(`Your wallet was not asked: ${reason}`);
    this.reason = reason;
  }
}

/** The refusal of transactions that could not be checked. */
export function uncheckedVerdict(text: string): Verdict {
  return { agrees: false, faults: [{ code: "unchecked", text }], movements: [], proofs: [] };
}

/** The reason of a refusal; null for a verdict that agrees. */
export function refusalOf({ agrees, faults }: Verdict): string | null {
  if (agrees && faults.length === 0) return null;
  return faults[0]?.text ?? "the check gave no reason";
}
