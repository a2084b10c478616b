import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { largeFile } from '../large-file.ts'
import { missing } from '../tools.ts'
import { run, seconds } from '../timing.ts'
import type { Target } from '../target.ts'

const silent = ['--silent', '--show-error', '--fail', '--output', '/dev/null'] as const

export const download: Target = {
  id: 'P12',
  what: 'GET of the large file ÷ nginx’s static file',
  reach: { atMost: 1.3 },
  obstacle: () => missing('curl', 'nginx'),
  round: async (bench) => {
    const path = await largeFile(bench)
    await copyFile(path, join(bench.folder, 'dav', 'static.bin'))
    const reference = await seconds(() => run('curl', [...silent, `${bench.nginx}/static.bin`]))
    const { bucket } = await bench.draft()
    const signedIn = [...silent, '-H', `Authorization: Bearer ${bench.token}`]
    await run('curl', [...signedIn, '-T', path, `${bucket}/large.bin`])
    const measured = await seconds(() => run('curl', [...signedIn, `${bucket}/large.bin`]))
    return { measured, reference }
  },
}
