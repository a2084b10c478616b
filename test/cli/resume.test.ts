import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { cuttingProxy, type CuttingProxy } from '../support/cutting-proxy.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { lastingDaemon } from '../support/lasting-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const mebibyte = 1024 * 1024
/** Bytes: just large enough for an upload that can be resumed. */
const size = 65 * mebibyte

let token: string
beforeAll(async () => {
  token = (await deposit(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
})

async function largeFile(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  await writeFile(join(folder.path, 'large.bin'), Buffer.alloc(size, randomBytes(999_983)))
  return folder
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

/** Runs a command through the proxy. */
function through(
  proxy: CuttingProxy,
  folder: TemporaryFolder,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Outcome> {
  const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: token }
  return runCli(args, { environment, folder: folder.path, ...(signal && { signal }) })
}

/** The offset and length of each request with bytes of a large file. */
function pieces(
  proxy: CuttingProxy,
): readonly { readonly from: number; readonly length: number }[] {
  return proxy.passed
    .filter(({ method }) => method === 'PATCH')
    .map(({ headers }) => ({
      from: Number(headers['upload-offset']),
      length: Number(headers['content-length']),
    }))
}

/** The first request had the whole file, and the second had the missing bytes. */
function expectOnlyTheRest(proxy: CuttingProxy): void {
  const [first, second, ...more] = pieces(proxy)
  expect(first).toEqual({ from: 0, length: size })
  expect(second?.from).toBeGreaterThan(0)
  expect(second?.length).toBe(size - (second?.from ?? 0))
  expect(more).toEqual([])
}

async function expectWhole(id: string, folder: TemporaryFolder): Promise<void> {
  const { stdout } = await deposit(['files', id])
  const digest = await sha256(join(folder.path, 'large.bin'))
  expect(stdout).toBe(`large.bin\t68.2 MB\t${digest}\n`)
}

describe('an upload of a large file', () => {
  it('resumes by itself after a broken connection', async () => {
    await using folder = await largeFile()
    await using proxy = await cuttingProxy(daemonUrl())
    const id = await newDraft()
    proxy.cut(/^PATCH/, 20 * mebibyte)

    const outcome = await through(proxy, folder, ['upload', id, 'large.bin'])

    expect(outcome).toMatchObject({ status: 0, stdout: 'large.bin\n' })
    expectOnlyTheRest(proxy)
    await expectWhole(id, folder)
  })

  it('sends only the missing bytes when run again after an interruption', async () => {
    await using folder = await largeFile()
    await using proxy = await cuttingProxy(daemonUrl())
    const id = await newDraft()
    const interruption = new AbortController()
    proxy.cut(/^PATCH/, 20 * mebibyte, () => interruption.abort())
    const args = ['upload', id, 'large.bin']

    expect(await through(proxy, folder, args, interruption.signal)).toMatchObject({ status: 130 })
    expect(await namesOf(id)).toEqual([])
    expect(await through(proxy, folder, args)).toMatchObject({ status: 0 })
    expectOnlyTheRest(proxy)
    await expectWhole(id, folder)
  })

  it('sends only the missing bytes when run again after a kill', async () => {
    await using folder = await largeFile()
    await using proxy = await cuttingProxy(daemonUrl())
    const id = await newDraft()
    const args = ['upload', id, join(folder.path, 'large.bin')]
    const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: token }
    using killed = startDeposit(args, environment)
    proxy.cut(/^PATCH/, 20 * mebibyte, () => killed.kill('SIGKILL'))
    await killed.ended

    expect(await through(proxy, folder, args)).toMatchObject({ status: 0 })
    expectOnlyTheRest(proxy)
    await expectWhole(id, folder)
  })

  it('keeps an upload of another program under the same name', async () => {
    await using folder = await largeFile()
    const id = await newDraft()
    const { links } = JSON.parse((await deposit(['show', id, '--json'])).stdout) as DepositBody
    const name = Buffer.from('large.bin').toString('base64')
    const begun = await fetch(links['uploads'] ?? '', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '9',
        'upload-metadata': `name ${name}`,
      },
    })
    expect(begun.status).toBe(201)

    const outcome = await deposit(['upload', id, 'large.bin'], { folder: folder.path })

    expect(outcome).toMatchObject({ status: 0 })
    const left = await deposit(['uploads', id, '--json', 'filename,filesize'])
    expect(JSON.parse(left.stdout)).toEqual([{ filename: 'large.bin', filesize: 9 }])
  })

  it('starts from the beginning if the file has changed', async () => {
    await using folder = await largeFile()
    await using proxy = await cuttingProxy(daemonUrl())
    const id = await newDraft()
    const interruption = new AbortController()
    proxy.cut(/^PATCH/, 20 * mebibyte, () => interruption.abort())
    const args = ['upload', id, 'large.bin']
    await through(proxy, folder, args, interruption.signal)
    const path = join(folder.path, 'large.bin')
    await writeFile(path, Buffer.alloc(size, 'other'))
    await utimes(path, 1, 1)

    expect(await through(proxy, folder, args)).toMatchObject({ status: 0 })
    expect(pieces(proxy).map(({ from }) => from)).toEqual([0, 0])
    await expectWhole(id, folder)
    expect((await deposit(['uploads', id, '--quiet'])).stdout).toBe('')
  })
})

describe('an upload of a small file', () => {
  it('is not sent twice if only the answer was lost', async () => {
    await using folder = await temporaryFolder({ 'a.txt': 'a'.repeat(1000) })
    await using proxy = await cuttingProxy(daemonUrl())
    const id = await newDraft()
    // This is longer than the body, so the answer is cut.
    proxy.cut(/^PUT/, 1001)

    const outcome = await through(proxy, folder, ['upload', id, 'a.txt'])

    expect(outcome).toMatchObject({ status: 0, stdout: 'a.txt\n' })
    expect(proxy.passed.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })
})

describe('deposit upload -', () => {
  it('reads a file from standard input', async () => {
    const id = await newDraft()
    const outcome = await deposit(['upload', id, '-', '--name', 'b/in.txt'], { stdin: 'piped' })

    expect(outcome).toMatchObject({ status: 0, stdout: 'b/in.txt\n' })
    expect((await deposit(['files', id])).stdout).toContain('b/in.txt\t5 B\t')
  })

  it('needs a name, and no other file', async () => {
    expectFailure(await deposit(['upload', 'x', '-']), 2, '--name NAME')
    expectFailure(await deposit(['upload', 'x', '-', 'data', '--name', 'y']), 2, 'single file')
    expectFailure(await deposit(['upload', 'none', '-', '--name', 'y']), 3, 'deposit_not_found')
  })
})

describe('a download', () => {
  it('fetches only the missing bytes when run again after an interruption', async () => {
    await using folder = await largeFile()
    await using target = await temporaryFolder()
    await using proxy = await cuttingProxy(daemonUrl())
    const id = await newDraft(folder.path)
    const interruption = new AbortController()
    const args = ['download', id, 'large.bin', '--output', '.']
    proxy.cut(/^GET .*large/, 20 * mebibyte, () => interruption.abort())

    expect(await through(proxy, target, args, interruption.signal)).toMatchObject({ status: 130 })
    expect(await readdir(target.path)).toEqual([expect.stringMatching(/^\.deposit-.*\.part$/)])
    expect(await through(proxy, target, args)).toMatchObject({ status: 0 })
    const range = proxy.passed.at(-1)?.headers.range
    expect(range).toMatch(/^bytes=[1-9]\d+-$/)
    expect(await readdir(target.path)).toEqual(['large.bin'])
    const digest = await sha256(join(folder.path, 'large.bin'))
    expect(await sha256(join(target.path, 'large.bin'))).toBe(digest)
  })
})

describe('an upload during which the daemon is killed', () => {
  it('sends only the missing bytes when the daemon is back', async () => {
    await using folder = await largeFile()
    await using daemon = await lastingDaemon()
    await using proxy = await cuttingProxy(daemon.origin)
    const { stdout } = await runCli(['token', 'create', '--scope', 'deposit:write'], {
      environment: { DEPOSIT_HOME: daemon.home },
    })
    const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: stdout.trim() }
    const run = (...args: readonly string[]): Promise<Outcome> =>
      runCli(args, { environment, folder: folder.path })
    const id = (await run('create', '--quiet')).stdout.trim()
    let killed = Promise.resolve()
    proxy.cut(/^PATCH/, 20 * mebibyte, () => {
      killed = daemon.kill()
    })

    expect(await run('upload', id, 'large.bin')).toMatchObject({ status: 6, stdout: '' })
    await killed
    await daemon.start()
    const again = await run('upload', id, 'large.bin')

    expect(again).toMatchObject({ status: 0, stdout: 'large.bin\n' })
    expectOnlyTheRest(proxy)
    const digest = await sha256(join(folder.path, 'large.bin'))
    expect((await run('files', id)).stdout).toBe(`large.bin\t68.2 MB\t${digest}\n`)
  })
})
