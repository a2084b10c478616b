import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const module = new URL('interruption.ts', import.meta.url).href

/** Starts a grandchild process, prints its id, and waits. */
const script = (folder: string): string => `
  import { spawn } from 'node:child_process'
  import { cleanUpWhenInterrupted } from '${module}'
  cleanUpWhenInterrupted(${JSON.stringify(folder)})
  const shell = spawn('sh', ['-c', 'sleep 1000 & echo $!; wait'])
  shell.stdout.pipe(process.stdout)
`

describe.skipIf(process.platform !== 'linux')('an interrupted run', () => {
  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('leaves no process and no folder behind (%s)', async ([signal, status]) => {
    await using folder = await temporaryFolder({ 'home/deposit.db': 'rows' })
    const child = spawn(process.execPath, ['--input-type=module', '-e', script(folder.path)])
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const ended = once(child, 'exit')

    child.kill(signal)

    expect(await ended).toEqual([status, null])
    expect(existsSync(folder.path)).toBe(false)
    expect(isAlive(Number(line))).toBe(false)
  })
})

/** False for an ended process, even before its parent has waited for it. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
