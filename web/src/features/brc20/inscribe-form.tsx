import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { chainQuery } from "@/shared/chain/chain-status";
import { customRate, feeRateOf } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import type { Session } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { type Brc20PanelData, prepareTransfer } from "./brc20-requests";
import { InscribeDialog, type OrderedTransfer } from "./inscribe-dialog";
import { orderTransfer } from "./inscribe-transfer";

/** Initial fee rate in sats per virtual byte. */
const FIRST_RATE = 30;

async function orderedTransfer(
  panelData: Brc20PanelData,
  feeRate: number,
  session: Session,
  network: BitcoinNetwork,
): Promise<OrderedTransfer> {
  const order = await prepareTransfer(panelData, feeRate, session);
  const { parsePsbt, readFlow } = await import("@/shared/bitcoin/transaction-flow");
  return { order, flow: readFlow(parsePsbt(order.transactionBase64), network) };
}

/** Creates a transfer inscription out of an available balance: fee rate, review, signature. */
export function InscribeForm({
  panelData,
  tokens,
  session,
  disabled,
  onSent,
}: {
  panelData: Brc20PanelData;
  /** Amount and token of the inscription. */
  tokens: string;
  session: Session;
  disabled: boolean;
  onSent: () => void;
}) {
  const { data: chain } = useQuery(chainQuery);
  const { data: config } = useQuery(configQuery);
  const [fee, setFee] = useState(() => customRate(FIRST_RATE));
  const [isPreparing, setIsPreparing] = useState(false);
  const [ordered, setOrdered] = useState<OrderedTransfer | null>(null);
  const feeRate = feeRateOf(fee, chain);

  async function order() {
    if (feeRate === null || !config) return;
    setIsPreparing(true);
    setOrdered(
      await orderTransfer(() => orderedTransfer(panelData, feeRate, session, config.network), notify),
    );
    setIsPreparing(false);
  }

  return (
    <div className="flex w-full flex-col gap-3">
      <p>
        You have the tokens but no transfer note of this amount. Inscribing one costs the network fee and a
        few hundred sats that stay with the note.
      </p>
      <FeeRatePicker choice={fee} onChange={setFee} disabled={disabled || isPreparing} />
      <Button disabled={disabled || isPreparing || feeRate === null || !config} onClick={() => void order()}>
        {isPreparing ? "Loading..." : "Inscribe transfer note"}
      </Button>
      {ordered && (
        <InscribeDialog
          ordered={ordered}
          tokens={tokens}
          session={session}
          onClose={() => setOrdered(null)}
          onSent={() => {
            setOrdered(null);
            onSent();
          }}
        />
      )}
    </div>
  );
}
