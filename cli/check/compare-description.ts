import { crc32 } from 'node:zlib'
import type { PackageName } from '../../core/contract/exports.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { OpenPackage } from '../packages/open-package.ts'
import { findContent, findPackage } from '../transfer/export-package.ts'

/** What a package says of its record, compared with what the service says. */
export interface ComparedDescription {
  /** The revision that it describes; undefined where it describes none of them. */
  readonly revision: number | undefined
  /** The newest revision. */
  readonly latest: number
  /** Files that differ from those of the newest revision; empty where all of them do. */
  readonly differing: readonly string[]
}

const packages: Partial<Record<OpenPackage['kind'], PackageName>> = {
  bag: 'bagit',
  'ro-crate': 'ro-crate',
  datapackage: 'datapackage',
}

/** Revisions that are looked at, newest first. */
const mostRevisions = 20

/**
 * Compares the files that the service writes for such a package: descriptions, manifests and pages.
 *
 * @returns undefined where it writes none: for a draft, or another kind of package
 */
export async function compareDescription(
  client: DepositClient,
  deposit: DepositBody,
  opened: OpenPackage,
): Promise<ComparedDescription | undefined> {
  const name = packages[opened.kind]
  const { record } = deposit.links
  if (name === undefined || record === undefined) return undefined
  const revisions = (await client.listRevisions(deposit.id, record)).toReversed()
  const sums = new Map<string, Promise<number>>()
  const sumOf = (path: string): Promise<number> => {
    const known = sums.get(path) ?? sum(opened, path)
    sums.set(path, known)
    return known
  }
  let first: readonly string[] | undefined
  let found: number | undefined
  for (const { revision } of revisions.slice(0, mostRevisions)) {
    const different: string[] = []
    const written = await writtenOf(client, deposit, name, revision)
    for (const { path, size, crc32: wanted } of written) {
      const file = opened.contents.files.find((each) => each.path === path)
      if (file?.size !== size || (await sumOf(path)) !== wanted) different.push(path)
    }
    first ??= different.length < written.length ? different : []
    if (different.length > 0) continue
    found = revision
    break
  }
  return {
    revision: found,
    latest: revisions[0]?.revision ?? 0,
    differing: first ?? [],
  }
}

interface Written {
  /** Below the package. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly crc32: number
}

async function writtenOf(
  client: DepositClient,
  deposit: DepositBody,
  name: PackageName,
  revision: number,
): Promise<readonly Written[]> {
  const found = await findPackage(client, deposit, name, revision)
  const { written } = await findContent(found, client.connection)
  return written.map((file) => ({ ...file, path: file.name.slice(found.folder.length) }))
}

async function sum({ contents }: OpenPackage, path: string): Promise<number> {
  const file = contents.files.find((each) => each.path === path)
  let value = 0
  if (file === undefined) return value
  for await (const chunk of contents.read(file)) value = crc32(chunk, value)
  return value
}
