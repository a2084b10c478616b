import { expect, it } from 'vitest'
import { RowThread } from '../../core/adapters/search/postgres/row-thread.ts'
import { toSearchRow } from '../../core/adapters/search/postgres/search-row.ts'
import { toIndexedDeposit } from '../../core/search/indexed-document.ts'
import { sampleDraft } from '../support/rows.ts'

it('makes the row of a large document off the event loop, with the same result as on it', async () => {
  await using rows = new RowThread()
  const words = Array.from({ length: 30_000 }, (_, index) => `word${index}`)
  const document = toIndexedDeposit(
    sampleDraft({ metadata: { title: words.join(' '), sizes: [1, 2.5, '2026-01-02'] } }),
    (path) => path,
  )
  let turns = 0
  const counting = setInterval(() => (turns += 1), 0)
  const [large, small] = await Promise.all([
    rows.make(document),
    rows.make({ ...document, document: { title: 'Sample' } }),
  ])
  clearInterval(counting)

  expect(large).toEqual(toSearchRow(document))
  expect(small).toEqual(toSearchRow({ ...document, document: { title: 'Sample' } }))
  expect(turns).toBeGreaterThan(2)
})
