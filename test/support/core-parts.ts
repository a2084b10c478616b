import { pino } from 'pino'
import { StorageHealth } from '../../core/adapters/storage-health.ts'
import type { User } from '../../core/access/caller.ts'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { ManifestStore, Parts } from '../../core/index.ts'
import { readConfig } from '../../daemon/config/config.ts'
import { homeAt, prepareHome } from '../../daemon/home/home.ts'
import { openParts } from '../../daemon/stores/open-parts.ts'
import { ada } from './rows.ts'
import { openManifests } from '../../daemon/stores/storages.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A user who may do everything with her own deposits. */
export const owner: User = {
  user: ada,
  scopes: new Set([writeScope, actionsScope]),
  admin: false,
  roles: new Set(),
}

export type CoreParts = Parts & { readonly manifests: ManifestStore }

/** The core on its real adapters and a temporary home, without HTTP; closed with `stack`. */
export async function coreParts(stack: AsyncDisposableStack): Promise<CoreParts> {
  const { path } = stack.use(await temporaryFolder())
  const config = await readConfig({ DEPOSIT_HOME: path })
  await prepareHome(path)
  const log = pino({ level: 'silent' })
  const [parts] = await openParts(config, log, stack, () => 'http://localhost', new StorageHealth())
  const manifests = stack.use(await openManifests(homeAt(path)))
  return { ...parts, manifests }
}
