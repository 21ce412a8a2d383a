import type { Collection, Volumes } from "@/shared/api/collection";
import { formatBtcShort } from "@/shared/format/sats";

const PERIODS: ReadonlyArray<{ label: string; of: (volumes: Volumes) => bigint }> = [
  { label: "24 H", of: ({ volume24h }) => volume24h },
  { label: "7 D", of: ({ volume7d }) => volume7d },
  { label: "30 D", of: ({ volume30d }) => volume30d },
  { label: "All", of: ({ totalVolume }) => totalVolume },
];

/** Volumes lent here, and traded on marketplaces. */
export function VolumeTable({ row }: { row: Collection }) {
  return (
    <table className="w-full text-right">
      <caption className="mb-2 text-left text-xs text-muted">Volume in BTC</caption>
      <thead>
        <tr className="text-xs text-muted">
          <td />
          {PERIODS.map(({ label }) => (
            <th key={label} scope="col" className="h-8 font-normal">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <VolumeRow name="Lienbook" explanation="Lent on Lienbook" volumes={row.internalVolumeStats} />
        <VolumeRow name="Market" explanation="Traded on marketplaces" volumes={row.marketVolumeStats} />
      </tbody>
    </table>
  );
}

function VolumeRow({
  name,
  explanation,
  volumes,
}: {
  name: string;
  explanation: string;
  volumes: Volumes | null;
}) {
  return (
    <tr>
      <th scope="row" className="h-14 border-t border-line text-left text-sm font-normal">
        {name}
        <span className="block text-xs text-muted">{explanation}</span>
      </th>
      {PERIODS.map(({ label, of }) => (
        <td key={label} className="border-t border-line pl-2 text-sm">
          {volumes ? formatBtcShort(of(volumes)) : <span className="text-muted">–</span>}
        </td>
      ))}
    </tr>
  );
}
