import type { FastifyInstance, FastifyRequest } from 'fastify'
import spdx from 'spdx-license-list'
import { languageCodes } from '../../../core/contract/languages.ts'
import { problem, rdmTypes, type SearchParameters } from '../../../core/index.ts'
import { parameters } from '../../api/route.ts'
import { serve } from '../serve.ts'
import { prefix, type Rdm } from './answers.ts'

/** Terms of a page. */
const usualPage = 25
const mostOfPage = 1000

/** Titles of terms by their identifiers. */
const vocabularies: Readonly<Record<string, () => ReadonlyMap<string, string>>> = {
  resourcetypes: () => new Map([...rdmTypes].map(([title, id]) => [id, title])),
  languages: () => new Map(languageCodes.map(([short, long]) => [long, languageName(short)])),
  licenses: () => new Map(Object.entries(spdx).map(([id, { name }]) => [id.toLowerCase(), name])),
}

function languageName(code: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code
}

/** `vocabularies`: the terms that clients look up before they use them. */
export async function vocabularyRoutes(app: FastifyInstance, { services }: Rdm): Promise<void> {
  const base = `${prefix}/vocabularies/{vocabulary}`
  serve(app, services, [base], {
    GET: {
      needs: 'nothing',
      handler: async (request) => {
        const { type, terms } = termsOf(request)
        const { q = '', size, page } = parameters(request)
        const wanted = String(q).toLowerCase()
        const found = [...terms].filter(([id, title]) =>
          [id, title.toLowerCase()].some((text) => text.includes(wanted)),
        )
        const [most, at] = [
          numberOf(size, usualPage, mostOfPage),
          numberOf(page, 1, found.length + 1),
        ]
        const shown = found.slice((at - 1) * most, at * most)
        return {
          hits: { hits: shown.map(([id, title]) => toTerm(type, id, title)), total: found.length },
        }
      },
    },
  })
  serve(app, services, [`${base}/{term}`], {
    GET: {
      needs: 'nothing',
      handler: async (request) => {
        const { type, terms } = termsOf(request)
        const { term } = request.params as { readonly term: string }
        const title = terms.get(term)
        if (title === undefined) throw problem('not_found')
        return toTerm(type, term, title)
      },
    },
  })
}

function termsOf({ params }: FastifyRequest) {
  const { vocabulary: type } = params as { readonly vocabulary: string }
  const make = Object.hasOwn(vocabularies, type) ? vocabularies[type] : undefined
  if (!make) throw problem('not_found')
  return { type, terms: make() }
}

function toTerm(type: string, id: string, title: string): object {
  return { id, title: { en: title }, type }
}

function numberOf(value: SearchParameters[string], usual: number, most: number): number {
  const text = String(value ?? '')
  return /^[1-9]\d{0,5}$/.test(text) ? Math.min(Number(text), most) : usual
}
