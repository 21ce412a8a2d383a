import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "@/shared/api/request";
import { count, lenientArray, text, timeMs } from "@/shared/api/wire";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { Session } from "@/shared/session/session-store";

/** Poll interval of an unconfirmed transfer inscription. */
export const POLL_INTERVAL_S = 30;

/** Poll interval of the list of unconfirmed transfer inscriptions, while it is not empty. */
const PENDING_POLL_INTERVAL_MS = 60_000;

const note = v.object({ inscriptionId: text, isValid: v.boolean(), ticker: text, amount: text });
const pendingTransfer = v.object({ orderId: text, ticker: text, amount: text, transactionId: text });
/** A transfer inscription that waits for confirmation. */
export type PendingTransfer = v.InferOutput<typeof pendingTransfer>;

const panel = v.object({
  ticker: text,
  overallBalance: text,
  availableBalance: text,
  transferrableBalance: text,
  bundleSize: text,
  state: v.picklist(["insufficient", "note_pending", "needs_consolidation", "note_available", "no_note"]),
  note: v.nullable(note),
  pending: v.nullable(pendingTransfer),
});
/** The user's options for one bundle of a token. */
export type Brc20PanelData = v.InferOutput<typeof panel>;

export function brc20PanelQuery(collectionSlug: string) {
  return queryOptions({
    queryKey: ["brc20-panel", collectionSlug],
    queryFn: ({ signal }) =>
      request("GET", "/api/v1/brc20/panels/{collection_slug}", panel, {
        path: { collection_slug: collectionSlug },
        signal,
      }),
    refetchInterval: POLL_INTERVAL_S * 1_000,
  });
}

/** The poll interval: without unconfirmed transfer inscriptions there is nothing to poll for. */
export function pendingInterval(transfers: readonly PendingTransfer[] | undefined): number | false {
  return transfers !== undefined && transfers.length > 0 ? PENDING_POLL_INTERVAL_MS : false;
}

/** The user's transfer inscriptions that wait for confirmation. */
export function pendingTransfersQuery(userId: string) {
  return queryOptions({
    queryKey: ["brc20-orders", userId],
    queryFn: async ({ signal }) => {
      const answer = v.object({ orders: lenientArray(pendingTransfer) });
      return (await request("GET", "/api/v1/brc20/orders", answer, { signal })).orders;
    },
    refetchInterval: ({ state }) => pendingInterval(state.data),
  });
}

const prepared = v.object({
  orderId: text,
  feeSats: count,
  expiresAt: timeMs,
  transactionBase64: v.string(),
  sides: v.array(
    v.object({ index: count, address: text, sighash: count, disable_tweak_signer: v.boolean() }),
  ),
});

/** A prepared transfer inscription that awaits a signature. */
export interface TransferOrder extends TransactionToSign {
  orderId: string;
  /** The network fee of both transactions: the one to sign, and the one that reveals the inscription. */
  feeSats: number;
  /** Expiry of the unsigned order, unix milliseconds. */
  expiresAt: number;
}

export function prepareTransfer(
  { ticker, bundleSize }: Brc20PanelData,
  feeRate: number,
  { addresses: { payment, ordinals } }: Session,
): Promise<TransferOrder> {
  return request("POST", "/api/v1/brc20/orders", prepared, {
    body: {
      ticker,
      amount: bundleSize,
      feeRate,
      paymentAddress: payment.address,
      paymentPubkey: payment.pubKey,
      recieveAddress: ordinals.address,
    },
  });
}

/**
 * Sends the signed transaction together with the one that reveals the inscription; returns the reveal
 * transaction's id.
 */
export async function commitTransfer(orderId: string, signedBase64: string): Promise<string> {
  const answer = v.object({ revealTransaction: text });
  const { revealTransaction } = await request("POST", "/api/v1/brc20/orders/commit", answer, {
    body: { orderId, signedBase64 },
  });
  return revealTransaction;
}
