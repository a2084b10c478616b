import { hash } from 'node:crypto'
import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { packageNames, type PackageName } from '../../core/contract/exports.ts'
import {
  filesAreOpen,
  packageTexts,
  packBag,
  packCrate,
  packDatapackage,
  packZip,
  problem,
  type Package,
  type PackageTexts,
  type DepositFile,
  type Packed,
  type PublishedRecord,
} from '../../core/index.ts'
import { setFileHeaders } from '../http/file-headers.ts'
import { isFresh, namesTag, sendTagged } from '../http/revision.ts'
import { sendBytes } from '../http/send-file.ts'
import { addVary, mediaDestinations, setClosed, setPublic } from '../http/sharing.ts'
import { bytes, conditionalRead, json, rangeHeaders, unchanged } from './openapi/parameters.ts'
import { KeptPackages } from './kept-packages.ts'
import { waitForRecord } from './large-documents.ts'
import { requireFiles } from './objects.ts'
import { guardedDeposit, pidValue, resource, revision, revisionOf } from './route.ts'
import type { Services } from './services.ts'

const config = { shared: { isPublic: () => true, destinations: mediaDestinations } }

const packageList = Type.Array(
  Type.Object({
    name: Type.String({ description: 'Last part of its address.' }),
    title: Type.String(),
    type: Type.String({ description: 'Media type.' }),
    filename: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    href: Type.String({ format: 'uri' }),
  }),
  { $id: 'Packages' },
)

const zip = { 'application/zip': bytes }

const answers = {
  200: { description: 'The package.', content: zip },
  206: { description: 'The range.', content: zip },
  ...unchanged,
}

const answerHeaders = ['ETag', 'Accept-Ranges', 'Content-Range'] as const

const titles: Readonly<Record<PackageName, string>> = {
  zip: 'All files as ZIP',
  'ro-crate': 'RO-Crate: all files with their metadata',
  bagit: 'BagIt: that crate with digests of all files',
  datapackage: 'Data Package: all files with a Frictionless descriptor',
}

/** `/records/{pid_value}/packages`: a record with all its files as one file. */
export function recordPackages(services: Services): FastifyPluginAsync {
  const { records, routes, links } = services
  const kept = new KeptPackages()
  return async (app) => {
    resource(app, services, routes.recordPackages, {
      GET: {
        config,
        id: 'listPackages',
        tag: 'records',
        summary: 'List the packages that a record can be had as',
        needs: 'nothing',
        headers: conditionalRead,
        answers: {
          200: { description: 'The packages.', content: json(packageList) },
          ...unchanged,
        },
        answerHeaders: ['ETag'],
        handler: async (request, reply) => {
          const record = await records.get(pidValue(request))
          const files = await requireFiles(services, request, record)
          await setSharing(services, request, reply, record)
          await waitForRecord(services, request, reply, record)
          const toUrl = (name: string): string => links.recordPackage(record.value, name)
          const packages = await packEach(packageNames, (name) =>
            packRecord(services, { record, files, kept }, name),
          )
          return sendTagged(reply, toList(packages, toUrl))
        },
      },
    })
    resource(app, services, routes.recordPackage, {
      GET: {
        config,
        id: 'readPackage',
        tag: 'records',
        summary: 'Read a record with all its files as one file',
        details:
          'A ZIP archive of one folder: the files alone (`zip`), with their metadata as RO-Crate ' +
          '1.2 (`ro-crate`), or that crate in a bag of BagIt 1.0 with the digests of all files ' +
          '(`bagit`), or the files with the descriptor of a Data Package (`datapackage`). Its bytes follow from the record alone: any range of it can be asked for, ' +
          'and an interrupted download continues.',
        needs: 'nothing',
        headers: { ...conditionalRead, ...rangeHeaders },
        query: { revision },
        answers,
        answerHeaders,
        handler: async (request, reply) => {
          const name = requirePackage(request, packageNames)
          const [value, number] = [pidValue(request), revisionOf(request)]
          const record =
            number === undefined ? await records.get(value) : await records.revision(value, number)
          const files = await requireFiles(services, request, record)
          if (name !== 'zip') await waitForRecord(services, request, reply, record)
          const found = await packRecord(services, { record, files, kept }, name)
          return sendPackage(request, reply, found, () =>
            setSharing(services, request, reply, record),
          )
        },
      },
    })
  }
}

const packers = { 'ro-crate': packCrate, bagit: packBag, datapackage: packDatapackage }

/** Packages of open files are public; others are for their caller alone. */
async function setSharing(
  { records, parts }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  record: PublishedRecord,
): Promise<void> {
  const isOpen = filesAreOpen(await records.newest(record), parts.clock.now())
  if (isOpen) setPublic(request, reply)
  else setClosed(reply)
}

interface Packing {
  readonly record: PublishedRecord
  readonly files: readonly DepositFile[]
  readonly kept: KeptPackages
}

async function packRecord(
  services: Services,
  { record, files, kept }: Packing,
  name: PackageName,
): Promise<Package> {
  const { parts, links, describer } = services
  const { value: id, revision: at, created, made: updated = record.updated } = record
  const pack = async (make: (packed: Packed) => Package | Promise<Package>) => {
    return { made: await make({ id, revision: at, created, files }), files: files.length }
  }
  if (name === 'zip') {
    const key = JSON.stringify([name, id, at, created])
    return kept.get(key, () => pack((packed) => packZip(parts, packed)))
  }
  // A new version after it, which the description would name, changes nothing in its packages.
  const described = await describer.recordSource(record, { files: [] })
  const source = { ...described, next: undefined }
  const written = await describer.write(source, packageTexts)
  const key = JSON.stringify([name, id, at, created, updated, hash('sha256', written)])
  return kept.get(key, () =>
    pack((packed) =>
      packers[name](parts, {
        ...packed,
        updated,
        texts: JSON.parse(written) as PackageTexts,
        toUrl: ({ bucket, key: file }) => links.file({ bucket, key: file }).download,
      }),
    ),
  )
}

/** `/deposits/{pid_value}/packages`: the same of a draft. */
export function depositPackages(services: Services): FastifyPluginAsync {
  const { routes, parts, links } = services
  const findDraft = async (request: FastifyRequest): Promise<Packed> => {
    const { id, revision: at, created, bucket } = guardedDeposit(request)
    const files = await parts.database.read.files.list(bucket, 'draft')
    return { id, revision: at, created, files }
  }
  return async (app) => {
    resource(app, services, routes.depositPackages, {
      GET: {
        id: 'listDepositPackages',
        tag: 'deposits',
        summary: 'List the packages that a deposit can be had as',
        needs: 'read',
        answers: { 200: { description: 'The packages.', content: json(packageList) } },
        handler: async (request, reply) => {
          const packed = await findDraft(request)
          const toUrl = (name: string): string => links.depositPackage(packed.id, name)
          return reply.send(toList([{ name: 'zip', made: packZip(parts, packed) }], toUrl))
        },
      },
    })
    resource(app, services, routes.depositPackage, {
      GET: {
        id: 'readDepositPackage',
        tag: 'deposits',
        summary: 'Read a deposit with all its files as one file',
        needs: 'read',
        headers: { ...conditionalRead, ...rangeHeaders },
        answers,
        answerHeaders,
        handler: async (request, reply) => {
          requirePackage(request, packageNames.slice(0, 1))
          const packed = await findDraft(request)
          return sendPackage(request, reply, packZip(parts, packed), () =>
            addVary(reply, 'authorization'),
          )
        },
      },
    })
  }
}

/** @throws {DepositError} not_found: there is no package of the name in the path */
function requirePackage({ params }: FastifyRequest, names: readonly PackageName[]): PackageName {
  const { name } = params as { readonly name: string }
  const known = names.find((each) => each === name)
  if (known) return known
  const all = `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`
  throw problem('not_found', { message: `There is no package "${name}". ${all}` })
}

interface Listed {
  readonly name: PackageName
  readonly made: Package
}

async function packEach(
  names: readonly PackageName[],
  pack: (name: PackageName) => Promise<Package>,
): Promise<readonly Listed[]> {
  const list: Listed[] = []
  for (const name of names) list.push({ name, made: await pack(name) })
  return list
}

function toList(packages: readonly Listed[], toUrl: (name: string) => string) {
  const type = 'application/zip'
  return packages.map(({ name, made: { filename, size } }) => {
    return { name, title: titles[name], type, filename, size, href: toUrl(name) }
  })
}

/** @throws {DepositError} stale_revision: `If-Match` names another one */
async function sendPackage(
  request: FastifyRequest,
  reply: FastifyReply,
  { filename, size, etag, read }: Package,
  setCaching: () => unknown,
): Promise<FastifyReply> {
  const { 'if-match': wanted, 'if-none-match': known } = request.headers
  const isWanted = wanted === undefined || ['*', etag].some((tag) => namesTag(wanted, tag))
  if (!isWanted) throw problem('stale_revision', { message: 'The package has changed.' })
  setFileHeaders(reply, filename, '.zip')
  await setCaching()
  reply.header('etag', etag).type('application/zip')
  if (known !== undefined && isFresh({ 'if-none-match': known }, etag, '')) {
    return reply.code(304).send()
  }
  return sendBytes(request, reply, { size, etag, read })
}
