import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Place } from '../faults/place.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { Suite } from './suites.ts'

/** The outcome of a suite at a place. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  /** Of what is about the other place, or what is not installed. */
  readonly skipped: number
  /** Full names of those that failed. */
  readonly failures: readonly string[]
}

/** The report of vitest, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const project = fileURLToPath(new URL('../..', import.meta.url))
const vitest = join(project, 'node_modules/vitest/vitest.mjs')

/** Environment that makes the daemons of the tests keep rows and bytes at a place. */
const environments: Readonly<Record<Place, NodeJS.ProcessEnv>> = {
  home: {},
  'postgres-s3': { TEST_DATABASE: 'postgres', TEST_STORAGE: 's3' },
}

/**
 * Options of vitest at a place. The object store of the tests is one process of one thread: it keeps
 * several files of tests at once waiting until they give up.
 */
const options: Readonly<Record<Place, readonly string[]>> = {
  home: [],
  'postgres-s3': ['--no-file-parallelism'],
}

/** Runs a suite at a place. */
export function runSuite({ files }: Suite, place: Place): Promise<Counts> {
  return runTests([...options[place], ...files[place]], environments[place])
}

/**
 * Runs tests; what they say goes to standard error.
 *
 * @param files their names, and options of vitest
 */
export async function runTests(
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Counts> {
  await using folder = await temporaryFolder()
  const output = join(folder.path, 'report.json')
  const reporters = ['--config', 'test/vitest.config.ts', '--reporter=dot', '--reporter=json']
  const args = [vitest, 'run', ...reporters, `--outputFile.json=${output}`, ...files]
  const child = spawn(process.execPath, args, {
    cwd: project,
    env: { ...process.env, ...environment },
    stdio: ['ignore', process.stderr, process.stderr],
  })
  await once(child, 'exit')
  return count(JSON.parse(await readFile(output, 'utf8')) as Report)
}

/** A file that does not load has failed, though it has no tests. */
function count({ testResults }: Report): Counts {
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.filter(({ status }) => status === 'failed')
  const failures = [
    ...failed.map(({ fullName }) => fullName),
    ...unloaded.map(({ name }) => relative(project, name)),
  ]
  const passed = tests.filter(({ status }) => status === 'passed').length
  return {
    passed,
    failed: failures.length,
    skipped: tests.length - passed - failed.length,
    failures,
  }
}
