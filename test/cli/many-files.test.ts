import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { daemonUrl, deposit, namesOf, newDraft, useDaemon } from '../support/cli-at-daemon.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** 10,000 is ordinary work; fewer will do on each push. */
const number = Number(process.env['DEPOSIT_TEST_FILES'] ?? 300)

const nameOf = (at: number): string => `f${String(at).padStart(5, '0')}.dat`

/** A file somewhere in the first, second or third third. */
function somewhereIn(third: number): string {
  return nameOf(Math.floor((third + Math.random()) * (number / 3)))
}

it(
  'a folder of small files that is interrupted three times ends complete, each file sent once',
  { timeout: 600_000 },
  async () => {
    await using folder = await temporaryFolder()
    const names = Array.from({ length: number }, (_, at) => nameOf(at))
    for (const name of names) await writeFile(join(folder.path, name), name.repeat(400))
    await using proxy = await cuttingProxy(daemonUrl())
    const token = (await deposit(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
    const id = await newDraft()
    const upload = (signal: AbortSignal) =>
      runCli(['upload', id, folder.path, '--quiet'], {
        environment: { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: token },
        signal,
      })
    for (const third of [0, 1, 2]) {
      const interruption = new AbortController()
      proxy.cut(new RegExp(`^PUT .*${somewhereIn(third)}`), 1, () => interruption.abort())
      expect(await upload(interruption.signal)).toMatchObject({ status: 130, stdout: '' })
    }

    expect(await upload(new AbortController().signal)).toMatchObject({ status: 0 })

    expect(await namesOf(id)).toEqual(names)
    const stored = proxy.answered.filter(({ method, status }) => method === 'PUT' && status === 201)
    const paths = stored.map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
    // What was under way when it was interrupted was stored, and its answer went nowhere.
    expect(paths.length).toBeGreaterThan(number - 3 * 8)
  },
)
