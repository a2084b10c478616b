import { readdir } from 'node:fs/promises'
import { advice, type Advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { metadataFiles } from '../metadata/find-metadata-file.ts'
import { foreignFiles } from '../metadata/foreign/foreign-files.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import { readMemory } from './memory.ts'

/**
 * Says what the current folder is, and the next steps in it, for somebody who typed `deposit` alone.
 * No server is asked.
 */
export async function lookAround(context: CliContext): Promise<readonly string[]> {
  const names = await readdir(context.folder).catch(() => undefined)
  if (names === undefined) return []
  const [what, next, then] = await describe(context, names).catch((error: unknown) => {
    if (!(error instanceof UsageFailure)) throw error
    return [plain(error.message), error.next] as const
  })
  return ['', what, `Next: ${next}`, ...(then === undefined ? [] : [`Then: ${then}`])]
}

type Steps = readonly [what: string, next: Advice, then?: Advice]

async function describe(context: CliContext, names: readonly string[]): Promise<Steps> {
  const memory = await readMemory(context, '.')
  const then = advice.seeAndRelease()
  if (memory?.deposit !== undefined)
    return [
      `This folder knows the deposit ${memory.deposit.id}`,
      advice.seeFolder(),
      advice.releaseFolder(),
    ]
  const known = [...metadataFiles, ...Object.keys(foreignFiles)]
  const metadata = known.find((name) => names.includes(name))
  if (metadata !== undefined)
    return [`This folder has ${metadata}, and knows no deposit yet`, advice.createOf('.'), then]
  const hasData = names.some((name) => !name.startsWith('.'))
  return hasData
    ? ['This folder has no metadata, and knows no deposit yet', advice.beginWith('.'), then]
    : ['This folder is empty', advice.goToData()]
}
