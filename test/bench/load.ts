import { fileURLToPath } from 'node:url'
import { run } from './timing.ts'

/** A load of repeated requests on several connections. */
export interface Load {
  readonly url: string
  readonly seconds: number
  /** 32 by default. */
  readonly connections?: number
  readonly token?: string
  /** JSON to POST; without it the request is a GET. */
  readonly json?: object
}

/** A load of files that are sent into buckets. */
interface PutLoad extends Pick<Load, 'url' | 'seconds' | 'token'> {
  /** Of the buckets. */
  readonly paths: readonly string[]
}

const put = fileURLToPath(new URL('put.lua', import.meta.url))
const post = fileURLToPath(new URL('post.lua', import.meta.url))

/** Answered requests a second. @throws {Error} one was answered with a failure */
export async function requestRate(load: Load): Promise<number> {
  const { url, json } = load
  return rateOf(load, json ? ['-s', post, url, '--', JSON.stringify(json)] : [url])
}

/** Files of 4 KiB that are stored, a second. @throws {Error} one was answered with a failure */
export async function putRate({ paths, ...load }: PutLoad): Promise<number> {
  return rateOf(load, ['-s', put, load.url, '--', ...paths])
}

async function rateOf(load: Load, sent: readonly string[]): Promise<number> {
  const { url, seconds, connections = 32, token } = load
  const shape = [`-c${connections}`, '-t1', `-d${seconds}s`, '--timeout', '60s']
  const signedIn = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`]
  const said = await run('wrk', [...shape, ...signedIn, ...sent])
  if (/Non-2xx|Socket errors/.test(said)) throw new Error(`${url}: ${said}`)
  return Number(/Requests\/sec:\s*([\d.]+)/.exec(said)?.[1])
}
