import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { signMessage } from "@/shared/bitcoin/message-signer";
import { chainQuery } from "@/shared/chain/chain-status";
import { FASTEST, feeRateOf, walletRateBounds } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import type { SigningFacts } from "@/shared/signing/signing-facts";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import type { OwnVault } from "@/shared/vault/vault-query";
import { type PreparedMove, prepareMove, submitMove } from "./move-requests";
import { PaymentProblem, PaymentReview } from "./payment-review";
import { usePaymentFlow } from "./use-payment-flow";
import type { SentPayments } from "./use-sent-payments";

type Move = PreparedMove & { feeRate: number };

/** Says that earlier signers still hold the vault, and moves all of it to the present ones by one signature. */
export function MoveVault({
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
  const [fee, setFee] = useState(FASTEST);
  const { stage, progress, problem, run, back } = usePaymentFlow<Move>(onBusy);
  const bounds = walletRateBounds(chain);
  const feeRate = feeRateOf(fee, chain, bounds);
  const isEmpty = own.balanceSats === 0n;
  if (own.newSigners === null) return null;

  const prepare = () =>
    run(async (setProgress) => {
      if (!config || feeRate === null) return { at: "form" };
      setProgress("Preparing the move");
      const prepared = await prepareMove({ own, session, config, feeRate });
      return { at: "review", prepared: { ...prepared, feeRate } };
    });

  const send = (move: Move) =>
    run(async (setProgress) => {
      setProgress("Please sign with wallet...");
      const signature = await signMessage(session.addresses.ordinals.address, move.message);
      setProgress("Moving your vault");
      const { transactionId } = await submitMove(move, signature, move.feeRate);
      sent.add(transactionId);
      notify.success("Your vault is moving", "Save its new kit. Quote again once it is confirmed.");
      await queries.invalidateQueries({ queryKey: ["vault", session.userId] });
      return { at: "sent", transactionId };
    });

  return (
    <section
      aria-label="Move your vault"
      className="flex flex-col gap-3 border-b border-line px-5 py-4 text-sm"
    >
      <p className="text-warn">
        {heldBy(own)} {becomes(own.newSigners)}
      </p>
      <PaymentProblem problem={problem} kept="Nothing has left your vault." />
      {stage.at === "form" && (
        <>
          <p className="text-xs text-soft">
            One signature moves everything in it, less a network fee that you see first. Your instant offers
            and the permissions of programs end with it, because you signed them for the earlier signers;
            running loans are not affected.
          </p>
          <FeeRatePicker choice={fee} disabled={progress !== null} bounds={bounds} onChange={setFee} />
          <Button
            disabled={isEmpty || progress !== null || feeRate === null || config === undefined}
            onClick={() => void prepare()}
          >
            {progress ?? "Review the move"}
          </Button>
          {isEmpty && <p className="text-xs text-muted">There is nothing in it to move yet.</p>}
        </>
      )}
      {stage.at === "review" && (
        <PaymentReview
          facts={moveFacts(stage.prepared)}
          label="Move the vault"
          progress={progress}
          onBack={back}
          onSign={() => void send(stage.prepared)}
        />
      )}
    </section>
  );
}

/** The signers that hold the vault now. */
function heldBy({ signerKeys, signersRequired }: OwnVault): string {
  return signerKeys.length === 1
    ? "Your vault is still held by an earlier single signer."
    : `Your vault is still held by earlier signers, ${signersRequired} of ${signerKeys.length}.`;
}

function becomes({ required, count }: { required: number; count: number }): string {
  return count === 1
    ? "New vaults are held by another one."
    : `New vaults need any ${required} of ${count} signers for each payment.`;
}

function moveFacts(move: PreparedMove): SigningFacts {
  const until = new Date(move.expires * 1_000).toLocaleTimeString("en-GB", { timeStyle: "short" });
  const { required, count } = { required: move.to.signersRequired, count: move.to.signers.length };
  const stays =
    move.staysSats > 0n
      ? ` ${formatBtc(move.staysSats, 8)} BTC stays there, which carries inscriptions or runes or is not indexed yet.`
      : "";
  return {
    outgoingFrom: "vault",
    outgoing: [
      { what: `${formatBtc(move.sats, 8)} BTC`, address: move.fromAddress, note: "everything in it" },
    ],
    incomingTo: "vault",
    incoming: [
      {
        what: `${formatBtc(move.arrivesSats, 8)} BTC`,
        address: move.to.address,
        note: count === 1 ? "held by one signer" : `held by ${required} of ${count} signers`,
      },
    ],
    fees: [
      {
        what: `${formatBtc(move.feeSats, 8)} BTC`,
        note: `Network fee, at most ${formatBtc(move.feeMaxSats, 8)} BTC`,
      },
    ],
    deadline: `Sign before ${until}. Your instant offers leave the book: they were signed for the earlier signers.`,
    atDefault: null,
    exit: `Later deposits to the old address can be taken out with the vault kit of that address alone.${stays}`,
  };
}
