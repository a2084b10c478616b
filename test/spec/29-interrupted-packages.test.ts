import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { send } from '../support/http.ts'
import { run } from '../support/read-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

/** A record with two files of this size; resolves to the address of its package. */
async function publish(size: number): Promise<string> {
  const ada = daemon.as('ada')
  const draft = await ada.createDraft({ title: 'Tides' })
  for (const key of ['a.bin', 'b.bin']) await ada.addFile(draft, key, `${key} `.padEnd(size, 'x'))
  const { id } = await ada.record(await ada.publish(draft))
  return `${daemon.url}/records/${id}/packages/zip`
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
    await run('curl', [...curl, '-o', path, through])

    expect(whole.equals(await readFile(path))).toBe(true)
  })
})

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
