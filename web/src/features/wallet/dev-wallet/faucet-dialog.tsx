import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as v from "valibot";
import { type Collection, categoryOf, decimalsOf, unitOf } from "@/shared/api/collection";
import { request } from "@/shared/api/request";
import { text } from "@/shared/api/wire";
import { useMarket } from "@/shared/feed/use-feed";
import { formatBtc } from "@/shared/format/sats";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { Button } from "@/shared/ui/button";
import { CheckBox } from "@/shared/ui/check-box";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { Segmented } from "@/shared/ui/segmented";

type Kind = "bitcoin" | "ordinals" | "runes" | "brc-20";

const KINDS: ReadonlyArray<{ value: Kind; label: string }> = [
  { value: "bitcoin", label: "Bitcoin" },
  { value: "ordinals", label: "Ordinals" },
  { value: "runes", label: "Runes" },
  { value: "brc-20", label: "BRC-20" },
];

/** Number of bundles that the faucet gives: enough for a loan or two. */
const BUNDLES = 3n;

const faucetAnswer = v.object({ amount: text });

interface FaucetRequest {
  group: Collection | null;
  asTransfer: boolean;
}

/**
 * Amount of tokens to request: one bundle for a transfer inscription, several for a balance; null for coins
 * and inscriptions.
 */
function amountOf({ group, asTransfer }: FaucetRequest): bigint | null {
  if (!group || group.collateralType === "inscription") return null;
  const bundles = group.subCollections.flatMap(({ bundleSize }) => bundleSize ?? []);
  const smallest = bundles.reduce((least, next) => (next < least ? next : least), bundles[0] ?? 1n);
  return asTransfer ? smallest : smallest * BUNDLES;
}

async function requestFunds(faucetRequest: FaucetRequest): Promise<string> {
  const { group, asTransfer } = faucetRequest;
  const received = await request("POST", "/api/v1/devnet/faucet", faucetAnswer, {
    body: {
      ...(group ? { collection_group_slug: group.groupSlug } : {}),
      ...(amountOf(faucetRequest) === null ? {} : { amount: String(amountOf(faucetRequest)) }),
      as_note: asTransfer,
    },
    idempotencyKey: crypto.randomUUID(),
  });
  const { amount } = received;
  if (!group) return `${formatBtc(BigInt(amount))} BTC`;
  if (group.collateralType === "inscription") return `An inscription of ${group.collectionName}`;
  const unit = unitOf(group);
  return `${formatTokenAmount(BigInt(amount), decimalsOf(group))} ${unit}`;
}

/** Requests bitcoin or collateral from the demo's faucet. */
export function FaucetDialog({ onClose }: { onClose: () => void }) {
  const market = useMarket();
  const client = useQueryClient();
  const [kind, setKind] = useState<Kind>("bitcoin");
  const [groupId, setGroupId] = useState<string | null>(null);
  const [asTransfer, setAsTransfer] = useState(true);
  const [isBusy, setIsBusy] = useState(false);
  const groups = [...(market.data?.values() ?? [])]
    .filter((row) => categoryOf(row.collateralType) === kind)
    .sort((one, other) => one.collectionName.localeCompare(other.collectionName));
  const group = groups.find(({ id }) => id === groupId) ?? groups[0] ?? null;
  const isReady = kind === "bitcoin" || group !== null;

  async function submit() {
    setIsBusy(true);
    try {
      const what = await requestFunds({
        group: kind === "bitcoin" ? null : group,
        asTransfer: kind === "brc-20" && asTransfer,
      });
      notify.success(`${what} is on its way`, "It arrives with the next block, in some seconds.");
      await client.invalidateQueries();
    } catch (error) {
      notify.error("The faucet gave nothing", error instanceof Error ? error.message : undefined);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Demo faucet"
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Close
          </Button>
          <Button variant="primary" disabled={isBusy || !isReady} onClick={() => void submit()}>
            {isBusy ? "Loading..." : "Get it"}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <p className="text-sm text-soft">
          This market is simulated. Take what you need to try it; none of it has any value.
        </p>
        <Segmented
          label="What to get"
          value={kind}
          choices={KINDS}
          onChange={setKind}
          className="w-full max-sm:[&>*]:px-1"
        />
        {kind === "bitcoin" ? (
          <p className="text-sm">0.05 BTC to your payment address.</p>
        ) : (
          <label className="flex flex-col gap-1 text-xs text-soft">
            Collection
            <select
              value={group?.id ?? ""}
              onChange={(event) => setGroupId(event.target.value)}
              className="h-10 rounded-control border border-line bg-ground px-3 text-sm text-text"
            >
              {groups.map((row) => (
                <option key={row.id} value={row.id}>
                  {row.collectionName}
                </option>
              ))}
            </select>
          </label>
        )}
        {kind === "brc-20" && (
          <CheckBox checked={asTransfer} onChange={setAsTransfer}>
            As a transfer note that can be pledged at once
          </CheckBox>
        )}
      </div>
    </Modal>
  );
}
