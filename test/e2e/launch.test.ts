import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Programs that the launcher runs in place of ours. */
const reportNode =
  'console.log(process.versions.node, ...process.argv.slice(2))\nprocess.exitCode = 7'
const waitForever = "console.log('ready')\nsetTimeout(() => {}, 60_000)"
const startLasting = `
  import { spawn } from 'node:child_process'
  const lasting = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], {
    detached: true,
    stdio: 'ignore',
  })
  lasting.unref()
  console.log(lasting.pid)
  setTimeout(() => {}, 60_000)
`

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a program started on a recent Node.js', () => {
  it('runs there, with its arguments, and keeps its exit status', async () => {
    await using project = await installedProject(reportNode)

    const { status, stdout } = project.run(['a', '--b'])

    expect(stdout).toBe(`${process.versions.node} a --b\n`)
    expect(status).toBe(7)
  })

  it('advises in one line what to do if the package was never built', async () => {
    await using project = await installedProject(undefined)

    const { status, stdout, stderr } = project.run()

    expect(stderr).toMatch(/^deposit: is not installed completely .*npm install.*\n$/)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  })

  it('ends quietly when its output is closed', async () => {
    await using project = await installedProject(
      "setInterval(() => process.stdout.write('x'.repeat(1e5)), 1)",
    )
    const child = project.start()
    child.stdout.once('data', () => child.stdout.destroy())
    const complaints = child.stderr.toArray()

    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await complaints).toEqual([])
  })
})

describe('a program started on an old Node.js', () => {
  it('runs on the Node.js of the package, and keeps its exit status', async () => {
    await using project = await installedProject(reportNode)
    await project.pretendOldNode()
    await project.bringNode()

    const { status, stdout } = project.run(['a', '--b'])

    expect(stdout).toBe(`${process.versions.node} a --b\n`)
    expect(status).toBe(7)
  })

  it('forwards SIGTERM and ends by it', async () => {
    await using project = await installedProject(waitForever)
    await project.pretendOldNode()
    await project.bringNode()
    const child = project.start()
    await once(child.stdout, 'data')

    child.kill('SIGTERM')

    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM'])
  })

  it('ends when it is killed, and leaves detached processes running', async () => {
    await using project = await installedProject(startLasting)
    await project.pretendOldNode()
    await project.bringNode()
    const child = project.start()
    const lasting = Number((await once(child.stdout, 'data'))[0])

    child.kill('SIGKILL')

    // Its output closes when it ends.
    await once(child.stdout, 'close')
    expect(isAlive(lasting)).toBe(true)
    process.kill(lasting)
  })

  it('ends by itself when it has done its work', async () => {
    await using project = await installedProject("console.log('done')")
    await project.pretendOldNode()
    await project.bringNode()

    expect(project.run()).toMatchObject({ status: 0, stdout: 'done\n' })
  })

  it('names the version it needs in one line if there is no other Node.js', async () => {
    await using project = await installedProject(reportNode)
    await project.pretendOldNode()

    const { status, stdout, stderr } = project.run()

    expect(stderr).toMatch(
      /^deposit: needs Node\.js 24\.12 or newer, and this is .*nodejs\.org.*\n$/,
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  })
})

interface Manifest {
  readonly engines: { readonly node: string }
  readonly optionalDependencies: Readonly<Record<string, string>>
}

describe('the launcher', () => {
  it('accepts every Node.js in npm for which the package includes a newer one', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest
    const launcher = await readFile(join(root, 'core/launch.mjs'), 'utf8')

    const [, major = ''] = /needed = \[(\d+), \d+\]/.exec(launcher) ?? []

    expect(manifest.engines.node).toBe('>=18')
    for (const version of Object.values(manifest.optionalDependencies)) {
      expect(version.split('.')[0]).toBe(major)
    }
  })

  it('imports nothing before it knows the version', async () => {
    const launcher = await readFile(join(root, 'core/launch.mjs'), 'utf8')

    expect(launcher).not.toMatch(/^import\b/m)
  })
})

/** The launcher and `deposit` in a new folder, with `program` where the build would put it. */
async function installedProject(program: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'deposit-launch-'))
  const bin = join(folder, 'cli/bin.mjs')
  const preload: string[] = []
  await cp(join(root, 'core/launch.mjs'), join(folder, 'core/launch.mjs'))
  await cp(join(root, 'cli/bin.mjs'), bin)
  await write(join(folder, 'package.json'), '{"type":"module"}')
  if (program !== undefined) await write(join(folder, 'dist/deposit/main.js'), program)

  return {
    run: (args: readonly string[] = []) =>
      spawnSync(process.execPath, [...preload, bin, ...args], { encoding: 'utf8' }),
    start: () => spawn(process.execPath, [...preload, bin], { stdio: ['ignore', 'pipe', 'pipe'] }),
    pretendOldNode: async () => {
      const pretence = join(folder, 'old-node.mjs')
      await write(pretence, oldNode)
      preload.push('--import', pathToFileURL(pretence).href)
    },
    bringNode: () => bringNode(folder),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** Makes the process that loads this look old, but not the processes that it starts. */
const oldNode = `
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
  process.execPath = '/an/old/node'
`

async function bringNode(folder: string): Promise<void> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const shipped = join(folder, 'node_modules', `node-${platform}-${process.arch}`)
  await write(join(shipped, 'package.json'), '{"bin":{"node":"bin/node"}}')
  await mkdir(join(shipped, 'bin'))
  await symlink(process.execPath, join(shipped, 'bin/node'))
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
