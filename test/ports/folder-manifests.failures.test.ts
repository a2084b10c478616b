import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unless } from '../faults/obstacle.ts'
import { noFailingCalls } from '../support/failing-calls.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isSkipped = unless('manifests on a failing disk', noFailingCalls)
const values = ['a', 'b', 'c', 'd']

describe.skipIf(isSkipped)('the manifests of many records in a folder', () => {
  it('are synced before they are renamed, and their folders afterwards', async () => {
    await using folder = await temporaryFolder()
    const calls = 'trace=fsync,mkdir,rename'
    expect(trace(folder.path, ['-y', '-e', calls], 'await store.writeMany(manifests)')).toBe('')

    const root = join(folder.path, 'records')
    const log = (await readFile(join(folder.path, 'log'), 'utf8')).split('\n')
    const steps = log.flatMap((line) => toStep(line) ?? []).filter(({ on }) => on.startsWith(root))
    const at = (call: string, on: string): number =>
      steps.findIndex((step) => step.call === call && step.on === on)
    const renamed = steps.filter(({ call }) => call === 'rename')
    expect(renamed).toHaveLength(values.length)
    for (const { on, to } of renamed) {
      expect(at('fsync', on)).toBeGreaterThanOrEqual(0)
      expect(at('fsync', on)).toBeLessThan(at('rename', on))
      expect(at('fsync', dirname(to))).toBeGreaterThan(at('rename', on))
    }
    const named = steps.findLastIndex(({ call, on }) => call === 'fsync' && on === root)
    for (const value of values) expect(named).toBeGreaterThan(at('mkdir', join(root, value)))
    const made = log.findIndex((line) => line.includes(`mkdir("${root}"`))
    const synced = log.findIndex((line) => line.includes(`<${folder.path}>)`))
    expect(made).toBeGreaterThanOrEqual(0)
    expect(synced).toBeGreaterThan(made)
  })

  it.for(['writeMany(manifests)', 'write(manifests[0])'])(
    'are in folders with durable names, also of those that were found (%s)',
    async (call) => {
      await using folder = await temporaryFolder()
      const root = join(folder.path, 'records')
      // As where a process has made them, and died before its sync.
      for (const value of values) await mkdir(join(root, value), { recursive: true })

      expect(trace(folder.path, ['-y', '-e', 'trace=fsync'], `await store.${call}`)).toBe('')

      const log = await readFile(join(folder.path, 'log'), 'utf8')
      expect(log).toContain(`<${root}>)`)
      expect(log).toContain(`<${folder.path}>)`)
    },
  )

  it.for([
    ['fsync:error=EIO', 'storage_failed storage_degraded storage_degraded'],
    ['fsync:error=ENOSPC', 'storage_failed storage_degraded storage_degraded'],
    ['rename:error=EIO', 'storage_failed storage_degraded storage_degraded'],
    ['rename:error=ENOSPC', 'storage_full storage_full storage_full'],
    ['rename:error=EDQUOT', 'storage_full storage_full storage_full'],
  ] as const)('are refused as a single one where the disk answers %s', async ([rule, codes]) => {
    for (const calls of [
      ['writeMany(manifests)', 'write(manifests[0])', 'writeMany(manifests)'],
      ['write(manifests[0])', 'writeMany(manifests)', 'write(manifests[0])'],
    ]) {
      await using folder = await temporaryFolder()
      const call = rule.split(':')[0] ?? ''
      const script = calls
        .map((each) => `await store.${each}.catch(({ code }) => said.push(code))`)
        .join('\n')
      const options = ['-e', `trace=${call}`, '-e', `inject=${rule}`]
      expect(trace(folder.path, options, script)).toBe(codes)
      const left = await readdir(join(folder.path, 'records'), { recursive: true })
      expect(left.filter((name) => name.endsWith('.new'))).toEqual([])
    }
  })
})

interface Step {
  readonly call: string
  readonly on: string
  /** The new name. */
  readonly to: string
}

function toStep(line: string): Step | undefined {
  const [, call = '', on = '', to = ''] =
    /(fsync|mkdir|rename)\((?:\d+<|")([^>"]+)(?:[>"], "([^"]+)")?/.exec(line) ?? []
  return call === '' ? undefined : { call, on, to }
}

/** Runs a script on a store of manifests under strace; answers what it says. */
function trace(folder: string, options: readonly string[], script: string): string {
  const store = new URL('../../core/adapters/blobs/folder-manifest-store.ts', import.meta.url)
  const source = `
    import { openFolderManifests } from '${store.href}'
    const manifests = ${JSON.stringify(values.map((value) => ({ pid: { value }, revision: 0 })))}
    const said = []
    {
      await using store = openFolderManifests('${join(folder, 'records')}')
      ${script}
    }
    process.stdout.write(said.join(' '))`
  const command = [process.execPath, '--input-type=module', '-e', source]
  const { stdout, stderr } = spawnSync(
    'strace',
    ['-f', '-o', join(folder, 'log'), ...options, ...command],
    { encoding: 'utf8' },
  )
  return stdout + stderr
}
