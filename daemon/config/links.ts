import {
  depositLinks as routesOfLinks,
  endpointLinks,
  fillRoute,
  schemasPrefix,
  toSegments,
} from '../../core/contract/routes.ts'
import { parseBucketId, parseDepositId } from '../../core/index.ts'
import type { Deposit, FileKey, BucketId, PublishedRecord, VersionId } from '../../core/index.ts'
import type { LinksFactory } from './endpoint-options.ts'
import type { ApiRoutes } from './endpoints.ts'
import { StartFailure } from '../start-failure.ts'

/** Makes the absolute URLs of the service's resources. */
export interface Links {
  /** False if an operator's own function makes some of them: they may depend on anything. */
  readonly areOurs: boolean
  readonly deposit: (deposit: Deposit) => Record<string, string>
  /** Templates of the endpoint's addresses, `{name}` for what is filled in. */
  readonly endpoint: () => Record<string, string>
  readonly depositItem: (id: string) => string
  /** The same of a deposit of any endpoint. */
  readonly depositOf: (deposit: Pick<Deposit, 'id' | 'pidType'>) => string
  readonly depositList: () => string
  readonly record: (record: PublishedRecord, next?: string) => Record<string, string>
  readonly recordItem: (value: string) => string
  readonly recordPage: (value: string) => string
  /** A record, or a deposit, in another format. */
  readonly recordExport: (value: string, name: string) => string
  readonly depositExport: (id: string, name: string) => string
  /** The same as one file. */
  readonly recordPackage: (value: string, name: string) => string
  readonly depositPackage: (id: string, name: string) => string
  readonly recordList: () => string
  readonly revisionList: (value: string) => string
  readonly versionList: (value: string) => string
  readonly fileList: (deposit: string) => string
  readonly bucket: (bucket: BucketId) => string
  readonly file: (place: FilePlace) => { readonly self: string; readonly download: string }
  readonly schema: (path: string) => string
  readonly history: (deposit: string) => string
  readonly trashList: (deposit: string) => string
  readonly trashItem: (deposit: string, id: string) => string
  readonly vocabulary: (name: string) => string
  readonly uploadList: (deposit: string) => string
  readonly upload: (deposit: string, id: string) => string
}

/** Which file a link is for, and whether it is shown as part of a deposit or of its bucket. */
export interface FilePlace {
  readonly bucket: BucketId
  readonly key: FileKey
  /** Set when the file is shown as one of a deposit's. */
  readonly deposit?: string
  /** Set for a version that need not be the latest. */
  readonly version?: VersionId
}

interface LinkOptions {
  /** Scheme, host and port that clients see; asked for at each link, for a port is known late. */
  readonly origin: () => string
  readonly routes: ApiRoutes
  /** Item routes of all endpoints, by the type of their identifiers. */
  readonly itemRoutes: ReadonlyMap<string, string>
  readonly actions: readonly string[]
  /** Address of a deposit's page, with `{scheme}`, `{host}` and `{pid_value}`. */
  readonly pageUrl: string
  readonly factory?: LinksFactory
}

/** @throws {StartFailure} an action has the name of another link */
export function createLinks(options: LinkOptions): Links {
  const { origin, routes } = options
  requireFreeNames(options)
  const depositLinks = depositLinksOf(options)
  const to: To = (name, values = {}) => origin() + fillRoute(routes[name], values)
  const depositOf: Links['depositOf'] = ({ id, pidType }) => {
    const route = options.itemRoutes.get(pidType) ?? routes.depositItem
    return origin() + fillRoute(route, { pid_value: id })
  }

  return {
    areOurs: options.factory === undefined,
    endpoint: () =>
      Object.fromEntries(Object.entries(endpointLinks).map(([name, route]) => [name, to(route)])),
    depositItem: (id) => to('depositItem', { pid_value: id }),
    depositOf,
    depositList: () => to('depositList'),
    recordItem: (value) => to('recordItem', { pid_value: value }),
    recordPage: (value) => to('recordPage', { pid_value: value }),
    recordExport: (value, name) => to('recordExport', { pid_value: value, name }),
    depositExport: (id, name) => to('depositExport', { pid_value: id, name }),
    recordPackage: (value, name) => to('recordPackage', { pid_value: value, name }),
    depositPackage: (id, name) => to('depositPackage', { pid_value: id, name }),
    fileList: (deposit) => to('fileList', { pid_value: deposit }),
    bucket: (bucket) => to('bucket', { bucket }),
    history: (deposit) => to('depositHistory', { pid_value: deposit }),
    trashList: (deposit) => to('trashList', { pid_value: deposit }),
    trashItem: (deposit, id) => to('trashItem', { pid_value: deposit, id }),
    uploadList: (deposit) => to('uploadList', { pid_value: deposit }),
    upload: (deposit, id) => to('uploadItem', { pid_value: deposit, id }),
    recordList: () => to('recordList'),
    revisionList: (value) => to('revisionList', { pid_value: value }),
    versionList: (value) => to('versionList', { pid_value: value }),
    schema: (path) => origin() + schemasPrefix + path,
    vocabulary: (name) => to('vocabulary', { name }),
    deposit: (deposit) => {
      const made = depositLinks(deposit, to)
      return options.factory ? { ...options.factory(deposit, made) } : made
    },
    record: ({ value, bucket, deposit, predecessor }, next) => ({
      self: to('recordItem', { pid_value: value }),
      html: to('recordPage', { pid_value: value }),
      files: to('bucket', { bucket }),
      bucket: to('bucket', { bucket }),
      revisions: to('revisionList', { pid_value: value }),
      versions: to('versionList', { pid_value: value }),
      exports: to('recordExports', { pid_value: value }),
      packages: to('recordPackages', { pid_value: value }),
      deposit: depositOf(deposit),
      ...(predecessor !== undefined && {
        previous_version: to('recordItem', { pid_value: predecessor }),
      }),
      ...(next !== undefined && {
        next_version: to('recordItem', { pid_value: next }),
      }),
    }),
    file: ({ bucket, key, deposit, version }) => {
      const object = to('object', { bucket, key })
      const suffix = version === undefined ? '' : `?versionId=${version}`
      return {
        self: deposit === undefined ? object + suffix : to('fileItem', { pid_value: deposit, key }),
        download: object + suffix,
      }
    },
  }
}

/** The parts of the configuration that addresses are made of. */
interface Mounted {
  readonly endpoints: readonly [LinkedEndpoint, ...LinkedEndpoint[]]
}

interface LinkedEndpoint {
  readonly pidType: string
  readonly routes: ApiRoutes
  readonly pageUrl: string
}

/** The addresses of records at an origin, whether a daemon listens there or not. */
export function recordLinksAt({ endpoints }: Mounted, origin: string): Links {
  const [{ routes, pageUrl }] = endpoints
  const itemRoutes = new Map(endpoints.map((each) => [each.pidType, each.routes.depositItem]))
  return createLinks({ origin: () => origin, routes, itemRoutes, pageUrl, actions: [] })
}

/** Of a deposit that has every link. */
const sample = {
  id: parseDepositId('id'),
  bucket: parseBucketId('00000000-0000-4000-8000-000000000000'),
  record: { type: 'recid', value: 'value', revision: 0 },
  predecessor: 'value',
}

/** An action must not hide what its link would replace. */
function requireFreeNames(options: LinkOptions): void {
  const others = depositLinksOf({ ...options, actions: [] })(sample, () => '')
  const taken = options.actions.find((name) => Object.hasOwn(others, name))
  if (taken === undefined) return
  const names = Object.keys(others).join(', ')
  throw new StartFailure(
    'config',
    `An action cannot be called ${taken}: a deposit has a link of that name. Taken are ${names}.`,
  )
}

type To = (name: keyof ApiRoutes, values?: Readonly<Record<string, string>>) => string

type Linked = Pick<Deposit, 'id' | 'bucket' | 'record' | 'predecessor'>

/** What stands for the values of a deposit in the links that all deposits share. */
const marks = { pid_value: '~pid_value~', bucket: '~bucket~' } as const
const mark = /(~pid_value~|~bucket~)/

/** Links with marks for the values of a deposit, made once for an origin. */
interface SharedLinks {
  readonly origin: string
  /** Texts and marks by turns. */
  readonly links: readonly { readonly name: string; readonly pieces: readonly string[] }[]
  /** Has all names: an object that gets so many one by one is slow to make, to copy and to print. */
  readonly blank: Readonly<Record<string, string>>
}

/**
 * `self`, `files`, `bucket`, `html` and one for each action, in any status. The parts that all
 * deposits share are made once: a page of a list has a hundred links and more.
 */
function depositLinksOf({ origin, pageUrl, routes, actions }: LinkOptions) {
  const share = (here: string, to: To): SharedLinks => {
    const links = new Map([
      ['self', ''],
      ['html', fillRoute(pageTemplate(pageUrl, here), marks)],
    ])
    for (const [name, route] of Object.entries(routesOfLinks)) links.set(name, to(route, marks))
    for (const action of actions)
      links.set(action, here + fillRoute(routes.depositAction, { action, ...marks }))
    return {
      origin: here,
      links: [...links].map(([name, link]) => ({ name, pieces: link.split(mark) })),
      blank: JSON.parse(JSON.stringify(Object.fromEntries(links))) as Record<string, string>,
    }
  }
  let shared: SharedLinks | undefined
  return ({ id, bucket, record, predecessor }: Linked, to: To): Record<string, string> => {
    const here = origin()
    if (shared?.origin !== here) shared = share(here, to)
    const links = { ...shared.blank }
    const [ofId, ofBucket] = [toSegments(id), toSegments(bucket)]
    for (const { name, pieces } of shared.links) {
      let link = ''
      for (const piece of pieces) {
        if (piece === marks.pid_value) link += ofId
        else link += piece === marks.bucket ? ofBucket : piece
      }
      links[name] = link
    }
    if (record) {
      links['record'] = to('recordItem', { pid_value: record.value })
      links['record_html'] = to('recordPage', { pid_value: record.value })
    }
    const version = record?.value ?? predecessor
    if (version !== undefined) links['versions'] = to('versionList', { pid_value: version })
    if (predecessor !== undefined) {
      links['previous_version'] = to('recordItem', { pid_value: predecessor })
    }
    return links
  }
}

/** The address of pages with scheme and host filled in. */
function pageTemplate(pageUrl: string, origin: string): string {
  const { protocol, host } = new URL(origin)
  return pageUrl.replaceAll('{scheme}', protocol.slice(0, -1)).replaceAll('{host}', host)
}
