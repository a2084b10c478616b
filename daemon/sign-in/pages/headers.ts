/** The policy of a page: it may load our style, and send its form to us and where the answer leads. */
function policyOf(target: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action 'self' ${target}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The same with a script of ours, for the one page that has one. */
export const scriptedPolicy = `${policyOf('')}; script-src 'self'`

/**
 * Headers of the pages of the issuer: forms without a script, in no frame, kept nowhere.
 *
 * @param redirect where the answer to the form sends the browser, which policies ask for as well
 */
export function issuerPageHeaders(
  isSecure: boolean,
  redirect?: string,
): Readonly<Record<string, string>> {
  const { protocol = '', host = '' } = URL.parse(redirect ?? '') ?? {}
  // A policy can name no IPv6 address.
  const isNamed = protocol.startsWith('http') && !host.startsWith('[')
  const target = isNamed ? `${protocol}//${host}` : protocol
  return {
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
    'cache-control': 'no-store',
    'content-security-policy': policyOf(target),
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
}
