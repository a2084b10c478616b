import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { PostgresLocks } from '../../core/adapters/postgres/postgres-locks.ts'
import { newBlobId } from '../../core/files/file.ts'
import { UploadLocks } from '../../daemon/api/uploads/upload-locks.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'

const nothing = { giveWay: () => {}, lost: () => {} }

describe.skipIf(!hasPostgres())('locks of several daemons', () => {
  const stack = new AsyncDisposableStack()
  let url: string
  let one: PostgresLocks
  let two: PostgresLocks
  beforeAll(async () => {
    const server = stack.use(await startPostgres())
    url = await server.database(randomUUID())
    one = stack.use(new PostgresLocks(url, { patience: 600 }))
    two = stack.use(new PostgresLocks(url))
  })
  afterAll(() => stack.disposeAsync())

  it('are held by one of them, and by others under other names', async () => {
    const held = await two.take('a', nothing)
    expect(await one.take('a', nothing)).toBeUndefined()
    const other = await one.take('b', nothing)
    expect(await other?.release()).toBe(true)
    expect(await held?.release()).toBe(true)
    const next = await one.take('a', nothing)
    expect(await next?.release()).toBe(true)
  })

  it('are asked back from who holds them, and from who waits', async () => {
    const holder = Promise.withResolvers<void>()
    const held = await one.take('c', { ...nothing, giveWay: holder.resolve })
    const waiting = new AbortController()
    const wait = two.take('c', {
      ...nothing,
      giveWay: () => waiting.abort(),
      signal: waiting.signal,
    })
    await holder.promise
    await using three = new PostgresLocks(url)
    const last = three.take('c', nothing)

    await expect(wait).rejects.toMatchObject({ name: 'AbortError' })
    await held?.release()
    expect(await (await last)?.release()).toBe(true)
  })

  it('are given to others when the connection breaks off, and its holder is told', async () => {
    const lost = Promise.withResolvers<void>()
    const held = await one.take('d', { ...nothing, lost: lost.resolve })
    held?.requireHeld()
    await using db = openPostgres(url, { connections: 1 })
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`.execute(
      db,
    )
    await lost.promise

    expect(() => held?.requireHeld()).toThrow(/Ask with HEAD/)
    expect(await held?.release()).toBe(false)
    const next = await two.take('d', nothing)
    expect(await next?.release()).toBe(true)
    const again = await one.take('d', nothing)
    expect(await again?.release()).toBe(true)
  })

  it('are given up while the server is silent, and nothing is written without a sign', async () => {
    await using line = await silentLine(url)
    const signs = { every: 100, patience: 1_000, fresh: 300 }
    await using far = new PostgresLocks(line.url, { signs })
    const lost = Promise.withResolvers<void>()
    const held = await far.take('e', { ...nothing, lost: lost.resolve })
    held?.requireHeld()
    line.fallSilent()

    await expect.poll(() => wasThrown(() => held?.requireHeld())).toBe(true)
    await lost.promise
    expect(await held?.release()).toBe(false)
  })

  it('of an upload are not waited for longer than its client can be asked to', async () => {
    const id = newBlobId()
    const begun = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const stuck = new UploadLocks(two).runToEnd([id], () => {
      begun.resolve()
      return over.promise
    })
    await begun.promise
    const asked = new UploadLocks(one).run([id], async () => 'done')

    await expect(asked).rejects.toMatchObject({ code: 'upload_locked' })
    over.resolve()
    await stuck
    expect(await new UploadLocks(one).run([id], async () => 'done')).toBe('done')
  })

  it('acknowledge no work whose lock was lost before its end', async () => {
    const work = new UploadLocks(one).run([newBlobId()], async () => {
      await using db = openPostgres(url, { connections: 1 })
      await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`.execute(
        db,
      )
      return 'done'
    })

    await expect(work).rejects.toMatchObject({ code: 'storage_unavailable' })
  })
})

interface SilentLine extends AsyncDisposable {
  readonly url: string
  /** From now on nothing passes, in either direction. */
  readonly fallSilent: () => void
}

/** Passes bytes on to the server at `url`. */
async function silentLine(url: string): Promise<SilentLine> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const own = typeof address === 'object' ? String(address?.port) : ''
  return {
    url: Object.assign(new URL(url), { port: own }).href,
    fallSilent: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function wasThrown(work: () => void): boolean {
  try {
    work()
    return false
  } catch {
    return true
  }
}
