import { randomUUID } from 'node:crypto'
import { startPostgres } from '../support/postgres.ts'
import { s3Credentials, startS3 } from '../support/s3.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

/** Two daemons whose rows and bytes are in the same PostgreSQL and S3. */
export interface TwoDaemons extends AsyncDisposable {
  readonly one: TestDaemon
  readonly two: TestDaemon
  /** Address of the rows. */
  readonly database: string
  /** For further daemons. */
  readonly env: Readonly<Record<string, string>>
  /** A user of the first daemon, as a client of the second. */
  readonly elsewhere: (user: User) => User
}

export async function twoDaemons(): Promise<TwoDaemons> {
  await using stack = new AsyncDisposableStack()
  const rows = stack.use(await startPostgres())
  const store = stack.use(await startS3())
  Object.assign(process.env, s3Credentials)
  const database = await rows.database(randomUUID())
  const env = { DEPOSIT_DATABASE_URL: database, DEPOSIT_STORAGE_URL: store.store(randomUUID()) }
  const one = stack.use(await testDaemon({ env, files: {} }))
  const two = stack.use(await testDaemon({ env, files: {} }))
  const elsewhere = (user: User): User =>
    new User(two.url, async () => (await user.authorization())['authorization']?.slice(7))
  const owned = stack.move()
  return {
    one,
    two,
    database,
    env,
    elsewhere,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
