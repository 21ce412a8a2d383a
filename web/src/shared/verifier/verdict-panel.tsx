import { ShieldAlert, ShieldCheck } from "lucide-react";
import { Fragment } from "react";
import { capitalized } from "@/shared/format/capitalized";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import type { Question } from "./question";
import { useVerdicts } from "./use-verdicts";
import { type CheckedMovement, refusalOf, type Verdict } from "./verdict";

/** What the verifier in this browser found in the transactions to sign: where everything goes, or what disagrees. */
export function VerdictPanel({ questions }: { questions: readonly Question[] }) {
  const verdicts = useVerdicts(questions);
  if (questions.length === 0) return null;
  if (verdicts === null) {
    return (
      <p role="status" className="rounded-card border border-line px-4 py-3 text-sm text-muted">
        Checking the transaction in this browser
      </p>
    );
  }
  const refusal = verdicts.map(refusalOf).find((reason) => reason !== null);
  if (refusal !== undefined) return <Refused reason={refusal} />;
  return (
    <section
      aria-label="Checked in this browser"
      className="flex flex-col gap-3 rounded-card border border-line bg-ground px-4 py-3 text-sm"
    >
      <div className="flex items-start gap-2">
        <ShieldCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-up" />
        <div>
          <h3>Checked in this browser</h3>
          <p className="text-xs text-soft">
            Built again from these terms and your own keys: every input, output and signature is as they
            demand.
          </p>
        </div>
      </div>
      {verdicts.map((verdict, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the verdicts of a review never change their order.
        <Fragment key={index}>
          {verdicts.length > 1 && <h4 className="text-xs text-muted">Loan {index + 1}</h4>}
          <Agreed verdict={verdict} />
        </Fragment>
      ))}
      <p className="text-xs text-muted">
        Not provable here: which inscription or rune a coin carries. That is what the indexers report.
      </p>
    </section>
  );
}

function Agreed({ verdict: { movements, proofs } }: { verdict: Verdict }) {
  return (
    <>
      <ul className="flex flex-col gap-1.5">
        {movements.map((movement, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a verdict never changes, and two fees have one name.
          <MovementLine key={index} movement={movement} />
        ))}
      </ul>
      {proofs.length > 0 && (
        <ul className="flex flex-col gap-1 text-xs text-soft">
          {proofs.map((proof) => (
            <li key={proof}>{proof}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function MovementLine({ movement: { what, to, sats, address } }: { movement: CheckedMovement }) {
  return (
    <li className="flex items-baseline justify-between gap-3">
      <span className="min-w-0">
        {capitalized(what)}
        {to === "you" && <span className="text-muted"> (yours)</span>}
        {address !== null && (
          <span className="block truncate font-mono text-xs text-muted" title={address}>
            {shortenAddress(address, 8)}
          </span>
        )}
      </span>
      <span className="shrink-0">{formatBtc(sats, 8)} BTC</span>
    </li>
  );
}

function Refused({ reason }: { reason: string }) {
  return (
    <section
      role="alert"
      aria-label="Refused by the check in this browser"
      className="flex items-start gap-2 rounded-card bg-down-tint px-4 py-3 text-sm text-down"
    >
      <ShieldAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="flex min-w-0 flex-col gap-1">
        <h3>Do not sign: this is not what you agreed to</h3>
        <p className="wrap-anywhere">{capitalized(reason)}.</p>
        <p className="text-xs">
          The check in this browser refused it. Your wallet is not asked, and nothing was signed.
        </p>
      </div>
    </section>
  );
}
