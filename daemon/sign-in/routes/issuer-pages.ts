import type { FastifyPluginAsync } from 'fastify'
import type { Clock, Database } from '../../../core/index.ts'
import type { SharedLimit } from '../../http/authenticate.ts'
import { passphraseSignIn } from '../identity/sign-in.ts'
import type { EmbeddedIssuer } from '../embedded-issuer.ts'
import { stylePath } from '../pages/layout.ts'
import { style } from '../pages/style.ts'
import { devicePages } from './device-pages.ts'
import { interactionPages } from './interaction-pages.ts'
import { serveForms } from './issuer-form.ts'
import { passphrasePages } from './passphrase-pages.ts'

interface IssuerPagesOptions {
  readonly issuer: EmbeddedIssuer
  readonly database: Database
  readonly clock: Clock
  readonly origin: () => string
  readonly limit: SharedLimit
  /** Path of the page on which people sign in. */
  readonly home: string
  /** Whether others than the users of this machine reach the service. */
  readonly isPublic: boolean
}

/** The pages of the embedded issuer: sign-in, devices, and setting a passphrase. */
export function issuerPages(options: IssuerPagesOptions): FastifyPluginAsync {
  const { issuer, database, clock, origin, limit, home, isPublic } = options
  const isSecure = (): boolean => origin().startsWith('https:')
  const parts = { issuer, clock, limit, signIn: passphraseSignIn(database, limit) }
  return async (app) => {
    serveForms(app, { isSecure, home })
    await app.register(devicePages(parts))
    await app.register(interactionPages({ ...parts, isSecure, isLocal: !isPublic }))
    await app.register(passphrasePages({ database, clock, home, signIn: parts.signIn }))
    app.get(stylePath, async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=3600')
        .type('text/css; charset=utf-8')
        .send(style),
    )
  }
}
