import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isAlive } from '../../core/base/file-lock.ts'
import { startDeposit, type Ended } from '../support/deposit-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Copies the package to `folder` under a later version; returns its command line. */
async function installLater(folder: string): Promise<string> {
  for (const part of ['cli/bin.mjs', 'daemon/bin.mjs', 'daemon/pages/templates', 'core/launch.mjs'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const later = Object.assign({}, manifest, { version: '99.0.0' })
  await writeFile(join(folder, 'package.json'), JSON.stringify(later))
  return join(folder, 'cli/bin.mjs')
}

/** An upload of eight bytes that stops after four. */
function beginUpload(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-length': 8 }
  const upload = request(url, { method: 'PUT', headers })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upload.once('response', resolve).once('error', reject)
  })
  upload.write('half')
  return { answered, finish: () => void upload.end('half') }
}

interface Created {
  readonly id: string
  readonly 'links.self': string
  readonly 'links.bucket': string
}

interface Running {
  readonly pid: number
  readonly version: string
}

it('a newer command line replaces the daemon once its requests are answered, and loses nothing', async () => {
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  await mkdir(home, { mode: 0o700 })
  const environment = { HOME: folder.path, DEPOSIT_HOME: home }
  const run = (args: readonly string[], program?: string): Promise<Ended> =>
    startDeposit(args, environment, { program }).ended
  const later = await installLater(join(folder.path, 'later'))
  try {
    const fields = 'id,links.self,links.bucket'
    const created = await run(['create', '--title', 'Tides', '--json', fields])
    const { id, 'links.self': self, 'links.bucket': bucket } = JSON.parse(created.stdout) as Created
    const token = (await run(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
    const upload = beginUpload(`${bucket}/slow.txt`, token)
    const status = await run(['daemon', 'status', '--json'])
    const { pid, version } = JSON.parse(status.stdout) as Running

    using listing = startDeposit(['list'], environment, { program: later })
    await untilDraining(self)
    upload.finish()
    const answer = await json(await upload.answered)
    const listed = await listing.ended

    expect(answer).toMatchObject({ filename: 'slow.txt', filesize: 8 })
    expect(listed.status).toBe(0)
    expect(listed.stderr).toContain(`version 99.0.0 in place of ${version}\n`)
    expect(listed.stdout).toContain(`${id}\tTides\tdraft`)
    expect(isAlive(pid)).toBe(false)
    expect((await run(['files', id], later)).stdout).toContain('slow.txt\t8 B')
  } finally {
    await run(['daemon', 'stop'])
  }
})

/** Waits until the daemon accepts no further requests. */
async function untilDraining(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer === undefined || answer.status === 503) return
  }
}
