import { useQuery } from "@tanstack/react-query";
import { configQuery } from "@/shared/api/config";
import { chainQuery } from "@/shared/chain/chain-status";
import { useFeeDecision } from "@/shared/chain/fee-decision";
import { walletRateBounds } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { formatBtcExact } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { ActionDialog } from "@/shared/signing/action-dialog";
import { MANUAL_ESTIMATE_S } from "@/shared/signing/signing-progress";
import { CopyButton } from "@/shared/ui/copy-button";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";
import { prepareExactCoin } from "./exact-coin";

interface ExactCoinDialogProps {
  collectionName: string;
  session: Session;
  sats: bigint;
  /** The use of the coin, once it is confirmed. */
  next: string;
  onClose: () => void;
}

/** Creates the one coin that funds a loan against BRC-20, for a lender without one of the exact sum. */
export function ExactCoinDialog({ collectionName, session, sats, next, onClose }: ExactCoinDialogProps) {
  const { data: config } = useQuery(configQuery);
  const { data: chain } = useQuery(chainQuery);
  const bounds = walletRateBounds(chain);
  const { choice, setChoice, feeRate } = useFeeDecision(bounds);
  const paymentAddress = session.addresses.payment.address;
  const amount = formatBtcExact(sats);
  return (
    <ActionDialog
      title="This loan needs a coin of the exact amount"
      description={collectionName}
      prepare={
        feeRate === null || !config
          ? null
          : () => prepareExactCoin({ sats, feeRate, paymentAddress, network: config.network })
      }
      estimateS={MANUAL_ESTIMATE_S}
      sent={{ title: "Coin on its way", next }}
      onClose={onClose}
    >
      <p className="text-sm text-pretty text-soft">
        A loan against BRC-20 is funded by a single coin, without change, and none at your payment address
        holds exactly this much:
      </p>
      <SumLines>
        <SumLine label="The coin must hold" strong>
          <span className="inline-flex items-center gap-2">
            <Btc>{amount}</Btc>
            <CopyButton text={amount} what="amount">
              Copy
            </CopyButton>
          </span>
        </SumLine>
        <SumLine label="At your payment address">
          <span className="font-mono text-xs break-all">{paymentAddress}</span>
        </SumLine>
      </SumLines>
      <p className="text-sm text-pretty text-soft">
        Continue to split it off your other coins with one signature, or send exactly this amount to that
        address from any wallet.
      </p>
      <FeeRatePicker choice={choice} bounds={bounds} onChange={setChoice} />
    </ActionDialog>
  );
}
