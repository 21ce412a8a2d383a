import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { configQuery } from "@/shared/api/config";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { shortenAddress } from "@/shared/format/name";
import { CopyIconButton } from "@/shared/ui/copy-button";

const EXPLORER: Record<BitcoinNetwork, string | null> = {
  bitcoin: "https://mempool.space/tx/",
  testnet: "https://mempool.space/testnet/tx/",
  testnet4: "https://mempool.space/testnet4/tx/",
  signet: "https://mempool.space/signet/tx/",
  // A private chain is in no public explorer.
  regtest: null,
};

/** URL of a transaction in a public explorer; null without one for the network. */
export function explorerAddress(network: BitcoinNetwork, transactionId: string): string | null {
  const base = EXPLORER[network];
  return base && /^[0-9a-f]{64}$/.test(transactionId) ? base + transactionId : null;
}

/**
 * A transaction's id: a link to a public mempool explorer where there is one, and a button that copies it.
 */
export function ExplorerLink({ transactionId }: { transactionId: string }) {
  const { data: config } = useQuery(configQuery);
  const address = config ? explorerAddress(config.network, transactionId) : null;
  const shown = <span className="font-mono text-xs">{shortenAddress(transactionId, 8)}</span>;
  return (
    <span className="inline-flex items-center gap-1">
      {address ? (
        <a
          href={address}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 rounded-control underline decoration-line-strong underline-offset-4 hover:decoration-current"
        >
          {shown}
          <ExternalLink size={14} aria-hidden />
          <span className="sr-only">opens the explorer in a new tab</span>
        </a>
      ) : (
        <span title={transactionId}>{shown}</span>
      )}
      <CopyIconButton text={transactionId} what="transaction's id" label="Copy transaction id" />
    </span>
  );
}
