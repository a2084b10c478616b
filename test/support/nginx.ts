import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** True if nginx and openssl are installed; reports it loudly if they are not. */
export function hasNginx(): boolean {
  const programs = [spawnSync('nginx', ['-v']), spawnSync('openssl', ['version'])]
  if (programs.every(({ status }) => status === 0)) return true
  process.stderr.write('\nSKIPPED: what stands behind a proxy needs nginx and openssl\n')
  return false
}

/** A running proxy; disposing of it removes all of it. */
export interface Nginx extends AsyncDisposable {
  /** Its log so far, from warnings on. */
  readonly complaints: () => Promise<string>
}

/**
 * Starts nginx.
 *
 * @param folder the folder of all its files
 * @param http the contents of `http { … }`
 * @param port the port that it listens on once it is ready
 */
export async function startNginx(folder: string, http: string, port: number): Promise<Nginx> {
  const [file, log] = [join(folder, 'nginx.conf'), join(folder, 'error.log')]
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const places = ['client_body', 'proxy'].map((name) => `${name}_temp_path ${folder}/${name};`)
  await writeFile(
    file,
    `${user} daemon off; pid ${folder}/nginx.pid; error_log ${log} warn;
    events { worker_connections 512; }
    http { access_log off; ${places.join(' ')} ${http} }`,
  )
  const child = spawn('nginx', ['-c', file, '-e', log], { stdio: 'inherit' })
  while (child.exitCode === null && !(await accepts(port))) await setTimeout(20)
  if (child.exitCode !== null) throw new Error(await readFile(log, 'utf8'))
  return {
    complaints: () => readFile(log, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** Makes a certificate for `localhost`: `certificate.pem` and `key.pem` in the folder. */
export function makeCertificate(folder: string): string {
  const certificate = join(folder, 'certificate.pem')
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', certificate, '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...names, ...files], { stdio: 'ignore' })
  return certificate
}

async function accepts(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}`, { redirect: 'manual' }).catch(
    () => undefined,
  )
  await answer?.body?.cancel()
  return answer !== undefined
}
