import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { errorText } from "@/shared/api/error-text";
import { formatBtc } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { downloadVaultKit, previousVaultsQuery } from "./vault-requests";

/** The addresses that the vault was moved away from, with what is there, and the kits that take it out. */
export function PreviousVaults({ userId }: { userId: string }) {
  const previous = useQuery(previousVaultsQuery(userId));

  async function download(address: string) {
    try {
      await downloadVaultKit(address);
    } catch (error) {
      notify.error("The kit could not be downloaded", errorText(error));
    }
  }

  return (
    <section
      aria-label="Earlier addresses"
      className="flex flex-col gap-2 border-t border-line px-5 py-4 text-xs"
    >
      <p className="text-soft">
        Your vault was moved. Do not pay to its earlier addresses: only you can take out what arrives there,
        with the kit of that address, a day later.
      </p>
      {previous.isError && <p className="text-muted">{previous.error.message}. Reopen this to try again.</p>}
      <ul className="flex flex-col gap-2">
        {previous.data?.data.map(({ address, sats }) => (
          <li key={address} className="flex items-center justify-between gap-4">
            <span className="min-w-0">
              <span className="block break-all font-mono">{address}</span>
              <span className={sats > 0n ? "text-warn" : "text-muted"}>
                {sats > 0n ? `${formatBtc(sats, 8)} BTC is there` : "Nothing is there"}
              </span>
            </span>
            <Button size="small" onClick={() => void download(address)}>
              <Download size={14} aria-hidden />
              Kit
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
