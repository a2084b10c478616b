import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

/** Starts a server, and waits until it answers at `url`; disposing of it ends it. */
export async function startProgram(
  command: string,
  args: readonly string[],
  url: string,
  env: NodeJS.ProcessEnv = {},
): Promise<AsyncDisposable> {
  const child = spawn(command, args, {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  const ended = once(child, 'exit')
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`)
    await setTimeout(20)
  }
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await ended
    },
  }
}
