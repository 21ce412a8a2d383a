/** A refusal in the server's format, for screens that show one. */
export function refusal(code: string, detail: string, status: number, values?: object) {
  return {
    status,
    contentType: "application/problem+json",
    body: JSON.stringify({
      type: `/errors/${code}`,
      title: detail,
      status,
      detail,
      code,
      requestId: "r",
      values,
    }),
  };
}
