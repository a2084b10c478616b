import { createProgram } from './program.ts'
import { exitStatus, StartFailure } from './start-failure.ts'
import { OperatorFailure } from './operator/operator-failure.ts'

try {
  await createProgram(process.env).parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

/** Says in one line what went wrong; a bug says where. */
function explain(error: unknown): number {
  if (error instanceof StartFailure || error instanceof OperatorFailure) {
    process.stderr.write(`depositd: ${error.message}\n`)
    return error instanceof StartFailure ? exitStatus[error.reason] : exitStatus.failed
  }
  process.stderr.write(`depositd: ${error instanceof Error ? error.stack : String(error)}\n`)
  return exitStatus.software
}
