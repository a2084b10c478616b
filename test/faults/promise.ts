import type { Results } from './results.ts'

/** Line width of the README. */
const width = 100

/** The paragraph of the README with the figures. */
const quoted = /`npm run test:faults` tries to disprove this[\s\S]*?(?=\n\n)/

/** The README with the figures of the last runs. */
export function quoteFigures(readme: string, results: Results): string {
  if (!quoted.test(readme)) throw new Error('the README has no place for the figures')
  return readme.replace(quoted, () => wrap(promiseOf(results)))
}

/** The sentence about the last runs, as one line. */
function promiseOf(results: Results): string {
  const of = (name: string, what: string): number => Number(results[name]?.figures[what] ?? 0)
  const counted = (name: string, what: string): string => of(name, what).toLocaleString('en')
  const broken = ['power-cuts', 'kill-loop', 'crash-points', 'failing-calls'] as const
  const sum = (what: string): number => broken.reduce((all, name) => all + of(name, what), 0)
  const losses = [sum('lost'), sum('half done'), sum('mismatched')] as const
  return [
    '`npm run test:faults` tries to disprove this on your own machine. The last runs cut the power',
    `${counted('power-cuts', 'cuts')} times, after ${counted('power-cuts', 'acknowledged')}`,
    `acknowledged operations; killed the daemon ${counted('kill-loop', 'kills')} times at`,
    `random moments, after ${counted('kill-loop', 'acknowledged')}, and`,
    `${counted('crash-points', 'kills')} times at system calls that change the disk; and made`,
    `${counted('failing-calls', 'failed calls')} such calls fail. Of the acknowledged operations`,
    `${losses[0]} were lost and ${losses[1]} half done, and ${losses[2]} files had other bytes.`,
    'Without syncing, the same power cuts do lose operations, so the test can fail.',
    '`test/faults/RESULTS.md` has the figures of every experiment, its verdict, and the command that',
    'repeats it.',
  ].join(' ')
}

function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}
