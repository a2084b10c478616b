/**
 * Switches off the guards of `guards.ts`, each alone in a copy of the checkout, and runs the tests
 * that should fail then. The outcome is kept in `results.json`, and shown in `RESULTS.md`.
 *
 *     npm run test:mutation               every guard
 *     npm run test:mutation -- TEXT…      those whose name or file has one of the texts in it
 *     npm run test:mutation -- --jobs N   so many at a time
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { inParallel } from '../../core/base/in-parallel.ts'
import { guards, type Guard } from './guards.ts'
import { keepResult, readResults } from './results.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'deposit-mutation-'))
const { values, positionals: texts } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: '1' } },
})
const chosen = guards.filter(
  ({ name, file }) =>
    texts.length === 0 || texts.some((text) => name.includes(text) || file.includes(text)),
)
const sound = new Map<string, Promise<boolean>>()
/** The longest that one test file may take. */
const mostMs = 600_000
let copies = 0

try {
  await inParallel(chosen, Number(values.jobs), () => {
    const copy = copyTree()
    return async (guard) => {
      const killedBy = await findKiller(copy, guard)
      keepResult(guard.name, killedBy)
      process.stdout.write(`${killedBy ? 'killed  ' : 'SURVIVES'} ${guard.file}: ${guard.name}\n`)
    }
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const results = readResults()
if (chosen.some(({ name }) => !results[name]?.killedBy)) process.exitCode = 1

function copyTree(): string {
  const copy = join(folder, String((copies += 1)))
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  for (const file of tracked.split('\0').filter(Boolean)) cpSync(join(root, file), join(copy, file))
  for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(copy, name))
  return copy
}

/** The first test that fails without the guard, and passes with it. */
async function findKiller(copy: string, { file, text, off, tests }: Guard): Promise<string | null> {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  for (const test of tests) {
    writeFileSync(
      path,
      source.replace(text, () => off),
    )
    const [failed] = await failuresIn(copy, test)
    writeFileSync(path, source)
    if (failed === undefined) continue
    sound.set(test, sound.get(test) ?? failuresIn(copy, test).then(({ length }) => length === 0))
    if (await sound.get(test)) return `${test}: ${failed}`
    throw new Error(`${test} fails with every guard on`)
  }
  return null
}

interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

async function failuresIn(copy: string, test: string): Promise<readonly string[]> {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const args = ['run', '--config', 'test/vitest.config.ts', '--bail=1', '--reporter=json']
  // A process group of its own: a test that never ends is killed with all that it started.
  const child = spawn(process.execPath, [vitest, ...args, `--outputFile=${report}`, test], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  })
  const limit = setTimeout(() => process.kill(-(child.pid ?? process.pid), 'SIGKILL'), mostMs)
  await once(child, 'exit')
  clearTimeout(limit)
  if (!existsSync(report)) return [`it does not end within ${mostMs / 60_000} minutes`]
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  return testResults.flatMap(({ status, message, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed')
    if (failed.length > 0) return failed.map(({ fullName }) => fullName)
    return status === 'failed' ? [message.split('\n')[0] ?? ''] : []
  })
}
