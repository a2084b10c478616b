import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { advice } from '../advice.ts'
import { ApiFailure } from '../client/api-failure.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { readJournal, type Entry } from './journal.ts'
import type { PreparedRow } from './prepare-rows.ts'
import { describeRow } from './row.ts'
import { isChanged } from './run-row.ts'

/** Deposits of a journal that are looked up before it counts as another server's. */
const mostAsked = 20

/**
 * Refuses a journal of another service. Names do not tell, since a service may have many and may
 * lose one: the server must have a deposit of the journal, deleted ones included.
 *
 * @throws {Failure} it has none of those that the journal tells of
 */
export async function requireSameService(client: DepositClient, path: string): Promise<void> {
  const { server, entries } = await readJournal(path)
  const ids = idsOf(entries)
  for (const id of ids) {
    const missing = await findMissing(client, id)
    if (missing === undefined) return
    if (missing instanceof ApiFailure) continue
    const { said, next } = missing
    throw new Failure({ tried: `continue ${path}`, said, next }, { exitCode: exitCodes.refused })
  }
  // Without deposits in the journal, none can be made twice.
  if (ids.length > 0) throw ofOther(path, server, client.connection.server.origin)
}

/**
 * Refuses a renamed table: it has no journal of its own, and the rows in the journal of its old
 * name would be made a second time.
 *
 * @param path of the journal of this batch
 * @param from where relative paths start
 * @throws {Failure} another journal of the folder has such a row
 */
export async function refuseRenamed(
  client: DepositClient,
  path: string,
  from: string,
  rows: readonly PreparedRow[],
): Promise<void> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  const own = await readJournal(path)
  const open = rows.filter(({ row }) => own.entries.get(row.identity)?.id === undefined)
  for (const name of names) {
    if (!name.endsWith('.journal') || name === basename(path)) continue
    const other = join(folder, name)
    const { entries } = await readJournal(other).catch(() => nothing)
    const made = open.find((row) => {
      const entry = entries.get(row.row.identity)
      return entry?.id !== undefined && !isChanged(entry, row)
    })
    const id = made && entries.get(made.row.identity)?.id
    if (made === undefined || id === undefined || (await findMissing(client, id)) !== undefined)
      continue
    throw new Failure(
      {
        tried: 'begin the batch',
        said: `${describeRow(made.row)} was made already, as ${id}, with the journal ${name}`,
        next: advice.resumeRenamed(relative(from, other), relative(from, path)),
      },
      { exitCode: exitCodes.refused },
    )
  }
}

const nothing = { entries: new Map<string, Entry>() }

/** The newest deposits, which are least likely to be deleted. */
function idsOf(entries: ReadonlyMap<string, Entry>): readonly string[] {
  return [...entries.values()].flatMap(({ id }) => id ?? []).slice(-mostAsked)
}

/** The failure to find a deposit; undefined if the server has it, or had it. */
async function findMissing(client: DepositClient, id: string): Promise<Failure | undefined> {
  try {
    await client.read(id)
    return undefined
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.notFound) throw error
    return error.problem?.status === 410 ? undefined : error
  }
}

function ofOther(path: string, begunAt: string | undefined, origin: string): Failure {
  const begun = begunAt === undefined || begunAt === 'local' ? '' : `; it was begun at ${begunAt}`
  const said = `this journal belongs to a different server: ${origin} has none of its deposits${begun}`
  const next = advice.useOtherJournal()
  return new Failure({ tried: `continue ${path}`, said, next }, { exitCode: exitCodes.refused })
}
