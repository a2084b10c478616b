import type { CliContext } from '../session/context.ts'
import { actionsOf, titleOf } from '../output/deposit-facts.ts'
import { plain } from '../plain.ts'
import { formatBytes } from '../output/units.ts'

/** What a word may become, with what it is. */
export type Candidate = readonly [value: string, what: string]

/** More than a person looks through. */
const most = '100'

export async function findDeposits(
  context: CliContext,
  status: 'draft' | 'published' | 'any' | 'none',
): Promise<readonly Candidate[]> {
  if (status === 'none') return []
  const client = await context.runningClient({ quiet: true })
  const only = status === 'any' ? {} : { status }
  const found = await client?.search({ size: most, sort: 'mostrecent', ...only })
  return found?.hits.hits.map((deposit) => [deposit.id, titleOf(deposit)]) ?? []
}

/** Names of the files of a deposit, without those on the line already. */
export async function findKeys(
  context: CliContext,
  id: string,
  given: readonly string[],
): Promise<readonly Candidate[]> {
  const client = await context.runningClient({ quiet: true })
  const files = (await client?.listFiles(id)) ?? []
  return files
    .filter(({ filename }) => filename === plain(filename) && !given.includes(filename))
    .map(({ filename, filesize }) => [filename, formatBytes(filesize)])
}

/** What the server can do with a deposit. */
export async function findActions(context: CliContext, id: string): Promise<readonly Candidate[]> {
  const client = await context.runningClient({ quiet: true })
  const deposit = await client?.read(id)
  return deposit === undefined ? [] : actionsOf(deposit).map((name) => [name, ''])
}
