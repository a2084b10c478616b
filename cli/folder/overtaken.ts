import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { count, formatAge } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { Changes } from '../transfer/compare-folder.ts'

interface Known {
  /** The version that the folder knows. */
  readonly known: DepositBody
  readonly newest: DepositBody
  /** Between the folder and the newest version. */
  readonly changes: Changes
}

/** What would be undone of a version that a folder does not know. */
interface Overtaken {
  readonly said: string
  readonly lines: readonly string[]
}

/**
 * What a folder that does not know the newest version would undo of it: it may be another copy of
 * the folder from which that was published. Undefined where it would undo nothing.
 */
export async function describeOvertaken(
  client: DepositClient,
  { known, newest, changes }: Known,
): Promise<Overtaken | undefined> {
  if (known.id === newest.id || recordUrl(newest) === undefined) return undefined
  const [before, since] = await Promise.all([known, newest].map(({ id }) => client.listFiles(id)))
  const sums = new Map(before?.map(({ filename, checksum }) => [filename, checksum]))
  const theirs = new Set(
    since?.flatMap(({ filename, checksum }) => (sums.get(filename) === checksum ? [] : [filename])),
  )
  const names = [
    ...changes.deleted.map(({ filename }) => filename),
    ...changes.replaced.map(({ local }) => local.key),
  ].filter((name) => theirs.has(name))
  if (names.length === 0) return undefined
  const when = formatAge(newest.updated, Date.now())
  const said = `a newer version, ${recordUrl(newest)}, was published ${when}, and not by this folder, which would undo what it has of ${listShortly(names)}`
  return { said, lines: [`Note: ${said}`] }
}

function listShortly(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => plain(name))
  const more = names.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${count(more, 'more file')}` : '')
}
