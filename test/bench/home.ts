import { operate, startService, type Service } from '../faults/service.ts'
import { endProcess } from './processes.ts'

/** A home of the daemon that outlives it, with two users. */
export interface Home {
  readonly path: string
  /** Token of the measured user, with all scopes. */
  readonly token: string
  /** Token of an administrator. */
  readonly adminToken: string
  /** The place of its rows and bytes, if it is not the home. */
  readonly env?: NodeJS.ProcessEnv
}

export const ownerEmail = 'bench@example.org'

/** Makes a home at `path` with the daemon itself, which is stopped afterwards. */
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

/** Stops a daemon and waits until it has ended. */
export async function endService({ pid, ended }: Service): Promise<void> {
  endProcess(pid, 'SIGTERM')
  await ended
}
