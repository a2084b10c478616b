import { chmod, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { actions } from '../../core/actions/registry.ts'
import { ownCommands } from '../../cli/server-advice.ts'
import { outline } from '../../cli/program/outline.ts'
import { ada, daemon, follow, inConflict, pathTo, run, write } from './advice/rig.ts'

// The daemon of its rows may have ended with an earlier test file of the same process.
vi.hoisted(() => vi.resetModules())

/** The user's fields of a draft. */
async function metadataOf(id: string): Promise<unknown> {
  const { metadata } = JSON.parse(await follow(`deposit show ${id} --json`)) as DepositBody
  return metadata
}

/** A draft and its record, which both changed the first creator. */
async function withConflictInList(): Promise<string> {
  const creators = [{ name: 'Ada', given_name: 'A' }, { name: 'Bob' }]
  const published = await ada.publish(await ada.createDraft({ title: 'Tides', creators }))
  const { id, links } = await ada.edit(published)
  const [, bob] = creators
  const curator = daemon.as('curator', { admin: true })
  const theirs = { title: 'Tides', creators: [{ name: 'Ada', given_name: 'C' }, bob] }
  await curator.put(links['record'] ?? '', theirs)
  const ours = [{ name: 'Eve' }, { name: 'Ada', given_name: 'B' }, bob]
  await ada.put(links['self'] ?? '', { title: 'Tides', creators: ours })
  return id
}

describe('deposit merge', () => {
  it.for([
    ['--ours', 'Ours'],
    ['--theirs', 'Theirs'],
  ])(
    '%s settles every conflict, and takes the other changes of the record',
    async ([way, title]) => {
      const { id } = await inConflict()

      const { status, stdout, stderr } = await run(`deposit merge ${id} ${way}`)

      expect({ status, stdout }).toEqual({ status: 0, stdout: `${id}\n` })
      expect(stderr).toBe(`Merged ${id} with revision 1 of its record\n`)
      expect(await metadataOf(id)).toMatchObject({ title, notes: 'theirs' })
      await follow(`deposit publish ${id}`)
    },
  )

  it('without a choice exits with 5, lists the conflicts and changes nothing', async () => {
    const { id } = await inConflict()
    const before = await metadataOf(id)

    const { status, stdout } = await run(`deposit merge ${id} --json`)

    expect(status).toBe(5)
    const sides = { field: '/title', base: 'Sea level', ours: 'Ours', theirs: 'Theirs' }
    const { error } = JSON.parse(stdout) as { readonly error: { readonly next: string } }
    expect(error).toMatchObject({ code: 'merge_conflict', status: 409, errors: [sides] })
    expect(error.next).toContain(`\`deposit merge ${id} --ours\``)
    expect(await metadataOf(id)).toEqual(before)
  })

  it('asks about each field on a terminal, beside its three values', async () => {
    const { id } = await inConflict({ title: 'Theirs', version: '2' })
    await follow(`deposit update ${id} --set version=1`)

    const stopped = await run(`deposit merge ${id}`, { isTyped: true, stdin: 't\ns\n' })
    expect(stopped.status).toBe(1)
    expect(stopped.stderr).toMatch(/\n *before +yours +theirs\n *"Sea level" +"Ours" +"Theirs"\n/)
    expect((await run(`deposit merge ${id}`, { isTyped: true, stdin: 't\n' })).status).toBe(130)
    expect(await metadataOf(id)).toMatchObject({ title: 'Ours', version: '1' })

    await follow(`deposit merge ${id}`, { isTyped: true, stdin: 't\nx\n\ny\n' })
    const merged = { title: 'Theirs', version: '1', notes: 'theirs' }
    expect(await metadataOf(id)).toMatchObject(merged)
  })

  it.for([
    ['--ours', [{ name: 'Eve' }, { name: 'Ada', given_name: 'B' }, { name: 'Bob' }]],
    ['--theirs', [{ name: 'Ada', given_name: 'C' }, { name: 'Bob' }]],
  ] as const)('%s settles a list with a conflict in it as a whole', async ([way, creators]) => {
    const id = await withConflictInList()

    await follow(`deposit merge ${id} ${way}`)

    expect(await metadataOf(id)).toMatchObject({ creators })
    await follow(`deposit publish ${id}`)
  })

  it('--theirs removes a field that the record has no longer', async () => {
    const { id } = await inConflict({})

    await follow(`deposit merge ${id} --theirs`)

    expect(await metadataOf(id)).not.toHaveProperty('title')
  })

  it('--edit shows the conflicts in the editor, and merges what was written', async () => {
    const { id } = await inConflict()
    const editWith = async (script: string) => {
      await write('editor', `#!/bin/sh\ncp "$1" ${pathTo('seen')}\n${script}\n`)
      await chmod(pathTo('editor'), 0o700)
      return run(`deposit merge ${id} --edit`, { environment: { EDITOR: pathTo('editor') } })
    }

    expect(await editWith('')).toMatchObject({ status: 5, stdout: '' })
    expect(await metadataOf(id)).toMatchObject({ title: 'Ours' })
    expect(await readFile(pathTo('seen'), 'utf8')).toMatch(
      /^#! Both .*\n#! \/title: .*before: "Sea level"; yours: "Ours"; theirs: "Theirs".*\ntitle: Ours\n/,
    )
    expect(await editWith('echo "title: Both" > "$1"')).toMatchObject({ status: 0 })
    expect(await metadataOf(id)).toMatchObject({ title: 'Both', notes: 'theirs' })
    await follow(`deposit publish ${id}`)
  })

  it('--edit keeps a text that could not be saved', async () => {
    const { id } = await inConflict()
    const { authorization } = await ada.authorization()
    const change = `curl -s -X PUT -H 'authorization: ${authorization}' --json '{"title":"Other"}'`
    const editor = `${change} ${daemon.url}/deposits/${id} >/dev/null && echo "title: Both" >`

    const outcome = await run(`deposit merge ${id} --edit`, { environment: { EDITOR: editor } })

    const [, file = ''] = /your text is kept in (\S+):/.exec(outcome.stderr) ?? []
    expect(outcome.status).toBe(5)
    expect(await readFile(file, 'utf8')).toBe('title: Both\n')
    expect(await metadataOf(id)).toMatchObject({ title: 'Other' })
    await rm(dirname(file), { recursive: true })
  })

  it('--dry-run tells the merge, and changes nothing', async () => {
    const { id } = await inConflict()
    const before = await metadataOf(id)

    const { status, stderr } = await run(`deposit merge ${id} --theirs --dry-run`)

    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `Would merge ${id}; nothing was changed\n`,
    })
    expect(await metadataOf(id)).toEqual(before)
  })

  it('says if the record has not changed', async () => {
    const { id } = await ada.edit(await ada.createPublished())

    const { status, stderr } = await run(`deposit merge ${id}`)

    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'Nothing to merge: the record has not changed since the edit\n',
    })
  })
})

it('messages name the command of each action that has one', () => {
  const names = new Set(outline.map(({ name }) => name))
  const own = Object.keys(actions).filter((name) => names.has(name))
  expect([...ownCommands].toSorted()).toEqual(own.toSorted())
})
