import {
  compareIdentifiers,
  mostFailures,
  parseDepositId,
  storedArk,
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
  const paused = await restoredProviders(database)
  const isHeld = asked.some(({ provider }) => paused.has(provider))
  const what = asked.some(({ scheme }) => scheme !== 'doi') ? 'identifier' : 'DOI'
  const [many, are] = [count(values.length, what), values.length === 1 ? 'is' : 'are']
  const said = isHeld
    ? `${many} will be sent after: depositd doi check`
    : `${many} ${are} sent again.`
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
  const stored = /^ark:/i.test(id) ? storedArk(id) : id.toLowerCase()
  const one = (await identifiers.find(id)) ?? (await identifiers.find(stored))
  const ofRecord = (await identifiers.ofSubjects([id])).get(id) ?? []
  const deposit = parseDepositId(id)
  const ofDeposit = (await identifiers.ofDeposits([deposit])).get(deposit) ?? []
  const found = [...(one ? [one] : []), ...ofRecord, ...ofDeposit]
  if (found.length === 0) throw new OperatorFailure(`${id} has no DOI.`)
  // One that is reserved and known outside is hidden there.
  const sent = found.filter(
    ({ status, registered }) => status !== 'reserved' || registered !== undefined,
  )
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
  const paused = await restoredProviders(database)
  const found: JsonObject[] = []
  const counts = { compared: 0, different: 0, failed: 0 }
  const schemes = new Set<string>()
  const unsure = new Map<string, number>()
  const hidden: ProvidedIdentifier[] = []
  const drafts: Compared[] = []
  const leftOut = new Map<string, number>()
  // What was reserved when the backup was made may have been published since.
  const all = options['all'] === 'true' || paused.size > 0
  for await (const each of compareIdentifiers({ ...identifiers, database }, { all, signal })) {
    const { provider, scheme, status, registered } = each.identifier
    counts.compared += 1
    schemes.add(scheme)
    if (each.failure !== undefined) {
      counts.failed += 1
      unsure.set(provider, (unsure.get(provider) ?? 0) + 1)
    } else if (each.differences.length > 0) {
      counts.different += 1
      if (status === 'reserved') drafts.push(each)
    }
    if (each.isLeftOut) {
      leftOut.set(provider, (leftOut.get(provider) ?? 0) + 1)
      continue
    }
    const isPaused = paused.has(provider) && registered !== undefined
    if (isPaused && each.differences.some(isHiddenThere)) hidden.push(each.identifier)
    for (const line of toLines(each)) {
      tell('result', line.join('\t'))
      found.push(toObject(each.identifier, line))
    }
    progress(counts.compared)
  }
  const { compared, different, failed } = counts
  const amounts = [`${different} different`, ...(failed > 0 ? [`${failed} not compared`] : [])]
  const what = schemes.size > 0 && !isAlone(schemes, 'doi') ? 'identifier' : 'DOI'
  tell('note', `Compared ${count(compared, what)}: ${amounts.join(', ')}.`)
  for (const [provider, left] of leftOut) tell('note', tellLeftOut(provider, left))
  const known = drafts.map(({ identifier }) => identifier.value)
  await database.write((unit) => unit.identifiers.meet(known, parts.clock.now()))
  for (const text of [...drafts.flatMap(tellDraft), ...hidden.flatMap(tellHidden)])
    tell('note', text)
  const isForced = options['resume'] === 'true'
  const doubtful = isForced ? new Map<string, string>() : whyPaused(unsure, hidden)
  for (const provider of paused) tell('note', await resume(database, provider, doubtful))
  const ending = different + failed === 0 ? 'done' : 'failed'
  return { ending, data: { ...counts, differences: found } }
}

function isAlone(names: ReadonlySet<string>, name: string): boolean {
  return names.size === 1 && names.has(name)
}

function tellLeftOut(provider: string, left: number): string {
  return `${provider} failed ${mostFailures} times in a row, and was not asked about ${count(left, 'other')}. See why it fails: depositd config check`
}

/** Names of the providers that nothing is sent to since the rows were restored. */
async function restoredProviders({ read }: Database): Promise<ReadonlySet<string>> {
  const pauses = await read.identifiers.pauses()
  const restored = pauses.filter(({ reason }) => reason === 'restored')
  return new Set(restored.map(({ provider }) => provider))
}

const isHiddenThere = ({ field, here, there }: Difference): boolean =>
  field === 'state' && here === 'findable' && there === 'registered'

/** A record that is a draft here, and is known outside: as after a restore. */
function tellDraft({ identifier, differences }: Compared): readonly string[] {
  const { of, value, provider, deposit } = identifier
  if (of !== 'record') return []
  const there = differences.find(({ field }) => field === 'state')?.there ?? 'known'
  return [
    `${value} is ${there} at ${provider}, and its record is the draft ${deposit} here: it was published after the backup was made, as it seems. ` +
      `The draft is kept: it cannot be deleted. Its owner can publish it again: deposit publish ${deposit}. Until then, hide its DOI: depositd doi retry ${value}`,
  ]
}

/** A record that was withdrawn, as it seems, since the backup was made. */
function tellHidden({ of, value }: ProvidedIdentifier): readonly string[] {
  if (of !== 'record') return []
  return [
    `${value} is hidden at DataCite, and its record is public here: it may have been withdrawn after the backup was made. If so, run: depositd record withdraw ${value} --reason REASON`,
  ]
}

/** By provider, why what is said here is not sent yet. */
function whyPaused(
  unsure: ReadonlyMap<string, number>,
  hidden: readonly ProvidedIdentifier[],
): ReadonlyMap<string, string> {
  const withdrawn = Map.groupBy(hidden, ({ provider }) => provider)
  const providers = new Set([...unsure.keys(), ...withdrawn.keys()])
  return new Map(
    [...providers].map((provider) => {
      const left = unsure.get(provider) ?? 0
      const others = (withdrawn.get(provider) ?? []).filter(({ of }) => of === 'record').length
      const reasons = [
        ...(left > 0 ? [`${left} could not be compared`] : []),
        ...(others > 0 ? [`${others} may have been withdrawn, and would be found again`] : []),
      ]
      return [provider, reasons.join(', ')]
    }),
  )
}

/** @returns what is sent to the provider from now on */
async function resume(
  database: Database,
  provider: string,
  doubtful: ReadonlyMap<string, string>,
): Promise<string> {
  const reason = doubtful.get(provider) ?? ''
  if (reason !== '') {
    return (
      `Nothing is sent to ${provider} yet: ${reason}. ` +
      'Run: depositd doi check once more; or, to send all the same: depositd doi check --resume'
    )
  }
  await database.write(({ identifiers }) => identifiers.resume(provider))
  return `What is said here is sent to ${provider} from now on.`
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
      {
        flags: '--all',
        summary: 'reserved ones too, which nobody may find there; always after a restore',
      },
      {
        flags: '--resume',
        summary: 'after a restore: send from now on, also if some could not be compared',
      },
    ],
    kind: 'long',
    run: check,
  },
]
