import { advice, type Advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, severally } from '../failure.ts'
import { toLine, type Finding } from '../output/finding.ts'
import { plain } from '../plain.ts'
import { untilThere, type Opened } from './access-there.ts'
import { DiffersFromRecord, flattens } from './push-plan.ts'
import type { Copy, Withdrawal } from './port/repository.ts'
import type { Pushed } from './push-journal.ts'

/** Of which push a refusal is. */
export interface About {
  readonly tried: string
  /** The command line, for advice. */
  readonly command: string
  /** Of a batch, the row as `--of` names it. */
  readonly row?: string | undefined
  /** Name of the remote. */
  readonly remote: string
  /** Path of its journal. */
  readonly journal: string
}

/** What a repository would refuse, with what mends it. */
export function refusalOf(
  refused: readonly Finding[],
  { tried, command, host }: Pick<About, 'tried' | 'command'> & { readonly host: string },
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

/** Others have published a version there that this work does not know. */
export function isOfOthers(found: Copy, newest: string, about: About): Failure {
  const { tried, remote } = about
  const isOne = found.version !== undefined
  const id = isOne ? found.id : newest
  const said = `its newest version there is ${newest}${isOne ? ` of ${id}` : ''}, which was not pushed from here`
  return refused({
    tried,
    said,
    next: advice.pullOthers(remote, id, asVersion(about), ofOf(about, id)),
  })
}

/** Somebody is changing it there: a push would change or publish that. */
export function isEdited({ url }: Copy, { tried }: About): Failure {
  const said = `it is being edited there, and not by a push: ${url}`
  return refused({ tried, said, next: advice.finishThere(url) })
}

/** Others have changed the metadata of the record: a correction sends ours whole. */
export function isChanged({ id, doi, url }: Copy, about: About): Failure {
  const { tried, remote } = about
  const said = `the metadata of ${doi ?? url} were changed there since the last push, and a correction would overwrite that`
  const next = advice.overwrite(remote, id, withoutOf(about), ofOf(about, id))
  return refused({ tried, said, next })
}

/** Somebody works on the draft of a new version. */
export function isBegunByOthers({ id, url }: Copy, about: About): Failure {
  const { tried, remote } = about
  const said = `a new version of it was begun there, and not by a push: ${url}`
  const next = advice.overwrite(remote, id, withoutOf(about), ofOf(about, id))
  return refused({ tried, said, next })
}

/** The metadata here do not say who may have the files: that is no word for opening them. */
export function opensByOmission({ url }: Copy, { until }: Opened, tried: string): Failure {
  const said = `the files are not public there${untilThere(until)}, and the metadata here do not say that they are: ${url}`
  const next = advice.sayAccess(until)
  // A batch tells it of each row.
  const faults = [{ field: '/access', message: `${said}: ${next}` }]
  return new Failure({ tried, said, next }, { exitCode: exitCodes.refused, faults })
}

/** Copies of them are out. */
export const cannotClose: Finding = {
  field: '/access',
  message:
    'The files of the record are public there, and a correction does not close them. Write access: {files: public}, or withdraw the record there; an administrator of the service can close them.',
}

/** Only names differ from the version before, which makes no new version there. */
export function hasNoOtherFiles(found: Copy, { tried }: About): Failure {
  const { doi, url } = found
  const said = `its files have the bytes of the version before, ${doi ?? url}, under other names, and a new version without other bytes is not published there`
  return new DiffersFromRecord({ tried, said, next: advice.changeFile() }, found)
}

/** Another would be a second record of a work that its repository has withdrawn. */
export function isWithdrawn(
  withdrawal: Withdrawal,
  { doi, url }: { readonly doi: string | undefined; readonly url: string },
  { tried }: Pick<About, 'tried'>,
): Failure {
  const said = `${doi ?? url} was withdrawn there${describeWithdrawal(withdrawal)}`
  return refused({ tried, said, next: advice.askToRestoreThere(url) })
}

/** The end of a sentence about a record that was withdrawn. */
export function describeWithdrawal({ day, reason }: Withdrawal): string {
  return `${day === undefined ? '' : ` on ${day}`}${reason === undefined ? '' : `: ${reason}`}`
}

/** The metadata name a record there as the same work. */
export function isCopied({ id, doi, url }: Copy, about: About): Failure {
  const { tried } = about
  const said = `the metadata say that it is identical to ${doi ?? url}, which is there already: this would be a second record of the same work`
  const next = advice.continueCopy(withoutOf(about), ofOf(about, id))
  return refused({ tried, said, next })
}

/** The draft of a new version would be changed, and never be published. */
export function hasFilesBefore({ id, doi, url }: Copy, about: About): Failure {
  const { tried } = about
  const said = `the files here have the bytes of the version before, ${doi ?? url}, and a new version without other bytes is not published there`
  const next = advice.changeFileOrCorrect(withoutOf(about), ofOf(about, id))
  return refused({ tried, said, next })
}

/** It cannot be read any more: another would be a second record of the same work. */
export function isGone({ doi, url = '' }: Pushed, about: About): Failure {
  const { tried, journal } = about
  const said = `it was published there as ${doi ?? url}, and that cannot be read any more: it was deleted, or is of another account`
  const command = withoutOf(about)
  const asDraft = withoutPublishing(command)
  const next = advice.nameOrBegin(journal, { command, asDraft }, ofOf(about, 'ADDRESS'))
  return new Failure({ tried, said, next }, { exitCode: exitCodes.notFound })
}

/** The draft that the journal names was made with another token, and cannot be read with this one. */
export function isUnseen({ url, base }: Pushed, about: About): Failure {
  const { tried, journal, remote } = about
  const at = url === undefined ? '' : ` (${url})`
  const said = `a draft of it was begun there with another token${at}, and cannot be read with this one: it is of another account, or was deleted`
  const asDraft = withoutPublishing(withoutOf(about))
  const next =
    base === undefined
      ? advice.giveTokenOrBegin(remote, asDraft, journal)
      : advice.giveTokenOrName(remote, asVersion(about), ofOf(about, base))
  return new Failure({ tried, said, next }, { exitCode: exitCodes.notFound })
}

/** What the journal names has another marker, or none. */
export function isUnmarked(copy: Copy, marker: string, about: About): Failure {
  const { journal } = about
  const said = `${copy.url} does not carry the marker of this work (${marker}), though ${journal} names it: it may be another one`
  return isDoubtful(copy, said, about)
}

/** What a journal names that came with a folder has nothing in common with that. */
export function isUnlike(copy: Copy, about: About): Failure {
  const { journal } = about
  const said = `${journal} continues ${copy.url}, "${plain(copy.title ?? '')}", which has another title, and fewer than half of its files are here: it may be another work`
  return isDoubtful(copy, said, about)
}

function isDoubtful({ id }: Copy, said: string, about: About): Failure {
  const { tried, journal } = about
  const command = withoutOf(about)
  const asDraft = withoutPublishing(command)
  const next = advice.removeJournal(journal, { command, asDraft }, ofOf(about, id))
  return refused({ tried, said, next })
}

export function isNotOwn(of: string, { tried }: Pick<About, 'tried'>): Failure {
  const said = `${of} is no record or draft there of this account`
  return new Failure({ tried, said, next: advice.nameOwn() }, { exitCode: exitCodes.notFound })
}

function refused(lines: ConstructorParameters<typeof Failure>[0]): Failure {
  return new Failure(lines, { exitCode: exitCodes.refused })
}

/** What `--of` is given: of a batch, for the row. */
const ofOf = ({ row }: About, id: string): string => (row === undefined ? id : `${row}=${id}`)

/** Further rows of a batch may be named. */
const withoutOf = ({ command, row }: About): string =>
  row === undefined ? command.replace(/ --of (?:'[^']*'|\S+)/, '') : command

/** A second record of a work is for a person to publish. */
const withoutPublishing = (command: string): string =>
  command.replaceAll(/ --(?:publish|yes)(?= |$)/g, '')

function asVersion(about: About): string {
  const option = about.row === undefined ? '--new-version' : '--update'
  const command = withoutOf(about)
  return `${command}${command.split(' ').includes(option) ? '' : ` ${option}`}`
}
