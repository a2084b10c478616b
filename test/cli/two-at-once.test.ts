import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deposit, newDraft, useDaemon } from '../support/cli-at-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

it('two commands that write the same at the same time leave what was stored', async () => {
  await using folder = await temporaryFolder({ 'data/small.csv': '1,2' })
  const bytes = randomBytes(40_000_000)
  await writeFile(join(folder.path, 'data/large.bin'), bytes)
  const id = await newDraft(join(folder.path, 'data'), '--title', 'Two', '--publish', '--yes')
  const at = { folder: folder.path }
  const commands = [
    ['download', id, '--output', 'copy'],
    ['export', id, '--as', 'bagit', '--output', 'bag'],
    ['export', id, '--as', 'zip', '--output', 'whole.zip'],
  ]
  for (const command of commands) {
    const both = await Promise.all([deposit(command, at), deposit(command, at)])
    // One may give way to the other, and says so.
    expect(both.map(({ status }) => status)).toContain(0)
    for (const { status, stderr } of both)
      if (status !== 0) expect(stderr).toContain('another command wrote it at the same time')
  }

  expect(bytes.equals(await readFile(join(folder.path, 'copy/large.bin')))).toBe(true)
  for (const place of ['bag', 'whole.zip'])
    expect([place, (await deposit(['verify', place, id], at)).status]).toEqual([place, 0])
})
