import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { largeFile } from '../large-file.ts'
import { missing } from '../tools.ts'
import { run, seconds } from '../timing.ts'
import type { Target } from '../target.ts'

const silent = ['--silent', '--show-error', '--fail', '--output', '/dev/null'] as const

/** nginx's PUT of the large file: it computes no digest and does not sync. */
async function nginxPut(bench: Bench): Promise<number> {
  const path = await largeFile(bench)
  const took = await seconds(() => run('curl', [...silent, '-T', path, `${bench.nginx}/large.bin`]))
  await rm(join(bench.folder, 'dav', 'large.bin'))
  return took
}

/** An upload to a draft of its own. */
async function upload(
  bench: Bench,
  toArguments: (path: string, links: Awaited<ReturnType<Bench['draft']>>) => readonly string[],
): Promise<number> {
  const path = await largeFile(bench)
  const links = await bench.draft()
  const authorization = `Authorization: Bearer ${bench.token}`
  const took = await seconds(() =>
    run('curl', [...silent, '-H', authorization, ...toArguments(path, links)]),
  )
  await fetch(links.self, { method: 'DELETE', headers: { authorization: `Bearer ${bench.token}` } })
  return took
}

const obstacle = (): string | undefined => missing('curl', 'nginx')

export const rawUpload: Target = {
  id: 'P1',
  what: 'raw PUT of the large file ÷ nginx PUT',
  reach: { atMost: 1.35 },
  obstacle,
  round: async (bench) => ({
    reference: await nginxPut(bench),
    measured: await upload(bench, (path, { bucket }) => ['-T', path, `${bucket}/large.bin`]),
  }),
}

export const formUpload: Target = {
  id: 'P2',
  what: 'form upload of the large file ÷ nginx PUT',
  reach: { atMost: 1.7 },
  obstacle,
  round: async (bench) => ({
    reference: await nginxPut(bench),
    measured: await upload(bench, (path, { files }) => ['-F', `file=@${path}`, files]),
  }),
}
