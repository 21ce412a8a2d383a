import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { ownCollateralQuery } from "@/shared/api/own-collateral";
import { useMarket } from "@/shared/feed/use-feed";
import { withoutBundleNumber } from "@/shared/format/name";
import { useSession } from "@/shared/session/session-store";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { RequestForm } from "./request-form";

/** Asks lenders for a loan against the user's own collateral. */
export function PlaceRequestDialog({ groupId, onClose }: { groupId: string | null; onClose: () => void }) {
  const session = useSession((state) => state.session);
  const market = useMarket().data;
  const config = useQuery(configQuery);
  const collateral = useQuery({ ...ownCollateralQuery(session?.userId ?? ""), enabled: session !== null });
  const [chosen, setChosen] = useState<string | null>(groupId);
  const rows = market === null ? [] : [...market.values()].filter(({ isLendingAllowed }) => isLendingAllowed);
  const held = new Set([
    ...(collateral.data?.inscriptions.map(({ collectionId }) => collectionId) ?? []),
    ...rows
      .filter(({ runeId }) => collateral.data?.runes.some((rune) => rune.runeId === runeId))
      .map(({ id }) => id),
  ]);
  const first = rows.find(({ id }) => held.has(id)) ?? rows[0];
  const row = rows.find(({ id }) => id === chosen) ?? first;
  const isLoading =
    market === null || config.isPending || (groupId === null && session !== null && collateral.isPending);
  if (!row || !config.data || isLoading) {
    return (
      <Modal open onClose={onClose} title="Request a loan">
        {isLoading ? (
          <div className="px-5 py-4">
            <p className="sr-only">Loading your collateral</p>
            <div aria-hidden className="h-40 animate-shimmer rounded-card border border-line bg-raised" />
          </div>
        ) : config.error ? (
          <EmptyState title="The limits of requests could not be loaded">{config.error.message}</EmptyState>
        ) : (
          <EmptyState title="No collection takes offers now" />
        )}
      </Modal>
    );
  }
  // Stays while the form is filled in, although the wallet may receive other collateral meanwhile.
  if (chosen === null) setChosen(row.id);
  const sorted = rows.toSorted(
    (one, other) =>
      Number(held.has(other.id)) - Number(held.has(one.id)) ||
      one.collectionName.localeCompare(other.collectionName),
  );
  return (
    <RequestForm
      key={row.id}
      row={row}
      session={session}
      limits={config.data.limits}
      collateral={collateral.data ?? null}
      error={collateral.error?.message ?? null}
      selector={
        groupId === null && (
          <div className="flex">
            <ChoiceMenu
              label="Collection"
              value={row.id}
              choices={sorted.map(({ id, collectionName }) => ({
                value: id,
                label: withoutBundleNumber(collectionName),
              }))}
              onChange={setChosen}
              className="max-md:h-10!"
            />
          </div>
        )
      }
      onClose={onClose}
    />
  );
}
