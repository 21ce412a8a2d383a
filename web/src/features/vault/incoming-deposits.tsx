import { Check, Clock, TriangleAlert } from "lucide-react";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import { classNames } from "@/shared/ui/class-names";
import { type IncomingDeposit, incomingDepositsOf } from "./deposits-by-transaction";
import type { VaultOutput } from "./vault-requests";

const STATE: Record<VaultOutput["state"], { text: string; tone: "good" | "waits" | "stuck" }> = {
  usable: { text: "Counted", tone: "good" },
  waiting: { text: "Seen, waiting for confirmation", tone: "waits" },
  leaving: { text: "On its way out", tone: "waits" },
  carries_assets: { text: "Carries inscriptions or runes: withdraw it with your kit", tone: "stuck" },
  unread: { text: "Confirmed, being checked", tone: "waits" },
  immature: { text: "Newly mined, counts after 100 blocks", tone: "waits" },
};

const ICON = { good: Check, waits: Clock, stuck: TriangleAlert } as const;

/** The vault's outputs and their states, payment by payment, the waiting ones first. */
export function IncomingDeposits({ outputs }: { outputs: readonly VaultOutput[] }) {
  const waitingFirst = incomingDepositsOf(outputs).sort((a, b) => place(a) - place(b));
  return (
    <ul className="flex flex-col gap-2" aria-label="Deposits" aria-live="polite">
      {waitingFirst.map(({ transactionId, sats, state, outputCount }) => {
        const { text, tone } = STATE[state];
        const Icon = ICON[tone];
        return (
          <li
            key={`${transactionId}/${state}`}
            data-deposit={state}
            className="flex items-center gap-3 rounded-control border border-line px-3 py-2 text-sm"
          >
            <Icon
              size={16}
              aria-hidden
              className={classNames(
                "shrink-0",
                tone === "good" && "text-up",
                tone === "waits" && "text-muted",
                tone === "stuck" && "text-warn",
              )}
            />
            <span className="flex min-w-0 flex-1 flex-col">
              <span>{text}</span>
              <span className="truncate font-mono text-xs text-muted" title={transactionId}>
                {shortenAddress(transactionId, 6)}
                {outputCount > 1 && ` in ${outputCount} outputs`}
              </span>
            </span>
            <span className="whitespace-nowrap">
              {formatBtc(sats, 6)} <span className="text-muted">BTC</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function place({ state }: IncomingDeposit): number {
  return state === "usable" ? 2 : state === "leaving" ? 1 : 0;
}
