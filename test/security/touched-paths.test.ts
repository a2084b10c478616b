import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { unless } from '../faults/obstacle.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

/** Part of everything that the user sends; no path may contain it. */
const mark = 'qzxj'

const hostile = [
  `../../../../tmp/${mark}-climbs`,
  `/tmp/${mark}-absolute`,
  `..\\..\\${mark}-windows`,
  `a/../../../${mark}-between`,
  `${mark}-plain.csv`,
]

describe.skipIf(unless('watching paths', canTrace ? undefined : 'it needs strace'))(
  'the paths that the service makes, writes, renames and removes',
  () => {
    it('are within its home, and contain no text of a user', async () => {
      await using daemon = await lastingDaemon()
      const { touched, changed } = await pathsOf(daemon, () => work(daemon))

      const blobs = changed.filter((path) => path.startsWith(join(daemon.home, 'blobs/')))
      expect(blobs.length).toBeGreaterThan(hostile.length)
      expect(blobs.filter((path) => !/^[\da-f/-]+$/.test(path.split('/blobs/')[1] ?? ''))).toEqual(
        [],
      )
      expect(touched.filter((path) => path.includes(mark))).toEqual([])
      expect(changed.filter((path) => !isWithin(daemon, path))).toEqual([])
    })
  },
)

/** Sends hostile names to every route that takes a name. */
async function work({ owner }: LastingDaemon): Promise<void> {
  const draft = await owner.createDraft({ title: mark, '../../tmp/qzxj': `/tmp/${mark}` })
  for (const name of hostile) {
    await owner.upload(draft, 'f', large(name), { name })
    await owner.upload(draft, name.replaceAll('\\', '\\\\'), large(name))
    await owner.send('PUT', `${draft.links['bucket']}/raw-${encodeURIComponent(name)}`, {
      body: large(name),
    })
    const metadata = `filename ${Buffer.from(`tus-${name}`).toString('base64')}`
    await owner.post(`/deposits/${draft.id}/uploads`, {
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': String(large(name).length),
        'upload-metadata': metadata,
        'content-type': 'application/offset+octet-stream',
      },
      body: large(name),
    })
    await owner.get(`/deposits/${draft.id}/files/${encodeURIComponent(name)}?download`)
    await owner.get(`/deposits/?q=${encodeURIComponent(name)}`)
  }
  const [first, second] = await owner.keys(draft)
  const keyOf = (key = '') => `/deposits/${draft.id}/files/${encodeURIComponent(key)}`
  await owner.put(keyOf(first), { filename: `${mark}/renamed` })
  await owner.delete(keyOf(second))
  await owner.publish(draft)
}

/** Large enough to be stored as a file. */
const large = (name: string): string => name.repeat(10_000)

/** A process may also read its own state in `/proc/self`, and its output may be `/dev/null`. */
const isWithin = ({ home }: LastingDaemon, path: string): boolean =>
  path.startsWith(`${home}/`) || path.startsWith('/proc/self/') || path === '/dev/null'

const calls =
  'open,openat,creat,rename,renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,rmdir,' +
  'link,linkat,symlink,symlinkat,truncate,chmod,fchmodat'

interface Paths {
  /** All that were opened, made or removed. */
  readonly touched: readonly string[]
  /** Those that were opened for more than reading. */
  readonly changed: readonly string[]
}

/** The paths in the system calls that are made during `doing`. */
async function pathsOf(daemon: LastingDaemon, doing: () => Promise<void>): Promise<Paths> {
  await using folder = await temporaryFolder()
  const output = join(folder.path, 'trace')
  const options = ['-f', '-s', '4096', '-o', output, '-e', `trace=${calls}`]
  const tracer = spawn('strace', [...options, '-p', String(daemon.pid())], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface(tracer.stderr)) if (/attached/.test(line)) break
  await doing()
  tracer.kill('SIGINT')
  await once(tracer, 'exit')
  const lines = (await readFile(output, 'utf8')).split('\n')
  const changing = lines.filter((line) => !/ open(?:at)?\(.*O_RDONLY/.test(line))
  return { touched: lines.flatMap(pathsIn), changed: changing.flatMap(pathsIn) }
}

const pathsIn = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path)
