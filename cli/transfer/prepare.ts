import { advice } from '../advice.ts'
import { stat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { pathWord, shellWord } from '../plain.ts'
import { findMetadataFile, sayMisnamed } from '../metadata/find-metadata-file.ts'
import { foreignFiles } from '../metadata/foreign/foreign-files.ts'
import { findOtherAccess, type OtherAccess } from '../metadata/other-access.ts'
import {
  readMetadata,
  type Input,
  type MetadataFile,
  describeNotTaken,
  describeSource,
} from '../metadata/read-metadata.ts'
import { findSources, nothingLeftOut, type Sources } from './find-sources.ts'
import { isZip } from '../packages/recognise.ts'
import { openPlace, takeListed } from './open-place.ts'
import type { Place, PlaceOptions } from './package-place.ts'
import { describeLeftOut, planUpload, type UploadPlan } from './plan-upload.ts'
import type { FolderState } from './folder-state.ts'
import type { FolderOptions } from './read-folder.ts'
import { verifyCrate, withoutGenerated } from './verify-crate.ts'

export interface PrepareOptions extends PlaceOptions {
  readonly metadata?: string
  readonly exclude?: readonly string[] | undefined
  readonly followLinks?: boolean | undefined
  /** The folder is compared with a deposit that exists. */
  readonly isCompared?: true | undefined
  /** It goes to a Zenodo, with fields that only that has. */
  readonly isForZenodo?: boolean | undefined
  /** Told what was read before files are looked at: those may refuse. */
  readonly onRead?: ((read: ReadFirst) => void) | undefined
  /** As {@link FolderOptions.readable}. */
  readonly readable?: string | undefined
}

/** The metadata, before the files. */
export type ReadFirst = Pick<Prepared, 'metadata' | 'source' | 'other'>

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
  /** It is a ZIP archive, and no folder. */
  readonly isArchive: boolean
  /** True for a key that the folder would ignore. */
  readonly isIgnored: (key: string) => boolean
  /** Undefined for an archive, and where it may change unseen. */
  readonly state: () => FolderState | undefined
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
  { metadata: given, exclude = [], followLinks, readable, ...options }: PrepareOptions,
): Promise<Prepared> {
  await using place = dir === undefined ? undefined : await openPlace(input, dir, options)
  const folder = place?.folder ?? (await folderOf(input, dir, options))
  const shownFolder = place?.shown ?? dir ?? ''
  const found = given === undefined && folder ? await findMetadataFile(folder) : undefined
  const named = given ?? found?.file
  const isOurs = named === undefined || (given === undefined && basename(named) in foreignFiles)
  const kept = isOurs ? place?.given : undefined
  const own = kept === undefined ? named : undefined
  const isFound = given === undefined && folder !== undefined
  // A bag says there who may see its files, also if it is not taken for one.
  const asBag = options.asIs && folder ? [join(folder, 'data'), join(folder, 'metadata')] : []
  const from = isFound ? { ...input, folder, followsLinks: false } : input
  const source = own === undefined ? (kept ?? place?.fallback) : await readMetadata(from, own)
  const isJoined = isFound && own !== undefined
  const shown = source && isJoined ? { ...source, file: join(shownFolder, source.file) } : source
  const path = own === undefined ? undefined : resolve(from.folder, own)
  const other =
    folder === undefined
      ? undefined
      : await findLimits(
          { folder, dir: shownFolder, used: shown, path },
          place ?? { beside: asBag },
        )
  const metadata = { ...source?.metadata, ...other?.access }
  options.onRead?.({ metadata, source: shown, other })
  const inFolder = pathIn(folder, own, from)
  const apart = isApart(inFolder) ? inFolder : undefined
  const excluded = [...exclude, ...asPattern(apart)]
  const all = place
    ? await takeListed(place.files, excluded)
    : await findFolder(input, dir, { exclude, apart, readable, followLinks })
  const verified =
    place ?? (await verifyCrate(all, { folder: folder ?? '', dir: dir ?? '' }, options))
  const sources = withoutGenerated(all, verified)
  const plan = planUpload(sources.files)
  const isOwn = source?.text !== undefined
  const misnamed =
    given !== undefined || isOwn ? undefined : sayMisnamed(plan.files.map(({ key }) => key))
  const isOther = (name: string): boolean => name !== inFolder
  const leftOut = describeLeftOut({
    ignored: sources.leftOut.ignored.filter(isOther),
    excluded: sources.leftOut.excluded.filter(isOther),
  })
  const lost = source && describeNotTaken(source, options.isForZenodo)
  const aside = [misnamed, lost].filter((text) => text !== undefined)
  return {
    metadata,
    source: shown,
    other,
    plan,
    misnamed,
    isIgnored: sources.isIgnored,
    isArchive: place?.isArchive === true,
    state: () => all.state?.(),
    remarks: [
      ...verified.remarks,
      ...verified.warnings.map((said) => `warning: ${said}`),
      ...aboutMetadata(dir, source, {
        passedOver: kept && found ? [found.file, ...found.passedOver] : found?.passedOver,
        isCompared: options.isCompared,
        isForZenodo: options.isForZenodo,
      }),
      ...(misnamed === undefined ? [] : [`warning: ${misnamed}`]),
      ...(other?.remark === undefined ? [] : [other.remark]),
      ...(other?.unread ?? []).map((note) => `warning: ${note}`),
      ...leftOut,
      ...plan.warnings,
    ],
    warnings: [...verified.warnings, ...aside, ...(other?.unread ?? []), ...plan.warnings],
    resume: (id) => {
      const finding = { exclude: excluded, followLinks, asIs: options.asIs }
      const command = resumeCommand(id, dir, finding)
      return place?.isArchive ? `${command} --unpack` : command
    },
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
function isApart(path: string | undefined): boolean {
  return path !== undefined && !(basename(path) in foreignFiles)
}

function asPattern(path: string | undefined): readonly string[] {
  return path === undefined ? [] : [`/${path.replaceAll(/[\\*?[\] !#]/g, '\\$&')}`]
}

/** Limits of access from the folder of the metadata, or from one of those beside it in a bag. */
async function findLimits(
  at: Parameters<typeof findOtherAccess>[0],
  place: Pick<Place, 'beside'>,
): Promise<OtherAccess> {
  let found = await findOtherAccess(at)
  for (const folder of place.beside) {
    if (found.limit !== undefined) return found
    const further = await findOtherAccess({ ...at, folder })
    found = { ...further, unread: [...found.unread, ...further.unread] }
  }
  return found
}

/**
 * The absolute path of a folder; undefined for none, and for a file that is taken as it is.
 *
 * @throws {UsageFailure} it is a file, and no package
 */
async function folderOf(
  { folder }: Input,
  dir: string | undefined,
  { asIs }: PlaceOptions,
): Promise<string | undefined> {
  if (dir === undefined) return undefined
  const path = resolve(folder, dir)
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isFile()) return path
  if (asIs) return undefined
  const what = (await isZip(path).catch(() => false))
    ? 'a ZIP archive, but not of a bag, a crate or a Data Package'
    : 'a file, not a folder or a ZIP archive of a package'
  throw new UsageFailure({
    tried: `create a deposit from ${dir}`,
    said: `it is ${what}`,
    next: advice.takeAsIs(dir),
  })
}

async function findFolder(
  { folder }: Input,
  dir: string | undefined,
  options: FolderOptions,
): Promise<Sources> {
  if (dir === undefined) return { files: [], leftOut: nothingLeftOut, isIgnored: () => false }
  return findSources([dir], { folder, ...options })
}

interface Beside extends Pick<PrepareOptions, 'isCompared' | 'isForZenodo'> {
  /** Further files of metadata, which are not used. */
  readonly passedOver?: readonly string[] | undefined
}

function aboutMetadata(
  dir: string | undefined,
  source: MetadataFile | undefined,
  { passedOver = [], isCompared, isForZenodo }: Beside,
): readonly string[] {
  if (source === undefined) {
    const so = isCompared
      ? 'the metadata of the deposit stay as they are'
      : 'the deposit has no metadata yet'
    return dir === undefined ? [] : [`${dir} has no metadata.yaml: ${so}`]
  }
  if (source.text !== undefined) return []
  return describeSource(source, passedOver, isForZenodo)
}

function resumeCommand(
  id: string,
  dir: string | undefined,
  { exclude, followLinks, asIs }: FolderOptions & Pick<PlaceOptions, 'asIs'>,
): string {
  const excludes = exclude.map((pattern) => ` --exclude ${shellWord(pattern)}`).join('')
  const links = (followLinks ? ' --follow-links' : '') + (asIs ? ' --as-is' : '')
  return `deposit upload ${id} ${pathWord(dir ?? '')}${excludes}${links}`
}
