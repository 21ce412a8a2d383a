import { ShieldAlert, ShieldCheck, ShieldQuestion } from "lucide-react";
import { Button } from "@/shared/ui/button";
import type { CheckedVault } from "./checked-vault";
import type { VaultCheck } from "./vault-check";

/** What the verifier in this browser found out about the address of the vault. */
export function VaultCheckNote({ check }: { check: VaultCheck }) {
  switch (check.status) {
    case "pending":
      return (
        <p role="status" className="text-xs text-muted">
          Checking the address in this browser
        </p>
      );
    case "checked":
      return (
        <p role="status" className="flex items-start gap-2 text-xs text-soft">
          <ShieldCheck size={16} aria-hidden className="shrink-0 text-up" />
          <span>Address checked in this browser. {checkedText(check.vault)}</span>
        </p>
      );
    case "refused":
      return (
        <p
          role="alert"
          className="flex items-start gap-2 rounded-control bg-down-tint px-3 py-2 text-sm text-down"
        >
          <ShieldAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
          <span>
            Do not pay to the address that this server shows. It was derived again in this browser, and it is
            not yours: {check.reason}.
          </span>
        </p>
      );
    case "failed":
      return (
        <div
          role="alert"
          className="flex items-center justify-between gap-3 rounded-control bg-warn-tint px-3 py-2 text-sm text-warn max-sm:flex-col max-sm:items-start"
        >
          <span className="flex items-start gap-2">
            <ShieldQuestion size={16} aria-hidden className="mt-0.5 shrink-0" />
            <span>
              The address could not be checked in this browser yet: {check.message}. Do not pay to a new vault
              before it is.
            </span>
          </span>
          <Button size="small" onClick={check.retry}>
            Try again
          </Button>
        </div>
      );
  }
}

function checkedText({ required, count, isAttested }: CheckedVault): string {
  return isAttested
    ? `It follows from your own key and the keys of the ${count} signers in its policy, any ${required} of which sign.`
    : "Your own key is in it, by which you can take everything out. Nothing attests the key of a single signer.";
}
