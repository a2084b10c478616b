import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Outcome } from './experiment.ts'
import { quoteFigures } from './promise.ts'

/** The last run of an experiment. */
export interface Result extends Outcome {
  readonly claim: string
  /** The command that repeats it. */
  readonly command: string
  readonly date: string
  readonly seconds: number
  readonly node: string
  readonly kernel: string
}

/** The last run of each experiment, by name. */
export type Results = Readonly<Record<string, Result>>

const json = fileURLToPath(new URL('results.json', import.meta.url))
const markdown = fileURLToPath(new URL('RESULTS.md', import.meta.url))
const readme = fileURLToPath(new URL('../../README.md', import.meta.url))

/**
 * Replaces the last result of the same name, for machines and for people. The README's promise
 * quotes the figures.
 */
export async function keepResult(name: string, result: Result): Promise<void> {
  const results = { ...(await readResults()), [name]: result }
  await writeFile(json, `${JSON.stringify(results, undefined, 2)}\n`)
  for (const [path, text] of Object.entries(await pagesOf(results))) await writeFile(path, text)
}

/** The expected text of the pages that show the results, by path. */
export async function pagesOf(results: Results): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(readme, 'utf8')
  return { [markdown]: toMarkdown(results), [readme]: quoteFigures(text, results) }
}

export async function readResults(): Promise<Results> {
  const text = await readFile(json, 'utf8').catch(() => '{}')
  return JSON.parse(text) as Results
}

function toMarkdown(results: Results): string {
  const rows = Object.entries(results).map(([name, result]) => `| ${cellsOf(name, result)} |`)
  return [
    '# What was done to break the promises, and what came of it',
    '',
    'Made by `npm run test:faults` and `npm run test:soak`; `test/faults/results.json` has the same',
    'for machines. Each row is the last run of an experiment, with the command that repeats it.',
    '',
    '| experiment | what must hold | figures | held | command | when, on what |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function cellsOf(name: string, result: Result): string {
  const { claim, figures, failures, command, date, seconds, node, kernel } = result
  const counted = Object.entries(figures).map(([what, figure]) => `${what}: ${figure}`)
  const held = failures.length === 0 ? 'yes' : `**no**: ${failures.length} failures`
  const when = `${date.slice(0, 10)}, ${Math.round(seconds)} s, Node.js ${node}, Linux ${kernel}`
  return [name, claim, counted.join('<br>'), held, `\`${command}\``, when].join(' | ')
}
