/**
 * Runs the same tests with rows and bytes in the home (SQLite and a folder) and in PostgreSQL and S3,
 * and keeps what came of both beside each other in `RESULTS.md`.
 *
 *     npm run test:places                        everything, about half an hour
 *     npm run test:places -- test/spec           one suite; the others keep their last figures
 *
 * The experiments in the report are those of `npm run test:faults`, run with and without
 * `--on postgres-s3`.
 */
import { placeObstacle, places } from '../faults/place.ts'
import { keepReport, readResults, type Results } from './report.ts'
import { runSuite } from './run-suite.ts'
import { suites } from './suites.ts'

const names = process.argv.slice(2)
const unknown = names.find((name) => !suites.some((suite) => suite.name === name))
if (unknown !== undefined) {
  throw new Error(`"${unknown}" is none of ${suites.map(({ name }) => name).join(', ')}`)
}
for (const place of places) {
  const reason = placeObstacle(place)
  if (reason !== undefined) throw new Error(`nothing can be kept at ${place}: ${reason}`)
}

let results: Results = await readResults()
for (const suite of suites) {
  if (names.length > 0 && !names.includes(suite.name)) continue
  const [home, elsewhere] = [await runSuite(suite, 'home'), await runSuite(suite, 'postgres-s3')]
  results = { ...results, [suite.name]: { home, 'postgres-s3': elsewhere, date: today() } }
  await keepReport(results)
  for (const failure of [...home.failures, ...elsewhere.failures]) {
    process.stdout.write(`FAILED ${suite.name}: ${failure}\n`)
    process.exitCode = 1
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}
