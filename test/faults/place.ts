import { randomUUID } from 'node:crypto'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { hasS3, s3Credentials, startS3, storeAt } from '../support/s3.ts'

/** The stores for rows and bytes of a daemon under test, outside its home. */
export const places = ['home', 'postgres-s3'] as const

export type Place = (typeof places)[number]

/** Why no data can be kept at `place` here; undefined if they can. */
export function placeObstacle(place: Place): string | undefined {
  if (place === 'home') return undefined
  if (!hasPostgres()) return 'PostgreSQL is not installed'
  return hasS3() ? undefined : 'no S3 server is installed (python3-swift)'
}

/**
 * Makes every daemon that is started from now on keep rows and bytes at `place`: on new servers,
 * which are removed when it is disposed of. PostgreSQL syncs its commits.
 */
export async function keepAt(place: Place): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  if (place === 'postgres-s3') {
    const rows = stack.use(await startPostgres({ durable: true }))
    const bytes = stack.use(await startS3())
    stack.defer(
      setEnvironment({
        ...s3Credentials,
        DEPOSIT_DATABASE_URL: await rows.database(randomUUID()),
        DEPOSIT_STORAGE_URL: storeAt(bytes.endpoint, 'place'),
      }),
    )
  }
  return stack.move()
}

/** Returns a function that restores the environment. */
function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
