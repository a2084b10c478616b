import { describe, expect, it } from 'vitest'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

const publish = ['--publish', '--yes'] as const
const names = ['Zenodo of today', 'Zenodo as documented', 'InvenioRDM'] as const
type Name = (typeof names)[number]

interface Shown {
  readonly id: string | number
  readonly metadata: object
  readonly links: Readonly<Record<string, string>>
}

/** A record that was pushed, and a person who changes it in the browser. */
async function begin(name: Name) {
  const under = remoteKinds[name]
  const there = await pushedFolder(under, await under.start())
  await there.write('a.csv', '1')
  await there.push(...publish)
  const [{ id }] = there.service.state() as readonly [{ readonly id: string }]
  const isRdm = under.kind === 'rdm'
  const at = (of: string | number): string =>
    isRdm ? `/api/records/${of}` : `/api/deposit/depositions/${of}`
  const draftAt = (of: string | number): string => `${at(of)}${isRdm ? '/draft' : ''}`
  const send = async (method: string, path: string, body?: string, type = 'application/json') => {
    const headers = {
      authorization: `Bearer ${under.token}`,
      ...(body && { 'content-type': type }),
    }
    const answer = await fetch(there.service.url + path, { method, headers, ...(body && { body }) })
    expect({ path, isFine: answer.ok }).toEqual({ path, isFine: true })
    return (await answer.json().catch(() => ({}))) as Shown
  }
  /** Notes, in the terms of the repository; all else as it is. */
  const enter = async (of: string | number): Promise<void> => {
    const shown = await send('GET', draftAt(of))
    const notes = isRdm
      ? { additional_descriptions: [{ description: 'Theirs', type: { id: 'notes' } }] }
      : { notes: 'Theirs' }
    const metadata = { publication_date: '2026-02-03', ...shown.metadata, ...notes }
    await send('PUT', draftAt(of), JSON.stringify(isRdm ? { ...shown, metadata } : { metadata }))
  }
  const edit = async (): Promise<void> => {
    await send('POST', isRdm ? draftAt(id) : `${at(id)}/actions/edit`)
    await enter(id)
    await send('POST', `${draftAt(id)}/actions/publish`)
  }
  /** @returns the identifier of the draft */
  const beginVersion = async (): Promise<string> => {
    const made = await send('POST', `${at(id)}/${isRdm ? 'versions' : 'actions/newversion'}`)
    const [, latest = made.id] = /\/(\d+)$/.exec(made.links['latest_draft'] ?? '') ?? []
    return String(isRdm ? made.id : latest)
  }
  return { there, edit, enter, beginVersion }
}

/** All that a service holds; a search is late by so many requests. */
const stateOf = ({ service }: PushedFolder): string => JSON.stringify(service.state())

const ofIn = (stderr: string): readonly string[] =>
  (/run `deposit (.*--of \S+)`/.exec(stderr)?.[1] ?? '').split(' ')

describe.each(names)('a record at %s whose metadata others have changed', (name) => {
  it('is not overwritten by a correction, but by one that names it', async () => {
    const { there, edit } = await begin(name)
    await using _ = there
    await edit()
    const before = stateOf(there)
    await there.describe('methods: Corrected\n')

    for (const more of [[], ['--dry-run']]) {
      const refused = await there.push(...publish, ...more)
      expect(refused.status).toBe(5)
      expect(refused.stderr).toContain('were changed there since the last push')
    }
    expect(stateOf(there)).toBe(before)
    const refused = await there.push(...publish)
    expect(await there.deposit(ofIn(refused.stderr))).toMatchObject({ status: 0 })
    expect(stateOf(there)).not.toContain('Theirs')
    // From then on, it is known again.
    await there.describe('methods: Corrected again\n')
    expect(await there.push(...publish)).toMatchObject({ status: 0 })
  })

  it('is not overwritten either where the draft was changed before it was published', async () => {
    const { there, enter } = await begin(name)
    await using _ = there
    await there.write('a.csv', '12')
    await there.push('--new-version')
    const items = there.service.state() as readonly { readonly id: string }[]
    await enter(items.at(-1)?.id ?? '')
    expect(await there.push(...publish, '--new-version')).toMatchObject({ status: 0 })
    expect(stateOf(there)).toContain('Theirs')
    await there.describe('methods: Corrected\n')

    expect(await there.push(...publish)).toMatchObject({ status: 5 })
    expect(stateOf(there)).toContain('Theirs')
  })
})

describe.each(names)('a new version at %s that others have begun', (name) => {
  it('is not taken over once somebody worked on it, but by a push that names it', async () => {
    const { there, enter, beginVersion } = await begin(name)
    await using _ = there
    const draft = await beginVersion()
    await enter(draft)
    const before = stateOf(there)
    await there.write('a.csv', '12')

    for (const more of [['--dry-run'], []]) {
      const refused = await there.push(...publish, '--new-version', ...more)
      expect(refused.status).toBe(5)
      expect(refused.stderr).toContain('a new version of it was begun there, and not by a push')
    }
    expect(stateOf(there)).toBe(before)
    const refused = await there.push(...publish, '--new-version')
    expect(await there.deposit(ofIn(refused.stderr))).toMatchObject({ status: 0 })
    expect(there.held()).toMatchObject([{ isPublished: true }, { isPublished: true }])
    expect(stateOf(there)).not.toContain('Theirs')
    await there.write('a.csv', '123')
    expect(await there.push(...publish, '--new-version')).toMatchObject({ status: 0 })
    expect(there.held()).toHaveLength(3)
  })

  it('is continued where it is as it was begun', async () => {
    const { there, beginVersion } = await begin(name)
    await using _ = there
    await beginVersion()
    await there.write('a.csv', '12')
    expect(await there.push(...publish, '--new-version')).toMatchObject({ status: 0 })
    expect(there.held()).toHaveLength(2)
  })
})
