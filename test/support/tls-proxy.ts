import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { makeCertificate, startNginx } from './nginx.ts'
import { temporaryFolder } from './temporary-folder.ts'

const manual = new URL('../../man/deposit-sign-in.7.md', import.meta.url)

/** The TLS proxy of the manual, with its own certificate. */
export interface TlsProxy extends AsyncDisposable {
  readonly origin: string
  /** PEM file that a client has to trust. */
  readonly certificate: string
  /** Serves the daemon at this address from now on. */
  readonly start: (daemon: string) => Promise<void>
}

export async function tlsProxy(): Promise<TlsProxy> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await temporaryFolder())
  const certificate = makeCertificate(folder)
  const port = await freePort()
  const owned = stack.move()
  return {
    origin: `https://localhost:${port}`,
    certificate,
    start: async (daemon) => {
      const server = await serverOfManual(folder, port, new URL(daemon).port)
      owned.use(await startNginx(folder, server, port))
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The server block of the manual, with the port and files of this test. */
async function serverOfManual(folder: string, port: number, daemon: string): Promise<string> {
  const [, written = ''] = /```nginx\n([\s\S]+?)```/.exec(await readFile(manual, 'utf8')) ?? []
  return written
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('deposit.example.org', 'localhost')
    .replace('/etc/ssl/deposit.pem', join(folder, 'certificate.pem'))
    .replace('/etc/ssl/deposit.key', join(folder, 'key.pem'))
    .replace('127.0.0.1:8420', `127.0.0.1:${daemon}`)
    .replace('Host $host;', 'Host $host:$server_port;')
}
