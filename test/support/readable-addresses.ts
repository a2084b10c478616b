import { exportNames, packageNames } from '../../core/contract/exports.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf } from './http.ts'
import type { TestDaemon } from './test-daemon.ts'
import type { User } from './user.ts'

interface Readable {
  readonly daemon: Pick<TestDaemon, 'origin' | 'routes'>
  readonly owner: User
}

/** Routes of the service, and of the part of a program that pages load. */
const aside =
  /^\/(?:oauth|docs|schemas|assets|health|ready|metrics|openapi|local|device|favicon|\.well-known|robots|deposit$|deposit\/(?:new|signed))|vocabularies|tokens/

/** Every address that can be read, of a deposit, its record and their files. */
export async function readableAddresses(
  { daemon, owner }: Readable,
  deposit: DepositBody,
  file: FileBody,
): Promise<readonly string[]> {
  const depositions = bodyOf<readonly { readonly id: number; readonly conceptrecid: string }[]>(
    await owner.get(`${daemon.origin}/zenodo/api/deposit/depositions?sort=mostrecent&size=1`),
    200,
  )
  const value = deposit.metadata._deposit?.value ?? ''
  const key = file.filename.split('/').map(encodeURIComponent).join('/')
  const filled: Readonly<Record<string, readonly string[]>> = {
    pid_value: [value],
    bucket: [deposit.links['bucket']?.split('/').at(-1) ?? ''],
    name: [...exportNames, ...packageNames],
    revision: ['0', '1'],
    id: depositions.flatMap(({ id, conceptrecid }) => [String(id), conceptrecid]),
    file: [file.id],
    n: ['1'],
    '*': [key, `${key}/content`],
  }
  const paths = daemon.routes
    .filter(({ method, url }) => method === 'GET' && !aside.test(url))
    .flatMap(({ url }) =>
      fill(url, url.includes('/deposits/') ? { ...filled, pid_value: [deposit.id] } : filled),
    )
  const queriesOf = (path: string): readonly string[] => {
    if (path.includes(key)) return ['', `?versionId=${file.version_id}`, '?download']
    if (/\/(?:export|packages)\/./.test(path)) return ['', '?revision=0']
    if (path.includes('/files')) return ['', '?versions']
    return /\/records(?:\.atom)?$|^\/$/.test(path)
      ? ['', '?q=gene', '?versions=all&q=Gauges']
      : ['']
  }
  const harvests = ['oai_dc', 'oai_datacite', 'datacite', 'dcat'].map(
    (prefix) => `/oai?verb=ListRecords&metadataPrefix=${prefix}`,
  )
  const all = [
    ...paths.flatMap((path) => queriesOf(path).map((query) => path + query)),
    ...harvests,
  ]
  return [...new Set(all)].map((path) => daemon.origin + path)
}

/** A route with each of the values that stand for its parts. */
function fill(url: string, filled: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const part = /:(\w+)(?:\([^)]*\))?|(\*)/.exec(url)
  if (!part) return [url]
  const values = filled[part[1] ?? part[2] ?? ''] ?? []
  return values.flatMap((value) => fill(url.replace(part[0], value), filled))
}
