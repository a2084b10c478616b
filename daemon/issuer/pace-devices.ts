import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { pollInterval, PendingDevices } from './pending-devices.ts'

type Middleware = Parameters<Provider['use']>[0]
type Context = Parameters<Middleware>[0]

/**
 * What the provider leaves out of the device flow: the interval, `slow_down` for those who do not
 * keep to it, and a bound on how many codes wait for approval.
 *
 * @see RFC 8628 §3.2 and §3.5
 */
export function paceDevices(): Middleware {
  const devices = new PendingDevices()
  return async (context, next) => {
    if (context.path === '/oauth/device') return startDevice(context, next, devices)
    await next()
    if (context.path === '/oauth/token') answerDevice(context, devices)
  }
}

async function startDevice(
  context: Context,
  next: () => Promise<unknown>,
  devices: PendingDevices,
): Promise<void> {
  if (!devices.hasRoomFor(context.ip)) {
    refuse(context)
    return
  }
  await next()
  const { device_code: code } = bodyOf(context)
  if (typeof code !== 'string') return
  devices.add(code, context.ip)
  context.body = { ...bodyOf(context), interval: pollInterval }
}

function refuse(context: Context): void {
  context.status = 429
  context.set('retry-after', '60')
  context.body = {
    error: 'temporarily_unavailable',
    error_description: 'Too many sign-ins wait for approval; approve one, or try again later.',
  }
}

function answerDevice(context: Context, devices: PendingDevices): void {
  const { oidc } = context as unknown as Partial<KoaContextWithOIDC>
  const code = oidc?.params?.['device_code']
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
