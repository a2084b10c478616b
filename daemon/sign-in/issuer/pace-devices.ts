import { ownerProofHeader } from '../../../core/contract/owner-proof.ts'
import type { Database } from '../../../core/index.ts'
import { networkOf } from '../../http/authenticate.ts'
import { oidcOf, type Middleware } from './middleware.ts'
import { pollInterval, PendingDevices } from './pending-devices.ts'

type Context = Parameters<Middleware>[0]

/**
 * Completes the device flow of the provider: the interval, `slow_down` for those who do not
 * keep to it, and a bound on how many codes wait for approval.
 *
 * @see RFC 8628 §3.2 and §3.5
 */
export function paceDevices(database: Database): Middleware {
  const devices = new PendingDevices()
  return async (context, next) => {
    if (context.path === '/oauth/device') return startDevice(context, next, devices, database)
    await next()
    if (context.path === '/oauth/token') answerDevice(context, devices)
  }
}

async function startDevice(
  context: Context,
  next: () => Promise<unknown>,
  devices: PendingDevices,
  database: Database,
): Promise<void> {
  await next()
  const { device_code: code } = bodyOf(context)
  if (typeof code !== 'string') return
  context.body = { ...bodyOf(context), interval: pollInterval }
  // A wrong proof was refused before: the owner never waits.
  if (context.get(ownerProofHeader) !== '') return
  const ended = devices.add(code, networkOf(context.ip))
  if (ended !== undefined) await database.write((unit) => unit.issuer.remove('DeviceCode', ended))
}

function answerDevice(context: Context, devices: PendingDevices): void {
  const code = oidcOf(context)?.params?.['device_code']
  if (typeof code !== 'string') return
  if (bodyOf(context)['error'] !== 'authorization_pending') {
    devices.remove(code)
    return
  }
  if (!devices.ask(code)) return
  context.body = {
    error: 'slow_down',
    error_description: `Ask every ${pollInterval} seconds, and 5 seconds later after this answer.`,
  }
}

function bodyOf(context: Context): Readonly<Record<string, unknown>> {
  const body: unknown = context.body
  return typeof body === 'object' && body !== null ? { ...body } : {}
}
