import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../../support/postgres.ts'
import { makeHome, type Home } from '../home.ts'
import { seed } from './seed.ts'

/** Settings of an operator on a machine of this size; all else is PostgreSQL's default. */
export const settings = {
  shared_buffers: '2GB',
  effective_cache_size: '8GB',
  random_page_cost: '1.1',
  max_wal_size: '4GB',
  checkpoint_timeout: '30min',
} as const

/** The folder of the cluster and the homes. */
export interface Place {
  readonly folder: string
  readonly say: (line: string) => void
}

/** Name of the database with so many deposits, and of the home that goes with it. */
export function nameOf(deposits: number): string {
  return `deposits_${deposits}`
}

/** Creates and fills the missing databases with a server that flushes nothing. */
export async function fill({ folder, say }: Place, amounts: readonly number[]): Promise<void> {
  await using server = await startPostgres({ folder, settings })
  for (const deposits of amounts) {
    const path = join(folder, nameOf(deposits))
    if (existsSync(join(path, tokens))) continue
    await rm(path, { recursive: true, force: true })
    await mkdir(path)
    say(`${deposits} deposits are written`)
    const url = await server.database(nameOf(deposits))
    const { token, adminToken } = await makeHome(path, { DEPOSIT_DATABASE_URL: url })
    await seed({ url, deposits, say })
    await writeFile(join(path, tokens), JSON.stringify({ token, adminToken }))
  }
}

/** Written last: a home without it is incomplete. */
const tokens = 'tokens.json'

/** A filled home, with its rows at `url`. */
export async function filledHome(path: string, url: string): Promise<Home> {
  const kept = await readFile(join(path, tokens), 'utf8')
  const { token, adminToken } = JSON.parse(kept) as Pick<Home, 'token' | 'adminToken'>
  // Each start of the server has another port, which the home would take for another place.
  await rm(join(path, 'stores.json'), { force: true })
  return { path, token, adminToken, env: { DEPOSIT_DATABASE_URL: url } }
}
