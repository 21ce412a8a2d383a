import { Minus, Plus } from "lucide-react";
import { type Collection, decimalsOf, unitOf } from "@/shared/api/collection";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { IconButton } from "@/shared/ui/button";

/** The number of pledged rune bundles, one for each offer. */
export function TokenPledge({
  row,
  bundleRaw,
  balance,
  count,
  countMax,
  disabled,
  onCount,
}: {
  row: Collection;
  /** Null while there is no offer. */
  bundleRaw: bigint | null;
  /** Raw units in the wallet; null while unknown. */
  balance: bigint | null;
  count: number;
  countMax: number;
  disabled: boolean;
  onCount: (count: number) => void;
}) {
  const decimals = decimalsOf(row);
  const unit = unitOf(row);
  const affordable =
    balance === null || bundleRaw === null || bundleRaw === 0n
      ? countMax
      : Math.min(countMax, Number(balance / bundleRaw));
  const isShort = balance !== null && bundleRaw !== null && balance < bundleRaw;
  return (
    <div className="flex flex-col gap-2">
      {balance !== null && (
        <p className="flex justify-between gap-3 text-sm">
          <span className="text-soft">In your wallet</span>
          <span>
            {formatTokenAmount(balance, decimals, 4)} <span className="text-muted">{unit}</span>
          </span>
        </p>
      )}
      {isShort && (
        <p role="alert" className="rounded-control bg-down-tint px-3 py-2 text-sm text-down">
          Insufficient {unit}
        </p>
      )}
      {countMax > 1 && !isShort && (
        <div className="flex items-center justify-between gap-3">
          <span className="text-sm text-soft">Offers to accept together</span>
          <span className="flex items-center gap-2">
            <IconButton
              label="Fewer offers"
              size="small"
              disabled={disabled || count <= 1}
              onClick={() => onCount(count - 1)}
            >
              <Minus size={16} aria-hidden />
            </IconButton>
            <output className="min-w-6 text-center font-strong">{count}</output>
            <IconButton
              label="More offers"
              size="small"
              disabled={disabled || count >= affordable}
              onClick={() => onCount(count + 1)}
            >
              <Plus size={16} aria-hidden />
            </IconButton>
          </span>
        </div>
      )}
    </div>
  );
}
