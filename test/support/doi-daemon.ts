import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import type { ProvidedPid } from '../../core/contract/pids.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { account, password, scriptedDatacite, type ScriptedDatacite } from './scripted-datacite.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { testDaemon, type TestDaemon } from './test-daemon.ts'
import type { User } from './user.ts'

/** A daemon that registers DOIs, and where it does so. */
export interface DoiDaemon extends AsyncDisposable {
  readonly daemon: TestDaemon
  readonly datacite: ScriptedDatacite
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

/** Settings of DataCite, with the password in a file of `home`. */
export async function dataciteSettings(
  home: string,
  url: string,
): Promise<Readonly<Record<string, string>>> {
  const file = join(home, 'datacite-password')
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  return {
    DEPOSIT_DOI_PREFIX: '10.5072',
    DEPOSIT_DATACITE_URL: url,
    DEPOSIT_DATACITE_ACCOUNT: account,
    DEPOSIT_DATACITE_PASSWORD_FILE: file,
  }
}

/** @param more settings beside those of DataCite */
export async function doiDaemon(more: Readonly<Record<string, string>> = {}): Promise<DoiDaemon> {
  await using stack = new AsyncDisposableStack()
  const { path: home } = stack.use(await temporaryFolder())
  const datacite = stack.use(await scriptedDatacite())
  const env = { ...(await dataciteSettings(home, datacite.url)), ...more }
  const daemon = stack.use(await testDaemon({ home, env }))
  const owned = stack.move()
  return { daemon, datacite, home, env, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The DOI of a deposit, once it has one of these statuses. */
export async function doiOf(
  user: User,
  deposit: Pick<DepositBody, 'id'>,
  ...statuses: readonly ProvidedPid['status'][]
): Promise<ProvidedPid> {
  for (;;) {
    const { pids } = await user.show(deposit)
    const doi = pids?.doi
    if (doi && (statuses.length === 0 || statuses.includes(doi.status))) return doi
    await rest(20)
  }
}
