/**
 * Number of retries of a request whose idle connection the server has just closed. Browsers retry that
 * themselves.
 */
export const RETRIES = 3;
