import { findAccessLimits } from '../../core/contract/access-limits.ts'
import { findStrayAccess } from '../../core/contract/stray-access.ts'
import type { Description } from '../../core/describe/description.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Finding } from '../output/finding.ts'
import { formatBytes, grouped } from '../output/units.ts'
import type { MovedDay, Opened } from './access-there.ts'
import type { PushJournal } from './push-journal.ts'
import { digestOfMetadata } from './push-journal.ts'
import type { Copy, Limits, RemoteFile, Translation } from './port/repository.ts'
import type { SourceFile } from './port/source-file.ts'
import { isToldField } from './port/stays-here.ts'

/** What happens to one file. */
export interface Step {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly does: 'send' | 'keep' | 'restrict' | 'open' | 'delete' | 'skip'
  /** Why. */
  readonly because: string
}

/** What a push will do, before it does anything. */
export interface Plan {
  readonly begins: 'draft' | 'version' | 'correction' | 'nothing'
  /** What is there: the draft to go on with, or the record to correct or to begin a version of. */
  readonly found: Copy | undefined
  readonly marker: string
  readonly translation: Translation
  readonly setsMetadata: boolean
  readonly send: readonly SourceFile[]
  /** Those that are there with the same bytes, and another access. */
  readonly limit: readonly RemoteFile[]
  readonly isRestricted: boolean
  readonly remove: readonly RemoteFile[]
  readonly steps: readonly Step[]
  /** Files that are closed there, and become public. */
  readonly opens: Opened | undefined
  /** Files that are closed there, and open on another day. */
  readonly movedDay: MovedDay | undefined
  /** Why the repository would refuse it. */
  readonly refused: readonly Finding[]
  readonly warnings: readonly Finding[]
  /** What the repository does not get. */
  readonly lost: readonly Finding[]
}

/** A published record differs from what is here: only a new version can take that. */
export class DiffersFromRecord extends Failure {
  readonly record: Copy | undefined

  constructor(lines: ConstructorParameters<typeof Failure>[0], record: Copy | undefined) {
    super(lines, { exitCode: exitCodes.refused })
    this.record = record
  }
}

/** What a person is given of a copy: the address of its DOI, once it is published. */
export function shownAddress({
  status,
  doi,
  url,
}: Pick<Copy, 'status' | 'url'> & { readonly doi?: string | undefined }): string {
  return status === 'published' && doi !== undefined ? `https://doi.org/${doi}` : url
}

/** True if the repository has all of it, and nothing else. */
export function isLevel(plan: Plan): boolean {
  const isThere = plan.begins === 'nothing' && plan.found !== undefined
  return isThere && hasSameFiles(plan) && !plan.setsMetadata
}

/** Faults that `--flatten` mends. */
export const flattens = {
  folders: 'There are no folders there.',
  /** Begins with the number of files. */
  number: 'files are allowed there.',
} as const

/**
 * What the document says against publishing it, as for our own records: files that it calls closed, in
 * words that close nothing. Those that `access` closes are the repository's to refuse or to keep.
 *
 * @see Publication §7
 */
export function limitsOf(about: Description): readonly Finding[] {
  const now = new Date().toISOString()
  const limits = findAccessLimits(about.document, now)
  const known = limits.map(({ field, message }) => ({ field, message }))
  const isKnown = ({ field: own }: Finding): boolean =>
    known.some(({ field }) => field === own || field.startsWith(`${own}/`))
  const stray = findStrayAccess(about.document, now, isToldField)
  const told = stray.map(({ field, message }) => ({ field, message }))
  return [...known, ...told.filter((each) => !isKnown(each))]
}

/** Why the repository would refuse these files. */
export function faultsOf(files: readonly SourceFile[], limits: Limits): readonly Finding[] {
  const { faultOfName = () => undefined } = limits
  const { hasFolders, mostFiles, largestFile, mostBytes, longestName } = limits
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const whole = (message: string): Finding => ({ field: '', message })
  const twins = [...Map.groupBy(files, ({ name }) => name)].filter(([, { length }]) => length > 1)
  return [
    ...(files.length > mostFiles
      ? [whole(`It has ${grouped(files.length)} files; ${grouped(mostFiles)} ${flattens.number}`)]
      : []),
    ...(bytes > mostBytes
      ? [
          whole(
            `Its files have ${formatBytes(bytes)}; ${formatBytes(mostBytes)} are allowed there.`,
          ),
        ]
      : []),
    ...files.flatMap(({ name, size }) => [
      ...(size > largestFile
        ? [
            {
              field: name,
              message: `It has ${formatBytes(size)}; ${formatBytes(largestFile)} are allowed there.`,
            },
          ]
        : []),
      ...(!hasFolders && name.includes('/') ? [{ field: name, message: flattens.folders }] : []),
      ...(name.length > longestName
        ? [{ field: name, message: `Its name has more than ${longestName} characters.` }]
        : []),
    ]),
    ...files.flatMap(({ name }) => {
      const message = faultOfName(name)
      return message === undefined ? [] : [{ field: name, message }]
    }),
    ...twins.map(([name, { length }]) => ({
      field: name,
      message: `${length} files would have this name.`,
    })),
  ]
}

export type Compared = Pick<Plan, 'send' | 'limit' | 'isRestricted' | 'remove' | 'steps'>

/** Whether the files there are as they are here. */
export function hasSameFiles({ send, limit, remove }: Compared): boolean {
  return send.length === 0 && limit.length === 0 && remove.length === 0
}

interface Outgoings {
  readonly files: readonly SourceFile[]
  readonly isRestricted: boolean
}

/** @param digest the MD5 of a file */
export async function compareFiles(
  { files, isRestricted }: Outgoings,
  remote: readonly RemoteFile[],
  digest: (file: SourceFile) => Promise<string>,
): Promise<Compared> {
  const there = new Map(remote.map((file) => [file.name.normalize('NFC'), file]))
  const send: SourceFile[] = []
  const limit: RemoteFile[] = []
  const steps: Step[] = []
  for (const file of files) {
    const { name, size } = file
    const found = there.get(name.normalize('NFC'))
    there.delete(name.normalize('NFC'))
    const because = await differenceOf(file, found, digest)
    const isOther = found?.isRestricted !== undefined && found.isRestricted !== isRestricted
    if (because !== undefined) {
      send.push(file)
      steps.push({ name, size, does: 'send', because })
    } else if (found && isOther) {
      limit.push(found)
      const does = isRestricted ? 'restrict' : 'open'
      steps.push({ name, size, does, because: 'its access differs' })
    } else steps.push({ name, size, does: 'keep', because: 'it is there' })
  }
  const remove = [...there.values()]
  for (const { name, size } of remove)
    steps.push({ name, size, does: 'delete', because: 'it is not here' })
  return { send, limit, isRestricted, remove, steps }
}

async function differenceOf(
  file: SourceFile,
  found: RemoteFile | undefined,
  digest: (file: SourceFile) => Promise<string>,
): Promise<string | undefined> {
  if (found === undefined) return 'it is new'
  if (!found.isWhole) return 'its upload did not end'
  if (found.size !== file.size) return 'its size differs'
  if (found.md5 === undefined) return undefined
  return found.md5 === (await digest(file)) ? undefined : 'its bytes differ'
}

/** Whether the metadata were given to the copy before, as far as anybody knows. */
export function hasMetadata(
  journal: PushJournal,
  translation: Translation,
  marker: string,
): boolean {
  return journal.find(marker)?.metadata === digestOfMetadata(translation.metadata)
}
