import { failureOf } from './operator/operator-failure.ts'
import { createProgram } from './program.ts'

try {
  await createProgram(process.env).parseAsync()
} catch (error) {
  const { message, status } = failureOf(error)
  process.stderr.write(`depositd: ${message}\n`)
  process.exitCode = status
}
