import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import {
  createDeposits,
  createFiles,
  toFileKey,
  type DepositId,
  type Parts,
} from '../../core/index.ts'
import { coreParts, owner as caller } from '../support/core-parts.ts'

const key = toFileKey('a')

/** A draft with a file, on parts that roll back every unit of work at its end. */
async function draftOnBrokenParts(stack: AsyncDisposableStack) {
  const real = await coreParts(stack)
  const { id } = await createDeposits(real).create(caller, { title: 'Sea level' })
  const files = createFiles(real)
  await using staged = await files.stage({ caller, id }, Readable.from(['content']), {})
  await files.add({ caller, id }, key, staged)
  const read = async () => {
    const { version } = await files.find({ caller, id }, key)
    return text(await files.read(version))
  }
  return { id, read, broken: withoutCommit(real) }
}

function withoutCommit(parts: Parts): Parts {
  const write: Parts['database']['write'] = (work) =>
    parts.database.write(async (unit) => {
      await work(unit)
      throw new Error('The commit fails.')
    })
  return { ...parts, database: { ...parts.database, write } }
}

// Rows are removed before bytes: bytes without a row are garbage, a row without bytes is damage.
describe('The bytes of a deletion that is rolled back', () => {
  it.for<readonly [string, (parts: Parts, id: DepositId) => Promise<unknown>]>([
    ['a file', (parts, id) => createFiles(parts).remove({ caller, id }, key)],
    ['a deposit', (parts, id) => createDeposits(parts).remove(caller, id, true)],
  ])('are all there: %s', async ([, remove]) => {
    await using stack = new AsyncDisposableStack()
    const { id, read, broken } = await draftOnBrokenParts(stack)

    await expect(remove(broken, id)).rejects.toThrow('The commit fails.')
    expect(await read()).toBe('content')
  })
})
