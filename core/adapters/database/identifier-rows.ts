import { sql, type Kysely, type SqlBool } from 'kysely'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type {
  Errand,
  IdentifierReader,
  IdentifierStatus,
  IdentifierWriter,
  Pause,
  ProvidedIdentifier,
} from '../../ports/identifiers.ts'
import {
  batchSize,
  free,
  isDue,
  isFree,
  misdated,
  wantAgain,
  wanting,
  type OutboxCondition,
} from './identifier-outbox.ts'
import { prepared, preparedInserts } from './prepared.ts'
import { changedAt } from './changed-at.ts'
import type { Tables } from './schema/tables.ts'
import type { IdentifierPauseRow, IdentifierRow } from './schema/identifier-tables.ts'

export function identifierReader(db: Kysely<Tables>): IdentifierReader {
  const all = db.selectFrom('identifiers').selectAll()
  const ofDeposits = prepared(
    db,
    (...deposits: readonly string[]) =>
      all.where('object', '=', sql.lit('record')).where('deposit_id', 'in', deposits),
    'deposit_id',
  )
  const ofSubjects = prepared(
    db,
    (...subjects: readonly string[]) => all.where('subject', 'in', subjects),
    'subject',
  )
  return {
    find: (value) => findIdentifier(db, value),
    ofDeposits: async (deposits) => {
      if (deposits.length === 0) return new Map()
      return Map.groupBy(inOrder(await ofDeposits(...deposits)), ({ deposit }) => deposit)
    },
    ofSubjects: async (values) => {
      if (values.length === 0) return new Map()
      return Map.groupBy(inOrder(await ofSubjects(...values)), ({ subject }) => subject)
    },
    list: async ({ after, limit, status }) => {
      const some = status === undefined ? all : all.where('status', '=', status)
      const page = some.where('value', '>', after).orderBy('value').limit(limit)
      return (await page.execute()).map(fromRow)
    },
    count: async (status) => {
      const counted = db.selectFrom('identifiers').where('status', '=', status)
      const { count } = await counted
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    due: async ({ now, providers, limit, ...horizon }) => {
      const waiting = (isIt: OutboxCondition, most: number) =>
        db
          .selectFrom('identifier_outbox')
          // SQLite would go through all identifiers first, and not through the few that wait.
          .crossJoin('identifiers')
          .select('identifier_outbox.value')
          .whereRef('identifiers.value', '=', 'identifier_outbox.value')
          .where('provider', 'in', providers)
          .where(isIt)
          .where(isFree(now, horizon))
          .orderBy('due')
          .limit(most)
          .execute()
      const found = new Set<string>()
      const conditions: OutboxCondition[] = [(row) => row('due', '<=', now), ...misdated(horizon)]
      for (const isIt of conditions) {
        if (found.size >= limit) break
        for (const { value } of await waiting(isIt, limit - found.size)) found.add(value)
      }
      return [...found]
    },
    nextDue: async () => {
      const first = db.selectFrom('identifier_outbox').select('due').orderBy('due').limit(1)
      return (await first.executeTakeFirst())?.due
    },
    pauses: async () => {
      const rows = await db.selectFrom('identifier_pauses').selectAll().execute()
      return rows.map(toPause)
    },
  }
}

export function identifierWriter(db: Kysely<Tables>): IdentifierWriter {
  const insert = preparedInserts(db, (rows: readonly IdentifierRow[]) =>
    db
      .insertInto('identifiers')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
  )
  const want = wanting(db)
  return {
    ...identifierReader(db),
    reserve: async (identifiers, now) => {
      const rows = identifiers.map(({ of: object, deposit, ...identifier }) => ({
        ...identifier,
        object,
        deposit_id: deposit,
        status: 'reserved',
        message: null,
        field: null,
        registered: null,
        updated: now,
      }))
      await insert(rows)
    },
    giveUp: (deposit, scheme) => giveUpReserved(db, deposit, scheme),
    want,
    register: async (values, now) => {
      if (values.length === 0) return
      const registered = sql<string>`coalesce(registered, ${now})`
      await db
        .updateTable('identifiers')
        .set({ status: 'registered', registered, updated: now })
        .where('value', 'in', values)
        .execute()
    },
    take: async (value, { holder, now, until }, horizon) => {
      const { numUpdatedRows } = await db
        .updateTable('identifier_outbox')
        .set({
          holder,
          held_until: until,
          // The one who had it may still be sending.
          unsure: sql<number>`case when holder is null then unsure else 1 end`,
        })
        .where('value', '=', value)
        .where(isDue(now, horizon))
        .where(isFree(now, horizon))
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 0n ? undefined : findErrand(db, value)
    },
    meet: async (values, now) => {
      if (values.length === 0) return
      await db
        .updateTable('identifiers')
        .set({ registered: sql<string>`coalesce(registered, ${now})` })
        .where('value', 'in', values)
        .execute()
    },
    settle: async ({
      value,
      holder,
      change,
      now,
      status,
      resolves: isThere,
      message,
      field,
      again,
    }) => {
      const row = await db
        .selectFrom('identifier_outbox')
        .selectAll()
        .where('value', '=', value)
        .executeTakeFirst()
      const isOurs = row?.holder === holder
      const isSame = row?.change === change
      if (!row || !isOurs) {
        // Another worker was at it at the same time: which of the two came last is not known.
        await want([value], now)
        return
      }
      const resolves = status === 'registered' || isThere === true
      if (resolves && isSame) await tellFirst(db, value, now)
      if (status !== undefined && isSame) {
        const first = resolves ? sql<string>`coalesce(registered, ${now})` : undefined
        await db
          .updateTable('identifiers')
          .set({ status, ...(first && { registered: first }), updated: now })
          .where('value', '=', value)
          .execute()
      }
      await db
        .updateTable('identifiers')
        .set({ message: message ?? null, field: field ?? null })
        .where('value', '=', value)
        .execute()
      const outbox = db.updateTable('identifier_outbox').where('value', '=', value)
      if (again) {
        const { due, attempts, isUnsure } = again
        const later = isSame ? { due, attempts } : { due: now, attempts }
        await outbox.set({ ...free, ...later, unsure: isUnsure ? 1 : 0 }).execute()
      } else if (isSame) {
        await db.deleteFrom('identifier_outbox').where('value', '=', value).execute()
      } else {
        await outbox.set({ ...free, due: now, attempts: 0 }).execute()
      }
    },
    free: async (now, daemon) => {
      const held = db
        .updateTable('identifier_outbox')
        .set({ ...free, unsure: 1, due: now })
        .where('holder', 'is not', null)
      await (daemon === undefined ? held : held.where('holder', 'like', `${daemon}%`)).execute()
    },
    pause: async (pause) => {
      const { provider, ...rest } = pause
      const values = { ...rest, until: rest.until ?? null }
      await db
        .insertInto('identifier_pauses')
        .values({ provider, ...values })
        .onConflict((conflict) => {
          const { since: _, ...later } = values
          const replaced = conflict.column('provider').doUpdateSet(later)
          // What waits for the operator goes on waiting.
          return replaced.where('identifier_pauses.reason', '<>', 'restored')
        })
        .execute()
    },
    resume: async (provider, reason) => {
      const pauses = db.deleteFrom('identifier_pauses').where('provider', '=', provider)
      await (reason === undefined ? pauses : pauses.where('reason', '=', reason)).execute()
    },
  }
}

/** Sorted here: for an order, a database may walk through all identifiers in place of few. */
function inOrder(rows: readonly IdentifierRow[]): readonly ProvidedIdentifier[] {
  return rows.map(fromRow).toSorted((a, b) => (a.value < b.value ? -1 : 1))
}

/**
 * What follows from a first registration: the manifests of a record and of the versions of a concept
 * tell of it, and harvesters hear of the record again, which is cited otherwise from now on.
 */
async function tellFirst(db: Kysely<Tables>, value: string, now: string): Promise<void> {
  const found = await db
    .selectFrom('identifiers')
    .select(['subject', 'scheme', 'registered'])
    .where('value', '=', value)
    .executeTakeFirst()
  if (found?.registered !== null) return
  const { subject, scheme } = found
  if (scheme !== 'doi') await wantDois(db, subject, now)
  await db
    .updateTable('record_revisions')
    .set((row) => changedAt(row, now))
    .where(sql<SqlBool>`+latest = 1`)
    .where('pid_value', '=', subject)
    .where('updated', '<', now)
    .execute()
  const versions = db.selectFrom('versions').select('record').where('concept', '=', subject)
  const records = (await versions.execute()).flatMap(({ record }) => record ?? [])
  const named = [subject, ...records]
  for (let start = 0; start < named.length; start += batchSize) {
    await db
      .updateTable('record_revisions')
      .set({ manifested: 0 })
      // The sign keeps SQLite from the index on `latest`, which has every record.
      .where(sql<SqlBool>`+latest = 1`)
      .where('pid_value', 'in', named.slice(start, start + batchSize))
      .execute()
  }
}

/** The DOI of a record or concept names its further identifiers, as soon as they resolve. */
async function wantDois(db: Kysely<Tables>, subject: string, now: string): Promise<void> {
  const dois = await db
    .selectFrom('identifiers')
    .select('value')
    .where('subject', '=', subject)
    .where('scheme', '=', 'doi')
    .where('status', '<>', 'reserved')
    .execute()
  const values = dois.map(({ value }) => value)
  await wantAgain(db, values, now)
}

/** Removes what a deposit reserved and never published, but for what a provider was found to have. */
export async function giveUpReserved(
  db: Kysely<Tables>,
  deposit: DepositId,
  scheme?: string,
): Promise<void> {
  const reserved = db
    .deleteFrom('identifiers')
    .where('deposit_id', '=', deposit)
    .where('status', '=', 'reserved')
    .where('registered', 'is', null)
  await (scheme === undefined ? reserved : reserved.where('scheme', '=', scheme)).execute()
}

async function findIdentifier(
  db: Kysely<Tables>,
  value: string,
): Promise<ProvidedIdentifier | undefined> {
  const stored = db.selectFrom('identifiers').selectAll().where('value', '=', value)
  const row = await stored.executeTakeFirst()
  return row && fromRow(row)
}

async function findErrand(db: Kysely<Tables>, value: string): Promise<Errand | undefined> {
  const open = db.selectFrom('identifier_outbox').selectAll().where('value', '=', value)
  const row = await open.executeTakeFirstOrThrow()
  const identifier = await findIdentifier(db, value)
  const { change, attempts, unsure } = row
  if (!identifier) await db.deleteFrom('identifier_outbox').where('value', '=', value).execute()
  return identifier && { identifier, change, attempts, isUnsure: unsure === 1 }
}

function fromRow(row: IdentifierRow): ProvidedIdentifier {
  const { value, provider, scheme, url, subject, message, field, registered } = row
  return {
    value,
    provider,
    scheme,
    url,
    of: row.object as ProvidedIdentifier['of'],
    subject,
    deposit: row.deposit_id as DepositId,
    status: row.status as IdentifierStatus,
    ...(message !== null && { message }),
    ...(field !== null && { field }),
    ...(registered !== null && { registered }),
  }
}

function toPause({ provider, reason, message, since, until }: IdentifierPauseRow): Pause {
  return {
    provider,
    reason: reason as Pause['reason'],
    message,
    since,
    ...(until !== null && { until }),
  }
}
