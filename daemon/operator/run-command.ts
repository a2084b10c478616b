import type { Environment } from '../config/environment.ts'
import { Readable } from 'node:stream'
import { formatBytes } from '../../core/base/amounts.ts'
import { plainJson } from '../../core/base/plain.ts'
import { actAs, systemClock, type Act, type Database } from '../../core/index.ts'
import { advice } from '../advice.ts'
import { readConfig } from '../config/config.ts'
import { originIn } from '../config/exposure.ts'
import { recordLinksAt } from '../config/links.ts'
import { homeAt, requireReadableHome, type Home } from '../home/home.ts'
import { lockForReading, lockHome } from '../home/home-lock.ts'
import { openDatabase, schemaState } from '../stores/open-stores.ts'
import { openOwnBlobs } from '../stores/store-owner.ts'
import { requireLatestStore } from '../stores/other-users.ts'
import { requireUnusedStore } from '../stores/store-use.ts'
import { requireAllRows } from '../stores/unfinished-rows.ts'
import { placeOf } from '../home/place.ts'
import { exitStatus } from '../start-failure.ts'
import { askDaemon, callDaemon } from './command/ask.ts'
import { deedOf, noteCommand, withPlace } from './run-in-daemon.ts'
import { copyStores, findHome, requireHome, requireStores } from './command/open-home.ts'
import type { FoundHome } from './command/open-home.ts'
import { FailureInDaemon, failureOf, OperatorFailure } from './command/operator-failure.ts'
import {
  noIndex,
  type Data,
  type Done,
  type OperatorCommand,
  type Options,
  type Outcome,
  type Voice,
} from './command/operator-command.ts'
import { tellTime, terminalVoice } from './command/terminal-voice.ts'
import { thereOrHere } from './command/there-or-here.ts'
import { repeat } from './command/transcript.ts'

/** A command that was typed. */
interface Typed {
  readonly command: Exclude<OperatorCommand, { kind: 'settings' }>
  readonly options: Options
  readonly voice: Voice
}

/**
 * Carries out a command: in the daemon where one runs, else here. Prints what it has to say, and
 * sets the exit status.
 */
export async function runCommand(
  env: Environment,
  command: OperatorCommand,
  given: Options,
  asJson: boolean,
): Promise<void> {
  const voice = terminalVoice(asJson)
  try {
    const options = (await command.before?.(given)) ?? given
    const { ending, data } =
      command.kind === 'settings'
        ? await command.run(env, voice)
        : await carryOut(await findHome(env, command, options), { command, options, voice })
    if (asJson) process.stdout.write(`${plainJson(data, 2)}\n`)
    process.exitCode = exitStatus[ending]
  } catch (caught) {
    const stopped = new OperatorFailure(
      `${command.name} was stopped before its end.`,
      advice.runAgain(),
    )
    const error = voice.signal.aborted ? stopped : caught
    if (command.kind !== 'settings' && !(error instanceof FailureInDaemon)) {
      await noteFailure(env, command.name, given, failureOf(error).message)
    }
    if (asJson) {
      process.stdout.write(`${plainJson({ error: { ...failureOf(error) } })}\n`)
    }
    throw error
  }
}

interface Ended {
  readonly ending: Done['ending']
  readonly data: Data
}

async function carryOut(found: FoundHome, typed: Typed): Promise<Ended> {
  const { command, options, voice } = typed
  const { home } = found
  switch (command.kind) {
    case 'short': {
      using _ = command.doing ? tellTime(voice, command.doing(options)) : undefined
      const made = await thereOrHere(
        () => askDaemon(home, command.name, options),
        () => locked(found, typed, (here) => shortHere(found, command.run, typed, here)),
      )
      const { notes, results, data } = (await command.after?.(made, options)) ?? made
      for (const note of notes) voice.tell('note', note)
      for (const result of results) voice.tell('result', result)
      return { ending: 'done', data }
    }
    case 'long':
      return thereOrHere(
        () => longThere(home, typed),
        () => locked(found, typed, (here) => longHere(found, command.run, typed, here)),
        voice.signal,
      )
    case 'alone':
      return locked(found, typed, async ({ report }) => {
        const { ending, data, notedIn = home } = await command.run(home, options, voice)
        await using database = await openDatabase(notedIn, report)
        await noteCommand(database, command.name, options)
        return { ending, data: { ...data, ...placeOf(home) } }
      })
  }
}

interface Here {
  /** Called with failures that no caller waits for. */
  readonly report: (error: unknown) => void
  /** The home, or a copy of its stores where nothing may be written there. */
  readonly stores: Home
}

/** Has the home while `work` is done. */
async function locked<Result extends object>(
  { home, isReadOnly }: FoundHome,
  { command, voice }: Typed,
  work: (here: Here) => Promise<Result>,
): Promise<Result> {
  const report = (error: unknown): void => voice.tell('note', String(error))
  await using stack = new AsyncDisposableStack()
  if (isReadOnly) {
    stack.use(await lockForReading(home))
    const { home: stores, size } = stack.use(await copyStores(home))
    await requireStores({ ...home, database: stores.database }, command)
    const said = `${home.root} is read-only: this reads a copy of its databases (${formatBytes(size)}) in ${stores.root}.`
    voice.tell('note', `${said} This command is not in the audit trail.`)
    return await work({ report, stores })
  }
  stack.use(await lockHome(home))
  await requireStores(home, command)
  return await work({ report, stores: home })
}

/** Runs a command on the rows of this process, and notes it in the audit trail. */
async function noted<Result>(
  database: Database,
  { command, options }: Pick<Typed, 'command' | 'options'>,
  isReadOnly: boolean,
  run: () => Promise<Result>,
): Promise<Result> {
  if (isReadOnly) return run()
  const { begin, words } = deedOf(command.name, options)
  let isNoted = false
  const act: Act = {
    begin,
    tell: async (unit) => ({ who: 'owner', what: await words(unit) }),
    noted: () => {
      isNoted = true
    },
  }
  const result = await actAs(act, run)
  if (!isNoted) await noteCommand(database, command.name, options)
  return result
}

/** Notes a command that failed here; without a home that can be written the entry is lost. */
async function noteFailure(
  env: Environment,
  command: string,
  options: Options,
  failed: string,
): Promise<void> {
  try {
    const config = await readConfig(env)
    const home = homeAt(config.home, config)
    if (await callDaemon(home, '/local/note', { command, options, failed })) return
    await requireHome(home)
    await requireReadableHome(home.root, config)
    // Before there are rows, the lock would be the first file of a home that was refused.
    if ((await schemaState(home)) !== 'current') return
    using _ = await lockHome(home)
    await using database = await openDatabase(home, () => {})
    await noteCommand(database, command, options, failed)
  } catch {
    // The home may be missing, or another user's: the command says so itself.
  }
}

async function shortHere(
  { home, config, isReadOnly }: FoundHome,
  run: Extract<OperatorCommand, { kind: 'short' }>['run'],
  typed: Typed,
  { report, stores }: Here,
): Promise<Outcome> {
  await using database = await openDatabase(stores, report)
  await requireAllRows(database)
  const { issuer } = config
  let isAsked = false
  const origin = (): string => {
    isAsked = true
    return originIn(config.values)
  }
  const context = { database, clock: systemClock, origin, issuer, index: noIndex }
  const outcome = await noted(database, typed, isReadOnly, () => run(context, typed.options))
  const isGuessed = isAsked && config.exposure.publicOrigin === undefined
  const notes = isGuessed ? [...outcome.notes, guessed(originIn(config.values))] : outcome.notes
  return withPlace({ ...outcome, notes }, home)
}

function guessed(origin: string): string {
  const said = `The address ${origin} is a guess: no daemon runs, and DEPOSIT_PUBLIC_URL is not set.`
  return `${said} ${advice.makeLinksAgain()}`
}

/** Undefined where no daemon runs. */
async function longThere(
  home: Home,
  { command, options, voice }: Typed,
): Promise<Done | undefined> {
  const asked = { command: command.name, options }
  const response = await callDaemon(home, '/local/work', asked, voice.signal)
  if (!response?.body) return undefined
  return repeat(Readable.fromWeb(response.body), voice)
}

async function longHere(
  { home, config, isReadOnly }: FoundHome,
  run: Extract<OperatorCommand, { kind: 'long' }>['run'],
  typed: Typed,
  { report, stores }: Here,
): Promise<Done> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openDatabase(stores, report))
  const blobs = stack.use(await openOwnBlobs(stores, { database, report }))
  // To rows that miss the changes of those they were copied from, bytes are garbage.
  const mayChange = !typed.command.onlyReads && !database.isShared
  if (mayChange) {
    await requireUnusedStore(home, `depositd ${typed.command.name}`)
    await requireLatestStore(home)
  }
  const addresses = {
    origin: () => originIn(config.values),
    isGuessed: config.exposure.publicOrigin === undefined,
    recordLinks: (origin: string) => recordLinksAt(config, origin),
  }
  const context = {
    parts: { database, blobs, clock: systemClock },
    home,
    isReadOnly,
    addresses,
    issuer: config.issuer,
  }
  const { options, voice } = typed
  const { ending, data } = await noted(database, typed, isReadOnly, () =>
    run(context, options, voice),
  )
  return { ending, data: { ...data, ...placeOf(home) } }
}
