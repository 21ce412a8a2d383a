import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { ownVaultQuery } from "@/shared/vault/vault-query";
import { vaultCheckQuery } from "./vault-check";
import { type CreateVaultStep, openVault } from "./vault-requests";

const STEP: Record<CreateVaultStep, string> = {
  nonce: "Fetching nonce",
  signature: "Please sign with wallet...",
  opening: "Opening your vault",
};

/** An explanation of vaults, and the signature that opens one. */
export function CreateVault({ onBusy }: { onBusy: (isBusy: boolean) => void }) {
  const session = useSession((state) => state.session);
  const config = useQuery(configQuery);
  const queries = useQueryClient();
  const [step, setStep] = useState<CreateVaultStep | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  async function create() {
    if (!session || !config.data) return;
    setProblem(null);
    onBusy(true);
    try {
      const vault = await openVault(session, config.data, setStep);
      queries.setQueryData(ownVaultQuery(session.userId).queryKey, vault);
      await queries.invalidateQueries({ queryKey: ["vault", session.userId] });
      // The dialog says why, if it is not.
      const isChecked = await queries.fetchQuery(vaultCheckQuery(session, vault)).then(
        () => true,
        () => false,
      );
      if (isChecked) notify.success("Your vault is open", "Fund it to back instant offers.");
      else notify.warning("Your vault is open", "Its address is not checked: do not pay to it yet.");
    } catch (error) {
      if (error instanceof SignatureCancelled) notify.warning(error.message);
      setProblem(errorText(error));
    } finally {
      setStep(null);
      onBusy(false);
    }
  }

  const isHardware = session?.hardwareWallet ?? false;
  return (
    <div className="flex flex-col gap-4 px-5 py-5 text-sm">
      <p className="text-base text-text">Create a prefunded account to provide instant liquidity</p>
      <ul className="flex list-disc flex-col gap-2 pl-4 text-soft">
        <li>Bitcoin in your vault pays your instant offers the moment a borrower takes one.</li>
        <li>Its signer pays only into loans whose offer you have signed, or back to your own wallet.</li>
        <li>With your ordinals key alone you can take everything out after a day, even if we are gone.</li>
      </ul>
      {problem && (
        <p role="alert" className="rounded-control bg-down-tint px-3 py-2 text-down">
          {problem}. No vault was opened, and nothing has left your wallet.
        </p>
      )}
      {isHardware && (
        <p className="rounded-control bg-warn-tint px-3 py-2 text-warn">
          Hardware wallets cannot sign the withdrawal that needs no signer, so they cannot open a vault.
        </p>
      )}
      <Button
        variant="primary"
        size="large"
        disabled={step !== null || !config.data || isHardware}
        onClick={() => void create()}
      >
        {step ? STEP[step] : "Create vault"}
      </Button>
      <p className="text-xs text-muted" aria-live="polite">
        You sign a message with your ordinals address. Nothing is paid, and nothing is locked.
      </p>
    </div>
  );
}
