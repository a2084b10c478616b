import { describe, expect, it } from 'vitest'
import { doiDaemon, doiOf } from '../support/doi-daemon.ts'

/** Registrations that are sent at the same time, at least. */
const atOnce = 8

describe('registering DOIs', () => {
  it('sends eight at a time to a DataCite that takes long to answer', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const all = Promise.withResolvers<undefined>()
    let arrived = 0
    datacite.fault = () => {
      arrived += 1
      if (arrived === atOnce) all.resolve(undefined)
      return all.promise
    }
    const ada = daemon.as('ada')
    // A record and its concept have a DOI each.
    const published = await Promise.all(Array.from({ length: atOnce }, () => ada.createPublished()))
    for (const each of published) await doiOf(ada, each, 'registered')
    // None of them was given up and sent again.
    expect(datacite.requests).toHaveLength(2 * atOnce)
  })

  it('goes on with others while one is not answered', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite } = fixture
    const late = Promise.withResolvers<undefined>()
    let [isFirst, isGivenUp] = [true, false]
    datacite.fault = ({ socket }) => {
      if (!isFirst) return undefined
      isFirst = false
      socket.once('close', () => (isGivenUp = true))
      return late.promise
    }
    const ada = daemon.as('ada')
    const first = await ada.createPublished()
    await expect.poll(() => datacite.requests.length).toBeGreaterThan(1)
    for (let n = 0; n < atOnce; n += 1) await doiOf(ada, await ada.createPublished(), 'registered')
    expect(isGivenUp).toBe(false)
    late.resolve(undefined)
    await doiOf(ada, first, 'registered')
  })
})
