import { isLoopbackHost } from '../../core/base/loopback.ts'
import { isIP } from 'node:net'
import { defaultPort } from '../../core/contract/defaults.ts'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'

/** Their values in the configuration. */
interface ExposureValues {
  readonly DEPOSIT_PUBLIC_URL: string | undefined
  readonly DEPOSIT_TRUSTED_PROXIES: string | undefined
}

/** The address of the service, and those who can reach it. */
export interface Exposure {
  /** Scheme, host and port that clients see; absent where they are those it listens on. */
  readonly publicOrigin?: string
  /** Addresses and networks whose `X-Forwarded-*` is believed. */
  readonly trustedProxies: readonly string[]
}

/**
 * Reads `DEPOSIT_PUBLIC_URL`.
 *
 * @throws {StartFailure} it is wrong, or passwords and tokens would travel in the clear
 */
export function readPublicOrigin(
  values: ExposureValues,
  host: string,
): Pick<Exposure, 'publicOrigin'> {
  const publicOrigin = originOf(values.DEPOSIT_PUBLIC_URL)
  if (publicOrigin !== undefined) return { publicOrigin }
  if (isLoopbackHost(host)) return {}
  const said = `On ${host} passphrases and tokens would travel unencrypted.`
  throw new StartFailure('config', said, { next: advice.setPublicUrl() })
}

/** The address the configuration gives the service, for use while it does not run. */
export function originIn(values: ExposureValues): string {
  return originOf(values.DEPOSIT_PUBLIC_URL) ?? `http://127.0.0.1:${defaultPort}`
}

function originOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.parse(text)
  if (!url || url.origin === 'null' || url.pathname !== '/' || url.search || url.username) {
    const wanted = 'an address without a path, such as https://deposit.example.org'
    throw new StartFailure('config', `DEPOSIT_PUBLIC_URL must be ${wanted}, not "${text}".`)
  }
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url.origin
  throw new StartFailure('config', `DEPOSIT_PUBLIC_URL must begin with https://, not "${text}".`)
}

/** @throws {StartFailure} some are no addresses: all of them are named */
export function readProxies({
  DEPOSIT_TRUSTED_PROXIES: text = '',
}: ExposureValues): readonly string[] {
  const proxies = text.split(/[\s,]+/).filter((proxy) => proxy !== '')
  const wrong = proxies.filter((proxy) => !isNetwork(proxy)).map((proxy) => JSON.stringify(proxy))
  if (wrong.length === 0) return proxies
  const wanted = 'addresses or networks such as 127.0.0.1 or 10.0.0.0/8'
  const said = `DEPOSIT_TRUSTED_PROXIES must be ${wanted}, not ${wrong.join(' or ')}.`
  throw new StartFailure('config', said)
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  )
}
