import * as v from "valibot";
import { request, satsToWire } from "@/shared/api/request";
import { sats, text } from "@/shared/api/wire";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";

const prepared = v.object({
  transactionBase64: v.pipe(v.string(), v.maxLength(2_000_000)),
  sides: v.array(
    v.object({
      index: v.number(),
      address: text,
      sighash: v.number(),
      disable_tweak_signer: v.boolean(),
    }),
  ),
  sats,
  feeSats: sats,
  changeSats: sats,
  vaultAddress: text,
});
/** A deposit that waits for a signature. */
export type PreparedDeposit = v.InferOutput<typeof prepared>;

/** Why a transaction is not to be signed, although the server asks for it. */
const NOT_WHAT_WAS_ASKED = "The transaction is not the deposit you asked for, so it must not be signed";

/**
 * Has a deposit made, and reads in its own bytes that it pays the vault what was asked for and nobody else: all that
 * does not go there comes back, but for the fee that is shown.
 */
export async function prepareDeposit(wish: {
  sats: bigint;
  feeRate: number;
  vaultAddress: string;
  paymentAddress: string;
  network: BitcoinNetwork;
}): Promise<PreparedDeposit> {
  const deposit = await request("POST", "/api/v1/vaults/me/deposits/prepare", prepared, {
    body: { sats: satsToWire(wish.sats), fee_rate: wish.feeRate },
  });
  // Those who never deposit need not load what reads transactions.
  const { parsePsbt, readFlow } = await import("@/shared/bitcoin/transaction-flow");
  const { outputs, feeSats } = readFlow(parsePsbt(deposit.transactionBase64), wish.network);
  const paid = (to: string) =>
    outputs.filter(({ address }) => address === to).reduce((sum, output) => sum + output.sats, 0n);
  const isKnown = outputs.every(
    ({ address }) => address === wish.vaultAddress || address === wish.paymentAddress,
  );
  const isAsked = paid(wish.vaultAddress) === wish.sats && deposit.sats === wish.sats;
  if (!isKnown || !isAsked || feeSats !== deposit.feeSats) throw new Error(NOT_WHAT_WAS_ASKED);
  return deposit;
}

/** Sends a signed deposit; the id of its transaction comes back. */
export async function submitDeposit(signedPsbt: string): Promise<string> {
  const { transactionId } = await request(
    "POST",
    "/api/v1/vaults/me/deposits",
    v.object({ transactionId: text }),
    { body: { signed_psbt: signedPsbt } },
  );
  return transactionId;
}
