import { Readable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../core/access/caller.ts'
import { actionsScope, writeScope, type Scope } from '../../core/contract/scopes.ts'
import type { FileId } from '../../core/files/file.ts'
import type { DraftDeposit } from '../../core/deposit/deposit.ts'
import { createDeposits, createFiles, createTrash, runAction, toFileKey } from '../../core/index.ts'
import { coreParts, owner } from '../support/core-parts.ts'
import { bob } from '../support/rows.ts'

// The guards of the routes check the same before a body is read. By then their result may be out of
// date, and not every caller is a route, so each use case checks again in its unit of work.

await using cleanUp = new AsyncDisposableStack()
const parts = await coreParts(cleanUp)
const stack = cleanUp.move()
afterAll(() => stack.disposeAsync())

const deposits = createDeposits(parts)
const files = createFiles(parts)
const trash = createTrash(parts)
const key = toFileKey('a')

const withScopes = (...scopes: readonly Scope[]): Caller => ({ ...owner, scopes: new Set(scopes) })

interface Asked {
  readonly caller: Caller
  readonly id: DraftDeposit['id']
  readonly expected?: readonly number[]
}

type UseCase = readonly [name: string, scope: Scope, run: (asked: Asked) => Promise<unknown>]

const staged = () => files.stage({ caller: owner, id: draft.id }, Readable.from(['b']), {})

const useCases: readonly UseCase[] = [
  ['replace', writeScope, ({ caller, id, expected }) => deposits.replace(caller, id, {}, expected)],
  ['patch', writeScope, ({ caller, id, expected }) => deposits.patch(caller, id, [], expected)],
  ['delete', writeScope, ({ caller, id, expected }) => deposits.remove(caller, id, true, expected)],
  [
    'upload',
    writeScope,
    async (asked) => {
      await using bytes = await staged()
      return await files.add(asked, toFileKey('b'), bytes)
    },
  ],
  [
    'upload of a version',
    writeScope,
    async (asked) => {
      await using bytes = await staged()
      return await files.put(asked, key, bytes)
    },
  ],
  ['sort', writeScope, (asked) => files.sort(asked, [])],
  ['rename', writeScope, (asked) => files.rename(asked, key, toFileKey('c'))],
  ['removal of a file', writeScope, (asked) => files.remove(asked, key)],
  ['undo', writeScope, (asked) => runAction(parts, { ...asked, name: 'undo' })],
  ['return of a deleted file', writeScope, (asked) => trash.restore(asked, deleted)],
  ['removal of a deleted file', writeScope, (asked) => trash.remove(asked, deleted)],
  ['removal of all deleted files', writeScope, (asked) => trash.empty(asked)],
  ['publish', actionsScope, (asked) => runAction(parts, { ...asked, name: 'publish' })],
]

const draft = await deposits.create(owner, { title: 'Sea level' })
{
  await using bytes = await staged()
  await files.add({ caller: owner, id: draft.id }, key, bytes)
}
const deleted = await deleteAnother()
const before = await stateOf()

describe('A use case that is called without the guards of its route', () => {
  it.for(useCases)('%s: refuses callers without the permission', async ([, scope, run]) => {
    const { id } = draft
    const otherScope = scope === writeScope ? actionsScope : writeScope
    const refused = [
      { asked: { caller: 'anonymous' as const, id }, code: 'unauthenticated' },
      { asked: { caller: { ...owner, user: bob }, id }, code: 'permission_denied' },
      { asked: { caller: withScopes(otherScope), id }, code: 'insufficient_scope' },
      { asked: { caller: { ...owner, onlyDeposit: 'another' }, id }, code: 'permission_denied' },
      { asked: { caller: owner, id, expected: [0] }, code: 'stale_revision' },
    ]
    for (const { asked, code } of refused) {
      await expect(run(asked)).rejects.toMatchObject({ code })
    }
    expect(await stateOf()).toEqual(before)
  })
})

async function stateOf() {
  const found = await deposits.get(owner, draft.id)
  const trashed: unknown[] = []
  for await (const each of trash.list(found, 0)) trashed.push(each)
  return { found, files: await files.list(found), trash: trashed }
}

async function deleteAnother(): Promise<FileId> {
  const asked = { caller: owner, id: draft.id }
  await using bytes = await staged()
  const { answer } = await files.add(asked, toFileKey('deleted'), bytes)
  await files.remove(asked, answer.key)
  return answer.id
}
