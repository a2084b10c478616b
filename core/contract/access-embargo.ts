import { endIn, isFields, literal, plainName, type Field } from './access-names.ts'
import {
  endNamedIn,
  isBlank,
  isNone,
  isOverText,
  lastDayOf,
  wordOf,
  type Limited,
} from './access-words.ts'

export interface Context {
  readonly today: string
  /** The last day of an embargo, from the fields beside this one. */
  readonly end: () => string | undefined
}

export type Rule = (value: unknown, context: Context) => Limited | undefined

/** Names that speak of an embargo; one of trade concerns countries. */
export const embargoName =
  /^(?!embargo(?:ed)?(?:countr(?:y|ies)|nations?|goods)$|(?:trade|oil|arms)embargo).*(?:embargo|sperrfrist|moratori)|^(?:holduntil|lockeduntil)$/

export function embargoRuleOf(plain: string): Rule {
  if (/^(?:no|not|non)embargo|(?:ended|expired|lifted|over)$/.test(plain)) {
    return limitOfEndedEmbargo
  }
  return /start|begin|from|reason|note|period|duration|length|days|months|years/.test(plain)
    ? limitOfEmbargoDetail
    : limitOfEmbargo
}

/**
 * The end of an embargo; undefined also if its field cannot be read.
 *
 * @param ends names of fields here that name it, besides those that speak of an embargo
 */
export function endOfEmbargo(
  fields: readonly Field[],
  ends: readonly string[],
): string | undefined {
  const isEmbargo = (plain: string): boolean =>
    plain.includes('embargo') && embargoRuleOf(plain) === limitOfEmbargo
  const days = fields
    .filter(([, plain]) => isEmbargo(plain) || ends.includes(plain))
    .map(([, plain, value]) => [plain, endIn(literal(value))] as const)
    .filter(([plain, value]) => !isNone(value) && (endName.test(plain) || endOf(value)))
    .map(([, value]) => endOf(value) ?? '')
  return days.includes('') ? undefined : days.toSorted().at(-1)
}

/** The day itself, or "until" it. */
function endOf(value: unknown): string | undefined {
  return lastDayOf(value) ?? endNamedIn(wordOf(value))
}

const endName = /until|end|date|available|lift|expir|release/
const otherDate = /start|begin|from|created|updated|modified|granted/

/** A date, `true`, or InvenioRDM's `{active, until}`. */
export function limitOfEmbargo(value: unknown, context: Context): Limited | undefined {
  const parts = isFields(value)
    ? Object.entries(value).map(([name, part]) => [plainName(name), part] as const)
    : [['until', value] as const]
  if (parts.some(([name, part]) => name === 'active' && isNone(part))) return undefined
  const said = parts.filter(([name, part]) => !isNone(part) && !otherDate.test(name))
  if (parts.every(([, part]) => isNone(part))) return undefined
  const named = said.filter(([name]) => endName.test(name))
  const ends = (named.length > 0 ? named : said).flatMap(([, part]): readonly unknown[] =>
    Array.isArray(part) ? part : [part],
  )
  const unread = ends.filter((end) => endOf(end) === undefined)
  if (unread.length === 0 && ends.length > 0) {
    return embargoed(
      'embargoed',
      ends
        .flatMap((end) => endOf(end) ?? [])
        .toSorted()
        .at(-1),
      context,
    )
  }
  const isOver = ends.length > 0 && unread.every((end) => isOverText(wordOf(end), context.today))
  if (isOver && unread.length === ends.length) return undefined
  return embargoed('embargoed', isFields(value) ? undefined : context.end(), context)
}

/** `embargo_lifted`, `no_embargo`: false, or the day. */
function limitOfEndedEmbargo(value: unknown, context: Context): Limited | undefined {
  if (isBlank(value)) return undefined
  const until = lastDayOf(value) ?? (isNone(value) ? context.end() : undefined)
  return isNone(value) || until !== undefined ? embargoed('embargoed', until, context) : undefined
}

/** Start, length and reason of an embargo: another field says whether it is over. */
function limitOfEmbargoDetail(value: unknown, context: Context): Limited | undefined {
  return isNone(value) ? undefined : embargoed('embargoed', context.end(), context)
}

export function embargoed(
  word: string,
  until: string | undefined,
  { today }: Context,
): Limited | undefined {
  if (until === undefined) return { word }
  return until > today ? { word, until } : undefined
}
