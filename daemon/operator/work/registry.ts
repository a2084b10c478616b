import type { Options } from '../operator-command.ts'
import { OperatorFailure } from '../operator-failure.ts'
import { backup } from './backup.ts'
import { check } from './check.ts'
import { gc } from './gc.ts'
import { reindex } from './reindex.ts'
import type { Ending, Voice, Work, WorkContext } from './work.ts'

const works: Readonly<Record<string, Work>> = { backup, check, gc, reindex }

/** @throws {OperatorFailure} there is no such work, or it cannot be carried out */
export async function runWork(
  context: WorkContext,
  name: string,
  options: Options,
  voice: Voice,
): Promise<Ending> {
  const work = Object.hasOwn(works, name) ? works[name] : undefined
  if (!work) throw new OperatorFailure(`There is no operator's command "${name}".`)
  return work(context, options, voice)
}
