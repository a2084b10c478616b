/**
 * Compares the service with a million deposits in PostgreSQL, which have ten million files, with the
 * service with ten thousand.
 *
 *     npm run bench:million                        takes an hour, and 30 GB of the disk
 *     npm run bench:million -- --deposits 2000,20000
 *     npm run bench:million -- --folder PATH       keeps the databases for the next run
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { startPostgres } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { originOf } from '../origin.ts'
import { operations, type Operation } from './operations.ts'
import { explaining, Plans, type Plan } from './plans.ts'
import { keepReport, type Compared, type TableSize } from './report.ts'
import { fill, filledHome, nameOf, settings } from './server.ts'
import { startSide, type Side } from './side.ts'

const rounds = 30
/** Untimed requests that open connections and fill caches and plans. */
const warmUps = 5

const { values } = parseArgs({
  options: {
    deposits: { type: 'string', default: '10000,1000000' },
    folder: { type: 'string' },
  },
})
const [fewer = 0, many = 0] = values.deposits.split(',').map(Number)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

await using stack = new AsyncDisposableStack()
const folder = values.folder ?? stack.use(await temporaryFolder()).path
await fill({ folder, say }, [fewer, many])
const times = await measure()
const plans = await explain()
await keepReport({
  sizes: [fewer, many],
  origin: originOf(`npm run bench:million -- --deposits ${values.deposits}`, false),
  compared: operations.map(({ what }): Compared => {
    const { fewer: few = [], many: more = [] } = times.get(what) ?? {}
    return { what, fewer: few, many: more, plan: plans.get(what) }
  }),
  tables: await tables(),
})

/** Milliseconds by operation. */
type Times = ReadonlyMap<string, { readonly fewer: number[]; readonly many: number[] }>

/** Alternates the sizes, so that other work of the machine affects both. */
async function measure(): Promise<Times> {
  await using running = new AsyncDisposableStack()
  const server = running.use(await startPostgres({ folder, settings, durable: true }))
  const side = async (deposits: number): Promise<Side> => {
    const url = await server.database(nameOf(deposits))
    return running.use(
      await startSide(deposits, await filledHome(join(folder, nameOf(deposits)), url)),
    )
  }
  const [small, large] = [await side(fewer), await side(many)]
  const found = new Map<string, Both>(operations.map(({ what }) => [what, { fewer: [], many: [] }]))
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const { what, time } of operations) {
      const turn = round + warmUps
      const [one, other] = [await time(small, turn), await time(large, turn)]
      if (round < 0) continue
      found.get(what)?.fewer.push(one)
      found.get(what)?.many.push(other)
    }
    say(`round ${round + 1} of ${rounds}`)
  }
  return found
}

interface Both {
  readonly fewer: number[]
  readonly many: number[]
}

/** The slowest statement of each operation with many deposits, in a run of its own. */
async function explain(): Promise<ReadonlyMap<string, Plan | undefined>> {
  await using running = new AsyncDisposableStack()
  const listening = new Plans()
  const server = running.use(
    await startPostgres({
      folder,
      settings: { ...settings, ...explaining },
      durable: true,
      heard: listening.heard,
    }),
  )
  const url = await server.database(nameOf(many))
  const side = running.use(await startSide(many, await filledHome(join(folder, nameOf(many)), url)))
  const found = new Map<string, Plan | undefined>()
  const explained = async ({ what, time }: Operation): Promise<void> => {
    for (let turn = 0; turn < warmUps; turn += 1) await time(side, turn)
    found.set(what, await listening.slowestOf(() => time(side, warmUps)))
  }
  for (const operation of operations) await explained(operation)
  return found
}

async function tables(): Promise<readonly TableSize[]> {
  await using server = await startPostgres({ folder, settings })
  const sizesOf = async (deposits: number) => {
    const client = new Client({ connectionString: await server.database(nameOf(deposits)) })
    await client.connect()
    try {
      const { rows } = await client.query<{ name: string; bytes: string; indexes: string }>(
        'SELECT relname AS name, pg_total_relation_size(oid) AS bytes, pg_indexes_size(oid) AS indexes ' +
          "FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
      )
      return new Map(rows.map((row) => [row.name, row]))
    } finally {
      await client.end()
    }
  }
  const [few, more] = [await sizesOf(fewer), await sizesOf(many)]
  return [...more.values()]
    .map(({ name, bytes, indexes }) => ({
      name,
      fewer: Number(few.get(name)?.bytes ?? 0),
      many: Number(bytes),
      indexes: Number(indexes),
    }))
    .filter((table) => table.many > 1e6)
    .toSorted((a, b) => b.many - a.many)
}
