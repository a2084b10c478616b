import { createHash } from 'node:crypto'
import type { FileBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import type { TestDaemon } from '../support/test-daemon.ts'

/** What the service answers, without the address of the daemon. */
export interface Dump {
  readonly dump: readonly unknown[]
  readonly numbers: readonly unknown[]
}

/**
 * Everything an administrator can read through the service, with digests in place of bytes.
 *
 * @param reader name of the administrator, who is made for the dump
 */
export async function dumpOf(daemon: TestDaemon, reader = 'root'): Promise<Dump> {
  const admin = daemon.as(reader, { admin: true })
  const found = bodyOf<SearchBody>(await admin.get('/deposits/?size=100&sort=mostrecent'), 200)
  const dump = []
  for (const { id } of found.hits.hits) {
    const item = await admin.get(`/deposits/${id}`)
    const files = bodyOf<readonly FileBody[]>(await admin.get(`/deposits/${id}/files`), 200)
    const bytes = []
    for (const { filename } of files) {
      const reply = await admin.get(`/deposits/${id}/files/${filename}?download`)
      bytes.push([filename, createHash('sha256').update(reply.bytes).digest('hex')])
    }
    dump.push({ etag: item.headers.get('etag'), item: item.body, files, bytes })
  }
  const numbered = await admin.get(`${daemon.origin}/zenodo/api/deposit/depositions?size=100`)
  const numbers = bodyOf<readonly { readonly id: number; readonly conceptrecid: string }[]>(
    numbered,
    200,
  ).map(({ id, conceptrecid }) => [id, conceptrecid])
  // Links contain the port, which differs between daemons.
  return JSON.parse(JSON.stringify({ dump, numbers }).replaceAll(daemon.origin, '')) as Dump
}
