import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Metadata } from '../client/deposit-client.ts'
import { findOriginal, statsOf } from '../metadata/find-metadata-file.ts'
import { foreignFiles } from '../metadata/foreign/foreign-files.ts'
import { describeSource, readMetadata } from '../metadata/read-metadata.ts'
import type { CliContext } from '../session/context.ts'

/** Metadata that a folder has already. */
interface KnownMetadata {
  readonly metadata: Metadata
  /** Notes about their origin. */
  readonly remarks: readonly string[]
}

/**
 * Converts the first foreign metadata file of a folder.
 *
 * @param folder absolute
 * @throws {UsageFailure} it cannot be read
 */
export async function findKnownMetadata(
  context: CliContext,
  folder: string,
): Promise<KnownMetadata> {
  const names = Object.keys(foreignFiles)
  const stats = await statsOf(folder, names)
  const files = names.filter((_, index) => stats[index]?.isFile())
  const file = (await findOriginal(folder, files)) ?? files[0]
  if (file === undefined) return { metadata: {}, remarks: [] }
  const source = await readMetadata({ ...context, folder, followsLinks: false }, file)
  return { metadata: source.metadata, remarks: describeSource(source) }
}

/** The user of git as a creator; undefined without git, or without a name there. */
export async function findGitUser(folder: string): Promise<Metadata | undefined> {
  const args = ['config', '--get', 'user.name']
  const name = await promisify(execFile)('git', args, { cwd: folder, timeout: 5000 }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
  return name === '' ? undefined : { name: familyFirst(name) }
}

/** `Ada Lovelace` as it is cited; a name of more or fewer words may be of any form. */
function familyFirst(name: string): string {
  return name.replace(/^(\p{L}[\p{L}'’-]*) (\p{L}[\p{L}'’-]*)$/u, '$2, $1')
}

/** Milliseconds. */
const patience = 10_000

/**
 * The creator of the user's deposit that was changed last, with ORCID iD and affiliation. Undefined
 * where the server has none, or does not answer soon.
 */
export async function findLastCreator(context: CliContext): Promise<Metadata | undefined> {
  const ask = async (): Promise<Metadata | undefined> => {
    const client = await context.runningClient({ quiet: true })
    const me = await client?.me()
    const found = await client?.search({ sort: 'mostrecent' }, 10)
    const own = found?.hits.hits.find(
      ({ metadata }) => metadata._deposit?.created_by === me?.user && personIn(metadata),
    )
    return own && personIn(own.metadata)
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patience)
  })
  // It is a convenience: without an answer the person types the name.
  const found = await Promise.race([ask().catch(() => undefined), late])
  clearTimeout(timer)
  return found
}

/** The only creator. Of several it may be any. */
function personIn({ creators }: Metadata): Metadata | undefined {
  const people: readonly unknown[] = Array.isArray(creators) ? creators : []
  const [one] = people
  return people.length === 1 && isPerson(one) ? one : undefined
}

function isPerson(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && 'name' in value
}
