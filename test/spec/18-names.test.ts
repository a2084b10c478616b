import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { FileBody } from '../../core/contract/schemas.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { form, formType } from '../support/form.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

/**
 * The keys under which a name is stored: by the field `name` and by the address of an object, which
 * keep folders, and by the file name of a part, which loses them. Undefined for a refused name.
 */
type Name = readonly [name: string, withFolders: string | undefined, alone?: string | undefined]

const refused = (name: string): Name => [name, undefined, undefined]
const kept = (name: string): Name => [name, name, name]

const names: readonly Name[] = [
  ['../../etc/passwd', 'etc/passwd', 'passwd'],
  ['..\\..\\windows\\win.ini', 'windows/win.ini', 'win.ini'],
  ['/etc/shadow', 'etc/shadow', 'shadow'],
  ['C:\\boot.ini', 'C:/boot.ini', 'boot.ini'],
  ['\\\\srv\\share\\file', 'srv/share/file', 'file'],
  ['....//....//dots', 'dots', 'dots'],
  kept('..%2f..%2fetc%2fpasswd'),
  kept('%2e%2e%2fx'),
  kept('%252e%252e%252fx'),
  ['..;/semicolon', '..;/semicolon', 'semicolon'],
  ...['.', '..', '...', ' '].map(refused),
  kept('~'),
  kept('   .txt'),
  kept('.htaccess'),
  kept('-rf'),
  ['a\nb.txt', 'ab.txt', 'ab.txt'],
  ['a\r\nSet-Cookie: x=1', 'aSet-Cookie: x=1', 'aSet-Cookie: x=1'],
  ['\u001b[31mred', '[31mred', '[31mred'],
  ...['CON', 'NUL', 'COM1.log', 'LPT9', 'AUX.tar.gz', 'CONIN$'].map(kept),
  ['x.dot.', 'x.dot', 'x.dot'],
  ['x.space ', 'x.space', 'x.space'],
  kept('file.txt::$DATA'),
  kept('a:b'),
  kept('a*b?.txt'),
  ['\u202etxt.exe', 'txt.exe', 'txt.exe'],
  kept('a\u200bb'),
  ['\ufeffbom.txt', 'bom.txt', 'bom.txt'],
  ['cafe\u0301.txt', 'caf\u00e9.txt', 'caf\u00e9.txt'],
  kept('日本語.txt'),
  kept('中文.txt'),
  kept('😀.png'),
  ['\u212a.txt', 'K.txt', 'K.txt'],
  kept('．．／etc'),
  ['‥/two', '‥/two', 'two'],
  kept('⁄etc'),
  kept('İ.txt'),
  kept('ﬁle.txt'),
  kept('A.TXT'),
  kept('a.txt'),
  kept('$(id)'),
  kept('`id`'),
  ['a;rm -rf /', 'a;rm -rf', undefined],
  kept('=1+1.csv'),
  kept('<img src=x onerror=alert(1)>.txt'),
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map(kept),
  kept('a'.repeat(255)),
  refused('a'.repeat(256)),
  refused('a'.repeat(5000)),
  kept("'; DROP TABLE f;--"),
  kept('{{7*7}}'),
  ...['files', 'actions', 'publish'].map(kept),
]

const byField = (id: string, name: string): Promise<Reply> =>
  ada.post(`/deposits/${id}/files`, {
    body: form({ name: 'name', content: name }, { name: 'file', filename: 'f', content: name }),
    headers: { 'content-type': formType },
  })

/** As browsers write it: quotes and line breaks are percent-encoded, all else is unchanged. */
const byFileName = (id: string, name: string): Promise<Reply> =>
  ada.post(`/deposits/${id}/files`, {
    body: form({ name: 'file', filename: name.replaceAll('\\', '\\\\'), content: name }),
    headers: { 'content-type': formType },
  })

const draft = await ada.createDraft()

/** Expects a file under `key`, or no file for a name that is refused. */
async function expectKey(reply: Reply, id: string, key: string | undefined): Promise<void> {
  if (key !== undefined) {
    expect(bodyOf<FileBody>(reply, 201).filename).toBe(key)
    return
  }
  expectProblem(reply, 'wrong_file', /./)
  expect(await ada.keys({ id })).toEqual([])
}

describe('A hostile name', () => {
  it.for(names)('%j in the field `name` is kept as %j', async ([name, key]) => {
    const { id } = await ada.createDraft()

    await expectKey(await byField(id, name), id, key)
  })

  it.for(names.filter(([name]) => !/[\r\n]/.test(name)))(
    '%j of the part is kept without its folders: %j, %j',
    async ([name, , alone]) => {
      const { id } = await ada.createDraft()

      await expectKey(await byFileName(id, name), id, alone)
    },
  )

  it.for(names)('%j in the address of an object must be its own safe form', async ([name, key]) => {
    const target = await ada.createDraft()
    const encoded = name.split('/').map(encodeURIComponent).join('%2F')
    const path = new URL(target.links['bucket'] ?? '').pathname
    const headers = {
      ...(await ada.authorization()),
      host: new URL(daemon.origin).host,
      'content-type': 'application/octet-stream',
      'content-length': '1',
      connection: 'close',
    }
    const { status } = await rawRequest(daemon.origin, head(`PUT ${path}/${encoded}`, headers), 'x')

    const isSafe = name === key
    expect(isSafe ? [201] : [201, 400, 404, 414]).toContain(status)
    expect(await ada.keys(target)).toEqual(status === 201 ? [key] : [])
  })

  it('that differs from another only in Unicode form is refused', async () => {
    const { id } = await ada.createDraft()
    bodyOf(await byField(id, 'caf\u00e9'), 201)

    expectProblem(await byField(id, 'cafe\u0301'), 'file_already_exists')
  })
})

describe('A name whose safe form is the name of another file', () => {
  type Draft = Awaited<ReturnType<typeof ada.createDraft>>
  const inAddress = ({ links }: Draft, name: string, body: string): Promise<Reply> =>
    ada.send('PUT', `${links['bucket'] ?? ''}/${encodeURIComponent(name)}`, {
      body,
      headers: { 'content-type': 'application/octet-stream' },
    })
  const byUpload = ({ links }: Draft, name: string, body: string): Promise<Reply> => {
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const digest = createHash('sha256').update(body).digest('hex')
    return ada.post(links['uploads'] ?? '', {
      body,
      headers: {
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-length': String(body.length),
        'upload-metadata': `name ${base64(name)},replace ${base64('true')},checksum ${base64(`sha256:${digest}`)}`,
      },
    })
  }
  const inBundle = ({ links }: Draft, name: string, body: string): Promise<Reply> =>
    ada.post(links['bundles'] ?? '', {
      body: form({ name: 'file', filename: name.replaceAll('\\', '\\\\'), content: body }),
      headers: { 'content-type': formType },
    })
  const ways = { inAddress, byUpload, inBundle }
  const sent = Object.keys(ways) as (keyof typeof ways)[]
  const others = [
    ['a\\b', 'a/b'],
    ['../a', 'a'],
    ['a\u0000b', 'ab'],
    ['\u202ea', 'a'],
    ['\ufeffa', 'a'],
    ['a.', 'a'],
  ] as const
  const one = async (key: string): Promise<Draft> => {
    const target = await ada.createDraft()
    bodyOf(await inAddress(target, key, 'kept'), 201)
    return target
  }
  const bytesOf = async ({ links }: Draft, key: string): Promise<string> =>
    (await ada.get(`${links['bucket'] ?? ''}/${encodeURIComponent(key)}`)).bytes.toString()

  it.for(sent.flatMap((way) => others.map(([name, key]) => [way, name, key] as const)))(
    'does not replace that file: %s, %j',
    async ([way, name, key]) => {
      const target = await one(key)

      const reply = await ways[way](target, name, 'other')
      expectProblem(reply, 'wrong_file', /./)
      expect(JSON.stringify(reply.body)).toContain(`send it as \\"${key}\\"`)
      expect(await bytesOf(target, key)).toBe('kept')
      expect((await ways[way](target, key, 'new')).status).toBeLessThan(300)
      expect(await bytesOf(target, key)).toBe('new')
    },
  )

  it.for(sent)('may be sent again with the same bytes: %s', async (way) => {
    const target = await one('a/b')
    expect((await ways[way](target, 'a\\b', 'kept')).status).toBeLessThan(300)
    expect(await ada.keys(target)).toEqual(['a/b'])
  })

  it.for(sent)('replaces that file when it differs only in Unicode form: %s', async (way) => {
    const target = await one('caf\u00e9')
    expect((await ways[way](target, './cafe\u0301', 'new')).status).toBeLessThan(300)
    expect(await bytesOf(target, 'caf\u00e9')).toBe('new')
  })
})

const rawPaths = [
  '../../etc/passwd',
  '../../../../../../etc/passwd',
  '%2e%2e/%2e%2e/etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '%c0%ae%c0%ae/etc',
  '%00',
  '%ff',
  '%zz',
  '%252e%252e%252f',
  '//x',
  'x/',
  '',
  ';',
  '%0d%0aSet-Cookie:%20x=1',
  '..\\..\\x',
  'a'.repeat(1100),
]

describe('A raw path', () => {
  it.for(
    rawPaths.flatMap((path) => ['GET', 'PUT', 'DELETE'].map((method) => [method, path] as const)),
  )('%s %j of a file is 400, 404 or 414, and nothing is changed', async ([method, path]) => {
    const bucket = new URL(draft.links['bucket'] ?? '').pathname
    const before = await ada.state(draft)
    // A PUT to the bucket keeps the safe form of the name, as the table above has it.
    const roots = [`/api/deposits/${draft.id}/files`, ...(method === 'PUT' ? [] : [bucket])]
    for (const root of roots) {
      const headers = {
        ...(await ada.authorization()),
        host: new URL(daemon.origin).host,
        connection: 'close',
        ...(method === 'PUT' && { 'content-type': 'application/json', 'content-length': '2' }),
      }
      const request = head(`${method} ${root}/${path}`, headers)
      const reply = await rawRequest(daemon.origin, request, method === 'PUT' ? '{}' : '')

      expect(reply.text).not.toMatch(/^Set-Cookie: x|root:/im)
      expect([method, root, reply.status, reply.text]).toEqual([
        method,
        root,
        expect.toSatisfy((status: number) => status === 200 || (status >= 400 && status < 500)),
        expect.any(String),
      ])
    }
    expect(await ada.state(draft)).toEqual(before)
  })
})

describe('Content-Disposition of a download', () => {
  it.for([
    'a.txt',
    'a "quoted".txt',
    'a;b=c.txt',
    '100%.txt',
    '100%41.txt',
    "it's.txt",
    'naïve.txt',
    '日本語.txt',
    '😀.png',
    'folder/in/a.txt',
    'a,b.txt',
    '(x).txt',
    "UTF-8''x.txt",
  ])('of %j is one header from which the name can be read', async (key) => {
    const target = await ada.createDraft()
    const { links } = await ada.addFile(target, key)
    const { headers } = await ada.get(links.download)
    const disposition = headers.get('content-disposition') ?? ''

    expect(disposition).toMatch(/^attachment; /)
    expect(fileNameOf(disposition)).toBe(key.split('/').at(-1))
  })
})

/** Reads a header as RFC 6266 says: `filename*` wins over `filename`. */
function fileNameOf(disposition: string): string | undefined {
  const extended = /; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)(?:;|$)/i.exec(disposition)?.[1]
  if (extended !== undefined) return decodeURIComponent(extended)
  const quoted = /; filename="((?:[^"\\]|\\.)*)"(?:;|$)/i.exec(disposition)?.[1]
  return (
    quoted?.replaceAll(/\\(.)/g, '$1') ?? /; filename=([^";\s]+)(?:;|$)/i.exec(disposition)?.[1]
  )
}
