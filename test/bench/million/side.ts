import { Client } from '../client.ts'
import { startSettled, type Daemon } from '../daemon.ts'
import type { Home } from '../home.ts'

/** A daemon on a database of one size, and its clients. */
export interface Side extends AsyncDisposable {
  readonly deposits: number
  readonly daemon: Daemon
  readonly owner: Client
  readonly admin: Client
  readonly visitor: Client
}

export async function startSide(deposits: number, home: Home): Promise<Side> {
  await using stack = new AsyncDisposableStack()
  const daemon = stack.use(await startSettled(home))
  const owner = stack.use(new Client(daemon.token))
  const admin = stack.use(new Client(daemon.adminToken))
  const visitor = stack.use(new Client())
  const owned = stack.move()
  return {
    deposits,
    daemon,
    owner,
    admin,
    visitor,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
