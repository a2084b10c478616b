import type { JsonOption } from './json.ts'

/** First names of what the server's JSON holds. */
const roots = new Set(
  (
    'id metadata links revision created updated files hits aggregations filename filesize ' +
    'sealed checksum checksums version_id storage_class user email admin scopes expires deposit token ' +
    'pid url version row line status message added replaced renamed deleted started stopped name scope ' +
    'publishable errors warnings what found mend signed_out would'
  ).split(' '),
)

/**
 * Settles what `--json` takes: the argument behind it only where that is a list of fields, so that
 * `deposit show --json ID` and `deposit show ID --json id,links.html` both mean what they say.
 */
export function settleJsonOption(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--json')
  const end = args.indexOf('--')
  if (at === -1 || (end !== -1 && end < at)) return args
  const next = args[at + 1]
  if (next !== undefined && isFields(next)) return args.toSpliced(at, 2, `--json=${next}`)
  return moveToTheEnd(args, at)
}

/** What `--json` takes on a command line whose `--json` is settled; undefined without one. */
export function findJsonOption(args: readonly string[]): JsonOption | undefined {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const option = options.find((arg) => arg === '--json' || arg.startsWith('--json='))
  return option === '--json' ? true : option?.slice('--json='.length)
}

/** Where nothing follows it, an option with an optional argument takes none. */
function moveToTheEnd(args: readonly string[], at: number): readonly string[] {
  const others = args.toSpliced(at, 1)
  const end = others.indexOf('--')
  return others.toSpliced(end === -1 ? others.length : end, 0, '--json')
}

function isFields(text: string): boolean {
  return text.split(',').every((field) => roots.has(field.split('.', 1)[0] ?? ''))
}
