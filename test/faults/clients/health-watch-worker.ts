/** Asks for the health of a service on new connections, until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { send } from '../../support/http.ts'
import type { HealthSample } from './health-watch.ts'

const url = workerData as string
const pauseMs = 10
const samples: HealthSample[] = []
const watch = { isOver: false }

parentPort?.once('message', () => {
  watch.isOver = true
})
while (!watch.isOver) {
  const began = performance.now()
  const headers = { connection: 'close' }
  const reply = await send('GET', url, { headers }).catch(() => undefined)
  samples.push({ ms: performance.now() - began, isAnswered: reply?.status === 200 })
  await sleep(pauseMs)
}
parentPort?.postMessage(samples)
