import { afterAll, expect, it } from 'vitest'
import type { TrashBody } from '../../core/contract/history.ts'
import { maxBundleFiles } from '../../core/contract/uploads.ts'
import { form, formType } from '../support/form.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

/** More than two pieces of a list. */
const count = 1100

const names = Array.from({ length: count }, (_, at) => `${String(at).padStart(4, '0')}.csv`)

/** A draft all of whose files were deleted, with its trash. */
async function emptied() {
  const draft = await ada.createDraft()
  const { links } = draft
  for (let start = 0; start < count; start += maxBundleFiles) {
    const parts = names
      .slice(start, start + maxBundleFiles)
      .map((filename) => ({ name: 'file', filename, content: filename }))
    const sent = { body: form(...parts), headers: { 'content-type': formType } }
    expect((await ada.post(links['bundles'] ?? '', sent)).status).toBe(201)
  }
  for (let start = 0; start < count; start += 50) {
    const some = names.slice(start, start + 50)
    await Promise.all(some.map((name) => ada.delete(`/deposits/${draft.id}/files/${name}`)))
  }
  const trash = `/deposits/${draft.id}/trash`
  const list = async (query = ''): Promise<TrashBody> => bodyOf(await ada.get(trash + query), 200)
  return { draft, trash, list }
}

it('A large trash is listed in pages, and emptied a few files at a time', async () => {
  const { trash, list } = await emptied()
  const all = await list()
  expect(all.map(({ filename }) => filename).sort()).toEqual(names)
  const times = all.map(({ deleted, id }) => `${-Date.parse(deleted)} ${id}`)
  expect(all.every(({ deleted }, at) => at === 0 || deleted <= (all[at - 1]?.deleted ?? ''))).toBe(
    true,
  )
  expect(new Set(times).size).toBe(count)

  expect(await list('?size=10&page=3')).toEqual(all.slice(20, 30))
  expect(await list('?size=700&page=2')).toEqual(all.slice(700))
  expect(await list('?size=10&offset=2000')).toEqual([])
  const { headers } = await ada.get(`${trash}?size=10`)
  expect(headers.get('link')).toContain('rel="next"')
  const { headers: last } = await ada.get(`${trash}?size=1000&page=2`)
  expect(last.get('link')).not.toContain('rel="next"')

  const lengths: number[] = []
  let isDone = false
  const watch = async (): Promise<void> => {
    while (!isDone) lengths.push((await list()).length)
  }
  const watching = watch()
  expect((await ada.delete(trash)).status).toBe(204)
  isDone = true
  await watching
  expect(lengths.filter((length) => length > 0 && length < count)).not.toEqual([])
  expect(await list()).toEqual([])
})
