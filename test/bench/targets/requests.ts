import { missing } from '../tools.ts'
import { requestRate } from '../timing.ts'
import type { Target } from '../target.ts'

const json = { title: 'A small document for measuring', keywords: ['a', 'b'] }
const obstacle = (): string | undefined => missing('wrk')

export const create: Target = {
  id: 'P6',
  what: 'create a deposit, 32 connections ÷ bare Fastify echo (rate)',
  reach: { atLeast: 0.2 },
  obstacle,
  round: async ({ echo, folder, daemon, token }) => ({
    reference: await requestRate({ url: echo, folder, json }),
    measured: await requestRate({ url: `${daemon.url}/api/deposits`, folder, token, json }),
  }),
}

export const read: Target = {
  id: 'P7',
  what: 'GET of a deposit, 32 connections ÷ bare Fastify (rate)',
  reach: { atLeast: 0.4 },
  obstacle,
  round: async ({ echo, folder, token, draft }) => {
    const { self } = await draft()
    return {
      reference: await requestRate({ url: echo, folder }),
      measured: await requestRate({ url: self, folder, token }),
    }
  },
}
