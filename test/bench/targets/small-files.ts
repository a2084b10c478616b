import { randomBytes } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { seconds } from '../timing.ts'
import type { Target } from '../target.ts'

const count = 2000
const bytes = randomBytes(4096)

/** Written, synced and renamed one after another: what a careful program does without a service. */
async function locally(folder: string): Promise<void> {
  await mkdir(folder)
  for (let index = 0; index < count; index++) {
    const file = await open(join(folder, 'part'), 'w')
    await file.write(bytes)
    await file.sync()
    await file.close()
    await rename(join(folder, 'part'), join(folder, `f${index}`))
  }
}

async function uploaded(bucket: string, token: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let next = 0
  const sender = async (): Promise<void> => {
    while (next < count) await put(`${bucket}/f${next++}`, token, agent)
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  agent.destroy()
}

function put(url: string, token: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-length': bytes.length }
    const sent = request(url, { method: 'PUT', agent, headers }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode === 201) resolve()
        else reject(new Error(`${url}: ${answer.statusCode}`))
      })
    })
    sent.on('error', reject).end(bytes)
  })
}

export const smallFiles: Target = {
  id: 'P5',
  what: `rate of ${count} uploads of 4 KiB ÷ rate of local write, sync and rename`,
  reach: { atLeast: 1.2 },
  obstacle: () => undefined,
  round: async ({ folder, token, draft }) => {
    const { bucket } = await draft()
    const name = join(folder, `small-${performance.now()}`)
    const reference = count / (await seconds(() => locally(name)))
    return { reference, measured: count / (await seconds(() => uploaded(bucket, token))) }
  },
}
