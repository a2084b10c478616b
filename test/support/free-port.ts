import { once } from 'node:events'
import { createServer } from 'node:net'
import { randomInt } from 'node:crypto'

/**
 * A free port, for a server that is restarted on the same one. It is below the range that systems
 * give to outgoing connections and to `listen(0)`, so no other process gets it between two starts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
