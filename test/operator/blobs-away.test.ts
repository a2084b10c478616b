import { mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { expectProblem } from '../support/problem.ts'
import { canMount, diskAt } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { bytesLieElsewhere } from '../support/test-storage.ts'
import { append, begin, begun, offsetOf } from '../uploads/tus-client.ts'

const away = 'The files cannot be reached now; try again soon.'
const large = Buffer.alloc(200_000, 'x')

describe.skipIf(bytesLieElsewhere())(
  'A daemon whose blobs/ is another folder, as of a disk that was unmounted',
  () => {
    it('says so without being asked for a file, and that it is back', async () => {
      await using daemon = await testDaemon()
      const { ask, takeAway } = around(daemon)
      expect((await ask('/ready')).status).toBe(200)

      const putBack = await takeAway()

      await expect.poll(async () => (await ask('/health')).text).toContain('"faults":["storage"]')
      const ready = await ask('/ready')
      expect(ready.status).toBe(503)
      expect(JSON.parse(ready.text)).toMatchObject({
        code: 'storage_unavailable',
        message: away,
      })
      expect((await ask('/metrics')).text).toContain('\ndeposit_fault{part="storage"} 1\n')

      await putBack()

      await expect.poll(async () => (await ask('/ready')).status).toBe(200)
      const folder = join(daemon.home, 'blobs')
      const told = daemon
        .warnings()
        .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
      const said = told.filter((text) => text.includes(folder))
      expect(said).toEqual([
        `The folder ${folder} is away: another folder is in its place, or none; is its disk mounted?`,
        `The folder ${folder} is back.`,
      ])
    })

    it('keeps no file there, and takes files again once its own folder is back', async () => {
      await using daemon = await testDaemon()
      const { takeAway } = around(daemon)
      const ada = daemon.as('ada')
      const draft = await ada.createDraft()
      expect((await ada.putObject(draft, 'before', large)).status).toBe(201)
      const upload = await begun(ada, draft, { size: large.length })
      const putBack = await takeAway()

      expectProblem(await ada.putObject(draft, 'during', large), 'storage_unavailable', away)
      expectProblem(await append(ada, upload, 0, large), 'storage_unavailable', away)
      expectProblem(
        await ada.get(`/deposits/${draft.id}/files/before?download`),
        'storage_unavailable',
        away,
      )
      expect((await ada.putObject(draft, 'small', Buffer.from('x'))).status).toBe(201)
      expect(await ada.keys(draft)).toEqual(['before', 'small'])
      expect(await readdir(join(daemon.home, 'blobs'))).toEqual([])

      await putBack()

      expect((await ada.putObject(draft, 'after', large)).status).toBe(201)
      expect((await append(ada, upload, 0, large)).status).toBe(204)
      for (const key of ['before', 'after', 'a.bin']) {
        const download = await ada.get(`/deposits/${draft.id}/files/${key}?download`)
        expect(download.bytes.equals(large)).toBe(true)
      }
      expect(await operateHere(daemon.home, ['check'])).toMatchObject({ status: 0, stdout: '' })
    })

    it('knows another disk by its mark, where its root has the number of the one of before', async () => {
      await using folder = await temporaryFolder()
      await (await testDaemon({ home: folder.path }))[Symbol.asyncDispose]()
      await using daemon = await testDaemon({ home: folder.path })
      const { ask } = around(daemon)
      const ada = daemon.as('ada')
      const draft = await ada.createDraft()
      const mark = join(folder.path, 'blobs', '.depositd.json')
      const own = await readFile(mark)

      for (const other of [undefined, '{"ids":["another"],"service":"another"}']) {
        await (other === undefined ? rm(mark) : writeFile(mark, other))
        await expect.poll(async () => (await ask('/health')).text).toContain('"faults":["storage"]')
        expectProblem(await ada.putObject(draft, 'during', large), 'storage_unavailable', away)
        await writeFile(mark, own)
        await expect.poll(async () => (await ask('/ready')).status).toBe(200)
      }

      expect((await ada.putObject(draft, 'after', large)).status).toBe(201)
    })

    it('finds no damage in files that it cannot see', async () => {
      await using daemon = await testDaemon()
      const { ask, takeAway } = around(daemon)
      const draft = await daemon.as('ada').createDraft()
      await daemon.as('ada').putObject(draft, 'a', large)
      const putBack = await takeAway()

      const ended = await operateHere(daemon.home, ['check'])

      const said = `The files in ${join(daemon.home, 'blobs')} cannot be reached now: another folder is in its place, or none; is its disk mounted?`
      expect(ended).toMatchObject({ status: 69, stdout: '', stderr: `depositd: ${said}\n` })
      const asJson = await operateHere(daemon.home, ['check', '--json'])
      expect(JSON.parse(asJson.stdout)).toMatchObject({
        error: { code: 'unavailable', status: 69, message: said },
      })

      await putBack()
      await expect.poll(async () => (await ask('/health')).text).toContain('"status":"ok"')
      expect((await ask('/metrics')).text).toContain('\ndeposit_blobs_damaged 0\n')
    })
  },
)

async function healthOf(ask: ReturnType<typeof around>['ask']): Promise<unknown> {
  return JSON.parse((await ask('/health')).text)
}

function around({ home, origin }: TestDaemon) {
  const folder = join(home, 'blobs')
  const aside = join(home, 'blobs-aside')
  return {
    ask: async (path: string) => {
      const reply = await fetch(origin + path)
      return { status: reply.status, text: await reply.text() }
    },
    /** Puts an empty folder in the place of the one with the files; answers what undoes it. */
    takeAway: async () => {
      await rename(folder, aside)
      await mkdir(folder)
      return async () => {
        await rm(folder, { recursive: true })
        await rename(aside, folder)
      }
    },
  }
}

describe.skipIf(bytesLieElsewhere() || !canMount())(
  'A home whose blobs/ is on a disk of its own',
  () => {
    it('takes large files, whole and in pieces, and gives them back', async () => {
      await using folder = await temporaryFolder()
      await mkdir(join(folder.path, 'blobs'))
      using _ = diskAt(join(folder.path, 'blobs'), '64m')
      await using daemon = await testDaemon({ home: folder.path })
      const ada = daemon.as('ada')
      const draft = await ada.createDraft({ title: 'Large' })

      expect((await ada.putObject(draft, 'a', large)).status).toBe(201)
      const url = await begun(ada, draft, { size: large.length })
      expect((await append(ada, url, 0, large)).status).toBe(204)

      const bucket = draft.links['bucket']?.split('/').at(-1)
      for (const key of ['a', 'a.bin']) {
        const { status, bytes } = await ada.get(`/files/${bucket}/${key}`)
        expect([status, bytes.equals(large)]).toEqual([200, true])
      }
      expect((await operateHere(daemon.home, ['check'])).status).toBe(0)
    })

    it('keeps a reserve on that disk too, and says when only that is left', async () => {
      await using folder = await temporaryFolder()
      const blobs = join(folder.path, 'blobs')
      await mkdir(blobs)
      using _ = diskAt(blobs, '24m')
      await using daemon = await testDaemon({ home: folder.path })
      const { ask } = around(daemon)
      const ada = daemon.as('ada')
      const draft = await ada.createDraft()
      const said = () =>
        daemon
          .warnings()
          .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
          .filter((text) => text.includes(folder.path))
      expect(await healthOf(ask)).toMatchObject({ status: 'ok' })

      const part = Buffer.alloc(2 * 1024 * 1024, 'x')
      const upload = await begun(ada, draft, { size: part.length })
      const bytes = Buffer.alloc(4 * 1024 * 1024, 'x')
      const keys: string[] = []
      let status = 201
      while (status === 201) {
        const key = `file-${keys.length}`
        status = (await ada.putObject(draft, key, bytes)).status
        if (status === 201) keys.push(key)
      }

      expect(status).toBe(507)
      expect((await append(ada, upload, 0, part)).status).toBe(507)
      const { bavail, bsize } = await statfs(blobs)
      expect(bavail * bsize).toBeGreaterThanOrEqual(3 * 1024 * 1024)
      expect((await begin(ada, draft, { size: bytes.length })).status).toBe(507)
      await expect.poll(() => healthOf(ask)).toMatchObject({ status: 'degraded', faults: ['disk'] })
      expect((await ask('/ready')).status).toBe(200)
      expect(said()).toEqual([
        `The disk of ${blobs} has only its reserve left: most files are refused`,
      ])
      const metrics = (await ask('/metrics')).text
      expect(metrics).toContain('\ndeposit_fault{part="disk"} 1\n')
      const [, free] = /^deposit_disk_free_bytes\{folder="blobs"\} (\d+)$/m.exec(metrics) ?? []
      expect(Number(free)).toBe(bavail * bsize)
      expect(metrics).toMatch(/^deposit_disk_free_bytes\{folder="home"\} \d/m)
      // Rows and small files are on the disk of the home.
      expect((await ada.putObject(draft, 'small', Buffer.from('x'))).status).toBe(201)

      for (const key of keys)
        expect((await ada.delete(`/deposits/${draft.id}/files/${key}`)).status).toBe(204)

      await expect.poll(() => healthOf(ask)).toMatchObject({ status: 'ok' })
      expect(said().slice(1)).toEqual([`${blobs} has room again`])
      expect((await ada.putObject(draft, 'after', bytes)).status).toBe(201)
      expect(await offsetOf(ada, upload)).toBe(String(part.length))
      expect(await ada.keys(draft)).toContain('a.bin')
    })
  },
)
