const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The same with a script of ours, for the one page that has one. */
export const scriptedPolicy = `${policy}; script-src 'self'`

/** Headers of the pages of the issuer: forms without a script, in no frame, kept nowhere. */
export function issuerPageHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return {
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
}
