import { createRequire } from 'node:module'
import { advice } from '../advice.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { fieldOf, itemsOf } from './json.ts'

/** The form of a result that `--jq` or `--template` asks for. */
export interface Shape {
  /** Fields that it names, with dots into them. */
  readonly fields: readonly string[]
  /** Texts of one or more lines. */
  readonly texts: (body: unknown) => readonly string[]
}

/** What is used of jq-web: jq itself, as WebAssembly. */
interface Jq {
  /** Undefined for no output. A failure has the exit status of jq. */
  readonly raw: (json: string, filter: string, flags: readonly string[]) => string | undefined
}

/**
 * The results of a jq expression, one on each line; texts have no quotes.
 *
 * @throws {UsageFailure} it is no expression of jq
 */
export async function shapeByJq(expression: string): Promise<Shape> {
  const require = createRequire(import.meta.url)
  const jq = (await require('jq-web')) as Jq
  const filter = (json: string): string | undefined => {
    const status = process.exitCode
    try {
      return jq.raw(json, expression, ['-r', '-c', '--'])
    } finally {
      // jq ends as a process does.
      process.exitCode = status
    }
  }
  try {
    // Without an input the expression is compiled and not run.
    filter('')
  } catch (cause) {
    const lines = { tried: 'use --jq', said: sayFault(cause), next: advice.correctOption('--jq') }
    throw new UsageFailure(lines, { cause })
  }
  return {
    fields: [],
    texts: (body) => {
      try {
        const text = filter(JSON.stringify(body))
        return text === undefined ? [] : [text]
      } catch (cause) {
        const tried = 'filter the result with --jq'
        throw new Failure({ tried, said: sayFault(cause), next: advice.correctJq() }, { cause })
      }
    },
  }
}

/** The message of jq, without its name and its position. */
function sayFault(cause: unknown): string {
  const { stderr } = (cause ?? {}) as { readonly stderr?: unknown }
  const [line = ''] = (typeof stderr === 'string' ? stderr : String(cause)).split('\n')
  return line
    .replace(/^jq: error(?: \(at [^)]*\))?: /, '')
    .replace(/ \(Unix shell quoting issues\?\)/, '')
    .replace(/(?: at <top-level>, line \d+)?:?\s*$/, '')
}

/** A text, or the path of a field. */
type Part = string | readonly string[]

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', '\\': '\\' }

/**
 * A line for each item of a list, or one for a single result: `{{.id}}\t{{.metadata.title}}`.
 *
 * @throws {UsageFailure} naming the part that is not known
 */
export function shapeByTemplate(template: string): Shape {
  const parts = [
    ...template.matchAll(/\{\{(?<field>[^]*?)\}\}|(?<open>\{\{)|\\(?<escape>[^]?)|[^\\{]+|\{/gu),
  ].map(({ 0: text, groups = {} }): Part => {
    const { field, open, escape } = groups
    const path = field === undefined ? undefined : pathOf(field)
    const meant = escape === undefined ? text : escapes[escape]
    if (open !== undefined || meant === undefined) throw unknownPart(text)
    if (field !== undefined && path === undefined) throw unknownPart(text)
    return path ?? meant
  })
  const paths = parts.filter((part) => typeof part !== 'string')
  const toText = (item: unknown): string =>
    parts.map((part) => (typeof part === 'string' ? part : show(fieldOf(item, part)))).join('')
  return {
    fields: paths.flatMap((path) => (path.length === 0 ? [] : [path.join('.')])),
    texts: (body) => (itemsOf(body) ?? [body]).map(toText),
  }
}

/** The names in ` .metadata.title `; none for `.`, the whole. */
function pathOf(field: string): readonly string[] | undefined {
  const [, path] = /^\s*\.((?:[^\s.{}|()"]+(?:\.[^\s.{}|()"]+)*)?)\s*$/u.exec(field) ?? []
  return path === undefined ? undefined : path.split('.').filter((name) => name !== '')
}

function show(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function unknownPart(part: string): UsageFailure {
  return new UsageFailure({
    tried: 'use --template',
    said: `${part} is not known: a template has {{.FIELD}}, with dots into fields, \\t, \\n and \\\\`,
    next: advice.correctOption('--template'),
  })
}
