import {
  areFilesAway,
  DatabaseTooNew,
  DatabaseUnfit,
  FilesUnfit,
  isProblem,
} from '../core/index.ts'
import { advice, type Advice } from './advice.ts'
import { StartFailure, type ExitReason } from './start-failure.ts'
import { codeOf } from '../core/base/errno.ts'

/** The exit status and message for failures of the database. */
const storeFailures: readonly (readonly [RegExp, ExitReason, string, Advice?])[] = [
  [/^SQLITE_(?:CORRUPT|NOTADB)/, 'data', 'The database is damaged', advice.restoreOrRebuild()],
  [/^SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH)/, 'no_permission', 'The database cannot be opened'],
  [
    /^(?:SQLITE_(?:FULL|IOERR).*|ENOSPC|EDQUOT|EIO|storage_full|storage_failed)$/,
    'io',
    'The disk is full, or fails',
  ],
  [/^(?:28000|28P01|3D000|42501)$/, 'config', 'DEPOSIT_DATABASE_URL is refused by the server'],
  [/^SQLITE_BUSY/, 'busy', 'Another program has the database'],
]

const filesAdvice: Readonly<Record<FilesUnfit['fault'], Advice>> = {
  address: advice.writeStorage(),
  keys_in_address: advice.setKeys(),
  bucket_name: advice.correctBucket(),
  no_bucket: advice.makeBucket(),
  refused: advice.setKeys(),
}

/**
 * The failure of a store that is away, or wants a password.
 *
 * @param store its name, or the setting that names it
 */
export function toAway(error: Error, store: string): StartFailure {
  const cause = error.cause instanceof Error ? error.cause.message : 'no answer'
  if (/^SASL: .*client password/.test(cause)) {
    const said = `The server of ${store} needs a password, and none is set.`
    return new StartFailure('config', said, { cause: error, next: advice.givePassword() })
  }
  return new StartFailure('unavailable', `${store} cannot be reached: ${cause}.`, { cause: error })
}

/** A failure that its user can do something about; undefined for a bug. */
export function toStartFailure(error: unknown): StartFailure | undefined {
  if (error instanceof StartFailure) return error
  if (error instanceof DatabaseTooNew) {
    return new StartFailure('data', error.message, { cause: error, next: advice.useNewer() })
  }
  if (error instanceof DatabaseUnfit) {
    return new StartFailure('config', error.message, { cause: error, next: advice.useUtf8() })
  }
  if (error instanceof FilesUnfit) {
    return new StartFailure('config', error.message, {
      cause: error,
      next: filesAdvice[error.fault],
    })
  }
  if (isProblem(error, 'storage_unavailable')) {
    return toAway(error, areFilesAway(error) ? 'DEPOSIT_STORAGE_URL' : 'DEPOSIT_DATABASE_URL')
  }
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  const known = storeFailures.find(([pattern]) => pattern.test(code))
  if (!known) return undefined
  const [, reason, meaning, next] = known
  return new StartFailure(reason, `${meaning} (${error.message}).`, {
    cause: error,
    ...(next && { next }),
  })
}
