import { createProgram } from './program.ts'
import { exitStatus, StartFailure } from './start-failure.ts'
import { toStartFailure } from './store-failure.ts'
import { OperatorFailure } from './operator/operator-failure.ts'

try {
  await createProgram(process.env).parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

/** Says in one line what went wrong; a bug says where. */
function explain(error: unknown): number {
  const failure = error instanceof OperatorFailure ? error : toStartFailure(error)
  if (failure) {
    process.stderr.write(`depositd: ${failure.message}\n`)
    return failure instanceof StartFailure ? exitStatus[failure.reason] : exitStatus.failed
  }
  process.stderr.write(`depositd: ${error instanceof Error ? error.stack : String(error)}\n`)
  return exitStatus.software
}
