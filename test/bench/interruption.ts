import { rmSync } from 'node:fs'
import { endAllBelow } from './processes.ts'

/** On Ctrl-C or a request to end, ends all processes and removes all folders. */
export function cleanUpWhenInterrupted(folder: string): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.once(signal, () => {
      endAllBelow()
      rmSync(folder, { recursive: true, force: true })
      process.exit(128 + number)
    })
  }
}
