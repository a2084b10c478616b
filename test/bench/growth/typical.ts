import { timeEach, type Client } from '../client.ts'
import { smallDocument } from '../small-document.ts'
import { median } from '../statistics.ts'

/** The number of requests, lower for slow ones. */
const amount = { requests: 200, limitSeconds: 10 } as const

/** Seconds that a GET of one of these takes. */
export async function secondsOf(client: Client, urls: readonly string[]): Promise<number> {
  // The first request builds or loads what the others need.
  await client.time(urls[0] ?? '')
  return median(await timeEach(client, urls, amount)) / 1000
}

/** Seconds that a deposit takes to be created. @param origin of the daemon */
export function secondsToCreate(client: Client, origin: string): Promise<number> {
  return secondsToDo(() => client.time(`${origin}/api/deposits`, 'POST', smallDocument))
}

/** Seconds of what is done fifty times. @param act resolves to its milliseconds */
export async function secondsToDo(act: () => Promise<number>): Promise<number> {
  const times: number[] = []
  while (times.length < 50) times.push(await act())
  return median(times) / 1000
}
