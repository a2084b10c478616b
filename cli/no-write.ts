import { codeOf } from '../core/base/errno.ts'
import { advice, type Advice } from './advice.ts'
import type { ExitCode } from './exit-codes.ts'
import { Failure } from './failure.ts'

const full: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota on that disk is used up',
}

const unusable: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EEXIST: 'a file is in the place of a folder',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a file is in the place of a folder',
  EPERM: 'you may not write there',
  EROFS: 'the disk is read-only',
}

interface Unwritten {
  /** As in {@link Failure}. */
  readonly tried: string
  /** The file or folder that was to be written. */
  readonly path: string
  /** The state that the command leaves. */
  readonly kept: string
  /** The next step where there is no room; by default, to make some. */
  readonly full?: Advice
  /** The next step where room would not help. */
  readonly elsewhere: Advice
  readonly exitCode?: ExitCode
}

/** Why a place cannot be written, in words; undefined for another error. */
export function reasonOfNoWrite(cause: unknown): string | undefined {
  const code = codeOf(cause)
  return full[code] ?? unusable[code]
}

/** The failure for a place that is full or cannot be written; undefined for another error. */
export function noWrite(
  cause: unknown,
  { tried, path, kept, full: roomy = advice.makeRoomThere(), elsewhere, exitCode }: Unwritten,
): Failure | undefined {
  const isFull = full[codeOf(cause)] !== undefined
  const reason = reasonOfNoWrite(cause)
  if (reason === undefined) return undefined
  const next = isFull ? roomy : elsewhere
  return new Failure({ tried, said: `${reason}: ${path}; ${kept}`, next }, { cause, exitCode })
}

/** A place that is written to. */
interface Written {
  readonly path: string
  /** The state that a failure leaves. */
  readonly kept: string
  readonly elsewhere: Advice
}

/** Tells a place that cannot be written in words. @throws {Failure} */
export async function telling<Result>(
  place: Written,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw noWrite(error, { tried: `write ${place.path}`, ...place }) ?? error
  }
}
