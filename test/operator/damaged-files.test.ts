import { describe, expect, it } from 'vitest'
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
    await damage(await onlyBlob(daemon))

    const reply = await daemon.as('ada').get(url)

    expect(reply.status).toBe(500)
    expect(reply.body).toMatchObject({ code: 'damaged_file' })
  })

  it.for([0, 3 * MiB, 7 * MiB - 1])(
    'ends the connection early for byte %i of a large file',
    async (at) => {
      await using daemon = await testDaemon()
      const url = await storeFile(daemon, 7 * MiB)
      await flipByte(await onlyBlob(daemon), at)

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

/** Puts a file of `size` bytes; returns the URL of its bytes. */
async function storeFile(daemon: TestDaemon, size: number): Promise<string> {
  const ada = daemon.as('ada')
  const draft = await ada.createDraft()
  await ada.putObject(draft, 'a.bin', Buffer.alloc(size, 'x'))
  return `${draft.links['bucket']}/a.bin`
}

async function onlyBlob(daemon: TestDaemon): Promise<string> {
  const [path = ''] = await daemon.storedBytes()
  return path
}
