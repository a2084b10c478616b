import { readFileSync, writeFileSync } from 'node:fs'
import { guards } from './guards.ts'

interface Result {
  /** The day it was tried: `2026-11-22`. */
  readonly day: string
  /** A test file, and a test of it that failed; null where none did. */
  readonly killedBy: string | null
}

/** By the names of the guards. */
type Results = Readonly<Record<string, Result>>

const path = new URL('results.json', import.meta.url)
const names: ReadonlySet<string> = new Set(guards.map(({ name }) => name))

export function readResults(): Results {
  return JSON.parse(readFileSync(path, 'utf8')) as Results
}

/** Keeps the outcome of one guard beside those of the others. */
export function keepResult(name: string, killedBy: string | null): void {
  const day = new Date().toISOString().slice(0, 10)
  const kept = Object.entries(readResults()).filter(([known]) => names.has(known))
  const results = { ...Object.fromEntries(kept), [name]: { day, killedBy } }
  writeFileSync(path, `${JSON.stringify(results, undefined, 2)}\n`)
  writeFileSync(new URL('RESULTS.md', import.meta.url), toMarkdown(results))
}

/** The table of all guards, with the test that holds each. */
export function toMarkdown(results: Results): string {
  const tried = guards.filter(({ name }) => results[name] !== undefined)
  const killed = tried.filter(({ name }) => results[name]?.killedBy)
  return [
    '# Guards and the tests that hold them',
    '',
    'Each guard was switched off alone, and the tests that should fail then were run:',
    '`npm run test:mutation` (`test/mutation/guards.ts` has the list).',
    '',
    `${guards.length} guards, ${tried.length} tried, ${killed.length} held by a test.`,
    '',
    '| rule | guard in | day | the test that fails without it |',
    '|---|---|---|---|',
    ...guards.map(({ name, file }) => {
      const { day = 'not yet', killedBy } = results[name] ?? {}
      return `| ${name} | \`${file}\` | ${day} | ${killedBy?.replaceAll('|', '\\|') ?? (killedBy === null ? '**none**' : '')} |`
    }),
    '',
  ].join('\n')
}
