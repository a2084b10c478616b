import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A stand-in for a daemon of another version: it knows the key of the home. */
const otherDaemon = `
  import { createHmac } from 'node:crypto'
  import { createServer } from 'node:http'
  import { rmSync, writeFileSync } from 'node:fs'
  const [home, version] = process.argv.slice(1)
  writeFileSync(home + '/owner.key', 'key', { mode: 0o600 })
  writeFileSync(home + '/daemon.lock', '')
  const server = createServer(({ url, headers }, response) => {
    const challenge = new URL(url, 'http://x').searchParams.get('challenge')
    const said = ['the daemon', challenge, headers.host, process.pid, version].join('\\n')
    const proof = createHmac('sha256', 'key').update(said).digest('base64url')
    response.end(JSON.stringify({ status: 'ok', version, proof }))
  })
  server.listen(0, '127.0.0.1', () => {
    const url = 'http://127.0.0.1:' + server.address().port
    writeFileSync(home + '/daemon.json', JSON.stringify({ pid: process.pid, url, version }))
    console.log('ready')
  })
  process.on('SIGTERM', () => { rmSync(home + '/daemon.json'); process.exit(0) })
`

/** Starts it for a home; it ends on request, or at the end of its block. */
export async function startOther(home: string, version: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', otherDaemon, home, version])
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  return { ended, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}
