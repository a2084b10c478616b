import { readFile, stat } from 'node:fs/promises'
import { isLoopbackHost, isPrivateWay } from '../../core/base/loopback.ts'
import {
  arkProvider,
  mintedBy,
  recordMinters,
  type Minter,
  type Provider,
  type RecordMinter,
} from '../../core/index.ts'
import { requireOwnFile } from '../home/own-files.ts'
import { StartFailure } from '../start-failure.ts'
import type { ConfigValues } from './keys.ts'
import type { OwnProvider } from './extensions.ts'

/** The account that registers DOIs at DataCite. */
export interface DataciteSettings {
  readonly prefix: string
  /** Base address of the interface, without a slash at its end. */
  readonly url: string
  readonly account: string
  /** Read again for each request. */
  readonly password: () => Promise<string>
  /** Another text as soon as the file of the password is another, or was written to. */
  readonly passwordState: () => Promise<string>
  /** Where DOIs of the test system resolve; absent for those that doi.org knows. */
  readonly resolver?: string
}

const keys = [
  'DEPOSIT_DOI_PREFIX',
  'DEPOSIT_DATACITE_URL',
  'DEPOSIT_DATACITE_ACCOUNT',
  'DEPOSIT_DATACITE_PASSWORD_FILE',
] as const

/** The prefix that everybody may test with. It resolves nowhere. */
const testPrefix = '10.5072'
const productionHost = 'api.datacite.org'
const testHost = 'api.test.datacite.org'
const testResolver = 'https://handle.test.datacite.org/'

type Values = Pick<ConfigValues, (typeof keys)[number]>

/**
 * Reads the settings of DataCite: all of them or none.
 *
 * @param publicOrigin without one, DOIs would lead to an address that only this machine has
 * @throws {StartFailure} some are missing, wrong, or contradict each other
 */
export async function readDataciteSettings(
  values: Values,
  publicOrigin: string | undefined,
): Promise<DataciteSettings | undefined> {
  const missing = keys.filter((key) => values[key] === undefined)
  if (missing.length === keys.length) return undefined
  if (missing.length > 0) {
    const given = keys.filter((key) => values[key] !== undefined)
    throw wrong(
      `${given.join(', ')} ${given.length === 1 ? 'needs' : 'need'} ${missing.join(', ')} as well: DOIs are registered with all four.`,
    )
  }
  const [prefix = '', address = '', account = '', file = ''] = keys.map((key) => values[key])
  const url = URL.parse(address)
  if (!url || !isPrivateWay(url) || url.search !== '' || url.username !== '') {
    throw wrong(`DEPOSIT_DATACITE_URL must be an https:// address, not "${address}".`)
  }
  // A name may end with a dot, and is the same host.
  requireFitting(prefix, url.hostname.replace(/\.$/, ''), publicOrigin)
  await readPassword(file)
  return {
    prefix,
    account,
    url: address.replace(/\/+$/, ''),
    password: () => readPassword(file),
    passwordState: () => stateOf(file),
    ...(url.hostname.replace(/\.$/, '') === testHost && { resolver: testResolver }),
  }
}

/** A DOI of the wrong system cannot be taken back, or resolves nowhere. */
function requireFitting(prefix: string, host: string, publicOrigin: string | undefined): void {
  if (prefix === testPrefix && host === productionHost) {
    throw wrong(
      `DEPOSIT_DOI_PREFIX is ${testPrefix}, the prefix for tests, and DEPOSIT_DATACITE_URL is the address of production. Use https://${testHost}, or your own prefix.`,
    )
  }
  if (prefix !== testPrefix && host === testHost) {
    throw wrong(
      `DEPOSIT_DATACITE_URL is the address for tests, and DEPOSIT_DOI_PREFIX (${prefix}) is not the prefix for tests, ${testPrefix}. Use https://${productionHost}, or the prefix for tests.`,
    )
  }
  const isReached = publicOrigin !== undefined && !isLoopbackHost(new URL(publicOrigin).hostname)
  if (host === productionHost && !isReached) {
    throw wrong(
      'DEPOSIT_DOI_PREFIX needs DEPOSIT_PUBLIC_URL: without it, DOIs would lead to an address of this machine alone.',
    )
  }
}

/** Rights are judged afterwards: those of a folder are another matter. */
async function requireNoFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory())
    throw wrong(`DEPOSIT_DATACITE_PASSWORD_FILE: ${path} is a folder, not a file.`)
}

async function readPassword(file: string): Promise<string> {
  await requireNoFolder(file)
  try {
    await requireOwnFile(file)
    const text = await readFile(file, 'utf8')
    const password = text.replace(/\r?\n$/, '')
    if (password !== '') return password
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw wrong(`DEPOSIT_DATACITE_PASSWORD_FILE cannot be read: ${reason}.`)
  }
  throw wrong(`DEPOSIT_DATACITE_PASSWORD_FILE: ${file} is empty.`)
}

async function stateOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined)
  return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ') : 'absent'
}

/** Warns of a password that every user of the machine can read. */
export async function warnOfPassword(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined || !process.getuid) return []
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile() || (found.mode & 0o004) === 0) return []
  return [
    `DEPOSIT_DATACITE_PASSWORD_FILE: everybody on this machine can read ${file}. Run: chmod o-rwx ${file}`,
  ]
}

/** The minter of the values of records, and the provider of further identifiers that was named. */
interface Named {
  readonly mintRecord: RecordMinter
  readonly provider?: Provider
}

interface Extended {
  readonly minters: Readonly<Record<string, Minter>>
  readonly providers: Readonly<Record<string, OwnProvider>>
}

/**
 * What `DEPOSIT_PID_MINTER` names: a minter of the values of records, or a provider of further
 * identifiers, beside which records have a `recid`.
 *
 * @throws {StartFailure} there is none of that name
 */
export function namedMinter(
  { DEPOSIT_PID_MINTER: name, DEPOSIT_ARK_NAAN: authority }: ConfigValues,
  { minters, providers }: Extended,
  datacite: DataciteSettings | undefined,
): Named {
  const mintRecord = recordMinters.recid
  const known = new Map<string, () => Named>([
    ['recid', () => ({ mintRecord })],
    ['datacite', () => (datacite ? { mintRecord } : raise(needsDatacite))],
    ['ark', () => ({ mintRecord, provider: arkProvider(authority) })],
  ])
  for (const [key, minter] of Object.entries(minters)) {
    known.set(key, () => ({ mintRecord: mintedBy(key, minter) }))
  }
  for (const [key, provider] of Object.entries(providers)) {
    known.set(key, () => ({ mintRecord, provider: toProvider(key, provider) }))
  }
  const found = known.get(name)
  if (found) return found()
  const names = [...known.keys()].join(', ')
  throw wrong(`DEPOSIT_PID_MINTER must be one of ${names}, not "${name}".`)
}

const needsDatacite = `DEPOSIT_PID_MINTER=datacite needs ${keys.join(', ')}.`

function toProvider(name: string, provider: OwnProvider): Provider {
  const { scheme = name, toUrl = (identifier) => identifier } = provider
  return {
    name,
    scheme,
    reserve: (value) => {
      const made: unknown = provider.reserve(value)
      if (typeof made === 'string' && /^\S{1,500}$/.test(made)) return made
      throw new TypeError(`the provider ${name} reserved ${JSON.stringify(made)}, no identifier`)
    },
    toUrl: (identifier) => toUrl(identifier),
    want: async (wanted, signal) => provider.want(wanted, signal),
    check: async (identifier, wanted, signal) =>
      provider.check ? provider.check(identifier, wanted, signal) : [],
  }
}

function raise(message: string): never {
  throw wrong(message)
}

function wrong(message: string): StartFailure {
  return new StartFailure('config', message)
}
