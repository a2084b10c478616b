import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { freshDaemon } from '../e2e/running-daemon.ts'
import { unless } from '../faults/obstacle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Runs a command as a user of the machine who owns nothing here. */
function asNobody(...command: readonly string[]) {
  const as = ['--reuid=65534', '--regid=65534', '--clear-groups']
  return spawnSync('setpriv', [...as, ...command], { encoding: 'utf8' })
}

const depositd = [
  process.execPath,
  fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url)),
] as const

function noProgram(): string | undefined {
  const { status } = asNobody(...depositd, '--version')
  return status === 0 ? undefined : 'this program lies where no other user may go'
}

function obstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'being another user needs root'
  const { status } = asNobody(process.execPath, '--version')
  return status === 0 ? undefined : 'Node.js lies where no other user may go'
}

describe.skipIf(unless('another user of the machine', obstacle()))(
  'another user of the machine',
  () => {
    it('cannot read the home, and is not signed in at the daemon', async () => {
      await using daemon = await freshDaemon()

      const names = await readdir(daemon.home)
      expect(names).toEqual(expect.arrayContaining(['owner.key', 'daemon.json', 'deposit.db']))
      for (const name of names) {
        const { status, stderr } = asNobody('head', '-c1', join(daemon.home, name))
        expect([name, status, stderr]).toEqual([
          name,
          1,
          expect.stringMatching('Permission denied'),
        ])
      }
      const statusOf = (method: string, path: string): string => {
        const request = `fetch('${daemon.url}${path}', { method: '${method}' })`
        const script = `${request}.then(({ status }) => process.stdout.write(String(status)))`
        return asNobody(process.execPath, '-e', script).stdout
      }
      expect(statusOf('GET', '/health')).toBe('200')
      expect(statusOf('GET', '/api/deposits')).toBe('401')
      expect(statusOf('POST', '/api/deposits')).toBe('401')
      expect(statusOf('POST', '/local/operator')).toBe('401')
      expect(statusOf('POST', '/local/ticket')).toBe('401')
    })

    it.skipIf(unless('a daemon of another user', noProgram()))(
      'cannot start a daemon in their own folder if it is read-only, and makes nothing there',
      async () => {
        await using folder = await temporaryFolder()
        const home = join(folder.path, 'home')
        await mkdir(home)
        await chown(home, 65_534, 65_534)
        await chmod(home, 0o500)
        await chmod(folder.path, 0o755)

        const { status, stderr } = asNobody('env', `DEPOSIT_HOME=${home}`, ...depositd, 'serve')

        expect(status).toBe(77)
        expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(home)])
        expect(await readdir(home)).toEqual([])
      },
    )
  },
)
