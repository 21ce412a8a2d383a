import { type Collection, decimalsOf, unitOf } from "@/shared/api/collection";
import { shortenAddress } from "@/shared/format/name";
import { formatTokenAmount } from "@/shared/format/unit-price";

/** The pledged collateral of a request or a negotiation. */
interface Pledge {
  /** Null with tokens. */
  inscriptionId: string | null;
  /** Raw units; null with an inscription. */
  fungibleAmount: bigint | null;
}

/** The collateral in words: an inscription by its id, tokens by their amount. */
export function pledgeText({ inscriptionId, fungibleAmount }: Pledge, row: Collection): string {
  if (inscriptionId !== null) return `inscription ${shortenAddress(inscriptionId, 4)}`;
  return `${formatTokenAmount(fungibleAmount ?? 0n, decimalsOf(row), 4)} ${unitOf(row)}`;
}
