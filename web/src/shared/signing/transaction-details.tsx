import { useQuery } from "@tanstack/react-query";
import { configQuery } from "@/shared/api/config";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";

/** Inputs, outputs and signed parts of each transaction, read from the exact bytes that the wallet gets. */
export function TransactionDetails({
  transactions,
  ownAddresses,
}: {
  transactions: readonly TransactionToSign[];
  ownAddresses: readonly string[];
}) {
  const { data: config } = useQuery(configQuery);
  const network = config?.network;
  const read = useQuery({
    queryKey: ["transaction-details", network, ...transactions.map((each) => each.transactionBase64)],
    queryFn: async () => {
      if (!network) return [];
      // Loaded on demand, so that only users who look pay for the parser.
      const { parsePsbt, readFlow, sighashText } = await import("@/shared/bitcoin/transaction-flow");
      return transactions.map(({ transactionBase64, sides }) => ({
        flow: readFlow(parsePsbt(transactionBase64), network),
        signed: sides.map(({ index, sighash }) => ({
          index,
          text: sighashText(sighash) ?? `an unusual part (${sighash})`,
        })),
      }));
    },
    enabled: network !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (read.isError)
    return <p className="text-xs text-down">The transaction could not be read. Do not sign it.</p>;
  if (!read.data) return <p className="text-xs text-muted">Reading the transaction</p>;
  return (
    <div className="flex flex-col gap-4">
      {read.data.map(({ flow, signed }) => (
        <div key={flow.txid} className="flex flex-col gap-2 text-xs">
          <p className="text-muted">
            Transaction <span className="font-mono wrap-anywhere text-soft">{flow.txid}</span>
          </p>
          <CoinList title="Spends" coins={flow.inputs} ownAddresses={ownAddresses} />
          <CoinList title="Pays" coins={flow.outputs} ownAddresses={ownAddresses} />
          <p className="text-muted">
            {flow.feeSats >= 0n
              ? `Network fee ${formatBtc(flow.feeSats, 8)} BTC. `
              : "The network fee is added when it is sent. "}
            {signed.map(({ index, text }) => `Your signature of input ${index} covers ${text}.`).join(" ")}
          </p>
        </div>
      ))}
    </div>
  );
}

function CoinList({
  title,
  coins,
  ownAddresses,
}: {
  title: string;
  coins: ReadonlyArray<{ address: string | null; sats: bigint; script: string }>;
  ownAddresses: readonly string[];
}) {
  return (
    <div>
      <h4 className="mb-1 text-muted">{title}</h4>
      <ol className="flex flex-col gap-1">
        {coins.map(({ address, sats, script }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a transaction's coins never change their order.
          <li key={index} className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 truncate">
              <span className="text-muted">{index} </span>
              <span className="font-mono" title={address ?? script}>
                {address ? shortenAddress(address, 8) : "data for indexers"}
              </span>
              {address && ownAddresses.includes(address) && <span className="text-text"> yours</span>}
            </span>
            <span className="shrink-0">{formatBtc(sats, 8)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
