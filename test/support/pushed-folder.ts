import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Held, KindUnderTest } from './remote-kinds.ts'
import { runCli, type Outcome } from './run-cli.ts'
import type { FakeService } from './services/service.ts'
import { temporaryFolder } from './temporary-folder.ts'

const complete = `title: Tides at the pier
creators:
  - name: Carberry, Josiah
    orcid: 0000-0002-1825-0097
description: Levels every minute.
publication_date: 2026-01-02
resource_type: dataset
license: CC-BY-4.0
keywords: [tide]
`

/** A folder that is pushed to a service, which the command line knows as the remote `there`. */
export interface PushedFolder extends AsyncDisposable {
  readonly service: FakeService
  readonly dir: string
  readonly deposit: (args: readonly string[], signal?: AbortSignal) => Promise<Outcome>
  readonly push: (...options: readonly string[]) => Promise<Outcome>
  readonly write: (name: string, content: string | Buffer) => Promise<void>
  /** Sets the metadata: those that the kind needs, and more lines. */
  readonly describe: (more?: string) => Promise<void>
  readonly held: () => readonly Held[]
  /** Requests that match, as method, blank and path, in their order. */
  readonly asked: (pattern: RegExp) => readonly string[]
  /** Bytes of files that the service got, in whole and broken requests. */
  readonly bytesSent: () => number
}

/** @param service is closed with the folder */
export async function pushedFolder(
  under: KindUnderTest,
  service: FakeService,
): Promise<PushedFolder> {
  const place = await temporaryFolder()
  const dir = join(place.path, 'set')
  const deposit = (args: readonly string[], signal?: AbortSignal): Promise<Outcome> =>
    runCli(args, { folder: dir, stdin: under.token, ...(signal && { signal }) })
  const write = async (name: string, content: string | Buffer): Promise<void> => {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), content)
  }
  const describe = (more = ''): Promise<void> =>
    write('metadata.yaml', complete + (under.metadata ?? '') + more)
  const lines = ({ method, path }: FakeService['requests'][number]): string => `${method} ${path}`
  await describe()
  const where = [`--kind=${under.kind}`, `--url=${service.url}`, ...(under.options ?? [])]
  const { status, stderr } = await deposit(['remote', 'add', 'there', '--replace', ...where])
  if (status !== 0) throw new Error(stderr)
  return {
    service,
    dir,
    deposit,
    push: (...more) => deposit(['push', '--to', 'there', ...more]),
    write,
    describe,
    held: () => under.held(service.state()),
    asked: (pattern) => service.requests.map(lines).filter((line) => pattern.test(line)),
    bytesSent: () =>
      service.requests
        .filter((request) => under.sendsBytes.test(lines(request)))
        .reduce((sum, { received }) => sum + received, 0),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
