import { formatBtc } from "@/shared/format/sats";
import { Changing } from "@/shared/ui/changing";
import type { OwnVault } from "@/shared/vault/vault-query";

/** The vault's balance, live: the usable part, and the parts on their way in or out. */
export function VaultBalance({
  usableSats,
  own,
  isPaymentInTransit,
}: {
  usableSats: bigint;
  /** Null while it is loading. */
  own: OwnVault | null;
  /** Whether a payment that was just sent is unconfirmed. */
  isPaymentInTransit: boolean;
}) {
  return (
    <section aria-label="Balance" className="flex flex-col gap-1 border-b border-line px-5 py-4">
      <p className="text-xs text-muted">Ready to lend</p>
      <p className="text-lg font-strong" data-testid="vault-usable">
        <Changing value={usableSats}>{formatBtc(usableSats, 6)}</Changing>{" "}
        <span className="text-sm font-normal text-muted">BTC</span>
      </p>
      {/* Always one line, so that nothing below it moves. */}
      <p className="min-h-4 text-xs text-soft" aria-live="polite">
        {own?.waitingSats === 0n && isPaymentInTransit && "A payment is waiting for confirmation. "}
        {own?.waitingSats === 0n &&
          own.heldSats === 0n &&
          !isPaymentInTransit &&
          "Nothing is pending or reserved."}
        {own && own.waitingSats > 0n && (
          <span data-testid="vault-waiting">
            {formatBtc(own.waitingSats, 6)} BTC arrives with the next blocks.{" "}
          </span>
        )}
        {own && own.heldSats > 0n && (
          <span>{formatBtc(own.heldSats, 6)} BTC is reserved for borrowers who are signing.</span>
        )}
      </p>
    </section>
  );
}
