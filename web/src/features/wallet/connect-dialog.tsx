import { useQuery } from "@tanstack/react-query";
import { ExternalLink, Wallet } from "lucide-react";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { type NamedStep, StepList } from "@/shared/ui/step-list";
import { loadDevWallet } from "./dev-wallet-gate";
import { type WalletChoice, walletChoices } from "./wallet-choices";
import { WalletError } from "./wallet-error";
import { type SignInProgress, type SignInStep, signIn } from "./wallet-session";

const STEPS: ReadonlyArray<NamedStep<SignInStep>> = [
  { id: "connect", label: "Choose an account in the wallet" },
  { id: "nonce", label: "Fetching nonce" },
  { id: "signature", label: "Please sign with wallet..." },
  { id: "ordinals", label: "Please sign with your ordinals address too" },
  { id: "session", label: "Opening your session" },
];

/** The wallets to choose from, then the steps of signing in with the chosen one. */
export function ConnectDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const config = useQuery(configQuery);
  const wallets = useQuery({
    queryKey: ["wallets", config.data?.demo],
    queryFn: async () => {
      if (config.data) await loadDevWallet(config.data);
      return walletChoices();
    },
    enabled: open && !config.isPending,
    staleTime: 0,
  });
  const [progress, setProgress] = useState<SignInProgress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  async function connect(wallet: WalletChoice) {
    if (!config.data) return;
    setProblem(null);
    try {
      await signIn(wallet.id, config.data.network, setProgress);
      onClose();
    } catch (error) {
      const message = errorText(error);
      if (error instanceof WalletError && error.kind === "cancelled") notify.warning(message);
      setProblem(message);
    } finally {
      setProgress(null);
    }
  }

  function leave() {
    setProblem(null);
    onClose();
  }

  return (
    <Modal open={open} onClose={leave} busy={progress !== null} title="Connect a wallet">
      <div className="flex flex-col gap-3 px-5 py-4">
        <p className="text-sm text-soft">
          You sign in with a message, not with a payment, once with each of your addresses. Your keys stay in
          your wallet.
        </p>
        {problem && (
          <p role="alert" className="rounded-control bg-down-tint px-3 py-2 text-sm text-down">
            {problem}
          </p>
        )}
        {progress ? (
          <div className="py-2">
            <StepList
              steps={progress.hasTwoAddresses ? STEPS : STEPS.filter(({ id }) => id !== "ordinals")}
              current={progress.step}
            />
          </div>
        ) : (
          <WalletChoices
            wallets={wallets.data ?? null}
            unreachable={config.isError}
            onChoose={(wallet) => void connect(wallet)}
            onRetry={() => void config.refetch()}
          />
        )}
      </div>
    </Modal>
  );
}

function WalletChoices({
  wallets,
  unreachable,
  onChoose,
  onRetry,
}: {
  wallets: WalletChoice[] | null;
  unreachable: boolean;
  onChoose: (wallet: WalletChoice) => void;
  onRetry: () => void;
}) {
  if (unreachable) {
    return (
      <div className="flex flex-col items-start gap-3 py-2">
        <p className="text-sm text-soft">
          The server could not be reached. Signing in is not possible right now.
        </p>
        <Button onClick={onRetry}>Try again</Button>
      </div>
    );
  }
  if (!wallets) return <p className="py-4 text-sm text-muted">Looking for wallets in this browser</p>;
  return (
    <ul className="flex flex-col gap-2">
      {wallets.map((wallet) => (
        <li key={wallet.id}>
          {wallet.isInstalled ? (
            <button type="button" onClick={() => onChoose(wallet)} className={CHOICE_CLASS}>
              <WalletIcon icon={wallet.icon} />
              <span className="min-w-0 flex-1 truncate text-sm font-strong">{wallet.name}</span>
            </button>
          ) : (
            <a href={wallet.home ?? "#"} target="_blank" rel="noreferrer" className={CHOICE_CLASS}>
              <WalletIcon icon={wallet.icon} />
              <span className="min-w-0 flex-1 truncate text-sm text-soft">{wallet.name}</span>
              <span className="flex items-center gap-1.5 text-xs text-muted">
                Not installed
                <ExternalLink size={14} aria-hidden />
                <span className="sr-only">opens its page in a new tab</span>
              </span>
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

const CHOICE_CLASS =
  "flex h-14 w-full items-center gap-3 rounded-control border border-line px-4 text-left transition-colors hover:border-line-strong hover:bg-raised";

/** Shows only icons with embedded bytes: a wallet's entry must not make the page send any request. */
function WalletIcon({ icon }: { icon: string | undefined }) {
  const [isBroken, setIsBroken] = useState(false);
  if (!icon?.startsWith("data:image/") || isBroken) {
    return <Wallet size={20} aria-hidden className="text-muted" />;
  }
  return <img src={icon} alt="" className="size-6 rounded-control" onError={() => setIsBroken(true)} />;
}
