import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { isScope } from '../../../core/index.ts'
import { WrongPassphrase } from '../identity/sign-in.ts'
import { pagesClientId } from '../issuer/first-party-clients.ts'
import { grantable, isOidcScope, resourceAt } from '../issuer/scopes.ts'
import { issuerPageHeaders } from '../pages/headers.ts'
import { signInPage } from '../pages/pages.ts'
import type { SignInParts } from './device-pages.ts'
import { fieldsOf, staleForm } from './issuer-form.ts'

/** A sign-in to a page of this service, as far as it has come. */
interface Interaction {
  readonly uid: string
  readonly clientId: string
  /** Its name; undefined for our own pages. */
  readonly client: string | undefined
  /** The address the browser is sent back to. */
  readonly redirect: string
  readonly scopes: readonly string[]
}

interface InteractionParts extends SignInParts {
  readonly isLocal: boolean
  readonly isSecure: () => boolean
}

/** `/oauth/interaction/{uid}`: the sign-in to a page, asked again for each authorization. */
export function interactionPages(parts: InteractionParts): FastifyPluginAsync {
  const { issuer, signIn, isLocal, isSecure } = parts
  const url = '/oauth/interaction/:uid'
  return async (app) => {
    app.get(url, async (request, reply) => {
      const interaction = await findInteraction(await issuer.provider(), request, reply)
      reply.headers(issuerPageHeaders(isSecure(), interaction.redirect))
      return reply.send(signInPage({ action: request.url, isLocal, ...interaction }))
    })
    app.post(url, async (request, reply) => {
      const provider = await issuer.provider()
      const interaction = await findInteraction(provider, request, reply)
      try {
        const result = await decide(provider, request, interaction, signIn)
        const next = await provider.interactionResult(request.raw, reply.raw, result)
        return await forget(reply, request.url).redirect(next, 303)
      } catch (error) {
        if (!(error instanceof WrongPassphrase)) throw error
        const again = { wrong: error.message, email: fieldsOf(request)('email') }
        const page = { action: request.url, isLocal, ...interaction, again }
        reply.headers(issuerPageHeaders(isSecure(), interaction.redirect))
        return reply.code(403).send(signInPage(page))
      }
    })
  }
}

/** @throws {DepositError} permission_denied: the browser has not begun this sign-in, or too long ago */
async function findInteraction(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Interaction> {
  const { uid } = request.params as { readonly uid: string }
  const found = await provider.interactionDetails(request.raw, reply.raw).catch(() => undefined)
  if (found?.uid !== uid) throw staleForm()
  const clientId = String(found.params['client_id'])
  const client = await provider.Client.find(clientId)
  const scope = found.params['scope']
  const asked = typeof scope === 'string' ? scope.split(' ') : []
  if (!client) throw staleForm()
  const redirect = String(found.params['redirect_uri'])
  const name = clientId === pagesClientId ? undefined : (client.clientName ?? clientId)
  return { uid, clientId, client: name, redirect, scopes: grantable(asked, client) }
}

async function decide(
  provider: Provider,
  request: FastifyRequest,
  { clientId, scopes }: Interaction,
  signIn: SignInParts['signIn'],
) {
  const field = fieldsOf(request)
  if (field('decision') !== 'approve') return { error: 'access_denied' }
  const credentials = { email: field('email'), passphrase: field('passphrase'), from: request.ip }
  const { id } = await signIn(credentials)
  request.actor = id
  const grant = new provider.Grant({ accountId: id, clientId })
  grant.addOIDCScope(scopes.filter(isOidcScope).join(' '))
  grant.addResourceScope(resourceAt(provider.issuer), scopes.filter(isScope).join(' '))
  return { login: { accountId: id, remember: false }, consent: { grantId: await grant.save() } }
}

/** The cookie of an interaction goes with it. */
function forget(reply: FastifyReply, path: string): FastifyReply {
  const expired = ['_interaction', '_interaction.sig'].map(
    (name) => `${name}=; path=${path}; expires=Thu, 01 Jan 1970 00:00:00 GMT; httponly`,
  )
  return reply.header('set-cookie', expired)
}
