import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { send } from '../support/http.ts'
import { asOwner } from '../support/owner.ts'
import { lastingDaemon } from '../support/lasting-daemon.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

/** Bytes: half of it is more than is buffered in memory. */
const size = 2_000_000
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000)

/** A body that stops in the middle until `goOn` resolves. */
function haltingBody(goOn: Promise<void>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const half = new Uint8Array(size / 2).fill(120)
  let sent = 0
  return new ReadableStream({
    pull: async (controller) => {
      if (sent === 1) await goOn
      if (sent === 2) controller.close()
      else controller.enqueue(half)
      sent += 1
    },
  })
}

/** Sets the time of every file of a home to three days ago; returns their number. */
async function makeAllOld(home: string): Promise<number> {
  let made = 0
  for (const folder of ['blobs', 'tmp', 'uploads']) {
    const entries = await readdir(join(home, folder), { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((one) => one.isFile())) {
      await utimes(join(entry.parentPath, entry.name), daysAgo(3), daysAgo(3))
      made += 1
    }
  }
  return made
}

/** Runs a collection in the daemon; returns its output. */
async function collect({ origin, home }: TestDaemon): Promise<string> {
  const path = '/local/work'
  const headers = await asOwner(origin, home, path)
  const json = { command: 'gc', options: {} }
  return (await send('POST', origin + path, { headers, json })).bytes.toString()
}

describe('depositd gc during uploads', () => {
  it('keeps the bytes of all uploads, even if their times look old', async () => {
    await using daemon = await lastingDaemon()
    const { owner } = daemon
    const draft = await owner.createDraft()
    await owner.addFile(draft, 'there before', 'x'.repeat(100_000))
    const { promise: goOn, resolve } = Promise.withResolvers<void>()
    const raw = owner.putObject(draft, 'raw', haltingBody(goOn))
    const begun = await owner.post(`/deposits/${draft.id}/uploads`, {
      headers: {
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-length': '6',
        'upload-metadata': `name ${Buffer.from('in pieces').toString('base64')}`,
      },
      body: 'abc',
    })
    await expect.poll(() => makeAllOld(daemon.home)).toBeGreaterThanOrEqual(3)

    const { status, stdout } = await runDepositd(daemon.home, ['gc'])
    resolve()

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect((await raw).status).toBe(201)
    const last = await owner.send('PATCH', begun.headers.get('location') ?? '', {
      headers: {
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '3',
      },
      body: 'def',
    })
    expect(last.status).toBe(204)
    const download = (key: string) => owner.get(`/deposits/${draft.id}/files/${key}?download`)
    expect((await download('raw')).bytes.toString()).toBe('x'.repeat(size))
    expect((await download('in%20pieces')).bytes.toString()).toBe('abcdef')
    expect((await runDepositd(daemon.home, ['check', '--full'])).stdout).toBe('')
  })

  it('removes no bytes of many uploads during repeated collections', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    let isOver = false
    const collecting = (async () => {
      while (!isOver) expect(await collect(daemon)).toContain('Removed 0 blobs')
    })()
    const keys = Array.from({ length: 160 }, (_, at) => `file-${at}`)
    // Every second file is small enough for a row.
    const content = (key: string): string => key.padEnd(/[02468]$/.test(key) ? 9 : 200_000, '.')
    for (let at = 0; at < keys.length; at += 8) {
      const some = keys.slice(at, at + 8)
      const replies = await Promise.all(some.map((key) => ada.putObject(draft, key, content(key))))
      expect(replies.map(({ status }) => status)).toEqual(some.map(() => 201))
    }
    isOver = true
    await collecting

    for (const key of keys) {
      const { bytes } = await ada.get(`/deposits/${draft.id}/files/${key}?download`)
      expect(bytes.toString()).toBe(content(key))
    }
  })
})
