import { resolve } from 'node:path'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { readNamed } from '../folder/folder-deposit.ts'
import { telling } from '../no-write.ts'
import { jobsFor } from '../options.ts'
import { narrate, print } from '../output/print.ts'
import { startProgress } from '../output/progress.ts'
import { count, formatBytes } from '../output/units.ts'
import type { CliContext } from '../session/context.ts'
import { exportObject, findRecord } from '../transfer/export-ocfl.ts'
import type { CommonOptions } from './command.ts'

interface ObjectOptions extends CommonOptions {
  readonly output?: string
  readonly jobs?: number
}

/** Writes a record with all of its revisions as an object of OCFL, or those that it lacks. */
export async function saveObject(
  context: CliContext,
  id: string,
  options: ObjectOptions,
): Promise<void> {
  const { streams } = context
  const { output = '-' } = options
  if (output === '-') {
    const said = 'an object of OCFL is a folder'
    throw new UsageFailure({ tried: 'export as ocfl', said, next: advice.nameObjectFolder() })
  }
  const client = await context.client(options)
  const record = await findRecord(client, await readNamed(context, client, id, options))
  const path = resolve(context.folder, output)
  const filesize = record.files.reduce((sum, file) => sum + file.filesize, 0)
  const transfer = { verb: 'Exporting', files: record.files.length, bytes: filesize }
  using progress = await startProgress(streams, transfer, options.quiet === true)
  const { jobs: number = jobsFor(transfer) } = options
  const kept = 'all that has arrived is kept'
  const place = { path, kept, elsewhere: advice.nameObjectFolder() }
  const written = await telling(place, () =>
    exportObject(path, record, { client, progress, jobs: number }),
  )
  const versions = record.revisions.length
  const what = `${count(written.length, 'version')} of ${record.id}`
  const done = `Exported ${what} to ${path} (${formatBytes(filesize)}); all bytes are verified`
  narrate(streams, options, written.length > 0 ? done : `${path} has all of it already`)
  print(streams, options, {
    body: {
      id: record.deposit,
      format: 'ocfl',
      path,
      filesize,
      files: record.files.length,
      versions,
    },
    ids: [record.deposit],
    lines: () => [output],
  })
}
