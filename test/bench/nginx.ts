import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { startProgram } from './program.ts'

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
  const url = `http://127.0.0.1:${port}`
  const server = await startProgram('nginx', ['-c', file, '-e', join(folder, 'nginx.log')], url)
  return { url, root, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function configuration(folder: string, port: number): string {
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `${user} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
    events { worker_connections 256; }
    http {
      access_log off; client_max_body_size 0; client_body_temp_path ${folder}/body; sendfile on;
      server { listen 127.0.0.1:${port}; root ${folder}/dav; dav_methods PUT DELETE MKCOL; }
    }`
}
