import { CopyButton } from "@/shared/ui/copy-button";

/** A full address, because a shortened one cannot be verified, and the button that copies it. */
export function CopyAddress({ address }: { address: string }) {
  return (
    <div className="flex min-w-0 flex-col items-start gap-3">
      <p className="font-mono text-sm break-all text-text select-all" data-testid="vault-address">
        {address}
      </p>
      <CopyButton text={address} what="address">
        Copy address
      </CopyButton>
    </div>
  );
}
