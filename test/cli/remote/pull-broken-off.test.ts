import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { md5 } from '../../support/md5.ts'
import { runCli } from '../../support/run-cli.ts'
import { answerJson, strangeServer, type StrangeServer } from '../../support/strange-server.ts'
import { testDaemon } from '../../support/test-daemon.ts'

type Respond = Parameters<typeof strangeServer>[0]

const whole = Buffer.alloc(300_000, 'tides and winds ')

/** A Zenodo with a record of one file, of which `bytes` answers the bytes. */
function recordServer(bytes: Respond): Promise<StrangeServer> {
  return strangeServer(async (request, response) => {
    const { url = '', headers } = request
    if (url === '/bytes') return bytes(request, response)
    const self = `http://${headers.host}/bytes`
    const file = { key: 'a', size: whole.length, checksum: `md5:${md5(whole)}`, links: { self } }
    const record = { id: 1, doi: '10.1/1', metadata: { title: 'x' }, files: [file] }
    answerJson(response, url.includes('/records/') ? record : [])
  })
}

/** Pulls the record, as often as it is told. */
async function begin({ url }: StrangeServer) {
  const name = `r${randomUUID()}`
  await runCli(['remote', 'add', name, '--kind=zenodo', `--url=${url}`], { stdin: 'a-token-of-me' })
  const daemon = await testDaemon()
  const { authorization = '' } = await daemon.as('ada').authorization()
  const environment = {
    DEPOSIT_URL: daemon.origin,
    DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
  }
  return {
    pull: (...options: readonly string[]) =>
      runCli(['pull', `${name}:1`, '--retries', '0', ...options], { environment }),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

const goesOn = 'next: run the command again: it goes on where it stopped'

describe('a pull from a repository', () => {
  it.each<readonly [string, Respond]>([
    ['closes the connection in place of an answer', ({ socket }) => void socket.destroy()],
    [
      'breaks off in the middle of every file',
      (_, response) => {
        response.writeHead(200, { 'content-length': whole.length })
        response.write(whole.subarray(0, 1000), () => response.destroy())
      },
    ],
    [
      'breaks off in the middle of an error',
      (_, response) => {
        response.writeHead(501, { 'content-length': 100 })
        response.write('{"message":', () => response.destroy())
      },
    ],
  ])('that %s says that there was no answer, and goes on', async (_, broken) => {
    let isBroken = true
    await using server = await recordServer((request, response) =>
      isBroken ? broken(request, response) : void response.end(whole),
    )
    await using there = await begin(server)

    const failed = await there.pull()
    isBroken = false
    const planned = await there.pull('--dry-run')
    const { status } = await there.pull()

    expect(planned.stderr).toMatch(/Would complete the draft of \S+, [0-9a-f]+, with 1 file/)
    expect([failed.status, failed.stdout]).toEqual([6, ''])
    expect(failed.stderr).toMatch(/could not read a of 1 on \S+\n {2}no answer from 127\.0\.0\.1/)
    expect(failed.stderr).toContain(goesOn)
    expect(status).toBe(0)
  })

  it('that is not there any more is told as such', async () => {
    const server = await recordServer((_, response) => {
      response.writeHead(200, { 'content-length': whole.length })
      response.write(whole.subarray(0, 1000), () => {
        response.destroy()
        void server[Symbol.asyncDispose]()
      })
    })
    await using there = await begin(server)

    const { status, stderr } = await there.pull()

    expect(status).toBe(6)
    expect(stderr).toContain('no program accepts connections there')
    expect(stderr).toContain(goesOn)
  })

  it('that begins at another byte than it was asked for is told as such', async () => {
    await using server = await recordServer((_, response) => {
      const headers = { 'content-range': `bytes 7-${whole.length - 1}/${whole.length}` }
      response.writeHead(206, headers).end(whole.subarray(7))
    })
    await using there = await begin(server)

    const { status, stderr } = await there.pull()

    expect(status).toBe(5)
    expect(stderr).toContain('bytes from 7 on came, and not from 0 on')
  })

  it('that asks to wait is asked again', async () => {
    let asked = 0
    await using server = await recordServer((_, response) => {
      asked += 1
      if (asked > 1) response.end(whole)
      else response.writeHead(429, { 'retry-after': '0' }).end()
    })
    await using there = await begin(server)

    expect(await there.pull('--retries', '1')).toMatchObject({ status: 0 })
    expect(asked).toBe(2)
  })
})
