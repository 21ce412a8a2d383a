const YEAR_SECONDS = 31_536_000;

/** A cookie of this site alone, valid for a year. It is readable by scripts, so it must not hold a secret. */
export function cookieText(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}

export function rememberInCookie(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser yet.
  document.cookie = cookieText(name, value);
}

/** The value of one cookie; null when it is absent. */
export function readCookie(cookies: string, name: string): string | null {
  for (const pair of cookies.split("; ")) {
    const [known = "", ...value] = pair.split("=");
    if (known !== name) continue;
    try {
      return decodeURIComponent(value.join("="));
    } catch {
      return null;
    }
  }
  return null;
}
