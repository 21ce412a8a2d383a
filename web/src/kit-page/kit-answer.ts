import * as v from "valibot";

/** The answers of the module about kits, see engine/verifier/src/kit_page/answer.rs. */

const sats = v.pipe(
  v.number(),
  v.safeInteger(),
  v.transform((value) => BigInt(value)),
);

const drawing = v.object({
  inputs: v.array(v.object({ label: v.string(), outpoint: v.string(), sats })),
  outputs: v.array(v.object({ label: v.string(), address: v.nullable(v.string()), sats })),
  feeSats: sats,
  feeRate: v.string(),
  version: v.number(),
});
/** The inputs and outputs of a transaction. */
export type Drawing = v.InferOutput<typeof drawing>;

const loan = v.object({
  id: v.string(),
  collateral: v.string(),
  outpoint: v.string(),
  valueSats: sats,
  borrowerAddress: v.string(),
  lenderAddress: v.string(),
  payoutAddress: v.string(),
  payoutSats: sats,
  due: v.string(),
  claimAfter: v.string(),
  pads: v.array(v.string()),
});

const kit = v.object({
  kind: v.literal("kit"),
  role: v.picklist(["borrower", "lender", "vault"]),
  network: v.string(),
  purpose: v.string(),
  contract: v.object({ address: v.string(), descriptor: v.string() }),
  ordinalsAddress: v.string(),
  paymentAddress: v.nullable(v.string()),
  loan: v.nullable(loan),
  time: v.nullable(v.string()),
  proofs: v.array(v.string()),
});
/** What a kit says. */
export type KitFacts = v.InferOutput<typeof kit>;
/** The owner of a kit. */
export type Role = KitFacts["role"];

const unsigned = v.object({
  kind: v.literal("unsigned"),
  psbt: v.string(),
  drawing,
  warnings: v.array(v.string()),
});
/** A transaction for a wallet. */
export type Unsigned = v.InferOutput<typeof unsigned>;

const finished = v.object({ kind: v.literal("finished"), hex: v.string(), txid: v.string(), drawing });
/** A transaction for the network. */
export type Finished = v.InferOutput<typeof finished>;

const refused = v.object({ kind: v.literal("refused"), code: v.string(), text: v.string() });
/** A refusal. */
export type Refused = v.InferOutput<typeof refused>;

const answer = v.variant("kind", [kit, unsigned, finished, refused]);
/** An answer of the module. */
export type KitAnswer = v.InferOutput<typeof answer>;

/** Reads an answer; fails if it is not one. */
export function readAnswer(text: string): KitAnswer {
  return v.parse(answer, JSON.parse(text));
}
