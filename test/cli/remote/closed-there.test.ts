import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

const publish = ['--publish', '--yes'] as const
const closing = ['Zenodo of today', 'Zenodo as documented', 'InvenioRDM'] as const
const until = 'access: {files: restricted, until: 2999-01-01}\n'

async function begin(name: keyof typeof remoteKinds, metadata: string): Promise<PushedFolder> {
  const under = remoteKinds[name]
  const there = await pushedFolder(under, await under.start())
  await there.write('a.csv', '1')
  await there.describe(metadata)
  return there
}

const changesOf = ({ service }: PushedFolder, from: number) =>
  service.requests.slice(from).filter(({ method }) => method !== 'GET')

describe('files that are closed at a repository', () => {
  it.each(closing)('are not opened by a correction that says nothing of them: %s', async (name) => {
    await using there = await begin(name, until)
    await there.push(...publish)
    await there.describe('notes: Corrected\n')
    const from = there.service.requests.length

    const refused = await there.push(...publish)
    const rehearsed = await there.push(...publish, '--dry-run')
    expect(refused.status).toBe(5)
    expect(rehearsed.status).toBe(5)
    expect(refused.stderr).toContain('the files are not public there until 2999-01-01')
    expect(changesOf(there, from)).toEqual([])

    // What the message says to write.
    const [, open = '', closed = ''] = /`(access: .*?)`.*`(access: .*?)`/.exec(refused.stderr) ?? []
    await there.describe(`notes: Corrected\n${closed}\n`)
    expect(await there.push(...publish)).toMatchObject({ status: 0 })
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'embargoed' }])
    await there.describe(`notes: Corrected\n${open}\n`)
    const planned = await there.push(...publish, '--dry-run')
    const opened = await there.push(...publish)
    expect(planned.stderr).toContain('The files become public: they are closed there until 2999')
    expect(opened.stderr).toContain('The files become public')
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'public' }])
  })

  it.each([...closing, 'Dataverse'] as const)(
    'are not opened by a draft that is brought up to date, or by a new version: %s',
    async (name) => {
      await using there = await begin(name, 'access: {files: restricted, reason: Names}\n')
      await there.push()
      await there.describe()
      const from = there.service.requests.length
      expect(await there.push()).toMatchObject({ status: 5 })
      expect(changesOf(there, from)).toEqual([])

      await there.describe('access: {files: restricted, reason: Names}\n')
      await there.push(...publish)
      await there.describe()
      await there.write('a.csv', '12')
      const version = await there.push(...publish, '--new-version')
      expect(version.status).toBe(5)
      expect(version.stderr).toContain('the files are not public there')
      expect(there.held()).toMatchObject([{ isPublished: true, access: 'restricted' }])

      await there.describe('access: {files: public}\n')
      expect(await there.push(...publish, '--new-version')).toMatchObject({ status: 0 })
      expect(there.held().at(-1)).toMatchObject({ isPublished: true, access: 'public' })
    },
  )

  it('are not opened by a row of a batch whose cell is empty by now', async () => {
    await using there = await begin('Zenodo of today', '')
    const head =
      'key,title,files,creators,publication_date,resource_type,license,description,access:'
    const row = 'k1,One,a.csv,Ada,2026,dataset,CC0-1.0,Levels'
    const table = join(there.dir, '../rows.csv')
    const batch = (...more: readonly string[]) =>
      there.deposit(['batch', '../rows.csv', '--to', 'there', ...publish, ...more])
    await there.write('../a.csv', '1')
    await writeFile(table, `${head}\n${row},"{""files"": ""restricted""}"\n`)
    expect(await batch()).toMatchObject({ status: 0 })
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'restricted' }])
    await writeFile(table, `${head}\n${row},\n`)

    for (const more of [['--update'], ['--update', '--dry-run']]) {
      const refused = await batch(...more)
      expect(refused.status).toBe(5)
      expect(refused.stderr).toContain('the files are not public there')
    }
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'restricted' }])

    await writeFile(table, `${head}\n${row},"{""files"": ""public""}"\n`)
    expect(await batch('--update')).toMatchObject({ status: 0 })
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'public' }])
  })

  it.each(closing)('open on another day only with a line that says so: %s', async (name) => {
    await using there = await begin(name, until)
    await there.push(...publish)

    await there.describe('access: {files: restricted, until: 2998-01-01}\n')
    const sooner = await there.push(...publish, '--dry-run')
    await there.describe('access: {files: restricted}\n')
    const never = await there.push(...publish, '--dry-run')
    await there.push(...publish)
    await there.describe(until)
    const known = await there.push(...publish)

    expect(sooner.stderr).toContain(
      'The files become public on 2998-01-01: they are closed there until 2999-01-01',
    )
    expect(never.stderr).toContain('stay closed without an end: they are closed there until 2999')
    expect(known.stderr).toContain(
      'become public on 2999-01-01: they are closed there without an end',
    )
    expect((await there.push(...publish)).stderr).not.toContain('The files')
  })

  it('are public from the beginning where their day is past, with a warning', async () => {
    await using there = await begin(
      'Zenodo of today',
      'access: {files: restricted, until: 2020-01-01}\n',
    )
    const first = await there.push(...publish)
    expect(first.status).toBe(0)
    expect(first.stderr).toContain('warning: /access/until: until is 2020-01-01, which is past')

    await there.describe('notes: x\naccess: {files: restricted, until: 2020-01-01}\n')
    expect((await there.push(...publish)).stderr).not.toContain('which is past')
  })

  it('open by themselves when their embargo is over, and may be corrected then', async () => {
    await using there = await begin('Zenodo of today', '')
    await there.push(...publish)
    await there.describe('notes: Corrected\naccess: {files: restricted, until: 2020-01-01}\n')
    expect(await there.push(...publish)).toMatchObject({ status: 0 })
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'public' }])
  })
})
