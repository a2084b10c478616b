import { globSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

/** Debian's `faketime`, which answers the calls of a program to the clock. */
const [library] = globSync('/usr/{lib,lib64,local/lib}/{*/,}faketime/libfaketimeMT.so.1')

/** Why no clock can be set; undefined if one can. */
export const noSetTime: string | undefined =
  library === undefined ? 'no libfaketime; see the package faketime' : undefined

/** The clock of processes, which a test sets while they run; the monotonic clock is not affected. */
export interface SetTime extends AsyncDisposable {
  /** The environment of these processes. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock this many seconds ahead of the real one. */
  readonly setAhead: (seconds: number) => Promise<void>
  /** Sets it to a moment: ISO 8601, UTC. */
  readonly setTo: (time: string) => Promise<void>
}

export async function setTime(): Promise<SetTime> {
  const folder = await temporaryFolder({ time: '+0' })
  const path = join(folder.path, 'time')
  const setAhead = async (seconds: number): Promise<void> => {
    const ahead = Math.round(seconds)
    // Renamed into place, because every reading of the time reads this file.
    await writeFile(`${path}.new`, `${ahead < 0 ? '' : '+'}${ahead}`)
    await rename(`${path}.new`, path)
  }
  return {
    env: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    setAhead,
    setTo: (time) => setAhead((Date.parse(time) - Date.now()) / 1000),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** The environment of a process whose clocks run this many times faster, from so many seconds ahead. */
export function fastTime(times: number, ahead = 0): Readonly<Record<string, string>> {
  return { LD_PRELOAD: library ?? '', FAKETIME: `+${Math.round(ahead)} x${times}` }
}
