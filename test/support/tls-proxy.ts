import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryFolder } from './temporary-folder.ts'

const manual = new URL('../../man/deposit-sign-in.7.md', import.meta.url)

/** True where nginx and openssl are there; says so loudly where they are not. */
export function hasNginx(): boolean {
  const programs = [spawnSync('nginx', ['-v']), spawnSync('openssl', ['version'])]
  if (programs.every(({ status }) => status === 0)) return true
  process.stderr.write('\nSKIPPED: the sign-in behind a proxy needs nginx and openssl\n')
  return false
}

/** A proxy with TLS as the manual has it, with a certificate of its own. */
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
      const file = join(folder, 'nginx.conf')
      await writeFile(file, await configuration(folder, port, new URL(daemon).port))
      const args = ['-c', file, '-e', join(folder, 'error.log')]
      const child = spawn('nginx', args, { stdio: 'inherit' })
      owned.defer(async () => {
        child.kill()
        if (child.exitCode === null) await once(child, 'exit')
      })
      while (child.exitCode === null && !(await accepts(port))) await setTimeout(20)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The server of the manual, on a port and with files of this test. */
async function configuration(folder: string, port: number, daemon: string): Promise<string> {
  const [, written = ''] = /```nginx\n([\s\S]+?)```/.exec(await readFile(manual, 'utf8')) ?? []
  const server = written
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('deposit.example.org', 'localhost')
    .replace('/etc/ssl/deposit.pem', join(folder, 'certificate.pem'))
    .replace('/etc/ssl/deposit.key', join(folder, 'key.pem'))
    .replace('127.0.0.1:8420', `127.0.0.1:${daemon}`)
    .replace('Host $host;', 'Host $host:$server_port;')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `${user} daemon off; pid ${folder}/nginx.pid;
    events { worker_connections 64; }
    http { access_log off; client_body_temp_path ${folder}/body; ${server} }`
}

function makeCertificate(folder: string): string {
  const certificate = join(folder, 'certificate.pem')
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', certificate, '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...names, ...files], { stdio: 'ignore' })
  return certificate
}

async function accepts(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)
  await answer?.body?.cancel()
  return answer !== undefined
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address === 'object' && address) return address.port
  throw new Error('there is no free port')
}
