import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

const own = { 'metadata.yaml': 'title: Low water\n', 'a.csv': '1' }
const both = { ...own, 'metadata.json': '{"title": "High water"}' }
const words = 'it has metadata.yaml and metadata.json'

const listed = async (): Promise<string> => (await deposit(['list', '--quiet'])).stdout

describe('a folder with two metadata files', () => {
  it.each([
    ['create', []],
    ['create', ['--title', 'Tides', '--publish']],
    ['check', []],
  ])('is refused by deposit %s %j, before anything is sent', async (command, options) => {
    await using folder = await temporaryFolder(both)
    const before = await listed()

    expectFailure(await deposit([command, folder.path, ...options]), 2, words)
    expect(await listed()).toBe(before)
  })

  it.each(['sync', 'diff'])('is refused by deposit %s, which changes nothing', async (command) => {
    await using folder = await temporaryFolder(own)
    const id = await newDraft(folder.path)
    const before = await read(id)
    await writeFile(join(folder.path, 'metadata.json'), both['metadata.json'])

    expectFailure(await deposit([command, folder.path, id]), 2, words)
    expect(await read(id)).toEqual(before)
  })

  it('is refused by deposit batch, with the row that names it', async () => {
    const files = { 'd/metadata.yaml': '{}', 'd/metadata.json': '{}', 'rows.csv': 'folder\nd\n' }
    await using folder = await temporaryFolder(files)
    const before = await listed()

    const outcome = await deposit(['batch', join(folder.path, 'rows.csv')])
    expectFailure(outcome, 2, `row 1: ${words}`)
    expect(await listed()).toBe(before)
  })

  it('is taken where --metadata names one; the other is a file of the deposit', async () => {
    await using folder = await temporaryFolder(both)
    const id = await newDraft(folder.path, '--metadata', join(folder.path, 'metadata.json'))

    expect(await read(id)).toMatchObject({ metadata: { title: 'High water' } })
    expect(await namesOf(id)).toEqual(['a.csv', 'metadata.yaml'])
  })
})
