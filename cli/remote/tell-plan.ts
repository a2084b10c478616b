import { toLine } from '../output/finding.ts'
import { narrate } from '../output/print.ts'
import { count, formatBytes } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import { sayMovedDay, untilThere } from './access-there.ts'
import type { OpenRemote } from './open-remote.ts'
import type { Plan } from './push-plan.ts'

type TellOptions = Parameters<typeof narrate>[1] & {
  readonly dryRun?: true
  readonly json?: unknown
}

/** What a push does, or would do, in lines for a person. */
export async function tellPlan(
  { streams }: CliContext,
  { remote, host }: OpenRemote,
  plan: Plan,
  options: TellOptions,
): Promise<void> {
  const { begins, found, steps, setsMetadata, warnings, opens, movedDay } = plan
  const where = `${remote.name} (${host})`
  const would = options.dryRun === true
  const there = {
    draft: `${would ? 'Would make' : 'Makes'} a draft on ${where}`,
    correction: `${would ? 'Would correct' : 'Corrects'} the metadata of ${found?.doi ?? found?.id ?? ''} on ${where}, which keeps its DOI`,
    version: `${would ? 'Would begin' : 'Begins'} a new version of ${found?.doi ?? found?.id ?? ''} on ${where}`,
    nothing:
      found?.status === 'published'
        ? `${would ? 'Would do nothing: it' : 'It'} is published on ${where} as ${found.doi ?? found.id}, and is level`
        : `${would ? 'Would go' : 'Goes'} on with the draft ${found?.id ?? ''} on ${where}`,
  }[begins]
  narrate(streams, options, there)
  if (begins === 'nothing' && setsMetadata)
    narrate(streams, options, would ? 'Would set its metadata' : 'Sets its metadata')
  if (opens)
    narrate(
      streams,
      options,
      `The files become public: they are closed there${untilThere(opens.until)}`,
    )
  else if (movedDay) narrate(streams, options, sayMovedDay(movedDay))
  for (const warning of warnings) narrate(streams, options, `warning: ${toLine(warning)}`)
  const { lost } = plan
  for (const each of lost) narrate(streams, options, `not sent: ${toLine(each)}`)
  const changed = steps.filter(({ does }) => does !== 'keep')
  const kept = steps.length - changed.length
  if (kept > 0) narrate(streams, options, `${count(kept, 'file')} there already`)
  const isListed = options.dryRun === true && options.json === undefined && !options.quiet
  if (isListed) {
    const { formatTable } = await import('../output/table.ts')
    const columns = [
      { title: 'FILE', isFlexible: true },
      { title: 'SIZE' },
      { title: 'DOES' },
      { title: 'WHY' },
    ] as const
    const rows = steps.map((step) => [
      plain(step.name),
      formatBytes(step.size),
      step.does,
      step.because,
    ])
    for (const line of await formatTable(streams, columns, rows)) streams.out(line)
    return
  }
  const send = changed.filter(({ does }) => does === 'send')
  const bytes = send.reduce((sum, { size }) => sum + size, 0)
  if (send.length > 0)
    narrate(
      streams,
      options,
      `${would ? 'Would send' : 'Sends'} ${count(send.length, 'file')} (${formatBytes(bytes)})`,
    )
  for (const [does, words] of accessSteps) {
    const these = changed.filter((step) => step.does === does)
    if (these.length > 0)
      narrate(streams, options, `${words[would ? 0 : 1]} ${count(these.length, 'file')} there`)
  }
  const away = changed.filter(({ does }) => does === 'delete')
  if (away.length > 0)
    narrate(
      streams,
      options,
      `${would ? 'Would delete' : 'Deletes'} ${count(away.length, 'file')} there`,
    )
}

const accessSteps = [
  ['restrict', ['Would restrict', 'Restricts']],
  ['open', ['Would make public', 'Makes public']],
] as const
