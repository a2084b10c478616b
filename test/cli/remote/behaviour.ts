import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { md5 } from '../../support/md5.ts'
import type { Held, KindUnderTest } from '../../support/remote-kinds.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { runCli, type Outcome } from '../../support/run-cli.ts'
import type { Faults } from '../../support/services/faults.ts'
import type { FakeService } from '../../support/services/service.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'

const allFaults = {
  draft: ['error', 'html', 'lostAnswer', 'cutRequest'],
  version: ['gatewayTimeout', 'brokenJson'],
} as const
const fewerFaults = { draft: ['lostAnswer'], version: ['gatewayTimeout'] } as const

const whole = `title: Tides at the pier
creators:
  - name: Carberry, Josiah
    orcid: 0000-0002-1825-0097
description: Levels every minute.
publication_date: 2026-01-02
resource_type: dataset
license: CC-BY-4.0
keywords: [tide]
`

/** What every kind of repository does, held against a service that stands in for it. */
export function behavesAsRepository(name: string, under: KindUnderTest): void {
  const faults = under.isVariant ? fewerFaults : allFaults
  let service: FakeService
  let place: TemporaryFolder
  let number = 0

  beforeAll(async () => {
    place = await temporaryFolder()
  })
  afterAll(async () => {
    if (number > 0) await service[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  /** A new service and a new folder with three files. */
  async function begin(metadata = whole): Promise<string> {
    if (number > 0) await service[Symbol.asyncDispose]()
    service = await under.start()
    number += 1
    const dir = join(place.path, `set ${number}`)
    await mkdir(dir)
    await writeFile(join(dir, 'metadata.yaml'), metadata + (under.metadata ?? ''))
    await writeFile(join(dir, 'a b.csv'), `1,${number}\n`)
    await writeFile(join(dir, 'Übung.txt'), 'levels\n')
    await writeFile(join(dir, 'large.bin'), Buffer.alloc(700_000, number))
    const added = await deposit(dir, [
      'remote',
      'add',
      'there',
      '--replace',
      `--kind=${under.kind}`,
      `--url=${service.url}`,
      ...(under.options ?? []),
    ])
    expect(added.stderr).toContain('Added')
    return dir
  }

  function deposit(folder: string, args: readonly string[]): Promise<Outcome> {
    return runCli(args, { folder, stdin: under.token })
  }

  const push = (dir: string, ...options: readonly string[]): Promise<Outcome> =>
    deposit(dir, ['push', '--to', 'there', ...options])

  const held = (): readonly Held[] => under.held(service.state())

  async function filesHere(dir: string, names = ['a b.csv', 'Übung.txt', 'large.bin']) {
    const files = await Promise.all(
      names.map(async (name) => [name, md5(await readFile(join(dir, name)))] as const),
    )
    return Object.fromEntries(files)
  }

  const asked = (pattern: RegExp): number =>
    service.requests.filter(({ method, path }) => pattern.test(`${method} ${path}`)).length

  describe(`a push to ${name}`, () => {
    it('makes one draft with the files as they are here, and prints its address', async () => {
      const dir = await begin()
      const { stdout, status } = await push(dir)

      expect(status).toBe(0)
      expect(stdout).toMatch(/^http:\S+\n$/)
      expect(held()).toEqual([
        { isPublished: false, access: 'public', files: await filesHere(dir) },
      ])
    })

    it('run again sends nothing that is there', async () => {
      const dir = await begin()
      await push(dir)
      const before = asked(under.sendsBytes)
      const { stderr } = await push(dir)

      expect(asked(under.sendsBytes)).toBe(before)
      expect(stderr).toContain('3 files there already')
      expect(held()).toHaveLength(1)
    })

    it('publishes once, and prints the address of the DOI alone', async () => {
      const dir = await begin()
      const first = await push(dir, '--publish', '--yes')
      const second = await push(dir, '--publish', '--yes')

      expect(first.stdout).toMatch(/^https:\/\/doi\.org\/10\.\S+\n$/)
      expect(second.stdout).toBe(first.stdout)
      const published = service.requests.filter(
        ({ method, path, status = 0 }) => status < 300 && under.publishes.test(`${method} ${path}`),
      )
      expect(published).toHaveLength(1)
      expect(held()).toEqual([{ isPublished: true, access: 'public', files: await filesHere(dir) }])
    })

    it('asks for --new-version once the folder differs, and sends the file that changed', async () => {
      const dir = await begin()
      await push(dir, '--publish', '--yes')
      await appendFile(join(dir, 'a b.csv'), 'more\n')
      const refused = await push(dir, '--publish', '--yes')
      expect(refused.status).toBe(5)
      expect(refused.stderr).toContain('--new-version')

      const sent = asked(under.sendsBytes)
      const next = await push(dir, '--publish', '--yes', '--new-version')
      expect(next.stderr).toContain('2 files there already')
      expect(next.status).toBe(0)
      expect(asked(under.sendsBytes) - sent).toBeLessThanOrEqual(2)
      expect(held().map(({ files }) => files)).toContainEqual(await filesHere(dir))
      const again = await push(dir, '--publish', '--yes', '--new-version')
      expect(again.stdout).toBe(next.stdout)
    })

    it('brings a draft up to date: files that changed, came and went', async () => {
      const dir = await begin()
      await push(dir)
      await rm(join(dir, 'Übung.txt'))
      await writeFile(join(dir, 'new.txt'), 'new')
      await writeFile(join(dir, 'large.bin'), Buffer.alloc(700_000, 99))
      await push(dir)

      const files = await filesHere(dir, ['a b.csv', 'large.bin', 'new.txt'])
      expect(held()).toEqual([{ isPublished: false, access: 'public', files }])
    })

    it('only asks in a dry run', async () => {
      const dir = await begin()
      const { stdout, status } = await push(dir, '--dry-run')

      expect(status).toBe(0)
      expect(stdout).toContain('a b.csv\t4 B\tsend\tit is new')
      expect(service.requests.every(({ method }) => method === 'GET')).toBe(true)
    })

    it('refuses or takes folders and empty files, as the repository does', async () => {
      const dir = await begin()
      await mkdir(join(dir, 'sub'))
      await writeFile(join(dir, 'sub/deep.txt'), 'deep')
      await writeFile(join(dir, 'empty.txt'), '')
      const { status, stderr } = await push(dir)

      expect(status).toBe(under.hasFolders ? 0 : 1)
      if (!under.hasFolders) {
        expect(stderr).toContain('--flatten zip')
        expect(held()).toEqual([])
        await push(dir, '--flatten', 'dash')
      }
      const files = held()[0]?.files ?? {}
      const deep = under.hasFolders ? 'sub/deep.txt' : 'sub-deep.txt'
      expect(files[deep]).toBe(md5(Buffer.from('deep')))
      expect('empty.txt' in files).toBe(under.takesEmptyFiles)
    })

    it.each([
      ['embargoed', 'access: {files: restricted, until: 2099-01-01}\n'],
      ['restricted', 'access: {files: restricted, reason: Names of persons}\n'],
    ])('never makes a work public that is %s', async (access, line) => {
      const dir = await begin(whole + line)
      const { status } = await push(dir, '--publish', '--yes')

      const [found] = held()
      if (status === 0) expect(found?.access).toBe(access)
      else expect(found).toBeUndefined()
    })

    it.each(faults.draft)('ends right with a third of the answers gone wrong: %s', async (kind) => {
      const dir = await begin()
      service.misbehave({ seed: 7, shares: { [kind]: 0.33 }, retryAfter: 0 } satisfies Faults)
      await pushUntilDone(dir, '--publish', '--yes')

      expect(held()).toEqual([{ isPublished: true, access: 'public', files: await filesHere(dir) }])
    })

    it.each(faults.version)(
      'makes one new version with a third of the answers gone wrong: %s',
      async (kind) => {
        const dir = await begin()
        await push(dir, '--publish', '--yes')
        await appendFile(join(dir, 'a b.csv'), 'more\n')
        service.misbehave({ seed: 3, shares: { [kind]: 0.33 }, retryAfter: 0 })
        await pushUntilDone(dir, '--publish', '--yes', '--new-version')

        expect(held().length).toBeLessThanOrEqual(2)
        expect(held().every(({ isPublished }) => isPublished)).toBe(true)
        expect(held().at(-1)?.files).toEqual(await filesHere(dir))
      },
    )

    it('waits as long as the repository asks', async () => {
      const dir = await begin()
      service.misbehave({ next: ['none', 'tooMany'], retryAfter: 1 })
      const { status } = await push(dir)

      expect(status).toBe(0)
      expect(held()).toHaveLength(1)
    })

    it('has the words and the request of the repository in its failures, and never the token', async () => {
      const dir = await begin()
      const { stderr, status } = await runCli(['push', '--to', 'there'], {
        folder: dir,
        environment: { DEPOSIT_REMOTE_THERE_TOKEN: 'wrong-token' },
      })

      expect(status).toBe(4)
      expect(stderr).toMatch(/answers 40[13]: \S/)
      expect(stderr).not.toContain('wrong-token')
      expect(held()).toEqual([])
    })

    it('records its traffic for a report, without the token', async () => {
      const dir = await begin()
      const log = join(place.path, `log ${number}.jsonl`)
      await push(dir, '--record', log)

      const text = await readFile(log, 'utf8')
      expect(text.split('\n').filter(Boolean).length).toBeGreaterThan(3)
      expect(text).not.toContain(under.token)
      expect((await stat(log)).mode & 0o077).toBe(0)
    })

    it('gives back as a draft what was pushed, with every file verified', async () => {
      const dir = await begin()
      const { stdout } = await push(dir, '--publish', '--yes', '--json')
      const { remote } = JSON.parse(stdout) as { readonly remote: { readonly id: string } }
      await using daemon = await testDaemon()
      const ada = daemon.as('ada')
      const { authorization = '' } = await ada.authorization()
      const own = {
        DEPOSIT_URL: daemon.origin,
        DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
      }
      const run = (...args: readonly string[]): Promise<Outcome> =>
        runCli(args, { folder: place.path, environment: own })
      service.misbehave({ seed: 2, shares: { cutAnswer: 0.2 } })
      const pulled = await run('pull', `there:${remote.id}`, '--json')
      const again = await run('pull', `there:${remote.id}`, '--json')

      expect(pulled.stderr).toContain('3 files')
      const draft = JSON.parse(pulled.stdout) as DepositBody
      expect((JSON.parse(again.stdout) as DepositBody).id).toBe(draft.id)
      const metadata: Readonly<Record<string, unknown>> = draft.metadata
      const { title, creators, license, related_identifiers: related } = metadata
      expect({ title, license }).toEqual({ title: 'Tides at the pier', license: 'CC-BY-4.0' })
      expect(JSON.stringify(creators)).toContain('0000-0002-1825-0097')
      expect(JSON.stringify(related)).toContain('IsIdenticalTo')
      const files = await ada.files(draft)
      expect(files.map(({ filename }) => filename).toSorted()).toEqual(
        ['a b.csv', 'large.bin', 'Übung.txt'].toSorted(),
      )
      const out = join(place.path, `copy ${number}`)
      await run('download', draft.id, '--output', out)
      expect(await filesHere(out)).toEqual(await filesHere(dir))
    })

    async function pushUntilDone(dir: string, ...options: readonly string[]): Promise<void> {
      const failures: string[] = []
      for (let attempt = 0; attempt < 200; attempt += 1) {
        // Every fifth run asks again by itself, and waits before it does.
        const retries = attempt % 5 === 4 ? '1' : '0'
        const { status, stderr } = await push(dir, '--retries', retries, ...options)
        if (status === 0) return
        failures.push(stderr)
      }
      throw new Error(failures.slice(-3).join('\n'))
    }
  })
}
