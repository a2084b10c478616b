import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { startStrictS3 } from '../support/strict-s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { filledDaemon, newBucket } from './marked-bucket.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]

it('lets the clock of the store say how old garbage is, where this machine is ahead', async () => {
  await using s3 = await startStrictS3()
  const bucket = newBucket(s3)
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  await (await filledDaemon(bucket, home))[Symbol.asyncDispose]()
  const [young, old] = [randomUUID(), randomUUID()]
  bucket.put(`blobs/${young}`, 'young', new Date(Date.now() - 3 * dayMs - hourMs))
  bucket.put(`blobs/${old}`, 'old', new Date(Date.now() - 5 * dayMs))

  s3.putClockAhead(-3 * dayMs)
  const { stdout, stderr } = await operateHere(home, ['gc'], bucket.env)

  expect(stdout).toBe(`${old}\n`)
  expect(stderr).toContain('Left 1 blob younger than a day.')
})
