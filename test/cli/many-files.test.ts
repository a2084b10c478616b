import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { daemonUrl, deposit, namesOf, newDraft, useDaemon } from '../support/cli-at-daemon.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { bodyOf } from '../support/http.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { User } from '../support/user.ts'

useDaemon()

/** 10,000 is ordinary work; the default is more than three times as many as are sent at once. */
const number = Number(process.env['DEPOSIT_TEST_FILES'] ?? 1300)

const nameOf = (at: number): string => `f${String(at).padStart(5, '0')}.dat`

/** Bytes: a random position in a request with files. */
const somewhere = (): number => Math.ceil(Math.random() * 400_000)

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
    for (const _ of [1, 2, 3]) {
      const interruption = new AbortController()
      proxy.cut(/^POST .*\/bundles$/, somewhere(), () => interruption.abort())
      expect(await upload(interruption.signal)).toMatchObject({ status: 130, stdout: '' })
    }

    expect(await upload(new AbortController().signal)).toMatchObject({ status: 0 })

    expect(await namesOf(id)).toEqual(names)
    const stored = proxy.answered.filter(({ status }) => status === 201)
    const sent = stored.flatMap((answer) => answer.names)
    expect(new Set(sent).size).toBe(sent.length)
    // Files of an interrupted request may be stored too, but their answer was cut.
    expect(sent.length).toBeGreaterThan(0)
    const owner = new User(`${daemonUrl()}/api`, async () => token)
    const { links } = bodyOf<DepositBody>(await owner.get(`/deposits/${id}`), 200)
    expect(bodyOf(await owner.get(`${links['bucket']}?versions`), 200)).toHaveLength(number)
  },
)
