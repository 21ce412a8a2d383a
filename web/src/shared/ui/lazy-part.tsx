import { type ComponentType, lazy, Suspense } from "react";

/**
 * A part of a screen whose code is loaded when it is first shown, or earlier by `preload`. `load` picks the
 * component out of its module; `Fallback` is shown until then.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback?: ComponentType,
) {
  const Part = lazy(async () => ({ default: await load() }));
  const fallback = Fallback ? <Fallback /> : null;
  function LazyPart(props: Props) {
    return (
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    );
  }
  return Object.assign(LazyPart, { preload: () => void load() });
}
