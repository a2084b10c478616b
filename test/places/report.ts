import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Place } from '../faults/place.ts'
import { readResults as readExperiments, type Result } from '../faults/results.ts'
import type { Counts } from './run-suite.ts'

/** The last run of each suite, by its name. */
export type Results = Readonly<Record<string, Compared>>

type Compared = Readonly<Record<Place, Counts>> & { readonly date: string }

/** Experiments that break the same promise at each place; where there is one daemon, none of several is killed. */
interface Pair {
  readonly what: string
  readonly home?: string
  readonly elsewhere: string
}

const experiments: readonly Pair[] = [
  { what: 'the daemon is killed', ...both('kill-loop') },
  { what: 'the daemon stands still', ...both('pauses') },
  { what: 'clients work on the same deposit', ...both('histories') },
  { what: 'what was written is looked for', ...both('found-at-once') },
  { what: 'what keeps the rows dies', home: 'power-cuts', elsewhere: 'database-away' },
  { what: 'what keeps the bytes fails', home: 'failing-calls', elsewhere: 'store-away' },
  { what: 'one of several daemons is killed', elsewhere: 'killed-daemons' },
]

function both(name: string): Omit<Pair, 'what'> {
  return { home: name, elsewhere: `${name} on postgres-s3` }
}

const json = fileURLToPath(new URL('results.json', import.meta.url))
/** The path of the report. */
export const markdown = fileURLToPath(new URL('RESULTS.md', import.meta.url))

export async function readResults(): Promise<Results> {
  const text = await readFile(json, 'utf8').catch(() => '{}')
  return JSON.parse(text) as Results
}

/** Keeps the results for machines and for people. */
export async function keepReport(results: Results): Promise<void> {
  await writeFile(json, `${JSON.stringify(results, undefined, 2)}\n`)
  await writeFile(markdown, toMarkdown(results, await readExperiments()))
}

/** The report on `results` and on the results of the experiments. */
export function toMarkdown(results: Results, tried: Readonly<Record<string, Result>>): string {
  const suites = Object.entries(results).map(
    ([name, { home, 'postgres-s3': elsewhere, date }]) =>
      `| \`${name}\` | ${counted(home)} | ${counted(elsewhere)} | ${date} |`,
  )
  const pairs = experiments.map(
    ({ what, home, elsewhere }) => `| ${what} | ${told(tried, home)} | ${told(tried, elsewhere)} |`,
  )
  return [
    '# The same tests in the home, and in PostgreSQL and S3',
    '',
    'Made by `npm run test:places`; `test/places/results.json` has the same for machines. A test is',
    'skipped where it does something to what the other place does not have, as the files of a folder.',
    '',
    '| tests | SQLite and a folder | PostgreSQL and S3 | when |',
    '|---|---|---|---|',
    ...suites,
    '',
    'What `npm run test:faults` did to either; `test/faults/RESULTS.md` has all the figures.',
    '',
    '| what is done | SQLite and a folder | PostgreSQL and S3 |',
    '|---|---|---|',
    ...pairs,
    '',
  ].join('\n')
}

function counted({ passed, failed, skipped, failures }: Counts): string {
  const named = failures.map((failure) => `<br>failed: ${failure}`).join('')
  return `${passed} passed, ${failed} failed, ${skipped} skipped${named}`
}

function told(tried: Readonly<Record<string, Result>>, name?: string): string {
  const result = name === undefined ? undefined : tried[name]
  if (name === undefined) return 'there is one daemon'
  if (!result) return `not run: ${name}`
  const figures = Object.entries(result.figures).map(([what, figure]) => `${what} ${figure}`)
  const held = result.failures.length === 0 ? 'held' : '**did not hold**'
  return `${name}: ${held}; ${figures.join(', ')}`
}
