import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useReducer } from "react";
import { configQuery } from "@/shared/api/config";
import { signTransaction } from "@/shared/bitcoin/transaction-signer";
import { chainQuery } from "@/shared/chain/chain-status";
import { feeRateOf, walletRateBounds } from "@/shared/chain/fee-rate";
import { formatBtc, formatBtcExact } from "@/shared/format/sats";
import { DepositWarning } from "@/shared/halts/deposit-warning";
import type { PreparedPayment } from "@/shared/payment/own-payment";
import type { Session } from "@/shared/session/session-store";
import type { SigningFacts } from "@/shared/signing/signing-facts";
import type { OwnVault } from "@/shared/vault/vault-query";
import { prepareDeposit, submitDeposit } from "./deposit-requests";
import { calculateSummary, EMPTY_DRAFT, getErrors, reducer } from "./payment-draft";
import { PaymentForm } from "./payment-form";
import { PaymentProblem, PaymentReview, PaymentSent } from "./payment-review";
import type { SentStage } from "./sent-payment";
import { usePaymentFlow } from "./use-payment-flow";
import type { SentPayments } from "./use-sent-payments";
import { vaultCheckQuery } from "./vault-check";

const SENT: Record<SentStage, string> = {
  "on its way": "Your deposit is on its way. It counts once it is confirmed.",
  confirmed: "Your deposit has arrived.",
  returned: "Your deposit was never confirmed.",
};

/** Funds the vault from the connected wallet, once its address is checked. */
export function DepositPanel({
  session,
  own,
  sent,
  onBusy,
}: {
  session: Session;
  own: OwnVault;
  sent: SentPayments;
  onBusy: (isBusy: boolean) => void;
}) {
  const { data: config } = useQuery(configQuery);
  const { data: chain } = useQuery(chainQuery);
  const queries = useQueryClient();
  const [draft, dispatch] = useReducer(reducer, EMPTY_DRAFT);
  const { stage, progress, problem, run, back } = usePaymentFlow<PreparedPayment>(onBusy);
  const { sats } = calculateSummary(draft);
  const errors = getErrors(draft, null);
  const bounds = walletRateBounds(chain);
  const feeRate = feeRateOf(draft.fee, chain, bounds);
  const paymentAddress = session.addresses.payment.address;

  const prepare = () =>
    run(async (setProgress) => {
      if (!config || feeRate === null) return { at: "form" };
      setProgress("Checking the address");
      const { vaultAddress } = own;
      await queries.fetchQuery(vaultCheckQuery(session, own));
      setProgress("Preparing the deposit");
      const { network } = config;
      const prepared = await prepareDeposit({ sats, feeRate, to: vaultAddress, paymentAddress, network });
      return { at: "review", prepared };
    });

  const send = (prepared: PreparedPayment) =>
    run(async (setProgress) => {
      setProgress("Please sign with wallet...");
      const signed = await signTransaction(prepared);
      setProgress("Sending");
      const transactionId = await submitDeposit(signed);
      sent.add(transactionId);
      await queries.invalidateQueries({ queryKey: ["vault", session.userId] });
      return { at: "sent", transactionId };
    });

  return (
    <section aria-label="From your wallet" className="flex flex-col gap-3">
      <DepositWarning />
      <PaymentProblem problem={problem} kept="Nothing has left your wallet." />
      {stage.at === "form" && (
        <PaymentForm
          draft={draft}
          dispatch={dispatch}
          errors={errors}
          disabled={progress !== null}
          maxSats={null}
          label="Deposit from your wallet"
          hint="Out of your payment address."
          submit={progress ?? "Review deposit"}
          bounds={bounds}
          canSubmit={
            sats > 0n && errors.length === 0 && feeRate !== null && progress === null && config !== undefined
          }
          onSubmit={() => void prepare()}
        />
      )}
      {stage.at === "review" && (
        <PaymentReview
          facts={depositFacts(stage.prepared, paymentAddress)}
          transactions={[stage.prepared]}
          label={`Deposit ${formatBtcExact(stage.prepared.sats)} BTC`}
          progress={progress}
          onBack={back}
          onSign={() => void send(stage.prepared)}
        />
      )}
      {stage.at === "sent" && (
        <PaymentSent
          transactionId={stage.transactionId}
          stage={sent.stageOf(stage.transactionId)}
          texts={SENT}
          again="Deposit more"
          onAgain={back}
        />
      )}
    </section>
  );
}

function depositFacts({ sats, feeSats, address }: PreparedPayment, paymentAddress: string): SigningFacts {
  return {
    outgoing: [
      { what: `${formatBtc(sats + feeSats, 8)} BTC`, address: paymentAddress, note: "with the fee" },
    ],
    incomingTo: "vault",
    incoming: [{ what: `${formatBtc(sats, 8)} BTC`, address }],
    fees: [{ what: `${formatBtc(feeSats, 8)} BTC`, note: "Network fee" }],
    deadline: "None. Sign when you are ready; the fee estimate is current.",
    atDefault: null,
    exit: "Withdraw at any time. If Lienbook is unavailable, you can take it out after a day with your ordinals key and the vault kit.",
  };
}
