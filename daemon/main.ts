import { plainLines } from '../core/base/plain.ts'
import { failureOf } from './operator/operator-failure.ts'
import { createProgram } from './program.ts'

try {
  await createProgram(process.env).parseAsync()
} catch (error) {
  const { message, status } = failureOf(error)
  process.stderr.write(`depositd: ${plainLines(message)}\n`)
  process.exitCode = status
}
