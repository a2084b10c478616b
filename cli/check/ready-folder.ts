import { readdir } from 'node:fs/promises'
import { advice } from '../advice.ts'
import { closedFiles } from '../output/deposit-facts.ts'
import { toWarnings } from '../output/finding.ts'
import { narrate } from '../output/print.ts'
import type { CliContext } from '../session/context.ts'
import {
  prepare,
  refuseMisnamed,
  type Prepared,
  type PrepareOptions,
  type ReadFirst,
} from '../transfer/prepare.ts'
import { Failure } from '../failure.ts'
import { failureTo, preflight, requireMetadata, requireNone } from './preflight.ts'

interface ReadyOptions extends PrepareOptions {
  readonly quiet?: true
  /** Replaces that of the metadata. */
  readonly title?: string
  readonly publish?: true | undefined
  /** Publishes without any metadata. */
  readonly yes?: true
  readonly strict?: true
}

/**
 * Reads a folder and checks all that can be checked before anything is sent. Tells the warnings.
 *
 * @param dir none for an empty deposit
 * @throws {UsageFailure} it cannot be read, or files cannot keep their names
 * @throws {Failure} the metadata would be refused
 */
export async function readyFolder(
  context: CliContext,
  dir: string | undefined,
  options: ReadyOptions,
): Promise<Prepared> {
  const { streams } = context
  const { title, publish, strict } = options
  const failures: Failure[] = []
  let read: ReadFirst | undefined
  const prepared = await prepare(context, dir, {
    ...options,
    signal: context.signal,
    onRead: (found) => {
      read = found
    },
    onVerify: async (transfer) => {
      const { startProgress } = await import('../output/progress.ts')
      return startProgress(streams, transfer, options.quiet === true)
    },
  }).catch((error: unknown) => {
    // Metadata of which nothing was read cannot be judged.
    if (!(error instanceof Failure) || read?.source === undefined) throw error
    failures.push(error)
  })
  const { source, other } = prepared ?? read ?? {}
  const own = (prepared ?? read)?.metadata ?? {}
  const metadata = title === undefined ? own : { ...own, title }
  if (publish && prepared?.misnamed !== undefined) failures.push(refuseMisnamed(prepared.misnamed))
  for (const remark of prepared?.remarks ?? []) narrate(streams, options, remark)
  const [purpose, tried] = publish
    ? (['publish', `publish ${dir ?? 'the deposit'}`] as const)
    : (['draft', 'create the deposit'] as const)
  const further = strict && { further: prepared?.warnings ?? [] }
  const warnings = await failureTo(failures, () =>
    preflight({ metadata, source, other, purpose, tried, strict: further }),
  )
  if (publish) {
    const isHere = dir === undefined && (await hasFiles(context))
    const next = isHere ? advice.createOf('.') : advice.giveMetadata()
    const correct = advice.correctInput()
    await failureTo(failures, () =>
      requireMetadata(metadata, { yes: options.yes, tried: 'publish the deposit', next, correct }),
    )
  }
  requireNone(failures)
  if (prepared === undefined) throw new Error('a folder that is not prepared has a failure')
  const closed = closedFiles(metadata)
  if (closed !== undefined) narrate(streams, options, closed)
  for (const warning of toWarnings(warnings ?? [])) narrate(streams, options, warning)
  return { ...prepared, metadata }
}

/** The current folder may be the one that is meant. */
async function hasFiles({ folder }: CliContext): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  return names.some((name) => !name.startsWith('.'))
}
