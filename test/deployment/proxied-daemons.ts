import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { freePort } from '../support/free-port.ts'
import { makeCertificate, startNginx, type Nginx } from '../support/nginx.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const examples = new URL('../../examples/deployment/nginx/', import.meta.url)

/** Daemons behind nginx, with the configuration of the example. */
export interface ProxiedDaemons extends AsyncDisposable {
  /** The public origin: https. */
  readonly origin: string
  /** The public origin over plain http. */
  readonly plain: string
  readonly certificate: string
  readonly daemons: readonly DaemonProcess[]
  readonly nginx: Nginx
  /** Lines of the access log. */
  readonly log: () => Promise<string>
}

/**
 * Starts `count` daemons, each with its own home, and nginx in front of them.
 *
 * @param rate the rate that nginx allows one client, beside the burst; that of the example by
 *   default
 */
export async function proxiedDaemons(count: number, rate = '50r/s'): Promise<ProxiedDaemons> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await temporaryFolder())
  const certificate = makeCertificate(folder)
  const [secure, plain] = [await freePort(), await freePort()]
  const origin = `https://localhost:${secure}`
  const names = { DEPOSIT_PUBLIC_URL: origin, DEPOSIT_TRUSTED_PROXIES: '127.0.0.1' }
  const daemons: DaemonProcess[] = []
  for (let made = 0; made < count; made += 1) daemons.push(stack.use(await startDaemon(names)))
  const servers = daemons.map(
    ({ url }) => `server ${new URL(url).host} max_fails=1 fail_timeout=5s;`,
  )
  const upstream = (await read('deposit-upstream.conf'))
    .replace(/server 127\.0\.0\.1:8420.*/, servers.join(' '))
    .replace(/server 127\.0\.0\.1:8421.*/, '')
  const site = (await read('deposit.conf'))
    .replaceAll('deposit.example.org', 'localhost')
    .replace('listen 443 ssl', `listen 127.0.0.1:${secure} ssl`)
    .replace('rate=50r/s', `rate=${rate}`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`)
    .replace('/etc/ssl/deposit.pem', join(folder, 'certificate.pem'))
    .replace('/etc/ssl/deposit.key', join(folder, 'key.pem'))
    .replace('/var/log/nginx/deposit.log', join(folder, 'access.log'))
  const nginx = stack.use(await startNginx(folder, upstream + site, plain))
  const owned = stack.move()
  return {
    origin,
    plain: `http://localhost:${plain}`,
    certificate,
    daemons,
    nginx,
    log: () => readFile(join(folder, 'access.log'), 'utf8'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function read(name: string): Promise<string> {
  return readFile(new URL(name, examples), 'utf8')
}
