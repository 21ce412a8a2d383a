import { useQuery } from "@tanstack/react-query";
import { CopyAddress } from "./copy-address";
import { IncomingDeposits } from "./incoming-deposits";
import { QrCode } from "./qr-code";
import { vaultOutputsQuery } from "./vault-requests";

/** The server notices an external deposit first, so it is polled while this is open. */
const POLL_INTERVAL_MS = 5_000;

/** The vault's address, as text and as a QR code, unless it is null, as it is not checked; and the arrivals at it. */
export function FundByAddress({ userId, address }: { userId: string; address: string | null }) {
  const outputs = useQuery({ ...vaultOutputsQuery(userId), refetchInterval: POLL_INTERVAL_MS });
  return (
    <>
      {address === null ? (
        <EmptyNote>The address is shown once it is checked.</EmptyNote>
      ) : (
        <div className="flex gap-5 max-sm:flex-col max-sm:items-center">
          {/* Upper case makes a smaller code, and bech32 addresses are case-insensitive. */}
          <QrCode text={address.toUpperCase()} label="The vault's address as a QR code" />
          <div className="flex min-w-0 flex-col justify-between gap-3">
            <CopyAddress address={address} />
            <p className="text-xs text-muted">
              Send plain bitcoin from any wallet. It counts once it is confirmed. Never send inscriptions or
              runes here.
            </p>
          </div>
        </div>
      )}
      <section className="flex flex-col gap-2">
        <h3 className="text-xs text-muted">Deposits</h3>
        {outputs.isError && (
          <p role="alert" className="text-sm text-down">
            {outputs.error.message}. Deposits are not affected; this list is being reloaded.
          </p>
        )}
        {outputs.data && outputs.data.outputs.length > 0 ? (
          <IncomingDeposits outputs={outputs.data.outputs} />
        ) : (
          <EmptyNote>
            {outputs.isPending ? "Fetching" : "Nothing has arrived yet. This list updates automatically."}
          </EmptyNote>
        )}
      </section>
    </>
  );
}

function EmptyNote({ children }: { children: string }) {
  return (
    <p className="flex h-14 items-center rounded-control border border-dashed border-line px-3 text-sm text-muted">
      {children}
    </p>
  );
}
