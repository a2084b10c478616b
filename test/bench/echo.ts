import { fastify } from 'fastify'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fork } from 'node:child_process'

/** The bare Fastify that requests are compared with, in a process of its own. */
export async function startEcho(): Promise<AsyncDisposable & { readonly url: string }> {
  const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, ECHO: '1' } })
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}

if (process.env['ECHO'] === '1' && process.send) {
  const app = fastify()
  app.post('/', async (request) => request.body)
  app.get('/', async () => ({ title: 'A small document for measuring' }))
  process.send(await app.listen({ host: '127.0.0.1', port: 0 }))
}
