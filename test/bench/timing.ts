import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Seconds that `work` takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

/** Runs a program to its end. @throws {Error} it failed, with what it wrote to standard error */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [status]] = (await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    once(child, 'close'),
  ])) as [Buffer[], Buffer[], [number | null]]
  if (status === 0) return Buffer.concat(out).toString()
  throw new Error(`${program} ended with ${status}: ${Buffer.concat(err).toString()}`)
}

/** A load of 32 connections for three seconds. */
export interface Load {
  readonly url: string
  readonly folder: string
  readonly token?: string
  /** JSON to POST; a GET where there is none. */
  readonly json?: object
}

/** Requests a second that were answered well. */
export async function requestRate({ url, folder, token, json }: Load): Promise<number> {
  const script = join(folder, 'load.lua')
  const lines = [
    ...(json
      ? [`wrk.method = "POST"`, `wrk.body = ${JSON.stringify(JSON.stringify(json))}`]
      : [`wrk.method = "GET"`]),
    ...(json ? [`wrk.headers["Content-Type"] = "application/json"`] : []),
    ...(token === undefined ? [] : [`wrk.headers["Authorization"] = "Bearer ${token}"`]),
  ]
  await writeFile(script, lines.join('\n'))
  const said = await run('wrk', ['-c32', '-t1', '-d3s', '-s', script, url])
  if (/Non-2xx/.test(said)) throw new Error(`${url}: ${said}`)
  return Number(/Requests\/sec:\s*([\d.]+)/.exec(said)?.[1])
}
