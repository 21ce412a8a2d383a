/** Files that a page runs or that change what it shows. */
const CHECKED = /\.(js|css|wasm)$/;

/**
 * The addresses of scripts, styles and WebAssembly of this server that the page has loaded, sorted and without doubles. `named`
 * are those that its elements name, `fetched` those that the browser has recorded.
 */
export function loadedFiles(named: readonly string[], fetched: readonly string[], origin: string): string[] {
  const found = new Set<string>();
  for (const address of [...named, ...fetched]) {
    if (!address.startsWith(`${origin}/`)) continue;
    const { pathname } = new URL(address);
    if (CHECKED.test(pathname)) found.add(pathname);
  }
  return [...found].sort();
}

/** The same of the page that this script runs in. */
export function loadedByThisPage(): string[] {
  const scripts = [...document.scripts].map(({ src }) => src);
  const links = [
    ...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet], link[rel=modulepreload]"),
  ];
  const recorded = performance.getEntriesByType("resource").map(({ name }) => name);
  return loadedFiles([...scripts, ...links.map(({ href }) => href)], recorded, location.origin);
}
