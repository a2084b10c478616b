import { basename } from 'node:path'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { Failure } from '../failure.ts'
import { narrate, notAsked } from '../output/print.ts'
import type { Finding } from '../output/finding.ts'
import { count, formatBytes, grouped } from '../output/units.ts'
import type { OpenPackage } from '../packages/open-package.ts'
import type { CliContext } from '../session/context.ts'
import type { ConnectOptions } from '../session/open-client.ts'
import type { Compared } from './verify-package.ts'

type Options = ConnectOptions & { readonly quiet?: true }

/** Identifiers that a service of this kind gives: of records, and of deposits. */
const ownName = /(?:^|\/)(?:[\da-z]{5}-[\da-z]{5}|[\da-f]{32})\/?$/i

/** The name of the record; a folder alone has it as its own. */
export function findName({ names, kind }: OpenPackage, path: string): string | undefined {
  const all = kind === 'folder' ? [basename(path)] : names
  const own = all.find((name) => ownName.test(name))
  return own ?? (kind === 'folder' || kind === 'zip' ? undefined : names[0])
}

/** The record that only the package names: it may be elsewhere, or nowhere. */
export async function findRecord(
  context: CliContext,
  named: string | undefined,
  options: Options,
): Promise<AtServer | undefined> {
  const { streams } = context
  if (named === undefined || !ownName.test(named)) return undefined
  try {
    const client = await context.runningClient(options)
    if (client !== undefined) return await readRecord(client, named)
    narrate(streams, options, notAsked)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    narrate(streams, options, `Not compared with ${named}: ${error.said}`)
  }
  return undefined
}

/** A record or draft that the server has. */
export interface AtServer extends Compared {
  readonly client: DepositClient
  readonly deposit: DepositBody
}

export async function readRecord(client: DepositClient, named: string): Promise<AtServer> {
  const id = await client.resolve(named)
  const [, record] = /(?:^|\/)([\da-z]{5}-[\da-z]{5})\/?$/i.exec(named) ?? []
  const [files, deposit] = [await client.listFiles(id), await client.read(id)]
  return { id: record?.toLowerCase() ?? id, files, client, deposit }
}

/** The end of a message: the record that a copy was compared with. */
export function sayRecord(record: Compared | undefined, named: string | undefined): string {
  if (record !== undefined) return `; compared with ${record.id}`
  return named === undefined
    ? '; it does not say which record it is'
    : `; it says that it is ${named}`
}

/** Files of a package that it states no digest of. */
export function countUndigested({ payload, promised }: OpenPackage): number {
  return payload.filter(({ file }) => (promised.get(file.path) ?? []).length === 0).length
}

/**
 * A warning where a package states no digests of some files, and they are compared with no record:
 * it may be damaged or changed, and have no faults.
 */
export function sayUndigested(opened: OpenPackage): string | undefined {
  const [undigested, files] = [countUndigested(opened), opened.payload.length]
  if (undigested === 0) return undefined
  const which = undigested === files ? '' : ` of ${grouped(undigested)} of its files`
  const sums = opened.isArchive ? ' but the sums of the archive, which show damage alone' : ''
  return `it has no digests${which}${sums}: name its record, or a change is not seen`
}

/** What was found about a copy. */
export interface Verdict {
  /** As it is named in messages. */
  readonly path: string
  readonly files: number
  readonly bytes: number
  readonly errors: readonly Finding[]
}

/** Tells the verdict about a copy. `unseen` says what a change of it could not be seen by. */
export function conclude(
  { streams }: CliContext,
  body: Verdict,
  options: Options,
  { more, unseen }: { readonly more: string; readonly unseen?: string | undefined },
): Verdict {
  const { path, errors, files, bytes } = body
  const faults = `${path} differs: ${count(errors.length, 'fault')}`
  const isWhole = unseen === undefined
  const whole = `${path} ${isWhole ? 'is complete and unchanged' : 'has no fault that can be seen'}`
  const size = `${count(files, 'file')}, ${formatBytes(bytes)}`
  const verdict = errors.length > 0 ? faults : `${whole}: ${size}`
  narrate(streams, options, `${verdict}${more}${isWhole ? '' : `; ${unseen}`}`)
  return body
}
