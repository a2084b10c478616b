import { fileURLToPath } from 'node:url'
import { run } from './timing.ts'

/** Requests over and over, by several connections at once. */
export interface Load {
  readonly url: string
  readonly seconds: number
  /** 32 where nothing else is said. */
  readonly connections?: number
  readonly token?: string
  /** JSON to POST; a GET where there is none. */
  readonly json?: object
}

const post = fileURLToPath(new URL('post.lua', import.meta.url))

/** Requests a second that were answered. @throws {Error} one was answered with a failure */
export async function requestRate(load: Load): Promise<number> {
  const { url, seconds, connections = 32, token, json } = load
  const shape = [`-c${connections}`, '-t1', `-d${seconds}s`, '--timeout', '60s']
  const signedIn = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`]
  const sent = json ? ['-s', post, url, '--', JSON.stringify(json)] : [url]
  const said = await run('wrk', [...shape, ...signedIn, ...sent])
  if (/Non-2xx|Socket errors/.test(said)) throw new Error(`${url}: ${said}`)
  return Number(/Requests\/sec:\s*([\d.]+)/.exec(said)?.[1])
}
