import { writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { connect, DepositError, type Progress } from '../../cli/library/connect.ts'
import { bagOf } from '../support/bag.ts'
import '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { zipOfFiles } from '../support/zip.ts'

const daemon = await testDaemon()
const folder = await temporaryFolder({
  'data/a.csv': '1,2',
  'data/b/c.csv': '3',
  'data/.hidden': '',
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

async function tokenOf(user: string): Promise<string> {
  const { authorization = '' } = await daemon.as(user).authorization()
  return authorization.replace('Bearer ', '')
}

const deposits = await connect({ server: daemon.origin, token: await tokenOf('ada') })
const data = join(folder.path, 'data')
const small = { title: 'Tides', keywords: ['sea'] }

describe('connect', () => {
  it('makes, changes, publishes and lists deposits', async () => {
    const draft = await deposits.create(small)
    expect(draft).toMatchObject({ status: 'draft', metadata: small, recordUrl: undefined })
    expect(draft.metadata).not.toHaveProperty('_deposit')
    const current = await deposits.get(draft.id.slice(0, 8))
    expect(current).toEqual(draft)
    const metadata = { ...current.metadata, title: 'Waves' }
    const updated = await deposits.update(draft.id, metadata, { revision: current.revision })
    expect(updated.metadata).toMatchObject({ title: 'Waves', keywords: ['sea'] })
    const { errors, warnings } = await deposits.check(draft.id)
    expect(errors).toEqual([])
    expect(warnings).toContainEqual({ field: '/creators', message: expect.any(String) as string })

    const published = await deposits.publish(draft.id)
    expect(published.recordUrl).toMatch(/\/records\//)
    expect((await deposits.get(published.recordUrl ?? '')).id).toBe(draft.id)
    expect((await deposits.edit(draft.id)).status).toBe('draft')
    expect((await deposits.discard(draft.id)).status).toBe('published')
    const next = await deposits.newVersion(draft.id)
    expect(next).toMatchObject({ status: 'draft', metadata: { title: 'Waves' } })
    const found = await deposits.list({ query: 'title:waves', status: 'draft' })
    expect(found.map(({ id }) => id)).toEqual([next.id])
    expect(await deposits.list({ limit: 1 })).toHaveLength(1)
    await deposits.delete(next.id)
    expect(await deposits.list({ query: 'title:waves', status: 'draft' })).toEqual([])
  })

  it('releases a folder as a record, then as its next version, and twice the same', async () => {
    await using work = await temporaryFolder({ 'metadata.yaml': 'title: Tides', 'a.csv': '1' })
    const first = await deposits.release(work.path)
    expect(await deposits.release(work.path)).toEqual(first)
    await writeFile(join(work.path, 'a.csv'), '2')

    const second = await deposits.release(work.path, { of: first.recordUrl ?? '' })

    expect(second.recordUrl).toMatch(/\/records\//)
    expect(second.recordUrl).not.toBe(first.recordUrl)
    expect((await deposits.files(second.id)).map(({ name }) => name)).toEqual(['a.csv'])
    await expect(deposits.release(join(work.path, 'none'))).rejects.toThrow(DepositError)
  })

  it('takes no empty path for the current folder', async () => {
    const { id } = await deposits.create()
    const usage = { code: 'usage' }
    await expect(deposits.release('')).rejects.toMatchObject(usage)
    await expect(deposits.upload(id, '')).rejects.toMatchObject(usage)
    await expect(deposits.upload(id, ['a.csv', ''])).rejects.toMatchObject(usage)
    expect(await deposits.files(id)).toEqual([])
  })

  it('refuses a file that is changed while it is sent, and publishes nothing', async () => {
    await using growing = await temporaryFolder({ 'metadata.yaml': 'title: Growing' })
    const path = join(growing.path, 'log.bin')
    await writeFile(path, Buffer.alloc(24_000_000))
    const onProgress = (): void => writeFileSync(path, 'x', { flag: 'a' })

    const released = deposits.release(growing.path, { onProgress })

    await expect(released).rejects.toThrow('the file was changed while it was sent')
    expect(await deposits.list({ query: 'title:growing', status: 'published' })).toEqual([])
  })

  it('tells the progress of a release, and ends it by its signal', async () => {
    await using work = await temporaryFolder({ 'metadata.yaml': 'title: Tides', 'a.csv': '12' })
    const ended = new AbortController()
    const reason = new Error('no time')
    const options = { signal: ended.signal, onProgress: () => ended.abort(reason) }
    await expect(deposits.release(work.path, options)).rejects.toBe(reason)
    const seen: Progress[] = []

    const { recordUrl } = await deposits.release(work.path, { onProgress: (now) => seen.push(now) })

    expect(recordUrl).toMatch(/\/records\//)
    // What arrived before the interruption is not sent again.
    await writeFile(join(work.path, 'b.csv'), '345')
    await deposits.release(work.path, { onProgress: (now) => seen.push(now) })
    expect(seen.at(-1)).toEqual({ files: 1, filesTotal: 1, bytes: 3, bytesTotal: 3 })
    await expect(deposits.release(work.path, { jobs: 0 })).rejects.toMatchObject({ code: 'usage' })
  })

  it('takes bags and crates as the command line does', async () => {
    const notes: string[] = []
    const mine = { server: daemon.origin, token: await tokenOf('ada') }
    using noting = await connect({ ...mine, onNote: (line) => notes.push(line) })
    const bag = bagOf({ 'b/a.csv': '1,2\n' })
    await using work = await temporaryFolder(
      Object.fromEntries(Object.entries(bag).map(([path, text]) => [`bag/${path}`, text])),
    )
    const [path, archive] = [join(work.path, 'bag'), join(work.path, 'bag.zip')]
    await writeFile(archive, zipOfFiles(bag))
    const { id } = await noting.create(small)
    const names = async () => (await noting.files(id)).map(({ name }) => name)

    await noting.upload(id, path)

    expect(await names()).toEqual(['b/a.csv'])
    expect(notes.join('\n')).toContain('bag')
    expect(await noting.upload(id, archive, { unpack: true })).toEqual([])
    await noting.upload(id, archive)
    expect(await names()).toEqual(['b/a.csv', 'bag.zip'])
    await expect(noting.upload(id, data, { unpack: true })).rejects.toMatchObject({
      code: 'usage',
      next: 'leave out unpack',
    })
    await writeFile(join(path, 'data/b/a.csv'), 'other')
    await expect(noting.upload(id, path)).rejects.toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({ field: expect.stringContaining('a.csv') as string }),
      ]) as unknown,
    })
    await expect(noting.release(path)).rejects.toThrow(DepositError)
    expect(await names()).toEqual(['b/a.csv', 'bag.zip'])
  })

  it('makes one deposit for two requests with one key', async () => {
    const options = { idempotencyKey: 'tides-1' }
    const [one, two] = [
      await deposits.create(small, options),
      await deposits.create(small, options),
    ]
    expect(two.id).toBe(one.id)
  })

  it('uploads a folder with progress, skips the files that are there, and downloads them', async () => {
    const { id } = await deposits.create(small)
    const seen: Progress[] = []

    const sent = await deposits.upload(id, data, { onProgress: (now) => seen.push(now) })

    expect(sent.map(({ name, size }) => [name, size])).toEqual([
      ['a.csv', 3],
      ['b/c.csv', 1],
    ])
    expect(sent[0]?.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(seen.at(-1)).toEqual({ files: 2, filesTotal: 2, bytes: 4, bytesTotal: 4 })
    expect(await deposits.upload(id, data)).toEqual([])
    const named = { name: 'x/d.csv', replace: true, exclude: ['*.csv'] }
    expect(await deposits.upload(id, join(data, 'a.csv'), named)).toMatchObject([
      { name: 'x/d.csv' },
    ])
    const copy = join(folder.path, 'copy')
    const written = await deposits.download(id, copy, { files: ['b/'] })
    expect(written).toEqual([join(copy, 'b/c.csv')])
    expect(await deposits.download(id, copy)).toEqual([join(copy, 'a.csv'), join(copy, 'x/d.csv')])
    expect(await readFile(join(copy, 'x/d.csv'), 'utf8')).toBe('1,2')
    await deposits.deleteFile(id, 'x/d.csv')
    expect(await deposits.files(id)).toEqual(sent)
  })

  it('ends an upload by its signal, and the next call finishes it', async () => {
    const { id } = await deposits.create(small)
    const large = join(folder.path, 'large')
    await mkdir(large, { recursive: true })
    await writeFile(join(large, 'large.bin'), Buffer.alloc(24 * 1024 * 1024, 1))
    const ended = new AbortController()
    const reason = new Error('no time')
    const options = { signal: ended.signal, onProgress: () => ended.abort(reason) }

    await expect(deposits.upload(id, large, options)).rejects.toBe(reason)

    expect(await deposits.files(id)).toEqual([])
    expect(await deposits.upload(id, large)).toMatchObject([{ name: 'large.bin' }])
    await expect(deposits.upload(id, large, { signal: ended.signal })).rejects.toBe(reason)
  })

  it('rejects with the code, the status and the next step of a failure', async () => {
    const { id } = await deposits.publish((await deposits.create(small)).id)

    const error = await deposits.update(id, {}).catch((cause: unknown) => cause)

    expect(error).toBeInstanceOf(DepositError)
    expect(error).toMatchObject({
      name: 'DepositError',
      code: 'invalid_action',
      status: 403,
      next: `run \`deposit edit ${id}\``,
      requestId: expect.stringMatching(/\w/) as string,
    })
    await expect(deposits.get('none')).rejects.toMatchObject({ code: 'deposit_not_found' })
    await expect(deposits.upload(id, join(data, 'none'))).rejects.toMatchObject({
      code: 'usage',
      status: undefined,
    })
    const two = { name: 'one.csv' }
    await expect(deposits.upload(id, data, two)).rejects.toMatchObject({ code: 'usage' })
    await expect(deposits.upload(id, data, { jobs: 0 })).rejects.toMatchObject({ code: 'usage' })
    await expect(connect({ server: 'ftp://localhost' })).rejects.toMatchObject({ code: 'usage' })
    const stranger = await connect({ server: daemon.origin, token: 'unknown' })
    await expect(stranger.list()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
    const nobody = await connect({ server: 'http://127.0.0.1:9', retries: 0 })
    await expect(nobody.list()).rejects.toMatchObject({ code: 'unreachable', status: undefined })
  })

  it('sends the token of the environment to no other service', async () => {
    const seen: (string | undefined)[] = []
    await using other = await strangeServer((request, response) => {
      seen.push(request.headers.authorization)
      answerJson(response, { hits: { hits: [], total: 0 }, links: {} })
    })
    const { DEPOSIT_URL, DEPOSIT_TOKEN } = process.env
    Object.assign(process.env, { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: await tokenOf('ada') })
    try {
      await (await connect({ server: other.url })).list()
      await (await connect({ server: other.url, token: 'own' })).list()
      expect(await (await connect()).list({ limit: 1 })).toHaveLength(1)
    } finally {
      for (const [name, value] of Object.entries({ DEPOSIT_URL, DEPOSIT_TOKEN }))
        if (value === undefined) Reflect.deleteProperty(process.env, name)
        else process.env[name] = value
    }
    expect(seen).toEqual([undefined, 'Bearer own'])
  })
})
