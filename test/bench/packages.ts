import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { Client } from './client.ts'
import type { Daemon, Draft } from './daemon.ts'

/** Publishes a draft; resolves to the address of its package. */
export async function publishPackage(daemon: Daemon, draft: Draft): Promise<string> {
  using client = new Client(daemon.token)
  await client.time(draft.links.publish, 'POST')
  const { links } = (await client.json(draft.links.self)) as { links: { record: string } }
  return `${links.record}/packages/zip`
}

/** Resolves once the first bytes of the body have arrived; the others are not read. */
export async function firstBytes(url: string): Promise<void> {
  const answer = await openAnswer(url)
  await once(answer, 'data')
  answer.destroy()
}

/** Resolves when the answer begins. */
export async function openAnswer(url: string): Promise<IncomingMessage> {
  const [answer] = (await once(request(url, { agent: false }).end(), 'response')) as [
    IncomingMessage,
  ]
  return answer
}
