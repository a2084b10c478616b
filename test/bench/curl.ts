import { run } from './timing.ts'

const silent = ['--silent', '--show-error', '--fail', '--output', '/dev/null'] as const

/** Runs curl, which discards the answer. @throws {Error} the answer was a failure */
export async function curl(...args: readonly string[]): Promise<void> {
  await run('curl', [...silent, ...args])
}

/** The same with a token. */
export function curlAs(token: string, ...args: readonly string[]): Promise<void> {
  return curl('-H', `Authorization: Bearer ${token}`, ...args)
}

/**
 * Sends a file with PUT.
 *
 * @returns seconds of the transfer, without the start of curl, which would hide those of small files
 */
export async function timedPut(file: string, url: string, token?: string): Promise<number> {
  return timed(token, '-T', file, url)
}

/** Fetches a file, or a range of it (`0-99`); resolves to the seconds, as `timedPut` does. */
export async function timedGet(url: string, token?: string, range?: string): Promise<number> {
  return timed(token, ...(range === undefined ? [] : ['-r', range]), url)
}

async function timed(token: string | undefined, ...args: readonly string[]): Promise<number> {
  const signedIn = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`]
  const all = [...silent, '--write-out', '%{time_total}', ...signedIn, ...args]
  return Number(await run('curl', all))
}
