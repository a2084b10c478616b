import { advice } from '../advice.ts'
import { resolve } from 'node:path'
import type { Purpose } from '../check/check-document.ts'
import { shareLines, toLine, type Finding } from '../output/finding.ts'
import { failureTo, preflight, requireMetadata } from '../check/preflight.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, together, type Fault } from '../failure.ts'
import { count } from '../output/units.ts'
import type { OtherAccess } from '../metadata/other-access.ts'
import { type MetadataFile, describeNotTaken } from '../metadata/read-metadata.ts'
import { findSources } from '../transfer/find-sources.ts'
import { planUpload, type UploadPlan } from '../transfer/plan-upload.ts'
import { prepare, refuseMisnamed, type ReadFirst } from '../transfer/prepare.ts'
import type { FolderOptions } from '../transfer/read-folder.ts'
import { describeRow, placeOf, type Row, type RowFault } from './row.ts'
import { findTwins } from './twins.ts'

/** A row whose files were found and whose names were checked. */
export interface PreparedRow {
  readonly row: Row
  readonly metadata: Metadata
  readonly plan: UploadPlan
  /** The metadata file of its folder. */
  readonly source: MetadataFile | undefined
  readonly other: OtherAccess | undefined
  /** As in {@link Prepared}. */
  readonly misnamed: string | undefined
  /** Digest of the names and bytes of its files; absent where they were not read. */
  readonly bytes?: string
}

interface PrepareOptions {
  /** Rows without metadata may be published. */
  readonly yes?: true | undefined
  /** Warnings refuse. */
  readonly strict?: true | undefined
  readonly exclude?: readonly string[]
  readonly followLinks?: boolean
  readonly purposeOf: (row: Row) => Purpose
  /** Whether a row has its deposit already. */
  readonly isBegun: (row: Row) => boolean
}

/** All rows, and warnings about them. */
export interface PreparedRows {
  readonly rows: readonly PreparedRow[]
  /** Warnings, each with its rows. */
  readonly warnings: readonly string[]
}

/**
 * Checks metadata and files of all rows before anything is sent: one row that would be refused
 * refuses the batch.
 *
 * @param folder where relative paths of the rows start
 * @throws {Failure} naming every row that cannot be sent; refused where only metadata are at fault
 */
export async function prepareRows(
  folder: string,
  rows: readonly Row[],
  { exclude = [], followLinks = false, yes, strict, purposeOf, isBegun }: PrepareOptions,
): Promise<PreparedRows> {
  const prepared: PreparedRow[] = []
  const next = advice.correctInput()
  const faults: RowFault[] = []
  const warnings: Warning[] = []
  for (const row of rows) {
    const failures: Failure[] = []
    const purpose = purposeOf(row)
    let read: ReadFirst | undefined
    const onRead = (found: ReadFirst): void => {
      read = found
    }
    const ready = await failureTo(failures, () =>
      prepareRow(folder, row, { exclude, followLinks, onRead }),
    )
    const { source, other } = ready ?? read ?? {}
    const metadata = ready?.metadata ?? { ...read?.metadata, ...row.metadata }
    if (ready?.misnamed !== undefined && purpose === 'publish')
      failures.push(refuseMisnamed(ready.misnamed))
    const tried = 'send the row'
    const lost = source && describeNotTaken(source)
    const aside = [lost, ready?.misnamed].filter((text) => text !== undefined)
    const further = [...(ready?.plan.warnings ?? []), ...aside]
    // Without its folder, the row may lack what stands there.
    const isWhole = ready !== undefined || source !== undefined || row.folder === undefined
    const flight = { metadata, source, other, tried, strict: strict && { further } }
    const found = await failureTo(failures, () =>
      preflight({ ...flight, purpose: isWhole || purpose !== 'publish' ? purpose : 'edit' }),
    )
    if (purpose === 'publish' && isWhole)
      await failureTo(failures, () =>
        requireMetadata(metadata, { yes, tried, next, correct: next }),
      )
    const [first, ...others] = failures
    if (first !== undefined) {
      const steps = advice.allOf(failures.map((each) => each.next))
      faults.push({ row, failure: together([first, ...others], steps) })
    } else if (ready !== undefined) {
      const all = [...(found ?? []), ...further.map((message) => ({ field: '', message }))]
      warnings.push(...all.map((finding) => ({ finding, row })))
      prepared.push(ready)
    }
  }
  for (const twin of findTwins(prepared, isBegun)) {
    const { row, failure } = twin
    if (strict || purposeOf(row) === 'publish') faults.push(twin)
    else warnings.push(...failure.faults.map((finding) => ({ finding, row })))
  }
  if (faults.length > 0) throw refuseRows(faults, rows.length)
  return {
    rows: prepared,
    warnings: group(warnings, rows.length).map((line) => `warning: ${line}`),
  }
}

interface Warning {
  readonly finding: Finding
  readonly row: Row
}

/** Each warning once, with all its rows; missing fields of the same rows share a line. */
function group(warnings: readonly Warning[], total: number): readonly string[] {
  const groups = Map.groupBy(warnings, ({ finding }) => toLine(finding)).values()
  const found = [...groups].map((same) => {
    const [first, ...others] = same.map(({ row }) => row)
    const isAll = others.length + 1 === total && total > 1
    const more = others.length === 0 ? '' : ` and ${count(others.length, 'further row')}`
    const where = isAll || first === undefined ? 'all rows' : describeRow(first) + more
    return { where, findings: same.slice(0, 1).map(({ finding }) => finding) }
  })
  return [...Map.groupBy(found, ({ where }) => where)].flatMap(([where, alike]) =>
    shareLines(alike.flatMap(({ findings }) => findings)).map(
      (finding) => `${where}: ${toLine(finding)}`,
    ),
  )
}

/** Rows that cannot be sent: nothing was. */
export class RefusedRows extends Failure {
  /** The faults of each. */
  readonly messages: ReadonlyMap<Row, string>

  constructor(
    rows: readonly RowFault[],
    ...[lines, options]: ConstructorParameters<typeof Failure>
  ) {
    super(lines, options)
    this.messages = new Map(rows.map(({ row, failure }) => [row, failure.said]))
  }
}

/** @param total rows of the batch */
export function refuseRows(rows: readonly RowFault[], total: number): RefusedRows {
  const found = rows.flatMap(({ row, failure }) => {
    const { faults, said } = failure
    const whole: readonly Fault[] = [{ field: '', message: said }]
    return (faults.length > 0 ? faults : whole).map((fault) => ({ row, fault }))
  })
  const listed = group(
    found.map(({ row, fault }) => ({ row, finding: fault })),
    total,
  )
  const isOne = listed.length === 1
  const isStrict = rows.every(({ failure }) => failure.next === advice.correctWarnings())
  const lines = {
    tried: 'begin the batch',
    said: isOne ? listed.join('') : `${count(rows.length, 'row')} cannot be sent, as listed above`,
    next: isStrict
      ? advice.correctWarnings()
      : saysAccess(found.map(({ fault }) => fault))
        ? advice.correctAccessOfRows()
        : advice.correctInput(),
  }
  const alike = [exitCodes.failed, exitCodes.refused, exitCodes.notFound].find((code) =>
    rows.every(({ failure }) => failure.exitCode === code),
  )
  return new RefusedRows(rows, lines, {
    exitCode: alike ?? exitCodes.usage,
    faults: found.map(({ row, fault }) => ({ ...placeOf(row), ...fault })),
    listed: isOne ? [] : listed,
  })
}

/** Whether a fault says how to write `access`, in YAML. */
function saysAccess(faults: readonly Fault[]): boolean {
  return faults.some(({ message }) => message.includes('access: {files: '))
}

async function prepareRow(
  folder: string,
  row: Row,
  options: FolderOptions & { readonly onRead: (read: ReadFirst) => void },
): Promise<PreparedRow> {
  // Standard input is not used: the metadata of a folder are in it.
  const input = { folder, stdin: process.stdin }
  const own = row.folder === undefined ? undefined : resolve(folder, row.folder)
  const { metadata, plan, source, other, misnamed } = await prepare(input, own, options)
  const further = await findSources(row.files, { folder, ...options })
  const found = plan.files.map(({ path, key, size }) => ({ path, name: key, size }))
  const both = planUpload([...found, ...further.files])
  const warnings = [...new Set([...plan.warnings, ...both.warnings])]
  const merged = { ...metadata, ...row.metadata }
  return { row, metadata: merged, source, other, misnamed, plan: { ...both, warnings } }
}
