import { isAccessField } from '../../core/contract/access-fields.ts'
import type { Fields } from '../../core/contract/access-names.ts'

/** Longest list of values of one name. */
const mostValues = 100

/** Collects values by name; a name that comes again has a list. */
class Collected {
  readonly #values = new Map<string, Set<unknown>>()

  add(name: string, value: unknown): void {
    const values = this.#values.get(name) ?? new Set()
    if (values.size < mostValues) values.add(value)
    this.#values.set(name, values)
  }

  fields(): Fields {
    return Object.fromEntries(
      [...this.#values].map(([name, values]) => {
        const [first, ...others] = values
        return [name, others.length === 0 ? first : [first, ...others]]
      }),
    )
  }
}

/** The fields of a text with a line `name: value` for each; other lines are left out. */
export function accessInLines(text: string): Fields {
  const found = new Collected()
  for (const line of text.split('\n')) {
    const at = line.slice(0, 100).search(/[:=]/)
    const [name, value] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()]
    if (name !== '' && value !== '') found.add(name, value.slice(0, 1000))
  }
  return found.fields()
}

/**
 * The elements and attributes of an XML text that speak of access, as fields: `rights` and `date` of
 * DataCite and Dublin Core, codes of ISO 19115, and names as in other metadata. Text that is not
 * well-formed is read as far as it can be.
 */
export function accessInXml(text: string): Fields {
  const found = new Collected()
  let constraints = ''
  for (const part of withoutComments(text).split('<')) {
    const end = part.indexOf('>')
    const tag = part.slice(0, Math.min(Math.max(end, 0), 2000))
    const [, name = ''] = /^(?:[\w.-]+:)?([\w.-]+)/.exec(tag) ?? []
    if (name === '') continue
    if (/constraints$/i.test(name)) constraints = name
    const said = toText(part.slice(end + 1, end + 1001))
    const attributes = attributesOf(tag)
    if (name === 'rights') found.add('rights', { rights: said, ...attributes })
    else if (name === 'date') found.add('dates', { date: said, dateType: attributes['dateType'] })
    else if (name === 'MD_RestrictionCode') {
      if (constraints === 'accessConstraints')
        found.add(constraints, attributes['codeListValue'] ?? said)
    } else if (name === 'MD_ClassificationCode') {
      found.add(name, attributes['codeListValue'] ?? said)
    } else if (isAccessField(name) && said !== '') {
      // MODS also has the conditions of use in it.
      found.add(name === 'accessCondition' ? 'conditionsOfAccess' : name, said)
    }
    for (const [attribute, value] of Object.entries(attributes))
      if (isAccessField(attribute)) found.add(attribute, value)
  }
  return found.fields()
}

function attributesOf(tag: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...tag.matchAll(/\s(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(
      ([, name = '', one, other]) => [name, toText(one ?? other ?? '')],
    ),
  )
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function toText(raw: string): string {
  return raw.replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => entities[name] ?? '').trim()
}

function withoutComments(text: string): string {
  const [first = '', ...others] = text.split('<!--')
  return first + others.map((part) => part.slice(endOf(part))).join('')
}

/** Behind the comment; a comment without an end is read as text. */
function endOf(comment: string): number {
  const end = comment.indexOf('-->')
  return end === -1 ? 0 : end + 3
}
