/**
 * Does to the real daemon what breaks promises, and keeps what came of it in `RESULTS.md`.
 *
 *     npm run test:faults                                   all that runs every night
 *     npm run test:faults -- NAME… [--rounds N] [--seed N]  some of it
 *     npm run test:soak [-- --minutes N]                    what takes an hour
 *
 * A run repeats another one as far as it was decided by chance: same name, rounds and seed.
 */
import { release } from 'node:os'
import { parseArgs } from 'node:util'
import type { Experiment, Settings } from './experiment.ts'
import { nightly, weekly } from './experiments.ts'
import { keepResult } from './results.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    weekly: { type: 'boolean', default: false },
  },
})

const all = [...nightly, ...weekly]
const unknown = positionals.find((name) => !all.some((experiment) => experiment.name === name))
if (unknown !== undefined) {
  throw new Error(`"${unknown}" is none of ${all.map(({ name }) => name).join(', ')}`)
}
const chosen =
  positionals.length > 0 ? all.filter(({ name }) => positionals.includes(name)) : tier()
for (const experiment of chosen) {
  if (!(await held(experiment))) process.exitCode = 1
}

function tier(): readonly Experiment[] {
  return values.weekly ? weekly : nightly
}

/** Runs an experiment and keeps its result; one that cannot run here has not held. */
async function held(experiment: Experiment): Promise<boolean> {
  const { name, claim } = experiment
  const reason = experiment.obstacle()
  if (reason !== undefined) {
    say(`SKIPPED ${name}: ${reason}`)
    return false
  }
  const settings = settingsOf()
  say(`${name}, seed ${settings.seed}: ${claim}`)
  const started = performance.now()
  const outcome = await experiment.run(settings)
  const command = commandOf(name, settings)
  await keepResult(name, {
    claim,
    ...outcome,
    command,
    date: new Date().toISOString(),
    seconds: (performance.now() - started) / 1000,
    node: process.versions.node,
    kernel: release().split('.', 2).join('.'),
  })
  for (const failure of outcome.failures) say(`FAILED ${name}: ${failure}`)
  say(`${name}: ${JSON.stringify(outcome.figures)}`)
  return outcome.failures.length === 0
}

function settingsOf(): Settings {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed)
  const rounds = values.rounds ?? values.minutes
  return { seed, say, ...(rounds !== undefined && { rounds: Number(rounds) }) }
}

function commandOf(name: string, { seed, rounds }: Settings): string {
  const scale = rounds === undefined ? '' : ` --rounds ${rounds}`
  return `npm run test:faults -- ${name}${scale} --seed ${seed}`
}
