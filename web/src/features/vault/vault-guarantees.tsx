import { Download } from "lucide-react";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { Session } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { OfflinePageLink } from "@/shared/ui/offline-page-link";
import type { OwnVault } from "@/shared/vault/vault-query";
import { useVaultCheck } from "./vault-check";
import { downloadVaultKit } from "./vault-requests";

/** The vault's guarantees: the unilateral exit, its signers, and their policy. */
export function VaultGuarantees({ session, own }: { session: Session; own: OwnVault | null }) {
  const [isFetching, setIsFetching] = useState(false);

  async function download() {
    setIsFetching(true);
    try {
      await downloadVaultKit();
    } catch (error) {
      const reason = errorText(error);
      notify.error("The kit could not be downloaded", `${reason}. Your vault is not affected.`);
    } finally {
      setIsFetching(false);
    }
  }

  return (
    <section
      aria-label="If Lienbook is unavailable"
      className="flex flex-col gap-3 border-t border-line px-5 py-4"
    >
      <div className="flex items-center justify-between gap-4">
        <p className="text-xs text-soft">
          With the vault kit, your ordinals key and any Bitcoin node you can take everything out yourself, a
          day after the deposit.
        </p>
        <Button size="small" disabled={isFetching} onClick={() => void download()}>
          <Download size={14} aria-hidden />
          Vault kit
        </Button>
      </div>
      <OfflinePageLink />
      {own ? <Signers session={session} own={own} /> : null}
      <details className="text-xs text-soft">
        <summary className="cursor-pointer rounded-control py-1">What may be signed from your vault</summary>
        {own?.policy ? (
          <>
            <pre className="mt-2 rounded-control bg-ground p-3 font-mono text-xs whitespace-pre-wrap">
              {own.policy}
            </pre>
            <p className="mt-2 break-all text-muted">
              Every message you sign for an offer names the hash of these rules:{" "}
              <span className="font-mono">{own.canisterId}</span>
            </p>
          </>
        ) : (
          <p className="mt-2 text-muted">Too few signers respond right now. Reopen this to try again.</p>
        )}
      </details>
    </section>
  );
}

/** Who signs the payments; nothing about an address that turns out to be of other keys. */
function Signers({ session, own }: { session: Session; own: OwnVault }) {
  const { status } = useVaultCheck(session, own);
  return status === "refused" ? null : <p className="text-xs text-soft">{signersText(own)}</p>;
}

/** Number of signers that a payment needs, and what one of them can do alone. */
function signersText({ signerKeys, signersRequired }: OwnVault): string {
  if (signerKeys.length === 1) {
    return "One signer signs each payment. Its key alone could spend the vault.";
  }
  return `Any ${signersRequired} of ${signerKeys.length} signers sign each payment, and each checks it by itself. Fewer cannot spend anything.`;
}
