import type { WebFile } from "@/shared/api/build";

/** The result of the comparison of loaded files with a list. */
export interface BuildCheck {
  /** The number of files that were compared. */
  compared: number;
  /** The paths of those that differ or are not in the list. */
  different: string[];
}

/** Reads a file of this server as the page has it. */
export type ReadFile = (path: string) => Promise<ArrayBuffer>;

/** Compares the files at `paths` with a list by their SHA-256. Throws if one cannot be read, as nothing is known then. */
export async function checkFiles(
  paths: readonly string[],
  list: readonly WebFile[],
  read: ReadFile,
): Promise<BuildCheck> {
  if (list.length === 0) throw new Error("The server lists no files of this page");
  if (paths.length === 0) throw new Error("The browser does not say which files it has loaded");
  const listed = new Map(list.map(({ path, sha256 }) => [`/${path}`, sha256]));
  const areEqual = await Promise.all(
    paths.map(async (path) => {
      const expected = listed.get(path);
      return expected !== undefined && (await sha256Hex(await read(path))) === expected;
    }),
  );
  return { compared: paths.length, different: paths.filter((_, index) => !areEqual[index]) };
}

/** Reads a file from the browser's cache if it is there, where the page's own copy is; otherwise from the server. */
export async function readCached(path: string): Promise<ArrayBuffer> {
  const response = await fetch(path, { cache: "force-cache", credentials: "same-origin" });
  if (!response.ok) throw new Error(`${path} could not be read again (${response.status})`);
  return response.arrayBuffer();
}

async function sha256Hex(bytes: ArrayBuffer): Promise<string> {
  // Browsers offer it to pages by TLS and on this machine only.
  if (!globalThis.crypto?.subtle) throw new Error("This browser computes no hashes on a page without TLS");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
