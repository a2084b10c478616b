import { open, stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

/** Read size of a log. Bytes. */
const chunkBytes = 1024 * 1024

/** Interval at which a followed log is read. */
const lookMs = 300

/** The messages of the last lines of the daemon's log; empty where there is no log. */
export async function lastMessages(file: string, number: number): Promise<readonly string[]> {
  return (await readLines(file, number)).map(messageOf).filter(Boolean)
}

/** The last lines of a log as they are. */
export async function readLines(file: string, number: number): Promise<readonly string[]> {
  const text = await readFrom(file, -chunkBytes)
  return number === 0 || text === '' ? [] : text.trimEnd().split('\n').slice(-number)
}

/** Calls `onLine` with each new line of a log, until `signal`. */
export async function followLog(
  file: string,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let position = await sizeOf(file)
  let partial = ''
  for (;;) {
    await wait(lookMs, undefined, { signal })
    const text = await readFrom(file, position)
    position += Buffer.byteLength(text)
    const lines = (partial + text).split('\n')
    partial = lines.pop() ?? ''
    lines.forEach(onLine)
  }
}

async function sizeOf(file: string): Promise<number> {
  const stats = await stat(file).catch(() => undefined)
  return stats?.size ?? 0
}

/** Text from `position` on; a negative one counts from the end. */
async function readFrom(file: string, position: number): Promise<string> {
  await using log = await open(file).catch(() => null)
  if (log === null) return ''
  const { size } = await log.stat()
  const start = position < 0 ? Math.max(0, size + position) : position
  const length = Math.max(0, Math.min(size - start, chunkBytes))
  const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(length), position: start })
  return buffer.toString('utf8', 0, bytesRead)
}

/** A log line is JSON with the message in `msg`; the output of a crash is not. */
function messageOf(line: string): string {
  try {
    const entry: unknown = JSON.parse(line)
    const hasMessage = typeof entry === 'object' && entry !== null && 'msg' in entry
    return hasMessage ? String(entry.msg) : line
  } catch {
    return line
  }
}
