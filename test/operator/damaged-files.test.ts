import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { cutShort, flipByte, makeUnreadable, removeFile } from './damage.ts'

const MiB = 1024 * 1024

describe('GET of a file whose bytes are damaged', () => {
  it.for([
    [1000, 'changed', flipByte],
    [1000, 'cut short', cutShort],
    [1000, 'removed', removeFile],
    [100_000, 'changed', flipByte],
    [100_000, 'cut short', cutShort],
    [100_000, 'removed', removeFile],
    [100_000, 'made unreadable', makeUnreadable],
  ] as const)('answers 500 damaged_file for %i bytes that were %s', async ([size, , damage]) => {
    await using daemon = await testDaemon()
    const url = await storeFile(daemon, size)
    await damage(await aBlob(daemon))

    const reply = await daemon.as('ada').get(url)

    expect(reply.status).toBe(500)
    expect(reply.body).toMatchObject({ code: 'damaged_file' })
  })

  it.for([0, 3 * MiB, 7 * MiB - 1])(
    'ends the connection early for byte %i of a large file',
    async (at) => {
      await using daemon = await testDaemon()
      const url = await storeFile(daemon, 7 * MiB)
      await flipByte(await aBlob(daemon), at)

      const headers = await daemon.as('ada').authorization()
      const response = await fetch(url, { headers })

      await expect(response.arrayBuffer()).rejects.toThrow()
    },
  )

  it('sends an intact large file', async () => {
    await using daemon = await testDaemon()
    const url = await storeFile(daemon, 7 * MiB)

    const headers = await daemon.as('ada').authorization()
    const response = await fetch(url, { headers })

    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.equals(Buffer.alloc(7 * MiB, 'x'))).toBe(true)
  })
})

describe('a package of a record with damaged bytes', () => {
  const large = [
    [200_000, 'changed', flipByte],
    [200_000, 'cut short', cutShort],
    [200_000, 'removed', removeFile],
    [200_000, 'made unreadable', makeUnreadable],
    [3_000_000, 'changed', flipByte],
    [3_000_000, 'cut short', cutShort],
  ] as const
  const all = [[1000, 'changed', flipByte], [1000, 'removed', removeFile], ...large] as const

  it.for(all)('is not sent if one of %i bytes was %s', async ([size, , damage]) => {
    await using other = await testDaemon()
    const url = await publishTwo(other, size)
    await damage(await aBlob(other))

    await expectFailure(other, url)
  })

  // Small files that were read lately are in memory.
  it.for(large)(
    'is not sent if one of %i bytes was %s after a download',
    async ([size, , damage]) => {
      await using other = await testDaemon()
      const url = await publishTwo(other, size)
      expect((await send('GET', url)).status).toBe(200)
      await damage(await aBlob(other))

      await expectFailure(other, url)
    },
  )
})

/** An answer with the fault, or one that ends early; and a line in the log. */
async function expectFailure(at: TestDaemon, url: string): Promise<void> {
  const reply = await send('GET', url).catch(() => undefined)
  const code = { code: 'damaged_file' }
  if (reply) expect([reply.status, reply.body]).toEqual([500, expect.objectContaining(code)])
  await expect.poll(() => at.warnings().join('')).toContain('damaged_file')
}

/** A record with two files of this size; resolves to the address of its package. */
async function publishTwo(daemon: TestDaemon, size: number): Promise<string> {
  const ada = daemon.as('ada')
  const draft = await ada.createDraft()
  for (const key of ['a.bin', 'b.bin']) await ada.addFile(draft, key, key.padEnd(size, 'x'))
  const { id } = await ada.record(await ada.publish(draft))
  return `${daemon.url}/records/${id}/packages/zip`
}

/** Puts a file of `size` bytes; returns the URL of its bytes. */
async function storeFile(daemon: TestDaemon, size: number): Promise<string> {
  const ada = daemon.as('ada')
  const draft = await ada.createDraft()
  await ada.putObject(draft, 'a.bin', Buffer.alloc(size, 'x'))
  return `${draft.links['bucket']}/a.bin`
}

async function aBlob(daemon: TestDaemon): Promise<string> {
  const [path = ''] = await daemon.storedBytes()
  return path
}
