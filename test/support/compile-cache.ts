import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const variable = 'TEST_COMPILE_CACHE'

/** Makes the folder that {@link compileCache} tells, for the whole run. */
export function setup(): void {
  process.env[variable] = mkdtempSync(join(tmpdir(), 'deposit-compiled-'))
}

export function teardown(): void {
  rmSync(process.env[variable] ?? '', { recursive: true, force: true })
}

/**
 * Lets a program that a test starts use what Node.js compiled of it for an earlier test. Not for
 * programs whose system calls are watched: Node.js writes that folder when they end.
 */
export function compileCache(): Readonly<Record<string, string>> {
  const folder = process.env[variable]
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
