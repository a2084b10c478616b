import { advice, type Advice } from '../advice.ts'
import { Failure, severally } from '../failure.ts'
import { toLine, type Finding } from '../output/finding.ts'
import { DiffersFromRecord, flattens } from './push-plan.ts'
import type { Copy } from './port/repository.ts'

/** Of which push a refusal is. */
interface About {
  readonly tried: string
  /** The command line, for advice. */
  readonly command: string
}

/** What a repository would refuse, with what mends it. */
export function refusalOf(
  refused: readonly Finding[],
  { tried, command, host }: About & { readonly host: string },
): Failure {
  const hasFolders = refused.some(({ message }) => message === flattens.folders)
  const others = refused.filter(({ message }) => message !== flattens.folders)
  const folders: Finding[] = hasFolders
    ? [{ field: '', message: `${host} has no folders, and some names have.` }]
    : []
  const lines = [...others, ...folders].map(toLine)
  const next = mend(hasFolders, others, command)
  return new Failure(
    { tried, said: lines.join('; '), next },
    { faults: refused, ...severally(lines) },
  )
}

/** @param others what is refused beside folders */
function mend(hasFolders: boolean, others: readonly Finding[], command: string): Advice {
  const isOfNumber = others.some(({ message }) => message.endsWith(flattens.number))
  if (others.length > (isOfNumber ? 1 : 0)) return advice.correctPlan()
  if (isOfNumber) return advice.flattenToZip(command.replace(/ --flatten \S+/, ''))
  return hasFolders ? advice.flatten(command) : advice.correctPlan()
}

/** The version before is published, and nobody said that this is the next one. */
export function isNextVersion(record: Copy, { tried, command }: About): Failure {
  const { doi, url } = record
  const said = `the version before it is published there, as ${doi ?? url}: this would be a second record of the same work`
  return new DiffersFromRecord({ tried, said, next: advice.pushNewVersion(command) }, record)
}

/** It is published, and differs by now. */
export function asksForVersion(found: Copy | undefined, { tried, command }: About): Failure {
  const said = `it is published there already, as ${found?.doi ?? found?.url ?? ''}, and differs by now`
  return new DiffersFromRecord({ tried, said, next: advice.pushNewVersion(command) }, found)
}
