import { operate, startService, type Service } from '../faults/service.ts'
import { endProcess } from './processes.ts'

/** A home of the daemon that outlives it, with two users. */
export interface Home {
  readonly path: string
  /** Token of the user who owns what is measured, for everything. */
  readonly token: string
  /** Token of an administrator. */
  readonly adminToken: string
  /** The place of its rows and bytes, if that is not the home. */
  readonly env?: NodeJS.ProcessEnv
}

export const ownerEmail = 'bench@example.org'

/** Makes a home at `path` by the daemon itself, which does not run afterwards. */
export async function makeHome(path: string, env: NodeJS.ProcessEnv = {}): Promise<Home> {
  const service = await startService(path, { env })
  const tokenFor = async (email: string, role: Readonly<Record<string, string>>) => {
    await operate(service, 'user add', { email, ...role })
    const scope = 'deposit:write deposit:actions'
    return operate(service, 'token create', { user: email, scope })
  }
  try {
    const token = await tokenFor(ownerEmail, {})
    const adminToken = await tokenFor('admin@example.org', { admin: 'true' })
    return { path, env, token, adminToken }
  } finally {
    await endService(service)
  }
}

/** Lets a daemon end in its own time. */
export async function endService({ pid, ended }: Service): Promise<void> {
  endProcess(pid, 'SIGTERM')
  await ended
}
