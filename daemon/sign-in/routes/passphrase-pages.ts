import type { FastifyPluginAsync } from 'fastify'
import { problem, type Clock, type Database, type DepositError } from '../../../core/index.ts'
import {
  changePassphrase,
  findPassphraseLink,
  setPassphrase,
  type FoundLink,
} from '../identity/passphrase-link.ts'
import { WrongPassphrase, type SignIn } from '../identity/sign-in.ts'
import { passphraseLength } from '../identity/passphrase.ts'
import { advice } from '../../issuer-advice.ts'
import { scriptedPolicy } from '../pages/headers.ts'
import {
  changePassphrasePage,
  donePage,
  openLinkPage,
  openLinkScript,
  openLinkScriptPath,
  passphrasePage,
} from '../pages/pages.ts'
import { fieldsOf } from './issuer-form.ts'

interface PassphrasePages {
  readonly database: Database
  readonly clock: Clock
  readonly signIn: SignIn
  /** Path of the page on which people sign in. */
  readonly home: string
}

/**
 * `/oauth/passphrase`: where the link leads that an operator gives to a user. Its secret stands behind
 * the `#`, which no server and no log sees; the page sends it as a form. `/oauth/passphrase/change` is
 * for those who know their passphrase.
 */
export function passphrasePages({ home, signIn, ...stores }: PassphrasePages): FastifyPluginAsync {
  const { min, max } = passphraseLength
  return async (app) => {
    app.get('/oauth/passphrase', async (_request, reply) =>
      reply.header('content-security-policy', scriptedPolicy).send(openLinkPage()),
    )
    app.get(openLinkScriptPath, async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(openLinkScript),
    )
    app.post('/oauth/passphrase', async (request, reply) => {
      const field = fieldsOf(request)
      const link = secretOf(field('link'))
      const found = await findPassphraseLink(stores, link)
      if (found.state !== 'good') throw refusal(found)
      const { account } = found
      request.actor = account.id
      const passphrase = field('passphrase')
      if (passphrase === '') {
        request.deed = 'opened the link for a passphrase'
        return reply.send(passphrasePage(account.email, link))
      }
      if (passphrase.length < min || passphrase.length > max) {
        const wrong = advice.keepLength(min, max)
        return reply.code(400).send(passphrasePage(account.email, link, wrong))
      }
      const isSet = await setPassphrase(stores, account, link, passphrase)
      if (!isSet) throw refusal({ state: 'used' })
      const way = { href: home, text: advice.toSignIn() }
      return reply.send(donePage('The passphrase is set', advice.signInNow(), way))
    })
    app.get('/oauth/passphrase/change', async (_request, reply) =>
      reply.send(changePassphrasePage()),
    )
    app.post('/oauth/passphrase/change', async (request, reply) => {
      const field = fieldsOf(request)
      const [email, passphrase] = [field('email'), field('new_passphrase')]
      if (passphrase.length < min || passphrase.length > max) {
        const wrong = advice.keepLength(min, max)
        return reply.code(400).send(changePassphrasePage({ wrong, email }))
      }
      try {
        const credentials = { email, passphrase: field('passphrase'), from: request.ip }
        const account = await signIn(credentials)
        request.actor = account.id
        await changePassphrase(stores, account, passphrase)
      } catch (error) {
        if (!(error instanceof WrongPassphrase)) throw error
        return reply.code(403).send(changePassphrasePage({ wrong: error.message, email }))
      }
      const way = { href: home, text: advice.toSignIn() }
      return reply.send(donePage('The passphrase is set', advice.signInNow(), way))
    })
  }
}

/** Without a script, people paste the whole link. */
function secretOf(text: string): string {
  return text.trim().replace(/^.*#/, '')
}

function refusal(found: Exclude<FoundLink, { readonly state: 'good' }>): DepositError {
  return problem('permission_denied', { message: adviceFor(found) })
}

function adviceFor(found: Exclude<FoundLink, { readonly state: 'good' }>): string {
  switch (found.state) {
    case 'expired':
      return advice.renewLink(found.ends.slice(0, 10))
    case 'used':
      return advice.useOtherLink()
    case 'unknown':
      return advice.useNewestLink()
  }
}
