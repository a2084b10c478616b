import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Loopback addresses as sources, because a single one has too few ports. */
const sources = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']

/** The number of sockets that wait to be accepted at once. */
const batch = 250

/** Many sockets of badly behaved clients. */
export class ManySockets implements Disposable {
  readonly #open = new Set<Socket>()
  #made = 0

  /** Opens `count` of them, as far as the system permits; calls `begin` for each. */
  async open(
    url: string,
    count: number,
    begin: (socket: Socket) => void = () => {},
  ): Promise<void> {
    const { hostname: host, port } = new URL(url)
    for (let at = 0; at < count; at += 1) {
      const localAddress = sources[at % sources.length] ?? '127.0.0.1'
      const socket = connect({ host, port: Number(port), localAddress })
      socket.on('error', () => {})
      socket.on('connect', () => {
        this.#made += 1
        this.#open.add(socket)
        begin(socket)
      })
      socket.on('close', () => this.#open.delete(socket))
      if (at % batch === batch - 1) await sleep(50)
    }
    await sleep(500)
  }

  /** Number of connected sockets. */
  get made(): number {
    return this.#made
  }

  /** Number of them still open. */
  get left(): number {
    return this.#open.size
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open) socket.destroy()
  }
}
