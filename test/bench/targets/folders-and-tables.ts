import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deposit } from '../command.ts'
import { startDaemon } from '../daemon.ts'
import { requestRate } from '../load.ts'
import type { Scale } from '../scale.ts'
import { smallDocument as json } from '../small-document.ts'
import { folderOf } from '../small-files.ts'
import type { Measurement } from '../target.ts'
import { run, seconds } from '../timing.ts'
import { missing } from '../tools.ts'
import { thousands } from '../units.ts'

const unchanged = ({ manyFiles }: Scale): string => `${thousands(manyFiles)} unchanged files`

/** A folder that knows its deposit, and is the same. */
export const status: Measurement = {
  targets: [
    {
      id: 'P25',
      what: (scale) => `\`deposit status\` in a folder of ${unchanged(scale)}`,
      against: () => '`git status` in the same folder',
      unit: 's',
      reach: { atMost: 10 },
    },
  ],
  obstacle: () => missing('git'),
  prepare: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const folder = await workshop.folder(stack)
    await folderOf(workshop.scale.manyFiles, folder)
    await writeFile(join(folder, 'metadata.yaml'), 'title: For measuring\n')
    await run('git', ['init', '--quiet', folder])
    await run('git', ['-C', folder, 'add', '.'])
    await deposit(daemon, 'create', folder)
    return async () => {
      const reference = await seconds(() => run('git', ['-C', folder, 'status', '--short']))
      const measured = await seconds(() => deposit(daemon, 'status', folder))
      return { P25: { measured, reference } }
    }
  },
}

/** A table with a file for each row, published. */
export const table: Measurement = {
  targets: [
    {
      id: 'P26',
      what: ({ rows }) => `\`deposit batch --publish\` of ${thousands(rows)} rows of one file`,
      against: () => 'creating deposits, 8 connections',
      unit: '/s',
      reach: { atLeast: 0.5 },
    },
  ],
  obstacle: () => missing('wrk'),
  prepare: async (workshop, stack) => {
    const { rows, loadSeconds } = workshop.scale
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const url = `${daemon.url}/api/deposits`
    const load = { url, seconds: loadSeconds, connections: 8, json, token: daemon.token }
    return async () => {
      const folder = await workshop.folder(stack)
      await folderOf(rows, folder)
      const lines = Array.from({ length: rows }, (_, row) => `Row ${row},f${row}`)
      const file = join(folder, 'table.csv')
      await writeFile(file, `title,files\n${lines.join('\n')}\n`)
      const reference = await requestRate(load)
      const taken = await seconds(() => deposit(daemon, 'batch', '--publish', file))
      return { P26: { measured: rows / taken, reference } }
    }
  },
}
