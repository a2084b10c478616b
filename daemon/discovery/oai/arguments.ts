import { namePattern, OaiError } from './oai-error.ts'

/** Arguments of each verb. One that is exclusive is given alone. @see OAI-PMH 2.0 §4 */
const verbs = {
  Identify: { required: [], optional: [] },
  ListMetadataFormats: { required: [], optional: ['identifier'] },
  ListSets: { required: [], optional: [], exclusive: 'resumptionToken' },
  ListIdentifiers: {
    required: ['metadataPrefix'],
    optional: ['from', 'until', 'set'],
    exclusive: 'resumptionToken',
  },
  ListRecords: {
    required: ['metadataPrefix'],
    optional: ['from', 'until', 'set'],
    exclusive: 'resumptionToken',
  },
  GetRecord: { required: ['identifier', 'metadataPrefix'], optional: [] },
} as const satisfies Readonly<Record<string, Arguments>>

interface Arguments {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly exclusive?: string
}

export type Verb = keyof typeof verbs

/** The arguments of a request, each there once; dates are whole moments. */
export interface OaiRequest {
  readonly verb: Verb
  /** As they were sent. */
  readonly given: Readonly<Record<string, string>>
  readonly range: Range
}

/** Bounds of a selective harvest, both included: ISO 8601, UTC, milliseconds. */
export interface Range {
  readonly from: string | undefined
  readonly until: string | undefined
}

/** @throws {OaiError} badVerb, badArgument */
export function readArguments(form: URLSearchParams): OaiRequest {
  const [verb = '', ...further] = form.getAll('verb')
  if (!isVerb(verb) || further.length > 0) {
    const names = Object.keys(verbs).join(', ')
    throw new OaiError('badVerb', `Give one verb: ${names}.`)
  }
  const names = [...form.keys()].filter((name) => name !== 'verb')
  const expected: Arguments = verbs[verb]
  requireArguments(expected, names)
  const given = Object.fromEntries(names.map((name) => [name, form.get(name) ?? '']))
  for (const name of ['metadataPrefix', 'set']) {
    const value = given[name]
    const parts = name === 'set' ? value?.split(':') : value === undefined ? [] : [value]
    if (parts?.every((part) => namePattern.test(part)) === false)
      throw new OaiError('badArgument', `${name} has characters that no ${name} has.`)
  }
  return { verb, given, range: toRange(given) }
}

function isVerb(text: string): text is Verb {
  return Object.hasOwn(verbs, text)
}

function requireArguments(
  { required, optional, exclusive }: Arguments,
  names: readonly string[],
): void {
  const [twice] = names.filter((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new OaiError('badArgument', `${twice} is given twice.`)
  if (exclusive !== undefined && names.includes(exclusive)) {
    if (names.length === 1) return
    throw new OaiError('badArgument', `${exclusive} is given without other arguments.`)
  }
  const known = [...required, ...optional]
  const [unknown] = names.filter((name) => !known.includes(name))
  if (unknown !== undefined) {
    const message = known.length === 0 ? 'takes no arguments' : `takes ${known.join(', ')}`
    throw new OaiError('badArgument', `Unknown argument: this verb ${message}.`)
  }
  const [missing] = required.filter((name) => !names.includes(name))
  if (missing !== undefined) throw new OaiError('badArgument', `${missing} is missing.`)
}

function toRange({ from, until }: Readonly<Record<string, string>>): Range {
  const range = {
    from: from === undefined ? undefined : toMoment('from', from, 'T00:00:00.000Z', '.000Z'),
    until: until === undefined ? undefined : toMoment('until', until, 'T23:59:59.999Z', '.999Z'),
  }
  if (from !== undefined && until !== undefined && from.length !== until.length)
    throw new OaiError('badArgument', 'from and until have different granularities.')
  if (range.from !== undefined && range.until !== undefined && range.from > range.until)
    throw new OaiError('badArgument', 'from is later than until.')
  return range
}

/** @param ofDay completes a day @param ofSecond completes a second */
function toMoment(name: string, text: string, ofDay: string, ofSecond: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const isSecond = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)
  const moment = isDay ? text + ofDay : text.replace(/Z$/, ofSecond)
  const ms = isDay || isSecond ? Date.parse(moment) : Number.NaN
  // A day that no month has is another one when it is written again.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== moment || moment < '0001') {
    throw new OaiError('badArgument', `${name} is neither YYYY-MM-DD nor YYYY-MM-DDThh:mm:ssZ.`)
  }
  return moment
}
