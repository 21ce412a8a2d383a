/**
 * How often a request is sent again that met a connection which the server was just closing as idle. Browsers do that
 * themselves.
 */
export const RETRIES = 3;
