let source: () => string | null = () => null;

/** Sets where requests take the token of the signed-in user from. */
export function setTokenSource(token: () => string | null): void {
  source = token;
}

/** The token of the signed-in user; null while signed out. */
export function sessionToken(): string | null {
  return source();
}
