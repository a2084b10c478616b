import type { Streams } from './streams.ts'

/** Shows that something goes on while `work` lasts, where something may move. */
export async function spinWhile<T>(
  { hasMotion, err }: Streams,
  { quiet = false, text }: { readonly quiet?: boolean; readonly text: string },
  work: () => Promise<T>,
): Promise<T> {
  if (quiet || !hasMotion) return work()
  const { default: ora } = await import('ora')
  // Standard input stays as it is: it may hold the metadata.
  const spinner = ora({ text, stream: err, discardStdin: false }).start()
  try {
    return await work()
  } finally {
    spinner.stop()
  }
}
