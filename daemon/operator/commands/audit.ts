import { parseDuration } from '../../../core/base/amounts.ts'
import { auditTrail, type KeptEntry } from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { listed } from '../command/operator-command.ts'
import type {
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
} from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'

/** Entries that are printed unless `--limit` says otherwise, and at most. */
const usualLimit = 1000
const mostEntries = 100_000

/** `audit`: what was done and refused, newest first. */
async function listAudit(context: OperatorContext, options: Options): Promise<Outcome> {
  const { database, flushAudit } = context
  await flushAudit?.()
  const { user, deposit, since, limit = String(usualLimit) } = options
  const found = await auditTrail(database, {
    ...(user !== undefined && { who: await idOf(context, user) }),
    ...(deposit !== undefined && { deposit }),
    ...(since !== undefined && { since: toTime(since, context.clock.now()) }),
    limit: toLimit(limit),
  })
  const rows = found.map((entry) => ({ ...entry }))
  return listed(rows, (entry) => [
    entry.at,
    entry.email ?? entry.who ?? 'visitor',
    entry.what,
    entry.deposit ?? entry.object ?? entry.on ?? '-',
    detailsOf(entry),
    entry.from ?? '-',
  ])
}

/** `revision 3 to 4; user:2f… role=editor; levels.csv; 412 stale_revision`. */
function detailsOf(entry: KeptEntry): string {
  const { deposit, was, revision, object, files = [], status, failed, times } = entry
  const change = was === undefined ? `revision ${revision}` : `revision ${was} to ${revision}`
  const outcome = [status, failed, times === undefined ? undefined : `${times} times`]
  return [
    ...(revision === undefined ? [] : [change]),
    ...(deposit === undefined || object === undefined ? [] : [object]),
    ...(files.length === 0 ? [] : [files.join(', ')]),
    outcome.filter((each) => each !== undefined).join(' '),
  ]
    .filter((each) => each !== '')
    .join('; ')
}

/**
 * The id by which the trail knows somebody: those who are gone are known by it alone.
 *
 * @throws {OperatorFailure} nobody has the e-mail address
 */
async function idOf({ database: { read } }: OperatorContext, user: string): Promise<string> {
  const account = await read.accounts.findByEmail(user.toLowerCase())
  if (account || !user.includes('@')) return account?.id ?? user
  throw new OperatorFailure(`There is no user ${user}.`, advice.findDeparted())
}

/** @throws {OperatorFailure} the text is neither a time nor a duration */
function toTime(text: string, now: string): string {
  const ms = parseDuration(text)
  const time = ms === undefined ? Date.parse(text) : Date.parse(now) - ms
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new OperatorFailure(
    `"${text}" is neither a day or time such as 2026-11-24, nor a duration.`,
    advice.writeDuration(),
  )
}

/** @throws {OperatorFailure} the text is no number, or too large */
function toLimit(text: string): number {
  const limit = /^\d+$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= mostEntries) return limit
  throw new OperatorFailure(`--limit is a number from 1 to ${mostEntries}, not "${text}".`)
}

export const auditCommand: OperatorCommand = {
  name: 'audit',
  summary: 'list who did what: changes, refusals, sign-ins and commands, newest first',
  options: [
    { flags: '--user <who>', summary: 'the e-mail or id of a user, or owner for commands' },
    { flags: '--deposit <id>', summary: 'what was done to a deposit' },
    { flags: '--since <time>', summary: 'a day or time (2026-11-24), or a duration such as 7d' },
    { flags: '--limit <n>', summary: `entries at most; ${usualLimit} by default` },
  ],
  onlyReads: true,
  kind: 'short',
  run: listAudit,
}
