import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.ts'
import { hasS3, s3Credentials, startS3 } from '../../support/s3.ts'
import { deposit } from '../command.ts'
import { curl, curlAs } from '../curl.ts'
import { startDaemon } from '../daemon.ts'
import { startNginx } from '../nginx.ts'
import { startProgram } from '../program.ts'
import { sendFiles } from '../small-files.ts'
import { run } from '../timing.ts'
import { missing } from '../tools.ts'
import type { Peer, Works } from './peer.ts'

const ours: Peer = {
  name: 'depositd',
  says: 'SHA-256 and MD5 of every byte; bytes and rows synced',
  obstacle: () => undefined,
  start: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const { links } = await daemon.draft()
    return {
      send: (file, name) => curlAs(daemon.token, '-T', file, `${links.bucket}/${name}`),
      fetch: (name) => curlAs(daemon.token, `${links.bucket}/${name}`),
      sendMany: async (count) =>
        sendFiles(count, (await daemon.draft()).links.bucket, daemon.token),
      sendFolder: async (folder) => deposit(daemon, 'upload', (await daemon.draft()).id, folder),
    }
  },
}

const oursByTus: Peer = {
  name: 'depositd, resumable',
  says: 'the same',
  obstacle: () => undefined,
  start: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const { links } = await daemon.draft()
    return { send: (file, name) => sendByTus(`${links.self}/uploads`, file, name, daemon.token) }
  },
}

const tus: Peer = {
  name: '@tus/server, @tus/file-store',
  says: 'no digest, no sync',
  obstacle: () => undefined,
  start: async (workshop, stack) => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const program = fileURLToPath(new URL('tus-server.ts', import.meta.url))
    const folder = await workshop.folder(stack)
    stack.use(await startProgram(process.execPath, [program, folder, String(port)], origin))
    return { send: (file, name) => sendByTus(`${origin}/files`, file, name) }
  },
}

const nginx: Peer = {
  name: 'nginx, WebDAV',
  says: 'no digest, no sync',
  obstacle: () => missing('nginx'),
  start: async (workshop, stack) => {
    const { url } = stack.use(await startNginx(await workshop.folder(stack)))
    return dav(url)
  },
}

const apache: Peer = {
  name: 'Apache, mod_dav',
  says: 'no digest, no sync',
  obstacle: () => missing('apache2'),
  start: async (workshop, stack) => {
    const port = await freePort()
    // It does not serve as root, and others may not look into the folders of a run.
    const open = await mkdtemp(join(tmpdir(), 'deposit-bench-dav-'))
    stack.defer(() => rm(open, { recursive: true, force: true }))
    await chmod(open, 0o777)
    const folder = await workshop.folder(stack)
    const file = join(folder, 'apache.conf')
    await writeFile(file, apacheConfiguration(folder, open, port))
    const url = `http://127.0.0.1:${port}`
    stack.use(await startProgram('apache2', ['-f', file, '-DFOREGROUND'], url))
    return dav(url)
  },
}

function apacheConfiguration(folder: string, root: string, port: number): string {
  const modules = ['mpm_event', 'authz_core', 'dav', 'dav_fs']
  const user = process.getuid?.() === 0 ? 'User www-data\nGroup www-data\n' : ''
  return `${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`).join('')}
${user}ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/apache.log
DocumentRoot ${root}
DavLockDB ${root}/.locks
LimitRequestBody 0
<Directory ${root}>
  Dav On
  Require all granted
</Directory>
`
}

const rclone: Peer = {
  name: 'rclone serve webdav',
  says: 'no digest, no sync',
  obstacle: () => missing('rclone'),
  start: async (workshop, stack) => {
    const [folder, url] = [await workshop.folder(stack), `http://127.0.0.1:${await freePort()}`]
    const served = ['serve', 'webdav', folder, '--addr', new URL(url).host, '--log-level', 'ERROR']
    stack.use(await startProgram('rclone', served, url))
    return {
      ...dav(url),
      sendFolder: (from, name) =>
        run('rclone', ['copy', from, `:webdav:${name}`, '--webdav-url', url, '--transfers', '16']),
    }
  },
}

const swift: Peer = {
  name: 'OpenStack Swift, in one process',
  says: 'MD5 of every byte; bytes synced; all by s3cmd',
  obstacle: () => (hasS3() ? missing('s3cmd') : 'python3-swift is not installed'),
  start: async (workshop, stack) => {
    const { endpoint } = stack.use(await startS3())
    const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = s3Credentials
    const host = new URL(endpoint).host
    const folder = await workshop.folder(stack)
    const config = join(folder, 's3cfg')
    await writeFile(
      config,
      `access_key = ${access}\nsecret_key = ${secret}\nhost_base = ${host}\nhost_bucket = ${host}\nuse_https = False\nbucket_location = us-east-1\n`,
    )
    const s3cmd = (...args: readonly string[]) => run('s3cmd', ['-c', config, '-q', ...args])
    await s3cmd('mb', 's3://files')
    return {
      send: (file, name) => s3cmd('put', file, `s3://files/${name}`),
      fetch: (name) => s3cmd('get', '--force', `s3://files/${name}`, join(folder, 'fetched')),
      sendFolder: (from, name) => s3cmd('sync', `${from}/`, `s3://files/${name}/`),
    }
  },
}

const annex: Peer = {
  name: 'git annex, to a folder',
  says: 'SHA-256 of every byte, no sync',
  obstacle: () => missing('git', 'git-annex'),
  start: async (workshop, stack) => ({
    sendFolder: async (from) => {
      const [repository, remote] = [await workshop.folder(stack), await workshop.folder(stack)]
      const git = (...args: readonly string[]) =>
        run('git', [
          '-C',
          repository,
          '-c',
          'user.name=Bench',
          '-c',
          'user.email=bench@example.org',
          ...args,
        ])
      await git('init', '-q')
      await git('annex', 'init', '-q')
      await git(
        'annex',
        'initremote',
        'there',
        '-q',
        'type=directory',
        `directory=${remote}`,
        'encryption=none',
      )
      await run('cp', ['-r', `${from}/.`, repository])
      await git('annex', 'add', '-q', '.')
      await git('annex', 'copy', '-q', '-J16', '--to', 'there')
      await run('chmod', ['-R', 'u+w', repository, remote])
    },
  }),
}

/** Every one, ours first. */
export const peers: readonly Peer[] = [ours, oursByTus, tus, nginx, apache, rclone, swift, annex]

/** A server that stores what is PUT. */
function dav(url: string): Works {
  return {
    send: (file, name) => curl('-T', file, `${url}/${name}`),
    fetch: (name) => curl(`${url}/${name}`),
    sendMany: async (count, name) => {
      await curl('-X', 'MKCOL', `${url}/${name}/`)
      await sendFiles(count, `${url}/${name}`)
    },
  }
}

/** Makes an upload and sends all of it in one request. */
async function sendByTus(url: string, file: string, name: string, token?: string): Promise<void> {
  const { size } = await stat(file)
  const version = { 'tus-resumable': '1.0.0' }
  const signedIn = token === undefined ? undefined : { authorization: `Bearer ${token}` }
  const made = await fetch(url, {
    method: 'POST',
    headers: {
      ...version,
      ...signedIn,
      'upload-length': String(size),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
    },
  })
  const location = new URL(made.headers.get('location') ?? '', url).href
  const headers = {
    ...version,
    ...signedIn,
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  const sent = Object.entries(headers).flatMap(([key, value]) => ['-H', `${key}: ${value}`])
  await curl(...sent, '-X', 'PATCH', '-T', file, location)
}
