/**
 * Tries to make the real daemon break its promises, and keeps the results in `RESULTS.md`.
 *
 *     npm run test:faults                                   all that runs every night
 *     npm run test:faults -- NAME… [--rounds N] [--seed N]  some of it
 *     npm run test:faults -- NAME… --on postgres-s3         with rows and bytes elsewhere
 *     npm run test:soak [-- --minutes N]                    what takes an hour
 *
 * A run with the same name, rounds and seed repeats the random choices of another run.
 */
import { release } from 'node:os'
import { parseArgs } from 'node:util'
import type { Experiment, Outcome, Settings } from './experiment.ts'
import { nightly, weekly } from './experiments.ts'
import { keepAt, placeObstacle, places, type Place } from './place.ts'
import { keepResult } from './results.ts'
import { keepReport, readResults } from '../places/report.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    on: { type: 'string', default: 'home' },
    weekly: { type: 'boolean', default: false },
  },
})

const all = [...nightly, ...weekly]
const unknown = positionals.find((name) => !all.some((experiment) => experiment.name === name))
if (unknown !== undefined) {
  throw new Error(`"${unknown}" is none of ${all.map(({ name }) => name).join(', ')}`)
}
const place = placeOf(values.on)
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
  const { claim } = experiment
  const name = place === 'home' ? experiment.name : `${experiment.name} on ${place}`
  const reason = obstacleTo(experiment)
  if (reason !== undefined) {
    say(`SKIPPED ${name}: ${reason}`)
    return false
  }
  const settings = settingsOf()
  say(`${name}, seed ${settings.seed}: ${claim}`)
  const started = performance.now()
  const outcome = await runAtPlace(experiment, settings)
  const command = commandOf(experiment.name, settings)
  await keepResult(name, {
    claim,
    ...outcome,
    command,
    date: new Date().toISOString(),
    seconds: (performance.now() - started) / 1000,
    node: process.versions.node,
    kernel: release().split('.', 2).join('.'),
  })
  await keepReport(await readResults())
  for (const failure of outcome.failures) say(`FAILED ${name}: ${failure}`)
  say(`${name}: ${JSON.stringify(outcome.figures)}`)
  return outcome.failures.length === 0
}

function placeOf(named: string): Place {
  const found = places.find((known) => known === named)
  if (!found) throw new Error(`"${named}" is none of ${places.join(', ')}`)
  return found
}

function obstacleTo({ obstacle, anywhere }: Experiment): string | undefined {
  if (place !== 'home' && !anywhere) return 'it is about the disk of the home'
  return obstacle() ?? placeObstacle(place)
}

async function runAtPlace(experiment: Experiment, settings: Settings): Promise<Outcome> {
  await using _ = await keepAt(place)
  return await experiment.run(settings)
}

function settingsOf(): Settings {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed)
  const rounds = values.rounds ?? values.minutes
  return { seed, say, ...(rounds !== undefined && { rounds: Number(rounds) }) }
}

function commandOf(name: string, { seed, rounds }: Settings): string {
  const scale = rounds === undefined ? '' : ` --rounds ${rounds}`
  const where = place === 'home' ? '' : ` --on ${place}`
  return `npm run test:faults -- ${name}${where}${scale} --seed ${seed}`
}
