import type { FastifyInstance } from 'fastify'
import { advice } from '../advice.ts'
import type { DaemonConfig } from '../config/config.ts'
import { StartFailure } from '../start-failure.ts'
import { codeOf } from '../../core/base/errno.ts'

/**
 * Accepts requests at the configured host and port.
 *
 * @returns scheme, host and port as clients see them
 * @throws {StartFailure} the port is taken or may not be used
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<DaemonConfig, 'host' | 'port'>,
): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE') {
      const next = advice.useOtherPort()
      throw new StartFailure('unavailable', `Port ${port} is taken.`, { cause: error, next })
    }
    if (code === 'EACCES') {
      throw new StartFailure('no_permission', `Port ${port} may not be used.`, { cause: error })
    }
    throw error
  }
  const address = app.server.address()
  const bound = typeof address === 'object' ? address?.port : undefined
  return `http://${reachable(host)}:${bound ?? port}`
}

/** An address by which this machine reaches the host it listens on. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
