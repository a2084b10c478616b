import { writeFile } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Target } from './target.ts'

export interface Result extends Pick<Target, 'id' | 'what' | 'reach'> {
  /** Median of `ratios`. */
  readonly ratio: number
  readonly ratios: readonly number[]
  readonly isReached: boolean
}

interface Run {
  readonly quick: boolean
  readonly rounds: number
}

/** Keeps the results of a whole run, for machines and for people. */
export async function keepResults(results: readonly Result[], run: Run): Promise<void> {
  const name = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
  await writeFile(name('results.json'), `${JSON.stringify({ ...run, results }, undefined, 2)}\n`)
  await writeFile(name('RESULTS.md'), toMarkdown(results, run))
}

function toMarkdown(results: readonly Result[], { quick, rounds }: Run): string {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const command = `npm run bench${quick ? ' -- --quick' : ''}`
  const when = new Date().toISOString().slice(0, 10)
  return [
    '# How fast it is',
    '',
    `Made by \`${command}\` on ${when}: ${machine}, Linux ${release().split('.', 2).join('.')},`,
    `Node.js ${process.versions.node}. Each figure is a ratio against a reference taken in the same`,
    `round; the median of ${rounds} rounds. The daemon is the real one with everything on.`,
    '',
    '| # | what | to reach | measured | reached |',
    '|---|---|---|---|---|',
    ...results.map(toRow),
    '',
  ].join('\n')
}

function toRow({ id, what, reach, ratio, isReached }: Result): string {
  const bound = 'atMost' in reach ? `≤ ${reach.atMost}` : `≥ ${reach.atLeast}`
  return `| ${id} | ${what} | ${bound} | ${ratio.toFixed(2)} | ${isReached ? 'yes' : '**no**'} |`
}
