import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { forward } from '../support/forward.ts'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const files = { 'a "quoted".txt': 'a', 'b/ü.txt': 'b', 'c.txt': '' }
const names = Object.keys(files)

describe('small files sent together', () => {
  it('keep their names, folders and order', async () => {
    await using folder = await temporaryFolder({ ...files, 'large.bin': 'x'.repeat(70_000) })
    const id = await newDraft()

    expect(await deposit(['upload', id, folder.path])).toMatchObject({ status: 0 })
    expect(await namesOf(id)).toEqual([...names, 'large.bin'])
  })

  it('become new versions with --replace', async () => {
    await using folder = await temporaryFolder(files)
    const id = await newDraft()
    await deposit(['upload', id, folder.path])
    await using other = await temporaryFolder({ ...files, 'b/ü.txt': 'new', 'c.txt': 'new' })

    const again = await deposit(['upload', id, other.path, '--replace', '--json', 'filename'])
    expect(JSON.parse(again.stdout)).toEqual([{ filename: 'b/ü.txt' }, { filename: 'c.txt' }])
    expect(await namesOf(id)).toEqual(names)
  })

  it('are sent one by one if the server refuses them, and the faulty one is named', async () => {
    await using small = await startDaemon({ DEPOSIT_MAX_FILES: '2' })
    await using folder = await temporaryFolder(files)
    const environment = { DEPOSIT_HOME: small.home }
    const { stdout } = await runCli(['create', '--quiet'], { environment })
    const id = stdout.trim()
    const options = { environment, folder: folder.path }

    expectFailure(await runCli(['upload', id, '.', '--jobs', '1'], options), 1, 'upload c.txt')
    const listed = await runCli(['files', id, '--json', 'filename'], options)
    expect(JSON.parse(listed.stdout)).toEqual(names.slice(0, 2).map((filename) => ({ filename })))
  })

  it('are sent one by one to an older server', async () => {
    await using folder = await temporaryFolder(files)
    await using older = await strangeServer(asBefore)
    const id = await newDraft()
    const created = await deposit(['token', 'create', '--scope', 'deposit:write'])
    const environment = { DEPOSIT_URL: older.url, DEPOSIT_TOKEN: created.stdout.trim() }

    expect(await runCli(['upload', id, folder.path], { environment })).toMatchObject({ status: 0 })
    expect(await namesOf(id)).toEqual(names)
    const changes = older.requests.filter(({ path }) => path.startsWith('/api/files/'))
    expect(changes.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT'])
  })
})

/** Answers like an older daemon, without bundles. */
async function asBefore(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await forward(daemonUrl(), request)
  const old = JSON.stringify(body, (name, value: unknown) =>
    name === 'bundles' ? undefined : value,
  )
  answerJson(response, JSON.parse(old), status)
}
