import { advice } from '../advice.ts'
import { basename, join, relative, resolve } from 'node:path'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { shellWord } from '../plain.ts'
import { findMetadataFile, sayMisnamed } from '../metadata/find-metadata-file.ts'
import { foreignFiles } from '../metadata/foreign/foreign-files.ts'
import { findOtherAccess, type OtherAccess } from '../metadata/other-access.ts'
import {
  readMetadata,
  type Input,
  type MetadataFile,
  describeNotTaken,
} from '../metadata/read-metadata.ts'
import { findSources, nothingLeftOut, type Sources } from './find-sources.ts'
import { describeLeftOut, planUpload, type UploadPlan } from './plan-upload.ts'
import type { FolderOptions } from './read-folder.ts'

export interface PrepareOptions {
  readonly metadata?: string
  readonly exclude?: readonly string[] | undefined
  readonly followLinks?: boolean | undefined
}

export interface Prepared {
  readonly metadata: Metadata
  /** The metadata file; undefined without one. */
  readonly source: MetadataFile | undefined
  /** Limits from other files of the folder. */
  readonly other: OtherAccess | undefined
  readonly plan: UploadPlan
  /** Message about a file that looks like metadata but is not used: publishing is refused. */
  readonly misnamed: string | undefined
  /** Notes for before the upload, warnings among them. */
  readonly remarks: readonly string[]
  /** Warnings about files, and about metadata that were not taken over. */
  readonly warnings: readonly string[]
  /** True for a key that the folder would ignore. */
  readonly isIgnored: (key: string) => boolean
  /** The command that continues an interrupted upload to a draft. */
  readonly resume: (id: string) => string
}

/**
 * Reads and checks metadata and files before anything is sent.
 *
 * @param dir the folder to upload; none for an empty deposit
 * @throws {UsageFailure} the metadata cannot be read, or files cannot keep their names
 */
export async function prepare(
  input: Input,
  dir: string | undefined,
  { metadata: given, exclude = [], followLinks }: PrepareOptions,
): Promise<Prepared> {
  const folder = dir === undefined ? undefined : resolve(input.folder, dir)
  const found = given === undefined && folder ? await findMetadataFile(folder) : undefined
  const own = given ?? found?.file
  const isFound = given === undefined && folder !== undefined
  const from = isFound ? { ...input, folder, followsLinks: false } : input
  const source = own === undefined ? undefined : await readMetadata(from, own)
  const shown = source && isFound ? { ...source, file: join(dir ?? '', source.file) } : source
  const path = own === undefined ? undefined : resolve(from.folder, own)
  const other =
    folder === undefined
      ? undefined
      : await findOtherAccess({ folder, dir: dir ?? '', used: shown, path })
  const inFolder = pathIn(folder, own, from)
  const excluded = [...exclude, ...asPattern(inFolder)]
  const sources = await findFolder(input, dir, { exclude: excluded, followLinks })
  const plan = planUpload(sources.files)
  const isOwn = source !== undefined && !(basename(source.file) in foreignFiles)
  const misnamed =
    given !== undefined || isOwn ? undefined : sayMisnamed(plan.files.map(({ key }) => key))
  const isOther = (name: string): boolean => name !== inFolder
  const leftOut = describeLeftOut({
    ignored: sources.leftOut.ignored.filter(isOther),
    excluded: sources.leftOut.excluded.filter(isOther),
  })
  const lost = source && describeNotTaken(source)
  const aside = [misnamed, lost].filter((text) => text !== undefined)
  return {
    metadata: { ...source?.metadata, ...other?.access },
    source: shown,
    other,
    plan,
    misnamed,
    isIgnored: sources.isIgnored,
    remarks: [
      ...aboutMetadata(dir, source, found?.passedOver),
      ...(misnamed === undefined ? [] : [`warning: ${misnamed}`]),
      ...(other?.remark === undefined ? [] : [other.remark]),
      ...(other?.unread ?? []).map((note) => `warning: ${note}`),
      ...leftOut,
      ...plan.warnings,
    ],
    warnings: [...aside, ...(other?.unread ?? []), ...plan.warnings],
    resume: (id) => resumeCommand(id, dir, { exclude: excluded, followLinks }),
  }
}

/** Publishing would make the file public as data. */
export function refuseMisnamed(said: string): UsageFailure {
  return new UsageFailure({ tried: 'publish the folder', said, next: advice.correctInput() })
}

/** The path of the metadata file below the folder, with slashes; undefined where it is not there. */
function pathIn(
  folder: string | undefined,
  file: string | undefined,
  from: Input,
): string | undefined {
  if (folder === undefined || file === undefined || file === '-') return undefined
  const path = relative(folder, resolve(from.folder, file)).replaceAll('\\', '/')
  return path.startsWith('../') ? undefined : path
}

/** The metadata file is not uploaded. A foreign one is, for readers of the deposit. */
function asPattern(path: string | undefined): readonly string[] {
  if (path === undefined || basename(path) in foreignFiles) return []
  return [`/${path.replaceAll(/[\\*?[\] !#]/g, '\\$&')}`]
}

async function findFolder(
  { folder }: Input,
  dir: string | undefined,
  options: FolderOptions,
): Promise<Sources> {
  if (dir === undefined) return { files: [], leftOut: nothingLeftOut, isIgnored: () => false }
  const { stat } = await import('node:fs/promises')
  const isFile = await stat(resolve(folder, dir)).then(
    (stats) => stats.isFile(),
    () => false,
  )
  if (!isFile) return findSources([dir], { folder, ...options })
  throw new UsageFailure({
    tried: `create a deposit from ${dir}`,
    said: 'it is a file, not a folder',
    next: advice.createThenUpload(dir),
  })
}

function aboutMetadata(
  dir: string | undefined,
  source: MetadataFile | undefined,
  passedOver: readonly string[] = [],
): readonly string[] {
  if (source === undefined)
    return dir === undefined ? [] : [`${dir} has no metadata.yaml: the deposit has no metadata yet`]
  if (!(basename(source.file) in foreignFiles)) return []
  const others = passedOver.length === 0 ? '' : `, and none from ${passedOver.join(' and ')}`
  const lost = describeNotTaken(source)
  return [`Took the metadata from ${source.file}${others}`, ...(lost === undefined ? [] : [lost])]
}

function resumeCommand(
  id: string,
  dir: string | undefined,
  { exclude, followLinks }: FolderOptions,
): string {
  const excludes = exclude.map((pattern) => ` --exclude ${shellWord(pattern)}`).join('')
  const links = followLinks ? ' --follow-links' : ''
  return `deposit upload ${id} ${shellWord(dir ?? '')}${excludes}${links}`
}
