import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

interface Nginx extends AsyncDisposable {
  readonly url: string
  /** The folder that is served below `url`. */
  readonly root: string
}

/** nginx with WebDAV's PUT and static files, entirely in `folder`. */
export async function startNginx(folder: string): Promise<Nginx> {
  const port = await freePort()
  const root = join(folder, 'dav')
  await mkdir(root)
  const file = join(folder, 'nginx.conf')
  await writeFile(file, configuration(folder, port))
  const child = spawn('nginx', ['-c', file, '-e', join(folder, 'nginx.log')], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    await setTimeout(20)
  }
  return {
    url,
    root,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await ended
    },
  }
}

function configuration(folder: string, port: number): string {
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `${user} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
    events { worker_connections 256; }
    http {
      access_log off; client_max_body_size 0; client_body_temp_path ${folder}/body; sendfile on;
      server { listen 127.0.0.1:${port}; root ${folder}/dav; dav_methods PUT DELETE; }
    }`
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
