import type { FastifyReply } from 'fastify'
import { addVary } from '../http/sharing.ts'
import { varyByLanguage } from './page-language.ts'
import type { PageSettings } from '../config/page-settings.ts'

/**
 * The policy of a page: it runs and shows files of this service, and nothing else; where another issuer
 * signs people in, it may ask that one for a token. No text becomes markup or script: a page has no
 * Trusted Types policy, so every attempt fails.
 *
 * @see W3C Content Security Policy Level 3; W3C Trusted Types
 */
export const policyOf = (issuer: string | undefined, trustedTypes = "'none'"): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    'media-src blob:',
    issuer === undefined ? "connect-src 'self'" : `connect-src 'self' ${new URL(issuer).origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ].join('; ')

/** Sets the headers of every page, with any status. */
export function setPageHeaders(
  reply: FastifyReply,
  { isSecure, issuer, languages }: Pick<PageSettings, 'isSecure' | 'issuer' | 'languages'>,
): FastifyReply {
  addVary(reply, 'accept')
  varyByLanguage(reply, languages)
  if (isSecure()) reply.header('strict-transport-security', 'max-age=31536000')
  return reply
    .header('cache-control', 'no-cache')
    .header('content-security-policy', policyOf(issuer?.name))
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
    .header('referrer-policy', 'same-origin')
    .header('x-frame-options', 'DENY')
    .type('text/html; charset=utf-8')
}
