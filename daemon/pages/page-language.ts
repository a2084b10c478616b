import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { preferredLanguage } from '../http/negotiation.ts'
import { addVary } from '../http/sharing.ts'
import type { PageSettings } from '../config/page-settings.ts'
import { de } from './text/de/de.ts'
import { issuerPhrases } from './text/de/issuer-phrases.ts'
import { languages, type Language } from './text/languages.ts'
import { addLanguage, followLanguage, language } from './text/text.ts'

/** Pages are made in several languages at a time: each request has its own. */
const chosen = new AsyncLocalStorage<Language>()

addLanguage('de', { ...de, phrases: { ...de.phrases, ...issuerPhrases } })
followLanguage(() => chosen.getStore() ?? 'en')

/** The choice of a person, which is stronger than that of their browser. */
const cookieName = 'deposit_language'

const cookieForm = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]+)`)

/** Seconds for which a choice is kept. */
const keptSeconds = 365 * 86_400

type Offered = PageSettings['languages']

/**
 * Makes pages in the language that was chosen, else in the one that the browser prefers, else in the
 * first of the configuration. `?lang=de` on any page chooses, and leads to the page without it.
 */
export function speakLanguages(
  app: FastifyInstance,
  { languages: offered, isSecure }: Pick<PageSettings, 'languages' | 'isSecure'>,
): void {
  if (offered.length === 1 && offered[0] === 'en') return
  app.addHook('onRequest', (request, reply, done) => {
    const isPage = asksForPage(request)
    const choice = isPage ? choiceIn(request, offered) : undefined
    if (choice !== undefined) keepChoice(reply, choice, { request, isSecure: isSecure() })
    else if (isPage) chosen.run(languageFor(request, offered), done)
    else done()
  })
  // The body was read by events of the connection, which know no request.
  app.addHook('preValidation', (request, _reply, done) => {
    if (asksForPage(request)) chosen.run(languageFor(request, offered), done)
    else done()
  })
}

function asksForPage({ headers }: FastifyRequest): boolean {
  return /text\/html|\*\/\*/.test(headers.accept ?? '*/*')
}

/** Names what the language of a page depends on, where there are several. */
export function varyByLanguage(reply: FastifyReply, offered: Offered): void {
  if (offered.length < 2) return
  addVary(reply, 'accept-language')
  addVary(reply, 'cookie')
}

/** What a page says about its language, and the way to the others. */
export function languageView(offered: Offered, url: string) {
  if (offered.length < 2) return undefined
  const list = offered.map((tag) => ({
    tag,
    name: languages[tag],
    href: hrefOf(url, tag),
    isThis: tag === language(),
  }))
  return { list }
}

function languageFor({ headers }: FastifyRequest, offered: Offered): Language {
  const kept = cookieForm.exec(headers.cookie ?? '')?.[1]
  return (
    offered.find((tag) => tag === kept) ??
    preferredLanguage(headers['accept-language'], offered) ??
    offered[0]
  )
}

/** The language that the address of a page asks for. */
function choiceIn({ method, query }: FastifyRequest, offered: Offered): Language | undefined {
  const { lang } = query as { readonly lang?: unknown }
  return method === 'GET' ? offered.find((tag) => tag === lang) : undefined
}

function keepChoice(
  reply: FastifyReply,
  choice: Language,
  { request, isSecure }: { readonly request: FastifyRequest; readonly isSecure: boolean },
): void {
  const secure = isSecure ? '; Secure' : ''
  const kept = `Path=/; Max-Age=${keptSeconds}; SameSite=Lax; HttpOnly${secure}`
  reply
    .header('set-cookie', `${cookieName}=${choice}; ${kept}`)
    .header('cache-control', 'no-store')
    .redirect(hrefOf(request.url, undefined), 303)
}

/** The address in another language; the address alone without one. */
function hrefOf(url: string, tag: Language | undefined): string {
  // Slashes at its start would lead to another host.
  const { pathname, searchParams } = new URL(url.replace(/^\/+/, '/'), 'http://page')
  if (tag === undefined) searchParams.delete('lang')
  else searchParams.set('lang', tag)
  const query = searchParams.toString()
  return query === '' ? pathname : `${pathname}?${query}`
}
