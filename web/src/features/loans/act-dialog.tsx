import { CircleCheck } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { ExplorerLink } from "@/shared/chain/explorer-link";
import { givenBack, usePreparedHold } from "@/shared/signing/prepared-hold";
import { SigningProgress, signStepLabel } from "@/shared/signing/signing-progress";
import { SigningSummary } from "@/shared/signing/signing-summary";
import { Button, buttonClass } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import {
  type ActState,
  heldBy,
  isBusy,
  isCancelled,
  type PreparedAct,
  prepareAct,
  signAndSend,
} from "./signing-act";
import { useLoanNews } from "./use-loan-news";

/** The texts shown after success. */
export interface SentWords {
  title: string;
  next: string;
}

interface ActDialogProps {
  title: ReactNode;
  description?: ReactNode;
  /** Asks the server for the transactions to sign; null while a decision is missing. */
  prepare: (() => Promise<PreparedAct>) | null;
  /** The inputs of the decision. Without them the server is asked at once. */
  children?: ReactNode;
  /** An alternative to the refused preparation. */
  next?: { text: string; prepare: () => Promise<PreparedAct> } | undefined;
  /**
   * URL of other offers, for when the one of a prepared loan is gone. Without it that is an error like any
   * other.
   */
  otherOffers?: string;
  /** The verification that the server may demand while it prepares. */
  verification?: ReactNode;
  estimateS: number;
  sent: SentWords;
  onClose: () => void;
}

/** Decide, review, sign, result: the same four steps for every action on a loan. */
export function ActDialog({
  title,
  description,
  prepare,
  children,
  next,
  otherOffers,
  verification,
  estimateS,
  sent,
  onClose,
}: ActDialogProps) {
  const [state, setState] = useState<ActState>({ step: "deciding", error: null });
  const retell = useLoanNews();
  const hold = usePreparedHold();
  const isImmediate = children === undefined;

  const onState = useCallback(
    (next: ActState) => {
      const giveBack = heldBy(next);
      hold.set(giveBack ? () => giveBack().finally(retell) : null);
      if (next.step === "ready" && next.error !== null && isCancelled(next.error)) {
        notify.warning(next.error);
        setState({ ...next, error: null });
      } else {
        setState(next);
      }
      if (next.step === "sent" || "isOfferGone" in next) retell();
    },
    [hold, retell],
  );

  const ask = useCallback(
    async (wanted: () => Promise<PreparedAct>) => {
      onState({ step: "preparing" });
      await givenBack();
      await prepareAct(wanted, onState);
    },
    [onState],
  );

  // Requested once, although a development build mounts everything twice.
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isImmediate || isAsked.current || prepare === null) return;
    isAsked.current = true;
    void ask(prepare);
  }, [isImmediate, prepare, ask]);

  const busy = isBusy(state);
  const isGone = otherOffers !== undefined && "isOfferGone" in state;
  const error = "error" in state ? state.error : null;
  return (
    <Modal
      open
      onClose={onClose}
      busy={busy && state.step !== "preparing"}
      title={title}
      description={description}
      footer={
        <ActFooter
          otherOffers={isGone ? otherOffers : null}
          state={state}
          isImmediate={isImmediate}
          canPrepare={prepare !== null}
          onPrepare={() => prepare && void ask(prepare)}
          onBack={() => {
            void hold.giveBack();
            setState({ step: "deciding", error: null });
          }}
          onSign={(prepared, signed) => void signAndSend(prepared, signed, onState)}
          onClose={onClose}
        />
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        {state.step === "deciding" && children}
        {state.step === "ready" && !isGone && (
          <SigningSummary facts={state.prepared.facts} transactions={state.prepared.transactions} />
        )}
        {busy && <ActProgress state={state} estimateS={estimateS} />}
        {state.step === "sent" && <ActSent transactionId={state.transactionId} {...sent} />}
        {error !== null && (
          <ActError
            text={
              isGone
                ? "This offer is no longer available. Nothing was pledged."
                : next
                  ? `${error}. ${next.text}`
                  : error
            }
          >
            {next && state.step === "deciding" && (
              <Button size="small" className="self-start" onClick={() => void ask(next.prepare)}>
                Take the next offer
              </Button>
            )}
          </ActError>
        )}
        {verification}
      </div>
    </Modal>
  );
}

/** An error, scrolled into view as soon as it appears. */
function ActError({ text, children }: { text: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed text is a new error.
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [text]);
  return (
    <div
      ref={box}
      role="alert"
      className="flex flex-col gap-2 rounded-control bg-down-tint px-3 py-2 text-sm text-down"
    >
      <p className="wrap-anywhere">{text}</p>
      {children}
    </div>
  );
}

interface ActFooterProps {
  /** URL of other offers; null unless the one of this loan is gone. */
  otherOffers: string | null;
  state: ActState;
  isImmediate: boolean;
  canPrepare: boolean;
  onPrepare: () => void;
  onBack: () => void;
  onSign: (prepared: PreparedAct, signed: string[] | null) => void;
  onClose: () => void;
}

function ActFooter({
  otherOffers,
  state,
  isImmediate,
  canPrepare,
  onPrepare,
  onBack,
  onSign,
  onClose,
}: ActFooterProps) {
  if (otherOffers !== null) {
    return (
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Close</Button>
        <Link to={otherOffers} onClick={onClose} className={buttonClass({ variant: "primary" })}>
          Find another offer
        </Link>
      </div>
    );
  }
  if (state.step === "sent") {
    return (
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    );
  }
  const busy = isBusy(state);
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {state.step === "ready" && !isImmediate ? (
        <Button onClick={onBack}>Back</Button>
      ) : (
        <Button onClick={onClose} disabled={busy && state.step !== "preparing"}>
          Cancel
        </Button>
      )}
      {state.step === "ready" ? (
        <Button variant="primary" onClick={() => onSign(state.prepared, state.signed)}>
          {state.signed ? "Send it again" : state.prepared.label}
        </Button>
      ) : (
        <Button variant="primary" disabled={busy || !canPrepare} onClick={onPrepare}>
          {busy ? busyLabel(state) : isImmediate ? "Try again" : "Continue"}
        </Button>
      )}
    </div>
  );
}

function busyLabel({ step }: ActState): string {
  return step === "signing" ? "Please sign with wallet..." : "Loading...";
}

function ActProgress({ state, estimateS }: { state: ActState; estimateS: number }) {
  const count = state.step === "signing" ? state.prepared.transactions.length : 1;
  const number = state.step === "signing" ? state.index + 1 : 1;
  return (
    <SigningProgress
      steps={[
        { id: "preparing", label: "Selecting coins and building the transaction" },
        { id: "signing", label: signStepLabel(number, count) },
        { id: "sending", label: "Checking the signature and sending it" },
      ]}
      current={state.step as "preparing" | "signing" | "sending"}
      estimateS={estimateS}
    />
  );
}

function ActSent({ transactionId, title, next }: SentWords & { transactionId: string }) {
  return (
    <div className="flex flex-col items-center gap-3 py-8 text-center" role="status">
      <CircleCheck size={40} strokeWidth={1.5} aria-hidden className="text-up" />
      <h3 className="text-lg">{title}</h3>
      <p className="max-w-sm text-sm text-pretty text-soft">{next}</p>
      <p className="flex flex-wrap items-center justify-center gap-2 text-sm text-muted">
        Transaction <ExplorerLink transactionId={transactionId} />
      </p>
    </div>
  );
}
