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
import { type Brc20Standing, prepareNote } from "./brc20-requests";
import { InscribeDialog, type OrderedNote } from "./inscribe-dialog";
import { orderNote } from "./inscribe-note";

/** Initial fee rate in sats per virtual byte. */
const FIRST_RATE = 30;

async function orderedNote(
  standing: Brc20Standing,
  feeRate: number,
  session: Session,
  network: BitcoinNetwork,
): Promise<OrderedNote> {
  const order = await prepareNote(standing, feeRate, session);
  const { parsePsbt, readFlow } = await import("@/shared/bitcoin/transaction-flow");
  return { order, flow: readFlow(parsePsbt(order.transactionBase64), network) };
}

/** Creates a transfer inscription out of an available balance: fee rate, review, signature. */
export function InscribeForm({
  standing,
  tokens,
  session,
  disabled,
  onSent,
}: {
  standing: Brc20Standing;
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
  const [ordered, setOrdered] = useState<OrderedNote | null>(null);
  const feeRate = feeRateOf(fee, chain);

  async function order() {
    if (feeRate === null || !config) return;
    setIsPreparing(true);
    setOrdered(await orderNote(() => orderedNote(standing, feeRate, session, config.network), notify));
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
