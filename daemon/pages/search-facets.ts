import {
  recordFacets,
  type browseRecords,
  type Choice,
  type RecordFacet,
} from '../../core/index.ts'
import { typeName } from './field-lines.ts'
import { mostChosen, type Asked } from './search-request.ts'
import { text } from './text/text.ts'

/** Values of a facet that are shown, and those of the facet that more is asked of. */
const mostValues = { few: 10, more: 200 }

/** Characters of the links to all of them. */
const longestLinks = { few: 16_000, more: 64_000 }

type Buckets = Awaited<ReturnType<typeof browseRecords>>['facets']

/** Links that narrow the search or widen it again, as many as a page has room for. */
export function toFacets(
  facets: Buckets,
  { choices, more }: Asked,
  toHref: (changed: Partial<Asked>) => string,
) {
  let room = longestLinks[more === undefined ? 'few' : 'more']
  const isFull = choices.length >= mostChosen
  const shown = recordFacets.flatMap((facet) => {
    const all = facets.get(facet) ?? []
    const chosen = choices.filter((choice) => choice.facet === facet)
    const isChosen = (value: string): boolean => chosen.some((choice) => choice.value === value)
    const own = chosen.map((choice) => ({
      value: valueName(choice),
      count: all.find(({ key }) => key === choice.value)?.count ?? 0,
      href: toHref({ choices: without(choices, choice) }),
      isChosen: true,
    }))
    const others = isFull ? [] : all.filter(({ key }) => !isChosen(key))
    const further = others
      .slice(0, mostValues[more === facet ? 'more' : 'few'])
      .map(({ key: value, count }) => ({
        value: valueName({ facet, value }),
        count,
        href: toHref({ choices: [...choices, { facet, value }] }),
        isChosen: false,
      }))
      .filter(({ href }) => {
        room -= href.length
        return room > 0
      })
    const values = [...own, ...further]
    if (values.length === 0) return []
    const link = toMoreLink(facet, { more, all: others.length }, toHref)
    return [{ id: facet, name: text(`facet.${facet}`), values, more: link }]
  })
  return shown.length === 0 ? undefined : { list: shown }
}

/** A value as readers know it. */
export function valueName({ facet, value }: Choice): string {
  return facet === 'type' ? typeName(value) : value
}

/** Choices without one of them. */
export function without(choices: readonly Choice[], choice: Choice): readonly Choice[] {
  return choices.filter((other) => other !== choice)
}

/** The link to more values of a facet, or back to the most frequent ones. */
function toMoreLink(
  facet: RecordFacet,
  { more, all }: { readonly more: RecordFacet | undefined; readonly all: number },
  toHref: (changed: Partial<Asked>) => string,
) {
  if (all <= mostValues.few) return undefined
  const isShown = more === facet
  const href = `${toHref({ more: isShown ? undefined : facet })}#facet-${facet}`
  const count = Math.min(all, mostValues.more) - mostValues.few
  return { href, said: isShown ? text('facet.fewer') : text('facet.more', { count }) }
}
