import type { FastifyPluginAsync } from 'fastify'
import type { Clock, Database } from '../../core/index.ts'
import { findLinkOwner, setPassphrase } from '../identity/passphrase-link.ts'
import { passphraseLength } from '../identity/passphrase.ts'
import { StaleForm } from '../identity/refusals.ts'
import { donePage, passphrasePage } from '../pages/issuer/pages.ts'
import { fieldsOf } from './issuer-form.ts'

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

/** `/oauth/passphrase`: where the link leads that an operator gives to a user. */
export function passphrasePages(stores: Stores): FastifyPluginAsync {
  const { min, max } = passphraseLength
  return async (app) => {
    app.get('/oauth/passphrase', async (request, reply) => {
      const { link } = request.query as { readonly link?: unknown }
      const account = typeof link === 'string' ? await findLinkOwner(stores, link) : undefined
      if (!account || typeof link !== 'string') throw new StaleForm()
      return reply.send(passphrasePage(account.email, link))
    })
    app.post('/oauth/passphrase', async (request, reply) => {
      const field = fieldsOf(request)
      const link = field('link')
      const account = await findLinkOwner(stores, link)
      if (!account) throw new StaleForm()
      request.actor = account.id
      const passphrase = field('passphrase')
      if (passphrase.length < min || passphrase.length > max) {
        const wrong = `A passphrase has ${min} to ${max} characters.`
        return reply.code(400).send(passphrasePage(account.email, link, wrong))
      }
      const isSet = await setPassphrase(stores, account, link, passphrase)
      if (!isSet) throw new StaleForm()
      return reply.send(donePage('The passphrase is set', 'You can sign in with it now.'))
    })
  }
}
