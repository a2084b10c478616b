import { once } from 'node:events'
import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { cutShort, flipByte, makeUnreadable, removeFile } from '../operator/damage.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { send } from '../support/http.ts'
import { run } from '../support/read-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

/** A record with two files of this size; resolves to the address of its package. */
async function publish(size: number, at: TestDaemon = daemon): Promise<string> {
  const ada = at.as('ada')
  const draft = await ada.createDraft({ title: 'Tides' })
  for (const key of ['a.bin', 'b.bin']) await ada.addFile(draft, key, `${key} `.padEnd(size, 'x'))
  const { id } = await ada.record(await ada.publish(draft))
  return `${at.url}/records/${id}/packages/zip`
}

const curl = ['--silent', '--show-error', '--fail', '-C', '-'] as const

describe('a package whose download was cut', () => {
  it('is whole after `curl -C -`, wherever that was', async () => {
    await using folder = await temporaryFolder()
    const url = await publish(3000)
    const { bytes: whole } = await send('GET', url)
    const cuts = fc.sample(fc.nat(whole.length - 1), 200)
    const pathOf = (index: number): string => join(folder.path, String(index))
    for (const [index, cut] of cuts.entries())
      await writeFile(pathOf(index), whole.subarray(0, cut))

    await run('curl', [...curl, ...cuts.flatMap((_, index) => ['-o', pathOf(index), url])])

    const wrong: number[] = []
    for (const [index, cut] of cuts.entries()) {
      if (!whole.equals(await readFile(pathOf(index)))) wrong.push(cut)
    }
    expect(wrong).toEqual([])
  })

  it('is whole after several cuts on its way', async () => {
    await using folder = await temporaryFolder()
    await using proxy = await cuttingProxy(daemon.origin)
    const url = await publish(300_000)
    const { bytes: whole } = await send('GET', url)
    const path = join(folder.path, 'tides.zip')
    const through = url.replace(daemon.origin, proxy.url)

    for (const bytes of [1, 70_000, 250_000]) {
      proxy.cut(/^GET .*\/packages\/zip/, bytes)
      await expect(run('curl', [...curl, '-o', path, through])).rejects.toThrow()
    }
    // A cut may lose what was under way, so that each reader continues from another byte.
    const { size } = await stat(path)
    await truncate(path, Math.min(size, whole.length - 1))
    await run('curl', [...curl, '-o', path, through])

    expect(whole.equals(await readFile(path))).toBe(true)
  })
})

describe('a package of a record with damaged bytes', () => {
  const large = [
    [200_000, 'changed', flipByte],
    [200_000, 'cut short', cutShort],
    [200_000, 'removed', removeFile],
    [200_000, 'made unreadable', makeUnreadable],
  ] as const
  const all = [[1000, 'changed', flipByte], [1000, 'removed', removeFile], ...large] as const

  it.for(all)('is not sent if one of %i bytes was %s', async ([size, , damage]) => {
    await using other = await testDaemon()
    const url = await publish(size, other)
    await damage((await other.storedBytes())[0] ?? '')

    await expectFailure(other, url)
  })

  // Small files that were read lately are in memory.
  it.for(large)(
    'is not sent if one of %i bytes was %s after a download',
    async ([size, , damage]) => {
      await using other = await testDaemon()
      const url = await publish(size, other)
      expect((await send('GET', url)).status).toBe(200)
      await damage((await other.storedBytes())[0] ?? '')

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

describe('a package with slow readers', () => {
  it('is sent to others, and whole to one of them that reads again', async () => {
    const url = await publish(4_000_000)
    const { bytes: whole } = await send('GET', url)
    const slow = await Promise.all(Array.from({ length: 50 }, () => openedAnswer(url)))

    expect((await send('GET', `${daemon.origin}/health`)).status).toBe(200)
    await daemon.as('ada').createDraftWith('c.bin')
    expect(whole.equals((await send('GET', url)).bytes)).toBe(true)

    const [first, ...others] = slow
    expect(first && whole.equals(await buffer(first))).toBe(true)
    for (const answer of others) answer.destroy()
  })
})

/** An answer whose body is not read. */
async function openedAnswer(url: string): Promise<IncomingMessage> {
  const asked = request(url, { agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return answer
}
