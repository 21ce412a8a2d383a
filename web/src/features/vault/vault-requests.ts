import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import type { ServerConfig } from "@/shared/api/config";
import { fetchNonce } from "@/shared/api/nonce";
import { request } from "@/shared/api/request";
import { lenientArray, sats, text, timeMs } from "@/shared/api/wire";
import { actionMessage } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import { type OwnVault, ownVault } from "@/shared/vault/vault-query";

/** Lines of history per page. */
const PAGE_LINES = 20;

const historyLine = v.object({
  at: timeMs,
  kind: v.picklist([
    "credited",
    "debited",
    "paid_in",
    "came_back",
    "undone",
    "left",
    "withdrawing",
    "moving",
    "lent",
    "fee_bump",
    "settled",
    "given_back",
  ]),
  sats: v.nullable(sats),
  transactionId: v.nullable(text),
  vout: v.nullable(v.number()),
});
/** One event of a vault's history. */
export type HistoryLine = v.InferOutput<typeof historyLine>;

const output = v.object({
  transactionId: text,
  vout: v.number(),
  sats,
  state: v.picklist(["usable", "waiting", "leaving", "carries_assets", "unread", "immature"]),
});
/** An output of a vault. */
export type VaultOutput = v.InferOutput<typeof output>;

const outputs = v.object({
  outputs: lenientArray(output),
  departures: lenientArray(
    v.object({
      transactionId: text,
      kind: v.picklist(["loan", "withdrawal", "fee_bump", "move"]),
      sats,
      isSigned: v.boolean(),
    }),
  ),
});
export type VaultOutputs = v.InferOutput<typeof outputs>;

export type CreateVaultStep = "nonce" | "signature" | "opening";

/**
 * Opens the lender's vault. The ordinals address signs, because its key is in the vault's script and can
 * withdraw alone. Rejects with an error that can be shown; no vault has been opened then.
 */
export async function openVault(
  session: Session,
  config: Pick<ServerConfig, "vaultSignerId">,
  onStep: (step: CreateVaultStep) => void,
): Promise<OwnVault> {
  const canisterId = config.vaultSignerId;
  if (!canisterId) throw new Error("Vault canister hash not configured");
  const { payment, ordinals } = session.addresses;
  onStep("nonce");
  const nonce = await fetchNonce("offers", ordinals.address);
  const message = actionMessage(
    { type: "openVault", paymentAddress: payment.address, vault: canisterId },
    { ...nonce, address: ordinals.address },
  );
  onStep("signature");
  const signature = await signMessage(ordinals.address, message);
  onStep("opening");
  return request("POST", "/api/v1/vaults", ownVault, {
    body: { canister_id: canisterId, message, signature, signature_timestamp: nonce.issuedS },
  });
}

/** The vault's outputs on the chain, and the payments that spend them. */
export function vaultOutputsQuery(userId: string) {
  return queryOptions({
    queryKey: ["vault", userId, "outputs"],
    queryFn: ({ signal }) => request("GET", "/api/v1/vaults/me/outputs", outputs, { signal }),
  });
}

/** The vault's history, latest first, a page at a time. */
export function vaultHistoryQuery(userId: string) {
  return infiniteQueryOptions({
    queryKey: ["vault", userId, "history"],
    queryFn: ({ signal, pageParam }) =>
      request(
        "GET",
        "/api/v1/vaults/me/history",
        v.object({ data: lenientArray(historyLine), nextCursor: v.nullable(text) }),
        { query: { limit: PAGE_LINES, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
  });
}

const previousVaults = v.object({
  data: v.array(v.object({ address: text, sats, outputs: v.number() })),
});

/** The addresses that the vault was moved away from, and what is there. */
export function previousVaultsQuery(userId: string) {
  return queryOptions({
    queryKey: ["vault", userId, "previous"],
    queryFn: ({ signal }) => request("GET", "/api/v1/vaults/me/previous", previousVaults, { signal }),
  });
}

/**
 * Downloads the file by which the lender can withdraw without this site: of the vault, or of an address that it was moved
 * away from.
 */
export async function downloadVaultKit(address?: string): Promise<void> {
  const query = address === undefined ? {} : { address };
  const kit = await request("GET", "/api/v1/vaults/me/kit", v.record(v.string(), v.unknown()), { query });
  const file = new Blob([JSON.stringify(kit, null, 2)], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = address === undefined ? "lienbook-vault-kit.json" : `lienbook-vault-kit-${address}.json`;
  link.click();
  // Browsers read it within this task or the next; a minute is plenty.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
