import {
  compareIdentifiers,
  parseDepositId,
  type Compared,
  type Database,
  type Difference,
  type IdentifierStatus,
  type JsonObject,
  type Pause,
  type ProvidedIdentifier,
} from '../../../core/index.ts'
import { count } from '../../../core/base/amounts.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import type {
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
  Work,
} from '../command/operator-command.ts'
import { everySecond } from '../command/terminal-voice.ts'

/** Identifiers read at once. */
const batchSize = 500

/** `doi list`: every DOI with its status, and why it is refused. */
async function list({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const status = options['refused'] === 'true' ? ('refused' as const) : undefined
  const found = await listAll(database, status)
  const pauses = await database.read.identifiers.pauses()
  return {
    notes: pauses.map(describePause),
    results: found.map((each) => [each.value, each.status, each.subject, ...told(each)].join('\t')),
    data: found.map(toData),
  }
}

async function listAll(
  { read }: Database,
  status: IdentifierStatus | undefined,
): Promise<readonly ProvidedIdentifier[]> {
  const found: ProvidedIdentifier[] = []
  for (;;) {
    const after = found.at(-1)?.value ?? ''
    const asked = { after, limit: batchSize, ...(status && { status }) }
    const batch = await read.identifiers.list(asked)
    found.push(...batch)
    if (batch.length < batchSize) return found
  }
}

function describePause({ provider, reason, message, since }: Pause): string {
  const next = reason === 'restored' ? ' Run: depositd doi check' : ''
  return `Nothing is sent to ${provider} since ${since}: ${message}${next}`
}

function told({ status, registered, message, field }: ProvidedIdentifier): readonly string[] {
  const reason = field === undefined ? message : `${message} (${field})`
  const late = registered === undefined ? undefined : lateChange[status]
  if (late === undefined) return reason === undefined ? [] : [reason]
  return [reason === undefined ? late : `${late}: ${reason}`]
}

/** Of one that was registered before. */
const lateChange: Partial<Record<IdentifierStatus, string>> = {
  pending: 'it resolves; its last change is on its way',
  refused: 'it resolves; its last change is refused',
}

function toData(identifier: ProvidedIdentifier): JsonObject {
  const { value, provider, status, url, subject, deposit, registered, message, field } = identifier
  return {
    value,
    provider,
    status,
    url,
    of: identifier.of,
    record: subject,
    deposit,
    ...(registered !== undefined && { registered }),
    ...(message !== undefined && { message }),
    ...(field !== undefined && { field }),
  }
}

/** `doi retry`: sends one again, or all that are refused or wait. */
async function retry({ database, clock }: OperatorContext, { id }: Options): Promise<Outcome> {
  const asked = id === undefined ? await waiting(database) : await named(database, id)
  const values = asked.map(({ value }) => value)
  await database.write(async ({ identifiers }) => {
    await identifiers.want(values, clock.now())
    const providers = new Set(asked.map(({ provider }) => provider))
    for (const provider of providers) await identifiers.resume(provider, 'locked')
  })
  const pauses = await database.read.identifiers.pauses()
  const said = `${count(values.length, 'DOI')} ${values.length === 1 ? 'is' : 'are'} sent again.`
  return { notes: [said, ...pauses.map(describePause)], results: values, data: { retried: values } }
}

async function waiting(database: Database): Promise<readonly ProvidedIdentifier[]> {
  return [...(await listAll(database, 'refused')), ...(await listAll(database, 'pending'))]
}

/** @param id a DOI, the value of a record, or the id of a deposit */
async function named(
  { read: { identifiers } }: Database,
  id: string,
): Promise<readonly ProvidedIdentifier[]> {
  const one = await identifiers.find(id.toLowerCase())
  const ofRecord = (await identifiers.ofSubjects([id])).get(id) ?? []
  const deposit = parseDepositId(id)
  const ofDeposit = (await identifiers.ofDeposits([deposit])).get(deposit) ?? []
  const found = [...(one ? [one] : []), ...ofRecord, ...ofDeposit]
  if (found.length === 0) throw new OperatorFailure(`${id} has no DOI.`)
  const sent = found.filter(({ status }) => status !== 'reserved')
  if (sent.length > 0) return sent
  throw new OperatorFailure(`${found[0]?.value} is reserved: it is sent once it is published.`)
}

/** `doi check`: a line for each difference; afterwards, what a restore has paused goes on. */
const check: Work = async ({ parts }, options, { tell, signal }) => {
  const { database, identifiers } = parts
  if (!identifiers) {
    throw new OperatorFailure('No daemon runs here: it is the daemon that asks DataCite.')
  }
  const progress = everySecond((done: number) => tell('progress', `Compared ${done}`))
  const found: JsonObject[] = []
  const counts = { compared: 0, different: 0, failed: 0 }
  const unsure = new Map<string, number>()
  const hidden: ProvidedIdentifier[] = []
  const all = options['all'] === 'true'
  for await (const each of compareIdentifiers({ ...identifiers, database }, { all, signal })) {
    counts.compared += 1
    const { provider } = each.identifier
    if (each.failure !== undefined) {
      counts.failed += 1
      unsure.set(provider, (unsure.get(provider) ?? 0) + 1)
    } else if (each.differences.length > 0) counts.different += 1
    if (each.differences.some(isHiddenThere)) hidden.push(each.identifier)
    for (const line of toLines(each)) {
      tell('result', line.join('\t'))
      found.push(toObject(each.identifier, line))
    }
    progress(counts.compared)
  }
  const { compared, different, failed } = counts
  const amounts = [`${different} different`, ...(failed > 0 ? [`${failed} not compared`] : [])]
  tell('note', `Compared ${count(compared, 'DOI')}: ${amounts.join(', ')}.`)
  for (const text of await findWithdrawn(database, hidden)) tell('note', text)
  const isForced = options['resume'] === 'true'
  await resume(database, isForced ? new Map() : unsure, (text) => tell('note', text))
  const ending = different + failed === 0 ? 'done' : 'failed'
  return { ending, data: { ...counts, differences: found } }
}

const isHiddenThere = ({ field, here, there }: Difference): boolean =>
  field === 'state' && here === 'findable' && there === 'registered'

/** After a restore: records that were withdrawn, as it seems, since the backup was made. */
async function findWithdrawn(
  { read }: Database,
  hidden: readonly ProvidedIdentifier[],
): Promise<readonly string[]> {
  const restored = (await read.identifiers.pauses()).filter(({ reason }) => reason === 'restored')
  const paused = new Set(restored.map(({ provider }) => provider))
  return hidden
    .filter((each) => each.of === 'record' && paused.has(each.provider))
    .map(
      ({ value }) =>
        `${value} is hidden at DataCite, and its record is public here: it may have been withdrawn after the backup was made. If so, run: depositd record withdraw ${value} --reason REASON`,
    )
}

/** @param unsure how many identifiers of a provider could not be compared */
async function resume(
  database: Database,
  unsure: ReadonlyMap<string, number>,
  note: (text: string) => void,
): Promise<void> {
  const pauses = await database.read.identifiers.pauses()
  const restored = pauses.filter(({ reason }) => reason === 'restored')
  for (const { provider } of restored) {
    const left = unsure.get(provider) ?? 0
    if (left === 0) {
      await database.write(({ identifiers }) => identifiers.resume(provider))
      note(`What is said here is sent to ${provider} from now on.`)
    } else {
      note(
        `Nothing is sent to ${provider} yet: ${left} could not be compared. ` +
          'Run: depositd doi check once more; or, to send all the same: depositd doi check --resume',
      )
    }
  }
}

type Line = readonly [value: string, field: string, here: string, there: string]

function toLines({ identifier: { value }, differences, failure }: Compared): readonly Line[] {
  if (failure !== undefined) return [[value, 'not compared', '', failure]]
  return differences.map(({ field, here, there }) => [value, field, here, there])
}

function toObject({ subject }: ProvidedIdentifier, [value, field, here, there]: Line): JsonObject {
  return { value, record: subject, field, here, there }
}

export const doiCommands: readonly OperatorCommand[] = [
  {
    name: 'doi list',
    onlyReads: true,
    summary: 'list the DOIs with their status and record, and why DataCite refuses them',
    options: [{ flags: '--refused', summary: 'only those that DataCite refuses' }],
    kind: 'short',
    run: list,
  },
  {
    name: 'doi retry',
    summary: 'send a DOI again, or all that are refused or waiting',
    arguments: [{ name: 'id', summary: 'a DOI, a record or a deposit', isOptional: true }],
    kind: 'short',
    run: retry,
  },
  {
    name: 'doi check',
    summary:
      'compare every DOI with DataCite; prints a line for each difference, and exits with 1 if there is one',
    options: [
      { flags: '--all', summary: 'reserved ones too, which nobody may find there' },
      {
        flags: '--resume',
        summary: 'after a restore: send from now on, also if some could not be compared',
      },
    ],
    kind: 'long',
    run: check,
  },
]
