import type { FastifyRequest } from 'fastify'

/** Milliseconds that a client has to notice that it was refused, and to stop sending. */
const lingerMs = 500

/**
 * Lets the answer reach a client that is still sending. Closing a socket with bytes unread resets
 * the connection, and a reset may overtake the answer: so what comes is thrown away for a moment.
 *
 * @see RFC 9112 §9.6
 */
export function lingerAfterAnswer({ raw }: FastifyRequest): void {
  const { socket } = raw
  socket.destroySoon = () => {
    if (socket.destroyed) return
    socket.end()
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
  }
}
