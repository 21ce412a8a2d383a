const BROWSERS: ReadonlyArray<[pattern: RegExp, name: string]> = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: ReadonlyArray<[pattern: RegExp, name: string]> = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** Browser and system names from a user agent: "Firefox on Windows". Other programs keep their name. */
export function agentName(agent: string): string {
  const find = (known: ReadonlyArray<[RegExp, string]>) =>
    known.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(BROWSERS);
  if (browser === undefined) return agent === "" ? "Unknown device" : agent.slice(0, 60);
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
