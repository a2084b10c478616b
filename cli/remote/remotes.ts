import { dirname, join } from 'node:path'
import { isLoopback } from '../../core/base/loopback.ts'
import { makeFolders, writeTextDurably } from '../../core/base/durable-files.ts'
import { whileLocked } from '../../core/base/file-lock.ts'
import { advice } from '../advice.ts'
import type { CliConfig } from '../config.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import { readPrivateFile } from '../private-file.ts'
import type { CliContext } from '../session/context.ts'
import { kinds, type KindName, type RemoteKind, type RemoteSettings } from './kinds.ts'
import { objectOf, textOf } from './port/values.ts'

/** A remote as it is stored: in a file that only this user can read. */
export interface StoredRemote extends RemoteSettings {
  /** Absent where it comes from the environment alone. */
  readonly token?: string
}

/** The remotes of this user, by name. */
export async function readRemotes(context: CliContext): Promise<readonly StoredRemote[]> {
  const text = await readPrivateFile(await fileOf(context))
  if (text === undefined) return []
  return Object.entries(objectOf(parse(text))).flatMap(([name, value]) => {
    const { kind, url } = objectOf(value)
    const address = textOf(url)
    const further = ['collection', 'contact', 'token'].flatMap((field) => {
      const said = textOf(objectOf(value)[field])
      return said === undefined ? [] : [[field, said] as const]
    })
    if (!isKind(kind) || address === undefined) return []
    return [
      {
        name,
        kind,
        url: address,
        ...Object.fromEntries(further),
      },
    ]
  })
}

/** @throws {UsageFailure} there is none of that name */
export async function findRemote(context: CliContext, name: string): Promise<StoredRemote> {
  const all = await readRemotes(context)
  const found = all.find((each) => each.name === name)
  if (found) return found
  const said = 'there is no remote of that name'
  throw unnamed(
    all,
    `find the remote ${name}`,
    all.length === 0 ? 'there are no remotes yet' : said,
  )
}

/** The failure of a command that was not told which remote. */
export async function nameless(context: CliContext, tried: string): Promise<UsageFailure> {
  return unnamed(await readRemotes(context), tried, '--to does not say where')
}

function unnamed(all: readonly StoredRemote[], tried: string, said: string): UsageFailure {
  const names = all.map(({ name }) => name)
  const next = names.length === 0 ? advice.addRemote() : advice.nameRemote(names)
  return new UsageFailure({ tried, said, next })
}

/** Adds a remote, or replaces one of its name. */
export async function storeRemote(context: CliContext, remote: StoredRemote): Promise<void> {
  const { name, ...settings } = remote
  await change(context, (all) => ({ ...all, [name]: settings }))
}

export async function removeRemote(context: CliContext, name: string): Promise<void> {
  await change(context, ({ [name]: _, ...rest }) => rest)
}

type Stored = Readonly<Record<string, unknown>>

async function change(context: CliContext, work: (all: Stored) => Stored): Promise<void> {
  const file = await fileOf(context)
  await whileLocked(`${file}.lock`, context.signal, async () => {
    const text = await readPrivateFile(file)
    const changed = work(objectOf(text === undefined ? {} : parse(text)))
    makeFolders(dirname(file), 0o700)
    await writeTextDurably(file, `${JSON.stringify(changed, null, 2)}\n`)
  })
}

async function fileOf({ config }: CliContext): Promise<string> {
  return join(await config.privateFolder(), 'remotes.json')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return {}
  }
}

function isKind(value: unknown): value is KindName {
  return typeof value === 'string' && Object.hasOwn(kinds, value)
}

export function kindOf(name: KindName): RemoteKind {
  return kinds[name]
}

/** @throws {UsageFailure} it is none of {@link kinds} */
export function parseKind(text: string | undefined): KindName {
  if (isKind(text)) return text
  throw new UsageFailure({
    tried: 'use --kind',
    said: `it is one of ${Object.keys(kinds).join(', ')}${text === undefined ? '' : `, and not "${text}"`}`,
    next: advice.correctOption('--kind'),
  })
}

/** @throws {UsageFailure} it cannot stand in a command line or an environment variable */
export function requireName(name: string): void {
  if (/^[A-Za-z][\w-]{0,39}$/.test(name)) return
  throw new UsageFailure({
    tried: `add the remote "${name}"`,
    said: 'a name begins with a letter, and has letters, digits, - and _',
    next: advice.correctAbove(),
  })
}

/**
 * The address of a repository, without a slash at its end.
 *
 * @throws {UsageFailure} it is none, or the token would go over the network in the clear
 */
export function parseRemoteUrl(text: string, isInsecure: boolean): string {
  const url = URL.parse(text)
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
  const tried = 'use --url'
  if (!isWeb) {
    const said = `it begins with https://, and not "${text}"`
    throw new UsageFailure({ tried, said, next: advice.correctOption('--url') })
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const said = 'it is an address alone, without a name, a password, ? or #'
    throw new UsageFailure({ tried, said, next: advice.correctOption('--url') })
  }
  if (url.protocol === 'http:' && !isLoopback(url) && !isInsecure) {
    const said = 'over plain http, your token and data can be read on the way'
    throw new UsageFailure({ tried, said, next: advice.useHttpsUrl() })
  }
  const [page] = ofPage.exec(url.pathname) ?? []
  if (page !== undefined) {
    const before = url.href.slice(0, -page.length)
    const said = `it ends with ${page}, which is a part of the service: its own address is ${before}`
    throw new UsageFailure({ tried, said, next: advice.correctOption('--url') })
  }
  return url.href.replace(/\/+$/, '')
}

/** Ends of addresses that people copy from their browsers, and that we add ourselves. */
const ofPage = /\/(?:(?:api|deposits?|records?|uploads?|me)(?:\/\d+)?|dataverse\/[\w-]+)\/?$/i

/**
 * The token of a remote: that of the environment before the stored one.
 *
 * @throws {Failure} there is none
 */
export function tokenOf(remote: StoredRemote, config: CliConfig): string {
  const token = config.remoteToken(remote.name) ?? remote.token
  const fault = faultOfToken(token ?? '')
  if (token !== undefined && fault === undefined) return token
  const said =
    token === undefined
      ? `there is no token for ${remote.name}`
      : `the token for ${remote.name} ${fault}`
  const lines = { tried: `use ${remote.name}`, said, next: advice.giveRemoteToken(remote.name) }
  throw new Failure(lines, { exitCode: exitCodes.signInFirst })
}

/** What is wrong with a token, after its name; undefined if nothing is. */
export function faultOfToken(token: string): string | undefined {
  if (!/^[\x21-\x7e]*$/.test(token))
    return 'has spaces, line breaks or other characters that a token cannot have'
  // It is left out of all that a repository answers: a word of everyday would be, too.
  return token.length < shortestToken ? `has fewer than ${shortestToken} characters` : undefined
}

const shortestToken = 8
