import type { BrowserContextOptions, Page } from 'playwright-core'
import { fieldsOf, formatFields } from '../../core/contract/uploads.ts'
import { findChromium, sharedBrowser } from '../support/browser.ts'
import { houseDaemon, type HousedDaemon } from '../support/daemon-house.ts'

/** True if there is a browser for the tests of pages; a missing one is reported. */
export const hasBrowser = (await findChromium()) !== undefined
if (!hasBrowser) process.stderr.write('SKIPPED: the tests of the pages need chromium\n')

/** Milliseconds that a walk through the pages may take on a busy machine. */
export const patience = 600_000

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 390, height: 844 }

/** A browser with the pages of its own daemon, signed in. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly daemon: HousedDaemon
  readonly token: string
  /** Breaches of the policy of the pages, and errors of scripts: there must be none. */
  readonly complaints: readonly string[]
  readonly api: (method: string, path: string, body?: unknown) => Promise<ApiAnswer>
  /** Opens the pages for another user, in a browser of their own. */
  readonly as: (email: string, ...roles: readonly string[]) => Promise<Visitor>
  readonly upload: (deposit: ApiAnswer, key: string, bytes: string | Buffer) => Promise<void>
  /** Sends only the first bytes of a file, as from another browser. */
  readonly beginUpload: (deposit: ApiAnswer, begun: BegunUpload) => Promise<void>
}

/** Another user with a browser of their own. */
export interface Visitor {
  readonly page: Page
  readonly complaints: readonly string[]
  readonly api: Visit['api']
}

export interface BegunUpload {
  readonly key: string
  readonly bytes: string
  /** Bytes of the whole file. */
  readonly size: number
  /** Milliseconds since 1970 when the file was changed; missing from other programs. */
  readonly changed?: number
}

/** The fields of a deposit or record that the tests use. */
export interface ApiAnswer {
  readonly id: string
  readonly links: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly _deposit: { readonly status: string; readonly value: string }
  }
}

/** Opens the pages of a fresh daemon in a browser without memory. */
export async function visit(
  options: BrowserContextOptions = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<Visit> {
  await using stack = new AsyncDisposableStack()
  const daemon = stack.use(await houseDaemon(environment))
  const token = await newToken(daemon, 'ada@example.org', { admin: 'true' })
  const browser = await sharedBrowser()
  const contexts = stack.use(new AsyncDisposableStack())
  const open = async (signedIn: string): Promise<Visitor> => {
    const context = await browser.newContext({ viewport: desktop, baseURL: daemon.url, ...options })
    contexts.defer(() => context.close())
    const session = JSON.stringify(JSON.stringify({ token: signedIn }))
    await context.addInitScript(
      `sessionStorage.getItem('deposit.session') ?? sessionStorage.setItem('deposit.session', ${session})`,
    )
    const page = await context.newPage()
    return {
      page,
      complaints: listenTo(page),
      api: (method, path, body) => callApi(daemon.url, signedIn, method, path, body),
    }
  }
  const own = await open(token)
  const owned = stack.move()
  return {
    ...own,
    daemon,
    token,
    as: async (email, ...roles) => {
      const theirs = await newToken(daemon, email)
      for (const role of roles) await daemon.operate('role grant', { email, role })
      return open(theirs)
    },
    upload: (deposit, key, bytes) => upload(token, deposit, key, bytes),
    beginUpload: (deposit, begun) => beginUpload(token, deposit, begun),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Removes the token of the tab on a page without our scripts, which might notice. */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto('/health')
  await page.evaluate("sessionStorage.setItem('deposit.session', 'null')")
}

async function newToken(
  { operate }: HousedDaemon,
  email: string,
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  await operate('user add', { email, ...options })
  const scope = 'deposit:write deposit:actions'
  const printed = await operate('token create', { user: email, scope })
  return printed.at(-1) ?? ''
}

function listenTo(page: Page): readonly string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser reports every answer of 400 and above, which the tests of pages cover.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    // A page with uploads under way asks before it is left.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    complaints.push(`dialog: ${dialog.message()}`)
    return void dialog.dismiss()
  })
  return complaints
}

async function callApi(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiAnswer> {
  const patch = method === 'PATCH' ? 'application/json-patch+json' : 'application/json'
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': patch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  const answer = await response.text()
  return (answer === '' ? {} : JSON.parse(answer)) as ApiAnswer
}

async function upload(
  token: string,
  { links }: ApiAnswer,
  key: string,
  bytes: string | Buffer,
): Promise<void> {
  const path = key.split('/').map(encodeURIComponent).join('/')
  const response = await fetch(`${links['bucket']}/${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
  })
  if (!response.ok) throw new Error(`${key}: ${response.status} ${await response.text()}`)
}

async function beginUpload(
  token: string,
  { links }: ApiAnswer,
  { key, bytes, size, changed }: BegunUpload,
): Promise<void> {
  const response = await fetch(links['uploads'] ?? '', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-length': String(size),
      'upload-metadata': formatFields(
        changed === undefined ? { filename: key } : fieldsOf({ key, changed, replace: false }),
      ),
    },
    body: bytes,
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}
