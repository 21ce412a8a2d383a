import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useReducer } from "react";
import { signMessage } from "@/shared/bitcoin/message-signer";
import { chainQuery } from "@/shared/chain/chain-status";
import { feeRateOf, walletRateBounds } from "@/shared/chain/fee-rate";
import { formatBtc, formatBtcExact } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import type { SigningFacts } from "@/shared/signing/signing-facts";
import { useLenderConfig } from "@/shared/vault/use-lender-config";
import { calculateSummary, EMPTY_DRAFT, getErrors, reducer } from "./payment-draft";
import { PaymentForm } from "./payment-form";
import { PaymentProblem, PaymentReview, PaymentSent } from "./payment-review";
import type { SentStage } from "./sent-payment";
import { usePaymentFlow } from "./use-payment-flow";
import type { SentPayments } from "./use-sent-payments";
import { type PreparedWithdrawal, prepareWithdrawal, submitWithdrawal } from "./withdrawal-requests";

/** A prepared withdrawal, and its fee rate. */
type Withdrawal = PreparedWithdrawal & { feeRate: number };

const SENT: Record<SentStage, string> = {
  "on its way": "Your withdrawal is on its way to your payment address.",
  confirmed: "Your withdrawal is confirmed.",
  returned: "Your withdrawal was never confirmed. Its amount is back in your vault.",
};

/** Withdraws from the vault, only to the user's own payment address. */
export function WithdrawPanel({
  session,
  usableSats,
  sent,
  onBusy,
}: {
  session: Session;
  usableSats: bigint;
  sent: SentPayments;
  onBusy: (isBusy: boolean) => void;
}) {
  const config = useLenderConfig();
  const { data: chain } = useQuery(chainQuery);
  const queries = useQueryClient();
  const [draft, dispatch] = useReducer(reducer, EMPTY_DRAFT);
  const { stage, progress, problem, run, back } = usePaymentFlow<Withdrawal>(onBusy);
  const { sats, requestedSats } = calculateSummary(draft);
  const errors = getErrors(draft, usableSats);
  const bounds = walletRateBounds(chain);
  const feeRate = feeRateOf(draft.fee, chain, bounds);
  const paymentAddress = session.addresses.payment.address;

  const prepare = () =>
    run(async (setProgress) => {
      if (!config || feeRate === null) return { at: "form" };
      setProgress("Preparing the withdrawal");
      const prepared = await prepareWithdrawal({ sats: requestedSats, feeRate, paymentAddress, config });
      return { at: "review", prepared: { ...prepared, feeRate } };
    });

  const send = (prepared: Withdrawal) =>
    run(async (setProgress) => {
      setProgress("Please sign with wallet...");
      const signature = await signMessage(paymentAddress, prepared.message);
      setProgress("Sending");
      const { transactionId } = await submitWithdrawal(prepared, signature, prepared.feeRate);
      sent.add(transactionId);
      await queries.invalidateQueries({ queryKey: ["vault", session.userId] });
      return { at: "sent", transactionId };
    });

  return (
    <section aria-label="Withdraw" className="flex flex-col gap-3 px-5 py-5">
      <PaymentProblem problem={problem} kept="Nothing has left your vault." />
      {stage.at === "form" && (
        <PaymentForm
          draft={draft}
          dispatch={dispatch}
          errors={errors}
          disabled={progress !== null || usableSats === 0n}
          maxSats={usableSats}
          label="Withdraw to your wallet"
          hint={usableSats === 0n ? "There is nothing to withdraw." : "The network fee is taken out of it."}
          submit={progress ?? "Review withdrawal"}
          bounds={bounds}
          canSubmit={
            sats > 0n && errors.length === 0 && feeRate !== null && progress === null && config !== undefined
          }
          onSubmit={() => void prepare()}
        />
      )}
      {stage.at === "review" && (
        <PaymentReview
          facts={withdrawalFacts(stage.prepared)}
          label={`Withdraw ${formatBtcExact(stage.prepared.sats)} BTC`}
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
          again="Withdraw more"
          onAgain={back}
        />
      )}
    </section>
  );
}

function withdrawalFacts(withdrawal: PreparedWithdrawal): SigningFacts {
  const { sats, arrivesSats, feeSats, feeMaxSats, backSats, paymentAddress, outputs, expires } = withdrawal;
  const until = new Date(expires * 1_000).toLocaleTimeString("en-GB", { timeStyle: "short" });
  return {
    outgoingFrom: "vault",
    outgoing: [{ what: `${formatBtc(sats, 8)} BTC`, note: "with the fee" }],
    incoming: [{ what: `${formatBtc(arrivesSats, 8)} BTC`, address: paymentAddress }],
    returns:
      backSats > 0n
        ? [{ what: `${formatBtc(backSats, 8)} BTC`, note: "available again once confirmed" }]
        : [],
    fees: [
      {
        what: `${formatBtc(feeSats, 8)} BTC`,
        note: `Network fee, at most ${formatBtc(feeMaxSats, 8)} BTC`,
      },
    ],
    deadline: `Sign before ${until}. Offers that the rest does not cover pause automatically.`,
    atDefault: null,
    exit: `Spends ${outputs === 1 ? "one coin" : `${outputs} coins`} of your vault. You can always take out the rest with the vault kit.`,
  };
}
