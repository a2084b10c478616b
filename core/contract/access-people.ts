import { literal, isFields } from './access-names.ts'
import {
  endNamedIn,
  flagIn,
  isBlank,
  isOpenText,
  lastDayOf,
  sayOf,
  textsIn,
  wordOf,
  type Limited,
} from './access-words.ts'
import { embargoed, type Context, type Rule } from './access-embargo.ts'
import { limitOfConditions, limitOfGrade, limitOfTerms } from './access-rules.ts'

/** Rules of fields that say who may see the files. */

const closeGroup = words(
  'staff team employees members consortium owner owners personnel colleagues',
)
const group = words(
  'partner partners collaborators group groups lab laboratory institute institution department faculty university organisation ' +
    'organization company project private internal me myself us self nobody none contributors curators admin admins ' +
    'administrators registered authenticated subscribers friends followers member author authors employee',
)
const joins = words(
  'only just for to within by the our my own this all and or of internal user users',
)

function words(text: string): readonly string[] {
  return text.split(' ')
}

/** True for a text that names only a group of people: `owner only`, `our project team`. */
function isGroup(text: string, groups: readonly string[]): boolean {
  if (text.length > 100) return false
  const said = text
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '')
  return (
    said.some((word) => groups.includes(word)) &&
    said.every((word) => groups.includes(word) || joins.includes(word))
  )
}

const anyGroup = [...closeGroup, ...group]

/** In schema.org the audience is who the work was made for: `researchers` is no limit. */
export function limitOfAudience(value: unknown): Limited | undefined {
  const own = textsIn(value).find((text) => isGroup(text, [...closeGroup, 'project']))
  return limitOfGrade(value) ?? (own === undefined ? undefined : { word: sayOf(own) })
}

/** In earth science `visibility` is a distance: only words that limit access count. */
export function limitOfVisibility(value: unknown, context: Context): Limited | undefined {
  const hidden = textsIn(value).find(
    (text) =>
      /^(?:confidential|hidden|internal|unlisted)$/i.test(text.trim()) || isGroup(text, anyGroup),
  )
  const limit = hidden === undefined ? limitOfConditions(value, context) : { word: hidden }
  return limit && /embargo/i.test(limit.word)
    ? embargoed(limit.word, context.end(), context)
    : limit
}

/** `owner only`, `{read: "team", write: "owner"}`: of several rights, those to read count. */
export function limitOfPermissions(value: unknown, context: Context): Limited | undefined {
  const said = isFields(value)
    ? Object.entries(value).flatMap(([name, part]) =>
        /read|view|see|access|files|data|download|visib|public/i.test(name) ? [part] : [],
      )
    : value
  const word = textsIn(said).find((text) => isGroup(text, anyGroup))
  return word === undefined ? limitOfTerms(said, context) : { word: sayOf(word) }
}

/** `visible_to`: anything but everybody. */
export function limitOfViewers(value: unknown, { today }: Context): Limited | undefined {
  const texts = typeof value === 'object' ? textsIn(value) : [wordOf(value)]
  const other = texts.find(
    (text) => !isBlank(text) && flagIn(text) !== true && !isOpenText(text, today),
  )
  return other === undefined ? undefined : { word: sayOf(other) }
}

/** `hold`, `locked`: a tick, a day to come, or "until …". */
export function holdFlag(word: string): Rule {
  return (value, context) => {
    if (flagIn(value) === true) return { word }
    const said = literal(value)
    if (typeof said !== 'string') return undefined
    const until = lastDayOf(said) ?? endNamedIn(said)
    if (until !== undefined) return embargoed(sayOf(said), until, context)
    return /^(?:until|till|bis)\b/i.test(said.trim()) ? { word: sayOf(said) } : undefined
  }
}
