import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";

/** A whole address, because a shortened one cannot be checked, and the button that copies it. */
export function CopyAddress({ address }: { address: string }) {
  const [isCopied, setIsCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(address);
      setIsCopied(true);
      notify.success("Copied to clipboard");
    } catch {
      notify.error("The address could not be copied", "Select it and copy it by hand.");
    }
  }
  return (
    <div className="flex min-w-0 flex-col items-start gap-3">
      <p className="font-mono text-sm break-all text-text select-all" data-testid="vault-address">
        {address}
      </p>
      <Button size="small" onClick={() => void copy()}>
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        Copy address
      </Button>
    </div>
  );
}
