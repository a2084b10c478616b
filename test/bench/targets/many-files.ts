import type { Bench, Links } from '../bench.ts'
import { seconds } from '../timing.ts'
import type { Target } from '../target.ts'

const many = 10_000
const few = 10

/** A draft with `count` files of a few bytes, sixteen uploads at a time. */
async function draftWith(bench: Bench, count: number): Promise<Links> {
  const links = await bench.draft()
  const headers = { authorization: `Bearer ${bench.token}` }
  let next = 0
  const sender = async (): Promise<void> => {
    while (next < count) {
      const url = `${links.bucket}/f${next++}`
      const answer = await fetch(url, { method: 'PUT', headers, body: 'x' })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  return links
}

async function act(bench: Bench, url: string): Promise<number> {
  const headers = { authorization: `Bearer ${bench.token}` }
  return seconds(async () => {
    const answer = await fetch(url, { method: 'POST', headers })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  })
}

/** The action on a deposit with many files, beside the same on one with few. */
function manyFiles(name: 'publish' | 'newversion'): Target {
  return {
    id: 'P15',
    what: `${name} with ${many} files ÷ with ${few}`,
    reach: { atMost: 20 },
    obstacle: () => undefined,
    round: async (bench) => {
      const [small, large] = [await draftWith(bench, few), await draftWith(bench, many)]
      const published = {
        reference: await act(bench, small.publish),
        measured: await act(bench, large.publish),
      }
      if (name === 'publish') return published
      return {
        reference: await act(bench, small.newversion),
        measured: await act(bench, large.newversion),
      }
    },
  }
}

export const publishMany = manyFiles('publish')
export const newVersionOfMany = manyFiles('newversion')
