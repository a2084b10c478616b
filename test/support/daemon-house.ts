import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'
import { operateAsOwner } from './owner.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Without `env`, the daemon of that number is to stop. */
export interface Asked {
  readonly id: number
  readonly env?: NodeJS.ProcessEnv
}

export interface Answer {
  readonly id: number
  readonly url?: string
  readonly failure?: string
}

/** A daemon with a temporary home, in a process that it shares with others. */
export interface HousedDaemon extends AsyncDisposable {
  /** Origin, without a slash at the end. */
  readonly url: string
  readonly home: string
  /** Runs an operator's command in it; answers the lines that it prints. */
  readonly operate: (
    command: string,
    options?: Readonly<Record<string, string>>,
  ) => Promise<readonly string[]>
}

/**
 * Starts a daemon beside the others that this process has asked for, in one process that outlives
 * them: a program that is loaded and warm makes a daemon for a sixth of what a new process takes. Its
 * log is lost, and it cannot be killed: `daemon-process.ts` starts one for which that matters.
 */
export async function houseDaemon(environment: NodeJS.ProcessEnv = {}): Promise<HousedDaemon> {
  await using stack = new AsyncDisposableStack()
  const { path: home } = stack.use(await temporaryFolder())
  const id = (count += 1)
  const env = { ...process.env, ...environment, DEPOSIT_HOME: home }
  const url = await ask({ id, env })
  stack.defer(async () => void (await ask({ id })))
  const owned = stack.move()
  return {
    url,
    home,
    operate: (command, options) => operateAsOwner(url, home, command, options),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

let count = 0
let house: ChildProcess | undefined
const waiting = new Map<number, PromiseWithResolvers<string>>()

function ask(asked: Asked): Promise<string> {
  const answered = Promise.withResolvers<string>()
  waiting.set(asked.id, answered)
  house ??= openHouse()
  house.send(asked)
  return answered.promise
}

/** Ends with this process, whose channel it holds; it does not keep this process from ending. */
function openHouse(): ChildProcess {
  const program = fileURLToPath(new URL('daemon-house.process.ts', import.meta.url))
  const child = fork(program, { env: { ...process.env, ...compileCache() }, execArgv: [] })
  child.on('message', ({ id, url, failure }: Answer) => {
    if (failure === undefined) waiting.get(id)?.resolve(url ?? '')
    else waiting.get(id)?.reject(new Error(failure))
    waiting.delete(id)
  })
  child.once('exit', (status) => {
    house = undefined
    for (const each of waiting.values())
      each.reject(new Error(`the process of the daemons ended with ${status}`))
    waiting.clear()
  })
  child.unref()
  child.channel?.unref()
  return child
}
