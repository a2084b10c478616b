import { describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { Client } from './client.ts'
import { startDaemon } from './daemon.ts'
import { asked, listOfTen, searchFor } from './searches.ts'
import { FullText } from './full-text.ts'
import { quick } from './scale.ts'
import { Workshop } from './workshop.ts'

interface Found {
  readonly hits: { readonly total: number }
}

describe('a home that was filled with many deposits', () => {
  it('is as sound as one filled by requests, and finds the same as the reference', async () => {
    await using workshop = await Workshop.open(quick)
    await using stack = new AsyncDisposableStack()
    const home = await workshop.homeWith(3000)
    expect(await runDepositd(home.path, ['check'])).toMatchObject({ status: 0 })

    await using daemon = await startDaemon(home)
    using owner = new Client(home.token)
    using admin = new Client(home.adminToken)
    const total = async (client: Client, url: string) =>
      ((await client.json(url)) as Found).hits.total
    expect(await total(owner, listOfTen(daemon.url))).toBe(1000)
    expect(await total(admin, listOfTen(daemon.url))).toBe(3000)
    using reference = new FullText(await workshop.folder(stack), 3000)
    for (const query of asked.slice(0, 20)) {
      expect(await total(admin, searchFor(query, daemon.url)), query).toBe(reference.count(query))
    }
  })

  it('shows its records to everybody, where it was filled with records', async () => {
    await using workshop = await Workshop.open(quick)
    const home = await workshop.homeWith(300, 'records')
    await using daemon = await startDaemon(home)
    using visitor = new Client()
    expect(await visitor.json(`${daemon.url}/api/records/?size=1`)).toMatchObject({
      hits: { total: 300 },
    })
  })
})
